#include "codegen/GPU/Rows/Matrix.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

Dim MatrixKernel::batchOf(Operation *op) {
  Dims dims = dimsOf(op->getOperand(0));
  return productOf(ArrayRef<Dim>(dims).drop_back(2));
}

MatrixKernel::MatrixKernel(KernelOp kernel, Operation *op, const FunctionPlace &place, unsigned threads, int64_t columns)
    : RowProgram(kernel, place, threads), element(getElementTypeOrSelf(op->getResult(0).getType())), size(sizeOf(op)),
      batch(batchOf(op)), extent(eval.extent(size)), zero(eval.constant(element, 0)),
      group(frame.divide(frame.thread, columns)), column(frame.remainder(frame.thread, columns)), groups(threads / columns) {
  int64_t most = size.isStatic() ? std::min(size.constant(), kTile) : kTile;
  rows = llvm::divideCeil(most, groups);
  frame.wantRegisters();
}

void MatrixKernel::fill(Value tile, bool alongRows, function_ref<Value(Value, Value)> isThere,
                        function_ref<Value(Value, Value)> from, Value otherwise) {
  Values values, places;
  for (unsigned first = 0; first < kTile * kTile; first += frame.threads) {
    Value number = eval.add(frame.thread, eval.i64(first));
    Value near = frame.remainder(number, kTile), far = frame.divide(number, kTile);
    Value row = alongRows ? far : near, column = alongRows ? near : far;
    values.push_back(either(isThere(row, column), element, [&] { return from(row, column); }, [&] { return otherwise; }));
    places.push_back(inTile(row, column));
  }
  for (auto [value, place] : llvm::zip_equal(values, places))
    store(value, tile, element, place);
}
