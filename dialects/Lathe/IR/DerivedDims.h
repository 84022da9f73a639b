// Sizes that no polynomial tells: how many segments a loop of N steps has. Such a size stands in a dimension as one more name,
// whose text is its formula, `ceil_div(N, 16)`; whoever knows N's size knows its.
#ifndef LATHE_IR_DERIVED_DIMS_H
#define LATHE_IR_DERIVED_DIMS_H

#include "dialects/Lathe/IR/Dims.h"

namespace lathe {

/// What stands behind such a name.
struct DerivedDim {
  enum Kind { CeilDiv, CeilSqrt };
  static constexpr llvm::StringLiteral kNames[] = {"ceil_div", "ceil_sqrt"};

  Kind kind;
  Dim operand;         // not negative
  int64_t divisor = 1; // of CeilDiv

  /// The formula's value for a size of the operand; nullopt if that is negative.
  std::optional<int64_t> of(int64_t size) const;
  /// The same formula of another operand: a number, or a polynomial, where it is one.
  Dim with(const Dim &other) const;
};

/// The least integer that is not below dim / divisor; of a positive divisor. Multiples of the divisor come out of it, and
/// quotients of quotients become one, so that equal sizes mostly have one form.
Dim ceilDiv(const Dim &dim, int64_t divisor);
/// The least integer whose square is not below dim.
Dim ceilSqrt(const Dim &dim);

/// The formula, if the name has one.
std::optional<DerivedDim> derivedDim(llvm::StringRef name);
/// A dimension from what Dim::str gives; unknown if the text is something else.
Dim dimFromText(llvm::StringRef text);
/// Appends what the dimension's terms are products of and is not in `factors` yet, a formula as one: what code that is handed
/// sizes has to be given.
void collectFactors(const Dim &dim, llvm::SmallVectorImpl<std::string> &factors);

/// What the formulas in dimensions are of, innermost first: none of them may be negative.
Dims operandsOfFormulas(llvm::ArrayRef<Dim> dims);

} // namespace lathe

#endif
