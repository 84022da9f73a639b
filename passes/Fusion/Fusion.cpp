#include "passes/Fusion/Fusion.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Analysis/PairProducts.h"
#include "lib/Analysis/Recomputation.h"
#include "lib/Analysis/Widening.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Fusion/Clusters.h"
#include "passes/Fusion/Explain.h"
#include "passes/Fusion/ItemForm.h"

namespace lathe {
#define GEN_PASS_DEF_FUSEPASS
#include "passes/Fusion/Fusion.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {

/// Builds the kernels of a partition, in dependency order.
class KernelBuilder {
public:
  KernelBuilder(Block &block, const Clusters &clusters) : block(block), clusters(clusters), builder(block.getTerminator()) {}

  void run() {
    SmallVector<Operation *> old;
    for (Operation &op : block.without_terminator())
      old.push_back(&op);
    for (Operation *op : old)
      place(op);
    Operation *terminator = block.getTerminator();
    for (OpOperand &operand : terminator->getOpOperands())
      operand.set(current(operand.get()));
    for (Operation *op : llvm::reverse(old)) {
      op->dropAllUses();
      op->erase();
    }
  }

private:
  Value current(Value value) {
    if (Value made = values.lookup(value))
      return made;
    Operation *op = value.getDefiningOp();
    if (!op)
      return value;
    place(op);
    return values.lookup(value);
  }

  void place(Operation *op) {
    int index = clusters.of(op);
    if (Operation *before = clusters.before(op); before && !placed.contains(clusters.of(before)))
      place(before);
    if (isControl(op))
      return placeControl(op);
    if (index >= 0)
      return placeCluster(index);
    if (values.count(op->getResult(0)) || (isRecomputed(op) && !isa<ConstantOp>(op)) || isSplatOfKernels(op))
      return;
    IRMapping map;
    for (Value operand : op->getOperands())
      map.map(operand, current(operand));
    values[op->getResult(0)] = builder.clone(*op, map)->getResult(0);
  }

  void placeControl(Operation *op) {
    if (!placed.insert(clusters.of(op)).second)
      return;
    IRMapping map;
    for (Value operand : op->getOperands())
      map.map(operand, current(operand));
    Operation *copy = builder.clone(*op, map);
    for (auto [before, after] : llvm::zip_equal(op->getResults(), copy->getResults()))
      values[before] = after;
  }

