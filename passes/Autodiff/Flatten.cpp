// A function as one body of plain ops: calls inlined, broadcasts explicit.
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "passes/Autodiff/Body.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// NumPy's rules align shapes at the last dimension.
static Value broadcastTo(OpBuilder &builder, Location location, Value value, const Dims &shape) {
  Dims from = dimsOf(value);
  if (from == shape)
    return value;
  SmallVector<int64_t> dims;
  for (size_t i = 0; i < from.size(); ++i)
    dims.push_back(shape.size() - from.size() + i);
  return BroadcastOp::create(builder, location, value, dims, shapeOf(builder.getContext(), shape));
}

LogicalResult autodiff::refineResults(Operation *op) {
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> types;
  if (!inferable ||
      failed(inferable.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getAttrDictionary(),
                                        op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return success();
}

namespace {
class Flattener {
public:
  explicit Flattener(OpBuilder builder) : builder(builder) {}

  FailureOr<SmallVector<Value>> inlineFunction(func::FuncOp function, ValueRange arguments) {
    if (llvm::is_contained(stack, function)) {
      function.emitError("'") << function.getSymName() << "' calls itself; a derivative or a batch needs calls that end";
      return failure();
    }
    if (!function.getBody().hasOneBlock()) {
      function.emitError("'") << function.getSymName()
                              << "' needs a body of one block for a derivative or a batch to go through it";
      return failure();
    }
    stack.push_back(function);
    IRMapping map;
    map.map(function.getArguments(), arguments);
    SmallVector<Value> results;
    for (Operation &op : function.front()) {
      if (auto end = dyn_cast<func::ReturnOp>(op))
        for (Value value : end.getOperands())
          results.push_back(map.lookup(value));
      else if (failed(cloneOp(op, map)))
        return failure();
    }
    stack.pop_back();
    return results;
  }

private:
  LogicalResult cloneOp(Operation &op, IRMapping &map) {
    auto call = dyn_cast<func::CallOp>(op);
    auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()) : func::FuncOp();
    if (callee && !callee.isExternal()) {
      SmallVector<Value> arguments;
      for (Value operand : call.getOperands())
        arguments.push_back(map.lookup(operand));
      FailureOr<SmallVector<Value>> results = inlineFunction(callee, arguments);
      if (failed(results))
        return failure();
      map.map(call.getResults(), *results);
      return success();
    }
    Operation *made = builder.clone(op, map);
    bool refined = false;
    for (auto [before, after] : llvm::zip_equal(op.getOperands(), made->getOperands()))
      refined |= before.getType() != after.getType();
    if (refined) // because a caller may know names of dimensions that the callee does not
      (void)refineResults(made);
    if (made->hasTrait<ElementwiseTrait>())
      makeBroadcastsExplicit(made);
    return success();
  }

  void makeBroadcastsExplicit(Operation *op) {
    Dims shape = dimsOf(op->getResult(0));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      operand.set(broadcastTo(builder, op->getLoc(), operand.get(), shape));
  }

  OpBuilder builder;
  SmallVector<func::FuncOp> stack;
};
} // namespace

static LogicalResult inlineInto(func::FuncOp function, Body &body) {
  FailureOr<SmallVector<Value>> results =
      Flattener(body.end(function.getContext())).inlineFunction(function, body.block.getArguments());
  if (succeeded(results))
    body.yields = *results;
  return results;
}

LogicalResult autodiff::flatten(func::FuncOp function, ValueRange inputs, Body &body) {
  for (Value input : inputs)
    body.add(input);
  return inlineInto(function, body);
}

LogicalResult autodiff::flatten(func::FuncOp function, ArrayRef<Type> inputs, Body &body) {
  for (Type type : inputs)
    body.block.addArgument(type, function.getLoc());
  return inlineInto(function, body);
}
