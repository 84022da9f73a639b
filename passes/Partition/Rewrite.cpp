// || Each op stays where it is and gets blocks as operands and results; collectives and cuts come behind the values that they
// convert.
#include "passes/Partition/Rewrite.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/EraseUnused.h"
#include "lib/Support/Explain.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

namespace {
class Rewriting {
public:
  Rewriting(func::FuncOp function, const FunctionPlan &plan, const Axes &axes)
      : function(function), plan(plan), axes(axes), converter(function.getContext(), axes) {}

  Converter::Counts run() {
    Block &body = function.front();
    takeArguments(body);
    rewriteBlock(body);
    removeUnused(body);
    function.setFunctionType(
        FunctionType::get(function.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
    return converter.getCounts();
  }

private:
  void takeArguments(Block &block) {
    for (BlockArgument argument : block.getArguments()) {
      const Sharding &sharding = plan.values.at(argument);
      argument.setType(blockOf(argument.getType(), sharding, axes));
      converter.set(argument, sharding);
    }
  }

  void rewriteBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      rewriteOp(&op, plan.ops.at(&op));
  }

  void rewriteOp(Operation *op, const Plan &own) {
    for (const Gathered &gathered : own.gathered)
      explainNot(op->getLoc(), "shard", "{} needs all of dimension {} of operand {}: {}", op->getName().getStringRef().str(),
                 gathered.dim, gathered.operand, gathered.reason);
    for (auto [i, sharding] : llvm::enumerate(own.operands))
      op->setOperand(i, converter.convert(op->getOperand(i), sharding));
    if (own.indexed)
      shiftIndices(op, own.indexed);
    for (auto [result, sharding] : llvm::zip_equal(op->getResults(), own.results)) {
      result.setType(blockOf(result.getType(), sharding, axes));
      converter.set(result, sharding, plan.values.at(result) != sharding);
    }
    setShapes(op, own);
    for (Region &region : op->getRegions()) {
      takeArguments(region.front());
      rewriteBlock(region.front());
    }
  }

  /// Subtracts the start of this rank's part from indices.
  void shiftIndices(Operation *op, StringAttr axis) {
    OpBuilder builder(op);
    Location location = op->getLoc();
    Value indices = op->getOperand(1);
    auto type = cast<RankedTensorType>(indices.getType());
    int64_t along = isa<GatherOp>(op) ? cast<GatherOp>(op).getAxis() : cast<ScatterOp>(op).getAxis();
    int64_t part = dimsOf(op->getOperand(0))[along].constant();
    ShapeAttr size = shapeOf(op->getContext(), asDims({axes.at(axis.str())}));
    Value index = AxisIndexOp::create(builder, location, axis.getValue(), size);
    auto extent = DenseElementsAttr::get(cast<RankedTensorType>(index.getType()), part);
    Value start = builder.createOrFold<MulOp>(location, index, ConstantOp::create(builder, location, extent));
    start = builder.createOrFold<ConvertOp>(location, start, type.getElementType());
    Value starts =
        builder.createOrFold<BroadcastOp>(location, start, ArrayRef<int64_t>(), shapeOf(op->getContext(), dimsOf(indices)));
    op->setOperand(1, SubOp::create(builder, location, indices, starts));
  }

  /// Sets the shapes that an op's attributes have to those of its blocks.
  void setShapes(Operation *op, const Plan &own) {
    if (own.results.size() != 1 || !own.results[0].isSplit())
      return;
    ShapeAttr shape = shapeOf(op->getContext(), dimsOf(op->getResult(0)));
    if (op->getAttrOfType<ShapeAttr>("shape"))
      op->setAttr("shape", shape);
    if (auto slice = dyn_cast<DynamicSliceOp>(op))
      slice.setSizesAttr(shape);
    if (auto slice = dyn_cast<SliceOp>(op)) {
      Dims limits = dimsOf(slice.getLimits()), sizes = dimsOf(slice.getResult());
      for (auto [dim, axis] : llvm::enumerate(own.results[0].dims))
        if (axis)
          limits[dim] = sizes[dim];
      slice.setLimitsAttr(shapeOf(op->getContext(), limits));
    }
  }

  static void removeUnused(Block &block) {
    eraseUnused(block, [](Operation *op) { return isPure(op); });
    for (Operation &op : block)
      for (Region &region : op.getRegions())
        removeUnused(region.front());
  }

  func::FuncOp function;
  const FunctionPlan &plan;
  const Axes &axes;
  Converter converter;
};
} // namespace

Converter::Counts partition::rewrite(func::FuncOp function, const FunctionPlan &plan, const Axes &axes) {
  return Rewriting(function, plan, axes).run();
}
