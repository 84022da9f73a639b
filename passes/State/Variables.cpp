#include "passes/State/Variables.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::state;

Variables::Variables(ModuleOp module) : module(module), list(module.getOps<VariableOp>()) {}

VariableOp Variables::find(StringAttr name) const {
  auto found = llvm::find_if(list, [&](VariableOp variable) { return variable.getSymNameAttr() == name; });
  return found == list.end() ? VariableOp() : *found;
}

VariableOp Variables::addZeros(StringRef name, RankedTensorType type, Location location) {
  OpBuilder builder(module.getContext());
  if (list.empty())
    builder.setInsertionPointToStart(module.getBody());
  else
    builder.setInsertionPointAfter(list.back());
  return list.emplace_back(VariableOp::create(builder, location, name, type, ZerosAttr::get(module.getContext())));
}

SmallVector<VariableOp> Variables::inOrder(const Names &names) const {
  return llvm::filter_to_vector(list, [&](VariableOp variable) { return names.contains(variable.getSymNameAttr()); });
}

func::FuncOp state::calleeOf(Operation *op) {
  FlatSymbolRefAttr name;
  if (isa<func::CallOp, JvpOp, VjpOp, ValueAndGradOp, VmapOp>(op))
    name = op->getAttrOfType<FlatSymbolRefAttr>("callee");
  else if (auto minimize = dyn_cast<MinimizeOp>(op))
    name = minimize.getLossAttr();
  return name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name) : func::FuncOp();
}

Names state::readBy(func::FuncOp function) {
  Names names;
  llvm::SetVector<func::FuncOp> functions;
  functions.insert(function);
  for (size_t i = 0; i < functions.size(); ++i)
    func::FuncOp(functions[i]).walk([&](Operation *op) {
      if (auto read = dyn_cast<ReadOp>(op))
        names.insert(read.getVariableAttr().getAttr());
      else if (func::FuncOp callee = calleeOf(op))
        functions.insert(callee);
    });
  return names;
}
