"""Gradients of the recurrences, of first and second order, are those of the same loop of torch's own operators."""

import itertools

import pytest
import torch
from recurrence_cases import CASES, Case, as_tuple, delay_line, ops
from torch.autograd import grad, gradcheck, gradgradcheck
from torch.autograd.forward_ad import dual_level, make_dual, unpack_dual

cases = pytest.mark.parametrize("case", CASES, ids=str)


def total(result) -> torch.Tensor:
    """Every output counts, each by another weight."""
    return sum((torch.linspace(0.5, 2, y.numel(), dtype=y.dtype).reshape(y.shape) * y).sum() for y in as_tuple(result))


@cases
def test_derivatives_are_those_of_finite_differences(case: Case) -> None:
    delays = case.delays_of(5)
    every = {"check_batched_grad": True, "check_forward_ad": True, "check_undefined_grad": True}
    assert gradcheck(lambda *x: case.call(delays, *x), tuple(case.leaves(5)), check_batched_forward_grad=True, **every)


@cases
def test_second_derivatives_are_those_of_finite_differences(case: Case) -> None:
    delays = case.delays_of(4)
    assert gradgradcheck(
        lambda *x: case.call(delays, *x), tuple(case.leaves(4)), check_fwd_over_rev=True, check_batched_grad=True
    )


@cases
def test_derivatives_are_those_of_the_loop(case: Case) -> None:
    delays, leaves = case.delays_of(12), case.leaves(12)
    ours, loops = case.call(delays, *leaves), case.loop(delays, *leaves)
    torch.testing.assert_close(ours, loops)
    torch.testing.assert_close(grad(total(ours), leaves), grad(total(loops), leaves))
    inputs = [tensor.detach() for tensor in leaves]
    with dual_level():
        duals = [make_dual(tensor, tensor.flip(-1) + 1) if tensor.dim() else tensor for tensor in inputs]
        for ours, loops in zip(as_tuple(case.call(delays, *duals)), as_tuple(case.loop(delays, *duals)), strict=True):
            torch.testing.assert_close(unpack_dual(ours).tangent, unpack_dual(loops).tangent)


@cases
def test_only_some_inputs_may_need_a_gradient(case: Case) -> None:
    delays = case.delays_of(8)
    count = len(case.inputs(8))
    for needed in itertools.product((False, True), repeat=count):
        if not any(needed):
            continue
        inputs = [tensor.requires_grad_(need) for tensor, need in zip(case.inputs(8), needed, strict=True)]
        wanted = [tensor for tensor in inputs if tensor.requires_grad]
        ours = grad(total(case.call(delays, *inputs)), wanted)
        torch.testing.assert_close(ours, grad(total(case.loop(delays, *inputs)), wanted))


def test_the_gradient_of_the_sum_is_exact() -> None:
    x = torch.arange(1.0, 7).requires_grad_()
    g = torch.tensor(0.5, requires_grad=True)
    y = ops.delay_line.Tensor(x, torch.tensor([1, 1, 2, 2, 1, 3]), g)
    dx, dg = grad(y.sum(), (x, g))
    assert (dx.tolist(), dg.item()) == ([2.625, 0.875, 0.75, 0.75, 0.5, 0.5], -14.75)
    (dx,) = grad(ops.delay_line(x, torch.tensor([1, 1, 2, 2, 1, 3])).sum(), x)
    assert dx.tolist() == [2.625, 0.875, 0.75, 0.75, 0.5, 0.5]


@cases
@pytest.mark.parametrize("layout", ["expanded", "transposed", "every second"])
def test_incoming_gradients_may_have_any_layout(case: Case, layout: str) -> None:
    def gradient(y: torch.Tensor) -> torch.Tensor:
        count = y.shape[-1]
        values = torch.linspace(-1, 1, 4 * count, dtype=torch.float64)
        return {
            "expanded": values[:1].expand(y.shape),
            "transposed": values[: 2 * count].reshape(count, 2).t(),
            "every second": values.reshape(2, 2 * count)[:, ::2],
        }[layout]

    delays, leaves = case.delays_of(8), case.leaves(8)
    ours, loops = as_tuple(case.call(delays, *leaves)), as_tuple(case.loop(delays, *leaves))
    gradients = [gradient(y) for y in ours]
    torch.testing.assert_close(grad(ours, leaves, gradients), grad(loops, leaves, gradients))


