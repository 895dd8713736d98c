"""Complex signals and coefficients in the recurrences."""

import pytest
import torch

ops = torch.ops.portops


def noise(*shape, dtype=torch.complex128):
    return torch.randn(shape, dtype=dtype)


def delays_of(*shape, least=1, most=6):
    return torch.randint(least, most, shape)


def taps_loop(x, coefficients, delays, history=None):
    """One row."""
    history = [] if history is None else list(history)
    y = []
    for i in range(len(x)):
        total = x[i]
        for k in range(coefficients.shape[-1]):
            j = i - int(delays[i, k])
            if j >= 0:
                total = total + coefficients[i, k] * y[j]
            elif history:
                total = total + coefficients[i, k] * history[max(0, len(history) + j)]
        y.append(total)
    return torch.stack(y)


def test_recurrence_is_the_plain_loop():
    x, c, d, h = noise(2, 40), noise(40, 3) / 4, delays_of(2, 40, 3), noise(2, 4)
    expected = torch.stack([taps_loop(x[row], c, d[row], h[row]) for row in range(2)])
    y, last = ops.recurrence(x, c, d, h)
    # Gains below one in sum: a few roundings of 2**-52.
    torch.testing.assert_close(y, expected, rtol=1e-13, atol=1e-13)
    assert torch.equal(last, y[:, -4:])
    narrow = ops.recurrence(x.to(torch.complex64), c.to(torch.complex64), d, h.to(torch.complex64))[0]
    torch.testing.assert_close(narrow.to(torch.complex128), expected, rtol=1e-4, atol=1e-4)


def test_real_and_complex_promote():
    x, c, d = noise(30), noise(30, 2) / 4, delays_of(30, 2)
    assert ops.recurrence(x.real, c, d)[0].dtype == torch.complex128
    torch.testing.assert_close(ops.recurrence(x.real, c, d)[0], ops.recurrence(x.real + 0j, c, d)[0])
    torch.testing.assert_close(ops.recurrence(x, c.real, d)[0], ops.recurrence(x, c.real + 0j, d)[0])
    mixed = ops.delay_line.Tensor(x.real.float(), d[:, 0], c[:, 0].to(torch.complex64))
    assert mixed.dtype == torch.complex64


def test_real_signals_give_the_bits_of_the_real_operator():
    x, d = noise(3, 50), delays_of(50, least=0)
    y = ops.delay_line(x, d, 0.7)
    for part in ("real", "imag"):
        plain = ops.delay_line(getattr(x, part).contiguous(), d, 0.7)
        torch.testing.assert_close(getattr(y, part), plain, rtol=1e-14, atol=1e-14)


def test_conjugated_input_is_resolved():
    x, c, d = noise(20), noise(20, 2) / 4, delays_of(20, 2)
    assert torch.equal(ops.recurrence(x.conj(), c, d)[0], ops.recurrence(x.conj().resolve_conj(), c, d)[0])


CASES = {
    "delay_line": (lambda x: ops.delay_line(x, delays_of(9, least=0), 0.6), [(2, 9)]),
    "mix": (lambda x, g: ops.delay_line.Tensor(x, torch.tensor([0, 1, 2, 1, 1, 3, 2, 9, 1]), g), [(2, 9), (9,)]),
    "stream": (lambda x, h: ops.delay_line_stream(x, torch.arange(9) % 4, h, 0.6), [(2, 9), (2, 3)]),
    "recurrence": (lambda x, c, h: ops.recurrence(x, c, torch.arange(1, 3), h), [(2, 9), (9, 2), (2, 3)]),
    "allpole": (lambda x, a, i: ops.allpole(x, a, i), [(2, 9), (2, 9, 2), (2, 2)]),
}


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_those_of_finite_differences(name):
    call, shapes = CASES[name]
    leaves = [(noise(*shape) / 2).requires_grad_() for shape in shapes]

    def seeded(*tensors):
        torch.manual_seed(1)
        return call(*tensors)

    assert torch.autograd.gradcheck(seeded, leaves, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(seeded, leaves)


def test_gradient_of_a_real_argument_is_real():
    x, c, d = noise(30), (torch.rand(30, 2, dtype=torch.float64) / 4).requires_grad_(), delays_of(30, 2)
    weights = noise(30)
    (grad,) = torch.autograd.grad((ops.recurrence(x, c, d)[0] * weights).sum().real, c)
    wide = (c.detach() + 0j).requires_grad_()
    (expected,) = torch.autograd.grad((ops.recurrence(x, wide, d)[0] * weights).sum().real, wide)
    torch.testing.assert_close(grad, expected.real)


def test_a_complex_result_is_not_written_to_real_memory():
    x, c, d = noise(8), noise(8, 1), delays_of(8, 1)
    with pytest.raises(ValueError, match="portops::recurrence: .*Complex"):
        ops.recurrence.out(x, c, d, out0=torch.empty(8, dtype=torch.float64), out1=torch.empty(0, dtype=torch.float64))
    with pytest.raises(ValueError, match="portops::lfilter: .*complex128"):
        ops.lfilter(x, torch.ones(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64))
