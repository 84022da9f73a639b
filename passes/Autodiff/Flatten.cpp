// Flattens a function into one body of plain ops: calls are inlined and broadcasts explicit.
#include "dialects/Lathe/IR/DerivativeRules.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "passes/Autodiff/Control/Control.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Broadcasts with NumPy's rules, which align shapes at the last dimension.
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
      function.emitError("'") << function.getSymName() << "' calls itself; recursion cannot be differentiated or batched";
      return failure();
    }
    if (!function.getBody().hasOneBlock()) {
      function.emitError("'") << function.getSymName() << "' must have a body of one block to be differentiated or batched";
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
  /// Clones a branch or loop with regions that are flattened for their arguments' types.
  struct ControlCloner {
    LogicalResult branch(IfOp op) {
      SmallVector<Value> consts = mapped(op.getConsts());
      Body taken, otherwise;
      if (failed(clone(op.getTaken(), consts, taken)) || failed(clone(op.getOtherwise(), consts, otherwise)))
        return failure();
      return replace(op, makeIf(at(op), map.lookup(op.getPredicate()), consts, taken, otherwise));
    }

    LogicalResult checkpoint(CheckpointOp op) {
      SmallVector<Value> consts = mapped(op.getConsts());
      Body body;
      if (failed(clone(op.getBody(), consts, body)))
        return failure();
      return replace(op, makeCheckpoint(at(op), consts, body));
    }

    LogicalResult loop(WhileOp op) {
      SmallVector<Value> operands = mapped(op.getOperands());
      Body condition, body;
      if (failed(clone(op.getCondition(), operands, condition)) || failed(clone(op.getBody(), operands, body)))
        return failure();
      size_t numConsts = op.getConsts().size();
      return replace(op, makeWhile(at(op), op, ValueRange(operands).take_front(numConsts),
                                   ValueRange(operands).drop_front(numConsts), condition, body));
    }

    LogicalResult scan(ScanOp op) {
      Operands operands{mapped(op.getConsts()), mapped(op.getCarry()), mapped(op.getXs())};
      SmallVector<Type> types;
      llvm::append_range(types, ValueRange(operands.consts).getTypes());
      llvm::append_range(types, ValueRange(operands.carry).getTypes());
      for (Value stack : operands.xs)
        types.push_back(sliceOf(typeOf(stack), 0));
      Body body;
      if (failed(flattener.cloneRegion(op.getBody(), types, body)))
        return failure();
      Dim trip = operands.xs.empty() ? op.getSteps() : dimsOf(operands.xs.front()).front();
      Value length = op.getLength() ? map.lookup(op.getLength()) : Value();
      ScanOp made = makeScan(at(op), trip, length, op.getReverse(), operands, body);
      made.setCheckpointAttr(op.getCheckpointAttr());
      return replace(op, made);
    }

    SmallVector<Value> mapped(ValueRange values) {
      return llvm::map_to_vector(values, [&](Value value) { return map.lookup(value); });
    }
    LogicalResult clone(Region &region, ArrayRef<Value> arguments, Body &body) {
      return flattener.cloneRegion(region, ValueRange(arguments).getTypes(), body);
    }
    Emit &at(Operation *op) {
      e.at(op->getLoc());
      return e;
    }
    LogicalResult replace(Operation *op, Operation *made) {
      map.map(op->getResults(), made->getResults());
      return success();
    }

    Flattener &flattener;
    IRMapping &map;
    Emit e;
  };

  LogicalResult cloneOp(Operation &op, IRMapping &map) {
    auto call = dyn_cast<func::CallOp>(op);
    auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()) : func::FuncOp();
    if (callee && !callee.isExternal() && !hasRule(callee)) {
      SmallVector<Value> arguments;
      for (Value operand : call.getOperands())
        arguments.push_back(map.lookup(operand));
      FailureOr<SmallVector<Value>> results = inlineFunction(callee, arguments);
      if (failed(results))
        return failure();
      map.map(call.getResults(), *results);
      return success();
    }
    if (isControl(&op)) {
      ControlCloner cloner{*this, map, Emit(builder)};
      return visitControl(cloner, &op);
    }
    Operation *made = builder.clone(op, map);
    bool refined = false;
    for (auto [before, after] : llvm::zip_equal(op.getOperands(), made->getOperands()))
      refined |= before.getType() != after.getType();
    if (refined) // a caller may know names of dimensions that the callee does not know
      (void)refineResults(made);
    if (made->hasTrait<ElementwiseTrait>())
      makeBroadcastsExplicit(made);
    return success();
  }

  LogicalResult cloneRegion(Region &region, TypeRange types, Body &body) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body.block);
    Piece piece = Piece::of(region);
    IRMapping map;
    for (auto [argument, type] : llvm::zip_equal(piece.arguments(), types))
      map.map(argument, body.block.addArgument(type, argument.getLoc()));
    for (Operation &op : piece.ops())
      if (failed(cloneOp(op, map)))
        return failure();
    for (Value value : piece.yields)
      body.yields.push_back(map.lookup(value));
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

FailureOr<SmallVector<Value>> autodiff::inlineAt(OpBuilder builder, func::FuncOp function, ValueRange arguments) {
  return Flattener(builder).inlineFunction(function, arguments);
}

static LogicalResult inlineInto(func::FuncOp function, Body &body) {
  OpBuilder builder = body.end(function.getContext());
  if (hasRule(function)) {
    auto call = func::CallOp::create(builder, function.getLoc(), function, body.block.getArguments());
    body.yields.assign(call.result_begin(), call.result_end());
    return success();
  }
  FailureOr<SmallVector<Value>> results = inlineAt(builder, function, body.block.getArguments());
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
