"""flanger_stream: blocks of any size give the bits of the whole; and what the effects refuse."""

import itertools
import random

import pytest
import torch

ops = torch.ops.portops
MODES = list(itertools.product(("sinusoidal", "triangular"), ("linear", "quadratic")))
RATE, PARAMETERS = 1000, (1.0, 7.0, 70.0, 90.0, 7.0, 30.0)
LEAST_HISTORY = 10  # int((1 + 7) / 1000 * 1000 + 0.5) + 2


def samples(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return (torch.rand(sizes, generator=torch.Generator().manual_seed(3)) * 2.4 - 1.2).to(dtype)


def stream(x: torch.Tensor, sizes, history: torch.Tensor, mode: tuple) -> torch.Tensor:
    blocks, position = [], 0
    for size in sizes:
        block = x[..., position : position + size]
        y, history = ops.flanger_stream(block, history, position, RATE, *PARAMETERS, *mode)
        blocks.append(y)
        position += size
    return torch.cat(blocks, dim=-1)


def random_sizes(length: int, largest: int, seed: int):
    generator = random.Random(seed)
    while length > 0:
        size = min(length, generator.randint(0, largest))
        length -= size
        yield size


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("mode", MODES, ids="-".join)
def test_blocks_equal_the_whole(mode: tuple, dtype: torch.dtype) -> None:
    x = samples(2, 3, 500, dtype=dtype)
    whole = ops.flanger(x, RATE, *PARAMETERS, *mode)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    for seed, (largest, length) in enumerate(((1, LEAST_HISTORY), (7, LEAST_HISTORY + 1), (40, 64), (300, 10))):
        history = torch.zeros(2, 3, length, dtype=wide)
        assert torch.equal(stream(x, random_sizes(500, largest, seed), history, mode), whole), largest


def test_an_empty_block_passes_the_history_on() -> None:
    history = samples(2, 3, 12)
    y, following = ops.flanger_stream(samples(2, 3, 0), history, 5, RATE, *PARAMETERS)
    assert y.shape == (2, 3, 0) and torch.equal(following, history)


def test_the_history_holds_what_entered_the_delay_buffer() -> None:
    # Without feedback that is the signal itself.
    x, history = samples(2, 30), samples(2, 12)
    _, following = ops.flanger_stream(x, history, 0, RATE, 1.0, 7.0)
    assert torch.equal(following, x[:, -12:])
    _, following = ops.flanger_stream(x[:, :5], history, 0, RATE, 1.0, 7.0)
    assert torch.equal(following, torch.cat([history[:, 5:], x[:, :5]], dim=1))


@pytest.mark.parametrize("mode", MODES, ids="-".join)
@pytest.mark.parametrize("length", [4, 15])
def test_derivatives(mode: tuple, length: int) -> None:
    x = (samples(2, length, dtype=torch.float64) * 0.3).requires_grad_()
    history = (samples(2, 11, dtype=torch.float64) * 0.3).requires_grad_()

    def call(x: torch.Tensor, history: torch.Tensor):
        return ops.flanger_stream(x, history, 13, RATE, *PARAMETERS, *mode)

    assert torch.autograd.gradcheck(call, (x, history), check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(call, (x, history))


def test_vmap_over_either_tensor() -> None:
    x, histories = samples(2, 20), samples(5, 2, 12)
    expected = [ops.flanger_stream(x, history, 3, RATE, *PARAMETERS) for history in histories]
    y, following = torch.vmap(lambda history: ops.flanger_stream(x, history, 3, RATE, *PARAMETERS))(histories)
    assert torch.equal(y, torch.stack([block for block, _ in expected]))
    assert torch.equal(following, torch.stack([history for _, history in expected]))
    blocks = samples(4, 2, 20)
    y, _ = torch.vmap(lambda block: ops.flanger_stream(block, histories[0], 3, RATE, *PARAMETERS))(blocks)
    assert torch.equal(y[1], ops.flanger_stream(blocks[1], histories[0], 3, RATE, *PARAMETERS)[0])


X = samples(2, 30)
NAN = float("nan")
REFUSED = [
    *(
        (name, lambda x, name=name, value=value: ops.flanger(x, RATE, **{name: value}), (name, f"{name}={value:g}"))
        for name, value in (
            ("delay", -1.0),
            ("delay", 31.0),
            ("depth", 11.0),
            ("depth", -0.5),
            ("regen", 96.0),
            ("regen", -96.0),
            ("width", 101.0),
            ("width", -1.0),
            ("speed", 0.05),
            ("speed", 11.0),
            ("speed", NAN),
            ("phase", 100.5),
            ("phase", -1.0),
            ("delay", float("inf")),
        )
    ),
    *(
        (name, lambda x, name=name, value=value: ops.phaser(x, RATE, **{name: value}), (name, f"{name}={value:g}"))
        for name, value in (
            ("gain_in", 1.5),
            ("gain_in", -1.0),
            ("gain_out", 2e9),
            ("gain_out", -1.0),
            ("delay_ms", 5.5),
            ("delay_ms", -1.0),
            ("decay", 1.0),
            ("decay", -0.1),
            ("mod_speed", 0.0),
            ("mod_speed", 2.5),
        )
    ),
    *(
        (name, lambda x, name=name, value=value: ops.overdrive(x, **{name: value}), (name, f"{name}={value:g}"))
        for name, value in (("gain", -1.0), ("gain", 101.0), ("colour", -0.5), ("colour", 200.0), ("gain", NAN))
    ),
    *(
        (f"rate {rate}", lambda x, call=call, rate=rate: call(x, rate), ("sample_rate", f"sample_rate={rate}"))
        for call in (ops.flanger, ops.phaser)
        for rate in (0, -44100, 2**62)
    ),
    ("modulation", lambda x: ops.flanger(x, RATE, modulation="square"), ('"sinusoidal" or "triangular"', '"square"')),
    ("interpolation", lambda x: ops.flanger(x, RATE, interpolation=""), ('"linear" or "quadratic"', '""')),
    ("period", lambda x: ops.flanger(x, 5, speed=10.0), ("period of the modulation", "speed=10", "sample_rate=5")),
    ("no delay", lambda x: ops.phaser(x, 44100, delay_ms=0.0), ("at least half a sample", "delay_ms=0")),
    ("channels", lambda x: ops.flanger(x.expand(3, 2, 30).reshape(6, 30), RATE), ("at most 4 channels", "channels=6")),
    ("axes", lambda x: ops.flanger(x[0], RATE), ("a channel and a time axis", "rank=1")),
    ("no axis", lambda x: ops.phaser(x[0, 0], RATE), ("time axis", "rank=0")),
    (
        "history",
        lambda x: ops.flanger_stream(x, x[:, :9], 0, RATE, *PARAMETERS),
        ("history must be at least", "history=9", "least=10"),
    ),
    ("position", lambda x: ops.flanger_stream(x, x, -1, RATE), ("position", "position=-1")),
    ("rows", lambda x: ops.flanger_stream(x, x.new_zeros(3, 30), 0, RATE), ("history", "(3, 30)")),
]


@pytest.mark.parametrize(("call", "texts"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refuses_in_one_clear_line(call, texts: tuple) -> None:
    for x in (X, X.to("meta")):
        with pytest.raises((RuntimeError, ValueError)) as caught:
            call(x)
        text = str(caught.value).splitlines()[0]
        assert text.startswith("portops::") and all(part in text for part in texts), text


@pytest.mark.parametrize("call", [lambda x: ops.flanger(x, RATE), lambda x: ops.phaser(x, RATE), ops.overdrive])
@pytest.mark.parametrize("dtype", [torch.int32, torch.bool, torch.complex64])
def test_refuses_what_is_no_signal(call, dtype: torch.dtype) -> None:
    with pytest.raises((RuntimeError, ValueError), match="portops::.*(float|complex|dtype)"):
        call(X.to(dtype))
