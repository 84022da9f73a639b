/* A host of both effects, as an audio application would call them, in blocks of 64 samples.
 *
 *   audio check FOLDER OUT
 *   audio time FOLDER OUT CALLS
 *   audio amplify|denoise WEIGHTS IN.wav OUT.wav
 *
 * The first one finds out whether streams are as they should be, and how good the effects are on sound that they were not
 * trained on; it leaves the sounds in OUT. The second one measures so many calls.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "plugin.hpp"

#include "app.h"
#include "circuit.hpp"
#include "latency.hpp"
#include "wav.h"

#include <exception>

namespace {

using Sound = std::vector<float>;

constexpr double MOST_AMPLIFIER_ERROR = 0.02; // of the energy of the circuit's sound
constexpr double LEAST_DENOISER_GAIN = 5;     // dB
constexpr float ROUNDING = 1e-5f;             // of full scale: sums of blocks and of a whole sound may have another order

Sound readSound(const std::string &path, std::uint32_t rate) {
  recording r = read_wav(path.c_str(), rate, 0);
  Sound sound(r.sample, r.sample + r.count);
  lathe_free(r.sample);
  return sound;
}

void putLittle(std::vector<unsigned char> &to, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    to.push_back(static_cast<unsigned char>(value >> (8 * i)));
}

void writeSound(const std::string &path, const Sound &sound, std::uint32_t rate) {
  std::vector<unsigned char> bytes = {'R', 'I', 'F', 'F'};
  const std::uint32_t size = static_cast<std::uint32_t>(2 * sound.size());
  putLittle(bytes, 36 + size, 4);
  for (const char c : {'W', 'A', 'V', 'E', 'f', 'm', 't', ' '})
    bytes.push_back(static_cast<unsigned char>(c));
  putLittle(bytes, 16, 4);
  putLittle(bytes, PCM | 1u << 16, 4); // one channel
  putLittle(bytes, rate, 4);
  putLittle(bytes, 2 * rate, 4);
  putLittle(bytes, 2 | 16u << 16, 4);
  for (const char c : {'d', 'a', 't', 'a'})
    bytes.push_back(static_cast<unsigned char>(c));
  putLittle(bytes, size, 4);
  for (const float x : sound)
    putLittle(bytes, static_cast<std::uint32_t>(std::lrint(32767 * std::min(std::max(x, -1.0f), 1.0f))), 2);
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0)
    throw std::runtime_error(path + ": cannot be written");
}

template <typename Effect>
Effect prepared(const std::string &weights, int largest) {
  Effect effect;
  effect.prepare(weights, largest);
  return effect;
}

/* The sound after the effect, which gets it in blocks of these lengths, again and again. */
template <typename Effect>
Sound processed(Effect &effect, Sound sound, const std::vector<int> &lengths) {
  for (std::size_t done = 0, i = 0; done < sound.size(); ++i) {
    const std::size_t length = std::min(static_cast<std::size_t>(lengths[i % lengths.size()]), sound.size() - done);
    effect.process(sound.data() + done, static_cast<int>(length));
    done += length;
  }
  return sound;
}

float largestDifference(const Sound &a, const Sound &b) {
  float largest = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    largest = static_cast<float>(
        larger(static_cast<double>(largest), std::fabs(static_cast<double>(a.at(i)) - static_cast<double>(b.at(i)))));
  return largest;
}

double energy(const Sound &sound) {
  double sum = 0;
  for (const float x : sound)
    sum += static_cast<double>(x) * static_cast<double>(x);
  return sum;
}

Sound difference(Sound a, const Sound &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] -= b.at(i);
  return a;
}

/* The sound without its first `delay` samples, with silence behind it. */
Sound advanced(Sound sound, std::size_t delay) {
  sound.erase(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(delay));
  sound.resize(sound.size() + delay);
  return sound;
}

bool holds(bool condition, const char *text) {
  std::printf("  %s: %s\n", text, condition ? "yes" : "NO");
  return condition;
}

/* What every effect must do, whatever it has learned. `whole` is the sound after the effect, computed at once. */
template <typename Effect>
bool checkStreams(const std::string &weights, const Sound &sound, const Sound &whole) {
  Effect effect = prepared<Effect>(weights, 64);
  const Sound blocks = processed(effect, sound, {64});
  const float distance = largestDifference(blocks, whole);
  std::printf("  blocks of 64 and the whole sound: at most %.1e apart\n", static_cast<double>(distance));
  bool good = holds(distance <= ROUNDING, "blocks are the whole sound, up to rounding");
  effect.reset();
  good &= holds(processed(effect, sound, {64}) == blocks, "the same again after a reset");
  effect.reset();
  good &= holds(largestDifference(processed(effect, sound, {1, 63, 7, 64, 100, 13}), whole) <= ROUNDING,
                "blocks of other lengths, too");

  // Another stream in between, which hears the sound backwards.
  Effect first = prepared<Effect>(weights, 64), second = prepared<Effect>(weights, 64);
  const Sound backwards(sound.rbegin(), sound.rend());
  Sound one = sound, two = backwards;
  for (std::size_t done = 0; done + 64 <= sound.size(); done += 64) {
    first.process(one.data() + done, 64);
    second.process(two.data() + done, 64);
  }
  effect.reset();
  const Sound alone = processed(effect, backwards, {64});
  const auto full = static_cast<std::ptrdiff_t>(sound.size() / 64 * 64);
  good &= holds(std::equal(one.begin(), one.begin() + full, blocks.begin()) &&
                    std::equal(two.begin(), two.begin() + full, alone.begin()),
                "two streams in turns are as each by itself");
  return good;
}

