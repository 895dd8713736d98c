"""All 65536 values of float16 and of bfloat16: within 1 ulp of the formula in float64, rounded once."""

import math
from collections.abc import Callable

import mpmath
import pytest
import torch

ops = torch.ops.portops
Formula = Callable[[float], float]


def softplus(x: float, beta: float = 1.0, threshold: float = 20.0) -> float:
    p = beta * x
    if not p < threshold:
        return x
    if beta == 0:
        return math.inf  # log(2) / 0
    return max(p, 0) / beta + math.log1p(math.exp(-abs(p))) / beta


def softplus_slope(x: float, beta: float = 1.0, threshold: float = 20.0) -> float:
    p = beta * x
    if not p < threshold:
        return 1.0
    return 1 / (1 + math.exp(-p)) if p > 0 else math.exp(p) / (1 + math.exp(p))


def quotient_angle(v: float, s: float) -> float:
    """v/s less whole turns. Rounding a large quotient to float64 first would move it by many turns."""
    if not math.isfinite(v) or abs(v) < 2**20:
        return v / s
    with mpmath.workprec(300):
        return float(mpmath.fmod(mpmath.mpf(v) / mpmath.mpf(s), 2 * mpmath.pi))


def trig_mix(v: float, s: float) -> float:
    return (math.sin(v) * s + math.cos(quotient_angle(v, s))) ** 2


def trig_mix_slope(v: float, s: float) -> float:
    angle = quotient_angle(v, s)
    return 2 * (math.sin(v) * s + math.cos(angle)) * (math.cos(v) * s - math.sin(angle) / s)


def exp_sin(x: float, a: float = 2.0) -> float:
    return math.exp(a * math.sin(x))


def exp_sin_slope(x: float, a: float = 2.0) -> float:
    return a * math.cos(x) * math.exp(a * math.sin(x))


SOFTPLUS = (ops.softplus, ops.softplus_, softplus, softplus_slope)
TRIG_MIX = (ops.trig_mix, ops.trig_mix_, trig_mix, trig_mix_slope)
EXP_SIN = (ops.exp_sin, ops.exp_sin_, exp_sin, exp_sin_slope)
CASES = [
    (SOFTPLUS, ()),
    (SOFTPLUS, (1.0, 1000.0)),
    (SOFTPLUS, (3.0, 1.0)),
    (SOFTPLUS, (0.5,)),
    (SOFTPLUS, (-1.0,)),
    (SOFTPLUS, (0.0,)),
    (SOFTPLUS, (1.0, math.inf)),
    (TRIG_MIX, (2.5,)),
    (TRIG_MIX, (1,)),
    (TRIG_MIX, (-0.375,)),
    (EXP_SIN, ()),
    (EXP_SIN, (10,)),
    (EXP_SIN, (-0.5,)),
]
cases = pytest.mark.parametrize(
    ("operator", "parameters"), CASES, ids=[f"{case[0][2].__name__}{case[1]}" for case in CASES]
)
halves = pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)


