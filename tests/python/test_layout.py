"""Results have the strides that torch's elementwise rule gives, and the values of the contiguous tensor."""

import random

import pytest
import torch
from layouts import broadcastable, random_layout, random_sizes

ops = torch.ops.portops


@pytest.mark.parametrize("seed", range(3000))
def test_one_input_has_torchs_strides(seed: int) -> None:
    generator = random.Random(seed)
    x = random_layout(generator, random_sizes(generator), torch.float32)
    expected, actual = torch.sin(x), ops.softplus(x)
    assert actual.stride() == expected.stride(), f"{list(x.shape)} with strides {x.stride()}"
    assert torch.equal(actual, ops.softplus(x.contiguous()))


@pytest.mark.parametrize("seed", range(5000))
def test_two_inputs_have_torchs_strides(seed: int) -> None:
    generator = random.Random(seed)
    sizes = random_sizes(generator)
    x, s = (random_layout(generator, broadcastable(generator, sizes), torch.float32) for _ in range(2))
    if seed % 3 == 0:
        x = random_layout(generator, sizes, torch.float32)
    expected, actual = torch.add(x, s), ops.trig_mix(x, s)
    text = f"{list(x.shape)} {x.stride()} and {list(s.shape)} {s.stride()}"
    assert actual.shape == expected.shape, text
    assert actual.stride() == expected.stride(), text
    assert torch.equal(actual, ops.trig_mix(x.contiguous(), s.contiguous())), text


@pytest.mark.parametrize("seed", range(1500))
def test_meta_agrees_with_the_real_kernel(seed: int) -> None:
    generator = random.Random(seed)
    sizes = random_sizes(generator)
    dtypes = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.bool]
    x, s = (random_layout(generator, broadcastable(generator, sizes), generator.choice(dtypes)) for _ in range(2))
    real = ops.trig_mix(x, s)
    meta = ops.trig_mix(on_meta(x), on_meta(s))
    assert (meta.shape, meta.stride(), meta.dtype) == (real.shape, real.stride(), real.dtype)
    assert meta.device.type == "meta"


def on_meta(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


@pytest.mark.parametrize("memory_format", [torch.channels_last, torch.contiguous_format])
@pytest.mark.parametrize("sizes", [(2, 3, 4, 5), (1, 3, 4, 5), (2, 1, 4, 5), (2, 3, 1, 1), (0, 3, 4, 5), (1, 1, 1, 1)])
def test_memory_format_survives(memory_format: torch.memory_format, sizes: tuple[int, ...]) -> None:
    x, s = (torch.rand(sizes).to(memory_format=memory_format) for _ in range(2))
    scalar = torch.tensor(2.0)
    for actual, expected in (
        (ops.softplus(x), torch.sin(x)),
        (ops.exp_sin(x), torch.sin(x)),
        (ops.trig_mix(x, s), torch.add(x, s)),
        (ops.trig_mix(x, scalar), torch.add(x, scalar)),
        (ops.trig_mix(scalar, x), torch.add(scalar, x)),
    ):
        assert actual.stride() == expected.stride()
        if 0 not in sizes:
            assert actual.is_contiguous(memory_format=memory_format)


def test_channels_last_3d_survives() -> None:
    x = torch.rand(2, 3, 4, 5, 6).to(memory_format=torch.channels_last_3d)
    assert ops.softplus(x).is_contiguous(memory_format=torch.channels_last_3d)


@pytest.mark.parametrize("seed", range(300))
def test_delay_line_accepts_any_layout(seed: int) -> None:
    generator = random.Random(seed)
    sizes = [*random_sizes(generator)[:3], generator.choice([1, 2, 9, 40])]
    x = random_layout(generator, sizes, torch.float64)
    delays = random_layout(generator, broadcastable(generator, sizes), torch.float32).mul(9).to(torch.int16)
    expected = ops.delay_line(x.contiguous(), delays.expand(sizes).contiguous())
    actual = ops.delay_line(x, delays)
    assert torch.equal(actual, expected)
    assert actual.is_contiguous()
    meta = ops.delay_line(on_meta(x), on_meta(delays))
    assert (meta.shape, meta.stride(), meta.dtype) == (actual.shape, actual.stride(), actual.dtype)


def assert_layouts_do_not_matter(call, tensors: list[torch.Tensor]) -> None:
    """Neither to the results nor to meta."""
    actual, expected = call(*tensors), call(*(tensor.contiguous() for tensor in tensors))
    meta = call(*map(on_meta, tensors))
    for ours, plain, shape in zip(actual, expected, meta, strict=True):
        torch.testing.assert_close(ours, plain, rtol=0, atol=0, equal_nan=True)
        assert ours.is_contiguous()
        assert (shape.shape, shape.stride(), shape.dtype) == (ours.shape, ours.stride(), ours.dtype)


@pytest.mark.parametrize("seed", range(300))
def test_recurrences_accept_any_layout(seed: int) -> None:
    generator = random.Random(seed)
    rows, length, taps = random_sizes(generator)[:3], generator.choice([0, 1, 2, 9, 40]), generator.choice([1, 2, 5])

    def operand(*sizes: int, broadcast: bool = False) -> torch.Tensor:
        whole = [*rows, *sizes]
        dtype = generator.choice([torch.float16, torch.float32, torch.float64])
        return random_layout(generator, broadcastable(generator, whole) if broadcast else whole, dtype)

    x, history, initial, moving = operand(length), operand(7), operand(taps), operand(length, taps)
    coefficients = operand(length, taps, broadcast=True)
    delays = random_layout(generator, [*rows, length, taps], torch.float32).mul(9).add(1).to(torch.uint8)
    mix, near = operand(length, broadcast=True), delays[..., 0]
    assert_layouts_do_not_matter(lambda x, d, g: [ops.delay_line.Tensor(x, d, g)], [x, near, mix])
    assert_layouts_do_not_matter(ops.delay_line_stream, [x, near, history])
    assert_layouts_do_not_matter(ops.recurrence, [x, coefficients, delays, history])
    assert_layouts_do_not_matter(lambda *all_of: [ops.allpole(*all_of)], [x, moving, initial])


@pytest.mark.parametrize("seed", range(400))
def test_out_is_written_where_it_lies(seed: int) -> None:
    generator = random.Random(seed)
    x = random_layout(generator, random_sizes(generator), torch.float32)
    whole = torch.full([2 * size + 1 for size in x.shape], -1.0)
    out = whole[tuple(slice(1, None, 2) for _ in x.shape)]
    address, expected = out.data_ptr(), ops.softplus(x)
    ops.softplus.out(x, out=out)
    assert out.data_ptr() == address
    assert torch.equal(out, expected)
    assert (whole == -1).sum() == whole.numel() - x.numel()  # nothing beside it was written
