#include "passes/State/Gradients.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/ShardAttributes.h"

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
/// A scan over micro-batches. Its carries are the variables that the loss writes, and the sums of the losses and of the
/// gradients. If these are to be trees, the scan collects the losses and gradients, and they are added behind it.
class MicroBatches {
public:
  MicroBatches(StateBuilder &b, MinimizeOp op, func::FuncOp loss, ArrayRef<Value> arguments, ArrayRef<int64_t> wrt)
      : b(b), op(op), loss(loss), arguments(arguments), wrt(wrt), split(*op.getMicroBatches()),
        isTree(op->hasAttr(kTreeSumsAttr)) {}

  Gradients run() {
    SmallVector<Value> first, xs;
    SmallVector<Type> sums{sumType(loss.getResultTypes()[0])};
    for (unsigned i = 1; i < loss.getNumResults(); ++i)
      first.push_back(before(i));
    for (int64_t i : wrt)
      sums.push_back(sumType(arguments[i].getType()));
    for (int64_t i : split)
      xs.push_back(op.getInputs()[i]);
    unsigned written = first.size();
    if (!isTree)
      for (Type type : sums)
        first.push_back(b.splat(cast<RankedTensorType>(type), 0));
    auto scan = ScanOp::create(b.builder, b.location, Value(), ValueRange(), first, xs, ShapeAttr(),
                               isTree ? TypeRange(sums) : TypeRange());
    if (isTree)
      scan->setAttr(kTreeSumsAttr, b.builder.getUnitAttr());
    else
      scan->setAttr(kMicroBatchesAttr, b.builder.getI64IntegerAttr(written));
    emitBody(scan, written);
    closeRegions(scan);

    Gradients means{{}, SmallVector<Value>(scan.getResults().take_front(written)), {}};
    for (Value sum : scan.getResults().drop_front(written)) {
      Value mean = meanOf(isTree ? treeSum(sum, 0, scan.getSteps().constant()) : sum, scan);
      if (isTree)
        mean.getDefiningOp()->setAttr(kTreeSumsAttr, b.builder.getUnitAttr());
      if (means.loss)
        means.gradients.push_back(mean);
      else
        means.loss = b.convert(mean, elementOf(loss.getResultTypes()[0]));
    }
    return means;
  }

private:
  static Type elementOf(Type type) { return cast<RankedTensorType>(type).getElementType(); }

  /// Returns the type in which values of this type are added.
  Type sumType(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.clone(isHalf(tensor.getElementType()) ? b.builder.getF32Type() : tensor.getElementType());
  }

  /// Adds values [begin, end) of a stack as a balanced tree, as lathe.all_reduce adds those of ranks: n of them are split after
  /// the largest power of two below n. So the sums of several ranks, each a power of two of values, add up to the same bits as
  /// those of one rank.
  Value treeSum(Value stack, int64_t begin, int64_t end) {
    if (end - begin > 1) {
      int64_t middle = begin + int64_t(llvm::bit_floor(uint64_t(end - begin - 1)));
      return b.add(treeSum(stack, begin, middle), treeSum(stack, middle, end));
    }
    auto type = StateBuilder::typeOf(stack);
    Dims low(type.getRank(), Dim(0)), high = dimsOf(stack), shape = high;
    low[0] = Dim(begin);
    high[0] = Dim(end);
    shape.erase(shape.begin());
    MLIRContext *context = b.builder.getContext();
    Value one = b.make<SliceOp>(stack, shapeOf(context, low), shapeOf(context, high), SmallVector<int64_t>(type.getRank(), 1));
    return b.make<ReshapeOp>(one, shapeOf(context, shape));
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

  void emitBody(ScanOp scan, unsigned written) {
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
        inside[*argument] = carries[i - 1];

    Gradients one = emitOnce(b, op, loss, inside, wrt);
    SmallVector<Value> next(one.written), addends{one.loss};
    llvm::append_range(addends, one.gradients);
    for (auto [i, addend] : llvm::enumerate(addends)) {
      Value value = b.convert(addend, elementOf(sumType(addend.getType())));
      next.push_back(isTree ? value : b.add(carries[written + i], value));
    }
    YieldOp::create(b.builder, b.location, next);
  }

  /// Returns the number of micro-batches, of rank 0.
  Value countOf(ScanOp scan) {
    auto type = RankedTensorType::get({}, elementOf(sumType(loss.getResultTypes()[0])));
    Dim steps = scan.getSteps();
    if (steps.isStatic())
      return b.splat(type, double(steps.constant()));
    return b.convert(b.make<DimSizeOp>(scan.getXs().front(), 0), type.getElementType());
  }

  Value meanOf(Value sum, ScanOp scan) {
    if (!count)
      count = countOf(scan);
    auto type = StateBuilder::typeOf(sum);
    return b.make<DivOp>(sum, b.spread(b.convert(count, type.getElementType()), type));
  }

  StateBuilder &b;
  MinimizeOp op;
  func::FuncOp loss;
  ArrayRef<Value> arguments;
  ArrayRef<int64_t> wrt, split;
  bool isTree;
  Value count; // of the micro-batches
};
} // namespace

Gradients lathe::state::emitGradients(StateBuilder &b, MinimizeOp op, func::FuncOp loss, ArrayRef<Value> arguments,
                                      ArrayRef<int64_t> wrt) {
  return op.getMicroBatches() ? MicroBatches(b, op, loss, arguments, wrt).run() : emitOnce(b, op, loss, arguments, wrt);
}
