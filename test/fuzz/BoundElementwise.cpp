// Bounds of what is computed element by element, and of moves.
#include "dialects/Lathe/IR/Lathe.h"
#include "test/fuzz/Bounds.h"
#include "test/fuzz/Graph.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace lathe;
using namespace fuzz;

/// The error of compiled code, in ULP; see docs/math-accuracy.md. -1: not an elementary function.
static double ulpsOf(llvm::StringRef name) {
  return llvm::StringSwitch<double>(name)
      .Cases({"exp", "log"}, 1)
      .Cases({"exp2", "log1p", "erf", "rsqrt"}, 1.5)
      .Case("pow", 1.5)
      .Cases({"expm1", "log2", "log10", "sin", "cos", "asin"}, 2)
      .Cases({"acos", "atan", "tanh", "cbrt", "hypot"}, 2)
      .Case("logistic", 2.1)
      .Case("atan2", 2.5)
      .Cases({"tan", "sinh", "cosh", "asinh", "acosh", "atanh"}, 4)
      .Cases({"erf_inv", "erfc", "lgamma", "digamma", "polygamma"}, 4)
      .Default(-1);
}

static bool isMonotone(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"exp", "exp2", "expm1", "log", "log2", "log10"}, true)
      .Cases({"log1p", "sqrt", "cbrt", "asin", "acos", "atan"}, true)
      .Cases({"sinh", "tanh", "asinh", "acosh", "atanh", "logistic"}, true)
      .Cases({"erf", "erfc", "erf_inv"}, true)
      .Default(false);
}

/// Returns the bound that follows from the operands' bounds at element i, before rounding; NaN if it is unknown.
static double passOn(const Seen &seen, int64_t i) {
  auto value = [&](unsigned k) { return seen.values[k]->at(i); };
  auto bound = [&](unsigned k) { return seen.bounds[k]->data<double>()[i]; };
  llvm::StringRef name = seen.name;
  if (name == "neg" || name == "abs" || name == "stop_gradient" || name == "sin" || name == "cos")
    return bound(0);
  if (name == "add" || name == "sub")
    return bound(0) + bound(1);
  if (name == "max" || name == "min")
    return std::isnan(bound(1)) ? bound(1) : std::max(bound(0), bound(1));
  if (name == "clamp")
    return bound(0) + bound(1) + bound(2);
  if (name == "mul" || name == "fma") {
    double product = std::fabs(value(0)) * bound(1) + std::fabs(value(1)) * bound(0) + bound(0) * bound(1);
    return name == "mul" ? product : product + bound(2);
  }
  if (name == "div") {
    double least = std::fabs(value(1)) - bound(1);
    return least > 0 ? (bound(0) + std::fabs(value(0) / value(1)) * bound(1)) / least : std::nan("");
  }
  if (name == "convert" && isFloat(seen.element()) && isFloat(seen.values[0]->getElement()))
    return bound(0);
  if (name == "select" && seen.bounds[0]->data<double>()[i] == 0)
    return seen.values[0]->at(i) != 0 ? bound(1) : bound(2);
  return std::nan("");
}

/// A monotone function at both ends of the operand's range; NaN where the domain ends in between.
static std::vector<double> atEnds(const Seen &seen) {
  Tensor low = convert(*seen.values[0], Element::F64), high = low, middle = low;
  for (int64_t i = 0; i < low.size(); ++i) {
    low.data<double>()[i] -= seen.bounds[0]->data<double>()[i];
    high.data<double>()[i] += seen.bounds[0]->data<double>()[i];
  }
  Tensor atLow = evaluateOn(seen, {&low}, Element::F64), atHigh = evaluateOn(seen, {&high}, Element::F64),
         at = evaluateOn(seen, {&middle}, Element::F64);
  std::vector<double> bounds(low.size());
  for (int64_t i = 0; i < low.size(); ++i) {
    double down = std::fabs(at.at(i) - atLow.at(i)), up = std::fabs(atHigh.at(i) - at.at(i));
    bounds[i] = std::isnan(down) ? down : std::max(up, down);
    if (std::isnan(up))
      bounds[i] = up;
  }
  return bounds;
}

/// Within a rounding error, an infinity or NaN may be a number: after an overflow, or a difference of infinities.
static double beside(double result, double bound, Element element) {
  return std::isfinite(result) && std::fabs(result) + bound < formatOf(element).largest ? bound : std::nan("");
}

