"""flanger, phaser and overdrive: the results and gradients of torchaudio's functions of the same names, and streaming.

They are compared to the bit: every sample is computed by the same operations in the same order. Of a flanger, a delay
may differ where the last bit of a sine does: torch's has an error of up to 1 ulp, which depends on the processor. That
moves a float32 delay by one unit at most, 2^-19 of a sample for the delays of up to 16 samples below, and the result by
that part of the difference of two values of at most 4, again and again through a feedback that decays within 1/(1-0.95)
turns: 2^-19 * 4 * 20. On the machines of the project no bit differs.
"""

import itertools

import pytest
import torch
import torchaudio.functional as peer
from torchaudio.functional import filtering

ops = torch.ops.portops
FLANGER_TOLERANCE = 2.0**-19 * 4 * 20
TYPES = (torch.float32, torch.float64)
MODES = list(itertools.product(("sinusoidal", "triangular"), ("linear", "quadratic")))
# delay, depth, regen, width, speed, phase
FLANGERS = [
    (0.0, 2.0, 0.0, 71.0, 0.5, 25.0),
    (0.0, 0.0, 90.0, 100.0, 1.0, 50.0),
    (10.0, 6.0, -95.0, 100.0, 10.0, 100.0),
    (5.0, 3.0, 60.0, 50.0, 3.0, 33.0),
]
# gain_in, gain_out, delay_ms, decay, mod_speed
PHASERS = [(0.4, 0.74, 3.0, 0.4, 0.5), (1.0, 5.0, 5.0, 0.99, 2.0), (0.9, 1.0, 4.0, 0.9, 0.1)]
OVERDRIVES = [(20, 20), (0, 0), (50.0, 80.0), (100, 100)]
# Every operator with quick modulation, so that short rows see all of it, and some samples beyond [-1, 1].
CALLS = {
    "flanger": lambda x: ops.flanger(x, 1000, 1.0, 3.0, 50.0, 90.0, 10.0, 30.0),
    "flanger_quadratic": lambda x: ops.flanger(x, 1000, 0, 2, -70, 90, 10, 30, "triangular", "quadratic"),
    "phaser": lambda x: ops.phaser(x, 1000, 0.9, 1.0, 4.0, 0.6, 2.0),
    "phaser_triangular": lambda x: ops.phaser(x, 1000, 0.9, 1.0, 4.0, 0.6, 2.0, False),
    "overdrive": lambda x: ops.overdrive(x, 6.0, 40.0),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())


def samples(*sizes: int, dtype: torch.dtype = torch.float64, seed: int = 3, scale: float = 1.2) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return ((torch.rand(sizes, generator=generator, dtype=torch.float64) * 2 - 1) * scale).to(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("mode", MODES, ids="-".join)
def test_flanger_is_that_of_torchaudio(mode: tuple, dtype: torch.dtype) -> None:
    # Periods of the modulation that are longer and shorter than the signal.
    for rate, parameters in itertools.product((120, 1000), FLANGERS):
        x = samples(2, 3, 200, dtype=dtype)
        expected = peer.flanger(x, rate, *parameters, *mode)
        torch.testing.assert_close(ops.flanger(x, rate, *parameters, *mode), expected, rtol=0, atol=FLANGER_TOLERANCE)


def test_flanger_keeps_to_the_shapes_of_torchaudio() -> None:
    for sizes in ((1, 150), (4, 150), (2, 2, 1), (2, 1, 3, 7)):
        x = samples(*sizes, dtype=torch.float32)
        torch.testing.assert_close(ops.flanger(x, 8000), peer.flanger(x, 8000), rtol=0, atol=FLANGER_TOLERANCE)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("sinusoidal", [True, False])
def test_phaser_is_that_of_torchaudio(sinusoidal: bool, dtype: torch.dtype) -> None:
    for rate, sizes in ((300, (400,)), (1000, (2, 3, 400)), (8000, (2, 900))):
        for parameters in PHASERS:
            x = samples(*sizes, dtype=dtype)
            assert torch.equal(
                ops.phaser(x, rate, *parameters, sinusoidal), peer.phaser(x, rate, *parameters, sinusoidal)
            )


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("parameters", OVERDRIVES)
def test_overdrive_is_that_of_torchaudio(parameters: tuple, dtype: torch.dtype) -> None:
    for sizes in ((1,), (999,), (2, 3, 400)):
        x = samples(*sizes, dtype=dtype)
        assert torch.equal(ops.overdrive(x, *parameters), peer.overdrive(x, *parameters))


def test_defaults_are_those_of_torchaudio() -> None:
    x = samples(2, 300, dtype=torch.float32)
    torch.testing.assert_close(ops.flanger(x, 4000), peer.flanger(x, 4000), rtol=0, atol=FLANGER_TOLERANCE)
    assert torch.equal(ops.phaser(x, 4000), peer.phaser(x, 4000))
    assert torch.equal(ops.overdrive(x), peer.overdrive(x))
    keywords = {"delay": 1.0, "modulation": "triangular", "interpolation": "quadratic"}
    torch.testing.assert_close(
        ops.flanger(x, 4000, **keywords), peer.flanger(x, 4000, **keywords), rtol=0, atol=FLANGER_TOLERANCE
    )


def gradients(call, x: torch.Tensor, direction: torch.Tensor) -> torch.Tensor:
    x = x.detach().requires_grad_()
    return torch.autograd.grad(call(x), x, direction)[0]


# The same sums in another order: some hundred terms in float64, of which each loses 2^-53.
GRADIENT_TOLERANCE = {"rtol": 1e-12, "atol": 1e-12}


@pytest.mark.parametrize("mode", MODES, ids="-".join)
def test_flanger_has_the_gradient_of_torchaudio(mode: tuple) -> None:
    x, direction = samples(2, 2, 60), samples(2, 2, 60, seed=4)
    for parameters in FLANGERS:
        ours = gradients(lambda x, p=parameters: ops.flanger(x, 1000, *p, *mode), x, direction)
        theirs = gradients(lambda x, p=parameters: peer.flanger(x, 1000, *p, *mode), x, direction)
        # A delay that differs by one unit of float32 changes weights by as much as it changes results.
        torch.testing.assert_close(ours, theirs, rtol=0, atol=FLANGER_TOLERANCE)


def test_phaser_has_the_gradient_of_torchaudio() -> None:
    x, direction = samples(2, 200), samples(2, 200, seed=4)
    for parameters in PHASERS:
        ours = gradients(lambda x, p=parameters: ops.phaser(x, 1000, *p), x, direction)
        theirs = gradients(lambda x, p=parameters: peer.phaser(x, 1000, *p), x, direction)
        torch.testing.assert_close(ours, theirs, **GRADIENT_TOLERANCE)


def test_overdrive_has_the_gradient_of_torchaudio(monkeypatch: pytest.MonkeyPatch) -> None:
    # torchaudio's C++ loop has no gradient; its loop in Python has.
    monkeypatch.setattr(filtering, "_overdrive_core_loop_cpu", filtering._overdrive_core_loop_generic)
    x, direction = samples(2, 100), samples(2, 100, seed=4)
    for parameters in OVERDRIVES:
        ours = gradients(lambda x, p=parameters: ops.overdrive(x, *p), x, direction)
        theirs = gradients(lambda x, p=parameters: peer.overdrive(x, *p), x, direction)
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12 * theirs.abs().max().item())


