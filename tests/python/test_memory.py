"""No copy: the same addresses on both sides, results in fresh memory, buffers shared with NumPy."""

import subprocess
import sys

import numpy
import pytest
import torch

ops = torch.ops.portops


def test_results_are_fresh_memory() -> None:
    for x in (torch.rand(5), torch.rand(0), torch.rand(()), torch.rand(3, 4).t(), torch.rand(1).expand(5)):
        d = torch.zeros(x.shape, dtype=torch.int64)
        before = x.clone()
        results = [ops.softplus(x), ops.exp_sin(x), ops.trig_mix(x, x), ops.softplus(x, threshold=-1e9)]
        if x.dim() > 0:
            a, one = x.unsqueeze(-1), torch.ones(1, dtype=torch.int64)
            results += [ops.delay_line(x, d), ops.delay_line.Tensor(x, d, x), ops.allpole(x, a)]
            results += [*ops.delay_line_stream(x, d, x), *ops.recurrence(x, a, one, x)]
        for y in results:
            assert y is not x
            assert x.numel() == 0 or y.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()
        assert torch.equal(x, before)


def test_in_place_and_out_keep_their_address_and_return_nothing() -> None:
    x, out = torch.rand(6, 4).t(), torch.empty(4, 6)
    addresses, expected = (x.data_ptr(), out.data_ptr()), ops.softplus(x)
    assert ops.softplus.out(x, out=out) is None
    assert ops.softplus_(x) is None
    assert (x.data_ptr(), out.data_ptr()) == addresses
    assert torch.equal(x, expected)
    assert torch.equal(out, expected)


def test_both_outputs_of_a_recurrence_are_written_where_they_lie() -> None:
    x, d, history = torch.rand(3, 50), torch.randint(1, 9, (3, 50)), torch.rand(3, 8)
    a = torch.rand(3, 50, 1) * 0.5
    for functional, out, arguments in (
        (ops.delay_line_stream, ops.delay_line_stream.out, (d, history)),
        (ops.recurrence, ops.recurrence.out, (a, d.unsqueeze(-1), history)),
    ):
        expected = functional(x, *arguments)
        y, kept = torch.full((50, 3), 5.0).t(), torch.full((3, 16), 5.0)[:, ::2]
        versions, addresses = (y._version, kept._version), (y.data_ptr(), kept.data_ptr())
        assert out(x, *arguments, out0=y, out1=kept) is None
        assert (y._version, kept._version) == (versions[0] + 1, versions[1] + 1)
        assert (y.data_ptr(), kept.data_ptr()) == addresses
        assert torch.equal(y, expected[0]) and torch.equal(kept, expected[1])
        written = x.clone()
        out(written, *arguments, out0=written, out1=kept)
        assert torch.equal(written, expected[0])


def test_out_may_be_the_input() -> None:
    for make in (lambda: torch.rand(1000), lambda: torch.rand(30, 40).t(), lambda: torch.rand(50, 40)[::2, 1::3]):
        x = make()
        expected = ops.trig_mix(x, x)
        ops.trig_mix.out(x, x, out=x)
        assert torch.equal(x, expected)


def test_numpy_arrays_are_read_and_written_where_they_lie() -> None:
    array = numpy.linspace(-3, 3, 24, dtype=numpy.float32).reshape(4, 6)[:, ::2]
    out = numpy.zeros((3, 4), numpy.float32).T
    ops.softplus.out(torch.from_numpy(array), out=torch.from_numpy(out))
    assert numpy.allclose(out, numpy.log1p(numpy.exp(array)), rtol=1e-6)
    address = array.__array_interface__["data"][0]
    ops.softplus_(torch.from_numpy(array))
    assert array.__array_interface__["data"][0] == address
    assert numpy.array_equal(array, out)


def test_unaligned_buffers() -> None:
    """A float that begins at an odd byte, as it may in a file that is mapped into memory."""
    memory = bytearray(4 * 300 + 1)
    x = torch.frombuffer(memory, dtype=torch.float32, offset=1)
    x.copy_(torch.linspace(-3, 3, 300))
    assert x.data_ptr() % 4 != 0
    assert torch.equal(ops.softplus(x), ops.softplus(x.clone()))
    expected = ops.softplus(x.clone())
    ops.softplus_(x)
    assert torch.equal(x, expected)


