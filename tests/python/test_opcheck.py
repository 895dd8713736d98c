"""torch.library.opcheck on every overload: schema and fake kernel. Gradients have tests of their own."""

import pytest
import torch
import torch.utils._python_dispatch
from recurrence_cases import CASES, Case

ops = torch.ops.portops
UTILITIES = ("test_schema", "test_faketensor")


def calls():
    x, d = torch.rand(3, 4), torch.randint(0, 3, (3, 4))
    transposed, column, wide = torch.rand(4, 3).t(), torch.rand(3, 1), torch.rand(3, 4, dtype=torch.float64)
    for tensor in (
        x,
        transposed,
        wide,
        torch.rand(0, 4),
        torch.rand(()),
        torch.ones(3, 4, dtype=torch.int32),
        torch.rand(3, 4).bfloat16(),
        torch.rand(1, 4).expand(3, 4),
    ):
        yield ops.softplus.default, (tensor,), {}
        yield ops.softplus.default, (tensor, 2.0, 5.0), {}
        yield ops.trig_mix.Scalar, (tensor, 2.5), {}
        yield ops.exp_sin.default, (tensor,), {}
    for left, right in ((x, column), (column, wide), (transposed, torch.tensor(2.0)), (x.half(), x), (x, x)):
        yield ops.trig_mix.default, (left, right), {}
        yield ops.exp_sin.Tensor, (left, right), {}
    for samples, delays in ((x, d), (wide, d[0].to(torch.uint8)), (transposed, torch.tensor(1))):
        yield ops.delay_line.default, (samples, delays), {}
        yield ops.delay_line.default, (samples, delays, 0.25), {}
        yield ops.delay_line_.default, (samples.clone(), delays), {}
        yield ops.delay_line.out, (samples, delays), {"out": torch.empty_like(samples)}
    yield ops.softplus_.default, (x.clone(),), {}
    yield ops.softplus.out, (x,), {"out": torch.empty(3, 4)}
    yield ops.trig_mix_.default, (x.clone(), column), {}
    yield ops.trig_mix_.Scalar, (x.clone(), 2), {}
    yield ops.trig_mix.out, (x, column), {"out": torch.empty(4, 3).t()}
    yield ops.trig_mix.Scalar_out, (x, 2), {"out": torch.empty(3, 4)}
    yield ops.exp_sin_.default, (x.clone(), 3), {}
    yield ops.exp_sin_.Tensor, (x.clone(), column), {}
    yield ops.exp_sin.out, (x, 3), {"out": torch.empty(3, 4)}
    yield ops.exp_sin.Tensor_out, (x, column), {"out": torch.empty(3, 4)}


def row_calls():
    """The recurrences, with and without what is optional, in mixed types, strided, and without samples."""
    for rows, length in (((2,), 6), ((), 5), ((2, 2), 0)):
        x = torch.rand(*rows, length, 2)[..., 0]
        d, a = torch.randint(1, 4, (*rows, length)), torch.rand(*rows, length, 3) * 0.3
        taps, history, initial = torch.tensor([1, 2, 5]), torch.rand(*rows, 4).double(), torch.rand(*rows, 3)
        out = {"out": torch.empty(*rows, length)}
        outs = {"out0": torch.empty(*rows, length), "out1": torch.empty(*rows, 4).double()}
        for mix in (torch.tensor(0.5), torch.rand(length), torch.rand(*rows, 1).half()):
            yield ops.delay_line.Tensor, (x, d, mix), {}
            yield ops.delay_line_.Tensor, (x.clone(), d, mix), {}
            yield ops.delay_line.Tensor_out, (x, d, mix), out
        yield ops.delay_line_stream.default, (x, d, history, 0.25), {}
        yield ops.delay_line_stream.default, (x.bfloat16(), d.to(torch.uint64), history), {}
        yield ops.delay_line_stream.out, (x, d, history, 0.25), outs
        yield ops.recurrence.default, (x, a, taps), {}
        yield ops.recurrence.default, (x.half(), a[..., :1, :], taps.to(torch.uint8), history), {}
        yield ops.recurrence.out, (x, a, taps, history), outs
        yield ops.allpole.default, (x, a), {}
        yield ops.allpole.default, (x, a.double(), initial), {}
        yield ops.allpole.out, (x, a, initial), out


@pytest.mark.parametrize(
    ("operator", "arguments", "keywords"), [*calls(), *row_calls()], ids=lambda value: str(value)[:30]
)
def test_opcheck(operator, arguments, keywords) -> None:
    torch.library.opcheck(operator, arguments, keywords, test_utils=UTILITIES)


def test_every_form_exists() -> None:
    assert set(ops.softplus.overloads()) == {"default", "out"}
    assert set(ops.trig_mix.overloads()) == {"default", "Scalar", "out", "Scalar_out"}
    assert set(ops.exp_sin.overloads()) == {"default", "Tensor", "out", "Tensor_out"}
    assert set(ops.delay_line.overloads()) == {"default", "Tensor", "out", "Tensor_out"}
    assert set(ops.delay_line_.overloads()) == {"default", "Tensor"}
    for name in ("softplus_", "trig_mix_", "exp_sin_"):
        assert "default" in getattr(ops, name).overloads()
    for name in ("delay_line_stream", "recurrence", "allpole"):
        assert set(getattr(ops, name).overloads()) == {"default", "out"}
        assert not hasattr(ops, name + "_")


@pytest.mark.parametrize(
    ("operator", "schema"),
    [
        (
            "delay_line_stream",
            "(Tensor samples, Tensor delays, Tensor history, float mix=0.5) -> (Tensor, Tensor)",
        ),
        (
            "recurrence",
            "(Tensor input, Tensor coefficients, Tensor delays, Tensor? history=None) -> (Tensor, Tensor)",
        ),
        ("allpole", "(Tensor input, Tensor coefficients, Tensor? initial=None) -> Tensor"),
    ],
)
def test_schemas_are_those_of_the_contract(operator: str, schema: str) -> None:
    assert str(getattr(ops, operator).default._schema) == f"portops::{operator}{schema}"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_opcheck_of_differentiable_calls(case: Case) -> None:
    """All of opcheck: also that autograd is registered, and the traced graph with its gradients."""
    inputs = case.leaves(6)
    recorded = []

    class Recorder(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
            recorded.append((function, arguments))
            return function(*arguments, **(keywords or {}))

    with Recorder():
        case.call(case.delays_of(6), *inputs)
    ((operator, arguments),) = [call for call in recorded if call[0].namespace == "portops"]
    leaves = [x.detach().requires_grad_(x.is_floating_point()) if torch.is_tensor(x) else x for x in arguments]
    torch.library.opcheck(operator, tuple(leaves))


def test_sizes_may_be_symbolic() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    traced = make_fx(lambda x, s: ops.trig_mix(ops.softplus(x), s), tracing_mode="symbolic")(
        torch.rand(3, 4), torch.rand(4)
    )
    x, s = torch.rand(5, 7), torch.rand(7)
    assert torch.equal(traced(x, s), ops.trig_mix(ops.softplus(x), s))
