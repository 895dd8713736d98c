"""Calls that must be refused, each with what its error text must hold. As a program it makes all of them in turn."""

import itertools
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator

import torch
from bad_row_cases import row_groups, row_places
from refusal import NOTHING_RAISED, Case, complaint

if __name__ == "__main__":
    torch.ops.load_library(os.environ["PORTOPS_TORCH_LIBRARY"])

ops = torch.ops.portops
INT = torch.int64
WRITTEN = "input|out|written"  # how a text may name what is written in place
RECURRENCES = ("delay_line", "delay_line_stream", "recurrence", "allpole")


def ones(*sizes: int, dtype: torch.dtype = torch.float32, device: str = "cpu") -> torch.Tensor:
    return torch.ones(sizes, device=device).to(dtype)


# The operators with one tensor to fill in: position, argument's name, call. A written tensor is named as well.
def places(good: torch.Tensor) -> Iterator[tuple[str, str, Callable[[torch.Tensor], object]]]:
    delays = ones(*good.shape, dtype=INT)
    yield "softplus", "input", lambda bad: ops.softplus(bad)
    yield "softplus", WRITTEN, lambda bad: ops.softplus_(bad)
    yield "softplus", "input", lambda bad: ops.softplus.out(bad, out=torch.ones_like(good))
    yield "softplus", "out|written", lambda bad: ops.softplus.out(good, out=bad)
    yield "trig_mix", "input", lambda bad: ops.trig_mix(bad, good)
    yield "trig_mix", "scale", lambda bad: ops.trig_mix(good, bad)
    yield "trig_mix", WRITTEN, lambda bad: ops.trig_mix_(bad, good)
    yield "trig_mix", "scale", lambda bad: ops.trig_mix_(good.clone(), bad)
    yield "trig_mix", "out|written", lambda bad: ops.trig_mix.out(good, good, out=bad)
    yield "trig_mix", "input", lambda bad: ops.trig_mix(bad, 2.0)
    yield "trig_mix", WRITTEN, lambda bad: ops.trig_mix_(bad, 2.0)
    yield "exp_sin", "input", lambda bad: ops.exp_sin(bad)
    yield "exp_sin", WRITTEN, lambda bad: ops.exp_sin_(bad)
    yield "exp_sin", "amplitude", lambda bad: ops.exp_sin.Tensor(good, bad)
    yield "exp_sin", "out|written", lambda bad: ops.exp_sin.Tensor_out(good, good, out=bad)
    yield "delay_line", "samples", lambda bad: ops.delay_line(bad, delays)
    yield "delay_line", "delays", lambda bad: ops.delay_line(good, bad)
    yield "delay_line", "samples|out|written", lambda bad: ops.delay_line_(bad, delays)
    yield "delay_line", "delays", lambda bad: ops.delay_line_(good.clone(), bad)
    yield "delay_line", "out|written", lambda bad: ops.delay_line.out(good, delays, out=bad)
    yield from row_places(good)
    yield "softplus", "", lambda bad: ops.softplus_vjp([bad], [good], 1.0, 20.0, [True])
    yield "trig_mix", "", lambda bad: ops.trig_mix_jvp([good, bad], [good, good])
    yield "exp_sin", "", lambda bad: ops.exp_sin_second([good], [bad], [good], 2.0)


def everywhere(name: str, bad: torch.Tensor, *texts: str, skip: str = "") -> Iterator[Case]:
    """`bad` as every argument of every operator but those of the name `skip`."""
    for operator, argument, run in places(ones(3, 3)):
        if not skip or argument not in skip.split():
            yield Case(f"{name} as {argument}", operator, run, (bad,), (argument, *texts))


def without_memory() -> Iterator[Case]:
    yield from everywhere("sparse", ones(3, 3).to_sparse(), "memory", "Sparse")
    yield from everywhere("csr", ones(3, 3).to_sparse_csr(), "memory", "SparseCsr")
    yield from everywhere("bsr", ones(3, 3).to_sparse_bsr((1, 1)), "memory", "SparseBsr")
    yield from everywhere("quantized", torch.quantize_per_tensor(ones(3, 3), 0.1, 0, torch.qint8), "QInt8|quantized")
    nested = torch.nested.nested_tensor([ones(2), ones(3)])
    yield from everywhere("nested", nested, "nested")
    if torch.backends.mkldnn.is_available():
        yield from everywhere("mkldnn", ones(3, 3).to_mkldnn(), "mkldnn")


