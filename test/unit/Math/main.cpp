// Measures every elementary function in every variant and fails above the stated bounds: math-accuracy [NAME].
// math-accuracy --halves [NAME] does so for all operands of f16 and bf16.
// math-accuracy --measure [--stride=N] [--samples=N] [--seed=N] [NAME] is the long run behind docs/math-accuracy.md; see
// Measure.h.
#include "Errors.h"
#include "Halves.h"
#include "Measure.h"
#include "Samples.h"
#include "test/unit/TimeLimit.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace {

constexpr Variant variants[] = {
    {"v4 x64", "x86-64-v4", true, 64},        {"v4 x16", "x86-64-v4", true, 16},         {"v3 x16", "x86-64-v3", true, 16},
    {"v3 x6", "x86-64-v3", true, 6},          {"v3 x1", "x86-64-v3", true, 1},           {"v2 x16", "x86-64-v2", false, 16},
    {"v3 fast", "x86-64-v3", true, 16, true}, {"v2 fast", "x86-64-v2", false, 16, true},
};

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
    if (variant.isFast && (isDouble || function.fastBound == 0)) {
      printf("  %13s", "-");
      continue;
    }
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
    for (size_t i = 0; i < results.size(); ++i) {
      if (variant.isFast && results[i] == 0 && std::abs(exact[i]) < 2 * std::numeric_limits<T>::min())
        continue; // flushed
      note(worst, function, samples.a[i], samples.b[i], samples.c[i], results[i], exact[i]);
    }
    printf("  %5.3f (%5.2f)", worst.ulps, speed<T>(compiled));
    double bound = isDouble ? function.doubleBound : variant.isFast ? function.fastBound : function.singleBound;
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

/// Name and largest errors, fields apart by tabs; false if they are above the bound.
bool printHalves(const Function &function) {
  if (function.arity != 1)
    return true;
  HalfErrors errors = measureHalves(function);
  bool good = errors.f16 <= kHalfBound && errors.bf16 <= kHalfBound;
  printf("%s\t%.4f\t%.4f%s\n", function.name.c_str(), errors.f16, errors.bf16, good ? "" : "\tFAILED");
  return good;
}

} // namespace

int main(int argc, char **argv) {
  LongRun run;
  bool isLong = false, isHalves = false;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    auto number = [&](const char *name, uint64_t &value) {
      bool is = option.rfind(name, 0) == 0;
      if (is)
        value = strtoull(option.c_str() + strlen(name), nullptr, 10);
      return is;
    };
    if (option == "--measure" || number("--stride=", run.stride) || number("--samples=", run.samples) ||
        number("--seed=", run.seed))
      isLong = true;
    else if (option == "--halves")
      isHalves = true;
    else
      only = option;
  }
  if (!isLong && !isHalves) {
    printf("largest error in ULP (elements/ns on one core); v4 x64: code for x86-64-v4, 64 lanes of f32 or 32 of f64\n%-13s",
           "");
    for (const Variant &variant : variants)
      printf("  %-13s", variant.name);
    printf("\n");
  }
  bool good = true;
  std::vector<Function> list(functions().begin(), functions().end());
  TimeLimit limit;
  if (limit.isSet())
    std::shuffle(list.begin(), list.end(), std::mt19937_64(std::random_device()()));
  size_t measured = 0;
  for (const Function &function : list) {
    if (limit.isOver())
      break;
    ++measured;
    if (!only.empty() && function.name != only)
      continue;
    if (isHalves) {
      good &= printHalves(function);
      continue;
    }
    if (isLong) {
      good &= measureLong(function, run);
      continue;
    }
    good &= measure<float>(function);
    good &= measure<double>(function);
  }
  if (measured < list.size())
    printf("%zu of %zu functions in the time that there was\n", measured, list.size());
  return good ? 0 : 1;
}
