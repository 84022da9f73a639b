/* Two effects as a plug-in format of a host has them: prepare, process, reset. One object of code serves any number of each;
 * what a stream remembers is in its own state.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef EXAMPLES_AUDIO_PLUGIN_HPP
#define EXAMPLES_AUDIO_PLUGIN_HPP

#include "amplifier.h"
#include "denoiser.h"

#include "lathe/runtime.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* A function of an audio thread: it does not block. clang checks this with -fsanitize=realtime, other compilers ignore it. */
#if defined(__clang__) && __clang_major__ >= 20
#define REALTIME [[clang::nonblocking]]
#else
#define REALTIME
#endif

namespace audio {

/* Makes the thread compute with zeros instead of subnormal numbers, some of which take CPUs a hundred times as long. */
class FlushSubnormals {
public:
#if defined(__x86_64__)
  FlushSubnormals() noexcept : before(_mm_getcsr()) { _mm_setcsr(before | 0x8040u); /* results, operands */ }
  ~FlushSubnormals() { _mm_setcsr(before); }

private:
  unsigned before;
#elif defined(__aarch64__)
  FlushSubnormals() noexcept {
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | std::uint64_t(1) << 24));
  }
  ~FlushSubnormals() { __asm__ volatile("msr fpcr, %0" : : "r"(before)); }

private:
  std::uint64_t before;
#endif
public:
  FlushSubnormals(const FlushSubnormals &) = delete;
  FlushSubnormals &operator=(const FlushSubnormals &) = delete;
};

/* Zeroed memory, aligned to 64 bytes. */
class Region {
public:
  void allocate(std::size_t size) {
    memory.reset(lathe_alloc(std::max<std::size_t>(size, 64)));
    if (!memory)
      throw std::bad_alloc();
  }
  void *get() const noexcept { return memory.get(); }

private:
  struct Free {
    void operator()(void *p) const noexcept { lathe_free(p); }
  };
  std::unique_ptr<void, Free> memory;
};

/* Reads the weights that training has saved. The file has Adam's means as well, which no stream needs. */
inline void loadWeights(const std::string &path, const lathe_module_info *module, void *state) {
  lathe_error error = {};
  if (lathe_state_load_some(path.c_str(), module, state, LATHE_STATE_LEFT_OVER, nullptr, nullptr, &error) == LATHE_OK)
    return;
  std::array<char, 512> text;
  lathe_error_format(&error, text.data(), text.size());
  throw std::runtime_error(text.data());
}

/* A guitar amplifier, at 48 kHz. Blocks may have any length. */
class Amplifier {
public:
  static constexpr int rate = 48000, latency = 0;

  /* Allocates for blocks of up to `largest` samples, and loads the weights. Throws if that fails. */
  void prepare(const std::string &weights, int largest) {
    state.allocate(AMPLIFIER_STATE_SIZE);
    loadWeights(weights, amplifier_info(), state.get());
    largest = std::max(largest, 1);
    out.assign(static_cast<std::size_t>(largest), 0);
    workspaceSize = 0;
    for (const int n : {largest, 64}) // the one for which the object has code of its own may need more
      workspaceSize = std::max(workspaceSize, amplifier_amplify_workspace_size(std::min(n, largest)));
    workspace.allocate(workspaceSize);
    reset();
  }

  /* Turns the past into silence. */
  void reset() noexcept REALTIME {
    amplifier_reset_args args = {};
    args.state = state.get();
    amplifier_reset(&args);
  }

  /* Replaces `n` samples; leaves them as they are before `prepare`. */
  void process(float *block, int n) noexcept REALTIME {
    const FlushSubnormals flushed;
    for (int done = 0, length; done < n && !out.empty(); done += length) {
      length = std::min(n - done, static_cast<int>(out.size()));
      amplifier_amplify_args args = {};
      args.N = length;
      args.in = block + done;
      args.out = out.data();
      args.state = state.get();
      args.workspace = workspace.get();
      args.workspace_size = workspaceSize;
      if (amplifier_amplify(&args) == LATHE_OK) // else the sound stays as it is
        std::copy_n(out.data(), length, block + done);
    }
  }

private:
  Region state, workspace;
  std::size_t workspaceSize = 0;
  std::vector<float> out;
};

/* Speech without noise, at 16 kHz. Blocks may have any length; the network sees 64 samples at a time, which are collected. */
class Denoiser {
public:
  static constexpr int rate = 16000, block = 64, latency = block + 192;

  void prepare(const std::string &weights, int /*largest*/) {
    state.allocate(DENOISER_STATE_SIZE);
    loadWeights(weights, denoiser_info(), state.get());
    workspaceSize = denoiser_denoise_workspace_size(1);
    workspace.allocate(workspaceSize);
    reset();
  }

  void reset() noexcept REALTIME {
    denoiser_reset_args args = {};
    args.state = state.get();
    denoiser_reset(&args);
    in.fill(0);
    out.fill(0);
    collected = 0;
  }

  void process(float *samples, int n) noexcept REALTIME {
    const FlushSubnormals flushed;
    for (int done = 0, length; done < n; done += length) {
      length = std::min(n - done, block - collected);
      std::copy_n(samples + done, length, in.data() + collected);
      std::copy_n(out.data() + collected, length, samples + done);
      collected += length;
      if (collected == block)
        run();
    }
  }

private:
  void run() noexcept REALTIME {
    denoiser_denoise_args args = {};
    args.K = 1;
    args.in = in.data();
    args.out = out.data();
    args.state = state.get();
    args.workspace = workspace.get();
    args.workspace_size = workspaceSize;
    if (denoiser_denoise(&args) != LATHE_OK)
      out = in;
    collected = 0;
  }

  Region state, workspace;
  std::size_t workspaceSize = 0;
  alignas(64) std::array<float, block> in = {}, out = {};
  int collected = 0;
};

} // namespace audio

#endif // EXAMPLES_AUDIO_PLUGIN_HPP
