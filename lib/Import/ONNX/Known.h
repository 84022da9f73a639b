// Small tensors whose elements are known during the import of a model: shapes and values computed from them.
#ifndef LATHE_IMPORT_ONNX_KNOWN_H
#define LATHE_IMPORT_ONNX_KNOWN_H

#include "dialects/Lathe/IR/Dims.h"
#include <optional>
#include <vector>

namespace lathe::onnximport {

/// The maximum number of elements that import evaluates.
inline constexpr int64_t kMostKnown = 4096;

/// An integer or boolean, possibly an expression of named dimensions, or a float. A float without `real` stands for dim /
/// divisor, as after Cast and a multiplication by a scale, or for the root of that quotient.
struct Scalar {
  Dim dim;
  std::optional<double> real;
  int64_t divisor = 1;
  bool isExtent = false; // the extent of a tensor, which is never negative
  bool isRoot = false;
  // A boolean that depends on sizes is 1 where `test` is at least 1, and 0 elsewhere; `dim` is its value. A comparison for
  // equality also has the difference of its operands; evaluateChoice derives from it what a size is where both are equal.
  std::optional<Dim> test = std::nullopt, difference = std::nullopt;
  bool isUnequal = false; // true where `difference` is not 0

  static Scalar of(double value) { return {Dim(), value}; }
  static Scalar of(Dim value) { return {std::move(value), std::nullopt}; }
  bool isNumber() const { return real || (dim.isStatic() && !isRoot); }
  double number() const { return real ? *real : double(dim.constant()) / double(divisor); }
};

struct Known {
  mlir::Type element;
  std::vector<int64_t> shape;
  std::vector<Scalar> elements; // row-major

  bool isFloat() const { return mlir::isa<mlir::FloatType>(element); }
  int64_t rank() const { return shape.size(); }
  /// Returns all elements if they are numbers.
  std::optional<std::vector<int64_t>> integers() const;
  /// Returns all elements as dimensions.
  std::optional<Dims> dims() const;
  bool isAllNumbers() const;
};

/// Returns the number of elements of a shape, or nullopt if it exceeds kMostKnown or an extent is negative.
std::optional<int64_t> knownSize(llvm::ArrayRef<int64_t> shape);
/// Returns a one-dimensional tensor of integers.
Known knownList(mlir::Type element, llvm::ArrayRef<Dim> elements);

/// Returns "2 * h / 3".
std::string textOf(const Scalar &scalar);
/// Returns the sign of a difference of sizes: -1, 0 or 1 if it is the same for all sizes from 0, else nullopt.
std::optional<int> signOf(const Dim &dim);
/// True if the dimension is at least 0 for all sizes.
bool isNeverNegative(const Dim &dim);
/// Returns the boolean in a tensor of one element, if it is known; `known` may be null.
std::optional<bool> truthOf(const Known *known);
/// Returns the exact quotient, or nullopt if there is none.
std::optional<Dim> divide(const Dim &dividend, const Dim &divisor);

/// Returns the value of a binary operation on elements of type `element`, named as in ONNX ("Add", "Less"), or nullopt if it is
/// not known.
std::optional<Scalar> evaluateBinary(llvm::StringRef op, const Scalar &lhs, const Scalar &rhs, mlir::Type element);
std::optional<Scalar> evaluateUnary(llvm::StringRef op, const Scalar &operand, mlir::Type element);
std::optional<Scalar> evaluateCast(const Scalar &operand, mlir::Type from, mlir::Type to);

/// Maps element `index` of the broadcast shape `to` to an element of `from`.
int64_t broadcastIndex(int64_t index, llvm::ArrayRef<int64_t> to, llvm::ArrayRef<int64_t> from);
/// Returns the result shape of NumPy's broadcasting.
std::optional<std::vector<int64_t>> broadcastShape(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

} // namespace lathe::onnximport

#endif
