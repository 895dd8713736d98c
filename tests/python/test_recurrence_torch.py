"""The recurrences inside torch: compiled, exported, batched, transformed, in its modes and on meta."""

import pytest
import torch
from recurrence_cases import CASES, Case, as_tuple, ops
from torch._dynamo.testing import CompileCounterWithBackend
from torch.func import grad, jacfwd, jacrev, jvp, vmap

cases = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.fixture(autouse=True)
def forget_what_was_compiled():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def total(result) -> torch.Tensor:
    return sum(y.sin().sum() for y in as_tuple(result))


@cases
def test_a_new_length_compiles_nothing(case: Case) -> None:
    """Nor a graph break: one graph, forward and backward."""
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(case.call, fullgraph=True, backend=counter, dynamic=True)
    frames = []
    for length in (10, 20, 30, 77, 300):
        delays, leaves = case.delays_of(length), case.leaves(length)
        ours, eager = compiled(delays, *leaves), case.call(delays, *leaves)
        torch.testing.assert_close(ours, eager, rtol=0, atol=0)
        actual, expected = (torch.autograd.grad(total(y), leaves) for y in (ours, eager))
        torch.testing.assert_close(actual, expected, rtol=0, atol=0)
        frames.append(counter.frame_count)
    assert frames[1:] == [frames[0]] * 4


@cases
def test_exported_programs_take_any_length(case: Case) -> None:
    class Module(torch.nn.Module):
        def forward(self, delays, inputs):
            return case.call(delays, *inputs)

    length = torch.export.Dim("length", min=2, max=4096)

    def dynamic(tensor: torch.Tensor) -> dict:
        return {axis: length for axis, size in enumerate(tensor.shape) if size == 24}

    delays, inputs = case.delays_of(24), tuple(case.inputs(24))
    shapes = {"delays": dynamic(delays), "inputs": tuple(dynamic(tensor) for tensor in inputs)}
    program = torch.export.export(Module(), (delays, inputs), dynamic_shapes=shapes, strict=False)
    for other in (24, 50):
        delays, inputs = case.delays_of(other), tuple(case.inputs(other))
        torch.testing.assert_close(program.module()(delays, inputs), case.call(delays, *inputs), rtol=0, atol=0)


def stacked(tensor: torch.Tensor, axis: int) -> torch.Tensor:
    return torch.stack([tensor, tensor.flip(-1) if tensor.dim() else tensor + 1, tensor], axis)


def one_by_one(call, in_dims: tuple, arguments: list) -> tuple:
    every = [
        as_tuple(call(*(x if dim is None else x.select(dim, at) for x, dim in zip(arguments, in_dims, strict=True))))
        for at in range(3)
    ]
    return tuple(torch.stack(column) for column in zip(*every, strict=True))


@cases
def test_a_batch_may_be_any_argument_and_axis(case: Case) -> None:
    arguments = [case.delays_of(7), *case.inputs(7)]
    first = 0 if arguments[0].dim() else 1
    choices = [(at, axis) for at in range(first, len(arguments)) for axis in range(arguments[at].dim() + 1)]
    for at, axis in [*choices, (None, 0)]:
        in_dims = tuple(axis if at in (None, k) and k >= first else None for k in range(len(arguments)))
        batched = [x if dim is None else stacked(x, dim) for x, dim in zip(arguments, in_dims, strict=True)]
        actual = as_tuple(vmap(case.call, in_dims)(*batched))
        torch.testing.assert_close(actual, one_by_one(case.call, in_dims, batched), rtol=0, atol=0)


@cases
def test_batches_nest(case: Case) -> None:
    delays, inputs = case.delays_of(7), case.inputs(7)
    outer, inner = (None, 0, *[None] * (len(inputs) - 1)), (None, *[0] * len(inputs))
    batched = [stacked(tensor, 0) for tensor in inputs]
    batched[0] = torch.stack([batched[0], 2 * batched[0], 3 * batched[0]], 0)
    actual = as_tuple(vmap(vmap(case.call, inner), outer)(delays, *batched))
    expected = one_by_one(vmap(case.call, inner), outer, [delays, *batched])
    torch.testing.assert_close(actual, expected, rtol=0, atol=0)