  /// True for a splat constant that only kernels use, which needs no buffer.
  bool isSplatOfKernels(Operation *op) {
    if (!isa<ConstantOp>(op) || !isRecomputed(op))
      return false;
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return (clusters.of(user) >= 0 && !Clusters::needsMemory(user)) || (clusters.of(user) < 0 && isRecomputed(user));
    });
  }

  void placeCluster(int index) {
    if (!placed.insert(index).second)
      return;
    SmallVector<Value> outputs = clusters.outputs(index);
    SmallVector<Value> inputs, operands;
    llvm::SetVector<Operation *> body;
    for (Operation *op : clusters.all()[index])
      collect(op, index, body, inputs);
    for (Value input : inputs)
      operands.push_back(current(input));
    SmallVector<Type> types;
    for (Value output : outputs)
      types.push_back(output.getType());
    RankedTensorType scratch = scratchType(clusters.all()[index].front());
    if (scratch)
      types.push_back(scratch);
    Operation *main = clusters.mainOp(index);
    auto kernel = KernelOp::create(builder, main->getLoc(), types, operands);
    if (clusters.isOverRows(index))
      kernel->setAttr(kRowsAttr, builder.getUnitAttr());
    if (clusters.isOverItems(index))
      kernel->setAttr(kItemsAttr, builder.getUnitAttr());
    markSizedUnits(kernel, inputs, outputs);
    OpBuilder::InsertionGuard guard(builder);
    Block *inner = builder.createBlock(&kernel.getBody());
    IRMapping map;
    for (auto [input, operand] : llvm::zip_equal(inputs, operands))
      map.map(input, inner->addArgument(operand.getType(), operand.getLoc()));
    for (Operation *op : body)
      if (!clusters.isOverItems(index) || !picksWithinItems(op, map))
        builder.clone(*op, map);
    SmallVector<Value> yielded;
    for (Value output : outputs)
      yielded.push_back(map.lookup(output));
    if (scratch)
      yielded.push_back(ScratchOp::create(builder, main->getLoc(), scratch));
    YieldOp::create(builder, main->getLoc(), yielded);
    for (auto [output, result] : llvm::zip_first(outputs, kernel.getResults()))
      values[output] = result;
  }

  /// Creates what a gather by numbers within items computes, without a table of these numbers in memory: the picked elements
  /// one after the other. Returns false for any other op.
  bool picksWithinItems(Operation *op, IRMapping &map) {
    auto gather = dyn_cast<GatherOp>(op);
    auto indices = gather ? indicesWithinItems(gather) : std::nullopt;
    if (!indices)
      return false;
    Value table = map.lookup(gather.getTable());
    const Dims extents = dimsOf(table);
    SmallVector<Value> picked;
    for (int64_t index : *indices) {
      Dims starts(extents.size(), Dim(0)), limits = extents;
      starts[gather.getAxis()] = Dim(index);
      limits[gather.getAxis()] = Dim(index + 1);
      SmallVector<int64_t> steps(extents.size(), 1);
      picked.push_back(SliceOp::create(builder, op->getLoc(), table, shapeOf(op->getContext(), starts),
                                       shapeOf(op->getContext(), limits), steps));
    }
    map.map(gather.getResult(), ConcatenateOp::create(builder, op->getLoc(), picked, gather.getAxis()).getResult());
    return true;
  }

  void markSizedUnits(KernelOp kernel, ValueRange inputs, ValueRange outputs) {
    SmallVector<Attribute> units;
    for (Value value : llvm::concat<Value>(llvm::to_vector(inputs), llvm::to_vector(outputs))) {
      auto own = sizedUnitsOf(value);
      units.push_back(own ? own : builder.getDenseI64ArrayAttr({}));
    }
    if (llvm::any_of(units, [](Attribute own) { return !cast<DenseI64ArrayAttr>(own).empty(); }))
      kernel->setAttr(kSizedUnitsAttr, builder.getArrayAttr(units));
  }

  /// Collects the op and the ops that are recomputed for it, producers first; other values become inputs.
  void collect(Operation *op, int index, llvm::SetVector<Operation *> &body, SmallVectorImpl<Value> &inputs) {
    auto gather = dyn_cast<GatherOp>(op);
    bool hasNumbers = gather && clusters.isOverItems(index) && indicesWithinItems(gather);
    for (Value operand : op->getOperands()) {
      if (hasNumbers && operand == gather.getIndices())
        continue;
      Operation *producer = operand.getDefiningOp();
      bool inside = producer && clusters.of(producer) == index;
      bool again = producer && clusters.of(producer) < 0 && isRecomputed(producer) && !op->hasTrait<OwnKernelTrait>();
      if (again && body.contains(producer))
        continue;
      if (again)
        collect(producer, index, body, inputs);
      else if (!inside && !llvm::is_contained(inputs, operand))
        inputs.push_back(operand);
    }
    body.insert(op);
  }

  Block &block;
  const Clusters &clusters;
  OpBuilder builder;
  DenseMap<Value, Value> values;
  llvm::SmallDenseSet<int> placed;
};

struct FusePass : lathe::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() final {
    if (getOperation().isDeclaration())
      return;
    // Regions first: ops around them hold facts about their arguments, and become kernels later.
    SmallVector<Block *> blocks;
    getOperation().getBody().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      separateWidening(*block, isOnDevice(getOperation()) ? multiplies : isPairProduct);
      fuseBlock(*block);
    }
  }

  /// Gives the products that read halves a widening of their own, which needs no memory; other readers keep theirs.
  void separateWidening(Block &block, function_ref<bool(Operation *)> readsHalves) {
    for (auto convert : llvm::to_vector(block.getOps<ConvertOp>())) {
      auto isProduct = [&](OpOperand &use) { return readsHalves(use.getOwner()); };
      bool hasBoth = llvm::any_of(convert->getUses(), isProduct) && !llvm::all_of(convert->getUses(), isProduct);
      if (!hasBoth || !isHalf(getElementTypeOrSelf(convert.getOperand().getType())) || !convert.getTo().isF32())
        continue;
      OpBuilder builder(convert);
      convert.getResult().replaceUsesWithIf(builder.clone(*convert)->getResult(0), isProduct);
    }
  }

  void fuseBlock(Block &block) {
    Clusters clusters(block);
    if (fuse) {
      if (items && !isOnDevice(getOperation()))
        clusters.joinItems(anyItems);
      clusters.grow();
      if (planes)
        clusters.joinPlanes();
    }
    explainFusion(getOperation(), clusters);
    for (const auto &members : clusters.all()) // whose ops are erased then
      kernels += !members.empty() && !isControl(members.front());
    KernelBuilder(block, clusters).run();
  }
};
} // namespace
