// Divides variables among the ranks of an axis: each rank keeps an equal part of their elements, in row-major order and padded
// with zeros, and updates no other.
// ||
//   before:  g = all_reduce mean(gradient)              after:  g = reduce_scatter mean(gradient)
//            m' = b m + (1 - b) g                               m' = b m + (1 - b) g            a part of each
//            p' = p - rate m'                                   p' = all_gather(part of p - rate m')
//
// An update can be divided where it is computed element by element. A value that it takes from elsewhere is cut. A norm of all
// gradients is a sum of squares: each rank adds those of its parts, and one exchange adds the ranks' sums.
#include "dialects/Lathe/IR/EraseUnused.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Shard/Shard.h"
#include "llvm/ADT/MapVector.h"
#include <numeric>

namespace lathe {
#define GEN_PASS_DEF_SHARDSTATEPASS
#include "passes/Shard/Shard.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

using Ints = SmallVector<int64_t>;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static int64_t countOf(Value value) {
  auto type = typeOf(value);
  return type.hasStaticShape() ? type.getNumElements() : -1;
}

/// True if the op computes each element from those of its operands at the same place.
static bool isElementwise(Operation *op) { return op && op->hasTrait<ElementwiseTrait>() && op->getNumResults() == 1; }

namespace {
/// Builds parts of one function's values.
class Parts {
public:
  Parts(func::FuncOp function, StringRef axis, int64_t ranks)
      : function(function), axis(axis), ranks(ranks), builder(function.getContext()) {}

  int64_t partOf(int64_t count) const { return llvm::divideCeil(count, ranks); }

  /// Declares the part of a value.
  void set(Value whole, Value part) { parts[whole] = part; }

  /// Returns this rank's part of a value.
  Value get(Value whole) {
    if (Value known = parts.lookup(whole))
      return known;
    Value part = make(whole);
    parts[whole] = part;
    return part;
  }

  /// True if a part of the value has been made or declared.
  bool has(Value whole) const { return parts.contains(whole); }

  /// Returns the sum of this rank's elements of a value whose whole sum `op` is.
  Value sumOfPart(ReduceOp op) {
    Value part = get(op.getOperand());
    place(op.getResult());
    return create<ReduceOp>(ReduceKind::Sum, part, Ints{0});
  }

  /// Returns the sum, behind a value, of numbers that differ between the ranks and of numbers that are the same on all of them.
  Value sumOverRanks(Value behind, ArrayRef<Value> own, ArrayRef<Value> common) {
    place(behind);
    auto add = [&](Value sum, Value value) { return sum ? create<AddOp>(sum, value) : value; };
    Value sum = std::accumulate(own.begin(), own.end(), Value(), add);
    sum = create<AllReduceOp>(CollectiveKind::Sum, sum, axis, size());
    return std::accumulate(common.begin(), common.end(), sum, add);
  }

  /// Returns the whole value of this type from the parts of all ranks.
  Value gather(Value part, RankedTensorType type) {
    place(part);
    Value all = create<AllGatherOp>(part, 0, axis, size());
    if (typeOf(all).getNumElements() != type.getNumElements())
      all = create<SliceOp>(all, shape({0}), shape({type.getNumElements()}), Ints{1});
    return create<ReshapeOp>(all, shapeOf(function.getContext(), dimsOf(type)));
  }

private:
  template <typename Op, typename... Arguments>
  Value create(Arguments &&...arguments) {
    return builder.createOrFold<Op>(location, std::forward<Arguments>(arguments)...);
  }
  ShapeAttr shape(ArrayRef<int64_t> extents) { return shapeOf(function.getContext(), asDims(extents)); }
  ShapeAttr size() { return shape({ranks}); }

  /// Sets the place of new ops behind a value.
  void place(Value value) {
    location = value.getLoc();
    if (Operation *op = value.getDefiningOp())
      builder.setInsertionPointAfter(op);
    else
      builder.setInsertionPointToStart(&function.front());
  }

