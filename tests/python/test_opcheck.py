"""torch.library.opcheck on every overload: schema and fake kernel. Gradients have tests of their own."""

import pytest
import torch

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


@pytest.mark.parametrize(("operator", "arguments", "keywords"), list(calls()), ids=lambda value: str(value)[:30])
def test_opcheck(operator, arguments, keywords) -> None:
    torch.library.opcheck(operator, arguments, keywords, test_utils=UTILITIES)


def test_every_form_exists() -> None:
    assert set(ops.softplus.overloads()) == {"default", "out"}
    assert set(ops.trig_mix.overloads()) == {"default", "Scalar", "out", "Scalar_out"}
    assert set(ops.exp_sin.overloads()) == {"default", "Tensor", "out", "Tensor_out"}
    assert {"default", "out"} <= set(ops.delay_line.overloads())
    for name in ("softplus_", "trig_mix_", "exp_sin_", "delay_line_"):
        assert "default" in getattr(ops, name).overloads()


def test_sizes_may_be_symbolic() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    traced = make_fx(lambda x, s: ops.trig_mix(ops.softplus(x), s), tracing_mode="symbolic")(
        torch.rand(3, 4), torch.rand(4)
    )
    x, s = torch.rand(5, 7), torch.rand(7)
    assert torch.equal(traced(x, s), ops.trig_mix(ops.softplus(x), s))
