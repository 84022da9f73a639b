// The code of ops that replace or combine parts of a tensor:
//
//   if the result is not in place: copy the operand        // each thread copies its own part
//   scatter:      for update, in order: if its index is in range: result[index] = combine(result[index], update)
//   update_slice: for element of the slice: result[start + element] = update[element]
//
// Scatter updates with equal indices keep their order. Threads therefore share a dimension along which updates are independent:
// the first one, unless it is the indexed one, or the columns of the slices.
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/Points/Reduction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// The base of both emitters: loops over indices, vectorised along the last dimension on request.
class UpdateEmitter {
public:
  UpdateEmitter(RowFrame &frame, Operation *op)
      : frame(frame), eval(frame.eval), b(frame.b), loc(frame.loc), from(op->getOperand(0)),
        type(cast<RankedTensorType>(op->getResult(0).getType())), output(frame.output(0)) {}

protected:
  /// A range of a loop nest: a whole extent, or the part of it that belongs to this thread.
  struct Range {
    Value low, high;
  };
  using Ranges = SmallVector<Range>;
  using Body = function_ref<void(ArrayRef<Index>)>;

  Ranges rangesOf(ArrayRef<Dim> extents) {
    Ranges ranges;
    for (const Dim &extent : extents)
      ranges.push_back({eval.i64(0), eval.extent(extent)});
    return ranges;
  }

  void loops(ArrayRef<Range> ranges, bool vectors, Body body, SmallVector<Index> place = {}) {
    size_t dim = place.size();
    if (dim == ranges.size()) {
      eval.nextPoint();
      return body(place);
    }
    bool inLanes = vectors && dim + 1 == ranges.size();
    place.push_back({});
    auto inner = [&](Value iv) {
      place[dim] = {iv, inLanes ? 1 : 0, {}};
      loops(ranges, vectors, body, place);
    };
    unsigned lanes = frame.lanesOf(type.getElementType());
    if (inLanes)
      frame.vectors(ranges[dim].low, ranges[dim].high, lanes, lanes, inner);
    else
      frame.loop(ranges[dim].low, ranges[dim].high, 1, inner);
  }

  void inCase(Value condition, function_ref<void()> body) {
    auto guarded = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(guarded.thenBlock());
    body();
  }

  void copy(ArrayRef<Range> ranges) {
    Value elsewhere = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, frame.buffers.lookup(from), output);
    inCase(elsewhere, [&] {
      loops(ranges, true, [&](ArrayRef<Index> place) { eval.store(eval.tensor(from, place), output, type, place); });
    });
    eval.nextPoint();
  }

  /// Extends an index or start to i64.
  Value toWord(Value value) {
    return value.getType().isInteger(64) ? value : arith::ExtSIOp::create(b, loc, b.getI64Type(), value).getResult();
  }

  RowFrame &frame;
  PointEvaluator &eval;
  OpBuilder &b;
  Location loc;
  Value from;
  RankedTensorType type;
  Value output;
};

class ScatterEmitter : UpdateEmitter {
public:
  ScatterEmitter(RowFrame &frame, ScatterOp op, int64_t piece)
      : UpdateEmitter(frame, op), op(op), axis(op.getAxis()), piece(piece) {}

  void emit(KernelCode &code) {
    code.work = *numElements(dimsOf(type)) + *numElements(dimsOf(op.getUpdates())) * Dim(2);
    if (axis > 0) {
      code.extent = dimsOf(type).front();
    } else if (hasSlices()) {
      code.extent = dimsOf(type).back();
      code.unit = piece;
    }
    copy(shareOf(dimsOf(type)));
    update();
  }

private:
  /// True if an index selects several contiguous elements.
  bool hasSlices() const { return axis + 1 < type.getRank(); }

  /// Returns the thread's part of the tensor or of the updates.
  Ranges shareOf(const Dims &extents) {
    Ranges ranges = rangesOf(extents);
    if (axis > 0)
      ranges.front() = {frame.begin, frame.end};
    else if (hasSlices())
      ranges.back() = {eval.mul(frame.begin, eval.i64(piece)),
                       eval.min(eval.mul(frame.end, eval.i64(piece)), ranges.back().high)};
    return ranges;
  }