def all_values(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(65536, dtype=torch.int32).to(torch.uint16).view(dtype)


def evaluate(formula: Formula, x: float, parameters: tuple) -> float:
    """The limits at infinity, and NaN where there is none."""
    try:
        return formula(x, *parameters) if x == x else x
    except (ValueError, ZeroDivisionError):  # sin(inf)
        return math.nan
    except OverflowError:  # exp(p) of an infinite result
        return math.inf


def rounded_once(wide: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """To nearest even. Through a float32 that is rounded to odd, since torch's own way by float32 rounds twice."""
    narrow = wide.float()
    above = narrow.double().abs() > wide.abs()
    narrow = torch.where(above, torch.nextafter(narrow, torch.zeros_like(narrow)), narrow)
    inexact = narrow.double() != wide
    odd = (narrow.view(torch.int32) | 1).view(torch.float32)
    return torch.where(inexact & ~wide.isnan(), odd, narrow).to(dtype)


def reference(formula: Formula, x: torch.Tensor, parameters: tuple) -> torch.Tensor:
    wide = [evaluate(formula, value, parameters) for value in x.double().tolist()]
    return rounded_once(torch.tensor(wide, dtype=torch.float64), x.dtype)


def assert_within_ulps(actual: torch.Tensor, expected: torch.Tensor, x: torch.Tensor, ulps: int) -> None:
    assert actual.dtype == expected.dtype
    ordered = [value.view(torch.int16).int() for value in (actual, expected)]
    ordered = [torch.where(bits < 0, -32768 - bits, bits) for bits in ordered]  # neighbours differ by 1; -0 is 0
    distance = (ordered[0] - ordered[1]).abs()
    distance = torch.where(expected.isnan() & actual.isnan(), 0, distance)
    distance = torch.where(expected.isnan() != actual.isnan(), 65536, distance)
    worst = distance.argmax()
    text = f"{(distance > ulps).sum()} values, such as x={x[worst].item()}: {actual[worst]}, not {expected[worst]}"
    assert distance.max() <= ulps, text


def test_the_reference_rounds_once() -> None:
    """A tie in float16 after a first rounding, but not before it."""
    wide = torch.tensor(
        [1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-11, 65520.0, 65519.999, 2.0**-25, 1e300], dtype=torch.float64
    )
    expected = [1 + 2.0**-10, 1.0, math.inf, 65504.0, 0.0, math.inf]
    assert rounded_once(wide, torch.float16).tolist() == expected
    wide = torch.tensor([1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8, 1e-46, math.nan], dtype=torch.float64)
    assert rounded_once(wide, torch.bfloat16).tolist()[:3] == [1 + 2.0**-7, 1.0, 0.0]


@cases
@halves
def test_every_value_is_within_one_ulp(operator: tuple, parameters: tuple, dtype: torch.dtype) -> None:
    functional, _, formula, _ = operator
    x = all_values(dtype)
    assert_within_ulps(functional(x, *parameters), reference(formula, x, parameters), x, 1)


@cases
@halves
def test_every_gradient_is_within_one_ulp(operator: tuple, parameters: tuple, dtype: torch.dtype) -> None:
    functional, _, _, slope = operator
    x = all_values(dtype).requires_grad_()
    (actual,) = torch.autograd.grad(functional(x, *parameters), x, torch.ones_like(x))
    assert_within_ulps(actual, reference(slope, x.detach(), parameters), x.detach(), 1)


@cases
@halves
def test_every_layout_and_form_gives_the_same_bits(operator: tuple, parameters: tuple, dtype: torch.dtype) -> None:
    functional, in_place, _, _ = operator
    x = all_values(dtype)
    expected = functional(x, *parameters).view(torch.int16)

    def assert_same(actual: torch.Tensor) -> None:
        assert torch.equal(actual.contiguous().view(torch.int16).flatten(), expected)

    written = x.clone()
    in_place(written, *parameters)
    assert_same(written)
    spread = torch.stack([x, torch.zeros_like(x)], 1)
    assert_same(functional(spread[:, 0], *parameters))
    in_place(spread[:, 0], *parameters)
    assert_same(spread[:, 0])
    assert (spread[:, 1] == 0).all()
    square = x.view(256, 256).t().contiguous().t()
    assert_same(functional(square, *parameters))
    in_place(square, *parameters)
    assert_same(square)
    shifted = torch.cat([x[:1], x])[1:]
    assert_same(functional(shifted, *parameters))
    parts = [functional(part, *parameters) for part in x.split(997)]
    assert_same(torch.cat(parts))
    out = torch.full((65536, 3), 7.0, dtype=dtype)
    overload = "Scalar_out" if functional is ops.trig_mix else "out"
    getattr(functional, overload)(x, *parameters, out=out[:, 1])
    assert_same(out[:, 1])
    assert (out[:, ::2] == 7).all()


@halves
def test_a_scale_in_a_tensor_is_within_one_ulp(dtype: torch.dtype) -> None:
    x = all_values(dtype)
    for value in (2.5, -0.375):
        mixed, amplified = (reference(formula, x, (value,)) for formula in (trig_mix, exp_sin))
        scales = [torch.tensor(value, dtype=number) for number in (torch.float64, torch.float32, dtype)]
        for scale in (*scales, torch.full((65536,), value, dtype=dtype)):
            assert_within_ulps(ops.trig_mix(x, scale), mixed, x, 1)
            assert_within_ulps(ops.exp_sin.Tensor(x, scale), amplified, x, 1)


def test_large_arguments_of_float16_are_their_own_softplus() -> None:
    x = torch.tensor([11, 11.1015625, 12, 15, 19.984375], dtype=torch.float16, requires_grad=True)
    y = ops.softplus(x, threshold=1000)
    assert_within_ulps(y.detach(), x.detach(), x.detach(), 1)
    (slope,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal(slope, torch.ones_like(slope))
