"""Forward and backward of the elementwise operators, dense, strided and in half precision."""

import itertools

import torch
from timing import three_digits

from support import operators
from support.exact import largest_error
from support.operators import OPS
from support.report import range_cell, ratio

MILLION = 1_000_000
ERROR_SIZE = 65536
PEERS = ("ATen", "torch.compile", "Numba")


def name(dtype):
    return str(dtype).removeprefix("torch.")


def methods(op, with_compile):
    calls = {"portops": operators.portops(op), "ATen": operators.aten(op), "Numba": operators.numba_loop(op)}
    return calls | ({"torch.compile": operators.compiled(op)} if with_compile else {})


def bind(calls, x):
    return {method: lambda call=call: call(x) for method, call in calls.items()}


def forward(report, dtype, sizes, with_compile):
    rows, error_rows = [], []
    for op in OPS:
        for count in sizes:
            x = operators.some_numbers(count, dtype=dtype)
            calls = methods(op, with_compile)
            errors = {}
            if count == min(ERROR_SIZE, max(sizes)):
                errors = {method: largest_error(op, x, call(x)) for method, call in calls.items()}
                error_rows.append(
                    [op, *(three_digits(errors[key]) if key in errors else "-" for key in ("portops", *PEERS))]
                )
            moved = 2 * count * x.element_size()
            spreads = report.measure((op, "forward", name(dtype), [count]), bind(calls, x), moved, errors)
            ours = spreads["portops"]
            speeds = [ratio(spreads, peer) for peer in PEERS]
            rows.append([op, f"{count:,}", three_digits(ours.figure), range_cell(ours), *speeds])
            forward_targets(report, op, dtype, count, spreads)
    headings = ["operator", "elements", "us", "p10 - p90"]
    report.table(f"Forward, {name(dtype)}: speed of portops relative to", [*headings, *PEERS], rows)
    report.table(
        f"Largest error in ulp, {name(dtype)}, {ERROR_SIZE} elements", ["operator", "portops", *PEERS], error_rows
    )


def forward_targets(report, op, dtype, count, spreads):
    ours, label = spreads["portops"].figure, f"{op} {name(dtype)}, {count:,} elements"
    if count == MILLION:
        report.target(f"{label}: speed / ATen", spreads["ATen"].figure / ours, 2.0)
    if dtype == torch.float32 and count >= 4096 and "torch.compile" in spreads:
        report.target(f"{label}: speed / torch.compile", spreads["torch.compile"].figure / ours, 1.0)


def both_ways(call, x, incoming):
    return lambda: torch.autograd.grad(call(x), x, incoming)


def backward_alone(call, x, incoming):
    y = call(x)
    return lambda: torch.autograd.grad(y, x, incoming, retain_graph=True)


def backward(report, count):
    """torch.autograd.grad for a given incoming gradient: with the forward call, and alone on a graph that is kept."""
    rows = []
    for op in OPS:
        x, incoming = operators.some_numbers(count).requires_grad_(), torch.ones(count)
        calls = {"portops": operators.portops(op), "ATen": operators.aten(op)}
        # The numbers of arrays that each must read or write.
        for case, make, arrays in (("forward+backward", both_ways, 5), ("backward", backward_alone, 3)):
            timed = {method: make(call, x, incoming) for method, call in calls.items()}
            spreads = report.measure((op, case, "float32", [count]), timed, arrays * 4 * count)
            ours, base = spreads["portops"], spreads["ATen"]
            speed = ratio(spreads, "ATen")
            rows.append([f"{op}, {case}", f"{count:,}", three_digits(ours.figure), range_cell(ours), speed])
            if case == "backward" and count == MILLION:
                report.target(f"{op} backward, {count:,} elements: speed / ATen", base.figure / ours.figure, 1.5)
    return rows


def backward_table(report, sizes):
    rows = [row for count in sizes for row in backward(report, count)]
    report.table("Gradients, float32", ["operator", "elements", "us", "p10 - p90", "speed / ATen"], rows)


def layouts(quick):
    side, channels = (64, 4) if quick else (1000, 64)
    yield "transposed", operators.some_numbers(side, side).t()
    yield "every second column", operators.some_numbers(side, 2 * side)[:, ::2]
    images = operators.some_numbers(8, channels, side // 22, side // 22)
    yield "channels_last", images.contiguous(memory_format=torch.channels_last)


def strided(report, quick):
    rows = []
    for op in OPS:
        for layout, x in layouts(quick):
            calls = {"portops": operators.portops(op), "ATen": operators.aten(op)}
            spreads = report.measure((op, layout, "float32", x.shape), bind(calls, x), 8 * x.numel())
            ours = spreads["portops"]
            rows.append([op, layout, three_digits(ours.figure), range_cell(ours), ratio(spreads, "ATen")])
            report.target(f"{op} {layout}: speed / ATen", spreads["ATen"].figure / ours.figure, 1.0)
    report.table("Strided, float32", ["operator", "layout", "us", "p10 - p90", "speed / ATen"], rows)


def half(report, sizes):
    """Half types beside portops itself in float32; the method's name tells the type."""
    rows = []
    for op, count in itertools.product(OPS, sizes):
        ours, aten = operators.portops(op), operators.aten(op)
        wide = operators.some_numbers(count)
        calls, errors = {"portops float32": lambda x=wide, ours=ours: ours(x)}, {}
        for dtype in (torch.float16, torch.bfloat16):
            x = wide.to(dtype)
            calls[f"portops {name(dtype)}"] = lambda x=x, ours=ours: ours(x)
            calls[f"ATen {name(dtype)}"] = lambda x=x, aten=aten: aten(x)
            errors[f"portops {name(dtype)}"] = largest_error(op, x, ours(x))
            errors[f"ATen {name(dtype)}"] = largest_error(op, x, aten(x))
        spreads = report.measure((op, "half", "mixed", [count]), calls, 0, errors)
        for dtype in ("float16", "bfloat16"):
            spread, relative = spreads[f"portops {dtype}"], ratio(spreads, f"portops {dtype}", "portops float32")
            speed = ratio(spreads, f"ATen {dtype}", f"portops {dtype}")
            ulps = [f"{errors[f'{method} {dtype}']:.2f}" for method in ("portops", "ATen")]
            rows.append(
                [
                    f"{op}, {dtype}",
                    f"{count:,}",
                    three_digits(spread.figure),
                    range_cell(spread),
                    relative,
                    speed,
                    *ulps,
                ]
            )
            report.target(f"{op} {dtype}, {count:,} elements: time / float32", float(relative), 1.1, at_least=False)
    headings = [
        "operator",
        "elements",
        "us",
        "p10 - p90",
        "time / float32",
        "speed / ATen",
        "ulp",
        "ulp of ATen",
    ]
    report.table("Half precision", headings, rows)
