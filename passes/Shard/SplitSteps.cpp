// Cuts a step at the only value_and_grad of its body, which its minimize has become, or behind the loop over micro-batches with
// it. FUNCTION_gradients ends there, and returns the used results of the op, or the means of the loop's sums. FUNCTION_update
// takes them as arguments and does the rest. Ops that do not depend on them belong
// to the first part; the second part repeats the ones it needs. Reports occur once, in the first part that can make them.
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/EraseUnused.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "lib/Support/Explain.h"
#include "lib/Support/Text.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Shard/Shard.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringSet.h"

namespace lathe {
#define GEN_PASS_DEF_SPLITSTEPSPASS
#include "passes/Shard/Shard.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

static bool contains(ArrayRef<Dim> dims, StringRef name) {
  SmallVector<std::string> names;
  for (const Dim &dim : dims)
    dim.collectNames(names);
  return llvm::is_contained(names, name);
}

static bool contains(Type type, StringRef name) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && contains(dimsOf(tensor), name);
}

/// True if the op's result types or attributes contain the name: as a shape, or as a size that it reads.
static bool contains(Operation *op, StringRef name) {
  if (llvm::any_of(op->getResultTypes(), [&](Type type) { return contains(type, name); }))
    return true;
  bool found = false;
  op->getAttrDictionary().walk([&](DimAttr dim) { found |= contains(Dim::fromAttr(dim), name); });
  return found;
}

static void eraseUnusedArguments(func::FuncOp function) {
  llvm::BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    unused[argument.getArgNumber()] = argument.use_empty();
  (void)function.eraseArguments(unused);
}

namespace {
class Split {
public:
  Split(func::FuncOp entry, StringRef batch) : entry(entry), batch(batch), builder(entry.getContext()) {}

  LogicalResult run() {
    if (failed(checkArguments()) || failed(findCut()) || failed(checkCrossing()))
      return failure();
    nameCrossing();
    func::FuncOp gradients = makeGradients(), update = makeUpdate();
    if (failed(checkGradients(gradients)) || failed(checkUpdate(update)))
      return failure();
    entry->setAttr(kShardAttr,
                   builder.getArrayAttr({FlatSymbolRefAttr::get(gradients.getSymNameAttr()),
                                         FlatSymbolRefAttr::get(update.getSymNameAttr()), builder.getStringAttr(batch)}));
    explain(entry.getLoc(), "shard", "@{}: split over {} into @{}, which returns {} tensors, and @{}", entry.getSymName().str(),
            batch.str(), gradients.getSymName().str(), crossing.size(), update.getSymName().str());
    return success();
  }

private:
  /// A value behind which the step is cut, and the name that it is to have.
  struct End {
    Value value;
    std::string name;
  };

  InFlightDiagnostic refuse(Location place) {
    return emitError(place) << "cannot split @" << entry.getSymName() << " over " << batch << ": ";
  }

  bool isBatch(Type type) const { return contains(type, batch); }

  LogicalResult checkArguments() {
    bool any = false;
    for (BlockArgument argument : entry.getArguments()) {
      Dims dims = dimsOf(argument);
      any |= contains(dims, batch);
      if (contains(dims, batch) && (dims.front() != Dim::named(batch) || contains(ArrayRef(dims).drop_front(), batch)))
        return refuse(argument.getLoc()) << "an argument is " << argument.getType()
                                         << "; the batch must be its first dimension only, so that a shard's "
                                            "examples are contiguous in memory";
    }
    if (any)
      return success();
    return refuse(entry.getLoc()) << "no argument has a dimension of this name; name the batch in lathe.dims, and do "
                                     "not fix it with --dim";
  }

  LogicalResult findCut() {
    SmallVector<Operation *> found;
    for (Operation &op : entry.front())
      if (isa<ValueAndGradOp>(op) || op.hasAttr(kMicroBatchesAttr))
        found.push_back(&op);
    if (found.size() == 1) {
      cut = found.front();
      if (auto grad = dyn_cast<ValueAndGradOp>(cut))
        addResults(grad);
      else if (failed(addMeans(cast<ScanOp>(cut))))
        return failure();
      addDependents();
      return success();
    }
    ValueAndGradOp inner;
    entry.walk([&](ValueAndGradOp each) { inner = each; });
    if (found.empty() && inner)
      return refuse(inner.getLoc())
             << "it takes its gradient in a loop or branch of its own; take it once, or let lathe.minimize "
                "take it with 'micro_batches'";
    if (found.empty())
      return refuse(entry.getLoc()) << "its body has no lathe.minimize or lathe.value_and_grad to cut at";
    InFlightDiagnostic diagnostic = refuse(found[1]->getLoc())
                                    << "it takes more than one gradient; write one entry per step, and split each";
    diagnostic.attachNote(found[0]->getLoc()) << "the first one is here";
    return diagnostic;
  }

