// The code of dynamic_update_slice:
//
//   if the result is not in place: copy the operand        // each thread copies its own part
//   for element of the slice: result[start + element] = update[element]
#include "codegen/CPU/Rows/Rows.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// Threads share the first dimension; each writes the slice's elements within its rows.
class UpdateSliceEmitter {
public:
  UpdateSliceEmitter(RowFrame &frame, DynamicUpdateSliceOp op)
      : frame(frame), eval(frame.eval), b(frame.b), loc(frame.loc), op(op), type(cast<RankedTensorType>(op.getType())),
        output(frame.output(0)) {}

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
    loops(block, [&](ArrayRef<Index> place) {
      SmallVector<Index> to;
      for (auto [index, start] : llvm::zip_equal(place, starts))
        to.push_back(eval.plus(index, start));
      eval.store(eval.tensor(op.getUpdate(), place), output, type, to);
    });
  }

private:
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

  /// Loops over elements, in vectors along the last dimension.
  void loops(ArrayRef<Range> ranges, Body body, SmallVector<Index> place = {}) {
    size_t dim = place.size();
    if (dim == ranges.size()) {
      eval.nextPoint();
      return body(place);
    }
    bool inLanes = dim + 1 == ranges.size();
    place.push_back({});
    auto inner = [&](Value iv) {
      place[dim] = {iv, inLanes ? 1 : 0, {}};
      loops(ranges, body, place);
    };
    unsigned lanes = frame.lanesOf(type.getElementType());
    if (inLanes)
      frame.vectors(ranges[dim].low, ranges[dim].high, lanes, lanes, inner);
    else
      frame.loop(ranges[dim].low, ranges[dim].high, 1, inner);
  }

  void copy(ArrayRef<Range> ranges) {
    Value from = op.getOperand();
    Value elsewhere = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, frame.buffers.lookup(from), output);
    frame.when(elsewhere, [&] {
      loops(ranges, [&](ArrayRef<Index> place) { eval.store(eval.tensor(from, place), output, type, place); });
    });
    eval.nextPoint();
  }

  /// Extends a start to i64.
  Value toWord(Value value) {
    return value.getType().isInteger(64) ? value : arith::ExtSIOp::create(b, loc, b.getI64Type(), value).getResult();
  }

  RowFrame &frame;
  PointEvaluator &eval;
  OpBuilder &b;
  Location loc;
  DynamicUpdateSliceOp op;
  RankedTensorType type;
  Value output;
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

const Form &lathe::cpu::updateSliceForm() {
  static const UpdateSliceForm form;
  return form;
}
