"""Calls of the recurrences that must be refused; part of bad_input_cases."""

import re
from collections.abc import Callable, Iterator

import torch
from refusal import Case

ops = torch.ops.portops
INT = torch.int64
NEEDED = [True, True, False, True]


def ones(*sizes: int, dtype: torch.dtype = torch.float32, device: str = "cpu") -> torch.Tensor:
    return torch.ones(sizes, device=device).to(dtype)


def text_of(sizes: tuple[int, ...]) -> str:
    return re.escape(str(sizes).replace(",)", ")"))


def row_places(good: torch.Tensor) -> Iterator[tuple[str, str, Callable[[torch.Tensor], object]]]:
    """The recurrences with one square matrix to fill in: operator, argument's name, call."""
    d, a = torch.ones_like(good, dtype=INT), good.unsqueeze(-1)
    taps, cube = d.unsqueeze(-1), good.expand(3, *good.shape)
    yield "delay_line", "samples", lambda bad: ops.delay_line.Tensor(bad, d, good)
    yield "delay_line", "delays", lambda bad: ops.delay_line.Tensor(good, bad, good)
    yield "delay_line", "mix", lambda bad: ops.delay_line.Tensor(good, d, bad)
    yield "delay_line", "samples|out|written", lambda bad: ops.delay_line_.Tensor(bad, d, good)
    yield "delay_line", "mix|result dtype", lambda bad: ops.delay_line_.Tensor(good.clone(), d, bad)
    yield "delay_line", "out|written", lambda bad: ops.delay_line.Tensor_out(good, d, good, out=bad)
    yield "delay_line_stream", "samples", lambda bad: ops.delay_line_stream(bad, d, good)
    yield "delay_line_stream", "delays", lambda bad: ops.delay_line_stream(good, bad, good)
    yield "delay_line_stream", "history", lambda bad: ops.delay_line_stream(good, d, bad)
    yield "recurrence", "input", lambda bad: ops.recurrence(bad, a, taps)
    yield "recurrence", "coefficients", lambda bad: ops.recurrence(good, bad, taps)
    yield "recurrence", "delays", lambda bad: ops.recurrence(good, a, bad)
    yield "recurrence", "history", lambda bad: ops.recurrence(good, a, taps, bad)
    yield "allpole", "input", lambda bad: ops.allpole(bad, cube)
    yield "allpole", "coefficients", lambda bad: ops.allpole(good[0], bad)
    yield "allpole", "initial", lambda bad: ops.allpole(good, cube, bad)
    yield "allpole", "out|written", lambda bad: ops.allpole.out(good, cube, out=bad)
    for name in ("delay_line_stream", "recurrence"):
        arguments = (d, good) if name == "delay_line_stream" else (a, taps, good)
        out = getattr(ops, name).out
        yield name, "out|written", lambda bad, f=out, x=arguments: f(good, *x, out0=bad, out1=torch.ones_like(good))
        yield name, "out|written", lambda bad, f=out, x=arguments: f(good, *x, out0=torch.ones_like(good), out1=bad)
    yield (
        "recurrence",
        "",
        lambda bad: ops.recurrence_vjp([good, bad], [good, a, taps, good], NEEDED),
    )
    yield "allpole", "", lambda bad: ops.allpole_jvp([good, cube], [bad, cube])


def row_devices() -> Iterator[Case]:
    """One tensor on meta beside the others on the CPU."""
    for operator, argument, run in row_places(ones(3, 3)):
        bad = ones(3, 3, dtype=INT if argument == "delays" else torch.float32, device="meta")
        yield Case(f"{argument} on meta", operator, run, (bad,), ("meta|device",))


def row_dtypes() -> Iterator[Case]:
    places = [(device, place) for device in ("cpu", "meta") for place in row_places(ones(3, 3, device=device))]
    for device, (operator, argument, run) in places:
        if argument == "delays":
            for dtype in (torch.bool, torch.float16, torch.float32, torch.float64):
                bad, rule = ones(3, 3, dtype=dtype, device=device), ("delays", "integer", "dtype=")
                yield Case(f"on {device} delays of {dtype}", operator, run, (bad,), rule)
        elif argument:
            for dtype, text in ((torch.bool, "(?i)bool"), (INT, "(?i)int64|long"), (torch.uint16, "(?i)uint16")):
                bad = ones(3, 3, dtype=dtype, device=device)
                yield Case(f"on {device} {dtype} as {argument}", operator, run, (bad,), ("dtype|type", text))