  Value make(Value whole) {
    Operation *op = whole.getDefiningOp();
    int64_t part = partOf(countOf(whole));
    if (isElementwise(op))
      return compute(op, part);
    place(whole);
    auto constant = dyn_cast_or_null<ConstantOp>(op);
    if (auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr())
      return create<ConstantOp>(splat.resizeSplat(RankedTensorType::get({part}, typeOf(whole).getElementType())));
    if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op); broadcast && countOf(broadcast.getOperand()) == 1) {
      Value scalar = create<ReshapeOp>(broadcast.getOperand(), shape({}));
      return create<BroadcastOp>(scalar, Ints(), shape({part}));
    }
    auto reduce = dyn_cast_or_null<AllReduceOp>(op);
    if (reduce && reduce.getAxis() == axis) {
      place(reduce.getResult());
      return create<ReduceScatterOp>(reduce.getKind(), flat(reduce.getOperand(), part), 0, axis, size());
    }
    Value index = create<AxisIndexOp>(axis, size());
    Value extent = create<ConstantOp>(DenseElementsAttr::get(typeOf(index), part));
    Value start = create<MulOp>(index, extent);
    return create<DynamicSliceOp>(flat(whole, part), ValueRange{start}, shape({part}));
  }

  /// Repeats an elementwise op on parts of its operands.
  Value compute(Operation *op, int64_t part) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    place(op->getResult(0));
    Operation *made = builder.clone(*op);
    made->setOperands(operands);
    made->getResult(0).setType(RankedTensorType::get({part}, typeOf(op->getResult(0)).getElementType()));
    return made->getResult(0);
  }

  /// Returns the elements in row-major order, with zeros behind them.
  Value flat(Value whole, int64_t part) {
    int64_t count = countOf(whole);
    Value line = create<ReshapeOp>(whole, shape({count}));
    if (count == part * ranks)
      return line;
    auto scalar = RankedTensorType::get({}, typeOf(whole).getElementType());
    Value zero = create<ConstantOp>(cast<ElementsAttr>(builder.getZeroAttr(scalar)));
    return create<PadOp>(line, zero, shape({0}), shape({part * ranks - count}), Ints{0});
  }

  func::FuncOp function;
  StringRef axis;
  int64_t ranks;
  OpBuilder builder;
  Location location = builder.getUnknownLoc();
  DenseMap<Value, Value> parts;
};

/// The variables of one function that are divided.
class DividedFunction {
public:
  DividedFunction(func::FuncOp function, const llvm::MapVector<StringAttr, RankedTensorType> &divided, StringRef axis,
                  int64_t ranks)
      : function(function), divided(divided), parts(function, axis, ranks) {}

  void run() {
    takeParts();
    func::ReturnOp end = cast<func::ReturnOp>(function.front().getTerminator());
    replaceOutside(end);
    for (OpOperand &use : end->getOpOperands())
      if (isDivided(function.getResultAttrOfType<FlatSymbolRefAttr>(use.getOperandNumber(), kStateAttr)))
        use.set(parts.get(use.get()));
    divideNorms();
    eraseUnused(function.front(), [](Operation *op) { return isPure(op); });
    function.setFunctionType(
        FunctionType::get(function.getContext(), function.front().getArgumentTypes(), end->getOperandTypes()));
  }

private:
  bool isDivided(FlatSymbolRefAttr variable) const { return variable && divided.contains(variable.getAttr()); }

