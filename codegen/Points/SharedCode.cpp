#include "codegen/Points/SharedCode.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace lathe;

/// Returns the function whose code the builder emits.
static LLVM::LLVMFuncOp functionAt(OpBuilder &b) {
  Operation *parent = b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<LLVM::LLVMFuncOp>(parent);
  return function ? function : parent->getParentOfType<LLVM::LLVMFuncOp>();
}

/// Creates a function in front of `caller`.
static LLVM::LLVMFuncOp create(OpBuilder &b, Location loc, StringRef symbol, LLVM::LLVMFuncOp caller, ArrayRef<Value> operands,
                               function_ref<SmallVector<Value>(ArrayRef<Value>)> body) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(caller);
  SmallVector<Type> arguments = llvm::map_to_vector(operands, [](Value value) { return value.getType(); });
  Type unknown = LLVM::LLVMVoidType::get(b.getContext());
  auto function =
      LLVM::LLVMFuncOp::create(b, loc, symbol, LLVM::LLVMFunctionType::get(unknown, arguments), LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  SmallVector<Value> results = body(SmallVector<Value>(entry->getArguments()));
  Type type = results[0].getType();
  Value result = results[0];
  if (results.size() > 1) {
    SmallVector<Type> types = llvm::map_to_vector(results, [](Value value) { return value.getType(); });
    type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    result = LLVM::PoisonOp::create(b, loc, type);
    for (auto [i, value] : llvm::enumerate(results))
      result = LLVM::InsertValueOp::create(b, loc, result, value, ArrayRef<int64_t>{int64_t(i)});
  }
  function.setFunctionType(LLVM::LLVMFunctionType::get(type, arguments));
  LLVM::ReturnOp::create(b, loc, result);
  return function;
}

SmallVector<Value> lathe::callShared(OpBuilder &b, Location loc, StringRef symbol, ArrayRef<Value> operands,
                                     function_ref<SmallVector<Value>(ArrayRef<Value>)> body) {
  LLVM::LLVMFuncOp caller = functionAt(b);
  auto function = caller->getParentOfType<ModuleOp>().lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!function)
    function = create(b, loc, symbol, caller, operands, body);
  Value result = LLVM::CallOp::create(b, loc, function, operands).getResult();
  auto whole = dyn_cast<LLVM::LLVMStructType>(result.getType());
  if (!whole)
    return {result};
  SmallVector<Value> results;
  for (int64_t i = 0, count = whole.getBody().size(); i < count; ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, loc, result, ArrayRef<int64_t>{i}));
  return results;
}
