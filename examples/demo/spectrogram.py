"""One picture of two recordings: their spectrograms, one above the other, on one colour scale."""

import warnings

import matplotlib
import numpy
from scipy.io import wavfile
from scipy.signal import ShortTimeFFT
from scipy.signal.windows import hann

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (the choice of a backend without a display comes first)

LONGEST_SECONDS = 10.0
WINDOW_SECONDS = 0.03
FLOOR_DB = -70
HIGHEST_HZ = 8000
QUIETEST = 1e-20  # keeps silence out of the logarithm


def read(path):
    """Frames x channels in -1 to 1, and the sample rate."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wavfile.WavFileWarning)
        rate, samples = wavfile.read(path)
    samples = samples.reshape(len(samples), -1)
    if samples.dtype.kind == "f":
        return samples, rate
    middle, largest = (128, 128) if samples.dtype == numpy.uint8 else (0, -float(numpy.iinfo(samples.dtype).min))
    return (samples.astype(numpy.float64) - middle) / largest, rate


def power_of(samples, rate):
    """Power by frequency and time, the mean over the channels (a mean of samples could cancel), and its extent."""
    window = hann(max(2, min(int(WINDOW_SECONDS * rate), len(samples))), sym=False)
    transform = ShortTimeFFT(window, max(1, len(window) // 8), rate, mfft=2 * len(window))
    power = transform.spectrogram(samples, axis=0).mean(axis=1)
    return power, transform.extent(len(samples), center_bins=True)


def draw(panels, path):
    """`panels` is a list of title and WAV file; the loudest point of the first one is 0 dB in all."""
    figure, axes = pyplot.subplots(
        len(panels), 1, figsize=(11, 8), dpi=120, sharex=True, sharey=True, layout="constrained"
    )
    loudest = None
    for axis, (title, wav) in zip(axes, panels, strict=True):
        samples, rate = read(wav)
        shown = samples[: int(LONGEST_SECONDS * rate) + 1]
        power, extent = power_of(shown, rate)
        loudest = loudest or max(power.max(), QUIETEST)
        level = 10 * numpy.log10(numpy.maximum(power / loudest, QUIETEST))
        image = axis.imshow(level, extent=extent, origin="lower", aspect="auto", vmin=FLOOR_DB, vmax=0, cmap="magma")
        cut = f" (the first {LONGEST_SECONDS:.0f} s)" if len(shown) < len(samples) else ""
        axis.set(title=title + cut, ylabel="frequency in kHz", ylim=(0, min(HIGHEST_HZ, rate / 2)))
        axis.set_xlim(0, len(shown) / rate)
        axis.yaxis.set_major_formatter(lambda hertz, _: f"{hertz / 1000:g}")
    axes[-1].set_xlabel("time in s")
    figure.colorbar(image, ax=axes, label="level in dB, 0 dB: loudest point of the upper picture", aspect=40, pad=0.01)
    figure.savefig(path)
    pyplot.close(figure)
