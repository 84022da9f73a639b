#include "lib/Import/CheckInference.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/Text/Recovery.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "passes/ExpandStd/ExpandStd.h"
#include "passes/InferDims/InferDims.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lathe;

namespace {
/// Removes faulty ops from a module.
class Mender {
public:
  Mender(ModuleOp module, llvm::SetVector<Operation *> faulty) : module(module), faulty(std::move(faulty)) {}

  void run() {
    addUsers();
    for (size_t i = 0; i < faulty.size(); ++i) // grows
      if (Operation *op = faulty[i], *parent = op->getParentOp(); parent && !isa<func::FuncOp, ModuleOp>(parent))
        if (endsBlock(op) || op->hasTrait<OpTrait::IsTerminator>())
          faulty.insert(parent);
    SmallVector<Operation *> ops, functions; // without those inside another one
    for (Operation *op : faulty)
      if (!isInside(op))
        (isa<func::FuncOp>(op) ? functions : ops).push_back(op);
    for (Operation *op : ops)
      replace(op);
    for (auto function : module.getOps<func::FuncOp>())
      if (Block *last = function.isExternal() ? nullptr : &function.getBody().back();
          last && (last->empty() || !isa<func::ReturnOp>(last->back())))
        addReturn(function);
    for (Operation *function : functions)
      function->erase();
  }

private:
  /// Adds the ops that refer to faulty functions and variables, and to models, whose bodies are missing here.
  void addUsers() {
    llvm::StringSet<> symbols;
    for (Operation &op : *module.getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
      bool isExternal = function && function.isExternal();
      if (name && (faulty.contains(&op) || isExternal))
        symbols.insert(name.getValue());
      if (isExternal)
        faulty.insert(&op);
    }
    module.walk([&](Operation *op) {
      bool refers = false;
      op->getAttrDictionary().walk(
          [&](SymbolRefAttr symbol) { refers |= symbols.contains(symbol.getRootReference().getValue()); });
      if (refers)
        faulty.insert(op);
    });
  }

  bool isInside(Operation *op) const {
    for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp())
      if (faulty.contains(outer))
        return true;
    return false;
  }

  static bool endsBlock(Operation *op) { return op->getBlock() && op == &op->getBlock()->back(); }

  static void addReturn(func::FuncOp function) {
    OpBuilder builder = OpBuilder::atBlockEnd(&function.getBody().back());
    func::ReturnOp::create(builder, function.getLoc(), unread(builder, function.getLoc(), function.getResultTypes()));
  }

  static ResultRange unread(OpBuilder &builder, Location location, TypeRange types) {
    OperationState state(location, kUnreadOp);
    state.addTypes(types);
    return builder.create(state)->getResults();
  }

  static void replace(Operation *op) {
    OpBuilder builder(op);
    if (auto function = dyn_cast<func::FuncOp>(op->getParentOp()); function && isa<func::ReturnOp>(op) && endsBlock(op)) {
      op->setOperands(unread(builder, op->getLoc(), function.getResultTypes()));
      return;
    }
    if (op->getName().getStringRef() == kUnreadOp)
      return;
    if (op->getNumResults())
      op->replaceAllUsesWith(unread(builder, op->getLoc(), op->getResultTypes()));
    op->erase();
  }

  ModuleOp module;
  llvm::SetVector<Operation *> faulty;
};
} // namespace

void lathe::checkInference(ModuleOp module, const llvm::DenseSet<Operation *> &faulty) {
  if (faulty.contains(module))
    return;
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
  llvm::SetVector<Operation *> copies;
  module.walk([&](Operation *op) { // in order
    if (faulty.contains(op))
      copies.insert(mapping.lookup(op));
  });
  Mender(*copy, std::move(copies)).run();
  for (bool infers : {false, true}) { // inference continues where expansion stops
    PassManager pass(module.getContext());
    pass.enableVerifier(false);
    pass.addPass(infers ? createInferDimsPass() : createExpandStdPass(checkInferenceBehindStd));
    (void)pass.run(*copy);
  }
}

void lathe::checkInferenceBehindStd(ModuleOp module) {
  llvm::DenseSet<Operation *> faulty;
  module.walk([&](StdOp use) { faulty.insert(use); });
  checkInference(module, faulty);
}