def row_memory() -> Iterator[Case]:
    d, a, taps, base = ones(3, dtype=INT), ones(3, 1), ones(3, 1, dtype=INT), torch.arange(20.0)
    wide = ones(1).expand(3)
    for name, call in (
        ("delay_line", lambda x, out: ops.delay_line.Tensor_out(x, d, x, out=out)),
        ("recurrence", lambda x, out: ops.recurrence.out(x, a, taps, None, out0=out, out1=ones(0))),
        ("recurrence", lambda x, out: ops.recurrence.out(ones(5), a[:1], taps[:1], x, out0=ones(5), out1=out)),
        ("delay_line_stream", lambda x, out: ops.delay_line_stream.out(x, d, ones(2), out0=out, out1=ones(2))),
        ("allpole", lambda x, out: ops.allpole.out(x, a, out=out)),
    ):
        rule = ("out", "overlap", r"\(3\)")
        yield Case("an expanded out", name, lambda out, base, f=call: f(ones(3), out), (wide, base), rule)
        yield Case("partly overlapping", name, call, (base[:3], base[1:4]), rule)
    both = (base[:3], base[3:6], base)
    rule = ("out1", "overlaps history", r"\(3\)")
    same = lambda h, out, _: ops.delay_line_stream.out(ones(3), d, h, out0=out, out1=h)  # noqa: E731
    yield Case("the next history on the last", "delay_line_stream", same, both, rule)
    same = lambda h, out, _: ops.recurrence.out(ones(3), a, taps, h, out0=out, out1=out)  # noqa: E731
    yield Case("two outputs in one", "recurrence", same, both, ("two outputs overlap", r"\(3\)"))


def row_shapes() -> Iterator[Case]:
    for device in ("cpu", "meta"):
        x, a = ones(2, 3, device=device), ones(2, 3, 4, device=device)
        d, h = ones(2, 3, 4, dtype=INT, device=device), ones(2, 5, device=device)
        good = r"\(2, 3\)"
        for sizes in ((2, 3, 3), (2, 2, 4), (3, 3, 4), (5, 2, 3, 4), (0, 4)):
            bad, integer = ones(*sizes, device=device), ones(*sizes, dtype=INT, device=device)
            for name, argument, tensor, run in (
                ("recurrence", "coefficients|delays", bad, lambda bad, x=x, d=d: ops.recurrence(x, bad, d)),
                ("recurrence", "coefficients|delays", integer, lambda bad, x=x, a=a: ops.recurrence(x, a, bad)),
            ):
                yield Case(f"on {device} {argument} of {sizes}", name, run, (tensor,), (argument, "shape=", good))
        for sizes in ((2, 1, 4), (4,), (3, 3, 4), (2, 4, 4)):
            run = lambda bad, x=x: ops.allpole(x, bad)  # noqa: E731
            yield Case(f"on {device} {sizes}", "allpole", run, (ones(*sizes, device=device),), ("coefficients",))
        for sizes in ((3, 4), (2, 5), ()):
            run = lambda bad, x=x, a=a: ops.allpole(x, a, bad)  # noqa: E731
            yield Case(f"on {device} initial {sizes}", "allpole", run, (ones(*sizes, device=device),), ("initial",))
        for sizes in ((3, 5), (1, 2, 5), ()):
            bad = ones(*sizes, device=device)
            for name, run in (
                ("recurrence", lambda bad, x=x, a=a, d=d: ops.recurrence(x, a, d, bad)),
                ("delay_line_stream", lambda bad, x=x, d=d: ops.delay_line_stream(x, d[..., 0], bad)),
            ):
                yield Case(f"on {device} history of {sizes}", name, run, (bad,), ("argument=history",))
        for name, run in (
            ("recurrence", lambda x, a=a, d=d: ops.recurrence(x, a[0, :1], d[0, :1])),
            ("delay_line_stream", lambda x, d=d, h=h: ops.delay_line_stream(x, d[0, 0, 0], h[0])),
            ("allpole", lambda x, a=a: ops.allpole(x, a[0])),
        ):
            yield Case(f"on {device} no time axis", name, run, (x[0, 0],), ("axis", "rank=0"))
        for sizes in ((3, 3), (2, 2), (4, 2, 3)):
            run = lambda bad, x=x, d=d: ops.delay_line.Tensor(x, d[..., 0], bad)  # noqa: E731
            rule = ("argument=mix", "broadcast", good, text_of(sizes))
            yield Case(f"on {device} mix of {sizes}", "delay_line", run, (ones(*sizes, device=device),), rule)


def row_shapes_written() -> Iterator[Case]:
    for device in ("cpu", "meta"):
        x, a = ones(2, 3, device=device), ones(2, 3, 4, device=device)
        d, h = ones(2, 3, 4, dtype=INT, device=device), ones(2, 5, device=device)
        z, good = ones(2, 4, device=device), r"\(2, 3\)"
        for sizes in ((2, 4), (3, 3), (3,), (1, 2, 3), (2, 0)):
            out, text = ones(*sizes, device=device), text_of(sizes)
            for name, result, run in (
                (
                    "recurrence",
                    good,
                    lambda out, x=x, a=a, d=d, h=h: ops.recurrence.out(x, a, d, h, out0=out, out1=h + 0),
                ),
                (
                    "recurrence",
                    r"\(2, 5\)",
                    lambda out, x=x, a=a, d=d, h=h: ops.recurrence.out(x, a, d, h, out0=x + 0, out1=out),
                ),
                ("delay_line", good, lambda out, x=x, d=d: ops.delay_line.Tensor_out(x, d[..., 0], x, out=out)),
                ("allpole", good, lambda out, x=x, a=a, z=z: ops.allpole.out(x, a, z, out=out)),
            ):
                yield Case(f"on {device} out of {sizes}", name, run, (out,), ("shape", result, text))


def row_groups() -> tuple[Callable[[], Iterator[Case]], ...]:
    return row_devices, row_dtypes, row_memory, row_shapes, row_shapes_written
