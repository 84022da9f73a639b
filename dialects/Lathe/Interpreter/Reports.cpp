// Ops that report on a run: asserts, prints, and the checks of lathec --check.
#include "dialects/Lathe/Interpreter/Frame.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "lib/Support/Text.h"
#include <cmath>

using namespace mlir;
using namespace lathe;

/// Returns " at [2, 5]" for an element in row-major order; empty for a tensor of rank 0.
static std::string placeText(const Tensor &tensor, int64_t element) {
  SmallVector<int64_t> index;
  for (int64_t stride : rowMajorStrides(tensor.getShape())) {
    index.push_back(element / stride);
    element %= stride;
  }
  return index.empty() ? "" : " at " + listText(index);
}

/// Returns the first element of a kind; nullopt if there is none.
template <typename Kind>
static std::optional<int64_t> first(const Tensor &tensor, Kind isOfKind) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (isOfKind(tensor.at(i)))
      return i;
  return std::nullopt;
}

LogicalResult Frame::runAssert(AssertOp op) {
  const Tensor &predicate = valueOf(op.getPredicate());
  for (int64_t i = 0; i < predicate.size(); ++i)
    if (!predicate.data<bool>()[i])
      return op.emitError("assertion '") << op.getText() << "' failed" << placeText(predicate, i);
  return success();
}

LogicalResult Frame::runCheck(CheckOp op) {
  const Tensor &value = valueOf(op.getValue());
  if (op.getKind() == CheckKind::Finite) {
    // The op creates a NaN if no source has one, and an infinity if all sources are finite.
    auto isNan = [](double number) { return std::isnan(number); };
    auto isNotFinite = [](double number) { return !std::isfinite(number); };
    auto made = [&](auto isOfKind) -> std::optional<int64_t> {
      std::optional<int64_t> place = first(value, isOfKind);
      bool isGiven = llvm::any_of(op.getSources(), [&](Value source) { return first(valueOf(source), isOfKind).has_value(); });
      return isGiven ? std::nullopt : place;
    };
    if (std::optional<int64_t> place = made(isNan))
      return op.emitError() << op.getSubject() << " produces a NaN" << placeText(value, *place);
    if (std::optional<int64_t> place = made(isNotFinite))
      return op.emitError() << op.getSubject() << " produces an infinity" << placeText(value, *place);
    return success();
  }
  std::optional<int64_t> below = evaluate(dimsOf(*op.getBelow()).front(), sizes);
  if (!below)
    return op.emitError("'below' has no size here");
  for (int64_t i = 0; i < value.size(); ++i)
    if (int64_t place = indexAt(value, i); place < 0 || place >= *below)
      return op.emitError() << op.getSubject() << ": index " << place << placeText(value, i) << " is out of bounds; "
                            << (*below > 0 ? "expected 0 to " + std::to_string(*below - 1) : "the dimension has no elements");
  return success();
}

LogicalResult Frame::stepReport(Operation &op) {
  LogicalResult result = success();
  if (auto assertion = dyn_cast<AssertOp>(op))
    result = runAssert(assertion);
  else if (auto check = dyn_cast<CheckOp>(op))
    result = runCheck(check);
  else if (auto print = cast<PrintOp>(op); options.print)
    options.print(print, valueOf(print.getValue()), print.getMask() ? &valueOf(print.getMask()) : nullptr);
  for (Value operand : op.getOperands())
    release(operand);
  return result;
}
