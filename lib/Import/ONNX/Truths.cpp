#include "lib/Import/ONNX/Truths.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "lib/Import/ONNX/Quotients.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

bool onnximport::isComparison(StringRef op) {
  return op == "Equal" || op == "Less" || op == "LessOrEqual" || op == "Greater" || op == "GreaterOrEqual";
}

/// Returns the boolean that is true where `test` is at least 1.
static std::optional<Scalar> truthWhere(const Dim &test) {
  Dim value = maxOf(test, Dim(0)) - maxOf(test - Dim(1), Dim(0));
  if (value.isUnknown())
    return std::nullopt;
  Scalar result = Scalar::of(value);
  if (!value.isStatic())
    result.test = test;
  return result;
}

/// Returns the boolean that is true where `difference` is 0.
static std::optional<Scalar> truthWhereZero(const Dim &difference) {
  std::optional<Scalar> result = truthWhere(Dim(1) - maxOf(difference, Dim(0) - difference));
  if (result && result->test)
    result->difference = difference;
  return result;
}

/// Returns the test of a boolean; one without it is its own.
static const Dim &conditionOf(const Scalar &boolean) { return boolean.test ? *boolean.test : boolean.dim; }

static std::optional<bool> ofSign(StringRef op, int sign) {
  return op == "Equal"         ? sign == 0
         : op == "Less"        ? sign < 0
         : op == "LessOrEqual" ? sign <= 0
         : op == "Greater"     ? sign > 0
                               : sign >= 0;
}

/// Compares two sizes for all sizes at once; nullopt if the result depends on the sizes.
static std::optional<bool> compareForAll(StringRef op, const Dim &difference) {
  if (std::optional<int> sign = signOf(difference))
    return ofSign(op, *sign);
  bool isNeverBelow = isNeverNegative(difference), isNeverAbove = isNeverNegative(Dim(0) - difference);
  if ((op == "GreaterOrEqual" && isNeverBelow) || (op == "LessOrEqual" && isNeverAbove))
    return true;
  if ((op == "Less" && isNeverBelow) || (op == "Greater" && isNeverAbove))
    return false;
  return std::nullopt;
}

std::optional<Scalar> onnximport::compareScalars(StringRef op, const Scalar &lhs, const Scalar &rhs, Type element) {
  if (lhs.isNumber() && rhs.isNumber() && (lhs.real || rhs.real || lhs.divisor != 1 || rhs.divisor != 1)) {
    double a = lhs.number(), b = rhs.number();
    if (a != a || b != b)
      return truth(false);
    return truth(*ofSign(op, a < b ? -1 : a > b));
  }
  auto isBelow = [](const Scalar &number, const Scalar &extent) { // such as -1 beside an extent
    return extent.isExtent && number.dim.isStatic() && !number.real && number.dim.constant() < 0;
  };
  if (isBelow(lhs, rhs) || isBelow(rhs, lhs))
    return truth(*ofSign(op, isBelow(lhs, rhs) ? -1 : 1));
  auto both = withOneDivisor(lhs, rhs, element);
  if (!both)
    return std::nullopt;
  Dim difference = both->first.dim - both->second.dim;
  if (std::optional<bool> decided = compareForAll(op, difference))
    return truth(*decided);
  return op == "Equal"         ? truthWhereZero(difference)
         : op == "Less"        ? truthWhere(Dim(0) - difference)
         : op == "LessOrEqual" ? truthWhere(Dim(1) - difference)
         : op == "Greater"     ? truthWhere(difference)
                               : truthWhere(difference + Dim(1));
}

std::optional<Scalar> onnximport::negated(const Scalar &operand) {
  Scalar result = operand;
  result.dim = Dim(1) - operand.dim;
  if (operand.test)
    result.test = Dim(1) - *operand.test;
  result.isUnequal = !operand.isUnequal;
  return result;
}

std::optional<Scalar> onnximport::evaluateLogic(StringRef op, const Scalar &lhs, const Scalar &rhs) {
  for (auto &[first, second] : {std::pair(&lhs, &rhs), std::pair(&rhs, &lhs)})
    if (first->dim.isStatic()) {
      bool holds = first->dim != Dim(0);
      if (op == "Xor")
        return holds ? negated(*second) : *second;
      return holds == (op == "Or") ? truth(holds) : *second;
    }
  const Dim &a = conditionOf(lhs), &b = conditionOf(rhs);
  if (op == "And")
    return truthWhere(minOf(a, b));
  if (op == "Or")
    return truthWhere(maxOf(a, b));
  return op == "Xor" ? truthWhere(maxOf(minOf(a, Dim(1) - b), minOf(Dim(1) - a, b))) : std::nullopt;
}

std::optional<Scalar> onnximport::isNotZero(const Dim &dim) {
  if (std::optional<int> sign = signOf(dim))
    return truth(*sign != 0);
  if (leastOf(dim, anySize) >= 0)
    return truthWhere(dim);
  std::optional<Scalar> isZero = truthWhereZero(dim);
  return isZero ? negated(*isZero) : std::nullopt;
}

/// Returns an expression that has the value of `dim` wherever `difference` is 0: a name that occurs in `difference` once, as a
/// term of its own, is expressed by the other terms.
static Dim whereZero(const Dim &dim, const Dim &difference) {
  for (const auto &[names, coefficient] : difference.getTerms()) {
    if (names.size() != 1 || std::abs(coefficient) != 1 || derivedDim(names[0]))
      continue;
    Dim others = Dim::named(names[0]) - difference * Dim(coefficient);
    if (!llvm::is_contained(namesIn(others), names[0]))
      return dim.substitute({{names[0], others}});
  }
  return dim;
}

/// Returns `yes` where the boolean holds, else `no`.
static Dim choose(const Scalar &condition, const Dim &yes, const Dim &no) {
  if (condition.difference) {
    const Dim &equal = condition.isUnequal ? no : yes, &other = condition.isUnequal ? yes : no;
    Dim value = condition.isUnequal ? Dim(1) - condition.dim : condition.dim;
    return other + value * whereZero(equal - other, *condition.difference);
  }
  const Dim &test = conditionOf(condition); // the product of it and the boolean is its positive part
  auto [quotient, rest] = (yes - no).dividedBy(test);
  return no + quotient * maxOf(test, Dim(0)) + rest * condition.dim;
}

std::optional<Scalar> onnximport::evaluateChoice(const Scalar &condition, const Scalar &yes, const Scalar &no, Type element) {
  if (condition.isNumber())
    return condition.number() != 0 ? yes : no;
  if (yes.real && no.real && *yes.real == *no.real)
    return yes;
  auto both = withOneDivisor(yes, no, element);
  if (!both)
    return std::nullopt;
  Dim chosen = choose(condition, both->first.dim, both->second.dim);
  if (chosen.isUnknown())
    return std::nullopt;
  if (element.isInteger(1))
    return truthWhere(chosen);
  return Scalar{chosen, std::nullopt, both->first.divisor};
}
