#include "Measure.h"
#include "Errors.h"
#include "Multiprecision.h"
#include "Samples.h"
#include <bit>
#include <cmath>
#include <cstdio>

namespace {

constexpr Variant fast = {"v4", "x86-64-v4", true, 16}, middle = {"v3", "x86-64-v3", true, 16},
                  plain = {"v2", "x86-64-v2", false, 16};
constexpr size_t block = 12288;

/// Code with FMA and without.
struct Pair {
  Compiled fma, plain;
  Pair(const Function &function, bool isDouble)
      : fma(function.name, function.arity, isDouble, middle), plain(function.name, function.arity, isDouble, ::plain) {}
};

struct Result {
  Worst fma, plain;
  uint64_t operands = 0;
  bool good = true;
};

template <typename T>
bool sameNumber(T a, T b) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(a) ==
             std::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(b) ||
         (a != a && b != b);
}

/// f32 against the f64 code of the same function, which is some 2^28 times as accurate, and that in every 64th block against
/// libm.
Result allSingles(const Function &function, const LongRun &run) {
  Pair code(function, false);
  Compiled reference(function.name, 1, true, middle);
  Result result;
  result.fma.ulps = result.plain.ulps = 0.5; // the right number may be half an ULP off
  std::vector<float> x(block), y(block);
  std::vector<double> wide(block), want(block);
  uint64_t blocks = 0;
  for (uint64_t next = run.seed % run.stride; next < uint64_t(1) << 32; next += block * run.stride, ++blocks) {
    size_t count = 0;
    for (; count < block; ++count) {
      uint64_t bits = next + count * run.stride;
      x[count] = bits < uint64_t(1) << 32 ? std::bit_cast<float>(static_cast<uint32_t>(bits)) : 1.0f;
      wide[count] = x[count];
      result.operands += bits < uint64_t(1) << 32;
    }
    reference(wide.data(), wide.data(), wide.data(), want.data(), block);
    for (size_t i = 0; blocks % 64 == 0 && i < block; ++i)
      if (double exact = function.single(x[i], 1, 1), least = function.least ? double(function.least(x[i])) : 0;
          !(std::fabs(want[i] - exact) <= std::max(std::fabs(exact), least) * 0x1p-49) && !sameNumber(want[i], exact)) {
        printf("%s: the f64 code gives %a for %a, libm %a\n", function.name.c_str(), want[i], wide[i], exact);
        result.good = false;
      }
    for (auto [compiled, worst] : {std::pair(&code.fma, &result.fma), std::pair(&code.plain, &result.plain)}) {
      (*compiled)(x.data(), x.data(), x.data(), y.data(), block);
      for (size_t i = 0; i < block; ++i)
        if (!sameNumber(y[i], static_cast<float>(want[i])))
          note(*worst, function, x[i], 1.0f, 1.0f, y[i], want[i]);
    }
  }
  return result;
}

/// Random and structured operands against libm one precision up. What would be a new largest error is found again with hundreds
/// of bits, and so is one operand in a thousand, to know that libm can be relied on.
template <typename T>
Result sampled(const Function &function, const LongRun &run) {
  Pair code(function, sizeof(T) == 8);
  Result result;
  for (uint64_t batch = 0; result.operands < run.samples; ++batch) {
    Samples<T> samples = samplesFor<T>(function.name, function.arity, size_t(1) << 20, run.seed + batch);
    std::vector<T> results[2] = {samples.a, samples.a};
    code.fma(samples.a.data(), samples.b.data(), samples.c.data(), results[0].data(), static_cast<int64_t>(samples.a.size()));
    code.plain(samples.a.data(), samples.b.data(), samples.c.data(), results[1].data(), static_cast<int64_t>(samples.a.size()));
    for (size_t i = 0; i < samples.a.size(); ++i) {
      T a = samples.a[i], b = samples.b[i], c = samples.c[i];
      Exact<T> want = exactValue(function, a, b, c);
      if (sizeof(T) == 8 && i % 1000 == 0 && !agrees(function, a, b, want)) {
        printf("%s: libm gives %La for %a, %a, MPFR %La\n", function.name.c_str(), static_cast<long double>(want), double(a),
               double(b), *multiprecision(function.name, a, b));
        result.good = false;
      }
      for (auto [value, worst] : {std::pair(results[0][i], &result.fma), std::pair(results[1][i], &result.plain)}) {
        Worst before = *worst;
        note(*worst, function, a, b, c, value, want);
        if (std::optional<long double> better;
            worst->ulps > before.ulps && sizeof(T) == 8 && (better = multiprecision(function.name, a, b))) {
          *worst = before;
          note(*worst, function, a, b, c, value, static_cast<Exact<T>>(*better));
        }
      }
    }
    result.operands += samples.a.size();
  }
  return result;
}

template <typename T>
bool print(const Function &function, const Result &result) {
  constexpr bool isDouble = sizeof(T) == 8;
  double bound = isDouble ? function.doubleBound : function.singleBound;
  printf("%s\t%s\t%g\t%.3f\t%.3f\t%llu", function.name.c_str(), isDouble ? "f64" : "f32", bound, result.fma.ulps,
         result.plain.ulps, static_cast<unsigned long long>(result.operands));
  for (const Variant &variant : {fast, middle, plain}) {
    Compiled compiled(function.name, function.arity, isDouble, variant);
    printf(compiled.runs() ? "\t%.2f" : "\t-", compiled.runs() ? 1 / speed<T>(compiled) : 0.0);
  }
  printf("\n");
  bool good = result.good && result.fma.ulps <= bound && result.plain.ulps <= bound;
  if (!good)
    printf("%s: FAILED, worst at %La, %La and %La, %La\n", function.name.c_str(), result.fma.a, result.fma.b, result.plain.a,
           result.plain.b);
  fflush(stdout);
  return good;
}

} // namespace

bool measureLong(const Function &function, const LongRun &run) {
  bool good = print<float>(function, function.arity == 1 ? allSingles(function, run) : sampled<float>(function, run));
  return print<double>(function, sampled<double>(function, run)) && good;
}
