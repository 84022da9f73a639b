// The code of sort, argsort and top_k:
//
//   block for each line
//     list, in scratch memory:
//       sort the entries of the line by a network            // SortNetwork.cpp
//       results = elements or indices of the list's first entries
//     selection, without scratch memory (top_k of few):
//       for result: its entry is the least one after the previous // SortSelection.cpp
//
// An entry is a key (codegen/Points/SortKeys.h) with its index. All entries are different, so both ways give the same results.
#include "codegen/GPU/Rows/RowProgram.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Rows/SortNetwork.h"
#include "codegen/GPU/Rows/SortSelection.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
struct SortRequest {
  int64_t dim;
  bool descending;

  static SortRequest of(Operation *op) {
    if (auto sort = dyn_cast<SortOp>(op))
      return {int64_t(sort.getDim()), sort.getDescending()};
    if (auto sort = dyn_cast<ArgsortOp>(op))
      return {int64_t(sort.getDim()), sort.getDescending()};
    auto top = cast<TopKOp>(op);
    return {int64_t(top.getDim()), !top.getSmallest()};
  }
};

class SortKernel : RowProgram {
public:
  SortKernel(KernelOp kernel, Operation *op, const SortRequest &request, const FunctionPlace &place)
      : RowProgram(kernel, place, kSortThreads), op(op),
        lines(cast<RankedTensorType>(op->getOperand(0).getType()), request.dim),
        outputType(cast<RankedTensorType>(op->getResult(0).getType())), entries(frame, lines.element, request.descending),
        length(eval.extent(lines.length)), step(eval.extent(lines.inner)), taken(eval.extent(dimsOf(outputType)[request.dim])) {
  }

  KernelCode emit();

private:
  void placeLine();
  void storeResult(Value number, Value index);

  Operation *op;
  Lines lines;
  RankedTensorType outputType;
  SortEntries entries;
  Value length, step; // of a line of the operand
  Value taken;        // length of a line of the result
  Value results;      // address of the block's line of the result
};

/// Sets the block's line, and its list if there is scratch memory.
void SortKernel::placeLine() {
  Value outer = frame.divide(frame.block, step), inner = frame.remainder(frame.block, step);
  Value first = frame.at(buffer(op->getOperand(0)), lines.element, eval.add(eval.mul(outer, eval.mul(length, step)), inner));
  entries.setLine(first, length, step);
  results = frame.at(frame.outputs[0], outputType.getElementType(), eval.add(eval.mul(outer, eval.mul(taken, step)), inner));
  if (scratchType(op))
    entries.setList(
        frame.at(frame.outputs[1], b.getI64Type(), eval.mul(frame.block, eval.mul(length, eval.i64(entries.scratchWords())))));
}

/// Stores element `index` of the line, or the index, as this result of the line.
void SortKernel::storeResult(Value number, Value index) {
  Value value = isa<SortOp>(op) ? entries.element(index) : arith::TruncIOp::create(b, loc, b.getI32Type(), index).getResult();
  frame.storeOne(value, frame.at(results, outputType.getElementType(), eval.mul(number, step)));
}

KernelCode SortKernel::emit() {
  placeLine();
  auto top = dyn_cast<TopKOp>(op);
  if (scratchType(op) && (!top || top.getCountDim().constant() > 0)) {
    sortList(frame, entries);
    frame.loop(frame.thread, taken, kSortThreads,
               [&](Value number) { storeResult(number, entries.indexOf(entries.load(number))); });
  } else if (top && top.getCountDim().constant() > 0) {
    selectFirst(frame, entries, top.getCountDim().constant(), [&](Value number, const SortEntry &entry) {
      frame.when(isEqual(frame.thread, eval.i64(0)), [&] { storeResult(number, entries.indexOf(entry)); });
    });
  }
  return frame.finish(symbols, lines.outer * lines.inner, "a block for each line");
}

class SortForm : public RowForm<NoParameters, SortOp, ArgsortOp, TopKOp> {
public:
  SortForm() : RowForm("sort") {}

private:
  NoParameters chooseRows(KernelOp, Operation *) const override { return {}; }
  KernelCode emitRows(KernelOp kernel, Operation *op, const NoParameters &, const FunctionPlace &place) const override {
    return SortKernel(kernel, op, SortRequest::of(op), place).emit();
  }
};
} // namespace

const Form &lathe::gpu::sortForm() {
  static const SortForm form;
  return form;
}
