// scatter: a copy, then one update after the other. Updates of equal index keep their order, so threads share what no two
// updates meet in: the first dimension where it is not the picked one, else columns of the slices. Slices are combined in
// vectors along the last dimension.
#include "codegen/CPU/Reduction.h"
#include "codegen/CPU/Rows/Rows.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
class ScatterEmitter {
public:
  ScatterEmitter(RowFrame &frame, ScatterOp op)
      : frame(frame), eval(frame.eval), op(op), into(cast<RankedTensorType>(op.getInto().getType())), axis(op.getAxis()) {}

  void emit(KernelCode &code) {
    code.work = *numElements(dimsOf(into)) + *numElements(dimsOf(op.getUpdates())) * Dim(2);
    if (axis > 0) {
      code.extent = dimsOf(into).front();
    } else if (hasSlices()) {
      code.extent = dimsOf(into).back();
      code.unit = kPieceColumns;
    }
    copy();
    update();
  }

private:
  using Body = function_ref<void(ArrayRef<Index>)>;

  /// Whether an index picks more than one element that is a neighbour of others.
  bool hasSlices() const { return axis + 1 < into.getRank(); }

  void copy() {
    loops(dimsOf(into), true,
          [&](ArrayRef<Index> place) { eval.store(eval.tensor(op.getInto(), place), frame.output(0), into, place); });
  }

  void update() {
    int64_t batch = op.getBatch(), picks = cast<RankedTensorType>(op.getIndices().getType()).getRank() - batch;
    loops(dimsOf(op.getUpdates()), hasSlices(), [&](ArrayRef<Index> place) {
      SmallVector<Index> indexPlace(place.take_front(batch)), to(place.take_front(axis));
      llvm::append_range(indexPlace, place.slice(axis, picks));
      Value picked = eval.tensor(op.getIndices(), indexPlace);
      if (!picked.getType().isInteger(64))
        picked = arith::ExtSIOp::create(eval.b, eval.loc, eval.b.getI64Type(), picked);
      to.push_back(eval.uniform(picked));
      llvm::append_range(to, place.drop_front(axis + picks));
      Value inside = arith::CmpIOp::create(eval.b, eval.loc, arith::CmpIPredicate::ult, picked,
                                           eval.extent(dimsOf(into)[axis])); // a negative one is a huge unsigned one
      auto guarded = scf::IfOp::create(eval.b, eval.loc, inside, /*withElse=*/false);
      OpBuilder::InsertionGuard guard(eval.b);
      eval.b.setInsertionPointToStart(guarded.thenBlock());
      accumulate(eval.tensor(op.getUpdates(), place), to);
    });
  }

  /// Loops over the thread's share of `extents`, in vectors along the last one if asked for.
  void loops(const Dims &extents, bool vectors, Body body, SmallVector<Index> place = {}) {
    size_t dim = place.size();
    if (dim == extents.size()) {
      eval.nextPoint();
      return body(place);
    }
    bool isFirst = dim == 0 && axis > 0, alongLast = vectors && dim + 1 == extents.size();
    Value low = isFirst ? frame.begin : eval.i64(0), high = isFirst ? frame.end : eval.extent(extents[dim]);
    if (alongLast && axis == 0 && hasSlices()) {
      low = eval.mul(frame.begin, eval.i64(kPieceColumns));
      high = eval.min(eval.mul(frame.end, eval.i64(kPieceColumns)), high);
    }
    place.push_back({});
    auto inner = [&](Value iv) {
      place[dim] = {iv, alongLast ? 1 : 0, {}};
      loops(extents, vectors, body, place);
    };
    unsigned lanes = frame.lanesOf(into.getElementType());
    if (alongLast)
      frame.vectors(low, high, lanes, lanes, inner);
    else
      frame.loop(low, high, 1, inner);
  }

  void accumulate(Value update, ArrayRef<Index> place) {
    if (op.getKind() != ScatterKind::Set)
      update = combine(eval.b, eval.loc, reduction(), eval.loadFrom(frame.output(0), into, place), update);
    eval.store(update, frame.output(0), into, place);
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

  RowFrame &frame;
  PointEvaluator &eval;
  ScatterOp op;
  RankedTensorType into;
  int64_t axis;
};
} // namespace

void lathe::cpu::emitScatter(RowFrame &frame, ScatterOp op, KernelCode &code) { ScatterEmitter(frame, op).emit(code); }
