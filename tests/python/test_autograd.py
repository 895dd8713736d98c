"""Gradients of first and second order, in reverse and forward mode, are those of the formulas."""

import itertools
import math

import mpmath
import pytest
import torch
from composites import FORMULAS, ONE, TWO, Formula, exp_sin, inputs_of, mix, seeded
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.forward_ad import dual_level, make_dual, unpack_dual
from torch.utils._python_dispatch import TorchDispatchMode

ops = torch.ops.portops
formulas = pytest.mark.parametrize("formula", FORMULAS, ids=str)


def check_both_orders(call, inputs: list[torch.Tensor]) -> None:
    leaves = tuple(tensor.detach().requires_grad_() for tensor in inputs)
    every = {"check_batched_grad": True, "check_forward_ad": True, "check_undefined_grad": True}
    assert gradcheck(call, leaves, check_batched_forward_grad=True, **every)
    assert gradgradcheck(call, leaves, check_fwd_over_rev=True, check_rev_over_rev=True, check_batched_grad=True)


@formulas
@pytest.mark.parametrize("sizes", [(), (5,), (2, 3), (0, 3)], ids=str)
def test_derivatives_are_those_of_finite_differences(formula: Formula, sizes: tuple[int, ...]) -> None:
    check_both_orders(formula.call, inputs_of(formula, *sizes))


@pytest.mark.parametrize("formula", TWO, ids=str)
@pytest.mark.parametrize(
    ("left", "right"), [((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 3), ()), ((), (2, 3)), ((1,), (3,)), ((2, 1, 2), (3, 1))]
)
def test_gradients_of_broadcast_inputs_are_summed_to_their_shape(formula: Formula, left, right) -> None:
    check_both_orders(formula.call, [seeded(*left), seeded(*right, seed=8).abs() + 1])


@formulas
def test_inputs_may_be_strided(formula: Formula) -> None:
    inputs = inputs_of(formula, 6, 4)
    check_both_orders(lambda *x: formula.call(*(tensor[::2].t() for tensor in x)), inputs)


@formulas
@pytest.mark.parametrize("layout", ["expanded", "transposed", "every second column", "0-dim expanded"])
def test_incoming_gradients_may_have_any_layout(formula: Formula, layout: str) -> None:
    gradient = {
        "expanded": seeded(4, 1).expand(4, 5),
        "transposed": seeded(5, 4).t(),
        "every second column": seeded(4, 10)[:, ::2],
        "0-dim expanded": torch.tensor(1.5, dtype=torch.float64).expand(4, 5),
    }[layout]
    inputs = [tensor.requires_grad_() for tensor in inputs_of(formula, 4, 5)]
    actual = torch.autograd.grad(formula.call(*inputs), inputs, gradient)
    expected = torch.autograd.grad(formula.composite(*inputs), inputs, gradient)
    torch.testing.assert_close(actual, expected)


@formulas
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_narrow_types_have_the_gradient_of_float64(formula: Formula, dtype: torch.dtype) -> None:
    inputs = [tensor.requires_grad_() for tensor in inputs_of(formula, 300, dtype=dtype)]
    wide = [tensor.detach().double().requires_grad_() for tensor in inputs]
    actual = torch.autograd.grad(formula.call(*inputs).sum(), inputs)
    expected = torch.autograd.grad(formula.composite(*wide).sum(), wide)
    tolerance = 8 * torch.finfo(dtype).eps
    for left, right in zip(actual, expected, strict=True):
        assert left.dtype == dtype
        largest = right.abs().max().item()
        torch.testing.assert_close(left.double(), right, rtol=tolerance, atol=tolerance * largest)


def test_the_gradient_is_that_of_the_branch_of_the_forward() -> None:
    x = torch.tensor(0.2736, dtype=torch.float64, requires_grad=True)
    y = ops.softplus(x, 3.0, 1.0)
    (gradient,) = torch.autograd.grad(y, x)
    assert y.item() == pytest.approx(0.3951660952, abs=5e-11)
    assert gradient.item() == pytest.approx(0.6944061315, abs=5e-11)


