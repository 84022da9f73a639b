// Sizes that no polynomial expresses: quotients, extremes and roots of other sizes. A formula such as `ceil_div(N, 16)` is one
// more name in a dimension's terms, so that planner and kernels handle it like any other size.
#ifndef LATHE_IR_DERIVED_DIMS_H
#define LATHE_IR_DERIVED_DIMS_H

#include "dialects/Lathe/IR/Dims.h"

namespace lathe {

/// A formula that stands in a dimension as a name. Normal forms use CeilDiv, FloorDiv, CeilSqrt and Max; text may use Min too.
struct DerivedDim {
  enum Kind { CeilDiv, FloorDiv, CeilSqrt, Max, Min };
  static constexpr llvm::StringLiteral kNames[] = {"ceil_div", "floor_div", "ceil_sqrt", "max", "min"};
  static constexpr Kind kKinds[] = {CeilDiv, FloorDiv, CeilSqrt, Max, Min};
  static constexpr bool isQuotient(Kind kind) { return kind == CeilDiv || kind == FloorDiv; }
  static constexpr bool isExtreme(Kind kind) { return kind == Max || kind == Min; }

  Kind kind;
  Dims operands;       // two of an extreme and of a quotient by a size, else one
  int64_t divisor = 1; // of a quotient by a number, positive

  bool hasSizeAsDivisor() const { return isQuotient(kind) && operands.size() == 2; }

  /// Returns the formula's value for these sizes of the operands, or nullopt for the root of a negative or too large one and
  /// for a quotient by less than 1.
  std::optional<int64_t> of(llvm::ArrayRef<int64_t> sizes) const;
  /// Returns the same formula of other operands in normal form: a number or a polynomial where it is one.
  Dim with(llvm::ArrayRef<Dim> others) const;
};

// Each function returns a normal form, so that sizes that are equal mostly have one text: multiples of the divisor leave a
// quotient, quotients of quotients become one, floor((x + d - 1) / d) is ceil_div(x, d), and every extreme is written with
// max(x, 0).

/// Returns the least integer that is not below dim / divisor, for a positive divisor.
Dim ceilDiv(const Dim &dim, int64_t divisor);
/// Returns the largest integer that is not above dim / divisor, for a positive divisor.
Dim floorDiv(const Dim &dim, int64_t divisor);
/// Returns the largest integer that is not above dim / divisor, for a divisor that is at least 1 at run time; 0 where `dim` is
/// below all that the divisor can be then.
Dim floorDiv(const Dim &dim, const Dim &divisor);
/// Returns the least integer whose square is not below dim.
Dim ceilSqrt(const Dim &dim);
Dim maxOf(const Dim &a, const Dim &b);
Dim minOf(const Dim &a, const Dim &b);

/// Returns the formula that a name is, or nullopt for a plain name.
std::optional<DerivedDim> derivedDim(llvm::StringRef name);
/// Parses what Dim::str prints; unknown if the text is something else.
Dim dimFromText(llvm::StringRef text);
/// Parses what a user writes, with spaces or without: "32*h", "ceil_div(N + 1, 2)". Returns nullopt for anything
/// but an expression of numbers and C identifiers.
std::optional<Dim> dimFromUser(llvm::StringRef text);
/// Appends the factors of the dimension's terms that are not in `factors` yet, a formula as one factor. These are the sizes
/// that code has to be handed.
void collectFactors(const Dim &dim, llvm::SmallVectorImpl<std::string> &factors);

/// Returns what must not be negative for the formulas in `dims` to have a value, innermost first: the operand of a root, a size
/// that divides less 1.
Dims operandsOfFormulas(llvm::ArrayRef<Dim> dims);

} // namespace lathe

#endif
