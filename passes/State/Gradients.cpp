#include "passes/State/Gradients.h"
#include "dialects/Lathe/IR/Control.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::state;

static FlatSymbolRefAttr variableOfArgument(func::FuncOp loss, unsigned i) {
  return loss.getArgAttrOfType<FlatSymbolRefAttr>(i, kStateAttr);
}

static FlatSymbolRefAttr variableOfResult(func::FuncOp loss, unsigned i) {
  return loss.getResultAttrOfType<FlatSymbolRefAttr>(i, kStateAttr);
}

/// Emits the loss of one batch.
static Gradients emitOnce(StateBuilder &b, MinimizeOp op, func::FuncOp loss, ArrayRef<Value> arguments, ArrayRef<int64_t> wrt) {
  SmallVector<Type> types(loss.getResultTypes());
  for (int64_t i : wrt)
    types.push_back(arguments[i].getType());
  auto grad = ValueAndGradOp::create(b.builder, b.location, types, op.getLoss(), arguments, wrt);
  unsigned own = loss.getNumResults();
  return {grad.getResult(0), SmallVector<Value>(grad.getResults().slice(1, own - 1)),
          SmallVector<Value>(grad.getResults().drop_front(own))};
}

namespace {
/// A scan over micro-batches. Its carries are the sum of the losses, the variables that the loss writes, and the sums of the
/// gradients.
class MicroBatches {
public:
  MicroBatches(StateBuilder &b, MinimizeOp op, func::FuncOp loss, ArrayRef<Value> arguments, ArrayRef<int64_t> wrt)
      : b(b), op(op), loss(loss), arguments(arguments), wrt(wrt), split(*op.getMicroBatches()) {}

  Gradients run() {
    SmallVector<Value> first{zeros(loss.getResultTypes()[0])}, xs;
    for (unsigned i = 1; i < loss.getNumResults(); ++i)
      first.push_back(before(i));
    for (int64_t i : wrt)
      first.push_back(zeros(arguments[i].getType()));
    for (int64_t i : split)
      xs.push_back(op.getInputs()[i]);
    auto scan = ScanOp::create(b.builder, b.location, Value(), ValueRange(), first, xs, ShapeAttr(), TypeRange());
    emitBody(scan);
    closeRegions(scan);

    Value count = countOf(scan);
    unsigned written = loss.getNumResults() - 1;
    Gradients sums{b.convert(mean(scan.getResult(0), count), elementOf(loss.getResultTypes()[0])),
                   SmallVector<Value>(scan.getResults().slice(1, written)),
                   {}};
    for (Value sum : scan.getResults().drop_front(1 + written))
      sums.gradients.push_back(mean(sum, count));
    return sums;
  }

private:
  static Type elementOf(Type type) { return cast<RankedTensorType>(type).getElementType(); }

  /// Returns the zero that a sum of values of this type begins with.
  Value zeros(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    Type element = isHalf(tensor.getElementType()) ? b.builder.getF32Type() : tensor.getElementType();
    return b.splat(tensor.clone(element), 0);
  }

  /// Returns the number of the loss's argument that holds a variable, or nullopt.
  std::optional<unsigned> argumentOf(FlatSymbolRefAttr variable) {
    for (unsigned i = op.getInputs().size(); i < loss.getNumArguments(); ++i)
      if (variableOfArgument(loss, i) == variable)
        return i;
    return std::nullopt;
  }

  /// Returns the value of the variable that result i of the loss is, before the first micro-batch.
  Value before(unsigned i) {
    FlatSymbolRefAttr variable = variableOfResult(loss, i);
    if (std::optional<unsigned> argument = argumentOf(variable))
      return arguments[*argument];
    return b.make<ReadOp>(loss.getResultTypes()[i], variable);
  }

  void emitBody(ScanOp scan) {
    OpBuilder::InsertionGuard guard(b.builder);
    Block &body = scan.getBody().front();
    b.builder.setInsertionPointToEnd(&body);
    auto carries = body.getArguments().take_front(scan.getCarry().size()),
         slices = body.getArguments().drop_front(carries.size());
    SmallVector<Value> inside(arguments);
    for (auto [i, slice] : llvm::zip_equal(split, slices))
      inside[i] = slice;
    for (unsigned i = 1; i < loss.getNumResults(); ++i)
      if (std::optional<unsigned> argument = argumentOf(variableOfResult(loss, i)))
        inside[*argument] = carries[i];

    Gradients one = emitOnce(b, op, loss, inside, wrt);
    SmallVector<Value> next{sum(carries[0], one.loss)};
    llvm::append_range(next, one.written);
    for (auto [carry, gradient] : llvm::zip_equal(carries.drop_front(loss.getNumResults()), one.gradients))
      next.push_back(sum(carry, gradient));
    YieldOp::create(b.builder, b.location, next);
  }

  Value sum(Value total, Value addend) { return b.add(total, b.convert(addend, elementOf(total.getType()))); }

  /// Returns the number of micro-batches, of rank 0.
  Value countOf(ScanOp scan) {
    auto type = RankedTensorType::get({}, elementOf(scan.getResult(0).getType()));
    Dim steps = scan.getSteps();
    if (steps.isStatic())
      return b.splat(type, double(steps.constant()));
    return b.convert(b.make<DimSizeOp>(scan.getXs().front(), 0), type.getElementType());
  }

  Value mean(Value sum, Value count) {
    auto type = StateBuilder::typeOf(sum);
    return b.make<DivOp>(sum, b.spread(b.convert(count, type.getElementType()), type));
  }

  StateBuilder &b;
  MinimizeOp op;
  func::FuncOp loss;
  ArrayRef<Value> arguments;
  ArrayRef<int64_t> wrt, split;
};
} // namespace

Gradients lathe::state::emitGradients(StateBuilder &b, MinimizeOp op, func::FuncOp loss, ArrayRef<Value> arguments,
                                      ArrayRef<int64_t> wrt) {
  return op.getMicroBatches() ? MicroBatches(b, op, loss, arguments, wrt).run() : emitOnce(b, op, loss, arguments, wrt);
}
