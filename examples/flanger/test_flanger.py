"""Runs the program on good and on bad files; CTest sets the environment that names what was built."""

import os
import pathlib
import subprocess
import sys
import wave

import flanger
import numpy
import pytest
import torch
from scipy.io import wavfile

PROGRAM = pathlib.Path(__file__).with_name("flanger.py")
RECORDING = pathlib.Path("/usr/share/sounds/alsa/Front_Center.wav")
RATE = 8000
torch.ops.load_library(os.environ["PORTOPS_TORCH_LIBRARY"])


def run(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, PROGRAM, *map(str, arguments)], capture_output=True, text=True)


def write_stereo(path: pathlib.Path, bits: int, length: int = 5000) -> None:
    times = numpy.arange(length)[:, None] / RATE
    samples = 0.9 * numpy.sin(2 * numpy.pi * numpy.array([[220.0, 331.0]]) * times)
    if bits >= 32:
        wavfile.write(path, RATE, samples.astype(f"f{bits // 8}"))
        return
    integers = numpy.round(samples * (2 ** (bits - 1) - 1)).astype("<i4") + (128 if bits == 8 else 0)
    with wave.open(str(path), "wb") as file:
        file.setparams((2, bits // 8, RATE, 0, "NONE", ""))
        file.writeframes(integers.reshape(-1, 1).view(numpy.uint8)[:, : bits // 8].tobytes())


def one_pass(path: pathlib.Path, *parameters: object) -> bytes:
    rate, samples, bits = flanger.read_wav(path)
    whole = torch.ops.portops.flanger(flanger.to_signal(samples), rate, *parameters)
    return flanger.to_bytes(whole, samples.dtype, bits)


def data_of(path: pathlib.Path) -> bytes:
    return path.read_bytes()[44:]


@pytest.mark.parametrize("block", [1, 999, 65536])
def test_equals_one_pass_on_a_recording(tmp_path: pathlib.Path, block: int) -> None:
    source = RECORDING
    if block == 1:  # a thousand samples are enough of that
        rate, samples = wavfile.read(RECORDING)
        source = tmp_path / "in.wav"
        wavfile.write(source, rate, samples[20000:21000])
    result = run(source, tmp_path / "out.wav", "--regen", 40, "--block", block)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert data_of(tmp_path / "out.wav") == one_pass(source, 0.0, 2.0, 40.0)
    rate, samples = wavfile.read(tmp_path / "out.wav")
    given_rate, given = wavfile.read(source)
    assert (rate, samples.shape, samples.dtype) == (given_rate, given.shape, given.dtype)
    assert not numpy.array_equal(samples, given)


@pytest.mark.parametrize("bits", [8, 16, 24, 32, 64])
def test_equals_one_pass_on_every_format(tmp_path: pathlib.Path, bits: int) -> None:
    write_stereo(tmp_path / "in.wav", bits)
    options = {"delay": 3, "depth": 5, "regen": -60, "width": 90, "speed": 4, "phase": 50}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    words += ["--modulation", "triangular", "--interpolation", "quadratic", "--block", 777]
    result = run(tmp_path / "in.wav", tmp_path / "out.wav", *words)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    expected = one_pass(tmp_path / "in.wav", *map(float, options.values()), "triangular", "quadratic")
    assert data_of(tmp_path / "out.wav") == expected
    _, samples = wavfile.read(tmp_path / "out.wav")
    assert samples.shape == (5000, 2)
    assert not (tmp_path / "out.wav.part").exists()


def test_shows_progress_of_a_long_file(tmp_path: pathlib.Path) -> None:
    wavfile.write(tmp_path / "in.wav", RATE, numpy.zeros((61 * RATE, 1), numpy.int16))
    result = run(tmp_path / "in.wav", tmp_path / "out.wav", "--block", 10000)
    lines = result.stderr.splitlines()
    assert result.returncode == 0 and len(lines) == 10 and lines[-1] == "flanger: 100%"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.wav", None, "No such file or directory"),
        ("empty.wav", b"", "the file is empty"),
        ("text.wav", b"not a sound\n" * 100, "not a readable WAV file"),
        ("cut.wav", "cut", "truncated: its header announces"),
        ("head.wav", b"RIFF\x04\0\0\0WAVE", "not a readable WAV file"),
    ],
)
def test_refuses_a_bad_file_in_one_line(tmp_path: pathlib.Path, name: str, content: object, message: str) -> None:
    source = tmp_path / name
    if content == "cut":
        write_stereo(source, 16)
        content = source.read_bytes()[:1000]
    if content is not None:
        source.write_bytes(content)
    result = run(source, tmp_path / "out.wav")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert result.stderr.startswith(f"flanger: {source}: ") and message in result.stderr
    assert not (tmp_path / "out.wav").exists()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--regen", "96"], 1, "portops::flanger_stream: regen is outside of its range (got regen=96"),
        (["--depth", "nan"], 1, "portops::flanger_stream: depth"),
        (["--speed", "0"], 1, "portops::flanger_stream: speed"),
        (["--block", "0"], 2, "--block must be at least 1"),
        (["--modulation", "square"], 2, "invalid choice: 'square'"),
        (["--delay", "long"], 2, "invalid float value: 'long'"),
    ],
)
def test_refuses_bad_arguments(tmp_path: pathlib.Path, words: list[str], status: int, message: str) -> None:
    write_stereo(tmp_path / "in.wav", 16)
    result = run(tmp_path / "in.wav", tmp_path / "out.wav", *words)
    assert (result.returncode, result.stdout) == (status, "")
    assert message in result.stderr.splitlines()[-1] and "Traceback" not in result.stderr
    assert not (tmp_path / "out.wav").exists()


def test_refuses_to_write_where_it_cannot(tmp_path: pathlib.Path) -> None:
    write_stereo(tmp_path / "in.wav", 16)
    before = (tmp_path / "in.wav").read_bytes()
    for target, message in (("in.wav", "is the input"), ("none/out.wav", "No such file")):
        result = run(tmp_path / "in.wav", tmp_path / target)
        assert (result.returncode, result.stderr.count("\n")) == (1, 1) and message in result.stderr
    assert (tmp_path / "in.wav").read_bytes() == before
