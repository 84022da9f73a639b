// Evaluates a tensor of a kernel at one point. Nests without reductions are evaluated where they are used.
#ifndef LATHE_CODEGEN_POINTS_POINTEVALUATOR_H
#define LATHE_CODEGEN_POINTS_POINTEVALUATOR_H

#include "codegen/Points/Lanes.h"
#include "codegen/Points/VectorTarget.h"
#include <functional>

namespace lathe {

/// Buffers of a kernel's block arguments and results. A tensor's type gives its row-major layout.
using Buffers = llvm::DenseMap<mlir::Value, mlir::Value>;

class PointEvaluator : public Lanes {
public:
  PointEvaluator(mlir::OpBuilder &builder, mlir::Location location, const VectorTarget &target, const Buffers &buffers)
      : Lanes(builder, location), target(target), buffers(buffers) {}

  const VectorTarget &target;

  /// The mask of lanes below the end of a vectorised loop; null if all are. Loads and stores that differ between lanes respect
  /// it.
  mlir::Value tail;
  /// True if vectors in memory are aligned to their own size instead of to their elements. A guarded load may then read the
  /// null value's buffer, which is large enough for a vector.
  bool alignsVectors = false;
  /// Bytes ahead of contiguous vectors at which loads fetch memory into all caches; 0: none.
  int64_t fetchDistance = 0;
  /// Values of reductions at the current point. The loop emitter sets them before the epilogue is evaluated.
  llvm::DenseMap<mlir::Value, mlir::Value> reduced;
  /// Emits the value of a nest's reduction at a point, if the emitter has no loop around the point that does so.
  std::function<mlir::Value(NestOp nest, llvm::ArrayRef<Index> place)> reduce;
  /// True if the emitter counts indices itself, so that most of them are numbers: equal numbers then are one value, which makes
  /// equal points known, and nothing is read where a guard is known to be false.
  bool countsIndices = false;

  /// A buffer that holds a tensor's values, indexed by some of its dimensions. It is read instead of evaluating the tensor
  /// again.
  struct Kept {
    mlir::Value buffer;
    mlir::RankedTensorType type;
    llvm::SmallVector<unsigned> dims;
  };
  llvm::DenseMap<mlir::Value, Kept> kept;

  /// Forgets all values of the current point.
  void nextPoint();
  /// Forgets all values but those of reductions, which hold for further points.
  void nextPlace() { known.clear(); }
  using PlaceKey = std::vector<Index::Key>;
  /// Values by tensor, mask and indices.
  using Known = std::map<std::tuple<const void *, const void *, PlaceKey>, mlir::Value>;
  /// Switches between points that are evaluated alternately; the caller keeps the values of the others.
  void exchangeKnown(Known &other) { known.swap(other); }

  /// Returns the elements at `indices`. Reads only the lanes in `mask` (null: all); the others are unspecified.
  mlir::Value tensor(mlir::Value tensor, llvm::ArrayRef<Index> indices, mlir::Value mask = {});
  /// Returns the scalar that the nest's body yields at a point of its dimensions, including those of the reduction.
  mlir::Value body(NestOp nest, llvm::ArrayRef<Index> dims, mlir::Value mask = {});
  /// Returns the elements that a nest reads of its input `number` at this point. `from` is the input, or a tensor of the same
  /// shape that replaces it. Without `isGuarded`, ignores the guard of the access.
  mlir::Value input(NestOp nest, unsigned number, mlir::Value from, llvm::ArrayRef<Index> dims, mlir::Value mask,
                    bool isGuarded = true);
  /// The address in `from`, a tensor in memory, of the element that input() reads at a uniform point. `inside` is the condition
  /// under which the access reads it (null: always).
  struct Source {
    mlir::Value address, inside;
  };
  Source sourceOf(NestOp nest, unsigned number, mlir::Value from, llvm::ArrayRef<Index> dims, bool isGuarded);
  /// Loads elements of a buffer from memory, without reusing known values.
  mlir::Value loadFrom(mlir::Value buffer, mlir::RankedTensorType type, llvm::ArrayRef<Index> indices) {
    return load(buffer, type, indices, {});
  }
  void store(mlir::Value value, mlir::Value buffer, mlir::RankedTensorType type, llvm::ArrayRef<Index> indices);

private:
  llvm::SmallVector<mlir::Value> symbolsOf(NestOp nest);
  Index withOneNumber(Index index);
  /// The indices of an access in its tensor, and the condition of its guard.
  struct Place {
    llvm::SmallVector<Index> indices;
    mlir::Value inside;
  };
  Place placeOf(AccessAttr access, llvm::ArrayRef<Index> dims, llvm::ArrayRef<mlir::Value> symbolValues, bool isGuarded);
  mlir::Value read(NestOp nest, unsigned input, mlir::Value from, llvm::ArrayRef<Index> dims,
                   llvm::ArrayRef<mlir::Value> symbolValues, mlir::Value mask, bool isGuarded);
  mlir::Value load(mlir::Value buffer, mlir::RankedTensorType type, llvm::ArrayRef<Index> indices, mlir::Value mask);
  mlir::Value loadUniform(mlir::Value buffer, mlir::Type element, mlir::Value offset, mlir::Value mask);
  void fetchAhead(mlir::Value from, unsigned bytes);
  mlir::Value loadHalves(mlir::Value buffer, mlir::Type element, const Index &place);
  /// Returns the index that an op computes, if it is a nest's index or a sum of indices and uniform values; nullopt for any
  /// other op.
  std::optional<Index> placeOf(mlir::Operation *op, llvm::ArrayRef<Index> dims, llvm::ArrayRef<mlir::Value> operands,
                               const llvm::DenseMap<mlir::Value, Index> &places);
  mlir::Value element(ElementOp op, llvm::ArrayRef<mlir::Value> values, const llvm::DenseMap<mlir::Value, Index> &places,
                      mlir::Value mask);
  mlir::Value emitZeroOrOne(mlir::Value truth, mlir::Type type);
  mlir::Value scalarOp(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  bool isOfNormal(ApplyOp apply) const;
  mlir::Value divide(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  Index offset(mlir::RankedTensorType type, llvm::ArrayRef<Index> indices);
  mlir::Value address(mlir::Value buffer, mlir::Type element, mlir::Value offset);
  mlir::Value orHarmless(mlir::Value address, mlir::Value mask);
  /// Converts between i1 and its representation in memory, a byte.
  mlir::Type memoryType(mlir::Type element) const;
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);

  const Buffers &buffers;
  Known known;
  llvm::DenseMap<int64_t, mlir::Value> numbers; // of indices, at the current point
  std::pair<mlir::Value, mlir::Value> words;    // of the latest threefry
};

} // namespace lathe

#endif
