"""One call that must be refused, and what may be wrong with how it is refused."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import torch

NOTHING_RAISED = "nothing is raised"


@dataclass(frozen=True)
class Case:
    """`run` is called on the tensors; none of them may change. `texts` are parts of the error's text, in any order."""

    name: str
    operator: str
    run: Callable[..., object]
    tensors: tuple
    texts: tuple[str, ...]

    def __repr__(self) -> str:
        return f"{self.operator}: {self.name}"


def bits(tensor: torch.Tensor) -> list | None:
    """The values, of a tensor that has some."""
    plain = tensor.device.type == "cpu" and tensor.layout == torch.strided and not tensor.is_nested
    if not plain or tensor.is_quantized or tensor.untyped_storage().nbytes() == 0:
        return None
    return tensor.to(torch.complex128).tolist() if tensor.is_complex() else tensor.double().tolist()


def complaint(case: Case) -> str:
    """What is wrong with how the case is refused; empty if nothing is."""
    before = [bits(tensor) for tensor in case.tensors]
    try:
        case.run(*case.tensors)
    except (RuntimeError, ValueError) as error:
        text = str(error)
        missing = [part for part in (f"portops::{case.operator}", *case.texts) if not re.search(part, text)]
        if missing:
            return f"the text lacks {missing}: {text[:300]}"
    except BaseException as error:
        return f"raises {type(error).__name__}: {str(error)[:300]}"
    else:
        return NOTHING_RAISED
    if [bits(tensor) for tensor in case.tensors] != before:
        return "something was written"
    good = (torch.ops.portops.softplus(torch.zeros(5)) - 0.6931472).abs().max() < 1e-6
    good &= torch.ops.portops.delay_line(torch.arange(1.0, 4.0), torch.ones(3, dtype=torch.int64)).tolist() == [
        1.0,
        1.5,
        2.25,
    ]
    return "" if good else "the next good call gives another result"
