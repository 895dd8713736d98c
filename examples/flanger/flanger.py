"""Sends a WAV file through a flanger, block by block: a file of any length takes the memory of one block.

    ./dev python examples/flanger/flanger.py in.wav out.wav --regen 40

`flanger_stream` returns with every block the history that the next one needs, so that the result equals that of one
call on the whole file, sample for sample. 8, 16, 24 and 32 bit PCM and float files of up to 4 channels; the result has
the format of the input. 24 bit files are read at once, since no integer of numpy's lies in memory as they do.
"""

import argparse
import os
import pathlib
import struct
import sys
import time
import warnings

import numpy
import torch
from scipy.io import wavfile

LONG = 60  # seconds from which progress is shown
RIFF_LIMIT = 2**32 - 1


class UserError(Exception):
    """Its text is all that the user sees."""


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="flanger", description=__doc__.splitlines()[0])
    parser.add_argument("input", type=pathlib.Path, help="a WAV file")
    parser.add_argument("output", type=pathlib.Path, help="the WAV file to write")
    for name, default, text in (
        ("delay", 0.0, "smallest delay, 0 to 30 ms"),
        ("depth", 2.0, "swing of the delay, 0 to 10 ms"),
        ("regen", 0.0, "feedback, -95 to 95 percent"),
        ("width", 71.0, "delayed signal, 0 to 100 percent"),
        ("speed", 0.5, "of the modulation, 0.1 to 10 Hz"),
        ("phase", 25.0, "between channels, 0 to 100 percent"),
    ):
        parser.add_argument(f"--{name}", type=float, default=default, help=f"{text} (default %(default)s)")
    parser.add_argument("--modulation", choices=("sinusoidal", "triangular"), default="sinusoidal")
    parser.add_argument("--interpolation", choices=("linear", "quadratic"), default="linear")
    parser.add_argument("--block", type=int, default=65536, metavar="N", help="samples at once (default %(default)s)")
    arguments = parser.parse_args()
    if arguments.block < 1:
        parser.error(f"--block must be at least 1 (got {arguments.block})")
    return arguments


def check_length(path: pathlib.Path) -> None:
    """The header says how long the file is; a shorter one was cut off."""
    if path.is_dir():
        raise UserError(f"{path}: is a directory, not a WAV file")
    with path.open("rb") as file:
        head = file.read(8)
    size = path.stat().st_size
    if size == 0:
        raise UserError(f"{path}: the file is empty")
    if head[:4] == b"RIFF" and len(head) == 8:
        announced = struct.unpack("<I", head[4:])[0] + 8
        if announced > size:
            raise UserError(f"{path}: truncated: its header announces {announced} bytes, it has {size}")


def read_wav(path: pathlib.Path) -> tuple[int, numpy.ndarray, int]:
    """Rate, samples (time, channel) still on the disk where that is possible, and bits of one."""
    check_length(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wavfile.WavFileWarning)  # chunks that are no sound
        try:
            bits = 0
            rate, samples = wavfile.read(path, mmap=True)
        except ValueError as error:
            if "3-byte" not in str(error):
                raise UserError(f"{path}: not a readable WAV file ({error})") from error
            rate, samples = wavfile.read(path)
            bits = 24
        except (EOFError, struct.error, UnboundLocalError) as error:
            raise UserError(f"{path}: not a readable WAV file") from error
    if samples.size == 0:
        raise UserError(f"{path}: holds no samples")
    if samples.dtype.kind == "i" and samples.dtype.itemsize == 8:
        raise UserError(f"{path}: integers of more than 32 bits are not supported")
    return rate, samples.reshape(len(samples), -1), bits or 8 * samples.dtype.itemsize


def to_signal(samples: numpy.ndarray) -> torch.Tensor:
    """(channel, time) between -1 and 1; in double where float32 would lose bits."""
    wide = numpy.float64 if samples.dtype.itemsize > 2 and samples.dtype != numpy.float32 else numpy.float32
    signal = samples.T.astype(wide)
    if samples.dtype.kind == "u":
        signal = (signal - 128) / 128
    elif samples.dtype.kind == "i":
        signal /= 2 ** (8 * samples.dtype.itemsize - 1)
    return torch.from_numpy(numpy.ascontiguousarray(signal))


