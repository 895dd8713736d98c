"""In place, saved tensors, graphs, hooks and what cannot be differentiated: the rules of torch's own operators."""

import pytest
import torch
from composites import FORMULAS, TWO, Formula, inputs_of, ops, seeded
from torch.autograd import grad, gradcheck, gradgradcheck
from torch.autograd.forward_ad import dual_level, make_dual, unpack_dual

formulas = pytest.mark.parametrize("formula", FORMULAS, ids=str)
ERRORS = (RuntimeError, ValueError)
DELAYS = torch.tensor([1, 1, 2, 2])


def leaves_of(formula: Formula, *sizes: int) -> list[torch.Tensor]:
    return [tensor.requires_grad_() for tensor in inputs_of(formula, *sizes)]


def written(formula: Formula):
    """The in-place form as a function: it works on a tensor in the middle of a graph."""

    def call(first: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        square = first * first
        formula.in_place(square, *others)
        return square

    return call


@formulas
def test_in_place_on_a_leaf_is_refused_as_torch_does(formula: Formula) -> None:
    first, *others = leaves_of(formula, 3)
    before = first.detach().clone()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        formula.in_place(first, *others)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        formula.in_place(first[1:], *(other[1:] for other in others))
    assert torch.equal(first, before)
    with torch.no_grad():
        formula.in_place(first, *others)
    assert first.requires_grad and not torch.equal(first, before)


@formulas
def test_in_place_has_the_gradient_of_the_formula(formula: Formula) -> None:
    leaves = tuple(leaves_of(formula, 2, 3))
    assert gradcheck(written(formula), leaves, check_batched_grad=True)
    first, *others = leaves
    expected = grad(formula.composite(first * first, *others).sum(), leaves)
    torch.testing.assert_close(grad(written(formula)(*leaves).sum(), leaves), expected)


@formulas
def test_in_place_has_forward_derivatives(formula: Formula) -> None:
    leaves = tuple(leaves_of(formula, 2, 3))
    assert gradcheck(written(formula), leaves, check_forward_ad=True)
    plain = [tensor.detach() for tensor in leaves]
    with dual_level():
        duals = [make_dual(tensor.clone(), torch.ones_like(tensor)) for tensor in plain]
        formula.in_place(*duals)
        expected = formula.composite(*(make_dual(tensor, torch.ones_like(tensor)) for tensor in plain))
        torch.testing.assert_close(unpack_dual(duals[0]).primal, unpack_dual(expected).primal)
        torch.testing.assert_close(unpack_dual(duals[0]).tangent, unpack_dual(expected).tangent)


@formulas
def test_in_place_has_second_derivatives(formula: Formula) -> None:
    """What is saved of the overwritten tensor must keep its place in the graph."""
    assert gradgradcheck(written(formula), tuple(leaves_of(formula, 2, 3)))


@pytest.mark.parametrize("formula", TWO, ids=str)
@pytest.mark.parametrize("dtypes", [(torch.float32, torch.float64), (torch.float16, torch.float32)], ids=str)
def test_in_place_derivatives_keep_a_narrow_dtype(formula: Formula, dtypes) -> None:
    values = inputs_of(formula, 4)
    first, second = (value.to(dtype).requires_grad_() for value, dtype in zip(values, dtypes, strict=True))
    y = first * 1
    formula.in_place(y, second)
    assert y.dtype == dtypes[0]
    along = grad(y.sum(), (first, second))
    assert [tensor.dtype for tensor in along] == list(dtypes)
    with dual_level():
        dual = make_dual(first.detach().clone(), torch.ones_like(first))
        formula.in_place(dual, make_dual(second.detach(), torch.ones_like(second)))
        assert unpack_dual(dual).tangent.dtype == dtypes[0]


@formulas
def test_in_place_on_a_view_changes_the_base(formula: Formula) -> None:
    leaves = leaves_of(formula, 4, 3)

    def through_a_view(call, first, *others):
        base = first * 1
        call(base[1:3].t(), *(other[1:3].t() for other in others))
        return base

    def composite(view, *others):
        view.copy_(formula.composite(view.clone(), *others))

    ours, torchs = (through_a_view(call, *leaves) for call in (formula.in_place, composite))
    torch.testing.assert_close(ours, torchs)
    torch.testing.assert_close(grad(ours.sum(), leaves), grad(torchs.sum(), leaves))


@formulas
def test_a_saved_tensor_that_changed_is_noticed(formula: Formula) -> None:
    first, *others = leaves_of(formula, 3)
    x = first * 1
    y = x.sin()  # saves x
    version = x._version
    formula.in_place(x, *others)
    assert x._version == version + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    x = first * 1
    y = formula.call(x, *others)  # ours saves x as well
    x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@formulas
def test_out_raises_the_version_too(formula: Formula) -> None:
    x = seeded(3).requires_grad_() * 1
    y, version = x.sin(), x._version
    with torch.no_grad():
        formula.out(*inputs_of(formula, 3), out_tensor=x)
    assert x._version == version + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@formulas
def test_out_with_gradients_is_refused(formula: Formula) -> None:
    operator = "(?s)" + formula.forms[0].name().split(".")[0] + ".*(differentiation|grad)"
    plain, leaves = inputs_of(formula, 3), leaves_of(formula, 3)
    out = torch.full((3,), 5.0, dtype=torch.float64)
    for position in range(formula.tensors):
        mixed = [leaves[at] if at == position else plain[at] for at in range(formula.tensors)]
        with pytest.raises(ERRORS, match=operator):
            formula.out(*mixed, out_tensor=out)
        with dual_level():
            dual = list(plain)
            dual[position] = make_dual(plain[position], torch.ones_like(plain[position]))
            with pytest.raises(ERRORS, match=operator):
                formula.out(*dual, out_tensor=out)
    with pytest.raises(ERRORS, match=operator):
        formula.out(*plain, out_tensor=out.clone().requires_grad_())
    assert (out == 5).all()
    with torch.no_grad():
        formula.out(*leaves, out_tensor=out)
    assert torch.equal(out, formula.call(*plain))


@formulas
def test_a_graph_is_used_once_unless_it_is_retained(formula: Formula) -> None:
    leaves = leaves_of(formula, 3)
    y = formula.call(*leaves).sum()
    first = grad(y, leaves, retain_graph=True)
    torch.testing.assert_close(grad(y, leaves), first, rtol=0, atol=0)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        grad(y, leaves)


@formulas
def test_a_first_gradient_may_be_differentiated_again(formula: Formula) -> None:
    leaves = leaves_of(formula, 3)

    def twice(call) -> tuple[torch.Tensor, ...]:
        penalty = sum((slope**2).sum() for slope in grad(call(*leaves).sum(), leaves, create_graph=True))
        return grad(penalty + call(*leaves).sum(), leaves)

    torch.testing.assert_close(twice(formula.call), twice(formula.composite))
    assert all(not slope.requires_grad for slope in grad(formula.call(*leaves).sum(), leaves))


@formulas
def test_hooks_run_and_change_the_gradient(formula: Formula) -> None:
    leaves = leaves_of(formula, 3)
    seen = []
    y = formula.call(*leaves)
    expected = grad(y.sum(), leaves[0], retain_graph=True)[0]
    y.register_hook(lambda incoming: 2 * incoming)
    y.grad_fn.register_hook(lambda results, incoming: seen.append((len(results), incoming[0].tolist())))
    y.retain_grad()
    handle = leaves[0].register_hook(lambda slope: slope + 1)
    y.sum().backward()
    handle.remove()
    assert seen == [(formula.tensors, [2.0, 2.0, 2.0])]
    assert y.grad.tolist() == [2.0, 2.0, 2.0]
    torch.testing.assert_close(leaves[0].grad, 2 * expected + 1)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.clone() * 0, lambda tensor: tensor + 1):
        y = formula.call(*leaves)
    at_one = [torch.ones_like(leaf, requires_grad=True) for leaf in leaves]
    torch.testing.assert_close(grad(y.sum(), leaves), grad(formula.composite(*at_one).sum(), at_one))


