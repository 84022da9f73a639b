/* Trains the amplifier's model to be the circuit, and the denoiser to take noise from the voice of FOLDER/learn.wav. Their
 * weights are left in OUT/amplifier.safetensors and OUT/denoiser.safetensors, the losses in OUT/NAME-losses.npy.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "amplifier_trainer.h"
#include "denoiser_trainer.h"

#include "app.h"
#include "circuit.hpp"
#include "wav.h"

#include <algorithm>
#include <functional>
#include <string>

namespace {

using Sound = std::vector<float>;

enum { PIECES = 16, AMPLIFIER_PIECE = 2560, BLOCK = 64, DENOISER_PIECE = 99 * BLOCK };

/* State and workspace of a trainer, and its losses. */
template <typename Args>
class Training {
public:
  Training(const char *theName, const lathe_module_info *theModule, lathe_status (*init)(std::int64_t, void *),
           lathe_status (*theStep)(Args *), std::size_t workspaceSize)
      : name(theName), module(theModule), step(theStep), state(allocate(module->state_size)),
        workspace(allocate(workspaceSize)) {
    check(init(1, state));
    args.state = state;
    args.workspace = workspace;
    args.workspace_size = workspaceSize;
    args.loss = &loss;
    args.error = &error;
  }
  Training(const Training &) = delete;
  ~Training() {
    lathe_free(state);
    lathe_free(workspace);
  }

  void run(int steps, double peak, const std::function<void(Args &)> &draw) {
    const double start = seconds();
    for (int i = 0; i < steps; ++i) {
      const float rate = static_cast<float>(cosine_rate(peak, i, steps));
      args.rate = &rate;
      draw(args);
      check(step(&args));
      losses.push_back(loss);
    }
    const std::size_t last = std::min<std::size_t>(losses.size(), 20);
    double mean = 0;
    for (std::size_t i = losses.size() - last; i < losses.size(); ++i)
      mean += static_cast<double>(losses[i]) / static_cast<double>(last);
    std::printf("%s: %d steps in %.1f s, loss %.3f, then %.4f\n", name.c_str(), steps, seconds() - start, losses.front(), mean);
  }

  void save(const std::string &folder) const {
    check(lathe_state_save((folder + "/" + name + ".safetensors").c_str(), module, state, &error));
    const std::int64_t extents[4] = {static_cast<std::int64_t>(losses.size()), 0, 0, 0};
    store(folder.c_str(), (name + "-losses.npy").c_str(), LATHE_F32, losses.data(), extents);
  }

private:
  std::string name;
  const lathe_module_info *module;
  lathe_status (*step)(Args *);
  void *state, *workspace;
  Args args = {};
  float loss = 0;
  Sound losses;
};

lathe_status initAmplifier(std::int64_t seed, void *state) {
  amplifier_trainer_init_args args = {};
  args.seed = &seed;
  args.state = state;
  return amplifier_trainer_init(&args);
}

lathe_status initDenoiser(std::int64_t seed, void *state) {
  denoiser_trainer_init_args args = {};
  args.seed = &seed;
  args.state = state;
  return denoiser_trainer_init(&args);
}

void trainAmplifier(const std::string &out, int steps) {
  constexpr int rate = 48000;
  const Sound dry = audio::strings(20 * rate, rate, 1), wet = audio::distorted(dry, rate);
  Sound in(PIECES * AMPLIFIER_PIECE), wanted(in.size());
  std::uint64_t seed = 2;
  Training<amplifier_trainer_train_args> training("amplifier", amplifier_trainer_info(), initAmplifier, amplifier_trainer_train,
                                                  amplifier_trainer_train_workspace_size());
  training.run(steps, 0.01, [&](amplifier_trainer_train_args &args) {
    for (std::ptrdiff_t piece = 0; piece < PIECES; ++piece) {
      const std::ptrdiff_t from = random_below(&seed, static_cast<std::int64_t>(dry.size()) - AMPLIFIER_PIECE);
      std::copy_n(dry.begin() + from, std::ptrdiff_t(AMPLIFIER_PIECE), in.begin() + piece * AMPLIFIER_PIECE);
      std::copy_n(wet.begin() + from, std::ptrdiff_t(AMPLIFIER_PIECE), wanted.begin() + piece * AMPLIFIER_PIECE);
    }
    args.in = in.data();
    args.wanted = wanted.data();
  });
  training.save(out);
}

/* Adds hiss of some colour and a hum of some frequency to a piece, 0 to 15 dB below a voice. */
void addNoise(float *piece, std::uint64_t &seed) {
  const double level = 0.06 * std::pow(10.0, -0.05 * (7.5 + 7.5 * audio::randomReal(seed)));
  const double colour = 0.45 + 0.4 * audio::randomReal(seed), hum = 0.4 * (1 + audio::randomReal(seed));
  const double turn = 2 * audio::pi * (55 + 10 * audio::randomReal(seed)) / 16000;
  double last = 0, phase = audio::pi * audio::randomReal(seed);
  for (int i = 0; i < DENOISER_PIECE; ++i, phase += turn) {
    double white = 0;
    for (int term = 0; term < 4; ++term) // close to normal, of variance 4 / 3
      white += audio::randomReal(seed);
    last = colour * last + std::sqrt((1 - colour * colour) * 0.75) * white;
    piece[i] += static_cast<float>(level * (last + hum * (std::sin(phase) + std::sin(3 * phase) + std::sin(5 * phase))));
  }
}

void trainDenoiser(const std::string &data, const std::string &out, int steps) {
  recording voice = read_wav((data + "/learn.wav").c_str(), 16000, 0);
  Sound noisy(PIECES * DENOISER_PIECE), clean(noisy.size());
  std::uint64_t seed = 3;
  Training<denoiser_trainer_train_args> training("denoiser", denoiser_trainer_info(), initDenoiser, denoiser_trainer_train,
                                                 denoiser_trainer_train_workspace_size());
  training.run(steps, 0.005, [&](denoiser_trainer_train_args &args) {
    for (std::ptrdiff_t piece = 0; piece < PIECES; ++piece) {
      const std::int64_t from = random_below(&seed, voice.count - DENOISER_PIECE);
      const float gain = static_cast<float>(std::pow(10.0, 0.3 * audio::randomReal(seed)));
      float *const copy = clean.data() + piece * DENOISER_PIECE;
      for (int i = 0; i < DENOISER_PIECE; ++i)
        copy[i] = gain * voice.sample[from + i];
      std::copy_n(copy, int(DENOISER_PIECE), noisy.data() + piece * DENOISER_PIECE);
      addNoise(noisy.data() + piece * DENOISER_PIECE, seed);
    }
    args.noisy = noisy.data();
    args.clean = clean.data();
  });
  lathe_free(voice.sample);
  training.save(out);
}

} // namespace

int main(int count, char **words) {
  check_words(count, words, "usage: train FOLDER OUT [--amplifier STEPS] [--denoiser STEPS]");
  trainAmplifier(words[2], static_cast<int>(option(words, "--amplifier", 300)));
  trainDenoiser(words[1], words[2], static_cast<int>(option(words, "--denoiser", 400)));
  return 0;
}
