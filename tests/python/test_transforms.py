"""torch.export, opcheck, autocast, inference mode, symbolic sizes."""

import pytest
import torch
from composites import FORMULAS, ONE, TWO, Formula, inputs_of, ops, seeded
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.experimental.symbolic_shapes import ShapeEnv

formulas = pytest.mark.parametrize("formula", FORMULAS, ids=str)
DELAYS = torch.tensor([1, 1, 2, 2])


@formulas
def test_export_keeps_the_operator_and_any_length(formula: Formula) -> None:
    class Module(torch.nn.Module):
        def forward(self, *inputs):
            y = formula.call(*inputs)
            formula.in_place(y, *inputs[1:])
            return y

    inputs, lengths = tuple(inputs_of(formula, 3, 4)), ({0: torch.export.Dim("length", min=2, max=4096), 1: 4},)
    program = torch.export.export(Module(), inputs, dynamic_shapes=(lengths * len(inputs),))
    assert formula.forms[0] in {node.target for node in program.graph.nodes}
    for sizes in ((3, 4), (9, 4), (2000, 4)):
        inputs = inputs_of(formula, *sizes)
        for each in (program, program.run_decompositions()):
            torch.testing.assert_close(each.module()(*inputs), Module()(*inputs), rtol=0, atol=0)


def calls_of_every_form():
    for formula in FORMULAS:
        inputs = inputs_of(formula, 3, 4)
        leaves = [tensor.clone().requires_grad_() for tensor in inputs]
        functional, in_place, out = formula.forms
        yield functional, (*leaves, *formula.parameters), {}
        yield functional, (*(tensor.half().t() for tensor in inputs), *formula.parameters), {}
        yield in_place, (*inputs, *formula.parameters), {}
        yield out, (*inputs, *formula.parameters), {"out": torch.empty(3, 4, dtype=torch.float64)}
    for formula in TWO:
        left, right = seeded(3, 4).requires_grad_(), (seeded(4).abs() + 1).float().requires_grad_()
        yield formula.forms[0], (left, right), {}
        yield formula.forms[0], (left.detach(), right), {}
        yield formula.forms[0], (left.detach().float(), torch.tensor(2.0, dtype=torch.float64, requires_grad=True)), {}
    x = seeded(2, 4)
    for name in ("delay_line", "delay_line_"):
        yield getattr(ops, name).default, (x.clone(), DELAYS, 0.25), {}
    yield ops.delay_line.out, (x, DELAYS), {"out": torch.empty(2, 4, dtype=torch.float64)}


def calls_of_every_derivative():
    for formula in FORMULAS:
        functional, inputs = formula.forms[0], inputs_of(formula, 3, 4)
        name, overload = functional.__name__.split(".")
        rest = functional._schema.arguments[formula.tensors + len(formula.parameters) :]
        parameters = (*formula.parameters, *(argument.default_value for argument in rest))
        g = [seeded(3, 4, seed=9).requires_grad_()]
        tangents = [seeded(3, 4, seed=10 + at).requires_grad_() for at in range(len(inputs))]
        plain = [tensor.detach() for tensor in (*g, *tangents)]
        leaves = [tensor.requires_grad_() for tensor in inputs]
        yield getattr(getattr(ops, name + "_vjp"), overload), (g, leaves, *parameters, [True] * len(inputs)), {}
        if formula.tensors == 2:
            yield getattr(getattr(ops, name + "_vjp"), overload), (g, leaves, *parameters, [False, True]), {}
        yield getattr(getattr(ops, name + "_jvp"), overload), (leaves, tangents, *parameters), {}
        lists = (plain[:1], [tensor.detach() for tensor in leaves], plain[1:])
        yield getattr(getattr(ops, name + "_second"), overload), (*lists, *parameters), {}


@pytest.mark.parametrize(
    ("operator", "arguments", "keywords"),
    [*calls_of_every_form(), *calls_of_every_derivative()],
    ids=lambda value: str(value) if isinstance(value, torch._ops.OpOverload) else "",
)
def test_opcheck_passes(operator, arguments, keywords) -> None:
    outcome = torch.library.opcheck(operator, arguments, keywords)
    assert set(outcome.values()) == {"SUCCESS"}