def freed() -> list[Case]:
    """Tensors whose memory is gone; a kernel that does not look dies of them, so they are no part of all cases."""
    x, d = ones(3, 3), ones(3, 3, dtype=INT)
    for tensor in (x, d):
        tensor.untyped_storage().resize_(0)
    cases = [Case("freed delays", "delay_line", lambda d: ops.delay_line(ones(3, 3), d), (d,), ("delays", "memory"))]
    return cases + list(everywhere("freed", x, "memory", skip="delays"))


def devices() -> Iterator[Case]:
    """One tensor on meta beside the others on the CPU."""
    plain, integers = ones(3, 3), ones(3, 3, dtype=INT)
    meta, meta_integers = plain.to("meta"), integers.to("meta")
    tensors = (plain, meta, integers, meta_integers)
    for name, run in (
        ("softplus", lambda x, m, d, n: ops.softplus.out(x, out=m)),
        ("softplus", lambda x, m, d, n: ops.softplus.out(m, out=x)),
        ("trig_mix", lambda x, m, d, n: ops.trig_mix(x, m)),
        ("trig_mix", lambda x, m, d, n: ops.trig_mix(m, x)),
        ("trig_mix", lambda x, m, d, n: ops.trig_mix_(m, x)),
        ("trig_mix", lambda x, m, d, n: ops.trig_mix_(x, m)),
        ("exp_sin", lambda x, m, d, n: ops.exp_sin.Tensor_out(x, m, out=x)),
        ("delay_line", lambda x, m, d, n: ops.delay_line(x, n)),
        ("delay_line", lambda x, m, d, n: ops.delay_line(m, d)),
        ("delay_line", lambda x, m, d, n: ops.delay_line_(x, n)),
    ):
        yield Case("two devices", name, run, tensors, ("argument=", "cpu", "meta"))
    for name, run in (
        ("softplus", lambda x, m, d, n: ops.softplus_vjp([x], [m], 1.0, 20.0, [True])),
        ("trig_mix", lambda x, m, d, n: ops.trig_mix_jvp([x, x], [m, x])),
    ):
        yield Case("derivative on two devices", name, run, tensors, ("meta|device",))


def complex_numbers() -> Iterator[Case]:
    """The recurrences take them, but for delays."""
    plain = [ones(3, 3, dtype=dtype) for dtype in (torch.complex64, torch.complex128)]
    for bad in (*plain, plain[0].conj()):
        for case in everywhere(f"{bad.dtype}{' conjugate' * bad.is_conj()}", bad, "(?i)complex"):
            if case.operator not in RECURRENCES or case.texts[0] == "delays":
                yield case


