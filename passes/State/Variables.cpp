#include "passes/State/Variables.h"
#include "dialects/Lathe/IR/Callees.h"
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

Accesses state::accessesOf(func::FuncOp function) {
  Accesses accesses;
  llvm::SetVector<func::FuncOp> functions;
  functions.insert(function);
  for (size_t i = 0; i < functions.size(); ++i) {
    func::FuncOp each = functions[i];
    each.walk([&](Operation *op) {
      if (auto read = dyn_cast<ReadOp>(op))
        accesses.read.insert(read.getVariableAttr().getAttr());
      if (auto write = dyn_cast<WriteOp>(op))
        accesses.written.insert(write.getVariableAttr().getAttr());
      op->getAttrDictionary().walk([&](FlatSymbolRefAttr name) { // a composite has its functions among its options
        if (auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name))
          functions.insert(callee);
      });
    });
  }
  return accesses;
}

LogicalResult state::checkRules(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    SmallVector<FlatSymbolRefAttr, 2> rule = ruleOf(function).functions();
    if (rule.empty())
      continue;
    SmallVector<func::FuncOp> functions = {function};
    for (FlatSymbolRefAttr name : rule)
      functions.push_back(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(function, name));
    for (func::FuncOp each : functions) {
      Operation *access = nullptr;
      walkReached(each, Reach::Calls, [&](Operation *op) {
        if (!access && isa<ReadOp, WriteOp, MinimizeOp>(op))
          access = op;
      });
      if (!access)
        continue;
      InFlightDiagnostic diagnostic = access->emitOpError("is in @")
                                      << each.getSymName() << ", which is part of the derivative rule of @"
                                      << function.getSymName()
                                      << "; a rule may only use its arguments, so pass the variable's value "
                                      << "as one";
      diagnostic.attachNote(function.getLoc()) << "@" << function.getSymName() << " is declared here";
      return diagnostic;
    }
  }
  return success();
}
