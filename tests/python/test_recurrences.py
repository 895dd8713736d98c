"""Values of the recurrences: against plain loops, SciPy, and what the contract says of delays and types."""

import itertools

import numpy
import pytest
import recurrence_cases as loops
import torch
from scipy.signal import lfilter
from torchlpc import sample_wise_lpc

ops = torch.ops.portops
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
SIGNED = [torch.int8, torch.int16, torch.int32, torch.int64]
INTEGERS = loops.INTEGERS
ERRORS = (RuntimeError, ValueError)


def seeded(*sizes: int, dtype: torch.dtype = torch.float64, seed: int = 1) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(sizes, generator=generator, dtype=torch.float64) * 2 - 1).to(dtype)


def delays_to(largest: int, *sizes: int, least: int = 0) -> torch.Tensor:
    return torch.randint(least, largest + 1, sizes, generator=torch.Generator().manual_seed(2))


# Gains of at most 0.9 let the error of each step, of some units, grow to ten times its size. SciPy and the loops round
# in float64 as we do, in another order.
FLOAT64 = {"rtol": 100 * 2.0**-52, "atol": 100 * 2.0**-52}


@pytest.mark.parametrize("mix", [0.0, 0.5, -0.9, 1.0])
@pytest.mark.parametrize("largest", [0, 1, 3, 1000])
def test_delay_line_is_the_plain_loop(mix: float, largest: int) -> None:
    x, d = seeded(200), delays_to(largest, 200)
    expected = []
    for i, (sample, delay) in enumerate(zip(x.tolist(), d.tolist(), strict=True)):
        source = max(0, i - delay)
        expected.append(sample if source == i else (1 - mix) * sample + mix * expected[source])
    expected = torch.tensor(expected, dtype=torch.float64)
    number, tensor = (
        ops.delay_line(x, d, mix),
        ops.delay_line.Tensor(x, d, torch.full((200,), mix, dtype=torch.float64)),
    )
    tolerance = FLOAT64 if abs(mix) < 1 else {"rtol": 400 * 2.0**-52, "atol": 400 * 2.0**-52}
    torch.testing.assert_close(number, expected, **tolerance)
    torch.testing.assert_close(tensor, expected, **tolerance)


@pytest.mark.parametrize("case", loops.CASES, ids=str)
@pytest.mark.parametrize("length", [1, 2, 50])
def test_every_call_is_its_loop(case: loops.Case, length: int) -> None:
    for integer in INTEGERS:
        delays, inputs = case.delays_of(length, integer), case.inputs(length)
        torch.testing.assert_close(case.call(delays, *inputs), case.loop(delays, *inputs), **FLOAT64)


@pytest.mark.parametrize("order", [1, 2, 5, 8, 10])
def test_constant_taps_are_the_filter_of_scipy(order: int) -> None:
    """Zeros of the denominator within 0.9 of the origin: its taps are at most binomial, as is the error's growth."""
    a = numpy.poly(seeded(order).numpy() * 0.9)
    x = seeded(3, 2000)
    expected = torch.from_numpy(lfilter([1.0], a, x.numpy()))
    taps = -torch.from_numpy(a[1:])
    scale = expected.abs().max().item() * 2.0**order
    tolerance = {"rtol": 0, "atol": 100 * scale * 2.0**-52}
    y, history = ops.recurrence(x, taps, torch.arange(1, order + 1))
    torch.testing.assert_close(y, expected, **tolerance)
    assert history.shape == (3, 0)
    constant = torch.from_numpy(a[1:]).expand(3, 2000, order)
    torch.testing.assert_close(ops.allpole(x, constant), expected, **tolerance)


@pytest.mark.filterwarnings("ignore:Cannot find custom extension")
def test_allpole_has_the_values_and_gradients_of_torchlpc() -> None:
    x, a, z = (seeded(*sizes).requires_grad_() for sizes in ((3, 50), (3, 50, 4), (3, 4)))
    small = a * 0.1
    results = [sample_wise_lpc(x, small, z), ops.allpole(x, small, z)]
    torch.testing.assert_close(*results, **FLOAT64)
    weights = torch.linspace(-1, 1, 150, dtype=torch.float64).reshape(3, 50)
    grads = [torch.autograd.grad((result * weights).sum(), (x, a, z), retain_graph=True) for result in results]
    for theirs, ours in zip(*grads, strict=True):
        torch.testing.assert_close(ours, theirs, **FLOAT64)


def test_allpole_of_moving_poles_is_the_plain_loop() -> None:
    x, a, initial = seeded(4, 300), seeded(4, 300, 3) * 0.3, seeded(4, 3)
    for z in (None, initial):
        torch.testing.assert_close(ops.allpole(x, a, z), loops.allpole(x, a, z), **FLOAT64)


