/* What the amplifier's model imitates, and the sound that goes into it: a distortion circuit and plucked strings.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_AUDIO_CIRCUIT_HPP
#define EXAMPLES_AUDIO_CIRCUIT_HPP

#include "random.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace audio {

constexpr double pi = 3.14159265358979323846;

/* From -1 to 1. */
inline double randomReal(std::uint64_t &seed) { return static_cast<double>(random_below(&seed, 1 << 30)) / (1 << 29) - 1; }

/* A first-order filter, by the trapezoidal rule. */
class Filter {
public:
  Filter(double cutoff, double rate) : g(std::tan(pi * cutoff / rate)) {}
  double low(double x) {
    const double v = (x - s) * g / (1 + g), y = v + s;
    s = y + v;
    return y;
  }
  double high(double x) { return x - low(x); }

private:
  double g, s = 0;
};

/* A coupling capacitor, a gain, and a diode clipper: C v' = (u - v) / R - i(v), with one diode in one direction and two in
 * series in the other. R, C and the diode's constants are those of D. Yeh, J. Abel, J. Smith: Simulation of the diode limiter
 * in guitar distortion circuits by numerical solution of ordinary differential equations, DAFx 2007. A tone control follows.
 * All of it is integrated by the trapezoidal rule at 8 times the rate, between samples along a line. */
class Circuit {
public:
  explicit Circuit(double rate)
      : step(1 / (oversampling * rate)), coupling(150, oversampling * rate), tone(5000, oversampling * rate) {}

  float next(float sample) {
    double y = 0;
    for (int i = 1; i <= oversampling; ++i)
      y = tone.low(clip(gain * coupling.high(last + (static_cast<double>(sample) - last) * i / oversampling)));
    last = static_cast<double>(sample);
    return static_cast<float>(outputGain * y);
  }

private:
  static constexpr int oversampling = 8;
  static constexpr double gain = 12, outputGain = 1.2, resistance = 2200, capacity = 1e-8, saturation = 2.52e-9,
                          thermal = 0.0453;

  double slope(double u) const {
    const double current = saturation * (std::exp(v / thermal) - std::exp(-v / (2 * thermal)));
    return ((u - v) / resistance - current) / capacity;
  }
  /* The derivative of the slope by v. */
  double slopeByV() const {
    const double conductance = saturation / thermal * (std::exp(v / thermal) + std::exp(-v / (2 * thermal)) / 2);
    return -(1 / resistance + conductance) / capacity;
  }

  /* Newton's method, from the last voltage; a step is at most two thermal voltages, because the exponential overshoots. */
  double clip(double u) {
    const double known = v + step / 2 * slopeBefore;
    for (int i = 0; i < 50; ++i) {
      const double error = v - known - step / 2 * slope(u);
      const double change = error / (1 - step / 2 * slopeByV());
      v -= std::fmin(std::fmax(change, -2 * thermal), 2 * thermal);
      if (std::fabs(change) < 1e-10)
        break;
    }
    slopeBefore = slope(u);
    return v;
  }

  double step, last = 0, v = 0, slopeBefore = 0;
  Filter coupling, tone;
};

/* Notes and chords of plucked strings (Karplus and Strong 1983) of a guitar's range, one to four at a time. */
inline std::vector<float> strings(int length, double rate, std::uint64_t seed) {
  std::vector<float> sound(static_cast<std::size_t>(length));
  for (int begin = 0; begin < length;) {
    const int duration = static_cast<int>(rate * (0.45 + 0.15 * randomReal(seed)));
    const int count = 1 + static_cast<int>(random_below(&seed, 4));
    const double loudness = 0.55 + 0.45 * randomReal(seed);
    for (int string = 0; string < count; ++string) {
      const double frequency = 82.4 * std::exp2(static_cast<double>(random_below(&seed, 36)) / 12);
      std::vector<double> delay(static_cast<std::size_t>(rate / frequency));
      for (double &x : delay)
        x = randomReal(seed) * loudness / std::sqrt(count);
      for (int i = 0; i < duration && begin + i < length; ++i) {
        double &x = delay[static_cast<std::size_t>(i) % delay.size()];
        sound[static_cast<std::size_t>(begin + i)] += static_cast<float>(x);
        x = 0.998 * (x + delay[static_cast<std::size_t>(i + 1) % delay.size()]) / 2;
      }
    }
    begin += duration;
  }
  return sound;
}

inline std::vector<float> distorted(const std::vector<float> &sound, double rate) {
  Circuit circuit(rate);
  std::vector<float> out;
  for (const float x : sound)
    out.push_back(circuit.next(x));
  return out;
}

} // namespace audio

#endif // EXAMPLES_AUDIO_CIRCUIT_HPP