def test_mixed_derivative() -> None:
    v, s = (torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in (1.0, 2.0))
    y = ops.trig_mix(v, s)
    along_v, along_s = torch.autograd.grad(y, (v, s), create_graph=True)
    assert (y.item(), along_v.item(), along_s.item()) == pytest.approx((6.55628588, 4.30624838, 4.92300462), abs=5e-9)
    (ours,) = torch.autograd.grad(along_v, s, retain_graph=True)
    (swapped,) = torch.autograd.grad(along_s, v)
    assert ours.item() == pytest.approx(swapped.item(), rel=1e-12)
    (slope,) = torch.autograd.grad(mix(v, s), v, create_graph=True)
    assert ours.item() == pytest.approx(torch.autograd.grad(slope, s)[0].item(), rel=1e-12)


def test_second_derivative() -> None:
    x = torch.tensor([0.3, 1, -2], dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(ops.exp_sin(x, 2).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(gradient.sum(), x)
    assert second.tolist() == pytest.approx([5.5252841, -2.7726708, 0.4074687], abs=5e-8)


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-3, -1e-3, 30.0, -30.0, 800.0, -800.0, math.inf, -math.inf])
def test_second_derivative_of_softplus(value: float) -> None:
    x = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(ops.softplus(x, 2.0, 1000.0), x, create_graph=True)
    (second,) = torch.autograd.grad(gradient, x)
    tail = math.exp(-2 * abs(value))
    assert second.item() == pytest.approx(2 * tail / (1 + tail) ** 2, rel=1e-12)


@pytest.mark.parametrize("length", [4, 17])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_gradient_of_softplus_at_nan_and_infinity(length: int, dtype: torch.dtype) -> None:
    values = torch.tensor([math.nan, math.inf, -math.inf, -math.nan], dtype=dtype).repeat(5)[:length]
    expected = torch.tensor([math.nan, 1, 0, math.nan], dtype=dtype).repeat(5)[:length]
    x = values.clone().requires_grad_()
    ops.softplus(x).sum().backward()
    torch.testing.assert_close(x.grad, expected, rtol=0, atol=0, equal_nan=True)
    with dual_level():
        tangent = unpack_dual(ops.softplus(make_dual(values, torch.ones_like(values)))).tangent
        torch.testing.assert_close(tangent, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (torch.float32, [20, 50, 88.7, 89, 100, 3e38]),
        (torch.float16, [11, 11.1015625, 12, 15, 19.984375, 65504]),
    ],
)
@pytest.mark.parametrize("threshold", [20.0, 1000.0, math.inf])
def test_gradient_of_softplus_is_one_for_large_arguments(dtype: torch.dtype, values, threshold: float) -> None:
    x = torch.tensor(values, dtype=dtype, requires_grad=True)
    ops.softplus(x, 1.0, threshold).sum().backward()
    assert torch.equal(x.grad, torch.ones(len(values), dtype=dtype))


@pytest.mark.parametrize(("dtype", "exponent"), [(torch.float32, 66), (torch.float64, 520)], ids=str)
def test_an_infinite_slope_of_one_argument_does_not_reach_the_other(dtype: torch.dtype, exponent: int) -> None:
    """v/s is 2^exponent, exactly: the derivative along s overflows, that along v is finite."""
    with mpmath.workprec(1500):
        quotient, scale = mpmath.mpf(2) ** exponent, mpmath.mpf(2) ** -exponent
        total = mpmath.sin(1) * scale + mpmath.cos(quotient)
        expected = float(2 * total * (mpmath.cos(1) * scale - mpmath.sin(quotient) / scale))
    v, s = torch.ones(3, dtype=dtype), torch.full((3,), 2.0**-exponent, dtype=dtype)
    for both in (False, True):
        x, scales = v.clone().requires_grad_(), s.clone().requires_grad_(both)
        gradient = torch.autograd.grad(ops.trig_mix(x, scales), (x, scales) if both else (x,), torch.ones_like(x))
        assert gradient[0].tolist() == pytest.approx([expected] * 3, rel=1e-5)
    with dual_level():
        tangent = unpack_dual(ops.trig_mix(make_dual(v, torch.ones_like(v)), s)).tangent
    assert tangent.tolist() == pytest.approx([expected] * 3, rel=1e-5)