  /// Makes the arguments that hold divided variables parts. The whole value is gathered for what needs it.
  void takeParts() {
    for (BlockArgument argument : function.getArguments()) {
      auto variable = function.getArgAttrOfType<FlatSymbolRefAttr>(argument.getArgNumber(), kStateAttr);
      if (!isDivided(variable))
        continue;
      RankedTensorType type = divided.lookup(variable.getAttr());
      argument.setType(RankedTensorType::get({parts.partOf(type.getNumElements())}, type.getElementType()));
      Value whole = parts.gather(argument, type);
      SmallPtrSet<Operation *, 4> own;
      for (Operation *op = whole.getDefiningOp(); op; op = op->getOperand(0).getDefiningOp())
        own.insert(op);
      argument.replaceUsesWithIf(whole, [&](OpOperand &use) { return !own.contains(use.getOwner()); });
      parts.set(whole, argument);
      wholes.push_back(whole);
    }
  }

  /// Computes in parts what depends element by element on divided variables only used in updates, and gathers it for the uses
  /// outside: the new parameters of slots that are divided.
  void replaceOutside(func::ReturnOp end) {
    llvm::SetVector<Value> inside;
    for (Value whole : wholes)
      if (isInUpdatesOnly(whole))
        inside.insert(whole);
    for (size_t i = 0; i < inside.size(); ++i)
      for (Operation *user : inside[i].getUsers())
        if (isElementwise(user) && user->getBlock() == &function.front())
          inside.insert(user->getResult(0));
    for (Value value : inside) {
      SmallVector<OpOperand *> outside;
      for (OpOperand &use : value.getUses()) {
        bool isUpdate = use.getOwner() == end &&
                        isDivided(function.getResultAttrOfType<FlatSymbolRefAttr>(use.getOperandNumber(), kStateAttr));
        if (!isUpdate && !(isElementwise(use.getOwner()) && inside.contains(use.getOwner()->getResult(0))))
          outside.push_back(&use);
      }
      if (outside.empty())
        continue;
      Value gathered = parts.gather(parts.get(value), typeOf(value));
      for (OpOperand *use : outside)
        use->set(gathered);
    }
  }

  /// True if parts of the value are computed from those of reduced gradients that the updates use anyway.
  bool isOfPartedGradients(Value value) {
    if (auto reduce = value.getDefiningOp<AllReduceOp>())
      return parts.has(value);
    return isElementwise(value.getDefiningOp()) &&
           llvm::all_of(value.getDefiningOp()->getOperands(), [&](Value operand) { return isOfPartedGradients(operand); });
  }

  /// Adds the squares of gradients up in parts. Sums that are added to one another, as for the norm of all gradients, take one
  /// exchange.
  void divideNorms() {
    llvm::MapVector<Value, SmallVector<ReduceOp>> sums; // by the total that they are added to
    for (auto op : function.front().getOps<ReduceOp>())
      if (op.getKind() == ReduceKind::Sum && typeOf(op.getResult()).getRank() == 0 && op.getResult().hasOneUse() &&
          isOfPartedGradients(op.getOperand()))
        sums[totalOf(op.getResult())].push_back(op);
    for (auto &[total, reduces] : sums) {
      SmallVector<Value> own, common;
      for (ReduceOp op : reduces)
        own.push_back(parts.sumOfPart(op));
      addTerms(total, reduces, common);
      Value behind = total.getDefiningOp<ReduceOp>() ? own.front() : total; // the sum of a part is behind that of the whole
      Value value = parts.sumOverRanks(behind, own, common);
      total.replaceAllUsesWith(value);
    }
  }

  /// Returns the sum of numbers to which a number is added.
  static Value totalOf(Value value) {
    while (value.hasOneUse() && isa<AddOp>(*value.user_begin()) && typeOf(value) == typeOf(value.user_begin()->getResult(0)))
      value = value.user_begin()->getResult(0);
    return value;
  }

  /// Finds the terms of a total but for those that `without` are.
  static void addTerms(Value total, ArrayRef<ReduceOp> without, SmallVectorImpl<Value> &terms) {
    auto add = total.getDefiningOp<AddOp>();
    bool isLeft = llvm::is_contained(without, total.getDefiningOp<ReduceOp>());
    if (add)
      for (Value operand : add->getOperands())
        addTerms(operand, without, terms);
    else if (!isLeft)
      terms.push_back(total);
  }

