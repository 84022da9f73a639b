// Each rank of an axis computes the gradients of its own examples; their means over the axis replace them. A value_and_grad may
// be in a loop over micro-batches: then the results of the loop are averaged, which is one exchange and not one for each
// micro-batch.
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Shard/Shard.h"

namespace lathe {
#define GEN_PASS_DEF_AVERAGEGRADIENTSPASS
#include "passes/Shard/Shard.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

static bool isBatch(Type type, StringRef batch) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !batch.empty() &&
         llvm::any_of(dimsOf(tensor), [&](const Dim &dim) { return llvm::is_contained(namesIn(dim), batch); });
}

namespace {
/// One step whose batch is divided among the ranks of an axis.
class DividedStep {
public:
  DividedStep(func::FuncOp entry, const RankShard &shard, const Dim &size) : entry(entry), shard(shard), size(size) {}

  LogicalResult run() {
    SmallVector<Operation *> cuts;
    entry.walk([&](ValueAndGradOp op) {
      Operation *outermost = entry.front().findAncestorOpInBlock(*op);
      if (!llvm::is_contained(cuts, outermost))
        cuts.push_back(outermost);
    });
    if (cuts.empty())
      return refuse(entry.getLoc())
             << "its body has no lathe.minimize or lathe.value_and_grad, whose gradients could be averaged";
    bool hasBatch = llvm::any_of(entry.getArgumentTypes(), [&](Type type) { return isBatch(type, shard.batch); });
    if (!shard.batch.empty() && !hasBatch)
      return refuse(entry.getLoc()) << "no argument has a dimension of this name; name the batch in lathe.dims, and do not fix "
                                       "it with --dim, or leave the name out: --shard="
                                    << entry.getSymName() << "@" << shard.axis;
    for (Operation *cut : cuts)
      if (failed(checkValues(cut)))
        return failure();
    findOwn(cuts);
    for (Operation *cut : cuts)
      average(cut);
    return checkState();
  }

private:
  InFlightDiagnostic refuse(Location place) {
    InFlightDiagnostic diagnostic = emitError(place) << "cannot divide @" << entry.getSymName();
    if (!shard.batch.empty())
      diagnostic << " over " << shard.batch;
    diagnostic << " among the ranks of '" << shard.axis << "': ";
    return diagnostic;
  }

  /// Without the batch's name, a tensor that the function returns beside its value may be of the examples. Refuses it.
  LogicalResult checkValues(Operation *cut) {
    auto grad = dyn_cast<ValueAndGradOp>(cut);
    if (!grad || !shard.batch.empty())
      return success();
    unsigned values = grad.getNumResults() - grad.getWrt().size();
    for (OpResult result : grad.getResults().take_front(values)) {
      auto type = cast<RankedTensorType>(result.getType());
      bool isState = llvm::all_of(result.getUses(), [&](OpOperand &use) {
        return isa<func::ReturnOp>(use.getOwner()) && entry.getResultAttr(use.getOperandNumber(), kStateAttr);
      });
      if (type.getRank() && isFloatTensor(type) && !isState)
        return refuse(grad.getLoc()) << "its result " << result.getResultNumber() << " is " << type
                                     << ", which may have an element for each example or be the same for all; name the batch "
                                        "in lathe.dims, and in --shard="
                                     << entry.getSymName() << ":BATCH@" << shard.axis;
    }
    return success();
  }

  /// Finds the arguments with the rank's own examples: those with the batch's name, or all that a gradient depends on.
  void findOwn(ArrayRef<Operation *> cuts) {
    DenseSet<Value> read;
    for (Operation *cut : cuts)
      for (Value operand : cut->getOperands())
        read.insert(operand);
    for (BlockArgument argument : entry.getArguments()) {
      bool isInput = shard.batch.empty() && read.contains(argument) && !entry.getArgAttr(argument.getArgNumber(), kStateAttr);
      if (isInput || isBatch(argument.getType(), shard.batch))
        own[argument] = argument;
    }
  }

