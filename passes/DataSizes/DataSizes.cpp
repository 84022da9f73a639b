// The pass, and the analysis of sizes.
#include "passes/DataSizes/DataSizes.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "passes/DataSizes/DecidedSizes.h"

namespace lathe {
#define GEN_PASS_DEF_BOUNDDATASIZESPASS
#include "passes/DataSizes/DataSizes.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::datasizes;

// ---- Sizes

SmallVector<std::string> DecidedSizes::namesIn(const Dim &dim) const {
  SmallVector<std::string> names;
  dim.collectNames(names);
  llvm::erase_if(names, [&](const std::string &name) { return !all.count(name); });
  return names;
}

bool DecidedSizes::isIn(const Dim &dim) const { return !namesIn(dim).empty(); }

/// Returns the dimensions in an op's types and in shapes among its attributes.
static Dims dimsIn(Operation *op) {
  Dims all;
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getEncoding())
        all.append(dimsOf(tensor));
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (auto shape = dyn_cast<ShapeAttr>(attribute.getValue()))
      all.append(dimsOf(shape));
  return all;
}

bool DecidedSizes::isIn(Operation *op) const {
  return llvm::any_of(dimsIn(op), [&](const Dim &dim) { return isIn(dim); });
}

SmallVector<int64_t> DecidedSizes::countedDims(Value value) const {
  SmallVector<int64_t> counted;
  for (auto [i, dim] : llvm::enumerate(dimsOf(value)))
    if (isIn(dim))
      counted.push_back(i);
  return counted;
}

/// True if a formula is largest where the data-decided sizes are largest.
bool DecidedSizes::rises(const DerivedDim &formula) const {
  ArrayRef<Dim> operands = formula.operands;
  if (formula.hasSizeAsDivisor() && isIn(operands.back()))
    return false;
  return llvm::all_of(operands, [&](const Dim &operand) { return rises(operand); });
}

bool DecidedSizes::rises(const Dim &dim) const {
  for (const auto &[names, coefficient] : dim.getTerms()) {
    if (llvm::none_of(names, [&](const std::string &name) { return isIn(Dim::named(name)); }))
      continue;
    std::optional<DerivedDim> only = names.size() == 1 ? derivedDim(names.front()) : std::nullopt;
    if (coefficient == -1 && only && only->kind == DerivedDim::Max) { // x - max(y, z) is the smaller one of x - y and x - z
      Dim rest = dim + Dim::named(names.front());
      return rises(rest - only->operands[0]) && rises(rest - only->operands[1]);
    }
    if (coefficient < 0)
      return false;
    for (const std::string &name : names)
      if (std::optional<DerivedDim> formula = derivedDim(name); formula && !rises(*formula))
        return false;
  }
  return true;
}

LogicalResult DecidedSizes::checkName(SetDimSizeOp op, const std::map<std::string, Location> &arguments) {
  std::string name = op.getName().str();
  auto refuse = [&](Location other, StringRef what) -> LogicalResult {
    InFlightDiagnostic diagnostic = op.emitError()
                                    << "the name '" << name << "' already names another dimension; use a unique name";
    diagnostic.attachNote(other) << what;
    return diagnostic;
  };
  if (auto argument = arguments.find(name); argument != arguments.end())
    return refuse(argument->second, "an argument uses the name here");
  if (auto other = all.find(name); other != all.end())
    return refuse(other->second.getLoc(), "the name is also used here; a function that is called twice defines it twice");
  return success();
}

