"""Times several methods against each other so that a disturbance of the machine meets all of them alike."""

import random
import time
import timeit

import numpy

# Longer than the workers of an OpenMP pool spin after their last loop: without it one method's idle threads would take
# the processors from the next method's.
PAUSE_SECONDS = 0.03
SAMPLES_PER_TURN = 5


def timer_of(call):
    """A function that makes `number` calls and returns the seconds they took."""
    return timeit.Timer(call).timeit


def calls_per_sample(timer, seconds):
    number = 1
    while timer(number) < seconds:
        number *= 2
    return number


def measure(timers, samples, seconds_per_sample):
    """A Spread for each name: its samples are taken in shuffled turns, each after calls that do not count."""
    numbers = {name: calls_per_sample(timer, seconds_per_sample) for name, timer in timers.items()}
    results = {name: [] for name in timers}
    turns = list(timers)
    shuffler = random.Random(0)
    for _ in range(samples // SAMPLES_PER_TURN):
        shuffler.shuffle(turns)
        for name in turns:
            time.sleep(PAUSE_SECONDS)
            timers[name](numbers[name])
            results[name] += [timers[name](numbers[name]) / numbers[name] for _ in range(SAMPLES_PER_TURN)]
    return {name: Spread(values) for name, values in results.items()}


class Spread:
    """Median and the tenth and ninetieth percentile, in microseconds."""

    def __init__(self, seconds):
        self.low, self.median, self.high = 1e6 * numpy.percentile(seconds, [10, 50, 90])

    def cells(self):
        return [three_digits(self.median), f"{three_digits(self.low)} - {three_digits(self.high)}"]


def three_digits(value):
    for digits, limit in ((2, 10), (1, 100)):
        if value < limit:
            return f"{value:.{digits}f}"
    return f"{value:,.0f}"


def print_table(headings, rows):
    """The first column is text, the others are numbers."""
    widths = [max(len(row[column]) for row in [headings, *rows]) for column in range(len(headings))]
    for row in [headings, ["-" * width for width in widths], *rows]:
        first, *others = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join([row[0].ljust(widths[0]), *others]).rstrip())


def keep_working(timers):
    """Makes one call of each; a method that this machine cannot run is named and left out, portops never is."""
    working = {}
    for name, timer in timers.items():
        try:
            timer(1)
            working[name] = timer
        except Exception as error:
            if name.startswith("portops"):
                raise
            print(f"{name}: not available here ({first_line(error)})")
    return working


def first_line(error):
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
