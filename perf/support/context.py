"""Where and with what the figures were taken, and how quiet the machine was."""

import datetime
import importlib.metadata
import os
import platform
import subprocess
import time

import numba
import numpy
import torch
from timing import PAUSE_SECONDS, Spread, three_digits, timer_of

from support import PROJECT


def processor_name():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def git(*arguments):
    command = ["git", "-C", str(PROJECT), "-c", "safe.directory=*", *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def describe(build_folder):
    packages = ("torch", "numba", "numpy")
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cpu": processor_name(),
        "processors": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "versions": {"python": platform.python_version()}
        | {name: importlib.metadata.version(name) for name in packages},
        "git": git("rev-parse", "--short=12", "HEAD"),
        "changed": git("status", "--porcelain", "--untracked-files=no") != "",
        "build": cache_entries(build_folder),
    }


def cache_entries(build_folder):
    """The choices of the build, from CMake's cache."""
    wanted = ("CMAKE_BUILD_TYPE", "CMAKE_CXX_FLAGS_RELWITHDEBINFO", "PORTOPS_NATIVE", "PORTOPS_BACKEND")
    try:
        lines = (build_folder / "CMakeCache.txt").read_text().splitlines()
    except OSError:
        return {}
    entries = (line.split(":", 1) for line in lines if ":" in line and "=" in line)
    return {name: rest.split("=", 1)[1] for name, rest in entries if name in wanted}


@numba.njit(parallel=True)
def fixed_kernel(sums):
    """Arithmetic alone, the same on every processor: no memory, no library."""
    for k in numba.prange(sums.size):
        value = 1.0 + k
        for _ in range(20000):
            value = value * 0.999 + 0.001
        sums[k] = value


class Noise:
    """Times the fixed kernel through the run: on a quiet machine it always takes the same."""

    def __init__(self):
        self.sums = numpy.zeros(torch.get_num_threads())
        self.timer = timer_of(lambda: fixed_kernel(self.sums))
        self.turns = []
        self.timer(3)

    def sample(self):
        time.sleep(PAUSE_SECONDS)
        self.timer(2)
        self.turns.append([self.timer(1) for _ in range(20)])

    def spread(self):
        return Spread([value for turn in self.turns for value in turn])

    def text(self):
        spread = self.spread()
        medians = sorted(1e6 * numpy.median(turn) for turn in self.turns)
        drift, jitter = medians[-1] / medians[0], spread.high / spread.low
        verdict = "quiet" if drift < 1.05 and jitter < 1.1 else "NOT quiet: do not quote these figures"
        return (
            f"Noise: a fixed kernel, {len(self.turns)} times 20 runs through the session: median "
            f"{three_digits(spread.median)} us, p90 / p10 {jitter:.2f}, slowest / fastest turn {drift:.2f}; {verdict}."
        )
