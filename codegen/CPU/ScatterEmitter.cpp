#include "codegen/CPU/ScatterEmitter.h"
#include "codegen/CPU/Closure.h"
#include "codegen/CPU/PointEvaluator.h"
#include "codegen/CPU/Reduction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
constexpr int64_t kPieceColumns = 256;

/// Updates of equal index come one after the other, so threads share what no two updates meet in: the first dimension where it
/// is not the picked one, else columns of the slices. Slices are combined in vectors along the last dimension.
class ScatterEmitter {
public:
  ScatterEmitter(ScatterOp op, PointEvaluator &eval, Value output, Value begin, Value end)
      : op(op), eval(eval), output(output), begin(begin), end(end), axis(op.getAxis()), rank(typeOf(op.getInto()).getRank()) {
    unsigned bytes = std::max(1u, typeOf(op.getInto()).getElementTypeBitWidth() / 8);
    wide = eval.targetLanes(bytes);
  }

  /// What threads share; see KernelCode.
  void describe(KernelCode &code) const {
    Dims into = dimsOf(op.getInto());
    code.work = *numElements(into) + *numElements(dimsOf(op.getUpdates())) * Dim(2);
    if (axis > 0) {
      code.extent = into.front();
    } else if (axis + 1 < rank) {
      code.extent = into.back();
      code.unit = kPieceColumns;
    }
  }

  void copy() {
    loops(dimsOf(op.getInto()), true,
          [&](ArrayRef<Index> place) { eval.store(eval.tensor(op.getInto(), place), output, typeOf(op.getInto()), place); });
  }

  void update() {
    unsigned batch = op.getBatch(), picks = typeOf(op.getIndices()).getRank() - batch;
    loops(dimsOf(op.getUpdates()), axis + 1 < rank, [&](ArrayRef<Index> place) {
      SmallVector<Index> indexPlace(place.take_front(batch)), to(place.take_front(axis));
      llvm::append_range(indexPlace, place.slice(axis, picks));
      Value picked = eval.tensor(op.getIndices(), indexPlace);
      if (!picked.getType().isInteger(64))
        picked = arith::ExtSIOp::create(eval.b, eval.loc, eval.b.getI64Type(), picked);
      to.push_back(eval.uniform(picked));
      llvm::append_range(to, place.drop_front(axis + picks));
      Value inside = arith::CmpIOp::create(eval.b, eval.loc, arith::CmpIPredicate::ult, picked,
                                           eval.extent(dimsOf(op.getInto())[axis])); // a negative one is a huge unsigned one
      auto guarded = scf::IfOp::create(eval.b, eval.loc, inside, /*withElse=*/false);
      OpBuilder::InsertionGuard guard(eval.b);
      eval.b.setInsertionPointToStart(guarded.thenBlock());
      accumulate(eval.tensor(op.getUpdates(), place), to);
    });
  }

private:
  using Body = function_ref<void(ArrayRef<Index>)>;

  void forLoop(Value low, Value high, int64_t step, function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(eval.b, eval.loc, low, high, eval.i64(step));
    OpBuilder::InsertionGuard guard(eval.b);
    eval.b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// Loops over the thread's share of `extents`; in vectors along the last one if the scattered slices end with it.
  void loops(const Dims &extents, bool vectors, Body body, SmallVector<Index> place = {}) {
    size_t dim = place.size();
    if (dim == extents.size())
      return point(place, body);
    bool isFirst = dim == 0 && axis > 0, isLast = dim + 1 == extents.size();
    Value low = isFirst ? begin : eval.i64(0), high = isFirst ? end : eval.extent(extents[dim]);
    if (isLast && vectors && axis == 0 && axis + 1 < rank) {
      low = eval.mul(begin, eval.i64(kPieceColumns));
      high = eval.min(eval.mul(end, eval.i64(kPieceColumns)), high);
    }
    place.push_back({});
    auto alongThis = [&](Value iv, int64_t step) {
      place[dim] = {iv, step, {}};
      loops(extents, vectors, body, place);
    };
    if (!isLast || !vectors)
      return forLoop(low, high, 1, [&](Value iv) { alongThis(iv, 0); });
    Value length = eval.sub(high, low),
          middle = eval.sub(high, eval.b.createOrFold<arith::RemSIOp>(eval.loc, length, eval.i64(wide)));
    eval.lanes = wide;
    forLoop(low, middle, wide, [&](Value iv) { alongThis(iv, 1); });
    forLoop(middle, high, wide, [&](Value iv) {
      eval.tail =
          arith::CmpIOp::create(eval.b, eval.loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(eval.sub(high, iv)));
      alongThis(iv, 1);
      eval.tail = {};
    });
    eval.lanes = 1;
  }

  void point(ArrayRef<Index> place, Body body) {
    eval.nextPoint();
    body(place);
  }

  void accumulate(Value update, ArrayRef<Index> place) {
    auto type = typeOf(op.getInto());
    if (op.getKind() == ScatterKind::Set)
      return eval.store(update, output, type, place);
    Value old = eval.loadFrom(output, type, place);
    eval.store(combine(eval.b, eval.loc, reduction(), old, update), output, type, place);
  }

  NestReduction reduction() {
    switch (op.getKind()) {
    case ScatterKind::Mul:
      return NestReduction::Product;
    case ScatterKind::Max:
      return NestReduction::Max;
    case ScatterKind::Min:
      return NestReduction::Min;
    default:
      return NestReduction::Sum;
    }
  }

  mutable ScatterOp op; // a handle: its accessors are not const
  PointEvaluator &eval;
  Value output, begin, end;
  unsigned axis, rank, wide;
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
  ScatterEmitter emitter(scatter, eval, output, entry->getArgument(2), entry->getArgument(3));
  emitter.copy();
  emitter.update();
  LLVM::ReturnOp::create(b, loc, ValueRange());
  emitter.describe(code);
  return code;
}
