"""Collects what was measured: JSON lines, Markdown tables, and where portops loses."""

import json
import sys

from timing import keep_working, measure, three_digits, timer_of

OURS = "portops"


class Report:
    """`samples` runs of each method in shuffled turns; see timing.measure. Ratios are of medians, or of the tenth
    percentiles (`figure` is "p10"), which say more on a machine that others use."""

    def __init__(self, context, noise, samples, seconds_per_sample, figure="median"):
        self.context = context
        self.noise = noise
        self.samples = samples
        self.seconds_per_sample = seconds_per_sample
        self.attribute = {"median": "median", "p10": "low"}[figure]
        self.records = []
        self.lines = []
        self.losses = []
        self.targets = []

    def measure(self, case, calls, moved=0, errors=None, samples=None):
        """Spreads by method. `case` is (op, case, dtype, sizes), `moved` the bytes that a call must read and write, of
        all methods or by method; `samples` fewer runs where a peer takes seconds."""
        op, name, dtype, sizes = case
        progress(f"{op}, {name}, {dtype}, {'x'.join(map(str, sizes))}")
        timers = keep_working({method: timer_of(call) for method, call in calls.items()})
        spreads = measure(timers, min(samples or self.samples, self.samples), self.seconds_per_sample)
        self.choose_figures(spreads)
        for method, spread in spreads.items():
            error = (errors or {}).get(method)
            self.add_record(case, method, spread, moved[method] if isinstance(moved, dict) else moved, error)
        self.note_losses(case, spreads, moved)
        return spreads

    def choose_figures(self, spreads):
        for spread in spreads.values():
            spread.figure = getattr(spread, self.attribute)

    def add_record(self, case, method, spread, moved, error=None):
        op, name, dtype, sizes = case
        rounded = [round(value, 4) for value in (spread.median, spread.low, spread.high)]
        entry = {"op": op, "case": name, "dtype": dtype, "sizes": list(sizes), "method": method}
        entry |= dict(zip(("median_us", "p10_us", "p90_us"), rounded, strict=True))
        gbps = round(moved / spread.median / 1e3, 3) if moved else None
        self.records.append(entry | {"bytes": moved or None, "gbps": gbps, "max_err_ulp": error})

    def note_losses(self, case, spreads, moved):
        """Where methods move different amounts of memory, the time per byte counts."""
        op, name, dtype, sizes = case
        costs = {key: spread.figure / (moved[key] if isinstance(moved, dict) else 1) for key, spread in spreads.items()}
        for method, cost in costs.items():
            if not method.startswith(OURS) and cost < costs.get(OURS, 0):
                sides = "x".join(map(str, sizes))
                self.losses.append([op, name, dtype, sides, method, f"{costs[OURS] / cost:.2f}"])

    def target(self, text, value, limit, at_least=True):
        """A figure that the project promises: `value` must be at least, or at most, `limit`."""
        holds = value >= limit if at_least else value <= limit
        wanted = f"{'>=' if at_least else '<='} {limit}"
        self.targets.append([text, wanted, f"{value:.2f}", "yes" if holds else "NO"])

    def text(self, line=""):
        self.lines.append(line)
        print(line, flush=True)

    def table(self, title, headings, rows):
        self.text(f"\n### {title}\n")
        widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings))]
        rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
        for row in [headings, rule, *rows]:
            first, *others = zip(row, widths, strict=True)
            cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
            self.text(f"| {' | '.join(cells)} |")

    def finish(self):
        self.table("Targets", ["target", "wanted", "measured", "holds"], self.targets)
        if self.losses:
            headings = ["operator", "case", "dtype", "sizes", "faster peer", "portops time / peer"]
            self.table("Where a peer is faster", headings, self.losses)
        self.text(f"\n{self.noise.text()}")

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        spread = self.noise.spread()
        self.add_record(("fixed_kernel", "noise", "float64", []), "Numba", spread, 0)
        entries = [{"context": self.context}, *self.records]
        (folder / "latest.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        (folder / "latest.md").write_text("\n".join(self.lines) + "\n")


def progress(text):
    print(f"  measuring {text}", file=sys.stderr, flush=True)


def ratio(spreads, method, ours=OURS):
    """How many times as fast as `method`."""
    return f"{spreads[method].figure / spreads[ours].figure:.2f}" if method in spreads else "-"


def range_cell(spread):
    return f"{three_digits(spread.low)} - {three_digits(spread.high)}"
