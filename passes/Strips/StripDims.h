// The dimensions of a kernel's values in a strip, and the kernel that computes a strip.
#ifndef LATHE_PASSES_STRIPS_STRIPDIMS_H
#define LATHE_PASSES_STRIPS_STRIPDIMS_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Builders.h"

namespace lathe {

/// A strip has a part of a dimension: all of it; one index, if this is the number of an outer dimension; some rows, if it is
/// the number of the rows; or nothing, if the dimension has only one index.
using StripDim = int64_t;
inline constexpr StripDim kWhole = -1, kUnit = -2;
using StripDims = llvm::SmallVector<StripDim, 4>;

/// The part of a kernel that computes a strip of its result.
class KernelInStrip {
public:
  /// `rows` is the number of the rows among the dimensions that strips divide.
  KernelInStrip(KernelOp kernel, StripDim rows) : kernel(kernel), rows(rows) {}

  /// Finds the dimensions of all values from those of the kernel's results. Returns false if a value depends on other rows or
  /// outer indices than the strip's, or if an op cannot compute a part of its result.
  bool infer(llvm::ArrayRef<StripDims> ofResults);
  /// Returns the dimensions of an input.
  llvm::ArrayRef<StripDim> ofInput(unsigned input) const { return dims.find(kernel.getBody().getArgument(input))->second; }
  /// Returns the dimensions of a value inside.
  llvm::ArrayRef<StripDim> ofValue(mlir::Value value) const { return dims.find(value)->second; }
  /// Returns the iotas along divided dimensions, whose values in a strip depend on its indices.
  llvm::ArrayRef<IotaOp> dividedIotas() const { return iotas; }
  StripDim dimOf(IotaOp iota) const { return dims.find(iota.getResult())->second[iota.getDim()]; }

  /// Creates the kernel of a strip, whose rows have this name. `inputs` are those of the kernel in a strip, then a value for
  /// each of dividedIotas: the indices of the rows, or the outer index.
  KernelOp create(mlir::OpBuilder &builder, mlir::ValueRange inputs, llvm::StringRef rowsName) const;

private:
  bool inferOp(mlir::Operation &op);
  bool inferBroadcast(BroadcastOp op);
  bool inferReduce(ReduceOp op);
  bool inferDot(DotGeneralOp op);
  /// Records the dimensions of a value. Returns false if it has others already.
  bool set(mlir::Value value, StripDims of);
  /// True if a strip's value has this dimension.
  bool isKept(StripDim dim) const { return dim == kWhole || dim == rows; }
  mlir::RankedTensorType typeOf(mlir::Value value, llvm::StringRef rowsName) const;
  /// Renumbers dimensions of a value to those that it has in a strip; omits those that it lacks there.
  llvm::SmallVector<int64_t> renumber(mlir::Value value, llvm::ArrayRef<int64_t> dimensions) const;
  mlir::Operation *createOp(mlir::Operation &op, mlir::OpBuilder &builder, const mlir::IRMapping &map,
                            llvm::StringRef rowsName) const;

  mutable KernelOp kernel; // MLIR's accessors are not const
  StripDim rows;
  llvm::DenseMap<mlir::Value, StripDims> dims;
  llvm::SmallVector<IotaOp> iotas;
};

} // namespace lathe

#endif