@formulas
def test_nothing_is_recorded_without_a_need(formula: Formula) -> None:
    leaves = leaves_of(formula, 3)
    assert formula.call(*inputs_of(formula, 3)).grad_fn is None
    assert "portops" in formula.call(*leaves).grad_fn.name()
    for mode in (torch.no_grad(), torch.inference_mode()):
        with mode:
            assert not formula.call(*leaves).requires_grad


@formulas
def test_third_derivatives_raise_by_name_or_are_right(formula: Formula) -> None:
    def third(call, leaves: list[torch.Tensor]) -> torch.Tensor:
        (slope,) = grad(call(*leaves).sum(), leaves[:1], create_graph=True)
        (curvature,) = grad(slope.sum(), leaves[:1], create_graph=True)
        return grad(curvature.sum(), leaves[0])[0]

    leaves = leaves_of(formula, 3)
    try:
        actual = third(formula.call, leaves)
    except RuntimeError as error:
        assert "portops::" in str(error) and "not implemented" in str(error)
        return
    torch.testing.assert_close(actual, third(formula.composite, leaves))


def test_delay_line_out_with_gradients_is_refused() -> None:
    out = torch.full((4,), 5.0, dtype=torch.float64)
    for x, written in ((seeded(4).requires_grad_(), out), (seeded(4), out.clone().requires_grad_())):
        with pytest.raises(ERRORS, match=r"(?s)portops::delay_line.*out=.*differentiation"):
            ops.delay_line.out(x, DELAYS, out=written)
    assert (out == 5).all()