bool checkAmplifier(const std::string &out) {
  const std::string weights = out + "/amplifier.safetensors";
  const Sound dry = audio::strings(4 * audio::Amplifier::rate, audio::Amplifier::rate, 77);
  const Sound circuit = audio::distorted(dry, audio::Amplifier::rate);
  audio::Amplifier effect = prepared<audio::Amplifier>(weights, static_cast<int>(dry.size()));
  const Sound whole = processed(effect, dry, {static_cast<int>(dry.size())});
  std::puts("amplifier:");
  bool good = checkStreams<audio::Amplifier>(weights, dry, whole);
  const double error = energy(difference(whole, circuit)) / energy(circuit);
  const double untouched = energy(difference(dry, circuit)) / energy(circuit);
  std::printf("  error: %.4f of the circuit's energy; of the sound before it %.2f\n", error, untouched);
  good &= holds(error <= MOST_AMPLIFIER_ERROR, "at most 0.02");
  writeSound(out + "/dry.wav", dry, audio::Amplifier::rate);
  writeSound(out + "/amplified.wav", whole, audio::Amplifier::rate);
  const std::int64_t extents[4] = {static_cast<std::int64_t>(dry.size())};
  store(out.c_str(), "dry.npy", LATHE_F32, dry.data(), extents);
  store(out.c_str(), "circuit.npy", LATHE_F32, circuit.data(), extents);
  store(out.c_str(), "amplified.npy", LATHE_F32, whole.data(), extents);
  return good;
}

/* One call for the whole sound, as long after it as the plug-in is. */
Sound denoisedAtOnce(const std::string &weights, const Sound &noisy) {
  const auto blocks = static_cast<std::int64_t>(noisy.size() / audio::Denoiser::block);
  const std::size_t size = denoiser_denoise_workspace_size(blocks);
  audio::Region state, workspace;
  state.allocate(DENOISER_STATE_SIZE);
  workspace.allocate(size);
  audio::loadWeights(weights, denoiser_info(), state.get());
  Sound out(noisy.size());
  denoiser_denoise_args args = {};
  args.K = blocks;
  args.in = noisy.data();
  args.out = out.data();
  args.state = state.get();
  args.workspace = workspace.get();
  args.workspace_size = size;
  args.error = &error;
  check(denoiser_denoise(&args));
  out.insert(out.begin(), audio::Denoiser::block, 0.0f);
  out.resize(noisy.size());
  return out;
}

double decibels(double ratio) { return 10 * std::log10(ratio); }

bool checkDenoiser(const std::string &folder, const std::string &out) {
  const std::string weights = out + "/denoiser.safetensors";
  const Sound clean = readSound(folder + "/clean.wav", audio::Denoiser::rate),
              noisy = readSound(folder + "/noisy.wav", audio::Denoiser::rate);
  const Sound whole = denoisedAtOnce(weights, noisy), aligned = advanced(whole, audio::Denoiser::latency);
  std::puts("denoiser:");
  bool good = checkStreams<audio::Denoiser>(weights, noisy, whole);
  const double before = decibels(energy(clean) / energy(difference(noisy, clean)));
  const double after = decibels(energy(clean) / energy(difference(aligned, clean)));
  std::printf("  signal to noise: %.1f dB before, %.1f dB after\n", before, after);
  good &= holds(after - before >= LEAST_DENOISER_GAIN, "at least 5 dB more");
  writeSound(out + "/denoised.wav", aligned, audio::Denoiser::rate);
  const std::int64_t extents[4] = {static_cast<std::int64_t>(clean.size())};
  store(out.c_str(), "clean.npy", LATHE_F32, clean.data(), extents);
  store(out.c_str(), "noisy.npy", LATHE_F32, noisy.data(), extents);
  store(out.c_str(), "denoised.npy", LATHE_F32, aligned.data(), extents);
  return good;
}

void timeEffects(const std::string &folder, const std::string &out, int calls) {
  audio::Control control;
  audio::measure("control", control, Sound(64), calls, out);
  audio::Amplifier amplifier = prepared<audio::Amplifier>(out + "/amplifier.safetensors", 64);
  const Sound dry = audio::strings(4 * audio::Amplifier::rate, audio::Amplifier::rate, 77);
  audio::measure("amplifier", amplifier, dry, calls, out);
  audio::Denoiser denoiser = prepared<audio::Denoiser>(out + "/denoiser.safetensors", 64);
  audio::measure("denoiser", denoiser, readSound(folder + "/noisy.wav", audio::Denoiser::rate), calls, out);
}

template <typename Effect>
void convert(char **words) {
  Effect effect = prepared<Effect>(words[2], 64);
  writeSound(words[4], processed(effect, readSound(words[3], Effect::rate), {64}), Effect::rate);
}

int runCommand(int count, char **words) {
  const std::string command = count > 1 ? words[1] : "";
  if (command == "check" && count == 4) {
    const bool amplifier = checkAmplifier(words[3]);
    return checkDenoiser(words[2], words[3]) && amplifier ? 0 : 1;
  }
  if (command == "time" && count == 5)
    timeEffects(words[2], words[3], std::max(std::atoi(words[4]), 1000));
  else if (command == "amplify" && count == 5)
    convert<audio::Amplifier>(words);
  else if (command == "denoise" && count == 5)
    convert<audio::Denoiser>(words);
  else
    throw std::runtime_error(
        "usage: audio check FOLDER OUT | audio time FOLDER OUT CALLS | audio amplify|denoise WEIGHTS IN.wav OUT.wav");
  return 0;
}

} // namespace

int main(int count, char **words) try { return runCommand(count, words); } catch (const std::exception &problem) {
  std::fprintf(stderr, "error: %s\n", problem.what());
  return 1;
}