LogicalResult DecidedSizes::collect(func::FuncOp function) {
  std::map<std::string, Location> arguments;
  for (BlockArgument argument : function.getArguments()) {
    SmallVector<std::string> names;
    for (const Dim &dim : dimsOf(argument))
      dim.collectNames(names);
    for (const std::string &name : names)
      arguments.try_emplace(name, argument.getLoc());
  }
  auto walk = function.walk<WalkOrder::PreOrder>([&](SetDimSizeOp op) {
    if (failed(checkName(op, arguments)))
      return WalkResult::interrupt();
    all[op.getName().str()] = op.getSize();
    // A name may bound another one's tensor: bounds in the map contain only arguments' dimensions.
    bounds[op.getName().str()] = dimsOf(op.getOperand())[op.getDim()].substitute(bounds);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult DecidedSizes::checkPlace(Operation *op) {
  SmallVector<std::string> names;
  for (const Dim &dim : dimsIn(op))
    llvm::append_range(names, namesIn(dim));
  for (const std::string &name : names) {
    Value size = all.at(name);
    if (size.getParentRegion()->isAncestor(op->getParentRegion()))
      continue;
    if (!told.insert(name).second)
      return failure();
    InFlightDiagnostic diagnostic = op->emitError() << "the size of dimension '" << name << "' is not known here";
    diagnostic.attachNote(size.getLoc()) << "it is known only in the branch, loop or function that defines it";
    return diagnostic;
  }
  return success();
}

/// Returns the size of a dimension that an argument of the enclosing function has.
static Value sizeOfArgument(StringRef name, OpBuilder &builder, Location location) {
  auto function = builder.getInsertionBlock()->getParentOp()->getParentOfType<func::FuncOp>();
  if (!function)
    function = dyn_cast<func::FuncOp>(builder.getInsertionBlock()->getParentOp());
  for (BlockArgument argument : function.getArguments())
    for (auto [i, dim] : llvm::enumerate(dimsOf(argument)))
      if (dim == Dim::named(name))
        return DimSizeOp::create(builder, location, bringInto(builder.getInsertionBlock(), argument), i);
  return {};
}

static Value numberOf(int64_t value, OpBuilder &builder, Location location) {
  return emitScalar(builder, location, builder.getI64IntegerAttr(value));
}

/// Returns a formula's value, which may be negative; null if no op computes it.
Value DecidedSizes::valueOfFormula(const DerivedDim &formula, OpBuilder &builder, Location location) const {
  SmallVector<Value> operands;
  for (const Dim &operand : formula.operands) {
    operands.push_back(valueOf(operand, builder, location));
    if (!operands.back())
      return {};
  }
  if (formula.kind == DerivedDim::CeilSqrt)
    return {};
  if (DerivedDim::isQuotient(formula.kind) && !formula.hasSizeAsDivisor())
    operands.push_back(numberOf(formula.divisor, builder, location));
  if (formula.kind == DerivedDim::CeilDiv) {
    Value last = SubOp::create(builder, location, operands[1], numberOf(1, builder, location));
    operands[0] = AddOp::create(builder, location, operands[0], last);
  }
  if (DerivedDim::isQuotient(formula.kind))
    return FloorDivOp::create(builder, location, operands[0], operands[1]);
  if (formula.kind == DerivedDim::Broadcast) {
    Value isOne = CompareOp::create(builder, location, CompareKind::EQ, operands[0], numberOf(1, builder, location));
    return SelectOp::create(builder, location, isOne, operands[1], operands[0]);
  }
  if (formula.kind == DerivedDim::Max)
    return MaxOp::create(builder, location, operands[0], operands[1]);
  return MinOp::create(builder, location, operands[0], operands[1]);
}

Value DecidedSizes::valueOfName(StringRef name, OpBuilder &builder, Location location) const {
  auto size = all.find(name.str());
  if (size != all.end())
    return bringInto(builder.getInsertionBlock(), size->second);
  if (std::optional<DerivedDim> formula = derivedDim(name))
    return valueOfFormula(*formula, builder, location);
  return sizeOfArgument(name, builder, location);
}

/// Returns the value of a sum of products, which may be negative; null if a factor has no value.
Value DecidedSizes::valueOf(const Dim &dim, OpBuilder &builder, Location location) const {
  Value sum;
  for (const auto &[names, coefficient] : dim.getTerms()) {
    Value term;
    for (const std::string &name : names) {
      Value factor = valueOfName(name, builder, location);
      if (!factor)
        return {};
      term = term ? MulOp::create(builder, location, term, factor).getResult() : factor;
    }
    if (!term || coefficient != 1) {
      Value number = numberOf(coefficient, builder, location);
      term = term ? MulOp::create(builder, location, term, number).getResult() : number;
    }
    sum = sum ? AddOp::create(builder, location, sum, term).getResult() : term;
  }
  return sum ? sum : numberOf(0, builder, location);
}

Value DecidedSizes::placeOf(const Dim &dim, OpBuilder &builder, Location location) const {
  Value value = valueOf(dim, builder, location);
  if (!value)
    emitError(location) << "the size " << dim.str() << " depends on data, which is not supported";
  return value;
}

Value DecidedSizes::sizeOf(const Dim &dim, OpBuilder &builder, Location location) const {
  Value value = placeOf(dim, builder, location);
  // A negative size counts as 0: more elements are cut away than exist.
  bool isOne = dim.getTerms().size() == 1;
  return !value || isOne ? value : MaxOp::create(builder, location, value, numberOf(0, builder, location)).getResult();
}

// ---- The pass

/// Clamps the size to the range of its tensor's dimension.
static void clampSize(SetDimSizeOp op) {
  OpBuilder builder(op);
  Value zero = numberOf(0, builder, op.getLoc());
  Value most = DimSizeOp::create(builder, op.getLoc(), op.getOperand(), op.getDim());
  op.getSizeMutable().assign(ClampOp::create(builder, op.getLoc(), zero, op.getSize(), most));
}

namespace {
struct BoundDataSizes : lathe::impl::BoundDataSizesPassBase<BoundDataSizes> {
  void runOnOperation() final {
    bool good = true;
    for (auto function : getOperation().getOps<func::FuncOp>())
      good &= function.isExternal() || succeeded(run(function));
    if (!good)
      signalPassFailure();
  }

private:
  LogicalResult run(func::FuncOp function) {
    SmallVector<SetDimSizeOp> named;
    function.walk<WalkOrder::PreOrder>([&](SetDimSizeOp op) {
      clampSize(op);
      named.push_back(op);
    });
    if (named.empty())
      return success();
    DecidedSizes sizes;
    if (failed(sizes.collect(function)) || failed(guardAll(function, sizes)) || failed(addCounts(function, sizes)))
      return failure();
    substituteDims(function, sizes.getBounds());
    for (SetDimSizeOp op : named) {
      op.replaceAllUsesWith(op.getOperand());
      op.erase();
    }
    bounded += named.size();
    return success();
  }

  /// Guards all ops and reports every wrong one.
  LogicalResult guardAll(func::FuncOp function, DecidedSizes &sizes) {
    SmallVector<Operation *> touched;
    function.walk([&](Operation *op) {
      if (!isa<SetDimSizeOp>(op) && sizes.isIn(op))
        touched.push_back(op);
    });
    bool good = true;
    for (Operation *op : touched)
      good &= succeeded(sizes.checkPlace(op)) && succeeded(guard(op, sizes));
    return success(good);
  }
};
} // namespace