  void update() {
    int64_t batch = op.getBatch(), picks = cast<RankedTensorType>(op.getIndices().getType()).getRank() - batch;
    loops(shareOf(dimsOf(op.getUpdates())), hasSlices(), [&](ArrayRef<Index> place) {
      SmallVector<Index> indexPlace(place.take_front(batch)), to(place.take_front(axis));
      llvm::append_range(indexPlace, place.slice(axis, picks));
      Value picked = toWord(eval.tensor(op.getIndices(), indexPlace));
      to.push_back(eval.uniform(picked));
      llvm::append_range(to, place.drop_front(axis + picks));
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, picked,
                                           eval.extent(dimsOf(type)[axis])); // unsigned: rejects negative indices too
      inCase(inside, [&] { accumulate(eval.tensor(op.getUpdates(), place), to); });
    });
  }

  void accumulate(Value update, ArrayRef<Index> place) {
    if (op.getKind() != ScatterKind::Set)
      update = combine(b, loc, reductionOf(op.getKind()), eval.loadFrom(output, type, place), update);
    eval.store(update, output, type, place);
  }

  ScatterOp op;
  int64_t axis;
  int64_t piece; // columns of the slices per work item
};

/// Threads share the first dimension; each writes the slice's elements within its rows.
class UpdateSliceEmitter : UpdateEmitter {
public:
  UpdateSliceEmitter(RowFrame &frame, DynamicUpdateSliceOp op) : UpdateEmitter(frame, op), op(op) {}

  void emit(KernelCode &code) {
    Dims extents = dimsOf(type), sizes = dimsOf(op.getUpdate());
    code.work = *numElements(extents);
    Ranges all = rangesOf(extents), block = rangesOf(sizes);
    SmallVector<Index> starts;
    for (auto [start, extent, size] : llvm::zip_equal(op.getStarts(), extents, sizes)) {
      Value largest = eval.extent(extent - size), wanted = toWord(eval.tensor(start, {}));
      starts.push_back(eval.uniform(frame.max(eval.min(wanted, largest), eval.i64(0))));
    }
    if (!all.empty()) {
      code.extent = extents.front();
      all.front() = {frame.begin, frame.end};
      block.front() = {frame.max(eval.sub(frame.begin, starts.front().base), eval.i64(0)),
                       eval.min(eval.sub(frame.end, starts.front().base), block.front().high)};
    }
    copy(all);
    loops(block, true, [&](ArrayRef<Index> place) {
      SmallVector<Index> to;
      for (auto [index, start] : llvm::zip_equal(place, starts))
        to.push_back(eval.plus(index, start));
      eval.store(eval.tensor(op.getUpdate(), place), output, type, to);
    });
  }

private:
  DynamicUpdateSliceOp op;
};

class ScatterForm : public RowForm<ColumnsSchedule, ScatterOp> {
public:
  ScatterForm() : RowForm("scatter") {}

protected:
  ColumnsSchedule chooseRows(Operation *, const VectorTarget &) const override { return {kPieceColumns}; }
  void emitRows(RowFrame &frame, Operation *op, const ColumnsSchedule &schedule, KernelCode &code) const override {
    ScatterEmitter(frame, cast<ScatterOp>(op), schedule.piece).emit(code);
  }
};

class UpdateSliceForm : public RowForm<NoParameters, DynamicUpdateSliceOp> {
public:
  UpdateSliceForm() : RowForm("update_slice") {}

protected:
  NoParameters chooseRows(Operation *, const VectorTarget &) const override { return {}; }
  void emitRows(RowFrame &frame, Operation *op, const NoParameters &, KernelCode &code) const override {
    UpdateSliceEmitter(frame, cast<DynamicUpdateSliceOp>(op)).emit(code);
  }
};
} // namespace

const Form &lathe::cpu::scatterForm() {
  static const ScatterForm form;
  return form;
}

const Form &lathe::cpu::updateSliceForm() {
  static const UpdateSliceForm form;
  return form;
}
