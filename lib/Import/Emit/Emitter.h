// Builds the ops that converters of imported programs need, with the inference of each op as its check.
#ifndef LATHE_IMPORT_EMIT_EMITTER_H
#define LATHE_IMPORT_EMIT_EMITTER_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Builders.h"

namespace lathe {

using Integers = llvm::SmallVector<int64_t>;

/// A window that slides along all dimensions: each list has one entry for each dimension.
struct Window {
  Integers size, stride, dilation, low, high;
  Integers base = {}; // the pitch of the operand's elements; empty for 1
};

/// Emits ops at the end of what is being imported. If an op refuses its operands, the converter refuses what it converts, and
/// emits nothing more: from then on builders return null, and accept null operands.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location place) : builder(builder), place(place) {}
  virtual ~Emitter() = default;

  /// Records why the import fails here; the first reason stays.
  virtual void refuse(const llvm::Twine &reason) = 0;
  virtual bool failed() const = 0;

  template <typename Op>
  mlir::Value emit(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return emitNamed(Op::getOperationName(), operands, attributes);
  }
  mlir::Value emitNamed(llvm::StringRef name, mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// Emits a composite of the library, with options as in docs/std.md and optional operands by name.
  mlir::Value composite(llvm::StringRef name, mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> options = {},
                        llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Value>> given = {});

  // ---- Attributes
  mlir::NamedAttribute list(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  mlir::NamedAttribute number(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute realNumber(llvm::StringRef name, double value);
  mlir::NamedAttribute word(llvm::StringRef name, llvm::StringRef value);
  mlir::NamedAttribute flag(llvm::StringRef name);
  mlir::NamedAttribute shape(llvm::StringRef name, llvm::ArrayRef<Dim> dims);
  mlir::NamedAttribute type(llvm::StringRef name, mlir::Type type);

  // ---- Ops that many converters need
  mlir::Value constant(double value, mlir::Type element);
  mlir::Value constantInt(int64_t value, mlir::Type element);
  mlir::Value constants(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::Value realConstants(llvm::ArrayRef<double> values, llvm::ArrayRef<int64_t> shape, mlir::Type element);
  mlir::Value convert(mlir::Value value, mlir::Type element);
  /// Returns the type in which sums of an element type are computed: f32 for halves.
  static mlir::Type wide(mlir::Type element) {
    return element && isHalf(element) ? mlir::Float32Type::get(element.getContext()) : element;
  }
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<Dim> dims);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation);
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<Dim> shape);
  mlir::Value reverse(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  /// Returns the elements from `start` up to `limit` of one dimension; the limit is a number or the extent.
  mlir::Value slice(mlir::Value value, int64_t dim, const Dim &start, const Dim &limit, int64_t step = 1);
  mlir::Value pad(mlir::Value value, mlir::Value with, llvm::ArrayRef<Dim> low, llvm::ArrayRef<Dim> high);
  mlir::Value concatenate(mlir::ValueRange values, int64_t dim);
  mlir::Value iota(int64_t dim, llvm::ArrayRef<Dim> shape, mlir::Type element);
  mlir::Value compare(CompareKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value gather(mlir::Value table, mlir::Value indices, int64_t axis, int64_t batch = 0);
  mlir::Value reduce(ReduceKind kind, mlir::Value value, llvm::ArrayRef<int64_t> dims, bool keep);
  mlir::Value reduceWindow(ReduceKind kind, mlir::Value value, const Window &window);
  /// Returns the tap of each window that its minimum or maximum has.
  mlir::Value windowIndex(ReduceKind kind, mlir::Value value, const Window &window);
  /// Combines the elements up to each position of a dimension, or from there on with `reverses`.
  mlir::Value cumulative(CumulativeKind kind, mlir::Value value, int64_t dim, bool reverses = false);
  /// Combines updates into the slices that indices select along an axis.
  mlir::Value scatter(ScatterKind kind, mlir::Value into, mlir::Value indices, mlir::Value updates, int64_t axis,
                      int64_t batch = 0);
  mlir::Value contract(mlir::Value lhs, mlir::Value rhs, llvm::ArrayRef<int64_t> lhsContract,
                       llvm::ArrayRef<int64_t> rhsContract, llvm::ArrayRef<int64_t> lhsBatch = {},
                       llvm::ArrayRef<int64_t> rhsBatch = {});
  mlir::Type i64();
  mlir::Type i1();
  mlir::MLIRContext *getContext() { return builder.getContext(); }
  mlir::OpBuilder &getBuilder() { return builder; }

protected:
  /// Changes the operands of an elementwise op before they broadcast.
  virtual void prepareElementwise(llvm::SmallVectorImpl<mlir::Value> &operands) {}

private:
  template <typename KindAttr, typename Kind>
  mlir::NamedAttribute kindOf(Kind kind);
  llvm::SmallVector<mlir::NamedAttribute> windowAttributes(ReduceKind kind, const Window &window);

  mlir::OpBuilder &builder;
  mlir::Location place;
};

inline mlir::Type elementOfValue(mlir::Value value) {
  return value ? mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType() : mlir::Type();
}
inline Dims dimsOfValue(mlir::Value value) { return value ? dimsOf(value) : Dims(); }
inline int64_t rankOf(mlir::Value value) { return dimsOfValue(value).size(); }
/// Returns begin, begin + 1, ..., end - 1.
Integers range(int64_t begin, int64_t end);
/// Moves the ops of a block to the end of an op's block, which has the same arguments, and adds the terminator.
void moveInto(mlir::Block &from, mlir::Block &to, mlir::ValueRange results);

/// More dimensions than real tensors have; the time for some steps grows with the rank.
inline constexpr int kMostRank = 64;

} // namespace lathe

#endif