def dtypes() -> Iterator[Case]:
    yield from complex_numbers()
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        yield from everywhere(str(dtype), ones(3, 3, dtype=dtype), "Float8")
    x, d = ones(3, 3), ones(3, 3, dtype=INT)
    for dtype in (torch.bool, torch.uint8, torch.int32, torch.int64):
        bad = ones(3, 3, dtype=dtype)
        text = {torch.bool: "(?i)bool", torch.uint8: "(?i)uint8|byte", torch.int32: "(?i)int"}.get(
            dtype, "(?i)int64|long"
        )
        for operator, argument, run in (
            ("softplus", WRITTEN, lambda bad: ops.softplus_(bad)),
            ("trig_mix", WRITTEN, lambda bad: ops.trig_mix_(bad, 2.0)),
            ("trig_mix", WRITTEN, lambda bad: ops.trig_mix_(bad, x)),
            ("exp_sin", WRITTEN, lambda bad: ops.exp_sin_(bad, x)),
            ("softplus", "out|written", lambda bad: ops.softplus.out(x, out=bad)),
            ("trig_mix", "out|written", lambda bad: ops.trig_mix.Scalar_out(x, 2, out=bad)),
            ("exp_sin", "out|written", lambda bad: ops.exp_sin.out(x, 2, out=bad)),
            ("delay_line", "samples", lambda bad: ops.delay_line(bad, d)),
            ("delay_line", "samples", lambda bad: ops.delay_line_(bad, d)),
            ("delay_line", "out|written", lambda bad: ops.delay_line.out(x, d, out=bad)),
        ):
            yield Case(f"{dtype} as {argument}", operator, run, (bad,), (argument, "dtype|type", text))
    for dtype in (torch.bool, torch.float16, torch.float32, torch.float64):
        bad, rule = ones(3, dtype=dtype), ("delays", "integer", "dtype=")
        for run in (lambda bad, x: ops.delay_line(x, bad), lambda bad, x: ops.delay_line_(x, bad)):
            yield Case(f"delays of {dtype}", "delay_line", run, (bad, x), rule)
    for name, run in (
        ("exp_sin", lambda x: ops.exp_sin(x, 1j)),
        ("exp_sin", lambda x: ops.exp_sin_(x, 2 + 1j)),
        ("trig_mix", lambda x: ops.trig_mix(x, 1j)),
        ("trig_mix", lambda x: ops.trig_mix.Scalar_out(x, 1j, out=torch.ones(3, 3))),
        ("softplus", lambda x: ops.softplus(x, 1j)),
        ("delay_line", lambda x: ops.delay_line(x, d, 1j)),
    ):
        argument = {"exp_sin": "amplitude", "trig_mix": "scale", "softplus": "beta", "delay_line": "mix"}[name]
        yield Case("a complex number", name, run, (x,), (argument, "(?i)complex"))
    for name, bad in itertools.product(("softplus", "exp_sin"), (None, "text", 2.0, [1.0])):
        yield Case(f"{bad!r} for a tensor", name, lambda bad=bad, name=name: getattr(ops, name)(bad), (), ())


def memory() -> Iterator[Case]:
    x, d, base = ones(10), ones(10, dtype=INT), torch.arange(40.0)
    wide = ones(1).expand(10)
    for out in (wide, base.as_strided((10,), (0,)), base.as_strided((4, 4), (2, 1)), base.as_strided((3, 3), (1, 1))):
        good = ones(*out.shape)
        name = f"written with strides {out.stride()}"
        rule = ("overlap", re.escape(str(tuple(out.shape)).replace(",)", ")")))
        yield Case(name, "softplus", lambda out, _: ops.softplus_(out), (out, base), rule)
        yield Case(name, "softplus", lambda out, _, x=good: ops.softplus.out(x, out=out), (out, base), ("out", *rule))
        yield Case(name, "trig_mix", lambda out, _, x=good: ops.trig_mix_(out, x), (out, base), rule)
        yield Case(name, "delay_line", lambda out, _: ops.delay_line_(out, d[:1]), (out, base), rule)
    for first, second in ((base[:10], base[1:11]), (base[5:15], base[:10]), (base[:20:2], base[:10])):
        both = (first, second, base)
        rule = ("out", "overlap", r"\(10\)")
        yield Case("partly overlapping", "softplus", lambda x, out, _: ops.softplus.out(x, out=out), both, rule)
        yield Case("partly overlapping", "trig_mix", lambda s, out, _: ops.trig_mix.out(x, s, out=out), both, rule)
        yield Case("partly overlapping", "trig_mix", lambda s, out, _: ops.trig_mix_(out, s), both, rule[1:])
        yield Case("partly overlapping", "delay_line", lambda x, out, _: ops.delay_line.out(x, d, out=out), both, rule)
    shared = ones(10, dtype=torch.int32)
    rule = ("out", "overlap", "delays")
    onto = lambda d: ops.delay_line.out(x, d, out=d.view(torch.float32))  # noqa: E731
    yield Case("out on delays", "delay_line", onto, (shared,), rule)


