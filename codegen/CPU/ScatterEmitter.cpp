#include "codegen/CPU/ScatterEmitter.h"
#include "codegen/CPU/Closure.h"
#include "codegen/CPU/PointEvaluator.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// Scalar code: updates of equal index must come one after the other.
class ScatterEmitter {
public:
  ScatterEmitter(ScatterOp op, PointEvaluator &eval, Value output) : op(op), eval(eval), output(output) {}

  void copy() {
    loops(dimsOf(op.getInto()),
          [&](ArrayRef<Index> place) { eval.store(eval.tensor(op.getInto(), place), output, typeOf(op.getInto()), place); });
  }

  void update() {
    unsigned axis = op.getAxis(), batch = op.getBatch(), picks = typeOf(op.getIndices()).getRank() - batch;
    loops(dimsOf(op.getUpdates()), [&](ArrayRef<Index> place) {
      SmallVector<Index> indexPlace(place.take_front(batch)), target(place.take_front(axis));
      llvm::append_range(indexPlace, place.slice(axis, picks));
      Value picked = eval.tensor(op.getIndices(), indexPlace);
      if (!picked.getType().isInteger(64))
        picked = arith::ExtSIOp::create(eval.b, eval.loc, eval.b.getI64Type(), picked);
      target.push_back(eval.uniform(picked));
      llvm::append_range(target, place.drop_front(axis + picks));
      Value inside = arith::CmpIOp::create(eval.b, eval.loc, arith::CmpIPredicate::ult, picked,
                                           eval.extent(dimsOf(op.getInto())[axis])); // a negative one is a huge unsigned one
      auto guarded = scf::IfOp::create(eval.b, eval.loc, inside, /*withElse=*/false);
      OpBuilder::InsertionGuard guard(eval.b);
      eval.b.setInsertionPointToStart(guarded.thenBlock());
      accumulate(eval.tensor(op.getUpdates(), place), target);
    });
  }

private:
  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  void loops(const Dims &extents, function_ref<void(ArrayRef<Index>)> body, SmallVector<Index> place = {}) {
    if (place.size() == extents.size()) {
      eval.nextPoint();
      return body(place);
    }
    auto loop = scf::ForOp::create(eval.b, eval.loc, eval.i64(0), eval.extent(extents[place.size()]), eval.i64(1));
    OpBuilder::InsertionGuard guard(eval.b);
    eval.b.setInsertionPointToStart(loop.getBody());
    place.push_back(eval.uniform(loop.getInductionVar()));
    loops(extents, body, place);
  }

  void accumulate(Value update, ArrayRef<Index> place) {
    auto type = typeOf(op.getInto());
    Value old = eval.loadFrom(output, type, place);
    Value sum = isa<FloatType>(type.getElementType()) ? arith::AddFOp::create(eval.b, eval.loc, old, update).getResult()
                                                      : arith::AddIOp::create(eval.b, eval.loc, old, update).getResult();
    eval.store(sum, output, type, place);
  }

  ScatterOp op;
  PointEvaluator &eval;
  Value output;
};
} // namespace

FailureOr<KernelCode> lathe::cpu::emitScatter(KernelOp kernel, ScatterOp scatter, LLVM::LLVMFuncOp function,
                                              const Target &target, OpBuilder &b) {
  Location loc = scatter.getLoc();
  KernelCode code;
  code.function = function;
  for (BlockArgument argument : kernel.getBody().getArguments())
    for (const Dim &dim : dimsOf(argument))
      dim.collectNames(code.symbols);
  llvm::sort(code.symbols);

  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  Buffers buffers;
  PointEvaluator eval(b, loc, target, buffers);
  Value output = bindClosure(entry->getArgument(0), kernel, code.symbols, eval, buffers).front();
  ScatterEmitter emitter(scatter, eval, output);
  emitter.copy();
  emitter.update();
  LLVM::ReturnOp::create(b, loc, ValueRange());
  return code;
}