  static bool isInUpdatesOnly(Value whole) {
    return llvm::all_of(whole.getUsers(), [](Operation *user) { return isElementwise(user) || isa<func::ReturnOp>(user); });
  }

  func::FuncOp function;
  const llvm::MapVector<StringAttr, RankedTensorType> &divided;
  Parts parts;
  SmallVector<Value> wholes; // of the arguments that are divided
};

struct ShardState : lathe::impl::ShardStatePassBase<ShardState> {
  using ShardStatePassBase::ShardStatePassBase;

  void runOnOperation() final {
    ModuleOp module = getOperation();
    auto [name, size] = StringRef(axisOption).split('=');
    axis = name.str();
    if (axis.empty() || size.getAsInteger(10, ranks) || ranks < 1) {
      module.emitError("axis: '") << axisOption << "' is not an axis with its number of ranks; expected NAME=RANKS";
      return signalPassFailure();
    }
    for (auto function : module.getOps<func::FuncOp>())
      if (auto shared = function->getAttrOfType<ArrayAttr>(kShardAttr))
        updates.insert(cast<FlatSymbolRefAttr>(shared[1]).getAttr());
    llvm::MapVector<StringAttr, RankedTensorType> divided;
    int64_t before = 0, after = 0;
    for (auto variable : module.getOps<VariableOp>()) {
      auto type = cast<RankedTensorType>(variable.getType());
      int64_t width = std::max(1u, type.getElementTypeBitWidth() / 8), count = type.getNumElements();
      before += count * width;
      bool isLarge = type.getRank() > 0 && type.getNumElements() >= ranks && isFloatTensor(type);
      if (isLarge && (parameters || isSlot(variable)))
        divided.insert({variable.getSymNameAttr(), type});
      after += width * (divided.contains(variable.getSymNameAttr()) ? llvm::divideCeil(count, ranks) : count);
    }
    if (divided.empty()) {
      module.emitError(
          "--shard-state: no variable is updated element by element in one entry only; there is nothing to divide");
      return signalPassFailure();
    }
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        DividedFunction(function, divided, axis, ranks).run();
    for (auto variable : module.getOps<VariableOp>())
      if (RankedTensorType type = divided.lookup(variable.getSymNameAttr()))
        divide(variable, type);
    explain(divided.empty() ? module.getLoc() : module.lookupSymbol(divided.front().first)->getLoc(), "shard",
            "{} variables are divided among the {} ranks of '{}': each has {} bytes of state instead of {}", divided.size(),
            ranks, axis, after, before);
  }

private:
  /// True for a variable that only updates read: the slots of optimisers.
  bool isSlot(VariableOp variable) {
    unsigned readers = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool isPart = updates.contains(function.getSymNameAttr()); // of a step that reads the variable, too
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        auto state = function.getArgAttrOfType<FlatSymbolRefAttr>(i, kStateAttr);
        if (!state || state.getAttr() != variable.getSymNameAttr())
          continue;
        readers += !isPart;
        for (Operation *user : function.getArgument(i).getUsers())
          if (!isElementwise(user))
            return false;
      }
    }
    return readers == 1;
  }

  void divide(VariableOp variable, RankedTensorType type) {
    int64_t part = llvm::divideCeil(type.getNumElements(), ranks);
    if (!variable->hasAttr(kWholeAttr)) // else each rank already has a block of it
      variable->setAttr(kWholeAttr, TypeAttr::get(type));
    variable->setAttr(kFlatAxisAttr, StringAttr::get(variable.getContext(), axis));
    variable.setInitialAttr(ZerosAttr::get(variable.getContext())); // @init exists by now
    variable.setType(RankedTensorType::get({part}, type.getElementType()));
    ++variables;
  }

  std::string axis;
  int64_t ranks = 1;
  llvm::DenseSet<StringAttr> updates; // names of the updates of steps that several contexts share
};
} // namespace
