// || Annotated variables are divided first. Then all functions are planned again and again, and a variable that gets a divided
// value is divided too, until no variable changes: momentum follows a gradient, and a bias the layer that it is added to.
#include "passes/Partition/Partition.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "lib/Support/Explain.h"
#include "passes/Partition/Annotations.h"
#include "passes/Partition/Rewrite.h"
#include "llvm/ADT/SetVector.h"

namespace lathe {
#define GEN_PASS_DEF_PARTITIONPASS
#include "passes/Partition/Partition.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

std::set<std::string> lathe::annotatedAxes(ModuleOp module) {
  std::set<std::string> axes;
  auto add = [&](Attribute attribute) {
    if (auto splits = dyn_cast_or_null<ArrayAttr>(attribute))
      for (auto axis : splits.getAsRange<StringAttr>())
        axes.insert(axis.str());
  };
  for (auto variable : module.getOps<VariableOp>())
    add(variable->getAttr(kShardAttr));
  for (auto function : module.getOps<func::FuncOp>()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      add(function.getArgAttr(i, kShardAttr));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      add(function.getResultAttr(i, kShardAttr));
  }
  return axes;
}

/// Refuses collectives of the graph over an axis whose ranks compute blocks of one common value.
static LogicalResult checkCollectives(ModuleOp module, const llvm::DenseSet<Attribute> &used) {
  WalkResult walked = module.walk([&](CollectiveOpInterface op) {
    if (!used.contains(StringAttr::get(op.getContext(), op.getAxis())))
      return WalkResult::advance();
    op.emitError() << "'" << op->getName() << "' is over '" << op.getAxis()
                   << "', an axis that divides variables: its ranks have the same inputs and compute one common result; use "
                      "another axis";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

namespace {
struct Planned {
  func::FuncOp function;
  FunctionPlan plan;
};

struct Partition : lathe::impl::PartitionPassBase<Partition> {
  using PartitionPassBase::PartitionPassBase;

  void runOnOperation() final {
    if (shardOptions.empty() && !hasShardAnnotations(getOperation()))
      return;
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run() {
    FailureOr<Axes> read = readAxes(getOperation(), SmallVector<std::string>(axisOptions.begin(), axisOptions.end()));
    if (failed(read))
      return failure();
    axes = *read;
    FailureOr<Annotations> annotations =
        readAnnotations(getOperation(), SmallVector<std::string>(shardOptions.begin(), shardOptions.end()), axes);
    if (failed(annotations))
      return failure();
    Variables &shardings = annotations->variables;
    do
      if (failed(planAll(shardings)))
        return failure();
    while (follow(*annotations) || followUpdates(*annotations));
    if (failed(checkCollectives(getOperation(), usedAxes(shardings))))
      return failure();
    for (auto variable : getOperation().getOps<VariableOp>())
      divide(variable, shardings[variable.getSymNameAttr()], annotations->fixed.contains(variable.getSymNameAttr()));
    for (auto &[function, plan] : planned) {
      Converter::Counts counts = rewrite(function, plan, axes);
      removeAnnotations(function);
      if (counts.any())
        explain(function.getLoc(), "shard", "@{}: {} reductions, {} gathers and {} exchanges for divided variables",
                function.getSymName().str(), counts.reductions, counts.gathers, counts.exchanges);
    }
    return success();
  }

  LogicalResult planAll(const Variables &shardings) {
    planned.clear();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      FailureOr<SmallVector<Sharding>> arguments = argumentsOf(function, shardings, axes);
      if (failed(arguments))
        return failure();
      FailureOr<SmallVector<Sharding>> results = resultsOf(function, shardings, axes);
      if (failed(results))
        return failure();
      planned.push_back({function, propagate(function, *arguments, *results, axes)});
    }
    return success();
  }

  /// Divides variables without an annotation that get divided values. Returns true if there are any.
  bool follow(Annotations &annotations) {
    bool changed = false;
    for (auto &[function, plan] : planned)
      for (OpOperand &use : function.front().getTerminator()->getOpOperands()) {
        auto state = function.getResultAttrOfType<FlatSymbolRefAttr>(use.getOperandNumber(), kStateAttr);
        if (!state || annotations.fixed.contains(state.getAttr()))
          continue;
        Sharding &sharding = annotations.variables[state.getAttr()];
        const Sharding &given = plan.values.at(use.get());
        if (!given.isSplit() || sharding.isSplit())
          continue;
        sharding = given.combined();
        changed = true;
      }
    return changed;
  }

  /// Divides variables without an annotation from which the new value of a divided one is computed element by element: slots,
  /// also where the gradient is whole.
  bool followUpdates(Annotations &annotations) {
    bool changed = false;
    for (auto &[function, plan] : planned)
      for (OpOperand &use : function.front().getTerminator()->getOpOperands()) {
        auto state = function.getResultAttrOfType<FlatSymbolRefAttr>(use.getOperandNumber(), kStateAttr);
        if (!state || !annotations.variables[state.getAttr()].isSplit())
          continue;
        const Sharding sharding = annotations.variables[state.getAttr()];
        for (StringAttr source : elementwiseSources(function, use.get()))
          if (!annotations.fixed.contains(source) && !annotations.variables[source].isSplit()) {
            annotations.variables[source] = sharding;
            changed = true;
          }
      }
    return changed;
  }

  /// Returns the variables of the same shape from which a value is computed by elementwise ops only.
  static SmallVector<StringAttr> elementwiseSources(func::FuncOp function, Value value) {
    SmallVector<StringAttr> sources;
    Dims shape = dimsOf(value);
    llvm::SetVector<Value> seen;
    seen.insert(value);
    for (size_t i = 0; i < seen.size(); ++i) {
      if (auto argument = dyn_cast<BlockArgument>(seen[i])) {
        auto state = function.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(), kStateAttr);
        if (state)
          sources.push_back(state.getAttr());
      } else if (Operation *op = seen[i].getDefiningOp(); op->hasTrait<ElementwiseTrait>()) {
        for (Value operand : op->getOperands())
          if (dimsOf(operand) == shape)
            seen.insert(operand);
      }
    }
    return sources;
  }

  /// Returns the axes over which anything is divided.
  llvm::DenseSet<Attribute> usedAxes(const Variables &shardings) const {
    llvm::DenseSet<Attribute> used;
    auto add = [&](const Sharding &sharding) {
      for (StringAttr axis : sharding.dims)
        if (axis)
          used.insert(axis);
    };
    for (auto &[name, sharding] : shardings)
      add(sharding);
    for (auto &[function, plan] : planned)
      for (auto &[value, sharding] : plan.values)
        add(sharding);
    return used;
  }

  void divide(VariableOp variable, const Sharding &sharding, bool isAnnotated) {
    variable->removeAttr(kShardAttr);
    if (!sharding.isSplit())
      return;
    RankedTensorType whole = cast<RankedTensorType>(variable.getType()), block = blockOf(whole, sharding, axes);
    SmallVector<Attribute> splits;
    std::string places;
    for (auto [dim, axis] : llvm::enumerate(sharding.dims)) {
      splits.push_back(axis ? axis : StringAttr::get(variable.getContext()));
      if (axis)
        places += (places.empty() ? "dimension " : ", dimension ") + std::to_string(dim) + " over '" + axis.str() + "'";
    }
    explain(variable.getLoc(), "shard", "@{} is divided, {}{}: each rank has {} of {}", variable.getSymName().str(), places,
            isAnnotated ? "" : ", as the values that it gets", bytesOf(block), bytesOf(whole));
    variable->setAttr(kWholeAttr, TypeAttr::get(whole));
    variable->setAttr(kSplitsAttr, ArrayAttr::get(variable.getContext(), splits));
    variable.setInitialAttr(ZerosAttr::get(variable.getContext())); // @init exists by now
    variable.setType(block);
    ++variables;
  }

  static void removeAnnotations(func::FuncOp function) {
    StringAttr name = StringAttr::get(function.getContext(), kShardAttr);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, name);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.removeResultAttr(i, name);
  }

  Axes axes;
  std::vector<Planned> planned;
};
} // namespace
