"""The elementwise operators, each as portops, ATen, torch.compile and Numba."""

import elementwise_methods
import torch
from elementwise_methods import AMPLITUDE, SCALE, THRESHOLD, on_numpy_views

# Bound once, as a user would: torch.ops looks a name up at every access.
OPS = ("softplus", "trig_mix", "exp_sin")
EXTRA = {"softplus": (1.0, THRESHOLD), "trig_mix": (SCALE,), "exp_sin": (AMPLITUDE,)}


def portops(op):
    """By overload, as README says for hot code: torch.ops tries those of a name in turn."""
    extra = EXTRA[op]
    call = getattr(getattr(torch.ops.portops, op), "Scalar" if op == "trig_mix" else "default")
    if len(extra) == 2:
        return lambda x: call(x, extra[0], extra[1])
    return lambda x: call(x, extra[0])


def aten(op):
    return getattr(elementwise_methods, op)


def compiled(op):
    """For one shape: what was compiled for others before is forgotten, so that the sizes do not become symbols."""
    torch._dynamo.reset()
    return torch.compile(aten(op), dynamic=False)


def numba_loop(op):
    return on_numpy_views(getattr(elementwise_methods, f"{op}_loop"))


def some_numbers(*sizes, dtype=torch.float32):
    return (
        torch.empty(sizes, dtype=torch.float64).uniform_(-20, 20, generator=torch.Generator().manual_seed(0)).to(dtype)
    )
