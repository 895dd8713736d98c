"""Every differentiable call of portops next to the same formula of torch's own operators."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

ops = torch.ops.portops
Call = Callable[..., torch.Tensor]


@dataclass(frozen=True)
class Formula:
    """A call with its parameters bound: what remains are the tensors."""

    name: str
    call: Call
    composite: Call
    in_place: Callable[..., None]
    out: Callable[..., None]
    tensors: int = 1
    forms: tuple = ()  # functional, in place, out overload
    parameters: tuple = ()

    def __repr__(self) -> str:
        return self.name


def make(name: str, forms: tuple, composite: Call, *parameters: object, tensors: int = 1) -> Formula:
    functional, in_place, out = forms
    return Formula(
        name,
        lambda *inputs: functional(*inputs, *parameters),
        lambda *inputs: composite(*inputs, *parameters),
        lambda *inputs: in_place(*inputs, *parameters),
        lambda *inputs, out_tensor: out(*inputs, *parameters, out=out_tensor),
        tensors,
        forms,
        parameters,
    )


def mix(v: torch.Tensor, scale: torch.Tensor | float) -> torch.Tensor:
    return (torch.sin(v) * scale + torch.cos(v / scale)) ** 2


def exp_sin(x: torch.Tensor, amplitude: torch.Tensor | float = 2.0) -> torch.Tensor:
    return torch.exp(amplitude * torch.sin(x))


softplus = torch.nn.functional.softplus
SOFTPLUS = (ops.softplus.default, ops.softplus_.default, ops.softplus.out)
TRIG_MIX = (ops.trig_mix.default, ops.trig_mix_.default, ops.trig_mix.out)
TRIG_MIX_SCALAR = (ops.trig_mix.Scalar, ops.trig_mix_.Scalar, ops.trig_mix.Scalar_out)
EXP_SIN = (ops.exp_sin.default, ops.exp_sin_.default, ops.exp_sin.out)
EXP_SIN_TENSOR = (ops.exp_sin.Tensor, ops.exp_sin_.Tensor, ops.exp_sin.Tensor_out)

FORMULAS = [
    make("softplus", SOFTPLUS, softplus),
    make("softplus_steep", SOFTPLUS, softplus, 3.0, 1.0),
    make("softplus_falling", SOFTPLUS, softplus, -1.5),
    make("trig_mix_scalar", TRIG_MIX_SCALAR, mix, 2.5),
    make("trig_mix", TRIG_MIX, mix, tensors=2),
    make("exp_sin", EXP_SIN, exp_sin),
    make("exp_sin_large", EXP_SIN, exp_sin, 3),
    make("exp_sin_tensor", EXP_SIN_TENSOR, exp_sin, tensors=2),
]
ONE = [formula for formula in FORMULAS if formula.tensors == 1]
TWO = [formula for formula in FORMULAS if formula.tensors == 2]


def seeded(*sizes: int, dtype: torch.dtype = torch.float64, seed: int = 7) -> torch.Tensor:
    """Values in [-2, 2], the same in every run; none at a branch of the formulas."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(sizes, generator=generator, dtype=torch.float64) * 4 - 2).to(dtype)


def inputs_of(formula: Formula, *sizes: int, dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    """One input, or an input and a second one that is far from zero, by which trig_mix divides."""
    tensors = [seeded(*sizes, dtype=dtype)]
    if formula.tensors == 2:
        tensors.append(seeded(*sizes, dtype=dtype, seed=8).abs() / 2 + 1)
    return tensors
