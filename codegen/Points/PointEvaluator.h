// The value of a tensor of a kernel at one point: nests without reductions are evaluated where they are used.
#ifndef LATHE_CODEGEN_POINTS_POINTEVALUATOR_H
#define LATHE_CODEGEN_POINTS_POINTEVALUATOR_H

#include "codegen/Points/Lanes.h"
#include "codegen/Points/VectorTarget.h"

namespace lathe {

/// Buffers of a kernel's block arguments and results: a pointer and the type that tells its row-major layout.
using Buffers = llvm::DenseMap<mlir::Value, mlir::Value>;

class PointEvaluator : public Lanes {
public:
  PointEvaluator(mlir::OpBuilder &builder, mlir::Location location, const VectorTarget &target, const Buffers &buffers)
      : Lanes(builder, location), target(target), buffers(buffers) {}

  const VectorTarget &target;

  /// Lanes below the end of a vectorised loop; null when all are. Loads and stores that differ by lane respect it.
  mlir::Value tail;
  /// Whether vectors of neighbours in memory are aligned as a whole, rather than as their elements are. What is read in the
  /// place of one that must not be has as many bytes.
  bool alignsVectors = false;
  /// Values of reductions at the current point: set by the loop emitter before what follows them is evaluated.
  llvm::DenseMap<mlir::Value, mlir::Value> reduced;

  /// What a buffer holds of a tensor, at some dimensions of its places; it is read instead of computing the value again.
  struct Kept {
    mlir::Value buffer;
    mlir::RankedTensorType type;
    llvm::SmallVector<unsigned> dims;
  };
  llvm::DenseMap<mlir::Value, Kept> kept;

  /// Forgets what is known of the current point.
  void nextPoint();
  /// The same, but for reductions: another point of what they were made for.
  void nextPlace() { known.clear(); }
  using PlaceKey = std::vector<std::tuple<const void *, int64_t, const void *>>;
  /// Values by tensor, mask and place.
  using Known = std::map<std::tuple<const void *, const void *, PlaceKey>, mlir::Value>;
  /// Goes to another of several points that are evaluated in turns, what is known of each being kept outside.
  void exchangeKnown(Known &other) { known.swap(other); }

  /// The elements at `indices`; read only in lanes where `mask` holds (null: all), anything elsewhere.
  mlir::Value tensor(mlir::Value tensor, llvm::ArrayRef<Index> indices, mlir::Value mask = {});
  /// The scalar that the nest's body yields at this point of its dimensions, reduction ones included.
  mlir::Value body(NestOp nest, llvm::ArrayRef<Index> dims, mlir::Value mask = {});
  /// The elements that a nest reads of its input `number` at this point, from `from`: the input itself, or a tensor of the same
  /// shape in its place. Without `isGuarded` whatever its access guards is read all the same.
  mlir::Value input(NestOp nest, unsigned number, mlir::Value from, llvm::ArrayRef<Index> dims, mlir::Value mask,
                    bool isGuarded = true);
  /// Where `from`, which is in memory, has the element that input() reads at a point all lanes share; and whether the access
  /// reads it at all (null: always).
  struct Source {
    mlir::Value address, inside;
  };
  Source sourceOf(NestOp nest, unsigned number, mlir::Value from, llvm::ArrayRef<Index> dims, bool isGuarded);
  /// The elements of a buffer, as they are now.
  mlir::Value loadFrom(mlir::Value buffer, mlir::RankedTensorType type, llvm::ArrayRef<Index> indices) {
    return load(buffer, type, indices, {});
  }
  void store(mlir::Value value, mlir::Value buffer, mlir::RankedTensorType type, llvm::ArrayRef<Index> indices);

private:
  llvm::SmallVector<mlir::Value> symbolsOf(NestOp nest);
  /// The place of an access in its tensor, and whether its guard holds.
  struct Place {
    llvm::SmallVector<Index> indices;
    mlir::Value inside;
  };
  Place placeOf(AccessAttr access, llvm::ArrayRef<Index> dims, llvm::ArrayRef<mlir::Value> symbolValues, bool isGuarded);
  mlir::Value read(NestOp nest, unsigned input, mlir::Value from, llvm::ArrayRef<Index> dims,
                   llvm::ArrayRef<mlir::Value> symbolValues, mlir::Value mask, bool isGuarded);
  mlir::Value load(mlir::Value buffer, mlir::RankedTensorType type, llvm::ArrayRef<Index> indices, mlir::Value mask);
  mlir::Value loadUniform(mlir::Value buffer, mlir::Type element, mlir::Value offset, mlir::Value mask);
  /// A nest's place, or a sum of places and of what all lanes share; nullopt for any other op.
  std::optional<Index> placeOf(mlir::Operation *op, llvm::ArrayRef<Index> dims, llvm::ArrayRef<mlir::Value> operands,
                               const llvm::DenseMap<mlir::Value, Index> &places);
  mlir::Value element(ElementOp op, llvm::ArrayRef<mlir::Value> values, const llvm::DenseMap<mlir::Value, Index> &places,
                      mlir::Value mask);
  mlir::Value scalarOp(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value divide(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  Index offset(mlir::RankedTensorType type, llvm::ArrayRef<Index> indices);
  mlir::Value address(mlir::Value buffer, mlir::Type element, mlir::Value offset);
  mlir::Value orHarmless(mlir::Value address, mlir::Value mask);
  /// The bytes that stand for an i1 in memory, and back.
  mlir::Type memoryType(mlir::Type element) const;
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);

  const Buffers &buffers;
  Known known;
};

} // namespace lathe

#endif