/// At element i, where an operand is not exact.
static double inexact(const Seen &seen, int64_t i, const std::vector<double> &ends) {
  double passed = ends.empty() ? passOn(seen, i) : ends[i], result = seen.result.at(i);
  if (seen.name == "select" || seen.name == "neg" || seen.name == "abs" || seen.name == "stop_gradient")
    return passed; // nothing is rounded, and what is chosen may be any number
  double ulps = std::max(1.0, ulpsOf(seen.name) + 1);
  if (isHalf(seen.element())) // computed in f32, then rounded
    return beside(result,
                  passed + ulps * roundings(Element::F32, result) + roundings(seen.element(), std::fabs(result) + passed),
                  seen.element());
  return beside(result, passed + ulps * roundings(seen.element(), std::fabs(result) + passed), seen.element());
}

/// Bounds a difference that cancels: below 0, lgamma and its derivatives are exact only relative to their value at |x| or 1 +
/// |x|.
static double cancelled(const Seen &seen, int64_t i) {
  if (!llvm::is_contained({"lgamma", "digamma", "polygamma"}, seen.name) || !(seen.values[0]->at(i) < 0))
    return 0;
  return 10 + seen.values[0]->at(i) * seen.values[0]->at(i); // above all of these, up to order 3
}

/// At element i, of exact operands.
static double exact(const Seen &seen, int64_t i) {
  auto isNaN = [&](unsigned k) { return isFloat(seen.values[k]->getElement()) && std::isnan(seen.values[k]->at(i)); };
  if ((seen.name == "bitcast" && isNaN(0)) || (seen.name == "copysign" && isNaN(1)))
    return std::nan(""); // which of the NaNs it is, and its sign, nobody says
  double ulps = ulpsOf(seen.name), result = seen.result.at(i);
  if (std::isfinite(result))
    result = std::max(std::fabs(result), cancelled(seen, i));
  if (ulps < 0 || !std::isfinite(result))
    return 0;
  if (isHalf(seen.element()))
    return (ulps + 1) * roundings(Element::F32, result) + roundings(seen.element(), result);
  return (ulps + 1) * roundings(seen.element(), result);
}

Bound fuzz::boundElementwise(const Seen &seen) {
  if (!seen.op->hasTrait<ElementwiseTrait>())
    return std::nullopt;
  Tensor bound(Element::F64, seen.result.getShape());
  std::vector<double> ends;
  if (isMonotone(seen.name) && isFloat(seen.element()) && !seen.isExact())
    ends = atEnds(seen);
  bool isReordered = seen.isDerived && seen.name == "add" && isFloat(seen.element());
  for (int64_t i = 0; i < bound.size(); ++i) {
    bool isExact =
        !isReordered && llvm::all_of(seen.bounds, [&](const Tensor *operand) { return operand->data<double>()[i] == 0; });
    if (!isFloat(seen.element()))
      bound.data<double>()[i] = isExact ? exact(seen, i) : seen.name == "select" ? passOn(seen, i) : std::nan("");
    else
      bound.data<double>()[i] = isExact ? exact(seen, i) : inexact(seen, i, ends);
  }
  return bound;
}

static bool isMove(const Seen &seen) {
  if (auto scatter = llvm::dyn_cast<ScatterOp>(seen.op))
    return scatter.getKind() == ScatterKind::Set;
  return llvm::StringSwitch<bool>(seen.name)
      .Cases({"broadcast", "reshape", "transpose", "reverse", "slice", "pad"}, true)
      .Cases({"concatenate", "gather", "dynamic_slice", "dynamic_update_slice", "window_gather"}, true)
      .Default(false);
}

Bound fuzz::boundMove(const Seen &seen) {
  if (!isMove(seen))
    return std::nullopt;
  std::vector<const Tensor *> operands;
  bool places = llvm::is_contained({"gather", "dynamic_slice", "dynamic_update_slice", "window_gather", "scatter"}, seen.name);
  unsigned moved = seen.name == "dynamic_update_slice" ? 2 : 1; // the first so many; of scatter the first and the last
  for (unsigned i = 0; i < seen.values.size(); ++i) {
    bool isMoved = !places || i < moved || (seen.name == "scatter" && i == 2);
    if (!isMoved &&
        llvm::any_of(llvm::ArrayRef(seen.bounds[i]->data<double>(), seen.bounds[i]->size()), [](double b) { return b != 0; }))
      return std::nullopt;
    operands.push_back(isMoved ? seen.bounds[i] : seen.values[i]);
  }
  return evaluateOn(seen, operands, Element::F64);
}
