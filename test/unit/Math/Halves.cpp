#include "Halves.h"
#include "Compiled.h"
#include "llvm/ADT/APFloat.h"
#include <bit>
#include <cmath>

using llvm::APFloat;

namespace {
constexpr Variant variants[] = {{"v3", "x86-64-v3", true, 16}, {"v2", "x86-64-v2", false, 16}};
constexpr int kOperands = 1 << 16;

/// A type of 16 bits.
struct Half {
  const llvm::fltSemantics &semantics;
  int fraction, leastExponent; // of a normal number

  float widened(uint16_t bits) const {
    APFloat value(semantics, llvm::APInt(16, bits));
    bool loses = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
    return value.convertToFloat();
  }
  double rounded(float x) const {
    APFloat value(x);
    bool loses = false;
    value.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return value.convertToDouble();
  }
  /// 0 for NaN beside NaN and for equal infinities; overflow counts as the next power of two.
  double error(double got, double want) const {
    double largest = std::ldexp(2 - std::ldexp(1, -fraction), 1 - leastExponent), over = std::ldexp(1, 2 - leastExponent);
    if (std::isnan(got) || std::isnan(want))
      return std::isnan(got) == std::isnan(want) ? 0 : INFINITY;
    if (std::isinf(want) || (got == 0 && want == 0))
      return got == want && std::signbit(got) == std::signbit(want) ? 0 : INFINITY;
    if (std::isinf(got))
      got = std::copysign(over, got);
    if (std::fabs(want) > largest)
      want = std::copysign(std::min(std::fabs(want), over), want);
    return std::fabs(got - want) /
           std::ldexp(1, std::max(want == 0 ? leastExponent : std::ilogb(want), leastExponent) - fraction);
  }
};

double worstOf(const Function &function, const Half &half) {
  std::vector<float> operands(kOperands), results(kOperands);
  for (int bits = 0; bits < kOperands; ++bits)
    operands[bits] = half.widened(static_cast<uint16_t>(bits));
  double worst = 0;
  for (const Variant &variant : variants) {
    Compiled compiled(function.name, 1, false, variant);
    if (!compiled.runs())
      continue;
    compiled(operands.data(), operands.data(), operands.data(), results.data(), kOperands);
    for (int i = 0; i < kOperands; ++i)
      worst = std::max(worst, half.error(half.rounded(results[i]), function.single(operands[i], 1, 1)));
  }
  return worst;
}
} // namespace

HalfErrors measureHalves(const Function &function) {
  return {worstOf(function, {APFloat::IEEEhalf(), 10, -14}), worstOf(function, {APFloat::BFloat(), 7, -126})};
}
