#include "lib/Analysis/StripMemory.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/InPlace.h"

using namespace mlir;
using namespace lathe;

constexpr int64_t kAlignment = 64;

/// Returns the operand whose memory a kernel's result may take: nothing reads it later, and it has the result's size. Returns
/// null if there is none.
static Value overwritten(KernelOp kernel, unsigned result, const llvm::DenseMap<Value, Dim> &offsets) {
  for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
    if (offsets.contains(input) && input.hasOneUse() && byteSize(input) == byteSize(kernel.getResult(result)) &&
        readsInPlace(kernel, i, result))
      return input;
  return {};
}

StripMemory::StripMemory(StripsOp op) {
  Dims extents = dimsOf(op.getExtents());
  strips = productOf(ArrayRef(extents).drop_back()) * ceilDiv(extents.back(), op.getHeight());
  areas = minOf(strips, kMostAreas);
  Block &body = op.getBody().front();
  for (KernelOp kernel : body.getOps<KernelOp>())
    for (OpResult result : kernel.getResults()) {
      if (llvm::is_contained(body.getTerminator()->getOperands(), Value(result)))
        continue;
      if (Value same = overwritten(kernel, result.getResultNumber(), offsets)) {
        offsets[result] = offsets.lookup(same);
        continue;
      }
      offsets[result] = areaBytes;
      Dim bytes = byteSize(result).substitute({{op.getRows().str(), Dim(op.getHeight())}});
      areaBytes = areaBytes + ceilDiv(bytes, kAlignment) * Dim(kAlignment);
    }
}

RankedTensorType StripMemory::type(MLIRContext *context) const {
  return tensorOf({areas * areaBytes}, IntegerType::get(context, 8));
}
