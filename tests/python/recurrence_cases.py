"""Every differentiable call of the recurrences next to the same loop over torch's own operators."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

ops = torch.ops.portops
# The types that delays may have.
INTEGERS = [
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint8,
    torch.uint16,
    torch.uint32,
    torch.uint64,
]
Tensor = torch.Tensor
Result = Tensor | tuple[Tensor, ...]


def columns(tensor: Tensor, axis: int = -1) -> list[Tensor]:
    return list(tensor.unbind(axis))


def pick(past: list[Tensor], at: Tensor) -> Tensor:
    """Entry `at` of the past, which may be another one in every row."""
    return torch.stack(past, -1).gather(-1, at.unsqueeze(-1)).squeeze(-1)


def delay_line(samples: Tensor, delays: Tensor, mix: Tensor | float = 0.5, history: Tensor | None = None) -> Tensor:
    delays = delays.long().broadcast_to(samples.shape)
    gain = torch.as_tensor(mix, dtype=samples.dtype).broadcast_to(samples.shape)
    y = [] if history is None else columns(history)
    kept = len(y)
    for i, x in enumerate(columns(samples)):
        at = (kept + i - delays[..., i]).clamp(min=0)
        mixed = (1 - gain[..., i]) * x + gain[..., i] * pick([*y, x], at)
        y.append(torch.where(at == kept + i, x, mixed))
    return torch.stack(y[kept:], -1)


def next_history(y: Tensor, history: Tensor | None) -> Tensor:
    if history is None:
        return y[..., :0]
    return torch.cat([history, y], -1)[..., y.shape[-1] :]


def delay_line_stream(samples: Tensor, delays: Tensor, history: Tensor, mix: float = 0.5) -> tuple[Tensor, Tensor]:
    y = delay_line(samples, delays, mix, history)
    return y, next_history(y, history)


def recurrence(x: Tensor, a: Tensor, delays: Tensor, history: Tensor | None = None) -> tuple[Tensor, Tensor]:
    taps = torch.broadcast_shapes(a.shape, delays.shape)[-1]
    a, delays = (tensor.broadcast_to((*x.shape, taps)) for tensor in (a, delays.long()))
    past = [torch.zeros_like(x[..., 0])] if history is None else columns(history)
    kept = len(past)
    for i in range(x.shape[-1]):
        total = x[..., i]
        for k in range(taps):
            total = total + a[..., i, k] * pick(past, (kept + i - delays[..., i, k]).clamp(min=0))
        past.append(total)
    y = torch.stack(past[kept:], -1)
    return y, next_history(y, history)


def allpole(x: Tensor, a: Tensor, initial: Tensor | None = None) -> Tensor:
    y = [torch.zeros_like(x[..., 0])] * a.shape[-1] if initial is None else columns(initial.flip(-1))
    kept = len(y)
    for t in range(x.shape[-1]):
        y.append(x[..., t] - sum(a[..., t, k] * y[kept + t - 1 - k] for k in range(a.shape[-1])))
    return torch.stack(y[kept:], -1)


@dataclass(frozen=True)
class Case:
    """A call and its loop take the delays first, then the tensors that have a gradient."""

    name: str
    call: Callable[..., Result]
    loop: Callable[..., Result]
    delays: Callable[[int], tuple[int, ...]]
    sizes: Callable[[int], tuple[tuple[int, ...], ...]]

    def __repr__(self) -> str:
        return self.name

    def delays_of(self, length: int, dtype: torch.dtype = torch.int64) -> Tensor:
        """From 1 on, since a recurrence has no 0; some of them before the start of the row."""
        generator = torch.Generator().manual_seed(3)
        return torch.randint(1, 9, self.delays(length), generator=generator).to(dtype)

    def inputs(self, length: int, dtype: torch.dtype = torch.float64) -> list[Tensor]:
        """Coefficients of which three together stay below 1, so that long rows stay finite."""
        generator = torch.Generator().manual_seed(7)
        wide = [torch.rand(size, generator=generator, dtype=torch.float64) * 0.6 - 0.3 for size in self.sizes(length)]
        return [tensor.to(dtype) for tensor in wide]

    def leaves(self, length: int, dtype: torch.dtype = torch.float64) -> list[Tensor]:
        return [tensor.requires_grad_() for tensor in self.inputs(length, dtype)]


def as_tuple(result: Result) -> tuple[Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


def row(n: int) -> tuple[int, ...]:
    return (2, n)


def taps(n: int) -> tuple[int, ...]:
    return (2, n, 3)


def no_delays(_: int) -> tuple[int, ...]:
    return ()


CASES = [
    Case(
        "delay_line",
        lambda d, x: ops.delay_line(x, d, 0.3),
        lambda d, x: delay_line(x, d, 0.3),
        row,
        lambda n: ((2, n),),
    ),
    *(
        Case(
            f"delay_line.Tensor with mix of {rank} dimensions",
            lambda d, x, g: ops.delay_line.Tensor(x, d, g),
            lambda d, x, g: delay_line(x, d, g),
            row,
            sizes,
        )
        for rank, sizes in enumerate((lambda n: ((2, n), ()), lambda n: ((2, n), (n,)), lambda n: ((2, n), (2, 1))))
    ),
    Case(
        "delay_line_stream",
        lambda d, x, h: ops.delay_line_stream(x, d, h, 0.3),
        lambda d, x, h: delay_line_stream(x, d, h, 0.3),
        row,
        lambda n: ((2, n), (2, 5)),
    ),
    Case(
        "recurrence",
        lambda d, x, a: ops.recurrence(x, a, d)[0],
        lambda d, x, a: recurrence(x, a, d)[0],
        taps,
        lambda n: ((2, n), (2, n, 3)),
    ),
    Case(
        "recurrence with history",
        lambda d, x, a, h: ops.recurrence(x, a, d, h),
        lambda d, x, a, h: recurrence(x, a, d, h),
        taps,
        lambda n: ((2, n), (n, 3), (2, 5)),
    ),
    Case(
        "recurrence of constant taps",
        lambda d, x, a, h: ops.recurrence(x, a, d, h),
        lambda d, x, a, h: recurrence(x, a, d, h),
        lambda _: (3,),
        lambda n: ((2, n), (2, 1, 3), (2, 5)),
    ),
    Case(
        "allpole",
        lambda _, x, a: ops.allpole(x, a),
        lambda _, x, a: allpole(x, a),
        no_delays,
        lambda n: ((2, n), (2, n, 2)),
    ),
    Case(
        "allpole with initial",
        lambda _, x, a, z: ops.allpole(x, a, z),
        lambda _, x, a, z: allpole(x, a, z),
        no_delays,
        lambda n: ((2, n), (2, n, 2), (2, 2)),
    ),
]
