"""Derivatives of operators that a user declared."""

import pytest
import torch
from operators import ELEMENTWISE, EVERY, ROWWISE, Case, inputs, mine, name, refused, results
from torch.autograd import gradcheck, gradgradcheck

SIZES = [[(3, 4)], [(0, 3)], [()], [(2, 3), (3,)], [(1, 4), (3, 1)]]


def broadcasting(case: Case, sizes: list[tuple[int, ...]]) -> list[torch.Tensor]:
    x = [inputs(case, *(sizes[n % len(sizes)]))[n].requires_grad_() for n in range(case.tensors)]
    return x


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("case", ELEMENTWISE, ids=name)
def test_first_and_second_derivatives(case: Case, sizes) -> None:
    x = broadcasting(case, sizes)
    assert gradcheck(case, x, check_forward_ad=True, check_batched_grad=True, check_batched_forward_grad=True)
    assert gradgradcheck(case, x, check_fwd_over_rev=True, check_rev_over_rev=True)


@pytest.mark.parametrize("case", ROWWISE, ids=name)
@pytest.mark.parametrize("sizes", [(3, 4), (5,), (2, 3, 4)], ids=str)
def test_backward_of_rows(case: Case, sizes) -> None:
    x = [tensor.requires_grad_() for tensor in inputs(case, *sizes)]
    assert gradcheck(case, x, check_batched_grad=True)


def test_gradients_of_rows_are_summed_to_the_argument() -> None:
    x = torch.rand(2, 3, 6, dtype=torch.float64, requires_grad=True)
    for sizes in ((4,), (3, 4), (1, 4), (2, 1, 9)):
        taps = torch.rand(sizes, dtype=torch.float64, requires_grad=True)
        assert gradcheck(mine.fir, (x, taps), check_batched_grad=True)
        assert gradcheck(mine.fir, (x.detach(), taps))


def test_up_to_eight_tensors_and_four_results() -> None:
    x = [torch.rand(2, dtype=torch.float64, requires_grad=True) for _ in range(8)]
    assert gradcheck(mine.eight_tensors, x, check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(mine.eight_tensors, x)


@pytest.mark.parametrize("case", EVERY, ids=name)
def test_only_what_needs_a_gradient_gets_one(case: Case) -> None:
    for needed in range(case.tensors):
        x = inputs(case, 3, 4)
        x[needed].requires_grad_()
        sum(result.sum() for result in results(case(*x))).backward()
        assert [tensor.grad is not None for tensor in x] == [n == needed for n in range(case.tensors)]


@pytest.mark.parametrize("case", EVERY, ids=name)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_gradients_have_the_type_of_their_argument(case: Case, dtype: torch.dtype) -> None:
    x = [tensor.requires_grad_() for tensor in inputs(case, 3, 4, dtype=dtype)]
    wide = [tensor.detach().double().requires_grad_() for tensor in x]
    for tensors in (x, wide):
        sum(result.sum() for result in results(case(*tensors))).backward()
    for narrow, exact in zip(x, wide, strict=True):
        assert narrow.grad.dtype == dtype
        torch.testing.assert_close(narrow.grad, exact.grad.to(dtype), rtol=4 * torch.finfo(dtype).eps, atol=1e-5)


def test_gradients_where_a_plain_formula_would_overflow() -> None:
    x = torch.tensor([-1000.0, -100.0, 0.0, 100.0, 1000.0], requires_grad=True)
    (grad,) = torch.autograd.grad(mine.swish(x).sum(), x, create_graph=True)
    torch.testing.assert_close(grad, torch.tensor([0, 0, 0.5, 1, 1]))
    (second,) = torch.autograd.grad(grad.sum(), x)
    torch.testing.assert_close(second, torch.tensor([0, 0, 0.5, 0, 0]))


def test_the_functors_own_derivative() -> None:
    x = torch.tensor([0.0, 1e-8, 0.05, 0.0999, 0.1001, 1.0, -2.0], dtype=torch.float64, requires_grad=True)
    (grad,) = torch.autograd.grad(mine.sinc(x).sum(), x, create_graph=True)
    expected = [
        0,
        -1e-8 / 3,
        -0.0166625003720066,
        -0.0332667784098681,
        -0.0333332451954851,
        -0.301168678939757,
        0.435397774979992,
    ]
    torch.testing.assert_close(grad, torch.tensor(expected, dtype=torch.float64), rtol=1e-10, atol=1e-20)
    assert gradgradcheck(mine.sinc, torch.tensor([0.0, 0.05, 1.0], dtype=torch.float64, requires_grad=True))


def test_expanded_and_strided_gradients() -> None:
    for grad in (torch.ones(()).expand(4, 6), torch.rand(6, 4).t(), torch.rand(4, 12)[:, ::2]):
        for case in EVERY:
            x = [tensor.requires_grad_() for tensor in inputs(case, 4, 6, dtype=torch.float32)]
            y = results(case(*x))
            actual = torch.autograd.grad(y, x, [grad] * len(y), retain_graph=True)
            expected = torch.autograd.grad(y, x, [grad.contiguous()] * len(y))
            assert all(torch.equal(left, right) for left, right in zip(actual, expected, strict=True))


def in_place(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    mine.swish_(y, 1.5)
    return y


def test_in_place_has_a_backward() -> None:
    x = torch.rand(5, dtype=torch.float64, requires_grad=True)
    assert gradcheck(in_place, x)


def test_in_place_has_a_second_derivative() -> None:
    assert gradgradcheck(in_place, torch.rand(5, dtype=torch.float64, requires_grad=True))


def test_in_place_has_a_forward_mode() -> None:
    assert gradcheck(in_place, torch.rand(5, dtype=torch.float64, requires_grad=True), check_forward_ad=True)


def test_in_place_is_checked_by_autograd() -> None:
    x = torch.rand(5, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        mine.swish_(x)
    y = x.exp()  # saves its result
    mine.swish_(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_what_has_no_derivative_says_so() -> None:
    x = torch.rand(5, dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(mine.swish(x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative for mine::swish_second is not implemented"):
        torch.autograd.grad(second.sum(), x)
    (first,) = torch.autograd.grad(mine.decayed_sum(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="derivative for mine::decayed_sum_backward is not implemented"):
        (first * x).sum().backward()
    with refused("decayed_sum", "forward-mode differentiation is not supported"):
        torch.func.jvp(mine.decayed_sum, (x.detach(),), (x.detach(),))
    with refused("extremes", "derivative"):
        mine.extremes(x)[0].sum().backward()
    with refused("swish", "out="):
        mine.swish.out(x, out=torch.empty(5, dtype=torch.float64))
