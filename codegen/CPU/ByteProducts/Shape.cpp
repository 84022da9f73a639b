#include "codegen/CPU/ByteProducts/Shape.h"
#include "codegen/Schedules/Panels.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static bool setConvolution(ByteProductShape &shape, ConvOp op) {
  shape.image = convolutionShape(op);
  if (!shape.image)
    return false;
  Dims result = dimsOf(op.getResult());
  shape.rowDims.assign(result.begin(), result.end() - 1);
  for (const Dim &dim : shape.rowDims)
    shape.rows = shape.rows * dim;
  shape.depth = shape.image->sumTerms();
  shape.columns = shape.image->outputPitch();
  return true;
}

static bool setProduct(ByteProductShape &shape, DotGeneralOp op) {
  std::optional<ContractionShape> product = ContractionShape::of(op);
  if (!product)
    return false;
  shape.outer = product->outer;
  shape.firstRowDim = product->firstRowDim;
  shape.rowDims = product->rowDims;
  shape.rows = product->rows;
  shape.rowStride = product->rowStride;
  shape.depth = product->depth.constant();
  shape.columns = product->columns.constant();
  return shape.depth > 0;
}

std::optional<ByteProductShape> ByteProductShape::of(Operation *op) {
  if (!multipliesBytes(op))
    return std::nullopt;
  ByteProductShape shape;
  shape.result = op->getResult(0);
  shape.lhs = *centredBytes(op->getOperand(0));
  shape.rhs = centredBytes(op->getOperand(1))->bytes;
  auto conv = dyn_cast<ConvOp>(op);
  bool isRight = isa<BlockArgument>(shape.lhs.bytes) && isa<BlockArgument>(shape.rhs) &&
                 (conv ? setConvolution(shape, conv) : setProduct(shape, cast<DotGeneralOp>(op)));
  return isRight ? std::optional(shape) : std::nullopt;
}

int64_t ByteProductShape::panels() const { return llvm::divideCeil(columns, BytePanel::kColumns); }

Dim ByteProductShape::allRows() const {
  Dim all = rows;
  for (const ContractionShape::Outer &each : outer)
    all = all * each.extent;
  return all;
}