@formulas
def test_autocast_keeps_the_dtypes_of_torchs_pointwise_operators(formula: Formula) -> None:
    other = torch.sin if formula.tensors == 1 else torch.add
    for left in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        for right in (torch.float32, torch.bfloat16, torch.float64):
            inputs = [x.to(dtype) for x, dtype in zip(inputs_of(formula, 3), (left, right), strict=False)]
            leaves = [x.requires_grad_() for x in inputs]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                actual, expected = formula.call(*leaves), other(*leaves)
            assert actual.dtype == expected.dtype
            assert torch.equal(actual, formula.call(*inputs))
            slopes = torch.autograd.grad(actual.sum(), leaves)
            assert [slope.dtype for slope in slopes] == [leaf.dtype for leaf in leaves]


def test_autocast_passes_through_a_network() -> None:
    layer = torch.nn.Linear(4, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = ops.softplus(layer(torch.rand(3, 4)))
    assert y.dtype == torch.bfloat16
    y.sum().backward()
    assert layer.weight.grad.dtype == torch.float32


@formulas
def test_inference_mode(formula: Formula) -> None:
    inputs = inputs_of(formula, 3)
    expected = formula.call(*inputs)
    with torch.inference_mode():
        y, own = formula.call(*inputs), [tensor.clone() for tensor in inputs]
        assert y.is_inference() and torch.equal(y, expected)
        formula.in_place(*own)
        out = torch.empty(3, dtype=torch.float64)
        formula.out(*inputs, out_tensor=out)
        assert torch.equal(own[0], expected) and torch.equal(out, expected)
        assert torch.equal(ops.delay_line(inputs[0], torch.tensor(1)), ops.delay_line(inputs[0], torch.tensor(1)))
    with pytest.raises(RuntimeError, match="(?i)inference tensor"):
        formula.call(*(tensor.requires_grad_() for tensor in inputs[1:]), y) if formula.tensors == 2 else y.add_(1)
    with pytest.raises(RuntimeError, match="(?i)inference"):
        formula.in_place(own[0].requires_grad_(), *inputs[1:])


LAYOUTS = {
    "contiguous": lambda: seeded(2, 3, 4, 5),
    "channels_last": lambda: seeded(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "transposed": lambda: seeded(6, 7).t(),
    "permuted": lambda: seeded(4, 5, 6).permute(2, 0, 1),
    "every second": lambda: seeded(6, 10)[:, ::2],
    "expanded": lambda: seeded(6, 1).expand(6, 7),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@formulas
def test_symbolic_sizes_have_the_strides_of_torchs_operators(formula: Formula, layout: str) -> None:
    def both(x):
        inputs = (x, x + 3)[: formula.tensors]
        return formula.call(*inputs), (inputs[0].sin() if formula.tensors == 1 else torch.add(*inputs))

    x = LAYOUTS[layout]()
    mode = FakeTensorMode(shape_env=ShapeEnv())
    with mode:
        ours, torchs = both(mode.from_tensor(x))
    assert any(not isinstance(size, int) for size in ours.shape)
    assert (ours.shape, ours.dtype, ours.device) == (torchs.shape, torchs.dtype, torchs.device)
    assert ours.stride() == torchs.stride()
    assert tuple(int(stride) for stride in ours.stride()) == both(x)[0].stride()
    graph = make_fx(lambda x: both(x)[0], tracing_mode="symbolic")(x)
    assert formula.forms[0] in {node.target for node in graph.graph.nodes}
    torch.testing.assert_close(graph(x), both(x)[0], rtol=0, atol=0)


def test_no_copy_of_a_functional_operator_is_made_per_call() -> None:
    """What is returned is fresh memory, and the graph holds one call."""
    graph = make_fx(lambda x: ONE[0].call(x))(seeded(3))
    assert [node.op for node in graph.graph.nodes] == ["placeholder", "call_function", "output"]
