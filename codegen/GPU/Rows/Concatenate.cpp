// The code of a concatenation that no other op is fused with:
//
//   thread per `lanes` contiguous elements of the result, from `column` of its line on:
//     source = address in the operand that has this column // a chain of selects
//     result[line, column] = load `lanes` elements from source
//
// A nest would guard each element by itself. Here the lines of all operands are whole vectors, so that a thread chooses its
// operand once.
#include "codegen/GPU/Rows/RowProgram.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
/// Returns the number of elements of a line, which has the concatenated dimension and all dimensions inside it.
Dim lineOf(Value tensor, int64_t dim) {
  Dims extents = dimsOf(tensor);
  return productOf(ArrayRef<Dim>(extents).drop_front(dim));
}

class ConcatenationKernel : RowProgram {
public:
  static constexpr unsigned kThreads = 128;

  ConcatenationKernel(KernelOp kernel, ConcatenateOp op, unsigned lanes, const FunctionPlace &place)
      : RowProgram(kernel, place, kThreads), op(op), element(bitsOf(op)), lanes(lanes) {}

  KernelCode emit() {
    Dims extents = dimsOf(op.getResult());
    Dim outer = productOf(ArrayRef<Dim>(extents).take_front(op.getDim()));
    Dim row = *lineOf(op.getResult(), op.getDim()).dividedBy(lanes);
    Value number = frame.globalThread();
    frame.when(frame.isBelow(number, eval.extent(outer * row)), [&] {
      SmallVector<Index> at = frame.indicesOf(number, {outer, row});
      Value from = sourceOf(at[0].base, eval.mul(at[1].base, eval.i64(lanes)));
      store(load(from, element, eval.i64(0), lanes), frame.outputs[0], element, eval.mul(number, eval.i64(lanes)), lanes);
    });
    KernelCode code = frame.finish(symbols, outer * row, "a thread for each " + std::to_string(lanes) + " contiguous elements");
    code.unit = kThreads;
    return code;
  }

private:
  /// Returns the address of the element at this column of a result's line.
  Value sourceOf(Value line, Value column) {
    Value source;
    Dim end(0);
    SmallVector<std::pair<Value, Value>> known; // each operand's end, and the element's address if it is in that operand
    for (Value operand : op.getInputs()) {
      Dim length = lineOf(operand, op.getDim());
      Value place = eval.add(eval.mul(line, eval.extent(length)), eval.sub(column, eval.extent(end)));
      end = end + length;
      known.push_back({eval.extent(end), frame.at(buffer(operand), element, place)});
    }
    for (auto [last, place] : llvm::reverse(known))
      source = source ? choose(frame.isBelow(column, last), place, source) : place;
    return source;
  }

  ConcatenateOp op;
  Type element; // an integer of the element's width
  unsigned lanes;
};

class ConcatenationForm : public LanesForm<ConcatenateOp> {
public:
  ConcatenationForm() : LanesForm("concatenation") {}

  /// True if the concatenation is the only op of its kernel and its lines are whole vectors.
  bool canCompute(Operation *op, const Target &) const override {
    return op->getNumOperands() <= tuning::kMostConcatenated && isAlone(op) &&
           mostLanes(op->getParentOfType<KernelOp>(), cast<ConcatenateOp>(op)) > 1;
  }

private:
  unsigned mostLanes(KernelOp kernel, ConcatenateOp op) const override {
    unsigned lanes = lanesOf(kernel, lineOf(op.getResult(), op.getDim()), bitsOf(op));
    for (Value operand : op.getInputs())
      lanes = std::min(lanes, lanesOf(kernel, lineOf(operand, op.getDim()), bitsOf(op)));
    return lanes;
  }
  KernelCode emitRows(KernelOp kernel, Operation *op, const LanesSchedule &schedule,
                      const FunctionPlace &place) const override {
    return ConcatenationKernel(kernel, cast<ConcatenateOp>(op), schedule.lanes, place).emit();
  }
};
} // namespace

const Form &lathe::gpu::concatenationForm() {
  static const ConcatenationForm form;
  return form;
}