@pytest.mark.parametrize("in_dims", [(0, None), (0, 0), (1, 0)])
def test_a_batch_is_written_in_place(in_dims: tuple) -> None:
    x, d = torch.rand(3, 3), torch.tensor([[0, 1, 2], [1, 1, 1], [2, 1, 0]])[: 3 if in_dims[1] is not None else 1]
    d = d if in_dims[1] is not None else d[0]
    (expected,) = one_by_one(ops.delay_line, in_dims, [x, d])
    vmap(lambda x, d: (ops.delay_line_(x, d), x)[1], in_dims)(x, d)
    assert torch.equal(x.movedim(in_dims[0], 0), expected)


@cases
def test_derivatives_of_torch_func_are_those_of_the_loop(case: Case) -> None:
    delays, inputs = case.delays_of(6), case.inputs(6)
    every = tuple(range(1, len(inputs) + 1))

    def hvp(call):
        return lambda *x: jvp(grad(lambda *y: total(call(delays, *y)), tuple(range(len(inputs)))), x, x)[1]

    for transform in (
        lambda call: lambda *x: jacrev(call, every)(delays, *x),
        lambda call: lambda *x: jacfwd(call, every)(delays, *x),
        lambda call: lambda *x: jacrev(jacrev(lambda *y: total(call(*y)), every), every)(delays, *x),
        lambda call: lambda *x: jacfwd(jacrev(lambda *y: total(call(*y)), every), every)(delays, *x),
        hvp,
    ):
        torch.testing.assert_close(transform(case.call)(*inputs), transform(case.loop)(*inputs))


@cases
def test_gradients_per_sample(case: Case) -> None:
    delays, inputs = case.delays_of(6), case.inputs(6)
    every, in_dims = tuple(range(1, len(inputs) + 1)), (None, *[0] * len(inputs))
    batched = [stacked(tensor, 0) for tensor in inputs]
    call = grad(lambda *x: total(case.call(*x)), every)
    actual = vmap(call, in_dims)(delays, *batched)
    torch.testing.assert_close(actual, one_by_one(call, in_dims, [delays, *batched]))


@cases
def test_inference_mode_and_no_grad(case: Case) -> None:
    delays, leaves = case.delays_of(6), case.leaves(6)
    expected = as_tuple(case.call(delays, *leaves))
    with torch.no_grad():
        assert not any(y.requires_grad for y in as_tuple(case.call(delays, *leaves)))
    with torch.inference_mode():
        results = as_tuple(case.call(delays, *leaves))
        assert all(y.is_inference() for y in results)
        torch.testing.assert_close(results, tuple(y.detach() for y in expected), rtol=0, atol=0)


@cases
def test_autocast_leaves_types_and_values(case: Case) -> None:
    for dtype in (torch.float32, torch.float64):
        delays, leaves = case.delays_of(6), case.leaves(6, dtype)
        expected = as_tuple(case.call(delays, *leaves))
        with torch.autocast("cpu", torch.bfloat16):
            results = as_tuple(case.call(delays, *leaves))
            gradients = torch.autograd.grad(total(results), leaves)
        torch.testing.assert_close(results, expected, rtol=0, atol=0)
        assert [gradient.dtype for gradient in gradients] == [dtype] * len(leaves)


@cases
def test_meta_agrees(case: Case) -> None:
    for dtype in (torch.float16, torch.float32, torch.float64):
        for length in (0, 1, 9):
            delays, inputs = case.delays_of(length), case.inputs(length, dtype)
            inputs[0] = torch.stack([inputs[0], inputs[0]], -1)[..., 0]  # strided
            real = as_tuple(case.call(delays, *inputs))
            meta = as_tuple(case.call(delays.to("meta"), *(tensor.to("meta") for tensor in inputs)))
            for left, right in zip(real, meta, strict=True):
                assert (left.shape, left.dtype, left.stride()) == (right.shape, right.dtype, right.stride())
                assert right.device.type == "meta"