def test_a_gradient_is_finite_where_the_result_overflows() -> None:
    """exp(100) is infinite in float32; times the cosine of nearly pi/2 it is not."""
    x = torch.tensor(math.pi / 2, requires_grad=True)
    (gradient,) = torch.autograd.grad(ops.exp_sin(x, 100.0), x)
    wide = x.detach().double().requires_grad_()
    (expected,) = torch.autograd.grad(exp_sin(wide, 100.0), wide)
    assert gradient.item() == pytest.approx(expected.item(), rel=1e-4)


class Recorder(TorchDispatchMode):
    """The calls of portops' derivative operators, with the flags of what is needed."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, list[bool], int]] = []

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        result = function(*arguments, **(keywords or {}))
        if function.namespace == "portops":
            flags = [list(flag) for flag in arguments if isinstance(flag, list) and flag and isinstance(flag[0], bool)]
            count = len(result) if isinstance(result, list) else 1
            self.calls.append((function._schema.name.split("::")[1], flags[0] if flags else [], count))
        return result


@pytest.mark.parametrize("formula", TWO, ids=str)
@pytest.mark.parametrize("needed", [(True, False), (False, True), (True, True)])
def test_only_the_needed_gradients_are_computed(formula: Formula, needed: tuple[bool, bool]) -> None:
    inputs = [x.requires_grad_(need) for x, need in zip(inputs_of(formula, 3, 4), needed, strict=True)]
    with Recorder() as recorder:
        formula.call(*inputs).sum().backward()
    assert [call[0] for call in recorder.calls] == [formula.name.removesuffix("_tensor")] + [recorder.calls[-1][0]]
    name, flags, count = recorder.calls[-1]
    assert name.endswith("_vjp")
    assert (flags, count) == (list(needed), sum(needed))
    assert [x.grad is not None for x in inputs] == list(needed)


def test_a_leaf_that_is_not_asked_for_costs_nothing() -> None:
    v, s = (tensor.requires_grad_() for tensor in inputs_of(TWO[0], 3))
    y = ops.trig_mix(v, s)
    with Recorder() as recorder:
        torch.autograd.grad(y.sum(), s)
    assert recorder.calls == [("trig_mix_vjp", [False, True], 1)]


@pytest.mark.parametrize("formula", TWO, ids=str)
def test_each_gradient_has_the_dtype_and_shape_of_its_argument(formula: Formula) -> None:
    dtypes = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
    shapes = [((3, 4), ()), ((), (3, 4)), ((3, 4), (4,)), ((3, 4), (3, 4)), ((), ())]
    for left, right, (first, second) in itertools.product(dtypes, dtypes, shapes):
        x = seeded(*first, dtype=left).requires_grad_()
        s = (seeded(*second, seed=8).abs() / 2 + 1).to(right).requires_grad_()
        y, expected = formula.call(x, s), formula.composite(x.detach().double(), s.detach().double())
        assert y.dtype == torch.result_type(x, s)
        tolerance = 8 * torch.finfo(y.dtype).eps
        torch.testing.assert_close(y.double(), expected, rtol=tolerance, atol=tolerance)
        y.sum().backward()
        for tensor in (x, s):
            assert (tensor.grad.dtype, tensor.grad.shape) == (tensor.dtype, tensor.shape)


@pytest.mark.parametrize("integer", [torch.int64, torch.uint8, torch.bool], ids=str)
def test_an_integer_argument_has_no_gradient(integer: torch.dtype) -> None:
    s = torch.tensor([1.5, 2.5], requires_grad=True)
    v = torch.tensor([1, 0], dtype=integer)
    (gradient,) = torch.autograd.grad(ops.trig_mix(v, s).sum(), s, create_graph=True)
    (second,) = torch.autograd.grad(gradient.sum(), s)
    (expected,) = torch.autograd.grad(mix(v, s).sum(), s, create_graph=True)
    torch.testing.assert_close(gradient, expected)
    torch.testing.assert_close(second, torch.autograd.grad(expected.sum(), s)[0])
    assert ONE[0].call(v).requires_grad is False
