#include "codegen/CPU/Rows/Rows.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

RowFrame::RowFrame(KernelOp kernel, LLVM::LLVMFuncOp function, const VectorTarget &target, OpBuilder &builder)
    : KernelFrame(kernel, resultsWithoutLoops(kernel, symbolsOfBuffers(kernel)), function, target, builder) {}

unsigned RowFrame::lanesOf(Type element) const { return target.lanes(std::max(1u, element.getIntOrFloatBitWidth() / 8)); }

void RowFrame::vectors(Value low, Value high, unsigned wide, unsigned narrow, function_ref<void(Value)> body) {
  if (wide == 1)
    return loop(low, high, 1, body);
  Value length = eval.sub(high, low);
  Value middle = eval.sub(high, b.createOrFold<arith::RemSIOp>(loc, length, eval.i64(wide)));
  eval.lanes = wide;
  loop(low, middle, wide, body);
  eval.lanes = narrow;
  loop(middle, high, narrow, [&](Value iv) {
    eval.tail = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(eval.sub(high, iv)));
    body(iv);
    eval.tail = {};
  });
  eval.lanes = 1;
}

SmallVector<const Form *> lathe::cpu::rowForms() {
  return {&concatenationForm(), &transposeForm(), &scatterForm(),         &updateSliceForm(),
          &sortForm(),          &scanForm(),      &triangularSolveForm(), &choleskyForm()};
}
