#include "lib/Import/ONNX/Known.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

bool Known::isAllNumbers() const {
  return llvm::all_of(elements, [](const Scalar &scalar) { return scalar.isNumber(); });
}

std::optional<std::vector<int64_t>> Known::integers() const {
  std::vector<int64_t> values;
  for (const Scalar &scalar : elements) {
    if (scalar.real || !scalar.dim.isStatic())
      return std::nullopt;
    values.push_back(scalar.dim.constant());
  }
  return values;
}

std::optional<Dims> Known::dims() const {
  Dims values;
  for (const Scalar &scalar : elements) {
    if (scalar.real || isFloat())
      return std::nullopt;
    values.push_back(scalar.dim);
  }
  return values;
}

std::optional<int64_t> onnximport::knownSize(ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    if (extent < 0 || extent > kMostKnown || (size *= extent) > kMostKnown)
      return std::nullopt;
  return size;
}

Known onnximport::knownList(Type element, ArrayRef<Dim> elements) {
  Known known{element, {int64_t(elements.size())}, {}};
  for (const Dim &dim : elements)
    known.elements.push_back(Scalar::of(dim));
  return known;
}

std::optional<int> onnximport::signOf(const Dim &dim) {
  if (dim.isUnknown())
    return std::nullopt;
  auto atLeastOne = [](StringRef) { return SizeRange{1, HUGE_VAL}; };
  double least = leastOf(dim, atLeastOne), largest = largestOf(dim, atLeastOne);
  if (least > 0 || largest < 0)
    return least > 0 ? 1 : -1;
  return least == 0 && largest == 0 ? std::optional(0) : std::nullopt;
}

std::optional<bool> onnximport::truthOf(const Known *known) {
  if (!known || known->elements.size() != 1 || !known->isAllNumbers())
    return std::nullopt;
  return known->elements[0].number() != 0;
}

bool onnximport::isNeverNegative(const Dim &dim) {
  std::optional<int> sign = signOf(dim + Dim(1)); // for integers, at least 0 means above -1
  return sign && *sign > 0;
}

std::optional<Dim> onnximport::divide(const Dim &dividend, const Dim &divisor) {
  if (dividend.isUnknown() || divisor.isUnknown() || divisor == Dim(0))
    return std::nullopt;
  auto [quotient, rest] = dividend.dividedBy(divisor);
  return rest == Dim(0) && !quotient.isUnknown() ? std::optional(quotient) : std::nullopt;
}

/// Returns the value rounded to the element type, in which ONNX computes.
static std::optional<Scalar> rounded(double value, Type element) {
  if (element.isF32())
    return Scalar::of(double(float(value)));
  if (element.isF16())
    return Scalar::of(double(Float16(value)));
  if (element.isBF16())
    return Scalar::of(double(BFloat16(value)));
  return element.isF64() ? std::optional(Scalar::of(value)) : std::nullopt;
}

/// Returns an integer that fits its type, or nullopt.
static std::optional<Scalar> fitting(Dim dim, Type element) {
  if (dim.isUnknown())
    return std::nullopt;
  unsigned width = element.getIntOrFloatBitWidth();
  if (dim.isStatic() && !element.isInteger(1)) {
    bool fits = element.isUnsignedInteger() ? llvm::isUIntN(width, dim.constant()) && dim.constant() >= 0
                                            : llvm::isIntN(width, dim.constant());
    if (!fits)
      return std::nullopt; // wraps: computed at run time
  }
  return Scalar::of(std::move(dim));
}

static std::optional<Scalar> truth(bool value) { return Scalar::of(Dim(value)); }

static std::optional<Scalar> compare(StringRef op, const Scalar &lhs, const Scalar &rhs) {
  if (lhs.real || rhs.real || lhs.divisor != 1 || rhs.divisor != 1) {
    if (!lhs.isNumber() || !rhs.isNumber())
      return std::nullopt;
    double a = lhs.number(), b = rhs.number();
    return truth(op == "Equal"         ? a == b
                 : op == "Less"        ? a < b
                 : op == "LessOrEqual" ? a <= b
                 : op == "Greater"     ? a > b
                                       : a >= b);
  }
  Dim difference = lhs.dim - rhs.dim;
  auto isBelow = [](const Scalar &number, const Scalar &extent) { // such as -1 beside an extent
    return extent.isExtent && number.dim.isStatic() && number.dim.constant() < 0;
  };
  std::optional<int> sign = isBelow(lhs, rhs) ? -1 : isBelow(rhs, lhs) ? 1 : signOf(difference);
  if (sign)
    return truth(op == "Equal"         ? *sign == 0
                 : op == "Less"        ? *sign < 0
                 : op == "LessOrEqual" ? *sign <= 0
                 : op == "Greater"     ? *sign > 0
                                       : *sign >= 0);
  if (op == "GreaterOrEqual" && isNeverNegative(difference))
    return truth(true);
  if (op == "LessOrEqual" && isNeverNegative(Dim(0) - difference))
    return truth(true);
  if (op == "Less" && isNeverNegative(difference))
    return truth(false);
  if (op == "Greater" && isNeverNegative(Dim(0) - difference))
    return truth(false);
  return std::nullopt;
}

