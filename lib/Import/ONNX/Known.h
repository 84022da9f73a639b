// Small tensors whose elements are known while a model is imported: shapes and what is computed of them.
#ifndef LATHE_IMPORT_ONNX_KNOWN_H
#define LATHE_IMPORT_ONNX_KNOWN_H

#include "dialects/Lathe/IR/Dims.h"
#include <optional>
#include <vector>

namespace lathe::onnximport {

/// The most elements that are worked out while importing.
inline constexpr int64_t kMostKnown = 4096;

/// An integer or a truth value, which may be an expression of named dimensions; or a float. A float without `real` stands for
/// dim / divisor, as after Cast and a multiplication by a scale.
struct Scalar {
  Dim dim;
  std::optional<double> real;
  int64_t divisor = 1;
  bool isExtent = false; // of a tensor, which is never negative, whatever the expression

  static Scalar of(double value) { return {Dim(), value}; }
  static Scalar of(Dim value) { return {std::move(value), std::nullopt}; }
  bool isNumber() const { return real || dim.isStatic(); }
  double number() const { return real ? *real : double(dim.constant()) / double(divisor); }
};

struct Known {
  mlir::Type element;
  std::vector<int64_t> shape;
  std::vector<Scalar> elements; // row-major

  bool isFloat() const { return mlir::isa<mlir::FloatType>(element); }
  int64_t rank() const { return shape.size(); }
  /// All elements, if they are numbers.
  std::optional<std::vector<int64_t>> integers() const;
  /// All elements as dimensions.
  std::optional<Dims> dims() const;
  bool isAllNumbers() const;
};

/// The number of elements of a shape, nullopt if there are more than kMostKnown or an extent is negative.
std::optional<int64_t> knownSize(llvm::ArrayRef<int64_t> shape);
/// Tensors of integers in one dimension.
Known knownList(mlir::Type element, llvm::ArrayRef<Dim> elements);

/// Returns the sign of a difference of sizes, whose names are at least 1: -1, 0 or 1, where it is the same for all sizes.
std::optional<int> signOf(const Dim &dim);
/// Whether it is nowhere negative.
bool isNeverNegative(const Dim &dim);
/// The truth value of one element, if it is known; `known` may be null.
std::optional<bool> truthOf(const Known *known);
/// Exact quotient; nullopt if there is none.
std::optional<Dim> divide(const Dim &dividend, const Dim &divisor);
/// The simplest fraction that rounds to a float, numerator and denominator; nullopt if these are large. Frameworks multiply
/// sizes by scales such as 0.7 in f32, where rounding mostly gives what the fraction gives exactly.
std::optional<std::pair<int64_t, int64_t>> fractionOf(double value, bool isSingle);

/// The value of an operation of two elements of type `element`, named as in ONNX ("Add", "Less"); nullopt if it is not known.
std::optional<Scalar> evaluateBinary(llvm::StringRef op, const Scalar &lhs, const Scalar &rhs, mlir::Type element);
std::optional<Scalar> evaluateUnary(llvm::StringRef op, const Scalar &operand, mlir::Type element);
std::optional<Scalar> evaluateCast(const Scalar &operand, mlir::Type from, mlir::Type to);

/// Where element `index` of a broadcast shape is in one that stretches to it.
int64_t broadcastIndex(int64_t index, llvm::ArrayRef<int64_t> to, llvm::ArrayRef<int64_t> from);
/// The shape that NumPy's rules give.
std::optional<std::vector<int64_t>> broadcastShape(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

} // namespace lathe::onnximport

#endif
