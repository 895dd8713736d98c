"""What torch lets a tensor be: mixed types, lazy bits, odd addresses, views, no rows or taps; many callers at once."""

import itertools
import threading

import pytest
import torch
from recurrence_cases import CASES, INTEGERS, Case, as_tuple, delay_line, ops
from torch.autograd import grad
from torch.autograd.forward_ad import dual_level, make_dual, unpack_dual
from torch.func import jacfwd

cases = pytest.mark.parametrize("case", CASES, ids=str)
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def summed(result) -> torch.Tensor:
    return sum(y.sum() for y in as_tuple(result))


@cases
def test_each_gradient_has_the_dtype_of_its_argument(case: Case) -> None:
    for dtypes in itertools.product(FLOATS, repeat=len(case.inputs(1))):
        delays = case.delays_of(20)
        leaves = [x.to(dtype).requires_grad_() for x, dtype in zip(case.inputs(20), dtypes, strict=True)]
        wide = [leaf.detach().double().requires_grad_() for leaf in leaves]
        ours, loops = as_tuple(case.call(delays, *leaves)), as_tuple(case.loop(delays, *wide))
        actual = grad(ours, leaves, [torch.ones_like(y) for y in ours])
        expected = grad(loops, wide, [torch.ones_like(y) for y in loops])
        for left, right, dtype in zip(actual, expected, dtypes, strict=True):
            assert left.dtype == dtype
            # The coarsest type that a value goes through: that of an argument or of a result.
            tolerance = 16 * max(torch.finfo(each).eps for each in (dtype, *(y.dtype for y in ours)))
            largest = right.abs().max().item()
            torch.testing.assert_close(left.double(), right, rtol=tolerance, atol=tolerance * largest)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_gradients_reach_what_the_largest_delay_reads(dtype: torch.dtype) -> None:
    x, a, h = (torch.rand(size, dtype=torch.float64, requires_grad=True) for size in (30, 1, 3))
    largest, far = torch.full((30,), torch.iinfo(dtype).max, dtype=dtype), torch.full((30,), 100)
    for call in (
        lambda d: ops.delay_line.Tensor(x, d, a),
        lambda d: ops.delay_line_stream(x, d, h)[0],
        lambda d: ops.recurrence(x, a, d[:1], h)[0],
    ):
        actual, expected = (grad(call(d).sum(), (x, a, h), allow_unused=True) for d in (largest, far))
        torch.testing.assert_close(actual, expected, rtol=0, atol=0)


@cases
def test_lazy_negative_inputs_are_resolved(case: Case) -> None:
    delays, inputs = case.delays_of(9), case.inputs(9)
    lazy, plain = [torch._neg_view(x) for x in inputs], [-x for x in inputs]
    torch.testing.assert_close(case.call(delays, *lazy), case.call(delays, *plain), rtol=0, atol=0)


@cases
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_unaligned_buffers(case: Case, dtype: torch.dtype) -> None:
    def at_an_odd_byte(x: torch.Tensor) -> torch.Tensor:
        memory = bytearray(x.numel() * x.element_size() + 1)
        return torch.frombuffer(memory, dtype=x.dtype, offset=1, count=x.numel()).reshape(x.shape).copy_(x)

    delays, inputs = case.delays_of(40), case.inputs(40, dtype)
    unaligned = [at_an_odd_byte(x) for x in inputs]
    assert all(x.data_ptr() % 2 == 1 for x in unaligned)
    odd_delays = at_an_odd_byte(delays) if delays.dim() else delays
    actual, expected = case.call(odd_delays, *unaligned), case.call(delays, *inputs)
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)


@cases
def test_only_one_input_may_have_a_tangent(case: Case) -> None:
    delays, inputs = case.delays_of(9), case.inputs(9)
    for moving in range(len(inputs)):
        with dual_level():
            duals = [make_dual(x, torch.ones_like(x)) if at == moving else x for at, x in enumerate(inputs)]
            for ours, loop in zip(
                as_tuple(case.call(delays, *duals)), as_tuple(case.loop(delays, *duals)), strict=True
            ):
                expected = unpack_dual(loop).tangent
                expected = torch.zeros_like(loop) if expected is None else expected
                torch.testing.assert_close(unpack_dual(ours).tangent, expected)


@cases
def test_forward_over_forward_raises_by_name(case: Case) -> None:
    delays, inputs = case.delays_of(4), case.inputs(4)
    with pytest.raises((RuntimeError, ValueError), match="portops::.*forward"):
        jacfwd(jacfwd(lambda x: summed(case.call(delays, x, *inputs[1:]))))(inputs[0])


def test_in_place_on_a_view_changes_the_base() -> None:
    base, g = (torch.rand(sizes, dtype=torch.float64, requires_grad=True) for sizes in ((4, 6), (4, 1)))
    d = torch.tensor([0, 1, 2, 1, 3, 2])
    ours = base * 1
    ops.delay_line_.Tensor(ours[1:3], d, g[1:3])
    loop = torch.cat([base[:1], delay_line(base[1:3], d, g[1:3]), base[3:]])
    torch.testing.assert_close(ours, loop)
    torch.testing.assert_close(grad((ours**2).sum(), (base, g)), grad((loop**2).sum(), (base, g)))


def test_a_saved_tensor_that_changed_is_noticed() -> None:
    x = torch.rand(5, requires_grad=True) * 1
    y = ops.delay_line(x, torch.tensor(1))
    ops.delay_line_(x, torch.tensor(1))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_without_rows_or_taps_gradients_are_zero() -> None:
    x, h = (torch.rand(0, size, dtype=torch.float64, requires_grad=True) for size in (5, 3))
    a = torch.rand(5, 2, dtype=torch.float64, requires_grad=True)
    result = ops.recurrence(x, a, torch.tensor([1, 2]), h)
    assert [tuple(y.shape) for y in result] == [(0, 5), (0, 3)]
    assert torch.equal(grad(summed(result), a)[0], torch.zeros_like(a))
    x = torch.rand(2, 5, requires_grad=True)
    assert torch.equal(ops.recurrence(x, torch.rand(5, 0), torch.ones(5, 0, dtype=torch.int64))[0], x)
    assert torch.equal(ops.allpole(x, torch.rand(2, 5, 0)), x)
    assert torch.equal(grad(ops.allpole(x, torch.rand(2, 5, 0)).sum(), x)[0], torch.ones_like(x))


def test_a_block_without_samples_passes_the_history_on() -> None:
    history, none = torch.rand(2, 3), torch.rand(2, 0)
    assert torch.equal(ops.delay_line_stream(none, torch.ones(2, 0, dtype=torch.int64), history)[1], history)
    assert torch.equal(ops.recurrence(none, torch.rand(1), torch.ones(1, dtype=torch.int64), history)[1], history)


def test_several_callers_at_once_get_the_same_bits() -> None:
    results: list[list] = []

    def work() -> None:
        mine = []
        for case in CASES:
            leaves, delays = case.leaves(300), case.delays_of(300)
            mine += [grad(summed(case.call(delays, *leaves)), leaves) for _ in range(3)]
        results.append(mine)

    callers = [threading.Thread(target=work) for _ in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(results) == 6
    for other in results[1:]:
        torch.testing.assert_close(other, results[0], rtol=0, atol=0)
