"""opcheck, torch.compile, torch.export, vmap, autocast, inference mode on operators that a user declared."""

import pytest
import torch
from operators import EVERY, Case, inputs, mine, name, results
from torch._dynamo.testing import CompileCounterWithBackend

CASES = pytest.mark.parametrize("case", EVERY, ids=name)


def assert_same(actual, expected, **tolerances) -> None:
    for left, right in zip(results(actual), results(expected), strict=True):
        torch.testing.assert_close(left, right, **tolerances)


@CASES
@pytest.mark.parametrize("requires_grad", [False, True])
def test_opcheck(case: Case, requires_grad: bool) -> None:
    for dtype in (torch.float32, torch.float64):
        x = [tensor.requires_grad_(requires_grad) for tensor in inputs(case, 3, 4, dtype=dtype)]
        torch.library.opcheck(case.overload, x, case.parameters)


def test_opcheck_of_the_other_forms() -> None:
    x, y, out = torch.rand(3, 4), torch.rand(3, 1), torch.empty(3, 4)
    torch.library.opcheck(mine.swish_.default, (x.clone(), 1.5))
    torch.library.opcheck(mine.axpy_.default, (x.clone(), y))
    torch.library.opcheck(mine.power_.default, (x.clone(), 3))
    torch.library.opcheck(mine.swish.out, (x,), {"out": out})
    torch.library.opcheck(mine.polar.out, (x, y), {"out0": out, "out1": torch.empty(3, 4)})
    torch.library.opcheck(mine.decayed_sum.out, (x,), {"out": out})
    torch.library.opcheck(mine.extremes.default, (x,))
    torch.library.opcheck(mine.eight_tensors.default, [x] * 4 + [y] * 4)


@CASES
def test_compiles_without_a_break_and_not_again_for_another_length(case: Case) -> None:
    torch._dynamo.reset()
    counter = CompileCounterWithBackend("inductor")

    def double(*x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(result * 2 for result in results(case(*x)))

    compiled = torch.compile(double, fullgraph=True, backend=counter, dynamic=True)
    frames = set()
    for length in (8, 9, 13, 100):
        x = [tensor.requires_grad_() for tensor in inputs(case, 3, length)]
        assert_same(compiled(*x), double(*x))
        compiled_grads = torch.autograd.grad(sum(result.sum() for result in compiled(*x)), x)
        assert_same(compiled_grads, torch.autograd.grad(sum(result.sum() for result in double(*x)), x))
        frames.add(counter.frame_count)
    assert len(frames) == 1


def test_in_place_compiles() -> None:
    def work(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        mine.swish_(y)
        return y * 2

    x = torch.rand(3, 4)
    assert_same(torch.compile(work, fullgraph=True)(x), work(x))


@CASES
def test_exports_with_a_length_that_is_open(case: Case) -> None:
    class Module(torch.nn.Module):
        def forward(self, *x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return results(case(*x))

    length = torch.export.Dim("length", min=3)
    x = tuple(inputs(case, 2, 8))
    program = torch.export.export(Module(), x, dynamic_shapes={"x": tuple({1: length} for _ in x)})
    assert any(node.target is case.overload for node in program.graph.nodes)
    longer = inputs(case, 2, 11)
    assert_same(program.module()(*longer), case(*longer))
    assert_same(program.run_decompositions().module()(*longer), case(*longer))


@CASES
def test_vmap(case: Case) -> None:
    x = inputs(case, 5, 3, 4)
    for axis in (0, 1, 2):
        rows = [results(case(*(tensor.select(axis, i) for tensor in x))) for i in range(x[0].shape[axis])]
        expected = tuple(torch.stack(row) for row in zip(*rows, strict=True))
        assert_same(torch.vmap(case, in_dims=axis)(*x), expected, rtol=0, atol=0)
    grid = torch.vmap(torch.vmap(case))(*x)
    assert_same(grid, torch.vmap(case)(*x), rtol=0, atol=0)
    if case.tensors == 2:
        for axes, shared in (((0, None), (x[0], x[1][0])), ((None, 0), (x[0][0], x[1]))):
            both = [tensor if axis == 0 else tensor.expand_as(x[0]) for tensor, axis in zip(shared, axes, strict=True)]
            assert_same(torch.vmap(case, in_dims=axes)(*shared), torch.vmap(case)(*both), rtol=0, atol=0)


@CASES
def test_vmap_is_one_call(case: Case) -> None:
    x = inputs(case, 100, 3, 4)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        torch.vmap(case)(*x)
    calls = [event for event in profile.events() if event.name.startswith("mine::")]
    assert len(calls) <= 2


def test_functional_transforms() -> None:
    x = torch.rand(4, dtype=torch.float64)
    assert_same(torch.func.hessian(lambda x: mine.swish(x).sum())(x), torch.func.hessian(torch_swish)(x))
    assert_same(torch.func.jacfwd(mine.swish)(x), torch.func.jacrev(mine.swish)(x))
    rows = torch.rand(6, 4, dtype=torch.float64)
    per_row = torch.vmap(torch.func.grad(lambda x: mine.decayed_sum(x, 0.5).sum()))(rows)
    assert_same(per_row, torch.func.grad(lambda x: mine.decayed_sum(x, 0.5).sum())(rows))


def torch_swish(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.silu(x).sum()


@CASES
def test_autocast_leaves_types_alone(case: Case) -> None:
    """As for torch's pointwise operators that have no autocast rule: the operator runs in the type it is given."""
    for dtype in (torch.float32, torch.bfloat16):
        x = inputs(case, 3, 4, dtype=dtype)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = case(*x)
        assert all(result.dtype == torch.sin(x[0]).dtype == dtype for result in results(y))
        assert_same(y, case(*x), rtol=0, atol=0)


@CASES
def test_inference_mode(case: Case) -> None:
    x = inputs(case, 3, 4)
    with torch.inference_mode():
        y = results(case(*x))
        fresh = results(case(*(tensor + 0 for tensor in x)))
    assert all(result.is_inference() for result in y + fresh)
    assert_same(y, case(*x), rtol=0, atol=0)
    with torch.no_grad():
        x[0].requires_grad_()
        assert not any(result.requires_grad for result in results(case(*x)))


@CASES
def test_meta_agrees(case: Case) -> None:
    for sizes in ((3, 4), (0, 4), (2, 3, 4)):
        for x in (inputs(case, *sizes), [tensor.transpose(0, -1) for tensor in inputs(case, *sizes)]):
            meta = case(*(tensor.to("meta") for tensor in x))
            for real, shadow in zip(results(case(*x)), results(meta), strict=True):
                assert (shadow.shape, shadow.stride(), shadow.dtype) == (real.shape, real.stride(), real.dtype)
