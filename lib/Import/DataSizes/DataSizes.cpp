// The pass, and what it knows of sizes.
#include "lib/Import/DataSizes/DataSizes.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Import/Import.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::datasizes;

// ---- Sizes

SmallVector<std::string> Sizes::namesIn(const Dim &dim) const {
  SmallVector<std::string> names;
  dim.collectNames(names);
  llvm::erase_if(names, [&](const std::string &name) { return !all.count(name); });
  return names;
}

bool Sizes::isIn(const Dim &dim) const { return !namesIn(dim).empty(); }

bool Sizes::isIn(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding() && llvm::any_of(dimsOf(tensor), [&](const Dim &dim) { return isIn(dim); });
}

SmallVector<int64_t> Sizes::countedDims(Value value) const {
  SmallVector<int64_t> counted;
  for (auto [i, dim] : llvm::enumerate(dimsOf(value)))
    if (isIn(dim))
      counted.push_back(i);
  return counted;
}

LogicalResult Sizes::checkName(SetDimSizeOp op, const std::map<std::string, Location> &arguments) {
  std::string name = op.getName().str();
  auto refuse = [&](Location other, StringRef what) -> LogicalResult {
    InFlightDiagnostic diagnostic = op.emitError() << "the name '" << name << "' is that of another dimension; give it its own";
    diagnostic.attachNote(other) << what;
    return diagnostic;
  };
  if (auto argument = arguments.find(name); argument != arguments.end())
    return refuse(argument->second, "an argument has it");
  if (auto other = all.find(name); other != all.end())
    return refuse(other->second.getLoc(), "this one has it; a function that is called twice names it twice");
  return success();
}

LogicalResult Sizes::collect(func::FuncOp function) {
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
    // A name may bound another one's tensor: what is in the map already is bounded by arguments' dimensions alone.
    bounds[op.getName().str()] = dimsOf(op.getOperand())[op.getDim()].substitute(bounds);
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult Sizes::checkPlace(Operation *op) {
  SmallVector<std::string> names;
  auto collect = [&](TypeRange types) {
    for (Type type : types)
      if (isIn(type))
        for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
          llvm::append_range(names, namesIn(dim));
  };
  collect(op->getOperandTypes());
  collect(op->getResultTypes());
  for (const std::string &name : names) {
    Value size = all.at(name);
    if (size.getParentRegion()->isAncestor(op->getParentRegion()))
      continue;
    if (!told.insert(name).second)
      return failure();
    InFlightDiagnostic diagnostic = op->emitError() << "the size of dimension '" << name << "' is not known here";
    diagnostic.attachNote(size.getLoc()) << "it is in the branch, loop or function in which it is made";
    return diagnostic;
  }
  return success();
}

/// The size of a dimension that an argument of the function around has.
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

Value Sizes::sizeOfName(StringRef name, OpBuilder &builder, Location location) const {
  auto size = all.find(name.str());
  if (size != all.end())
    return bringInto(builder.getInsertionBlock(), size->second);
  if (derivedDim(name))
    return {};
  return sizeOfArgument(name, builder, location);
}

Value Sizes::sizeOf(const Dim &dim, OpBuilder &builder, Location location) const {
  auto number = [&](int64_t value) -> Value {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    return ConstantOp::create(builder, location, cast<ElementsAttr>(DenseElementsAttr::get(type, value)));
  };
  Value sum;
  for (const auto &[names, coefficient] : dim.getTerms()) {
    Value term;
    for (const std::string &name : names) {
      Value factor = sizeOfName(name, builder, location);
      if (!factor)
        return emitError(location) << "the size " << dim.str() << " is not supported: it depends on data", Value();
      term = term ? MulOp::create(builder, location, term, factor).getResult() : factor;
    }
    if (!term || coefficient != 1)
      term = term ? MulOp::create(builder, location, term, number(coefficient)).getResult() : number(coefficient);
    sum = sum ? AddOp::create(builder, location, sum, term).getResult() : term;
  }
  // Of fewer elements than are cut away there are none.
  bool isOne = dim.getTerms().size() == 1;
  return isOne ? sum : MaxOp::create(builder, location, sum, number(0)).getResult();
}

// ---- The pass

/// Makes the size of each one that its tensor can have.
static void clampSize(SetDimSizeOp op) {
  OpBuilder builder(op);
  auto scalar = cast<RankedTensorType>(op.getSize().getType());
  Value zero = ConstantOp::create(builder, op.getLoc(), cast<ElementsAttr>(DenseElementsAttr::get(scalar, int64_t(0))));
  Value most = DimSizeOp::create(builder, op.getLoc(), op.getOperand(), op.getDim());
  op.getSizeMutable().assign(ClampOp::create(builder, op.getLoc(), zero, op.getSize(), most));
}

namespace {
struct BoundDataSizes : PassWrapper<BoundDataSizes, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BoundDataSizes)
  BoundDataSizes() = default;
  BoundDataSizes(const BoundDataSizes &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "lathe-bound-data-sizes"; }
  StringRef getDescription() const final {
    return "Stores dimensions that lathe.set_dim_size names with the sizes of its operands, keeps what lies behind out of "
           "results, and returns how much of them counts. Requires inferred dimensions.";
  }

  void runOnOperation() final {
    bool good = true;
    for (auto function : getOperation().getOps<func::FuncOp>())
      good &= function.isExternal() || succeeded(run(function));
    if (!good)
      signalPassFailure();
  }

private:
  Statistic bounded{this, "bounded", "sizes that data decides"};

  LogicalResult run(func::FuncOp function) {
    SmallVector<SetDimSizeOp> named;
    function.walk<WalkOrder::PreOrder>([&](SetDimSizeOp op) {
      clampSize(op);
      named.push_back(op);
    });
    if (named.empty())
      return success();
    Sizes sizes;
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

  /// Every op that is wrong is told.
  LogicalResult guardAll(func::FuncOp function, Sizes &sizes) {
    SmallVector<Operation *> touched;
    function.walk([&](Operation *op) {
      auto isTouched = [&](Type type) { return sizes.isIn(type); };
      if (!isa<SetDimSizeOp>(op) &&
          (llvm::any_of(op->getOperandTypes(), isTouched) || llvm::any_of(op->getResultTypes(), isTouched)))
        touched.push_back(op);
    });
    bool good = true;
    for (Operation *op : touched)
      good &= succeeded(sizes.checkPlace(op)) && succeeded(guard(op, sizes));
    return success(good);
  }
};
} // namespace

std::unique_ptr<Pass> lathe::createBoundDataSizesPass() { return std::make_unique<BoundDataSizes>(); }
