// Sizes that polynomials cannot express: quotients, extremes, roots and broadcasts of other sizes. A formula such as
// `ceil_div(N, 16)` is another name in a dimension's terms, so that planner and kernels handle it like any other size.
#ifndef LATHE_IR_DERIVED_DIMS_H
#define LATHE_IR_DERIVED_DIMS_H

#include "dialects/Lathe/IR/Dims.h"

namespace lathe {

/// A formula that is used as a name in a dimension. Text may use all kinds, normal forms have no Min. Broadcast is the second
/// size where the first one is 1, else the first one.
struct DerivedDim {
  enum Kind { CeilDiv, FloorDiv, CeilSqrt, Max, Min, Broadcast };
  static constexpr llvm::StringLiteral kNames[] = {"ceil_div", "floor_div", "ceil_sqrt", "max", "min", "broadcast"};
  static constexpr Kind kKinds[] = {CeilDiv, FloorDiv, CeilSqrt, Max, Min, Broadcast};
  static constexpr bool isQuotient(Kind kind) { return kind == CeilDiv || kind == FloorDiv; }
  /// True if the value is that of one of two operands.
  static constexpr bool isChoice(Kind kind) { return kind == Max || kind == Min || kind == Broadcast; }

  Kind kind;
  Dims operands;       // two for a choice and for a quotient by a size, else one
  int64_t divisor = 1; // for a quotient by a number; positive

  bool hasSizeAsDivisor() const { return isQuotient(kind) && operands.size() == 2; }

  /// Returns the formula's value for these sizes of the operands. Returns nullopt for the root of a negative or too large
  /// number, and for a quotient by less than 1.
  std::optional<int64_t> of(llvm::ArrayRef<int64_t> sizes) const;
  /// Returns the same formula of other operands in normal form; this may be a number or a polynomial.
  Dim with(llvm::ArrayRef<Dim> others) const;
};

// Each function returns a normal form, so that equal sizes mostly have the same text: multiples of the divisor are moved out of
// a quotient, quotients of quotients become one, floor((x + d - 1) / d) is ceil_div(x, d), and every extreme is written with
// max(x, 0).

/// Returns the smallest integer that is at least dim / divisor, for a positive divisor.
Dim ceilDiv(const Dim &dim, int64_t divisor);
/// Returns the largest integer that is at most dim / divisor, for a positive divisor.
Dim floorDiv(const Dim &dim, int64_t divisor);
/// Returns the largest integer that is at most dim / divisor, for a divisor that is at least 1 at run time; 0 if `dim` is less
/// than every possible divisor.
Dim floorDiv(const Dim &dim, const Dim &divisor);
/// Returns the smallest integer whose square is at least dim.
Dim ceilSqrt(const Dim &dim);
Dim maxOf(const Dim &a, const Dim &b);
Dim minOf(const Dim &a, const Dim &b);
/// Returns the size to which two sizes broadcast if they are equal or one of them is 1: b where a is 1, else a. They do
/// broadcast if this does not depend on their order.
Dim broadcastOf(const Dim &a, const Dim &b);

/// Returns the formula that a name stands for, or nullopt for a plain name.
std::optional<DerivedDim> derivedDim(llvm::StringRef name);
/// Parses the output of Dim::str; returns an unknown dimension for any other text.
Dim dimFromText(llvm::StringRef text);
/// Parses a user's text, with or without spaces: "32*h", "ceil_div(N + 1, 2)". Returns nullopt for anything but an expression
/// of numbers and C identifiers.
std::optional<Dim> dimFromUser(llvm::StringRef text);
/// Appends the factors of the dimension's terms that are not in `factors` yet; a formula is one factor. Callers must pass these
/// sizes to code.
void collectFactors(const Dim &dim, llvm::SmallVectorImpl<std::string> &factors);

/// Returns the expressions that must not be negative for the formulas in `dims` to have a value, innermost first: the operand
/// of a root, and a dividing size minus 1.
Dims operandsOfFormulas(llvm::ArrayRef<Dim> dims);

} // namespace lathe

#endif
