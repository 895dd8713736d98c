"""The demo of portops; ./dev demo builds what it needs and runs it. See --help."""

import argparse
import importlib.metadata
import os
import pathlib
import platform
import subprocess
import sys

RECORDING = pathlib.Path("/usr/share/sounds/alsa/Front_Center.wav")
OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "build" / "demo"


class DemoError(Exception):
    """Its text is all that the user sees."""


def parse_arguments():
    parser = argparse.ArgumentParser(prog="demo", description="Compares portops with other ways to a custom operator")
    parser.add_argument("wav", nargs="?", type=pathlib.Path, default=RECORDING, help="a WAV file (default %(default)s)")
    parser.add_argument("--output", type=pathlib.Path, default=OUTPUT, metavar="DIR", help="folder for WAV and PNG")
    parser.add_argument("--quick", action="store_true", help="fewer repeats and no torch.compile, which starts slowly")
    return parser.parse_args()


def built_file(variable):
    path = os.environ.get(variable, "")
    if not os.path.isfile(path):
        raise DemoError(f"{variable} names no file: start the demo by ./dev demo")
    return path


def sweep_recording(program, wav, swept):
    """What the C++ program reports. It comes before the tables, so that a bad file is refused at once."""
    if wav == RECORDING and not wav.exists():
        raise DemoError(f"{wav}: no such file; install alsa-utils or name a WAV file")
    try:
        swept.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DemoError(f"{swept.parent}: cannot make the folder ({error.strerror})") from error
    result = subprocess.run([program, wav, swept], capture_output=True, text=True, errors="replace")
    if result.returncode < 0:
        raise DemoError(f"the C++ program was ended by signal {-result.returncode}")
    if result.returncode > 0:
        raise DemoError(result.stderr.strip().removeprefix("demo: ") or f"{program} failed without a message")
    return result.stdout


def processor_name():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def print_tables(quick):
    import delay_methods
    import elementwise_methods
    import torch

    torch.ops.load_library(built_file("PORTOPS_TORCH_LIBRARY"))
    torch.ops.load_library(built_file("PORTOPS_DEMO_NAIVE_LIBRARY"))
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("torch", "numba", "numpy"))
    print(f"{processor_name()}, {os.cpu_count()} processors; Python {platform.python_version()}, {versions}\n")
    samples = 10 if quick else 100
    delay_methods.print_comparison(samples)
    elementwise_methods.print_comparison(samples, with_compile=not quick)


def print_recording(report, wav, swept):
    import spectrogram

    print(f"3. A recording through a swept delay line: {wav}")
    print("   libsndfile's buffer as a tensor (from_blob), portops::delay_line on the tensor's memory, in C++\n")
    print(report)
    picture = swept.with_suffix(".png")
    spectrogram.draw([(f"Recording: {wav.name}", wav), (f"Through the swept delay line: {swept.name}", swept)], picture)
    print(f"sound   {swept}\npicture {picture}")


def main():
    arguments = parse_arguments()
    swept = arguments.output / f"{arguments.wav.stem}_swept.wav"
    report = sweep_recording(built_file("PORTOPS_DEMO_PROGRAM"), arguments.wav, swept)
    print_tables(arguments.quick)
    print_recording(report, arguments.wav, swept)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    try:
        main()
    except (DemoError, ImportError, OSError, RuntimeError, ValueError) as error:
        print(f"demo: {str(error).strip().splitlines()[0]}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
