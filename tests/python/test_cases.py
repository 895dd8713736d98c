"""Values that are exact or were computed to 90 digits, through torch.ops."""

import math

import pytest
import torch
from recurrence_cases import INTEGERS

ops = torch.ops.portops


@pytest.mark.parametrize(
    ("dtype", "values"),
    [(torch.float32, [20, 50, 88.7, 89, 100]), (torch.float16, [11, 11.1015625, 12, 15, 19.984375])],
)
def test_softplus_keeps_large_arguments(dtype: torch.dtype, values: list[float]) -> None:
    x = torch.tensor(values, dtype=dtype)
    y = ops.softplus(x, threshold=1000)
    step = torch.nextafter(x, torch.full_like(x, math.inf)) - x
    assert ((y - x).abs() <= step).all()


def test_softplus_takes_the_right_branch() -> None:
    y = ops.softplus(torch.tensor([0.2736], dtype=torch.float64), 3, 1)
    assert y.item() == pytest.approx(0.3951660952, abs=5e-11)


@pytest.mark.parametrize("length", [4, 17])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_softplus_keeps_nan_and_infinity(length: int, dtype: torch.dtype) -> None:
    values = torch.tensor([math.nan, math.inf, -math.inf, -math.nan], dtype=dtype)
    expected = torch.tensor([math.nan, math.inf, 0, math.nan], dtype=dtype)
    y = ops.softplus(values.repeat(5)[:length])
    assert torch.equal(y.isnan(), expected.repeat(5)[:length].isnan())
    assert torch.equal(y.nan_to_num(7, 8, 9), expected.repeat(5)[:length].nan_to_num(7, 8, 9))


def test_trig_mix_reduces_large_angles() -> None:
    v = torch.tensor([1e9, 1e10, 1e20, 1e30, 16793388])
    expected = torch.tensor([1.9147105, 0.1486979, 1.9904581, 1.9677588, 1.4655945])
    for y in (ops.trig_mix(v, 1), ops.trig_mix(v, torch.tensor(1.0)), ops.trig_mix(v, torch.ones(5))):
        assert torch.allclose(y, expected, rtol=0, atol=1.5e-7)


def test_trig_mix_holds_for_the_derivative_case() -> None:
    y = ops.trig_mix(torch.tensor([1.0], dtype=torch.float64), 2)
    assert y.item() == pytest.approx(6.55628588, abs=5e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("delays", "expected"),
    [
        ([1] * 6, [1, 1.5, 2.25, 3.125, 4.0625, 5.03125]),
        ([100] * 6, [1, 1.5, 2, 2.5, 3, 3.5]),
        ([1, 1, 2, 2, 1, 3], [1, 1.5, 2, 2.75, 3.875, 4]),
    ],
)
def test_delay_line_gives_the_exact_cases(dtype: torch.dtype, delays: list[int], expected: list[float]) -> None:
    x = torch.arange(1, 7, dtype=dtype)
    for integer in INTEGERS:
        y = ops.delay_line(x, torch.tensor(delays, dtype=integer), 0.5)
        assert y.tolist() == expected
    ops.delay_line_(x, torch.tensor(delays))
    assert x.tolist() == expected


def test_delay_line_has_no_race() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(8)
    try:
        x, d = torch.ones(3, 100000), torch.ones((), dtype=torch.int64)
        first = ops.delay_line(x, d, 0.999)
        assert (first - 1).abs().max() <= 1e-5
        assert all(torch.equal(ops.delay_line(x, d, 0.999), first) for _ in range(100))
    finally:
        torch.set_num_threads(threads)


def test_expanded_output_is_refused_and_unchanged() -> None:
    out = torch.full((1,), 5.0).expand(10)
    with pytest.raises((RuntimeError, ValueError), match=r"portops::softplus.*overlap"):
        ops.softplus.out(torch.rand(10), out=out)
    assert (out == 5).all()


def test_a_python_number_keeps_the_accuracy_of_float64() -> None:
    x = torch.rand(100, dtype=torch.float64)
    expected = torch.exp(0.1 * torch.sin(x))
    assert torch.allclose(ops.exp_sin(x, 0.1), expected, rtol=1e-15, atol=0)
    assert torch.allclose(ops.exp_sin(x, torch.tensor(0.1, dtype=torch.float64)), expected, rtol=1e-15, atol=0)


def test_the_number_and_the_tensor_form_agree() -> None:
    for dtype, tolerance in ((torch.float32, 5e-7), (torch.float64, 1e-15)):
        x = torch.rand(1000, dtype=dtype) * 6 - 3
        two = torch.tensor(2.0, dtype=dtype)
        assert torch.allclose(ops.exp_sin(x, 2), ops.exp_sin(x, two), rtol=tolerance, atol=0)
        assert torch.equal(ops.trig_mix(x, 2), ops.trig_mix(x, two.expand(1000)))