static std::optional<Scalar> evaluateReal(StringRef op, double a, double b, Type element) {
  if (op == "Add")
    return rounded(a + b, element);
  if (op == "Sub")
    return rounded(a - b, element);
  if (op == "Mul")
    return rounded(a * b, element);
  if (op == "Div")
    return rounded(a / b, element);
  if (op == "Max" && a == a && b == b)
    return rounded(std::max(a, b), element);
  if (op == "Min" && a == a && b == b)
    return rounded(std::min(a, b), element);
  return std::nullopt;
}

std::optional<std::pair<int64_t, int64_t>> onnximport::fractionOf(double value, bool isSingle) {
  constexpr double kLargest = 1 << 24;
  double rest = std::fabs(value), p0 = 0, q0 = 1, p1 = 1, q1 = 0; // convergents of the continued fraction
  while (true) {
    double whole = std::floor(rest), p = whole * p1 + p0, q = whole * q1 + q0;
    if (!(p < kLargest && q < kLargest))
      return std::nullopt;
    if (isSingle ? float(p / q) == float(std::fabs(value)) : p / q == std::fabs(value))
      return std::pair(int64_t(value < 0 ? -p : p), int64_t(q));
    p0 = p1, q0 = q1, p1 = p, q1 = q;
    rest = 1 / (rest - whole);
  }
}

/// Evaluates arithmetic on floats that stand for quotients of sizes.
static std::optional<Scalar> evaluateScaled(StringRef op, Scalar a, Scalar b, Type element) {
  for (Scalar *scalar : {&a, &b})
    if (scalar->real) {
      auto fraction = fractionOf(*scalar->real, element.isF32());
      if (!fraction)
        return std::nullopt;
      *scalar = {Dim(fraction->first), std::nullopt, fraction->second};
    }
  constexpr int64_t kLargest = int64_t(1) << 31; // products of two fit into 63 bits
  auto quotient = [&](const Dim &dim, int64_t divisor) -> std::optional<Scalar> {
    if (dim.isUnknown() || divisor <= 0 || divisor > kLargest)
      return std::nullopt;
    for (int64_t prime : {2, 3, 5, 7}) // removes common factors of all coefficients
      if (divisor % prime == 0)
        if (std::optional<Dim> part = dim.dividedBy(prime); part && divisor / prime > 0)
          return Scalar{*part, std::nullopt, divisor / prime};
    return Scalar{dim, std::nullopt, divisor};
  };
  if (op == "Add" || op == "Sub") {
    Dim left = a.dim * Dim(b.divisor), right = b.dim * Dim(a.divisor);
    return a.divisor == b.divisor ? quotient(op == "Add" ? a.dim + b.dim : a.dim - b.dim, a.divisor)
                                  : quotient(op == "Add" ? left + right : left - right, a.divisor * b.divisor);
  }
  if (op == "Mul")
    return quotient(a.dim * b.dim, a.divisor * b.divisor);
  if (op != "Div")
    return std::nullopt;
  if (b.dim.isStatic() && b.dim.constant() > 0)
    return quotient(a.dim * Dim(b.divisor), a.divisor * b.dim.constant());
  std::optional<Dim> exact = divide(a.dim * Dim(b.divisor), b.dim);
  return exact ? quotient(*exact, a.divisor) : std::nullopt;
}

/// Returns dim / divisor without its fraction, as integers are divided, for a positive divisor.
static Dim towardsZero(const Dim &dim, const Dim &divisor) {
  if (isNeverNegative(dim))
    return floorDiv(dim, divisor);
  Dim positive = maxOf(dim, Dim(0));
  return floorDiv(positive, divisor) - floorDiv(positive - dim, divisor);
}

