"""portops beside what one would use instead, in one run; ./dev bench builds what it needs and runs it. See --help."""

import argparse
import os
import pathlib
import sys
import time
import warnings

from support import PROJECT

FULL_SIZES = (64, 4096, 65536, 1_000_000)
QUICK_SIZES = (64, 4096)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench", description="Measures portops beside its peers")
    parser.add_argument("--output", type=pathlib.Path, default=PROJECT / "build" / "bench", metavar="DIR")
    parser.add_argument("--samples", type=int, default=50, help="runs of every method (default %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="parts whose name holds TEXT: " + ", ".join(PARTS))
    parser.add_argument("--figure", choices=("median", "p10"), default="median", help="what is compared")
    parser.add_argument("--quick", action="store_true", help="shows that it works: small sizes, no torch.compile")
    return parser.parse_args()


def built_folder():
    library = os.environ.get("PORTOPS_TORCH_LIBRARY", "")
    folder = pathlib.Path(os.environ.get("PORTOPS_BENCH_FOLDER", ""))
    if not os.path.isfile(library) or not (folder / "one_element_bench").is_file():
        raise OSError("PORTOPS_TORCH_LIBRARY or PORTOPS_BENCH_FOLDER names nothing built: start it by ./dev bench")
    return library, folder


def calls_part(report, arguments, folder):
    from support import call_cases

    call_cases.one_element(report, folder, arguments.quick)


def forward_part(report, arguments, _):
    import torch
    from support import elementwise_cases

    for dtype in (torch.float32, torch.float64):
        sizes = QUICK_SIZES if arguments.quick else FULL_SIZES
        elementwise_cases.forward(report, dtype, sizes, with_compile=not arguments.quick)
        report.noise.sample()


def gradients_part(report, arguments, _):
    from support import elementwise_cases

    elementwise_cases.backward_table(report, QUICK_SIZES if arguments.quick else FULL_SIZES[1:])


def strided_part(report, arguments, _):
    from support import elementwise_cases

    elementwise_cases.strided(report, arguments.quick)


def half_part(report, arguments, _):
    from support import elementwise_cases

    elementwise_cases.half(report, QUICK_SIZES[1:] if arguments.quick else FULL_SIZES[1::2])


def memory_part(report, arguments, _):
    from support import memory_cases

    memory_cases.axpy(report, QUICK_SIZES if arguments.quick else (1_000_000, 20_000_000))


def delay_part(report, arguments, _):
    from support import delay_cases

    delay_cases.delay_line(report, arguments.quick)


def recurrences_part(report, arguments, _):
    from support import recurrence_cases

    for part in ("long_rows", "recurrence", "lfilter", "effects", "gradients"):
        getattr(recurrence_cases, part)(report, arguments.quick)
        report.noise.sample()


PARTS = {
    "calls": calls_part,
    "forward": forward_part,
    "gradients": gradients_part,
    "strided": strided_part,
    "half": half_part,
    "memory": memory_part,
    "delay": delay_part,
    "recurrences": recurrences_part,
}


def make_report(arguments, library, folder):
    import numba
    import torch
    from support.context import Noise, describe
    from support.report import Report

    for path in (library, folder / "libperf_operators.so", folder / "libperf_nothing.so"):
        torch.ops.load_library(path)
    numba.set_num_threads(min(torch.get_num_threads(), numba.config.NUMBA_NUM_THREADS))
    samples = 5 if arguments.quick else arguments.samples
    return Report(describe(folder.parent), Noise(), samples, 5e-5 if arguments.quick else 5e-4, arguments.figure)


def print_context(report):
    context = report.context
    versions = ", ".join(f"{name} {version}" for name, version in context["versions"].items())
    commit = context["git"] + (" with changes" if context["changed"] else "")
    report.text(f"{context['cpu']}, {context['processors']} processors, {context['threads']} threads for every method")
    report.text(f"{versions}; portops {commit}, {', '.join(f'{k}={v}' for k, v in context['build'].items())}")
    figure = "Medians" if report.attribute == "median" else "Tenth percentiles"
    report.text(f"{figure} of {report.samples} runs in microseconds, all methods of a case in shuffled turns")


def main():
    arguments = parse_arguments()
    start = time.monotonic()
    library, folder = built_folder()
    report = make_report(arguments, library, folder)
    print_context(report)
    for name, part in PARTS.items():
        if arguments.only in name:
            report.noise.sample()
            part(report, arguments, folder)
    report.noise.sample()
    report.finish()
    report.write(arguments.output)
    print(f"\n{arguments.output / 'latest.jsonl'} and latest.md, {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    warnings.simplefilter("ignore", UserWarning)
    try:
        main()
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        print(f"bench: {str(error).strip().splitlines()[0]}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
