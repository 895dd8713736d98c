"""Runs the built demo on good and on bad files; CTest sets the environment that names what was built."""

import os
import pathlib
import subprocess
import sys
import warnings
import wave

import numpy
import pytest
from scipy.io import wavfile

RUN = pathlib.Path(__file__).with_name("run.py")
RATE = 8000


def run_demo(*arguments):
    return subprocess.run([sys.executable, RUN, *arguments], capture_output=True, text=True)


def write_wav(path, samples, bits):
    """Samples in -1 to 1, frames x channels; 32 bits are float."""
    if bits == 32:
        wavfile.write(path, RATE, samples.astype(numpy.float32))
        return
    with wave.open(str(path), "wb") as file:
        file.setparams((samples.shape[1], bits // 8, RATE, 0, "NONE", ""))
        integers = numpy.round(samples * (2 ** (bits - 1) - 1)).astype("<i4") + (128 if bits == 8 else 0)
        file.writeframes(integers.reshape(-1, 1).view(numpy.uint8)[:, : bits // 8].tobytes())


def read_wav(path, bits):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wavfile.WavFileWarning)  # a chunk with the peak, which scipy skips
        _, samples = wavfile.read(path)
    if bits == 32:
        return samples.astype(numpy.float64)
    stored_bits = 32 if bits == 24 else bits
    return (samples.astype(numpy.float64) - (128 if bits == 8 else 0)) / 2 ** (stored_bits - 1)


def swept_by_loop(samples):
    times = numpy.arange(len(samples)) / RATE
    delays = numpy.round(RATE * (0.003 + 0.002 * numpy.sin(numpy.pi * times))).astype(int)
    result = samples.copy()
    for i, delay in enumerate(delays):
        source = max(0, i - delay)
        result[i] = samples[i] if source == i else 0.5 * samples[i] + 0.5 * result[source]
    return result


@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("bits", [8, 16, 24, 32])
def test_sweeps_every_format(tmp_path, bits, channels):
    samples = numpy.random.default_rng(0).uniform(-0.9, 0.9, (3000, channels))
    write_wav(tmp_path / "in.wav", samples, bits)
    program = [os.environ["PORTOPS_DEMO_PROGRAM"], tmp_path / "in.wav", tmp_path / "out.wav"]
    report = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    assert report.count("equal: no copy") == 2
    given = read_wav(tmp_path / "in.wav", bits).reshape(samples.shape)
    result = read_wav(tmp_path / "out.wav", bits).reshape(samples.shape)
    step = 2.0 ** (1 - min(bits, 24))
    assert numpy.abs(result - swept_by_loop(given)).max() <= step


def test_quick_run_prints_every_method_and_writes_both_files(tmp_path):
    result = run_demo("--quick", "--output", tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    for name in ("plain Python", "TorchScript", "naive C++", "Numba", "torch.ops", "from C++", "ATen"):
        assert name in result.stdout
    assert max(len(line) for line in result.stdout.splitlines() if "/" not in line) <= 110
    assert (tmp_path / "Front_Center_swept.wav").stat().st_size > 100_000
    assert (tmp_path / "Front_Center_swept.png").read_bytes().startswith(b"\x89PNG")


def broken_files(folder):
    """Name, message."""
    write_wav(folder / "good.wav", numpy.zeros((1000, 1)), 16)
    good = (folder / "good.wav").read_bytes()
    (folder / "empty.wav").touch()
    (folder / "text.wav").write_text("not a sound\n" * 100)
    (folder / "truncated.wav").write_bytes(good[:1000])
    (folder / "head.wav").write_bytes(good[:20])
    (folder / "folder.wav").mkdir()
    write_wav(folder / "silent.wav", numpy.zeros((0, 1)), 16)
    (folder / "law.wav").write_bytes(good[:20] + b"\x07" + good[21:34] + b"\x08" + good[35:])


@pytest.mark.parametrize(
    "name, message",
    [
        ("missing.wav", "no such file"),
        ("empty.wav", "the file is empty"),
        ("text.wav", "not a readable WAV file (Format not recognised)"),
        ("truncated.wav", "truncated: its header announces 2044 bytes, it has 1000"),
        ("head.wav", "truncated: its header announces 2044 bytes, it has 20"),
        ("folder.wav", "is a directory, not a WAV file"),
        ("silent.wav", "holds no samples"),
        ("law.wav", "its encoding is neither PCM nor float"),
    ],
)
def test_refuses_a_bad_file_in_one_line(tmp_path, name, message):
    broken_files(tmp_path)
    result = run_demo(tmp_path / name, "--output", tmp_path / "out")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"demo: {tmp_path / name}: {message}\n"


def test_says_that_the_output_folder_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    result = run_demo("--output", tmp_path / "file")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(f"demo: {tmp_path / 'file'}: cannot make the folder")
