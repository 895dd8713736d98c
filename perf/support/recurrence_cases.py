"""Recurrences and audio effects beside Numba, torchaudio and SciPy, and their gradients beside the forward call."""

import numba
import scipy.signal
import torch
import torchaudio.functional as audio
from timing import three_digits

from support import delay_cases
from support.report import range_cell, ratio

SECOND = 44100


def taps_loop(x, coefficients, delays, y):
    for row in numba.prange(x.shape[0]):
        for i in range(x.shape[1]):
            total = x[row, i]
            for k in range(coefficients.shape[2]):
                source = i - delays[row, i, k]
                if source >= 0:
                    total += coefficients[row, i, k] * y[row, source]
            y[row, i] = total


TAPS = {"Numba serial": numba.njit(taps_loop), "Numba prange": numba.njit(parallel=True)(taps_loop)}


def numba_taps(loop, *tensors):
    def call():
        y = torch.empty_like(tensors[0])
        loop(*(tensor.numpy() for tensor in tensors), y.numpy())
        return y

    return call


def table_row(label, spreads, peers):
    ours = spreads["portops"]
    return [label, three_digits(ours.figure), range_cell(ours), *(ratio(spreads, peer) for peer in peers)]


def long_rows(report, quick):
    """One row in place: what a call through torch costs beside the loop itself."""
    rows = []
    for length in (1024, 4096) if quick else (1024, 48000, 1_000_000, 10_000_000):
        samples, delays = delay_cases.problem(1, length, torch.int32)
        calls = delay_cases.one_row(samples, delays)
        spreads = report.measure(("delay_line", "in place, int32", "float32", [length]), calls, length * 12)
        rows.append(table_row(f"{length:,}", spreads, ["Numba serial"]))
        wanted = 1.4 if length == 1024 else 1.0
        report.target(
            f"delay_line, one row of {length:,}: speed / Numba", spreads_ratio(spreads, "Numba serial"), wanted
        )
    report.table("Delay line, one row in place: speed of portops relative to", headings("samples", "Numba"), rows)


def spreads_ratio(spreads, peer):
    return spreads[peer].figure / spreads["portops"].figure


def headings(first, *peers):
    return [first, "us", "p10 - p90", *peers]


def recurrence(report, quick):
    rows = []
    count, length = (2, 1024) if quick else (64, 48000)
    for taps in (1, 2, 4, 8):
        x = torch.randn(count, length)
        coefficients = torch.rand(count, length, taps) / taps
        delays = torch.randint(1, 200, (count, length, taps), dtype=torch.int32)
        calls = {"portops": lambda x=x, c=coefficients, d=delays: torch.ops.portops.recurrence(x, c, d)[0]}
        calls |= {method: numba_taps(loop, x, coefficients, delays) for method, loop in TAPS.items()}
        spreads = report.measure(("recurrence", f"{taps} taps", "float32", [count, length]), calls)
        rows.append(table_row(f"{count} x {length}, {taps} taps", spreads, TAPS))
    report.table("Recurrence, float32, int32 delays: speed of portops relative to", headings("size", *TAPS), rows)


def lowpass():
    b, a = (torch.tensor(values, dtype=torch.float32) for values in scipy.signal.butter(2, 0.1))
    return a, b


def lfilter(report, quick):
    rows, peers, (a, b) = [], ("torchaudio", "SciPy"), lowpass()
    for count in (2, 64):
        x = torch.rand(count, SECOND // 10 if quick else SECOND) * 2 - 1
        calls = {
            "portops": lambda x=x: torch.ops.portops.lfilter(x, a, b),
            "torchaudio": lambda x=x: audio.lfilter(x, a, b),
            "SciPy": lambda x=x: scipy.signal.lfilter(b.numpy(), a.numpy(), x.numpy()),
        }
        spreads = report.measure(("lfilter", "order 2", "float32", list(x.shape)), calls)
        rows.append(table_row(f"{count} x {x.shape[1]}", spreads, peers))
        report.target(f"lfilter, {count} rows: speed / torchaudio", spreads_ratio(spreads, "torchaudio"), 2.0)
    report.table("lfilter, order 2, float32: speed of portops relative to", headings("size", *peers), rows)


def effects(report, quick):
    """One second of stereo. torchaudio's flanger takes seconds, so that few runs must do."""
    rows, ops = [], torch.ops.portops
    x = torch.rand(2, SECOND // 50 if quick else SECOND) - 0.5
    cases = {
        "flanger": (lambda: ops.flanger(x, SECOND), lambda: audio.flanger(x, SECOND), 1000),
        "phaser": (lambda: ops.phaser(x, SECOND), lambda: audio.phaser(x, SECOND), 1000),
        "overdrive": (lambda: ops.overdrive(x), lambda: audio.overdrive(x), 1),
    }
    for op, (ours, theirs, wanted) in cases.items():
        spreads = report.measure(
            (op, "stereo", "float32", list(x.shape)), {"portops": ours, "torchaudio": theirs}, samples=5
        )
        rows.append(table_row(op, spreads, ["torchaudio"]))
        report.target(
            f"{op}, {x.shape[1]} samples of stereo: speed / torchaudio", spreads_ratio(spreads, "torchaudio"), wanted
        )
    report.table(
        f"Effects on {x.shape[1]} samples of stereo: speed of portops relative to",
        headings("effect", "torchaudio"),
        rows,
    )


def gradient_problems(length):
    ops, (a, b) = torch.ops.portops, lowpass()
    x, coefficients = torch.rand(2, length) * 2 - 1, torch.rand(length, 2) / 2
    delays = torch.randint(1, 200, (length,), dtype=torch.int32)
    two = torch.randint(1, 200, (length, 2), dtype=torch.int32)
    return {
        "delay_line": (lambda x: ops.delay_line(x, delays, 0.5), [x]),
        "delay_line.Tensor": (lambda x, g: ops.delay_line.Tensor(x, delays, g), [x, torch.rand(length)]),
        "recurrence": (lambda x: ops.recurrence(x, coefficients, two)[0], [x]),
        "recurrence, coefficients": (lambda x, c: ops.recurrence(x, c, two)[0], [x, coefficients]),
        "lfilter": (lambda x: ops.lfilter(x, a, b, False), [x]),
        "lfilter, clamped": (lambda x: ops.lfilter(x, a, b), [x]),
        "allpole": (lambda x, c: ops.allpole(x, c), [x, coefficients.expand(2, length, 2).contiguous()]),
    }


def gradients(report, quick):
    rows, length = [], 1024 if quick else SECOND
    for name, (call, tensors) in gradient_problems(length).items():
        leaves = [tensor.clone().requires_grad_() for tensor in tensors]
        y = call(*leaves)
        incoming = torch.ones_like(y)
        calls = {
            "portops": lambda call=call, tensors=tensors: call(*tensors),
            "portops backward": lambda y=y, leaves=leaves, g=incoming: torch.autograd.grad(
                y, leaves, g, retain_graph=True
            ),
        }
        spreads = report.measure((name, "backward", "float32", list(y.shape)), calls)
        forward, backward = spreads["portops"], spreads["portops backward"]
        share = backward.figure / forward.figure
        rows.append([name, three_digits(forward.figure), three_digits(backward.figure), f"{share:.2f}"])
        report.target(f"{name}: backward / forward", share, 3.0, at_least=False)
    report.table(
        f"Backward beside forward, 2 x {length}, float32", ["operator", "forward us", "backward us", "ratio"], rows
    )
