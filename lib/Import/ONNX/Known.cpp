#include "lib/Import/ONNX/Known.h"
#include "dialects/Lathe/IR/Lathe.h"
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
  SmallVector<std::string> names;
  dim.collectNames(names);
  std::map<std::string, Dim> shifted; // each name is 1 and a number that is not negative
  for (const std::string &name : names)
    shifted[name] = Dim::named(name) + Dim(1);
  Dim value = dim.substitute(shifted);
  if (value.isUnknown())
    return std::nullopt;
  bool noneBelow = true, noneAbove = true;
  for (const auto &[monomial, coefficient] : value.getTerms()) {
    noneBelow &= coefficient > 0;
    noneAbove &= coefficient < 0;
  }
  if (value.getTerms().empty())
    return 0;
  if (noneBelow && value.constant() > 0)
    return 1;
  if (noneAbove && value.constant() < 0)
    return -1;
  return std::nullopt;
}

std::optional<bool> onnximport::truthOf(const Known *known) {
  if (!known || known->elements.size() != 1 || !known->isAllNumbers())
    return std::nullopt;
  return known->elements[0].number() != 0;
}

bool onnximport::isNeverNegative(const Dim &dim) {
  std::optional<int> sign = signOf(dim + Dim(1)); // of integers: not below 0 is above -1
  return sign && *sign > 0;
}

/// The term of the highest degree, of these the last in order: products of leading terms lead.
static std::pair<Dim::Monomial, int64_t> leadingTerm(const Dim &dim) {
  std::pair<Dim::Monomial, int64_t> best{{}, 0};
  for (const auto &[names, coefficient] : dim.getTerms())
    if (!best.second || names.size() > best.first.size() || (names.size() == best.first.size() && names > best.first))
      best = {names, coefficient};
  return best;
}

std::optional<Dim> onnximport::divide(const Dim &dividend, const Dim &divisor) {
  if (dividend.isUnknown() || divisor.isUnknown() || divisor == Dim(0))
    return std::nullopt;
  auto [names, coefficient] = leadingTerm(divisor);
  Dim rest = dividend, quotient;
  for (size_t step = 0; rest != Dim(0); ++step) {
    auto [restNames, restCoefficient] = leadingTerm(rest);
    Dim::Monomial left;
    std::set_difference(restNames.begin(), restNames.end(), names.begin(), names.end(), std::back_inserter(left));
    bool divides = left.size() + names.size() == restNames.size() && coefficient != 0 &&
                   !(coefficient == -1 && restCoefficient == INT64_MIN) && restCoefficient % coefficient == 0;
    if (!divides || step > 64)
      return std::nullopt;
    Dim term(restCoefficient / coefficient);
    for (const std::string &name : left)
      term = term * Dim::named(name);
    quotient = quotient + term;
    rest = rest - term * divisor;
    if (quotient.isUnknown() || rest.isUnknown())
      return std::nullopt;
  }
  return quotient;
}

/// Rounded to the element type, in which ONNX computes.
static std::optional<Scalar> rounded(double value, Type element) {
  if (element.isF32())
    return Scalar::of(double(float(value)));
  if (element.isF64())
    return Scalar::of(value);
  return std::nullopt; // halves are not needed for shapes
}

/// An integer that fits its type.
static std::optional<Scalar> fitting(Dim dim, Type element) {
  if (dim.isUnknown())
    return std::nullopt;
  unsigned width = element.getIntOrFloatBitWidth();
  if (dim.isStatic() && !element.isInteger(1)) {
    bool fits = element.isUnsignedInteger() ? llvm::isUIntN(width, dim.constant()) && dim.constant() >= 0
                                            : llvm::isIntN(width, dim.constant());
    if (!fits)
      return std::nullopt; // wraps: left to the program
  }
  return Scalar::of(std::move(dim));
}

static std::optional<Scalar> truth(bool value) { return Scalar::of(Dim(value)); }

static std::optional<Scalar> compare(StringRef op, const Scalar &lhs, const Scalar &rhs) {
  if (lhs.real || rhs.real) {
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
  std::optional<int> sign = signOf(difference);
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

/// A float that stands for an expression of dimensions, with one that is a number or such a one, too.
static std::optional<Scalar> evaluateScaled(StringRef op, const Scalar &lhs, const Scalar &rhs) {
  auto whole = [](const Scalar &scalar) -> std::optional<Dim> {
    if (!scalar.real)
      return scalar.dim;
    bool isWhole = std::floor(*scalar.real) == *scalar.real && std::fabs(*scalar.real) < (1 << 24);
    return isWhole ? std::optional(Dim(int64_t(*scalar.real))) : std::nullopt;
  };
  std::optional<Dim> a = whole(lhs), b = whole(rhs), result;
  if (a && b)
    result = op == "Add"   ? *a + *b
             : op == "Sub" ? *a - *b
             : op == "Mul" ? *a * *b
             : op == "Div" ? divide(*a, *b)
                           : std::nullopt;
  else if (op == "Mul" && a && rhs.real && 1 / *rhs.real == std::floor(1 / *rhs.real) && std::fabs(1 / *rhs.real) < (1 << 24))
    result = divide(*a, Dim(int64_t(1 / *rhs.real))); // times 0.5
  if (!result || result->isUnknown())
    return std::nullopt;
  return Scalar::of(*result);
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
    if (!numbers || b == Dim(0) || (a.constant() == INT64_MIN && b.constant() == -1))
      return std::nullopt;
    int64_t x = a.constant(), y = b.constant(), rest = x % y;
    return fitting(op == "Div" ? Dim(x / y) : Dim(rest && (rest < 0) != (y < 0) ? rest + y : rest), element);
  }
  if (op == "Max" || op == "Min") {
    bool isMax = op == "Max";
    if (isNeverNegative(a - b))
      return Scalar::of(isMax ? a : b);
    if (isNeverNegative(b - a))
      return Scalar::of(isMax ? b : a);
    return std::nullopt;
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
    return evaluateScaled(op, lhs, rhs);
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
  if (op == "Neg")
    return fitting(Dim(0) - operand.dim, element);
  if (op == "Abs" && isNeverNegative(operand.dim))
    return operand;
  if ((op == "Floor" || op == "Ceil") && isa<FloatType>(element)) // stands for an integer
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
  if (!operand.real)
    return fitting(operand.dim, to);
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