def test_blocks_of_random_length_are_the_whole() -> None:
    generator = torch.Generator().manual_seed(5)
    for dtype in (torch.float32, torch.float64):
        x, d, history = seeded(2, 1000, dtype=dtype), delays_to(40, 2, 1000, least=1), seeded(2, 40, dtype=dtype)
        a = seeded(2, 1000, 2, dtype=dtype) * 0.4
        taps = d.unsqueeze(-1).expand(2, 1000, 2)
        calls = (
            lambda at, h, x=x, d=d: ops.delay_line_stream(x[:, at], d[:, at], h, 0.7),
            lambda at, h, x=x, a=a, taps=taps: ops.recurrence(x[:, at], a[:, at], taps[:, at], h),
        )
        for call in calls:
            whole, last = call(slice(0, 1000), history)
            parts, kept, begin = [], history, 0
            while begin < 1000:
                end = begin + int(torch.randint(0, 90, (), generator=generator))
                part, kept = call(slice(begin, end), kept)
                parts.append(part)
                begin = end
            assert torch.equal(torch.cat(parts, -1), whole)
            assert torch.equal(kept, last)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_the_largest_delay_of_every_type_reads_what_lies_before(dtype: torch.dtype) -> None:
    x, history = seeded(70, dtype=torch.float32), seeded(3, dtype=torch.float32)
    d = torch.full((70,), torch.iinfo(dtype).max, dtype=dtype)
    assert torch.equal(ops.delay_line(x, d, 0.5), torch.cat([x[:1], x[1:] * 0.5 + x[0] * 0.5]))
    ours, _ = ops.delay_line_stream(x, d, history, 0.5)
    assert torch.equal(ours, x * 0.5 + history[0] * 0.5)
    ours, last = ops.recurrence(x, torch.tensor([0.5]), d[:1], history)
    assert torch.equal(ours, x + history[0] * 0.5)
    assert torch.equal(last, ours[-3:])
    assert torch.equal(ops.recurrence(x, torch.tensor([0.5]), d[:1])[0], x)


@pytest.mark.parametrize("dtype", SIGNED, ids=str)
@pytest.mark.parametrize("value", [-1, None])
def test_negative_delays_raise_and_write_nothing(dtype: torch.dtype, value: int | None) -> None:
    value = torch.iinfo(dtype).min if value is None else value
    x, d, h = seeded(4, 30), torch.ones(4, 30, dtype=dtype), seeded(4, 3)
    d[2, 17], d[3, 0] = value, -1
    mix, taps = seeded(4, 30), seeded(1)
    before, out, kept = x.clone(), torch.full_like(x, 5), torch.full_like(h, 5)
    for name, call in (
        ("delay_line", lambda: ops.delay_line(x, d)),
        ("delay_line", lambda: ops.delay_line_(x, d)),
        ("delay_line", lambda: ops.delay_line.out(x, d, out=out)),
        ("delay_line", lambda: ops.delay_line.Tensor(x, d, mix)),
        ("delay_line", lambda: ops.delay_line_.Tensor(x, d, mix)),
        ("delay_line", lambda: ops.delay_line.Tensor_out(x, d, mix, out=out)),
        ("delay_line_stream", lambda: ops.delay_line_stream(x, d, h)),
        ("delay_line_stream", lambda: ops.delay_line_stream.out(x, d, h, out0=out, out1=kept)),
        ("recurrence", lambda: ops.recurrence(x, taps, d.unsqueeze(-1))),
        ("recurrence", lambda: ops.recurrence.out(x, taps, d.unsqueeze(-1), h, out0=out, out1=kept)),
        ("delay_line", lambda: ops.delay_line_vjp([x], [x, d], 0.5, [True, False])),
    ):
        with pytest.raises(ERRORS, match=rf"portops::{name}\w*: delays must .*77.*{value}"):
            call()
    assert torch.equal(x, before)
    assert (out == 5).all() and (kept == 5).all()


def test_a_recurrence_has_no_delay_of_zero() -> None:
    x = seeded(10)
    for dtype in INTEGERS:
        with pytest.raises(ERRORS, match=r"portops::recurrence: delays must be at least 1 .*delay=0"):
            ops.recurrence(x, seeded(1), torch.zeros(1, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("case", loops.CASES, ids=str)
def test_half_types_are_computed_in_float32_and_rounded_once(case: loops.Case, dtype: torch.dtype) -> None:
    delays, inputs = case.delays_of(200), case.inputs(200, dtype)
    halves = loops.as_tuple(case.call(delays, *inputs))
    wide = loops.as_tuple(case.call(delays, *(tensor.float() for tensor in inputs)))
    for half, exact in zip(halves, wide, strict=True):
        assert torch.equal(half, exact.to(dtype))


def test_types_promote_as_those_of_torch_do() -> None:
    """Coefficients and mix take part; delays do not, and what lies before the row keeps its type."""
    d = torch.ones(5, dtype=torch.int64)
    for left, right, kept in itertools.product(FLOATS, FLOATS, FLOATS):
        x, mix, history = seeded(5, dtype=left), seeded(5, dtype=right), seeded(3, dtype=kept)
        expected = torch.result_type(x, mix)
        assert ops.delay_line.Tensor(x, d, mix).dtype == expected
        assert ops.delay_line.Tensor(x, d, mix[0]).dtype == left
        y, last = ops.recurrence(x, mix.unsqueeze(-1), d[:1], history)
        assert (y.dtype, last.dtype) == (expected, kept)
        y, last = ops.delay_line_stream(x, d, history)
        assert (y.dtype, last.dtype) == (left, kept)
        y = x.clone()
        ops.delay_line_.Tensor(y, d, mix)
        assert y.dtype == left
        assert torch.equal(y, ops.delay_line.Tensor(x, d, mix).to(left))
