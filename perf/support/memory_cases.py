"""An operator of a user's own that only moves memory, a*x + y, beside copy_ and torch.add."""

import torch
from timing import three_digits

from support.report import range_cell

FACTOR = 0.5


def calls_of(x, y, out):
    """By method: the call, and how many arrays it must read or write."""
    axpy = torch.ops.portops_perf.axpy.out
    return {
        "portops": (lambda: axpy(x, y, FACTOR, out=out), 3),
        "torch.add, alpha": (lambda: torch.add(y, x, alpha=FACTOR, out=out), 3),
        "copy_": (lambda: out.copy_(x), 2),
    }


def axpy(report, sizes):
    rows = []
    for count in sizes:
        x, y, out = torch.rand(count), torch.rand(count), torch.zeros(count)
        calls = calls_of(x, y, out)
        case = ("axpy", "memory-bound", "float32", [count])
        spreads, moved = measure_bandwidth(report, case, calls, 4 * count)
        speeds = {method: moved[method] / spread.figure / 1e3 for method, spread in spreads.items()}
        for method, spread in spreads.items():
            cells = [three_digits(spread.figure), range_cell(spread), f"{speeds[method]:.1f}"]
            rows.append([method, f"{count:,}", *cells, f"{speeds[method] / speeds['copy_']:.2f}"])
        report.target(f"a*x + y, {count:,} elements: bandwidth / copy_", speeds["portops"] / speeds["copy_"], 0.9)
    headings = ["call", "elements", "us", "p10 - p90", "GB/s", "bandwidth / copy_"]
    report.table("A memory-bound operator of a user's own, a*x + y, float32, with out", headings, rows)


def measure_bandwidth(report, case, calls, array_bytes):
    moved = {method: arrays * array_bytes for method, (_, arrays) in calls.items()}
    return report.measure(case, {method: call for method, (call, _) in calls.items()}, moved), moved
