"""The three elementwise operators of the lesson, each as portops, ATen, torch.compile and Numba."""

import numba
import numpy
import torch
from timing import keep_working, measure, print_table, three_digits, timer_of

THRESHOLD = 10.0
SCALE = 2.5
AMPLITUDE = 2.0

# A Python literal would lift the arithmetic to float64.
LIMIT = numpy.float32(THRESHOLD)
S = numpy.float32(SCALE)
A = numpy.float32(AMPLITUDE)

compiled_loop = numba.njit(parallel=True, fastmath=True)


@compiled_loop
def softplus_loop(x, y):
    for i in numba.prange(x.size):
        y[i] = numpy.log1p(numpy.exp(x[i])) if x[i] < LIMIT else x[i]


@compiled_loop
def trig_mix_loop(v, y):
    for i in numba.prange(v.size):
        mixed = numpy.sin(v[i]) * S + numpy.cos(v[i] / S)
        y[i] = mixed * mixed


@compiled_loop
def exp_sin_loop(x, y):
    for i in numba.prange(x.size):
        y[i] = numpy.exp(A * numpy.sin(x[i]))


def on_numpy_views(loop):
    def call(x):
        y = torch.empty_like(x)
        loop(x.view(-1).numpy(), y.view(-1).numpy())
        return y

    return call


def softplus(x):
    return torch.nn.functional.softplus(x, 1.0, THRESHOLD)


def trig_mix(v):
    return (torch.sin(v) * SCALE + torch.cos(v / SCALE)) ** 2


def exp_sin(x):
    return torch.exp(AMPLITUDE * torch.sin(x))


def operators():
    """Title, shape, portops, ATen, Numba."""
    ops = torch.ops.portops
    softplus_title = f"softplus, threshold {THRESHOLD:.0f}, 1000 x 1000"
    yield softplus_title, (1000, 1000), lambda x: ops.softplus(x, 1.0, THRESHOLD), softplus, softplus_loop
    # The overload by name: torch.ops would try the one for tensors first, which costs 20 microseconds.
    mix = ops.trig_mix.Scalar
    yield f"trig_mix, s = {SCALE}, 500 x 500", (500, 500), lambda x: mix(x, SCALE), trig_mix, trig_mix_loop
    yield f"exp_sin, a = {AMPLITUDE:.0f}, 65536", (65536,), lambda x: ops.exp_sin(x, AMPLITUDE), exp_sin, exp_sin_loop


def largest_error(result, exact):
    """In units in the last place of a float32 at the exact value."""
    exact = exact.numpy()
    magnitude = numpy.maximum(numpy.abs(exact), numpy.finfo(numpy.float32).tiny)
    unit = numpy.spacing(magnitude.astype(numpy.float32)).astype(numpy.float64)
    return (numpy.abs(result.double().numpy() - exact) / unit).max()


def rows_of(shape, portops, aten, loop, samples, with_compile):
    x = torch.empty(shape).uniform_(-20, 20, generator=torch.Generator().manual_seed(0))
    calls = {"portops": portops, "ATen": aten, "Numba": on_numpy_views(loop)}
    if with_compile:
        calls["torch.compile"] = torch.compile(aten)
    timers = keep_working({name: timer_of(lambda call=call: call(x)) for name, call in calls.items()})
    exact = aten(x.double())
    errors = {name: largest_error(calls[name](x), exact) for name in timers}
    spreads = measure(timers, samples, 5e-4)
    base = spreads["ATen"].median
    return [
        ["  " + name, *spread.cells(), f"{base / spread.median:.2f}", f"{three_digits(errors[name])}"]
        for name, spread in spreads.items()
    ]


def print_comparison(samples, with_compile):
    numba.set_num_threads(min(torch.get_num_threads(), numba.config.NUMBA_NUM_THREADS))
    print(f"2. Elementwise operators, float32, {torch.get_num_threads()} threads for every method, results newly made")
    rows = []
    for title, *details in operators():
        rows += [[title, "", "", "", ""], *rows_of(*details, samples, with_compile)]
    print(f"   median of {samples} runs in microseconds, all methods of an operator in turns in one process\n")
    print_table(["operator", "median us", "p10 - p90", "speed / ATen", "largest error, ulp"], rows)
    print("\n   Error: from the formula in float64, in float32 units in the last place of the exact value. Where the")
    print("   terms of trig_mix cancel, float32 arithmetic keeps few digits: the error in these units is large.\n")