@every_call
def test_derivatives(call) -> None:
    x = samples(2, 9, scale=0.4).requires_grad_()
    assert torch.autograd.gradcheck(call, x, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(call, x)


def test_the_gradient_passes_the_ends_of_the_clamp_and_nothing_beyond() -> None:
    # With gains of 1 the first sample is passed on as it is.
    x = torch.tensor([[1.0], [-1.0], [1.01], [-1.01], [float("nan")]], dtype=torch.float64, requires_grad=True)
    y = ops.phaser(x, 1000, 1.0, 1.0)
    torch.testing.assert_close(y[:, 0], x[:, 0].clamp(-1, 1), rtol=0, atol=0, equal_nan=True)
    assert torch.autograd.grad(y.sum(), x)[0][:, 0].tolist() == [1, 1, 0, 0, 0]


@every_call
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_types_are_computed_in_float32_and_rounded_once(call, dtype: torch.dtype) -> None:
    x = samples(2, 2, 80, dtype=dtype)
    assert torch.equal(call(x), call(x.float()).to(dtype))


@every_call
def test_layouts_batches_and_threads_change_no_bit(call) -> None:
    x = samples(2, 3, 90, dtype=torch.float32)
    expected = call(x)
    assert torch.equal(call(x.permute(2, 0, 1).contiguous().permute(1, 2, 0)), expected)
    assert torch.equal(call(torch.stack([x, x], dim=-1)[..., 0]), expected)
    assert torch.equal(torch.vmap(call)(x), expected)
    assert torch.equal(torch.vmap(call, in_dims=1, out_dims=1)(x.transpose(0, 1)), expected.transpose(0, 1))
    assert call(x[:0]).shape == (0, 3, 90) and call(x[..., :0]).shape == (2, 3, 0)
    assert torch.equal(call(x[..., :1].expand(2, 3, 90)), call(x[..., :1].expand(2, 3, 90).clone()))


@every_call
def test_compiles_in_one_graph_for_every_length(call) -> None:
    compiled = torch.compile(call, fullgraph=True, dynamic=True, backend="aot_eager")
    for length in (30, 47):
        x = samples(2, length).requires_grad_()
        y = compiled(x)
        assert torch.equal(y, call(x))
        assert torch.equal(torch.autograd.grad(y.sum(), x)[0], torch.autograd.grad(call(x).sum(), x)[0])


def operator_calls():
    x = samples(2, 40, scale=0.4)
    history = torch.zeros(2, 10, dtype=torch.float64)
    yield ops.flanger.default, (x, 1000)
    yield ops.flanger.default, (x, 1000, 0.0, 2.0, 0.0, 71.0, 0.5, 25.0, "triangular", "quadratic")
    yield ops.flanger_stream.default, (x, history, 7, 1000)
    yield ops.phaser.default, (x, 1000)
    yield ops.overdrive.default, (x.requires_grad_(),)


@pytest.mark.parametrize(("operator", "arguments"), list(operator_calls()), ids=lambda value: str(value)[:30])
def test_opcheck(operator, arguments: tuple) -> None:
    torch.library.opcheck(
        operator, arguments, test_utils=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
    )


def test_out_form_writes_where_it_is_told() -> None:
    x = samples(2, 3, 40)
    out = torch.empty(40, 2, 3, dtype=torch.float64).permute(1, 2, 0)
    ops.flanger.out(x, 1000, out=out)
    assert torch.equal(out, ops.flanger(x, 1000))
    ops.overdrive.out(x, out=out)
    assert torch.equal(out, ops.overdrive(x))
    ops.phaser.out(x, 1000, out=x)
    assert torch.equal(x, ops.phaser(samples(2, 3, 40), 1000))