def to_bytes(signal: torch.Tensor, dtype: numpy.dtype, bits: int) -> bytes:
    values = signal.numpy().T
    if dtype.kind == "f":
        return values.astype(dtype.newbyteorder("<")).tobytes()
    scale = 2 ** (bits - 1)
    integers = numpy.clip(numpy.rint(values * scale), -scale, scale - 1).astype("<i4") + (128 if bits == 8 else 0)
    raw = numpy.ascontiguousarray(integers).view(numpy.uint8).reshape(*integers.shape, 4)
    return raw[..., : bits // 8].tobytes()


def header(rate: int, shape: tuple[int, int], dtype: numpy.dtype, bits: int) -> bytes:
    frame = shape[1] * bits // 8
    size = shape[0] * frame
    if size + 36 > RIFF_LIMIT:
        raise UserError(f"the result would have {size} bytes, more than a WAV file can hold")
    form = (3 if dtype.kind == "f" else 1, shape[1], rate, rate * frame, frame, bits)
    return struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + size + size % 2, b"WAVE", b"fmt ", 16, *form, b"data", size)


class Progress:
    """A bar on a terminal, a line for every tenth elsewhere, and nothing for a file that is done at once."""

    def __init__(self, total: int, rate: int) -> None:
        self.total, self.shown, self.last = total, total >= LONG * rate, 0.0
        self.terminal = sys.stderr.isatty()

    def show(self, done: int) -> None:
        part = done / self.total
        if not self.shown:
            return
        if self.terminal and (done == self.total or time.monotonic() - self.last > 0.1):
            self.last = time.monotonic()
            bar = "#" * int(40 * part)
            print(f"\r[{bar:40}] {part:4.0%}", end="\n" if done == self.total else "", file=sys.stderr, flush=True)
        elif not self.terminal and part >= self.last + 0.1:
            self.last = int(10 * part) / 10
            print(f"flanger: {self.last:.0%}", file=sys.stderr)


def flanged_blocks(samples: numpy.ndarray, rate: int, arguments: argparse.Namespace):
    """Result after result, (channel, time)."""
    names = ("delay", "depth", "regen", "width", "speed", "phase", "modulation", "interpolation")
    parameters = {name: getattr(arguments, name) for name in names}
    # One more than needed, whichever way the product is rounded. What is out of range is refused by the operator.
    kept = int(max(0.0, min(arguments.delay + arguments.depth, 40.0)) / 1000 * rate + 0.5) + 3
    history = torch.zeros(samples.shape[1], kept, dtype=to_signal(samples[:1]).dtype)
    for position in range(0, len(samples), arguments.block):
        block = to_signal(samples[position : position + arguments.block])
        result, history = torch.ops.portops.flanger_stream(block, history, position, rate, **parameters)
        yield result


def process(arguments: argparse.Namespace) -> None:
    rate, samples, bits = read_wav(arguments.input)
    if arguments.output.exists() and arguments.output.samefile(arguments.input):
        raise UserError(f"{arguments.output}: is the input, which is read while the result is written")
    results = flanged_blocks(samples, rate, arguments)
    first = next(results)  # before the file is made: bad parameters are refused here
    progress, done = Progress(len(samples), rate), 0
    unfinished = arguments.output.with_name(arguments.output.name + ".part")
    try:
        with unfinished.open("wb") as file:
            file.write(header(rate, samples.shape, samples.dtype, bits))
            for result in (part for source in ([first], results) for part in source):
                file.write(to_bytes(result, samples.dtype, bits))
                done += result.shape[1]
                progress.show(done)
            file.write(b"\0" * (samples.size * bits // 8 % 2))
        unfinished.replace(arguments.output)
    finally:
        unfinished.unlink(missing_ok=True)


def main() -> None:
    arguments = parse_arguments()
    library = os.environ.get("PORTOPS_TORCH_LIBRARY", "")
    if not os.path.isfile(library):
        raise UserError("PORTOPS_TORCH_LIBRARY names no file: start by ./dev python examples/flanger/flanger.py")
    torch.ops.load_library(library)
    process(arguments)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        print(f"flanger: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        sys.exit(1)
    except (UserError, RuntimeError, ValueError) as error:
        print(f"flanger: {str(error).strip().splitlines()[0]}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
