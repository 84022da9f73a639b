#include "lib/Import/ONNX/Known.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "lib/Import/ONNX/Quotients.h"
#include "lib/Import/ONNX/Truths.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
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

std::string onnximport::textOf(const Scalar &scalar) {
  std::string text;
  if (scalar.real) {
    llvm::raw_string_ostream(text) << llvm::format("%g", *scalar.real);
    return text;
  }
  text = scalar.dim.str();
  if (scalar.divisor != 1)
    text = (scalar.dim.getTerms().size() > 1 ? "(" + text + ")" : text) + " / " + std::to_string(scalar.divisor);
  return scalar.isRoot ? "sqrt(" + text + ")" : text;
}

std::optional<int> onnximport::signOf(const Dim &dim) {
  if (dim.isUnknown())
    return std::nullopt;
  double least = leastOf(dim, anySize), largest = largestOf(dim, anySize);
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
  return !dim.isUnknown() && leastOf(dim, anySize) > -1; // for integers, above -1 means at least 0
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

static std::optional<Scalar> divideNumbers(StringRef op, int64_t x, int64_t y, Type element) {
  if (y == 0 || (x == INT64_MIN && y == -1))
    return std::nullopt;
  int64_t rest = x % y; // Mod has the sign of the divisor, Rem the one of the dividend
  bool isOther = op == "Mod" && rest && (rest < 0) != (y < 0);
  return fitting(Dim(op == "Div" ? x / y : isOther ? rest + y : rest), element);
}

/// Evaluates Div, Mod, and Rem, which is Mod with fmod.
static std::optional<Scalar> divideIntegers(StringRef op, const Dim &a, const Dim &b, Type element) {
  if (std::optional<Dim> quotient = divide(a, b))
    return fitting(op == "Div" ? *quotient : Dim(0), element);
  if (a.isStatic() && b.isStatic())
    return divideNumbers(op, a.constant(), b.constant(), element);
  bool isNegative = isNeverNegative(Dim(0) - b);
  if (b == Dim(0) || (!isNegative && !isNeverNegative(b)))
    return std::nullopt;
  Dim dividend = isNegative ? Dim(0) - a : a, divisor = isNegative ? Dim(0) - b : b;
  Dim quotient = op == "Mod" ? floorDiv(dividend, divisor) : towardsZero(dividend, divisor);
  return fitting(op == "Div" ? quotient : a - b * quotient, element);
}

/// Evaluates operations on the bits of an integer that arithmetic expresses, for a number on the right.
static std::optional<Scalar> evaluateBits(StringRef op, const Dim &a, int64_t b, Type element) {
  constexpr int64_t kMostShift = 31;
  if (op == "ShiftLeft" || op == "ShiftRight") {
    if (b < 0 || b > kMostShift)
      return std::nullopt;
    return fitting(op == "ShiftLeft" ? a * Dim(int64_t(1) << b) : floorDiv(a, int64_t(1) << b), element);
  }
  bool isMultiple = b < 0; // such as ~15, which leaves a multiple of 16
  uint64_t unit = isMultiple ? -uint64_t(b) : uint64_t(b) + 1;
  if (op != "BitwiseAnd" || !llvm::isPowerOf2_64(unit) || unit > uint64_t(1) << kMostShift)
    return std::nullopt;
  Dim multiple = floorDiv(a, int64_t(unit)) * Dim(int64_t(unit));
  return fitting(isMultiple ? multiple : a - multiple, element);
}

static std::optional<Scalar> evaluateInteger(StringRef op, const Dim &a, const Dim &b, Type element) {
  if (op == "Add")
    return fitting(a + b, element);
  if (op == "Sub")
    return fitting(a - b, element);
  if (op == "Mul")
    return fitting(a * b, element);
  if (op == "Div" || op == "Mod" || op == "Rem")
    return divideIntegers(op, a, b, element);
  if (op == "Max" || op == "Min")
    return fitting(op == "Max" ? maxOf(a, b) : minOf(a, b), element);
  if (a.isStatic() && b.isStatic()) // the interpreter evaluates it
    return std::nullopt;
  if (b.isStatic())
    return evaluateBits(op, a, b.constant(), element);
  return a.isStatic() && op == "BitwiseAnd" ? evaluateBits(op, b, a.constant(), element) : std::nullopt;
}

/// Returns the element, or nullopt if its expression is unknown because it grew too long.
static std::optional<Scalar> ifKnown(std::optional<Scalar> scalar) {
  return scalar && (scalar->real || !scalar->dim.isUnknown()) ? scalar : std::nullopt;
}

std::optional<Scalar> onnximport::evaluateBinary(StringRef op, const Scalar &lhs, const Scalar &rhs, Type element) {
  if (isComparison(op))
    return ifKnown(compareScalars(op, lhs, rhs, element));
  if (element.isInteger(1))
    return ifKnown(evaluateLogic(op, lhs, rhs));
  if (lhs.real && rhs.real)
    return evaluateReal(op, *lhs.real, *rhs.real, element);
  if (isa<FloatType>(element) || (op == "Pow" && !lhs.isNumber()))
    return ifKnown(evaluateQuotients(op, lhs, rhs, element));
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
  if (element.isInteger(1))
    return op == "Not" ? std::optional(negated(operand)) : std::nullopt;
  if (op == "BitwiseNot")
    return element.isUnsignedInteger() ? std::nullopt : fitting(Dim(-1) - operand.dim, element);
  if (isa<FloatType>(element) && !operand.isRoot && operand.isNumber() && op == "Sqrt")
    return rounded(std::sqrt(operand.number()), element);
  std::optional<Scalar> value = ifKnown(evaluateQuotient(op, operand));
  if (isa<FloatType>(element))
    return value;
  return value && !value->isRoot ? fitting(value->dim, element) : std::nullopt;
}

std::optional<Scalar> onnximport::evaluateCast(const Scalar &operand, Type from, Type to) {
  if (isa<FloatType>(to)) {
    if (operand.isNumber())
      return rounded(operand.number(), to);
    Scalar value = operand;
    value.test = value.difference = std::nullopt;
    return to.isF32() || to.isF64() ? std::optional(value) : std::nullopt;
  }
  if (to.isInteger(1)) {
    if (operand.isNumber())
      return truth(operand.number() != 0);
    return ifKnown(from.isInteger(1) ? operand : isNotZero(operand.dim));
  }
  if (operand.isRoot) {
    std::optional<Scalar> floor = evaluateUnary("Floor", operand, from);
    return floor ? fitting(floor->dim, to) : std::nullopt;
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