  void addResults(ValueAndGradOp grad) {
    unsigned values = grad.getNumResults() - grad.getWrt().size();
    for (OpResult result : grad.getResults().take_front(values))
      ends.push_back({result, valueName(result.getResultNumber())});
    for (auto [i, input] : llvm::enumerate(grad.getWrt()))
      ends.push_back({grad.getResult(values + i), gradientName(grad.getInputs()[input], i)});
  }

  /// Adds the results of a loop over micro-batches: variables that the loss writes, then the means of the loss and the
  /// gradients.
  LogicalResult addMeans(ScanOp scan) {
    ValueAndGradOp grad = *scan.getBody().front().getOps<ValueAndGradOp>().begin();
    unsigned written = cast<IntegerAttr>(scan->getAttr(kMicroBatchesAttr)).getInt();
    for (Value sum : scan.getResults().drop_front(written))
      if (!isa<DivOp>(*sum.getUsers().begin()))
        return refuse(scan.getLoc()) << "ranks exchange the sums over its micro-batches; let either contexts or ranks share it";
    for (unsigned i = 0; i < written; ++i)
      ends.push_back({scan.getResult(i), valueName(i + 1)});
    ends.push_back({meanOf(scan.getResult(written), grad.getResult(0)), valueName(0)});
    for (auto [i, input] : llvm::enumerate(grad.getWrt()))
      ends.push_back({meanOf(scan.getResult(written + 1 + i), {}), gradientName(outerOf(scan, grad.getInputs()[input]), i)});
    return success();
  }

  /// Returns the mean that the only user of a sum gives. That of losses in halves is rounded to their type, unless ranks
  /// average it first.
  static Value meanOf(Value sum, Value addend) {
    Value mean = sum.getUsers().begin()->getResult(0);
    bool isOfHalves = addend && getElementTypeOrSelf(addend) != getElementTypeOrSelf(mean);
    auto rounded = isOfHalves ? dyn_cast<ConvertOp>(*mean.getUsers().begin()) : ConvertOp();
    return rounded ? rounded.getResult() : mean;
  }

  /// Returns the value outside of a loop that an argument of its body is in the first step.
  static Value outerOf(ScanOp scan, Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &scan.getBody().front())
      return value;
    unsigned number = argument.getArgNumber(), consts = constsOf(scan).size();
    if (number < consts)
      return constsOf(scan)[number];
    return number - consts < scan.getCarry().size() ? scan.getCarry()[number - consts] : value;
  }

