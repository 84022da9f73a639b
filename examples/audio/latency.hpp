/* How long calls of an effect take: on the clock, and of the processor's time, in which other programs do not count.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_AUDIO_LATENCY_HPP
#define EXAMPLES_AUDIO_LATENCY_HPP

#include "app.h"

#include <algorithm>
#include <array>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace audio {

inline double secondsOf(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/* The time, in microseconds, that no more than a share of the calls exceed. */
inline float percentile(const std::vector<float> &sorted, double share) {
  return sorted[std::min(static_cast<std::size_t>(share * static_cast<double>(sorted.size())), sorted.size() - 1)];
}

/* Prints median, 99 and 99.9 % and the longest, and how many calls took more than 1.5 times the median. Leaves 2,000 quantiles,
 * up to 99.95 %, in OUT/NAME.npy. */
inline void summarize(const char *what, const std::string &name, std::vector<float> times, const std::string &out) {
  std::sort(times.begin(), times.end());
  const float half = percentile(times, 0.5), rare = percentile(times, 0.999);
  const auto slow = times.end() - std::upper_bound(times.begin(), times.end(), 1.5f * half);
  std::printf("  %s: median %.2f us, 99 %% %.2f, 99.9 %% %.2f, longest %.1f\n", what, static_cast<double>(half),
              static_cast<double>(percentile(times, 0.99)), static_cast<double>(rare), static_cast<double>(times.back()));
  std::printf("    99.9 %% is %.2f times the median; %.3f %% of the calls take more than 1.5 times the median\n",
              static_cast<double>(rare / half), 100.0 * static_cast<double>(slow) / static_cast<double>(times.size()));
  std::vector<float> quantiles;
  for (int i = 0; i < 2000; ++i)
    quantiles.push_back(percentile(times, i / 2000.0));
  const std::int64_t extents[4] = {2000};
  store(out.c_str(), (name + ".npy").c_str(), LATHE_F32, quantiles.data(), extents);
}

/* Arithmetic of about as long, which reads no memory and takes no branch that depends on data: how evenly the machine itself
 * runs. */
class Control {
public:
  static constexpr int rate = 48000;
  void reset() noexcept { x = 0; }
  void process(float *block, int n) noexcept {
    for (int i = 0; i < 64 * n; ++i) // each step waits for the last one
      x = x * 0.999f + 0.001f;
    block[0] = x;
  }

private:
  float x = 0;
};

enum { PASSES = 10 };

/* Of each block the shortest call, over all passes: what interrupts a call does so in one pass, what the sound makes longer in
 * all. */
inline std::vector<float> shortest(const std::vector<float> &times) {
  const std::size_t count = times.size() / PASSES;
  std::vector<float> least(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = count; i < count * PASSES; ++i)
    least[i % count] = std::min(least[i % count], times[i]);
  return least;
}

/* The mean time of a call with silence, after the sound: state may have become subnormal by then. */
template <typename Effect>
double measureSilence(Effect &effect, int calls) {
  std::array<float, 64> block;
  double sum = 0;
  for (int i = 0; i < calls; ++i) {
    block.fill(0);
    const double start = secondsOf(CLOCK_THREAD_CPUTIME_ID);
    effect.process(block.data(), 64);
    sum += 1e6 * (secondsOf(CLOCK_THREAD_CPUTIME_ID) - start);
  }
  return sum / calls;
}

/* Calls the effect with blocks of 64 samples of the sound, again and again, in passes that start with a reset. */
template <typename Effect>
void measure(const char *name, Effect &effect, const std::vector<float> &sound, int calls, const std::string &out) {
  const std::size_t blocks = sound.size() / 64, pass = static_cast<std::size_t>(calls / PASSES);
  std::vector<float> elapsed(pass * PASSES), used(elapsed.size());
  std::array<float, 64> block;
  measureSilence(effect, 1000); // caches and clocks get warm
  rusage before = {}, after = {};
  getrusage(RUSAGE_THREAD, &before);
  for (std::size_t i = 0; i < elapsed.size(); ++i) {
    if (i % pass == 0)
      effect.reset();
    std::copy_n(sound.data() + 64 * (i % pass % blocks), 64, block.data());
    const double cpu = secondsOf(CLOCK_THREAD_CPUTIME_ID), clock = secondsOf(CLOCK_MONOTONIC);
    effect.process(block.data(), 64);
    const double clockAfter = secondsOf(CLOCK_MONOTONIC), cpuAfter = secondsOf(CLOCK_THREAD_CPUTIME_ID);
    elapsed[i] = static_cast<float>(1e6 * (clockAfter - clock));
    used[i] = static_cast<float>(1e6 * (cpuAfter - cpu));
  }
  getrusage(RUSAGE_THREAD, &after);
  const double silence = measureSilence(effect, std::max(calls / 10, 1000));
  std::printf("%s, %d calls of 64 samples, which last %.0f us; other programs took the processor away %ld times:\n", name,
              calls, 64e6 / Effect::rate, after.ru_nivcsw - before.ru_nivcsw);
  summarize("least of 10 passes", std::string(name) + "-least", shortest(elapsed), out);
  summarize("elapsed", std::string(name) + "-elapsed", std::move(elapsed), out);
  summarize("processor", std::string(name) + "-processor", std::move(used), out);
  std::printf("  silence: %.2f us of the processor in the mean\n", silence);
}

} // namespace audio

#endif // EXAMPLES_AUDIO_LATENCY_HPP