static std::optional<Scalar> evaluateInteger(StringRef op, const Dim &a, const Dim &b, Type element) {
  if (op == "Add")
    return fitting(a + b, element);
  if (op == "Sub")
    return fitting(a - b, element);
  if (op == "Mul")
    return fitting(a * b, element);
  bool numbers = a.isStatic() && b.isStatic();
  if (op == "Div" || op == "Mod") {
    if (std::optional<Dim> quotient = divide(a, b))
      return fitting(op == "Div" ? *quotient : Dim(0), element);
    if (!numbers && b != Dim(0) && isNeverNegative(b)) // Mod has the sign of the divisor
      return fitting(op == "Div" ? towardsZero(a, b) : a - b * floorDiv(a, b), element);
    if (!numbers || b == Dim(0) || (a.constant() == INT64_MIN && b.constant() == -1))
      return std::nullopt;
    int64_t x = a.constant(), y = b.constant(), rest = x % y;
    return fitting(op == "Div" ? Dim(x / y) : Dim(rest && (rest < 0) != (y < 0) ? rest + y : rest), element);
  }
  if (op == "Max" || op == "Min") {
    bool isMax = op == "Max";
    return fitting(isMax ? maxOf(a, b) : minOf(a, b), element);
  }
  if (element.isInteger(1) && numbers)
    return op == "And"   ? truth(a.constant() && b.constant())
           : op == "Or"  ? truth(a.constant() || b.constant())
           : op == "Xor" ? truth(a.constant() != b.constant())
                         : std::nullopt;
  return std::nullopt;
}

std::optional<Scalar> onnximport::evaluateBinary(StringRef op, const Scalar &lhs, const Scalar &rhs, Type element) {
  if (op == "Equal" || op == "Less" || op == "LessOrEqual" || op == "Greater" || op == "GreaterOrEqual")
    return compare(op, lhs, rhs);
  if (lhs.real && rhs.real)
    return evaluateReal(op, *lhs.real, *rhs.real, element);
  if (isa<FloatType>(element))
    return evaluateScaled(op, lhs, rhs, element);
  return evaluateInteger(op, lhs.dim, rhs.dim, element);
}

std::optional<Scalar> onnximport::evaluateUnary(StringRef op, const Scalar &operand, Type element) {
  if (operand.real) {
    double x = *operand.real;
    return op == "Neg"     ? rounded(-x, element)
           : op == "Abs"   ? rounded(std::fabs(x), element)
           : op == "Floor" ? rounded(std::floor(x), element)
           : op == "Ceil"  ? rounded(std::ceil(x), element)
           : op == "Sqrt"  ? rounded(std::sqrt(x), element)
                           : std::nullopt;
  }
  if (isa<FloatType>(element)) { // a quotient of sizes
    if (op == "Neg")
      return Scalar{Dim(0) - operand.dim, std::nullopt, operand.divisor};
    if (op == "Floor" || op == "Ceil")
      return Scalar::of(op == "Floor" ? floorDiv(operand.dim, operand.divisor) : ceilDiv(operand.dim, operand.divisor));
    return op == "Abs" && isNeverNegative(operand.dim) ? std::optional(operand) : std::nullopt;
  }
  if (op == "Neg")
    return fitting(Dim(0) - operand.dim, element);
  if (op == "Abs" && isNeverNegative(operand.dim))
    return operand;
  if (op == "Not" && element.isInteger(1) && operand.dim.isStatic())
    return truth(operand.dim == Dim(0));
  return std::nullopt;
}

std::optional<Scalar> onnximport::evaluateCast(const Scalar &operand, Type from, Type to) {
  if (isa<FloatType>(to)) {
    if (operand.isNumber())
      return rounded(operand.number(), to);
    return to.isF32() || to.isF64() ? std::optional(operand) : std::nullopt;
  }
  if (to.isInteger(1)) {
    if (operand.isNumber())
      return truth(operand.number() != 0);
    std::optional<int> sign = signOf(operand.dim);
    return sign ? truth(*sign != 0) : std::nullopt;
  }
  if (!operand.real && operand.divisor == 1)
    return fitting(operand.dim, to);
  if (!operand.real)
    return fitting(towardsZero(operand.dim, operand.divisor), to);
  double whole = std::trunc(*operand.real);
  if (!(std::fabs(whole) < 9.0e18))
    return std::nullopt;
  return fitting(Dim(int64_t(whole)), to);
}

int64_t onnximport::broadcastIndex(int64_t index, ArrayRef<int64_t> to, ArrayRef<int64_t> from) {
  int64_t result = 0, stride = 1;
  for (size_t i = 0; i < to.size(); ++i) {
    int64_t place = index % to[to.size() - 1 - i];
    index /= to[to.size() - 1 - i];
    if (i >= from.size())
      continue;
    int64_t extent = from[from.size() - 1 - i];
    if (extent != 1)
      result += place * stride;
    stride *= extent;
  }
  return result;
}

std::optional<std::vector<int64_t>> onnximport::broadcastShape(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  std::optional<Dims> dims = broadcastDims({Dims(lhs.begin(), lhs.end()), Dims(rhs.begin(), rhs.end())});
  if (!dims)
    return std::nullopt;
  std::vector<int64_t> shape;
  for (const Dim &dim : *dims)
    shape.push_back(dim.constant());
  return shape;
}
