"""lfilter beside torchaudio's and SciPy's, its derivatives, and what torch asks of an operator."""

import numpy as np
import pytest
import scipy.signal
import torch
import torchaudio.functional as reference
from torch.library import opcheck

ops = torch.ops.portops
SHAPES = [(400,), (2, 300), (3, 2, 129), (17, 128), (1, 1), (4, 0)]


def stable_filter(order, filters=(), dtype=torch.float64):
    """Poles within a circle of radius 0.8, a[0] other than 1."""
    rows = []
    for _ in range(int(np.prod(filters))):
        pairs = torch.polar(0.8 * torch.rand(order // 2).sqrt(), 3.1 * torch.rand(order // 2)).numpy()
        single = 1.6 * torch.rand(order % 2).numpy() - 0.8
        rows.append(1.5 * np.poly(np.concatenate([pairs, pairs.conj(), single])).real)
    a = torch.tensor(np.array(rows), dtype=dtype).reshape(*filters, order + 1)
    return a, torch.randn(*filters, order + 1, dtype=dtype)


def noise(*shape, dtype=torch.float64):
    return torch.rand(shape, dtype=dtype) * 2 - 1


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("clamp", [True, False])
def test_equals_torchaudio_in_float64(shape, order, clamp):
    a, b = stable_filter(order)
    x = noise(*shape)
    # Both round once per step; poles within 0.8 let that grow by less than a hundred.
    expected = reference.lfilter(x, a, b, clamp=clamp) if x.numel() else x
    torch.testing.assert_close(ops.lfilter(x, a, b, clamp), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("batching", [True, False])
def test_equals_torchaudio_with_a_filter_per_row(batching):
    a, b = stable_filter(3, (4,))
    for shape in [(50,), (3, 50), (2, 3, 50)]:
        x = noise(*shape[:-1], *([4] if batching else []), shape[-1])
        expected = reference.lfilter(x, a, b, batching=batching)
        torch.testing.assert_close(ops.lfilter(x, a, b, True, batching), expected, rtol=0, atol=1e-12)
        out = torch.empty_like(expected)
        ops.lfilter.out(x, a, b, True, batching, out=out)
        assert torch.equal(out, ops.lfilter(x, a, b, True, batching))


def test_float32_is_as_near_to_the_exact_filter_as_its_rounding():
    """A lowpass at 40 Hz, whose poles multiply rounding errors by thousands where the past is kept in float32."""
    b, a = (torch.tensor(c, dtype=torch.float32) for c in scipy.signal.butter(2, 40 / 22050))
    x = noise(2, 44100, dtype=torch.float32)
    exact = scipy.signal.lfilter(b.double().numpy(), a.double().numpy(), x.double().numpy())
    error = np.abs(ops.lfilter(x, a, b).double().numpy() - exact)
    assert (error <= 2.0**-24 * np.abs(exact) + 1e-12).all()


def test_equals_scipy():
    b, a = (torch.tensor(c) for c in scipy.signal.cheby1(6, 1, 0.2))
    x = noise(3, 1000)
    expected = scipy.signal.lfilter(b.numpy(), a.numpy(), x.numpy())
    torch.testing.assert_close(ops.lfilter(x, a, b, False), torch.tensor(expected), rtol=0, atol=1e-11)


BIQUADS = {
    "allpass_biquad": (440.0,),
    "band_biquad": (440.0,),
    "bandpass_biquad": (440.0,),
    "bandreject_biquad": (440.0,),
    "bass_biquad": (6.0,),
    "equalizer_biquad": (440.0, 6.0),
    "highpass_biquad": (440.0,),
    "lowpass_biquad": (440.0,),
    "treble_biquad": (6.0,),
    "riaa_biquad": (),
    "deemph_biquad": (),
}


@pytest.mark.parametrize("name", BIQUADS)
def test_serves_the_biquads_of_torchaudio(name, monkeypatch):
    x, biquad = noise(2, 2000), getattr(reference, name)
    expected = biquad(x, 44100, *BIQUADS[name])
    calls = []

    def ours(*args, **kwargs):
        calls.append(args)
        return ops.lfilter(*args, **kwargs)

    monkeypatch.setattr(reference.filtering, "lfilter", ours)
    torch.testing.assert_close(biquad(x, 44100, *BIQUADS[name]), expected, rtol=0, atol=1e-10)
    assert len(calls) == 1


@pytest.mark.parametrize("clamp", [True, False])
@pytest.mark.parametrize("batching", [True, False])
def test_has_the_gradients_of_torchaudio(clamp, batching):
    a, b = stable_filter(2, (3,))
    x = noise(2, 3, 60) if batching else noise(2, 60)
    grads = []
    for lfilter in (ops.lfilter, reference.lfilter):
        leaves = [tensor.clone().requires_grad_() for tensor in (x, a, b)]
        result = lfilter(*leaves, clamp, batching)
        weights = torch.linspace(-1, 1, result.numel(), dtype=torch.float64).reshape(result.shape)
        grads.append(torch.autograd.grad((result * weights).sum(), leaves))
    for ours, theirs in zip(*grads, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("filters", [(), (2,)])
def test_derivatives_are_those_of_finite_differences(filters):
    a, b = stable_filter(2, filters)
    leaves = [tensor.requires_grad_() for tensor in (noise(2, 9), a, b)]

    def lfilter(*tensors):
        return ops.lfilter(*tensors, False)

    assert torch.autograd.gradcheck(lfilter, leaves, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(lfilter, leaves)


def test_float32_gradients_are_those_of_float64():
    a, b = stable_filter(2, dtype=torch.float32)
    leaves = [tensor.requires_grad_() for tensor in (noise(2, 500, dtype=torch.float32), a, b)]
    wide = [tensor.detach().double().requires_grad_() for tensor in leaves]
    narrow_grads = torch.autograd.grad(ops.lfilter(*leaves).sum(), leaves)
    wide_grads = torch.autograd.grad(ops.lfilter(*wide).sum(), wide)
    # Computed in float64; each row's gradient is rounded, then two rows are added.
    for narrow, exact in zip(narrow_grads, wide_grads, strict=True):
        torch.testing.assert_close(narrow, exact.float(), rtol=2**-22, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_are_rounded_once(dtype):
    a, b = stable_filter(2, dtype=dtype)
    x = noise(3, 70, dtype=dtype)
    assert torch.equal(ops.lfilter(x, a, b), ops.lfilter(x.double(), a.double(), b.double()).to(dtype))


def test_bits_do_not_depend_on_rows_and_threads():
    a, b = stable_filter(4, dtype=torch.float32)
    x = noise(37, 3000, dtype=torch.float32)
    rows = torch.stack([ops.lfilter(row, a, b) for row in x])
    threads = torch.get_num_threads()
    try:
        for count in (1, 2, 3, 4):
            torch.set_num_threads(count)
            assert torch.equal(ops.lfilter(x, a, b), rows)
            assert torch.equal(ops.lfilter(x.t().contiguous().t(), a, b), rows)
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("batching", [True, False])
def test_is_an_operator_as_torch_asks(batching):
    a, b = stable_filter(2, (3,))
    x = (noise(2, 3, 20) if batching else noise(2, 20)).requires_grad_()
    opcheck(ops.lfilter.default, (x, a, b, True, batching))
    batched = torch.vmap(lambda row: ops.lfilter(row, a, b, True, batching))(x.detach())
    assert torch.equal(batched, ops.lfilter(x.detach(), a, b, True, batching))
    compiled = torch.compile(lambda t: ops.lfilter(t, a, b, True, batching).sum(), fullgraph=True, backend="aot_eager")
    (grad,) = torch.autograd.grad(compiled(x), x)
    torch.testing.assert_close(grad, torch.autograd.grad(ops.lfilter(x, a, b, True, batching).sum(), x)[0])


@pytest.mark.parametrize(
    ("x", "a", "b", "text"),
    [
        (noise(9), noise(3), noise(4), "same number of coefficients (got a_coeffs=3, b_coeffs=4)"),
        (noise(2, 9), noise(3, 3), noise(3, 3), "argument=a_coeffs"),
        (noise(9), noise(0), noise(0), "at least one coefficient"),
        (noise(), noise(3), noise(3), "must have a time axis (got argument=waveform, rank=0)"),
        (torch.ones(9, dtype=torch.int32), noise(3), noise(3), "argument=waveform, dtype="),
        (noise(9) + 0j, noise(3), noise(3), "argument=waveform, dtype=complex128"),
    ],
)
def test_refuses_what_does_not_fit(x, a, b, text):
    for device in ("cpu", "meta"):
        with pytest.raises(ValueError, match=r"portops::lfilter: ") as caught:
            ops.lfilter(x.to(device), a.to(device), b.to(device))
        assert text in str(caught.value)
