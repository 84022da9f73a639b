#include "passes/ConstantFold/ConstantFold.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/ConstantAttr.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Analysis/PairProducts.h"
#include "lib/Support/Explain.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/xxhash.h"

namespace lathe {
#define GEN_PASS_DEF_CONSTANTFOLDPASS
#include "passes/ConstantFold/ConstantFold.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

/// Limit on elements of operands and results for ops with more than a few steps for each element.
static constexpr int64_t kMostWork = 4096;
/// Values of at most this many bytes are folded whatever their operands are.
static constexpr int64_t kSmall = 256;

static int64_t elementsOf(TypeRange types) {
  int64_t sum = 0;
  for (Type type : types)
    sum += cast<RankedTensorType>(type).getNumElements();
  return sum;
}

static int64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * int64_t(sizeOf(*elementOf(tensor.getElementType())));
}

/// True if an op gives the same result wherever it runs, in time proportional to its operands and results. Products of bf16 in
/// pairs read bf16, whose widening is not worth more memory.
static bool isCheap(Operation *op) {
  if (!isPure(op) || isForPairProducts(op) || op->getNumRegions() || isReport(op) ||
      isa<ExternOp, CollectiveOpInterface, DimSizeOp>(op) || !isa<LatheDialect>(op->getDialect()))
    return false;
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && elementOf(tensor.getElementType());
  };
  if (!llvm::all_of(op->getOperandTypes(), isStatic) || !llvm::all_of(op->getResultTypes(), isStatic))
    return false;
  return op->hasTrait<MovesElementsTrait>() || op->hasTrait<ElementwiseTrait>() || isa<ReduceOp>(op) ||
         elementsOf(op->getOperandTypes()) + elementsOf(op->getResultTypes()) <= kMostWork;
}

namespace {

/// The values of a module's constants, with use counts. The memory of a large value is freed with its last use: otherwise
/// weights in another layout would exist twice.
class Resources {
public:
  explicit Resources(ModuleOp module) {
    module.walk([&](ConstantOp op) { ++users[op.getValue()]; });
    for (auto variable : module.getOps<VariableOp>())
      ++users[variable.getInitial()];
  }
  /// Returns a value as a constant, shared by all functions that use it.
  ElementsAttr make(Tensor value, Type element, StringRef name) {
    ArrayRef<char> bytes(value.getBytes());
    auto type = RankedTensorType::get(value.getShape(), element);
    uint64_t hash = llvm::xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
    ElementsAttr &known = made[{type, hash}];
    auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(known);
    if (!resource || resource.getRawHandle().getBlob()->getData() != bytes) // small ones are shared as attributes
      known = constantAttr(std::move(value), element, name);
    ++users[known];
    return known;
  }
  void drop(ElementsAttr value) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(value);
    if (--users[value] == 0 && resource && resource.getRawHandle().getBlob())
      *resource.getRawHandle().getBlob() = AsmResourceBlob();
  }

private:
  llvm::DenseMap<Attribute, int64_t> users;
  llvm::DenseMap<std::pair<Type, uint64_t>, ElementsAttr> made; // by the hash of their bytes
};

class Folder {
public:
  Folder(func::FuncOp function, Resources &resources) : function(function), resources(resources) {}

  /// Folds the function's constant ops. Returns their number.
  unsigned run() {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto isKnown = [&](Value operand) { return operand.getDefiningOp() && constant.contains(operand.getDefiningOp()); };
      if (isa<ConstantOp>(op) || (op->getNumOperands() && isCheap(op) && llvm::all_of(op->getOperands(), isKnown)))
        constant.insert(op), sources[op] = sourcesOf(op);
    });
    chooseRoots();
    for (Operation *root : llvm::reverse(roots)) // earlier ones first: later ones use them
      fold(root);
    return erased;
  }

