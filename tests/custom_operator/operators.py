"""What each operator must compute, written with torch's own operators."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch

mine = torch.ops.mine


class Case(NamedTuple):
    """An operator with its parameters bound, and the same from torch."""

    name: str
    overload: torch._ops.OpOverload
    parameters: dict
    reference: Callable
    tensors: int

    def __call__(self, *tensors: torch.Tensor):
        return self.overload(*tensors, **self.parameters)


def decayed_sum(x: torch.Tensor, decay: float) -> torch.Tensor:
    rows = [x[..., 0]]
    for i in range(1, x.shape[-1]):
        rows.append(decay * rows[-1] + x[..., i])
    return torch.stack(rows, -1)


def fir(x: torch.Tensor, taps: torch.Tensor) -> torch.Tensor:
    padded = torch.nn.functional.pad(x, (taps.shape[-1] - 1, 0))
    return (padded.unfold(-1, taps.shape[-1], 1) * taps.flip(-1).unsqueeze(-2)).sum(-1)


ELEMENTWISE = [
    Case("swish", mine.swish.default, {"beta": 1.5}, lambda x: x * torch.sigmoid(1.5 * x), 1),
    Case("axpy", mine.axpy.default, {"a": 3.0}, lambda x, y: 3 * x + y, 2),
    Case("polar", mine.polar.default, {}, lambda x, y: (torch.hypot(x, y), torch.atan2(y, x)), 2),
    Case("sinc", mine.sinc.default, {}, lambda x: torch.sinc(x / torch.pi), 1),
    Case("power", mine.power.default, {"factor": 2, "exponent": 3, "negate": True}, lambda x: -2 * x**3, 1),
    Case("power.real", mine.power.real, {"factor": 2, "exponent": 3, "negate": False}, lambda x: 2 * x**3, 1),
]
ROWWISE = [
    Case("decayed_sum", mine.decayed_sum.default, {"decay": 0.7}, lambda x: decayed_sum(x, 0.7), 1),
    Case("fir", mine.fir.default, {}, fir, 2),
]
EVERY = ELEMENTWISE + ROWWISE


def name(value) -> str | None:
    return value.name if isinstance(value, Case) else None


def inputs(case: Case, *sizes: int, dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    """Values in 0.5 to 1.5, where every operator is smooth."""
    generator = torch.Generator().manual_seed(len(case.name))
    return [torch.rand(sizes, generator=generator, dtype=torch.float64).add(0.5).to(dtype) for _ in range(case.tensors)]


def results(value) -> tuple[torch.Tensor, ...]:
    return value if isinstance(value, tuple) else (value,)


def refused(operator: str, *parts: str):
    """Expects an error with the operator's name and these parts, in this order."""
    pattern = r"(?is)mine::" + operator + "".join(".*" + part for part in parts)
    return pytest.raises((RuntimeError, ValueError), match=pattern)