@cases
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_narrow_types_have_the_gradient_of_float64(case: Case, dtype: torch.dtype) -> None:
    delays, leaves = case.delays_of(60), case.leaves(60, dtype)
    wide = [tensor.detach().double().requires_grad_() for tensor in leaves]
    ours, loops = as_tuple(case.call(delays, *leaves)), as_tuple(case.loop(delays, *wide))
    # Incoming gradients of 1 are the same in every type. Sums over a row grow with its length, not the tolerance.
    actual = grad(ours, leaves, [torch.ones_like(y) for y in ours])
    expected = grad(loops, wide, [torch.ones_like(y) for y in loops])
    tolerance = 8 * torch.finfo(dtype).eps
    for left, right, leaf in zip(actual, expected, leaves, strict=True):
        assert (left.dtype, left.shape) == (dtype, leaf.shape)
        torch.testing.assert_close(left.double(), right, rtol=tolerance, atol=tolerance * right.abs().max().item())


@cases
def test_inputs_may_be_strided(case: Case) -> None:
    delays, inputs = case.delays_of(8), case.inputs(8)
    strided = [torch.stack([tensor, tensor], -1)[..., 0].requires_grad_() for tensor in inputs]
    plain = [tensor.requires_grad_() for tensor in inputs]
    actual, expected = (grad(total(case.call(delays, *leaves)), leaves) for leaves in (strided, plain))
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)


@pytest.mark.parametrize("number", [False, True])
def test_in_place_has_the_gradient_of_the_functional_form(number: bool) -> None:
    d = torch.tensor([0, 1, 1, 2, 4])
    x, g = torch.rand(3, 5, dtype=torch.float64), torch.rand(3, 1, dtype=torch.float64)
    leaves = (x.requires_grad_(),) if number else (x.requires_grad_(), g.requires_grad_())

    def written(x: torch.Tensor, g: torch.Tensor | None = None) -> torch.Tensor:
        square = x * x
        ops.delay_line_(square, d, 0.3) if g is None else ops.delay_line_.Tensor(square, d, g)
        return square

    def loop(x: torch.Tensor, g: torch.Tensor | float = 0.3) -> torch.Tensor:
        return delay_line(x * x, d, g)

    torch.testing.assert_close(grad(total(written(*leaves)), leaves), grad(total(loop(*leaves)), leaves))
    assert gradcheck(written, leaves, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(written, leaves)


def test_in_place_on_a_leaf_is_refused_as_torch_does() -> None:
    x = torch.rand(5, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        ops.delay_line_(x, torch.tensor(1))


@cases
def test_rows_without_samples_have_gradients(case: Case) -> None:
    leaves = case.leaves(0)
    results = as_tuple(case.call(case.delays_of(0), *leaves))
    gradients = grad(results, leaves, [torch.full_like(y, 2.0) for y in results], allow_unused=True)
    for leaf, gradient in zip(leaves, gradients, strict=True):
        is_history = len(results) == 2 and leaf.shape == results[1].shape
        assert torch.equal(gradient, torch.full_like(leaf, 2.0 if is_history else 0.0))


@cases
def test_gradients_have_the_same_bits_for_any_thread_count(case: Case) -> None:
    threads = torch.get_num_threads()
    delays, leaves = case.delays_of(9000), case.leaves(9000, torch.float32)
    try:
        torch.set_num_threads(1)
        expected = grad(total(case.call(delays, *leaves)), leaves)
        for count in (1, 2, 8):
            torch.set_num_threads(count)
            torch.testing.assert_close(grad(total(case.call(delays, *leaves)), leaves), expected, rtol=0, atol=0)
    finally:
        torch.set_num_threads(threads)


def test_delays_have_no_gradient() -> None:
    x, d = torch.rand(5, requires_grad=True), torch.ones(5, dtype=torch.int64)
    y = ops.delay_line(x, d)
    assert [edge[0] is None for edge in y.grad_fn.next_functions] == [False, True]
    with pytest.raises((RuntimeError, ValueError), match=r"portops::delay_line.*delays"):
        ops.delay_line_vjp([x.detach()], [x.detach(), d], 0.5, [True, True])


@cases
def test_a_graph_is_used_once_and_third_derivatives_raise_by_name(case: Case) -> None:
    delays, leaves = case.delays_of(5), case.leaves(5)
    y = total(case.call(delays, *leaves))
    grad(y, leaves)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        grad(y, leaves)
    first = grad(total(case.call(delays, *leaves)), leaves, create_graph=True)
    second = grad(sum((slope**2).sum() for slope in first), leaves, create_graph=True)
    try:
        third = grad(sum((slope**2).sum() for slope in second), leaves)
    except RuntimeError as error:
        assert "portops::" in str(error) and "not implemented" in str(error)
        return
    first = grad(total(case.loop(delays, *leaves)), leaves, create_graph=True)
    second = grad(sum((slope**2).sum() for slope in first), leaves, create_graph=True)
    torch.testing.assert_close(third, grad(sum((slope**2).sum() for slope in second), leaves))