private:
  /// Walks from the last op to the first. An op with a user that is not folded is a root. If it is too large it stays, and its
  /// operands become roots.
  void chooseRoots() {
    llvm::DenseSet<Operation *> stays;
    for (Operation *op : llvm::reverse(constant.getArrayRef())) {
      auto reads = [&](Operation *user) { return !constant.contains(user) || stays.contains(user); };
      if (isa<ConstantOp>(op) || !llvm::any_of(op->getUsers(), reads))
        continue;
      if (isWorth(op))
        roots.push_back(op);
      else
        stays.insert(op);
    }
  }

  /// True if the results of an op are not larger than the constants from which they are computed. Fusing a broadcast is cheaper
  /// than reading it.
  bool isWorth(Operation *op) {
    int64_t bytes = 0;
    for (Type type : op->getResultTypes())
      bytes += bytesOf(type);
    return !isa<BroadcastOp>(op) && bytes <= std::max(kSmall, sources.lookup(op));
  }

  /// Returns the bytes of the constants on which an op depends; a splat counts as none.
  int64_t sourcesOf(Operation *op) {
    if (auto constant = dyn_cast<ConstantOp>(op))
      return isa<SplatElementsAttr>(constant.getValue()) ? 0 : bytesOf(constant.getType());
    int64_t sum = 0;
    for (Value operand : op->getOperands())
      llvm::AddOverflow(sum, sources.lookup(operand.getDefiningOp()), sum);
    return sum;
  }

  /// Interprets the ops behind a root in a function of their own.
  void fold(Operation *root) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(root->getLoc());
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    auto alone =
        func::FuncOp::create(builder, root->getLoc(), "constants", builder.getFunctionType({}, root->getResultTypes()));
    builder.setInsertionPointToStart(alone.addEntryBlock());
    IRMapping copies;
    clone(root, builder, copies);
    func::ReturnOp::create(builder, root->getLoc(), copies.lookup(root)->getResults());
    FailureOr<std::vector<Tensor>> values = failure();
    {
      ScopedDiagnosticHandler quiet(root->getContext(), [](Diagnostic &) { return success(); });
      values = interpret(alone, {});
    }
    if (failed(values))
      return; // if it fails, the program reports the error at run time
    OpBuilder at(root);
    for (auto [result, value] : llvm::zip_equal(root->getResults(), *values)) {
      ElementsAttr elements =
          resources.make(std::move(value), cast<RankedTensorType>(result.getType()).getElementType(), nameOf(root));
      result.replaceAllUsesWith(ConstantOp::create(at, root->getLoc(), elements.getShapedType(), elements));
    }
    erase(root);
  }

  /// Erases an op without uses, and the ops that only it used.
  void erase(Operation *op) {
    SmallVector<Operation *> open{op};
    while (!open.empty()) {
      Operation *dead = open.pop_back_val();
      llvm::SmallSetVector<Operation *, 4> operands;
      for (Value operand : dead->getOperands())
        operands.insert(operand.getDefiningOp());
      if (auto constant = dyn_cast<ConstantOp>(dead))
        resources.drop(constant.getValue());
      else
        ++erased;
      dead->erase();
      llvm::append_range(open, llvm::make_filter_range(operands, [](Operation *each) { return each->use_empty(); }));
    }
  }

  void clone(Operation *op, OpBuilder &builder, IRMapping &copies) {
    SmallVector<Operation *> open{op};
    while (!open.empty()) {
      Operation *each = open.back();
      auto missing = [&](Value operand) { return !copies.contains(operand); };
      auto first = llvm::find_if(each->getOperands(), missing);
      if (copies.contains(each))
        open.pop_back();
      else if (first != each->operand_end())
        open.push_back((*first).getDefiningOp());
      else
        builder.clone(*each, copies);
    }
  }

  /// Returns the name of the value in the graph's text: that of the constant from which it is computed.
  std::string nameOf(Operation *op) {
    while (op->getNumOperands() && op->getOperand(0).getDefiningOp())
      op = op->getOperand(0).getDefiningOp();
    if (auto constant = dyn_cast<ConstantOp>(op))
      if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
        return resource.getRawHandle().getKey().str();
    return "constant";
  }

  func::FuncOp function;
  Resources &resources;
  unsigned erased = 0;
  llvm::SetVector<Operation *> constant; // the constants, and ops with constant operands only
  llvm::DenseMap<Operation *, int64_t> sources;
  SmallVector<Operation *> roots;
};

struct ConstantFold : lathe::impl::ConstantFoldPassBase<ConstantFold> {
  void runOnOperation() final {
    Resources resources(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      unsigned count = Folder(function, resources).run();
      folded += count;
      if (count)
        explain(function.getLoc(), "layout", "@{}: {} ops on constants are computed at compile time",
                function.getSymName().str(), count);
    }
  }
};
} // namespace
