#include "codegen/CPU/Rows/Sort.h"
#include "codegen/CPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
class SortForm : public RowForm<SortSchedule, SortOp, ArgsortOp, TopKOp> {
public:
  SortForm() : RowForm("sort") {}

protected:
  SortSchedule chooseRows(Operation *op, const VectorTarget &) const override {
    const Dim &length = linesOf(op).length;
    SortSchedule schedule;
    if (length.isStatic() && length.constant() >= tuning::kLongLine)
      schedule.digitBits = 11;
    if (!scratchType(op))
      schedule.method = SortMethod::Insertion;
    else if (!length.isStatic())
      schedule.method = SortMethod::CountingOrRadix;
    else if (length.constant() <= (hasNetwork(op) ? tuning::kCountedBeforeNetwork : tuning::kCounted))
      schedule.method = SortMethod::Counting;
    else if (hasNetwork(op))
      schedule.method = SortMethod::Network;
    return schedule;
  }

  LogicalResult checkRows(Operation *op, const SortSchedule &schedule, const VectorTarget &) const override {
    auto refuse = [&](const Twine &why) {
      return op->emitError("a schedule with 'method' ") << kSortMethods[size_t(schedule.method)] << ": " << why;
    };
    if ((schedule.method == SortMethod::Insertion) != !scratchType(op))
      return refuse("insertion is for the few first elements that have no scratch memory, and nothing else is");
    if (schedule.method == SortMethod::Network && !(linesOf(op).length.isStatic() && hasNetwork(op)))
      return refuse("a network sorts contiguous lines of a known length up to " + Twine(tuning::kNetworked) +
                    ", keys of 32 or 64 bits");
    return success();
  }

  void emitRows(RowFrame &frame, Operation *op, const SortSchedule &schedule, KernelCode &code) const override {
    emitSort(frame, op, schedule, code);
  }

private:
  static int64_t dimOf(Operation *op) { return op->getAttrOfType<IntegerAttr>("dim").getInt(); }
  static Lines linesOf(Operation *op) { return {cast<RankedTensorType>(op->getOperand(0).getType()), dimOf(op)}; }

  /// True if a network can sort the line: it takes numbers of 32 and 64 bits, and indices with keys of at most 32 bits.
  static bool hasNetwork(Operation *op) {
    Lines lines = linesOf(op);
    unsigned bits = lines.element.getIntOrFloatBitWidth();
    bool fits = isa<SortOp>(op) ? bits >= 32 : isa<ArgsortOp>(op) && bits <= 32;
    return fits && lines.length.constant() <= tuning::kNetworked && lines.inner.isStatic(1);
  }
};
} // namespace

const Form &lathe::cpu::sortForm() {
  static const SortForm form;
  return form;
}
