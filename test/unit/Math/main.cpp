// Measures every elementary function in every variant and fails above the stated bounds.
#include "Compiled.h"
#include "Reference.h"
#include "Samples.h"
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <type_traits>

namespace {

constexpr Variant variants[] = {
    {"v4 x64", "x86-64-v4", true, 64}, {"v4 x16", "x86-64-v4", true, 16}, {"v3 x16", "x86-64-v3", true, 16},
    {"v3 x6", "x86-64-v3", true, 6},   {"v3 x1", "x86-64-v3", true, 1},   {"v2 x16", "x86-64-v2", false, 16},
};

struct Worst {
  double ulps = 0;
  long double a = 0, b = 0, c = 0, got = 0, want = 0;
};

template <typename T>
using Exact = std::conditional_t<sizeof(T) == 4, double, long double>;

template <typename T>
Exact<T> exactValue(const Function &function, T a, T b, T c) {
  if constexpr (sizeof(T) == 4)
    return function.single(a, b, c);
  else
    return function.dbl(a, b, c);
}

template <typename T>
void note(Worst &worst, T a, T b, T c, T got, Exact<T> want) {
  if (worst.ulps >= 0.5 && got != 0 && got == static_cast<T>(want))
    return; // the best possible result: at most half an ULP off
  double error = errorInUlps(got, want);
  if (!(error <= worst.ulps))
    worst = {error, a, b, c, got, want};
}

/// Elements per ns on ordinary operands in the first-level cache.
template <typename T>
double speed(const Compiled &compiled) {
  constexpr size_t count = 960, rounds = 256;
  std::vector<T> a(count), b(count), c(count, T(1)), out(count);
  for (size_t i = 0; i < count; ++i) {
    a[i] = static_cast<T>(0.01 + 0.008 * static_cast<double>(i));
    b[i] = static_cast<T>(0.3 + 0.002 * static_cast<double>(i));
  }
  double best = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < rounds; ++i)
      compiled(a.data(), b.data(), c.data(), out.data(), count);
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, count * rounds / time.count());
  }
  return best;
}

/// One line of the table; false if a bound is broken.
template <typename T>
bool measure(const Function &function) {
  constexpr bool isDouble = sizeof(T) == 8;
  Samples<T> samples = samplesFor<T>(function.name, function.arity, size_t(1) << 20);
  std::vector<Exact<T>> exact(samples.a.size());
  for (size_t i = 0; i < exact.size(); ++i)
    exact[i] = exactValue(function, samples.a[i], samples.b[i], samples.c[i]);
  printf("%-9s %s", function.name.c_str(), isDouble ? "f64" : "f32");
  bool good = true;
  std::string complaints;
  std::vector<T> results(samples.a.size());
  for (const Variant &variant : variants) {
    Compiled compiled(function.name, function.arity, isDouble, variant);
    if (!compiled.undefinedSymbols().empty()) {
      complaints += std::string("  ") + variant.name + " calls " + compiled.undefinedSymbols() + "\n";
      good = false;
    }
    if (!compiled.runs()) {
      printf("  %8s", "-");
      continue;
    }
    compiled(samples.a.data(), samples.b.data(), samples.c.data(), results.data(), static_cast<int64_t>(results.size()));
    Worst worst;
    for (size_t i = 0; i < results.size(); ++i)
      note(worst, samples.a[i], samples.b[i], samples.c[i], results[i], exact[i]);
    printf("  %5.3f (%5.2f)", worst.ulps, speed<T>(compiled));
    double bound = isDouble ? function.doubleBound : function.singleBound;
    if (worst.ulps <= bound)
      continue;
    char line[256];
    snprintf(line, sizeof(line), "  %s: %.3f > %.3f ULP at %.17Lg, %.17Lg (%La, %La, %La): got %.17Lg, want %.20Lg\n",
             variant.name, worst.ulps, bound, worst.a, worst.b, worst.a, worst.b, worst.c, worst.got, worst.want);
    complaints += line;
    good = false;
  }
  printf("%s\n%s", good ? "" : "  FAILED", complaints.c_str());
  fflush(stdout);
  return good;
}

/// All 2^32 operands of one f32 function, on two threads.
bool measureAll(const Function &function, const Variant &variant) {
  Compiled compiled(function.name, 1, false, variant);
  if (!compiled.runs())
    return true;
  Worst worst[2];
  auto half = [&](unsigned part) {
    constexpr size_t block = 4096; // the variants used here have 16 lanes
    std::vector<float> x(block), y(block);
    for (uint64_t first = part * block; first < uint64_t(1) << 32; first += 2 * block) {
      for (size_t i = 0; i < block; ++i)
        x[i] = std::bit_cast<float>(static_cast<uint32_t>(first + i));
      compiled(x.data(), x.data(), x.data(), y.data(), block);
      for (size_t i = 0; i < block; ++i)
        note(worst[part], x[i], 1.0f, 1.0f, y[i], exactValue(function, x[i], 1.0f, 1.0f));
    }
  };
  std::thread other(half, 1);
  half(0);
  other.join();
  const Worst &result = worst[worst[1].ulps > worst[0].ulps];
  double bound = function.singleBound;
  printf("%-9s %s all f32: %.4f ULP at %.9Lg (%La)%s\n", function.name.c_str(), variant.name, result.ulps, result.a, result.a,
         result.ulps <= bound ? "" : "  FAILED");
  fflush(stdout);
  return result.ulps <= bound;
}

} // namespace

int main(int argc, char **argv) {
  bool exhaustive = false;
  std::string only;
  for (int i = 1; i < argc; ++i)
    if (!strcmp(argv[i], "--exhaustive"))
      exhaustive = true;
    else
      only = argv[i];
  bool good = true;
  printf("largest error in ULP (elements/ns on one core); v4 x64: code for x86-64-v4, 64 lanes of f32 or 32 of f64\n%-13s", "");
  for (const Variant &variant : variants)
    printf("  %-13s", variant.name);
  printf("\n");
  for (const Function &function : functions()) {
    if (!only.empty() && function.name != only)
      continue;
    if (exhaustive && function.arity == 1) {
      for (const Variant &variant : {variants[1], variants[5]})
        good &= measureAll(function, variant);
      continue;
    }
    good &= measure<float>(function);
    good &= measure<double>(function);
  }
  return good ? 0 : 1;
}