  /// Returns what is averaged: the results of a value_and_grad or of the loop around it. Of a loop whose micro-batches are
  /// added as a tree behind it, these sums are averaged and not the stacks. Of a loop whose number of micro-batches is each
  /// rank's own, the means over them are.
  SmallVector<Value> valuesOf(Operation *cut) {
    SmallVector<Value> values(cut->getResults());
    auto scan = dyn_cast<ScanOp>(cut);
    if (!scan)
      return values;
    if (auto written = scan->getAttrOfType<IntegerAttr>(kMicroBatchesAttr); written && !scan.getSteps().isStatic())
      for (Value &sum : MutableArrayRef(values).drop_front(written.getInt()))
        sum = sum.getUsers().begin()->getResult(0);
    if (!scan->removeAttr(kTreeSumsAttr))
      return values;
    values.assign(scan.getResults().begin(), scan.getStacks().begin());
    for (Operation *op = cut->getNextNode(); op && !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
      if (op->hasAttr(kTreeSumsAttr)) {
        if (isa<ScanOp>(op))
          break; // of another step, behind this one's sums
        op->removeAttr(kTreeSumsAttr);
        values.push_back(op->getResult(0));
      }
    return values;
  }

  void average(Operation *cut) {
    SmallVector<Value> values = valuesOf(cut);
    unsigned averaged = 0;
    for (Value value : values) {
      if (value.use_empty() || !isFloatTensor(value.getType()) || isBatch(value.getType(), shard.batch))
        continue;
      OpBuilder builder(cut->getContext());
      builder.setInsertionPointAfter(value.getDefiningOp());
      auto mean = AllReduceOp::create(builder, cut->getLoc(), CollectiveKind::Mean, value, shard.axis,
                                      shapeOf(cut->getContext(), size));
      value.replaceAllUsesExcept(mean, mean);
      ++averaged;
    }
    explain(cut->getLoc(), "shard", "@{}: {} values are means over the ranks of '{}'", entry.getSymName().str(), averaged,
            shard.axis);
  }

  /// Checks that no variable gets a value that depends on the rank's own examples, so that all ranks keep the same state.
  LogicalResult checkState() {
    for (Operation &op : entry.front()) {
      if (isa<AllReduceOp, AllGatherOp, CollectiveBroadcastOp>(op))
        continue; // the same on all ranks
      Value from = isa<CollectiveOpInterface>(op) ? op.getResult(0) : Value();
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Value example = own.lookup(operand))
            from = example;
      });
      if (auto end = dyn_cast<func::ReturnOp>(op))
        return checkResults(end);
      if (from)
        for (Value result : op.getResults())
          own[result] = from;
    }
    return success();
  }

  LogicalResult checkResults(func::ReturnOp end) {
    for (OpOperand &use : end->getOpOperands()) {
      auto variable = entry.getResultAttrOfType<FlatSymbolRefAttr>(use.getOperandNumber(), kStateAttr);
      if (!variable || !own.contains(use.get()))
        continue;
      Operation *writer = use.get().getDefiningOp();
      InFlightDiagnostic diagnostic = refuse(writer ? writer->getLoc() : entry.getLoc())
                                      << "variable @" << variable.getValue()
                                      << " gets a value that depends on this rank's examples, so that the ranks' states would "
                                         "differ; compute it in the minimised function, whose results are averaged, or average "
                                         "it with lathe.all_reduce";
      Value from = own.lookup(use.get());
      diagnostic.attachNote(from.getLoc()) << (isa<BlockArgument>(from) ? "it depends on this argument"
                                                                        : "it depends on this value");
      return diagnostic;
    }
    return success();
  }

  func::FuncOp entry;
  const RankShard &shard;
  Dim size;
  DenseMap<Value, Value> own; // the values that differ between ranks, to the example that they depend on
};

struct AverageGradients : lathe::impl::AverageGradientsPassBase<AverageGradients> {
  using AverageGradientsPassBase::AverageGradientsPassBase;
  AverageGradients(std::map<std::string, RankShard> shards, std::map<std::string, int64_t> axes)
      : shards(std::move(shards)), axes(std::move(axes)) {}

  void runOnOperation() final {
    for (const std::string &text : stepOptions) {
      auto [step, axis] = StringRef(text).split('@');
      auto [function, batch] = step.split(':');
      shards[function.str()] = {batch.str(), axis.str()};
    }
    for (auto &[name, shard] : shards) {
      auto entry = SymbolTable(getOperation()).lookup<func::FuncOp>(name);
      if (!entry || entry.isPrivate() || entry.isExternal()) {
        getOperation().emitError("there is no public function @") << name << " to divide";
        return signalPassFailure();
      }
      auto fixed = axes.find(shard.axis);
      Dim size = fixed == axes.end() ? Dim::named(shard.axis) : Dim(fixed->second);
      if (failed(DividedStep(entry, shard, size).run()))
        return signalPassFailure();
      ++steps;
    }
  }

private:
  std::map<std::string, RankShard> shards;
  std::map<std::string, int64_t> axes;
};
} // namespace

std::unique_ptr<Pass> lathe::createAverageGradientsPass(std::map<std::string, RankShard> shards,
                                                        std::map<std::string, int64_t> axes) {
  return std::make_unique<AverageGradients>(std::move(shards), std::move(axes));
}
