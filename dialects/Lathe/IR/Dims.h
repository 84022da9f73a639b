// Dimensions as polynomials over names: arithmetic, and the one helper that builds shapes with their encoding.
#ifndef LATHE_IR_DIMS_H
#define LATHE_IR_DIMS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class DimAttr;
class ShapeAttr;

/// A dimension of a tensor: a number, a polynomial over named dimensions, or unknown (a `?` that import has not named yet).
class Dim {
public:
  using Monomial = std::vector<std::string>; // names, sorted; empty for the constant term

  Dim(int64_t constant = 0);
  static Dim named(llvm::StringRef name);
  static Dim unknown();

  bool isUnknown() const { return unknownDim; }
  bool isStatic() const;
  bool isStatic(int64_t value) const { return isStatic() && constant() == value; }
  /// Returns the constant term, which is the value if the dimension is static.
  int64_t constant() const;
  const std::map<Monomial, int64_t> &getTerms() const { return terms; }

  // Unknown if an operand is, or if a coefficient exceeds 64 bits; see hasOverflowed.
  Dim operator+(const Dim &other) const;
  Dim operator-(const Dim &other) const;
  Dim operator*(const Dim &other) const;
  /// Returns the exact quotient by a number that divides every coefficient.
  std::optional<Dim> dividedBy(int64_t divisor) const;
  /// Returns a quotient and a remainder: *this = first * divisor + second. The leading term of the divisor, which has the most
  /// factors, divides no term of the remainder.
  std::pair<Dim, Dim> dividedBy(const Dim &divisor) const;
  bool operator==(const Dim &other) const { return unknownDim == other.unknownDim && terms == other.terms; }
  bool operator!=(const Dim &other) const { return !(*this == other); }

  /// Returns the dimension with names replaced; names that are not in the map stay.
  Dim substitute(const std::map<std::string, Dim> &values) const;
  /// Appends the names in it that are not in `names` yet, in order: those in a formula (DerivedDims.h), not the formula.
  void collectNames(llvm::SmallVectorImpl<std::string> &names) const;

  std::string str() const; // "2 * N + 3", "?" if unknown
  DimAttr toAttr(mlir::MLIRContext *context) const;
  static Dim fromAttr(DimAttr attr);

private:
  /// Returns false if the sum does not fit.
  bool addTerm(const Monomial &names, int64_t coefficient);

  std::map<Monomial, int64_t> terms; // no zero coefficients
  bool unknownDim = false;
};

using Dims = llvm::SmallVector<Dim, 4>;

/// Returns the names in a dimension, in order.
inline llvm::SmallVector<std::string> namesIn(const Dim &dim) {
  llvm::SmallVector<std::string> names;
  dim.collectNames(names);
  return names;
}

/// Returns the dimensions of a type; `?` without an encoding are unknown.
Dims dimsOf(mlir::RankedTensorType type);
inline Dims dimsOf(mlir::Value value);
/// Returns the type with these dimensions: the shape and its #lathe.dims, which is omitted if all are static or any `?` is
/// unknown.
mlir::RankedTensorType tensorOf(llvm::ArrayRef<Dim> dims, mlir::Type element);
Dims dimsOf(ShapeAttr shape);
ShapeAttr shapeOf(mlir::MLIRContext *context, llvm::ArrayRef<Dim> dims);
/// Returns the product of dimensions; unknown if one is. Returns nullopt if a coefficient overflows 63 bits.
std::optional<Dim> numElements(llvm::ArrayRef<Dim> dims);
/// Returns the product of dimensions; unknown if one is or a coefficient overflows 63 bits.
Dim productOf(llvm::ArrayRef<Dim> dims);
/// Returns "[N, 16]".
std::string str(llvm::ArrayRef<Dim> dims);
/// Returns the numbers as dimensions.
inline Dims asDims(llvm::ArrayRef<int64_t> numbers) { return Dims(numbers.begin(), numbers.end()); }
/// Returns the extent of `extent` elements with `pitch` - 1 places between adjacent ones; 0 for no elements.
Dim dilated(const Dim &extent, int64_t pitch);
/// True if both are one size or one of them is unknown. Failed comparisons are recorded in this thread's DimComparisons, if
/// there is one.
bool mayEqual(const Dim &a, const Dim &b);

/// Records the first pair of dimensions that an inference finds to differ during the object's lifetime. Objects nest.
class DimComparisons {
public:
  DimComparisons();
  ~DimComparisons();
  DimComparisons(const DimComparisons &) = delete;
  const std::optional<std::pair<Dim, Dim>> &firstDiffering() const { return differing; }
  static void record(const Dim &a, const Dim &b);

private:
  std::optional<std::pair<Dim, Dim>> differing;
  DimComparisons *outer;
};
/// True if a dimension computed from known ones is unknown.
inline bool hasOverflowed(const Dim &result, llvm::ArrayRef<Dim> operands) {
  return result.isUnknown() && llvm::none_of(operands, [](const Dim &dim) { return dim.isUnknown(); });
}

/// Returns the dimensions of a result that takes its names from an operand: unknown instead of named while the operand's are
/// unknown.
Dims namedAs(llvm::ArrayRef<Dim> result, llvm::ArrayRef<Dim> operand);

} // namespace lathe

inline lathe::Dims lathe::dimsOf(mlir::Value value) { return dimsOf(mlir::cast<mlir::RankedTensorType>(value.getType())); }

#endif
