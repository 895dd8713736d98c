"""Exact values of the operators and distances from them in units in the last place."""

import numpy
import torch

from support.operators import AMPLITUDE, SCALE, THRESHOLD


def wide(x):
    """float64 is exact enough for float32 and less; float64 itself is compared in the processor's 80 bits."""
    if x.dtype == torch.float64:
        return x.detach().numpy().astype(numpy.longdouble)
    return x.detach().double().numpy()


def softplus(x):
    one = x.dtype.type(1)
    return numpy.where(x < THRESHOLD, numpy.log1p(numpy.exp(numpy.minimum(x, THRESHOLD * one))), x)


def trig_mix(v):
    scale = v.dtype.type(SCALE)
    return (numpy.sin(v) * scale + numpy.cos(v / scale)) ** 2


def exp_sin(x):
    return numpy.exp(x.dtype.type(AMPLITUDE) * numpy.sin(x))


EXACT = {"softplus": softplus, "trig_mix": trig_mix, "exp_sin": exp_sin}


def largest_error(op, x, result):
    """In units in the last place of the result's type at the exact value."""
    exact = EXACT[op](wide(x))
    info = torch.finfo(result.dtype)
    digits = {torch.float64: 53, torch.float32: 24, torch.float16: 11, torch.bfloat16: 8}[result.dtype]
    magnitude = numpy.maximum(numpy.abs(exact), info.tiny)
    unit = numpy.ldexp(exact.dtype.type(1), numpy.frexp(magnitude)[1] - digits)
    return round(float((numpy.abs(wide(result) - exact) / unit).max()), 2)
