#include "lib/Import/ONNX/Quotients.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

Dim onnximport::towardsZero(const Dim &dim, const Dim &divisor) {
  if (isNeverNegative(dim))
    return floorDiv(dim, divisor);
  Dim positive = maxOf(dim, Dim(0));
  return floorDiv(positive, divisor) - floorDiv(positive - dim, divisor);
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

std::optional<Scalar> onnximport::asQuotient(const Scalar &scalar, Type element) {
  if (scalar.isRoot)
    return std::nullopt;
  if (!scalar.real)
    return Scalar{scalar.dim, std::nullopt, scalar.divisor};
  auto fraction = fractionOf(*scalar.real, element.isF32());
  return fraction ? std::optional(Scalar{Dim(fraction->first), std::nullopt, fraction->second}) : std::nullopt;
}

static std::optional<Scalar> quotientOf(const Dim &dim, int64_t divisor) {
  constexpr int64_t kLargest = int64_t(1) << 31; // products of two fit into 63 bits
  if (dim.isUnknown() || divisor <= 0 || divisor > kLargest)
    return std::nullopt;
  for (int64_t prime : {2, 3, 5, 7}) // removes common factors of all coefficients
    if (divisor % prime == 0)
      if (std::optional<Dim> part = dim.dividedBy(prime); part && divisor / prime > 0)
        return Scalar{*part, std::nullopt, divisor / prime};
  return Scalar{dim, std::nullopt, divisor};
}

std::optional<std::pair<Scalar, Scalar>> onnximport::withOneDivisor(const Scalar &lhs, const Scalar &rhs, Type element) {
  std::optional<Scalar> a = asQuotient(lhs, element), b = asQuotient(rhs, element);
  if (!a || !b)
    return std::nullopt;
  int64_t common = std::gcd(a->divisor, b->divisor), byA = b->divisor / common, byB = a->divisor / common;
  return std::pair(Scalar{a->dim * Dim(byA), std::nullopt, a->divisor * byA},
                   Scalar{b->dim * Dim(byB), std::nullopt, b->divisor * byB});
}

static std::optional<Scalar> divideQuotients(const Scalar &a, const Scalar &b) {
  if (b.dim.isStatic() && b.dim.constant() > 0)
    return quotientOf(a.dim * Dim(b.divisor), a.divisor * b.dim.constant());
  std::optional<Dim> exact = divide(a.dim * Dim(b.divisor), b.dim);
  return exact ? quotientOf(*exact, a.divisor) : std::nullopt;
}

/// Returns the power for an exponent that is a small whole number or 1/2.
static std::optional<Scalar> powerOf(const Scalar &base, const Scalar &exponent) {
  constexpr double kMost = 16;
  if (!exponent.isNumber())
    return std::nullopt;
  double count = exponent.number();
  if (count == 0.5 && !base.isRoot)
    return evaluateQuotient("Sqrt", base);
  if (!(count >= 0 && count <= kMost) || count != std::trunc(count) || base.isRoot)
    return std::nullopt;
  std::optional<Scalar> power = Scalar::of(Dim(1));
  for (int64_t i = 0; i < int64_t(count) && power; ++i)
    power = quotientOf(power->dim * base.dim, power->divisor * base.divisor);
  return power;
}

std::optional<Scalar> onnximport::evaluateQuotients(StringRef op, const Scalar &lhs, const Scalar &rhs, Type element) {
  if (op == "Pow") {
    std::optional<Scalar> base = asQuotient(lhs, element);
    return base ? powerOf(*base, rhs) : std::nullopt;
  }
  std::optional<Scalar> left = asQuotient(lhs, element), right = asQuotient(rhs, element);
  if (!left || !right)
    return std::nullopt;
  if (op == "Mul")
    return quotientOf(left->dim * right->dim, left->divisor * right->divisor);
  if (op == "Div")
    return divideQuotients(*left, *right);
  auto both = withOneDivisor(*left, *right, element);
  const Dim &a = both->first.dim, &b = both->second.dim;
  int64_t divisor = both->first.divisor;
  if (op == "Add" || op == "Sub")
    return quotientOf(op == "Add" ? a + b : a - b, divisor);
  if (op == "Max" || op == "Min")
    return quotientOf(op == "Max" ? maxOf(a, b) : minOf(a, b), divisor);
  if ((op == "Mod" || op == "Rem") && b != Dim(0) && isNeverNegative(b))
    return quotientOf(a - b * (op == "Mod" ? floorDiv(a, b) : towardsZero(a, b)), divisor);
  return std::nullopt;
}

/// Returns the nearest integer, of two the even one.
static Dim roundedToEven(const Dim &dim, int64_t divisor) {
  if (divisor % 2)
    return floorDiv(dim * Dim(2) + Dim(divisor), 2 * divisor);
  Dim tie = dim - Dim(divisor / 2); // a multiple of the divisor where there are two: of 2 * divisor if the lower one is even
  Dim isLower = floorDiv(tie, 2 * divisor) - floorDiv(tie - Dim(1), 2 * divisor);
  return floorDiv(dim + Dim(divisor / 2), divisor) - isLower;
}

/// Returns the largest integer whose square is at most `dim`.
static Dim floorSqrt(const Dim &dim) { return ceilSqrt(dim + Dim(1)) - Dim(1); }

static std::optional<Scalar> evaluateRoot(StringRef op, const Scalar &root) {
  if (op == "Ceil")
    return Scalar::of(ceilSqrt(ceilDiv(root.dim, root.divisor)));
  if (op == "Floor")
    return Scalar::of(floorSqrt(floorDiv(root.dim, root.divisor)));
  if (op == "Round" && root.divisor == 1) // the root of an integer is never halfway between two
    return Scalar::of(floorDiv(floorSqrt(root.dim * Dim(4)) + Dim(1), 2));
  return op == "Abs" || op == "Relu" ? std::optional(root) : std::nullopt;
}

std::optional<Scalar> onnximport::evaluateQuotient(StringRef op, const Scalar &operand) {
  if (operand.isRoot)
    return evaluateRoot(op, operand);
  const Dim &dim = operand.dim;
  if (op == "Neg")
    return quotientOf(Dim(0) - dim, operand.divisor);
  if (op == "Floor" || op == "Ceil")
    return Scalar::of(op == "Floor" ? floorDiv(dim, operand.divisor) : ceilDiv(dim, operand.divisor));
  if (op == "Round")
    return Scalar::of(roundedToEven(dim, operand.divisor));
  if (op == "Abs")
    return isNeverNegative(dim) ? std::optional(operand) : quotientOf(maxOf(dim, Dim(0) - dim), operand.divisor);
  if (op == "Relu")
    return quotientOf(maxOf(dim, Dim(0)), operand.divisor);
  if (op == "Sign")
    return Scalar::of(maxOf(minOf(dim, Dim(1)), Dim(-1)));
  if (op != "Sqrt")
    return std::nullopt;
  Scalar root = operand;
  root.isRoot = true;
  return root;
}
