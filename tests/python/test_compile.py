"""torch.compile: one graph, the results and gradients of eager code, nothing compiled again for a new length."""

import copy

import pytest
import torch
from composites import FORMULAS, TWO, Formula, inputs_of, ops, seeded
from torch._dynamo.testing import CompileCounter, CompileCounterWithBackend

formulas = pytest.mark.parametrize("formula", FORMULAS, ids=str)
DELAYS = torch.tensor([1, 1, 2, 2])


@pytest.fixture(autouse=True)
def forget_what_was_compiled():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def assert_same_with_gradients(compiled, eager, inputs: list[torch.Tensor]) -> None:
    """Results, gradients and what was written to the inputs."""
    outcomes = []
    for call in (compiled, eager):
        leaves = [tensor.detach().clone().requires_grad_() for tensor in inputs]
        y = call(*leaves)
        outcomes.append([y.detach(), *torch.autograd.grad(y.sin().sum(), leaves)])
    torch.testing.assert_close(*outcomes)


@formulas
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_code_equals_eager_forward_and_backward(formula: Formula, dynamic: bool) -> None:
    def call(*inputs):
        return formula.call(*(tensor * 2 for tensor in inputs)) + 1

    compiled = torch.compile(call, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    for sizes in ((3, 4), (5, 6), (7, 4)):
        assert_same_with_gradients(compiled, call, inputs_of(formula, *sizes))


@formulas
def test_compiled_code_writes_in_place_and_to_out(formula: Formula) -> None:
    def in_place(first, *others):
        y = first * 1
        formula.in_place(y, *others)
        return y * 2

    def inputs_are_written(*inputs):
        formula.in_place(*inputs)
        return inputs[0] + 1

    def out(*inputs):
        y = torch.empty_like(inputs[0])
        formula.out(*inputs, out_tensor=y)
        return y * 2

    inputs = inputs_of(formula, 3, 4)
    compiled = torch.compile(in_place, fullgraph=True, backend="aot_eager")
    assert_same_with_gradients(compiled, in_place, inputs)
    for call in (in_place, inputs_are_written, out):
        ours, expected = copy.deepcopy(inputs), copy.deepcopy(inputs)
        actual = torch.compile(call, fullgraph=True, backend="aot_eager")(*ours)
        torch.testing.assert_close(actual, call(*expected), rtol=0, atol=0)
        torch.testing.assert_close(ours, expected, rtol=0, atol=0)


def test_the_default_compiler_equals_eager() -> None:
    """One graph with all operators and forms, since this compiler is slow."""

    def call(x, s):
        total = torch.zeros_like(x)
        for formula in FORMULAS:
            inputs = (x, s)[: formula.tensors]
            written = x * 1
            formula.in_place(written, *inputs[1:])
            total = total + formula.call(*inputs) * written
        samples = (x.detach() * 2).contiguous()
        ops.delay_line_(samples, DELAYS)
        return total + ops.delay_line(samples, DELAYS, 0.25)

    inputs = inputs_of(TWO[0], 6, 4)
    assert_same_with_gradients(torch.compile(call, fullgraph=True, dynamic=True), call, inputs)


def test_the_default_compiler_keeps_recurrences() -> None:
    """All operators in one graph without others, whose kernels this compiler would have to build."""

    def call(x, a, d, history):
        y = ops.delay_line(x, d[..., 0])
        ops.delay_line_.Tensor(y, d[..., 1], a[..., 0])
        y, last = ops.delay_line_stream(y, d[..., 1], history)
        z, last = ops.recurrence(y, a, d, last)
        return ops.allpole(z, a, last[..., :3])

    delays = torch.randint(1, 9, (2, 12, 3))
    leaves = [torch.rand(sizes, requires_grad=True) for sizes in ((2, 12), (2, 12, 3), (2, 5))]
    x, a, history = leaves
    ours = torch.compile(call, fullgraph=True)(x, a, delays, history)
    eager = call(x, a, delays, history)
    torch.testing.assert_close(ours, eager)
    ones = torch.ones_like(ours)
    torch.testing.assert_close(torch.autograd.grad(ours, leaves, ones), torch.autograd.grad(eager, leaves, ones))


@formulas
def test_a_new_length_compiles_nothing(formula: Formula) -> None:
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(formula.call, fullgraph=True, backend=counter, dynamic=True)
    frames = []
    for length in (10, 20, 30, 77, 1000):
        assert_same_with_gradients(compiled, formula.call, inputs_of(formula, length))
        frames.append(counter.frame_count)
    # With a float from outside, torch itself traces the first call twice.
    assert frames == [2 if any(isinstance(value, float) for value in formula.parameters) else 1] * 5


def test_a_marked_length_compiles_nothing_again() -> None:
    for call in (
        lambda x: ops.softplus(x.t(), 2.0),
        lambda x: ops.delay_line(x, DELAYS[:1], 0.25),
        lambda x: ops.trig_mix(x, x[:, :1] + 3),
    ):
        counter = CompileCounter()
        compiled = torch.compile(call, fullgraph=True, backend=counter)
        for length in (10, 20, 77):
            x = seeded(3, length)
            torch._dynamo.mark_dynamic(x, 1)
            torch.testing.assert_close(compiled(x), call(x), rtol=0, atol=0)
        assert counter.frame_count == 1


def test_parameters_may_change_without_a_break() -> None:
    compiled = torch.compile(ops.softplus, fullgraph=True, backend="aot_eager", dynamic=True)
    for beta in (0.5, 1.0, 2.5):
        x = seeded(5)
        torch.testing.assert_close(compiled(x, beta, 3.0), ops.softplus(x, beta, 3.0), rtol=0, atol=0)


def test_compiled_transforms_equal_eager() -> None:
    call = torch.vmap(torch.func.grad(lambda x: ops.exp_sin(ops.trig_mix(x, 2.5), 0.5).sum()))
    x = seeded(5, 4)
    compiled = torch.compile(call, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), call(x))
