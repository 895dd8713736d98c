"""What one call on one element costs, and in which layer."""

import functools
import json
import subprocess

import torch
from timing import Spread, three_digits

from support.operators import EXTRA, OPS
from support.report import range_cell

ONE = ("one element", "float32", [1])


def python_calls(x):
    sin, aten_sin = torch.sin, torch.ops.aten.sin
    calls = {"torch.sin": (sin, x), "torch.ops.aten.sin": (aten_sin, x)}
    calls["torch.ops, an operator that does nothing"] = (torch.ops.portops_perf.nothing, x)
    for op in OPS:
        calls[f"portops {op}"] = (getattr(torch.ops.portops, op), x, *EXTRA[op])
    return {method: functools.partial(*call) for method, call in calls.items()}


def cpp_times(folder, quick):
    """Seconds of every repetition by `<layer>/<op>`, from the C++ programs."""
    options = ["--benchmark_format=json", "--benchmark_enable_random_interleaving=true"]
    options += ["--benchmark_min_time=0.001s", f"--benchmark_repetitions={3 if quick else 25}"]
    times = {}
    for program in ("one_element_bench", "dispatcher_bench"):
        command = [str(folder / program), *options]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        for run in json.loads(result.stdout)["benchmarks"]:
            if run["run_type"] == "iteration":
                times.setdefault(run["name"].removeprefix("one_element/"), []).append(run["real_time"] * 1e-9)
    return times


def python_table(report, spreads):
    base = spreads["torch.sin"].figure
    rows = []
    for method, spread in spreads.items():
        rows.append([method, three_digits(spread.figure), range_cell(spread), f"{spread.figure / base:.2f}"])
        if method.startswith("portops"):
            report.target(f"{method}, one element: time / torch.sin", spread.figure / base, 1.7, at_least=False)
    report.table("One element from Python", ["call", "us", "p10 - p90", "time / torch.sin"], rows)


def budget(python, cpp, op):
    """Nanoseconds by layer, from outside to inside: each is a difference of two calls, the last rows are calls."""
    outside, whole = 1e3 * python[f"portops {op}"].figure, cpp[f"dispatcher/{op}"]
    nothing, new_tensor, ref, block = (
        cpp[key] for key in ("dispatcher/nothing", "new_tensor", f"tensor_ref/{op}", f"block/{op}")
    )
    return {
        "Python and torch.ops": outside - whole,
        "dispatcher (an operator that does nothing)": nothing,
        "adapter: arguments, promotion, layout": whole - nothing - new_tensor - ref,
        "memory of the result (at::empty)": new_tensor,
        "checks and launch (call on TensorRef)": ref - block,
        "arithmetic of one block": block,
        "total": outside,
    }


def layer_tables(report, spreads, cpp):
    times = {name: 1e3 * spread.figure for name, spread in cpp.items()}
    budgets = [budget(spreads, times, op) for op in OPS]
    rows = [[layer, *(f"{entry[layer]:.0f}" for entry in budgets)] for layer in budgets[0]]
    sin, inside = 1e3 * spreads["torch.sin"].figure, times["dispatcher/sin"]
    report.table("One element, budget by layer in ns", ["layer", *OPS], rows)
    report.text(f"\nFor comparison, torch.sin: Python {sin - inside:.0f} ns, at::sin from C++ {inside:.0f} ns.")
    rows = [
        [op, *(f"{times[f'{layer}/{op}']:.0f}" for layer in ("block", "tensor_ref", "view", "dispatcher"))]
        for op in OPS
    ]
    report.table("One element from C++ in ns", ["operator", "one block", "TensorRef", "View", "dispatcher"], rows)
    report.text(f"\nAn empty Kokkos::parallel_for on the same instance, no fence: {times['kokkos_launch']:.0f} ns.")


def one_element(report, folder, quick):
    x = torch.full((1,), 0.5)
    spreads = report.measure(("one_element", *ONE), python_calls(x))
    cpp = {name: Spread(seconds) for name, seconds in cpp_times(folder, quick).items()}
    report.choose_figures(cpp)
    for name, spread in cpp.items():
        layer, _, op = name.partition("/")
        report.add_record((op or layer, *ONE), f"C++ {layer}", spread, 0)
    python_table(report, spreads)
    layer_tables(report, spreads, cpp)