def shapes() -> Iterator[Case]:
    for device in ("cpu", "meta"):
        x, d = ones(2, 3, device=device), ones(2, 3, dtype=INT, device=device)
        row, long = ones(3, device=device), ones(4, device=device)
        pair = (r"\(2, 3\)", r"\(4\)")
        where = f"on {device}"
        yield Case(
            f"{where} no broadcast", "trig_mix", lambda x, s: ops.trig_mix(x, s), (x, long), ("broadcast", *pair)
        )
        yield Case(f"{where} no broadcast", "exp_sin", lambda x, s: ops.exp_sin_(x, s), (x, long), ("broadcast", *pair))
        yield Case(f"{where} growing", "trig_mix", lambda x, s: ops.trig_mix_(x, s), (row, x), (r"\(2, 3\)", r"\(3\)"))
        for sizes in ((3, 2), (6,), (0,), (2, 3, 1), (1, 2, 3)):
            out, text = ones(*sizes, device=device), re.escape(str(sizes).replace(",)", ")"))
            rule = ("out|written", "shape", r"\(2, 3\)", text)
            for name, run in (
                ("softplus", lambda x, out: ops.softplus.out(x, out=out)),
                ("trig_mix", lambda x, out: ops.trig_mix.out(x, x, out=out)),
                ("delay_line", lambda x, out, d=d: ops.delay_line.out(x, d, out=out)),
            ):
                yield Case(f"{where} out of {sizes}", name, run, (x, out), rule)
        for sizes in ((2,), (3, 3), (1, 2, 3), (0,)):
            bad, text = ones(*sizes, dtype=INT, device=device), re.escape(str(sizes).replace(",)", ")"))
            rule = ("delays", "broadcast", r"\(2, 3\)", text)
            yield Case(f"{where} delays of {sizes}", "delay_line", lambda x, d: ops.delay_line(x, d), (x, bad), rule)
            yield Case(f"{where} delays of {sizes}", "delay_line", lambda x, d: ops.delay_line_(x, d), (x, bad), rule)
        single, rule = (x[0, 0], d[0, 0]), ("samples", "axis", "rank=0")
        yield Case(f"{where} no time axis", "delay_line", lambda x, d: ops.delay_line(x, d), single, rule)


def delays() -> Iterator[Case]:
    for dtype, value in itertools.product((torch.int8, torch.int16, torch.int32, INT), (-1, None)):
        value = value or torch.iinfo(dtype).min
        x, d = ones(4, 30), ones(4, 30, dtype=dtype)
        d[2, 17], d[3, 0] = value, -1
        rule = ("delays", "negative", "77", str(value))
        for run in (
            lambda x, d, _: ops.delay_line(x, d),
            lambda x, d, _: ops.delay_line_(x, d),
            lambda x, d, out: ops.delay_line.out(x, d, out=out),
        ):
            yield Case(f"a delay of {value} in {dtype}", "delay_line", run, (x, d, ones(4, 30)), rule)


def derivatives() -> Iterator[Case]:
    x, s = ones(2, 3), ones(4)
    for name, run in (
        ("no gradient", lambda x: ops.softplus_vjp([], [x], 1.0, 20.0, [True])),
        ("two inputs", lambda x: ops.softplus_vjp([x], [x, x], 1.0, 20.0, [True])),
        ("nothing", lambda x: ops.softplus_vjp([], [], 1.0, 20.0, [True])),
        ("no flag", lambda x: ops.softplus_vjp([x], [x], 1.0, 20.0, [])),
        ("no tangent", lambda x: ops.softplus_jvp([x], [], 1.0, 20.0)),
        ("two gradients", lambda x: ops.softplus_second([x, x], [x], [x], 1.0, 20.0)),
    ):
        yield Case(f"derivative with {name}", "softplus", run, (x,), ())
    rule = ("broadcast", r"\(2, 3\)", r"\(4\)")
    yield Case("vjp of shapes", "softplus", lambda x, s: ops.softplus_vjp([x], [s], 1.0, 20.0, [True]), (x, s), rule)
    yield Case("jvp of shapes", "trig_mix", lambda x, s: ops.trig_mix_jvp([x, x], [x, s]), (x, s), rule)


def all_cases() -> list[Case]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        groups = (without_memory, devices, dtypes, memory, shapes, delays, derivatives, *row_groups())
        return [case for group in groups for case in group()]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    cases = freed() if sys.argv[1:] == ["freed"] else all_cases()
    outcomes = [complaint(case) for case in cases]
    print(len(outcomes) - outcomes.count(NOTHING_RAISED), "of", len(outcomes), "raised")
    if sys.argv[1:] == ["freed"]:
        print(*filter(None, outcomes), sep="\n", end="")
