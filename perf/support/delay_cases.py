"""The delay line beside Numba: one row in place as in the demo, several rows into a result of their own."""

import delay_methods
import numba
import torch
from delay_methods import LENGTH, MIX
from timing import three_digits

from support.report import range_cell, ratio

PEERS = ("Numba serial", "Numba prange")


def sweep(samples, delays, out, mix):
    for row in numba.prange(samples.shape[0]):
        for i in range(samples.shape[1]):
            source = max(0, i - delays[row, i])
            out[row, i] = (1 - mix) * samples[row, i] + mix * out[row, source] if source < i else samples[row, i]


LOOPS = {"Numba serial": numba.njit(sweep), "Numba prange": numba.njit(parallel=True)(sweep)}


def problem(rows, length, dtype):
    generator = torch.Generator().manual_seed(0)
    delays = torch.randint(1, 200, (rows, length), generator=generator).to(dtype)
    return torch.randn(rows, length, generator=generator), delays


def with_numba(loop, samples, delays):
    def call():
        out = torch.empty_like(samples)
        loop(samples.numpy(), delays.numpy(), out.numpy(), MIX)
        return out

    return call


def one_row(samples, delays):
    """In place, again and again: the time does not depend on the values."""
    ours, theirs = samples[0].clone(), samples[0].clone()
    in_place, row = torch.ops.portops.delay_line_, delays[0]
    return {
        "portops": lambda: in_place(ours, row, MIX),
        "Numba serial": lambda: delay_methods.numba_loop(theirs, row, MIX),
    }


def several_rows(samples, delays):
    ours = torch.ops.portops.delay_line
    calls = {"portops": lambda: ours(samples, delays, MIX)}
    return calls | {method: with_numba(loop, samples, delays) for method, loop in LOOPS.items()}


def delay_line(report, quick):
    rows = []
    for count, length in ((1, LENGTH), (2, LENGTH if quick else 48000), (64, LENGTH if quick else 48000)):
        for dtype in (torch.int16, torch.int32, torch.int64):
            samples, delays = problem(count, length, dtype)
            calls = one_row(samples, delays) if count == 1 else several_rows(samples, delays)
            kind = f"delays {str(dtype).removeprefix('torch.')}"
            moved = count * length * (8 + delays.element_size())
            spreads = report.measure(("delay_line", kind, "float32", [count, length]), calls, moved)
            ours = spreads["portops"]
            speeds = [ratio(spreads, peer) for peer in PEERS]
            if count == 64:
                figure = spreads["Numba prange"].figure / ours.figure
                report.target(f"delay_line, {count} x {length}, {kind}: speed / Numba prange", figure, 1.0)
            rows.append([f"{count} x {length}, {kind}", three_digits(ours.figure), range_cell(ours), *speeds])
    headings = ["delay_line", "us", "p10 - p90", *PEERS]
    report.table("Delay line, float32: speed of portops relative to", headings, rows)