def test_lazy_negative_is_resolved() -> None:
    base = torch.rand(20)
    lazy = torch._neg_view(base)
    assert lazy.is_neg()
    assert torch.equal(ops.softplus(lazy), ops.softplus(-base))
    assert torch.equal(ops.trig_mix(base, lazy), ops.trig_mix(base, -base))
    imaginary = torch.view_as_complex(torch.rand(20, 2)).conj().imag
    assert imaginary.is_neg()
    assert torch.equal(ops.exp_sin(imaginary), ops.exp_sin(imaginary.resolve_neg()))


WRITES_LAZY_NEGATIVE = """
import os, torch
torch.ops.load_library(os.environ["PORTOPS_TORCH_LIBRARY"])
ops = torch.ops.portops
for _ in range(500):
    x, base = torch.rand(20), torch.rand(20)
    before = base.clone()
    try:
        {call}
    except (RuntimeError, ValueError) as error:
        assert "portops::softplus" in str(error), error
        assert torch.equal(base, before)
    else:
        assert torch.equal(base, -ops.softplus({source}))
"""


@pytest.mark.parametrize(
    ("call", "source"),
    [
        ("ops.softplus.out(x, out=torch._neg_view(base))", "x"),
        ("ops.softplus_(torch._neg_view(base))", "-before"),
    ],
    ids=["out", "in place"],
)
def test_lazy_negative_is_written_where_it_lies_or_refused(call: str, source: str) -> None:
    """In a process of its own: what torch does by itself here reads past its stack."""
    code = WRITES_LAZY_NEGATIVE.format(call=call, source=source)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_lazy_conjugate_is_refused_as_complex() -> None:
    with pytest.raises((RuntimeError, ValueError), match=r"(?i)portops::softplus.*complex"):
        ops.softplus(torch.ones(3, dtype=torch.complex64).conj())


@pytest.mark.parametrize("requires_grad", [False, True])
def test_versions_rise_for_what_is_written(requires_grad: bool) -> None:
    x, d = torch.rand(5, requires_grad=requires_grad), torch.ones(5, dtype=torch.int64)
    g = torch.rand(5)
    functional = (
        ops.softplus,
        lambda t: ops.trig_mix(t, 2),
        ops.exp_sin,
        lambda t: ops.delay_line(t, d),
        lambda t: ops.delay_line.Tensor(t, d, g),
    )
    in_place = (
        ops.softplus_,
        lambda t: ops.trig_mix_(t, 2),
        ops.exp_sin_,
        lambda t: ops.delay_line_(t, d),
        lambda t: ops.delay_line_.Tensor(t, d, g),
    )
    outs = (
        ops.softplus.out,
        lambda t, out: ops.trig_mix.Scalar_out(t, 2, out=out),
        ops.exp_sin.out,
        lambda t, out: ops.delay_line.out(t, d, out=out),
        lambda t, out: ops.delay_line.Tensor_out(t, d, g, out=out),
    )
    for op, op_, op_out in zip(functional, in_place, outs, strict=True):
        written, out = x.detach().clone(), torch.empty(5)
        version = written._version
        op(written)
        op_out(written, out=out)
        assert (written._version, out._version) == (version, 1)
        op_(written)
        assert written._version == version + 1
        if requires_grad:
            y = x * 1
            version = y._version
            op_(y)
            assert y._version == version + 1


def test_inference_mode() -> None:
    with torch.inference_mode():
        x = torch.rand(5)
        expected = ops.softplus(x)
        assert expected.is_inference()
        ops.softplus_(x)
        assert torch.equal(x, expected)


def test_high_rank() -> None:
    x = torch.rand([2] + [1] * 30 + [3] + [1] * 31 + [2])
    assert x.dim() == 64
    assert torch.equal(ops.softplus(x).flatten(), ops.softplus(x.flatten()))
    assert torch.equal(
        ops.softplus(x.permute(*reversed(range(64)))).flatten(), ops.softplus(x.permute(*reversed(range(64))).flatten())
    )