  void addDependents() {
    DenseSet<Value> crossed;
    for (const End &end : ends)
      crossed.insert(end.value);
    for (Operation *op = cut->getNextNode(); op; op = op->getNextNode()) {
      bool depends = false;
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          depends |= crossed.contains(operand) || dependents.contains(operand.getDefiningOp());
      });
      if (depends)
        dependents.insert(op);
    }
  }

  /// Checks that the mean over shards is meaningful for every value that crosses from one part to the other.
  LogicalResult checkCrossing() {
    for (auto [i, end] : llvm::enumerate(ends)) {
      if (end.value.use_empty())
        continue;
      crossing.push_back(i);
      auto type = cast<RankedTensorType>(end.value.getType());
      if (isBatch(type))
        return refuse(cut->getLoc()) << "its result " << i << " is " << type
                                     << ", a per-example value that is used after the cut; only batch-wide values, such as "
                                        "the loss and parameter gradients, may cross it";
      if (!isFloatTensor(type))
        return refuse(cut->getLoc()) << "its result " << i << " is " << type
                                     << "; expected a floating-point result, so that it can be averaged over the shards";
    }
    return success();
  }

  /// Returns the name of the variable that an argument of the entry holds.
  std::string variableOf(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto state = argument ? entry.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(), kStateAttr) : nullptr;
    return state ? toCIdentifier(state.getValue()) : "";
  }

  static std::string valueName(unsigned result) { return result == 0 ? "value" : "value_" + std::to_string(result); }

  std::string gradientName(Value input, unsigned number) {
    std::string variable = variableOf(input);
    return "gradient_" + (variable.empty() ? std::to_string(number) : variable);
  }

  /// Names the crossing tensors: both parts use one name, which no other tensor or dimension has.
  void nameCrossing() {
    llvm::StringSet<> taken;
    auto take = [&](Attribute attr) {
      if (auto name = dyn_cast_or_null<StringAttr>(attr))
        taken.insert(toCIdentifier(name.getValue()));
    };
    for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
      take(entry.getArgAttr(i, kNameAttr));
      SmallVector<std::string> dims;
      for (const Dim &dim : dimsOf(entry.getArgument(i)))
        dim.collectNames(dims);
      for (const std::string &dim : dims)
        taken.insert(toCIdentifier(dim));
    }
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      take(entry.getResultAttr(i, kNameAttr));
    for (unsigned i : crossing) {
      std::string name = ends[i].name;
      while (!taken.insert(name).second)
        name += "_";
      names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(kNameAttr, builder.getStringAttr(name))));
    }
  }

  func::FuncOp copy(const Twine &suffix, IRMapping &mapping) {
    func::FuncOp made = entry.clone(mapping);
    made.setSymName((entry.getSymName() + suffix).str());
    Operation *after = last ? last : entry.getOperation();
    after->getBlock()->getOperations().insert(std::next(after->getIterator()), made);
    last = made;
    return made;
  }

  func::FuncOp makeGradients() {
    IRMapping mapping;
    func::FuncOp made = copy("_gradients", mapping);
    Operation *end = made.front().getTerminator();
    SmallVector<Value> given;
    for (unsigned i : crossing)
      given.push_back(mapping.lookup(ends[i].value));
    end->setOperands(given);
    made.setFunctionType(FunctionType::get(made.getContext(), made.getArgumentTypes(), end->getOperandTypes()));
    made.setAllResultAttrs(names);
    for (Operation *op : llvm::reverse(dependents))
      if (!op->hasTrait<OpTrait::IsTerminator>())
        mapping.lookup(op)->erase();
    eraseUnused(made.front(), [](Operation *op) { return isPure(op); });
    eraseUnusedArguments(made);
    made->setAttr(kOnContextsAttr, builder.getUnitAttr());
    return made;
  }

  func::FuncOp makeUpdate() {
    IRMapping mapping;
    func::FuncOp made = copy("_update", mapping);
    for (auto [i, end] : llvm::enumerate(crossing)) {
      unsigned index = made.getNumArguments();
      Value value = ends[end].value;
      (void)made.insertArgument(index, value.getType(), names[i], cut->getLoc());
      mapping.lookup(value).replaceAllUsesWith(made.getArgument(index));
    }
    llvm::DenseSet<Operation *> own;
    for (Operation *op : dependents)
      own.insert(mapping.lookup(op));
    eraseUnused(made.front(), [&](Operation *op) { return !own.contains(op) || isPure(op); });
    eraseUnusedArguments(made);
    return made;
  }

  LogicalResult checkGradients(func::FuncOp gradients) {
    if (llvm::any_of(gradients.getArgumentTypes(), [&](Type type) { return isBatch(type); }))
      return success();
    return refuse(cut->getLoc()) << "the minimised value does not depend on an argument with this dimension";
  }

  LogicalResult checkUpdate(func::FuncOp update) {
    static const char *hint = "; compute per-example values inside the minimised function, or in an entry of "
                              "their own";
    for (Type type : update.getResultTypes())
      if (isBatch(type))
        return refuse(entry.getLoc()) << "a result is " << type << ", but each shard has only its part of the batch" << hint;
    WalkResult walked = update.walk([&](Operation *op) {
      if (op == update ||
          !(contains(op, batch) || llvm::any_of(op->getOperandTypes(), [&](Type type) { return isBatch(type); })))
        return WalkResult::advance();
      refuse(op->getLoc()) << op->getName() << " outside the minimised function needs the whole batch" << hint;
      return WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }

  func::FuncOp entry;
  StringRef batch;
  Builder builder;
  Operation *cut = nullptr;                // the value_and_grad or the loop over micro-batches
  SmallVector<End> ends;                   // the values that the first part can return
  llvm::SetVector<Operation *> dependents; // of these values, in order
  SmallVector<unsigned> crossing;          // those that are used
  SmallVector<DictionaryAttr> names;       // of those
  Operation *last = nullptr;
};

struct SplitSteps : lathe::impl::SplitStepsPassBase<SplitSteps> {
  using SplitStepsPassBase::SplitStepsPassBase;
  explicit SplitSteps(std::map<std::string, std::string> shards) : shards(std::move(shards)) {}

  void runOnOperation() final {
    for (const std::string &text : stepOptions) {
      auto [function, dimension] = StringRef(text).split(':');
      shards[function.str()] = dimension.str();
    }
    for (auto &[name, dimension] : shards)
      if (failed(split(name, dimension)))
        return signalPassFailure();
  }

private:
  LogicalResult split(StringRef name, StringRef dimension) {
    auto entry = SymbolTable(getOperation()).lookup<func::FuncOp>(name);
    if (!entry || entry.isPrivate() || entry.isExternal())
      return getOperation().emitError("there is no public function @") << name << " to split";
    for (const char *suffix : {"_gradients", "_update"})
      if (Operation *other = SymbolTable(getOperation()).lookup((name + suffix).str()))
        return other->emitError("the name @")
               << name << suffix << " is reserved for a part of @" << name << "; rename this function";
    ++steps;
    return Split(entry, dimension).run();
  }

  std::map<std::string, std::string> shards;
};
} // namespace

std::unique_ptr<Pass> lathe::createSplitStepsPass(std::map<std::string, std::string> shards) {
  return std::make_unique<SplitSteps>(std::move(shards));
}
