"""The delay line of the question: y[i] = (1 - g) x[i] + g y[max(0, i - d[i])], in place, written in six ways."""

import warnings

import numba
import torch
from timing import keep_working, measure, print_table, three_digits, timer_of

LENGTH = 1024
MIX = 0.5


def tensor_loop(samples: torch.Tensor, delays: torch.Tensor, mix: float):
    for i in range(samples.shape[0]):
        source = max(0, i - int(delays[i]))
        samples[i] = (1 - mix) * samples[i] + mix * samples[source]


@numba.njit
def array_loop(samples, delays, mix):
    for i in range(samples.shape[0]):
        source = max(0, i - delays[i])
        samples[i] = (1 - mix) * samples[i] + mix * samples[source]


def numba_loop(samples, delays, mix):
    array_loop(samples.numpy(), delays.numpy(), mix)


def scripted_loop():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.script(tensor_loop)


def float64_loop(samples, delays):
    values = samples.tolist()
    for i, delay in enumerate(delays.tolist()):
        values[i] = (1 - MIX) * values[i] + MIX * values[max(0, i - delay)]
    return torch.tensor(values, dtype=torch.float64)


class Bench:
    """Every method works on samples of its own, again and again: the time does not depend on the values."""

    def __init__(self):
        generator = torch.Generator().manual_seed(0)
        self.samples = torch.randn(LENGTH, generator=generator)
        self.delays = torch.randint(1, 200, (LENGTH,), generator=generator)
        self.timers = {}
        self.results = {}

    def add(self, name, function):
        samples, delays = self.results[name] = self.samples.clone(), self.delays
        self.timers[name] = timer_of(lambda: function(samples, delays, MIX))

    def add_repeating(self, name, function):
        """For a function that makes the calls itself, so that Python is crossed once for all of them."""
        samples, delays = self.results[name] = self.samples.clone(), self.delays
        self.timers[name] = lambda number: timer_of(lambda: function(samples, delays, MIX, number))(1)

    def deviations(self):
        """After one call of each method."""
        exact = float64_loop(self.samples, self.delays)
        return {name: float((self.results[name][0] - exact).abs().max()) for name in self.timers}


def print_comparison(samples):
    print(f"1. A variable delay line, N = {LENGTH}, g = {MIX}, float32, one thread, in place for every method")
    bench = Bench()
    bench.add("plain Python loop", tensor_loop)
    bench.add("TorchScript loop", scripted_loop())
    bench.add("naive C++ extension", torch.ops.portops_demo.naive_delay_line_)
    bench.add("Numba, NumPy views", numba_loop)
    bench.add("portops, torch.ops", torch.ops.portops.delay_line_)
    bench.add_repeating("portops, from C++", torch.ops.portops_demo.repeat_delay_line_)
    bench.timers = keep_working(bench.timers)
    deviations = bench.deviations()
    spreads = measure(bench.timers, samples, 2e-4)
    print(f"   median of {samples} runs in microseconds, all methods in turns in one process\n")
    base = spreads["Numba, NumPy views"].median
    rows = [
        [name, *spread.cells(), three_digits(spread.median / base), f"{deviations[name]:.1e}"]
        for name, spread in spreads.items()
    ]
    print_table(["method", "median us", "p10 - p90", "time / Numba", "largest deviation"], rows)
    ours = spreads["portops, torch.ops"].median
    print("\n   Deviation: from the same loop in float64. From C++: a loop of calls in an extension, views included.")
    print(f"   portops through torch.ops takes {ours / base:.2f} of Numba's time and is", end=" ")
    print(f"{spreads['naive C++ extension'].median / ours:,.0f} times faster than the naive extension.\n")
