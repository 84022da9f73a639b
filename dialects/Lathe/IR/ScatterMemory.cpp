#include "dialects/Lathe/IR/ScatterMemory.h"
#include "dialects/Lathe/IR/DerivedDims.h"

using namespace mlir;
using namespace lathe;

ScatterLines::ScatterLines(ScatterOp op) {
  int64_t axis = op.getAxis(), batch = op.getBatch();
  Dims extents = dimsOf(op.getResult()), indices = dimsOf(op.getIndices());
  ArrayRef<Dim> before = ArrayRef(extents).take_front(axis), after = ArrayRef(extents).drop_front(axis + 1);
  outer = productOf(before);
  length = extents[axis];
  inner = productOf(after);
  picks = productOf(ArrayRef(indices).drop_front(batch));
  perIndex = productOf(before.drop_front(batch));
  perItem = axis > 0 ? productOf(before.drop_front()) : Dim(1);
  hasSlices = !after.empty();
}

ScatterMemory::ScatterMemory(ScatterOp op) : sharesCarried(op.getAxis() == 0) {
  ScatterLines lines(op);
  if (op.getAxis() > 0)
    areas = minOf(dimsOf(op.getResult()).front(), kMostAreas);
  else if (lines.hasSlices)
    areas = ceilDiv(lines.inner, kColumns);
  counts = ceilDiv(lines.length, 8);
  numbers = ceilDiv(lines.length, 2);
  rows = floorDiv(lines.picks, kChain);
  carried = rows * lines.inner;
  if (!getElementTypeOrSelf(op.getType()).isF32())
    return;
  carried = ceilDiv(carried, 2);
  bool hasMany = lines.inner.isStatic() && lines.inner.constant() > kFewColumns;
  if (!hasMany)
    doubles = minOf(lines.length, lines.picks * Dim(kRowsPerUpdate)) * minOf(lines.inner, kFewColumns);
}

bool ScatterMemory::isFor(ScatterOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  Dim picks = ScatterLines(op).picks;
  bool isShort = picks.isStatic() && picks.constant() <= kChain;
  return op.getKind() == ScatterKind::Add && (element.isF32() || element.isF64()) && !isShort;
}
