#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <portops/refs/flanger.hpp>
#include <portops/refs/phaser.hpp>

/// The effects as SoX describes them: a circular buffer that is written and read at moving places, one sample after the
/// other, in double.
namespace portops::reference {

/// One period of an oscillation between low and high; `start` is the part of the period with which it begins.
inline std::vector<double> oscillation(bool sine, std::size_t period, double low, double high, double start) {
  std::vector<double> values;
  const auto shift = static_cast<std::size_t>(start * static_cast<double>(period) + 0.5);
  for (std::size_t i = 0; i < period; ++i) {
    const double at = static_cast<double>((i + shift) % period) / static_cast<double>(period);
    const double triangle = at < 0.25 ? 2 * at + 0.5 : at < 0.75 ? 1.5 - 2 * at : 2 * at - 1.5;
    const double unit = sine ? (std::sin(at * 2 * std::numbers::pi) + 1) / 2 : triangle;
    values.push_back(low + unit * (high - low));
  }
  return values;
}

inline double clamped(double y) { return std::clamp(y, -1.0, 1.0); }

inline std::vector<double> flanger(const std::vector<double>& x, std::size_t channel, double rate,
                                   const FlangerOptions& options) {
  const double feedback = options.regen / 100, width = options.width / 100;
  const auto places = static_cast<std::size_t>((options.delay + options.depth) / 1000 * rate + 0.5) + 2;
  const auto period = static_cast<std::size_t>(rate / options.speed);
  const auto delays = oscillation(options.modulation == Modulation::sinusoidal, period,
                                  std::floor(options.delay / 1000 * rate + 0.5), static_cast<double>(places) - 2, 0.75);
  const auto shift = static_cast<std::size_t>(static_cast<double>(channel * period) * options.phase / 100 + 0.5);
  std::vector<double> buffer(places, 0.0), y;
  std::size_t place = 0;
  double last = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    place = (place + places - 1) % places;
    buffer[place] = x[i] + feedback * last;
    const auto delay = static_cast<double>(static_cast<float>(delays[(i + shift) % period]));
    const auto whole = static_cast<std::size_t>(delay);
    const double part = delay - static_cast<double>(whole);
    const auto behind = [&](std::size_t more) { return buffer[(place + whole + more) % places]; };
    if (options.interpolation == Interpolation::linear) {
      last = (1 - part) * behind(0) + part * behind(1);
    } else {
      last =
          (1 - part) * (2 - part) / 2 * behind(0) + part * (2 - part) * behind(1) - part * (1 - part) / 2 * behind(2);
    }
    y.push_back(clamped((x[i] + width * (1 - std::fabs(feedback)) * last) / (1 + width)));
  }
  return y;
}

inline std::vector<double> phaser(const std::vector<double>& x, double rate, const PhaserOptions& options) {
  const auto places = static_cast<std::size_t>(options.delay_ms / 1000 * rate + 0.5);
  const auto period = static_cast<std::size_t>(rate / options.mod_speed + 0.5);
  const auto steps = oscillation(options.sinusoidal, period, 1, static_cast<double>(places), 0.25);
  std::vector<double> buffer(places, 0.0), y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto step = static_cast<std::size_t>(steps[i % period] + 0.5);
    const double t = options.gain_in * x[i] + buffer[(i + step) % places];
    buffer[(i + 1) % places] = options.decay * t;
    y.push_back(clamped(options.gain_out * t));
  }
  return y;
}

inline std::vector<double> overdrive(const std::vector<double>& x, double gain, double colour) {
  std::vector<double> y;
  double last_in = 0, last_out = 0;
  for (const double value : x) {
    const double u = std::pow(10.0, gain / 20) * value + colour / 200;
    const double t = u < -1 ? -2.0 / 3 : u > 1 ? 2.0 / 3 : u - u * u * u / 3;
    last_out = t - last_in + 0.995 * last_out;
    last_in = t;
    y.push_back(clamped(0.5 * value + 0.75 * last_out));
  }
  return y;
}

}  // namespace portops::reference
