#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Frame.h"
#include "dialects/Lathe/Interpreter/Nest.h"
#include "dialects/Lathe/Interpreter/Ranks.h"

using namespace mlir;
using namespace lathe;

void Frame::define(Value value, Tensor tensor) {
  if (options.observe)
    options.observe(value, tensor, steps);
  unsigned uses = std::distance(value.use_begin(), value.use_end());
  if (uses)
    values[value] = std::make_unique<Entry>(Entry{std::move(tensor), uses});
}

void Frame::keep(Value value, Tensor tensor) {
  constexpr uint64_t kMoreThanAreMade = uint64_t(1) << 62;
  if (options.observe)
    options.observe(value, tensor, steps);
  values[value] = std::make_unique<Entry>(Entry{std::move(tensor), kMoreThanAreMade});
}

/// Ends one use of a value.
void Frame::release(Value value) {
  if (auto it = values.find(value); it != values.end() && --it->second->uses == 0)
    values.erase(it);
}

/// Returns the value of an operand; its last use moves it out.
Tensor Frame::take(OpOperand &use) {
  auto it = values.find(use.get());
  if (--it->second->uses)
    return it->second->tensor;
  Tensor tensor = std::move(it->second->tensor);
  values.erase(it);
  return tensor;
}

std::vector<Tensor> Frame::takeAll(MutableArrayRef<OpOperand> uses) {
  std::vector<Tensor> tensors;
  for (OpOperand &use : uses)
    tensors.push_back(take(use));
  return tensors;
}

FailureOr<std::vector<Tensor>> Frame::run(Block &block, std::vector<Tensor> arguments) {
  for (auto [argument, tensor] : llvm::zip_equal(block.getArguments().take_back(arguments.size()), arguments))
    define(argument, std::move(tensor));
  for (Operation &op : block.without_terminator())
    if (failed(step(op)))
      return failure();
  return takeAll(block.getTerminator()->getOpOperands());
}

LogicalResult Frame::shapeOf(Operation &op, Type type, SmallVectorImpl<int64_t> &shape) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return op.emitError("the interpreter does not know ") << type;
  for (auto [i, dim] : llvm::enumerate(dimsOf(tensor))) {
    std::optional<int64_t> extent = evaluate(dim, sizes);
    if (!extent)
      return op.emitError("dimension ") << i << " of the result, " << dim.str() << ", has no size here";
    shape.push_back(*extent);
  }
  if (!countElements(shape))
    return op.emitError("the result is too large: ") << type;
  return success();
}

/// Converts the halves of a call to f32, if its op computes on them. Returns the tensors to which the operands then point.
static std::vector<Tensor> widenHalves(Call &call) {
  std::vector<Tensor> widened;
  if (call.op->hasTrait<MovesElementsTrait>() || isa<ConstantOp, ConvertOp>(call.op))
    return widened;
  widened.reserve(call.operands.size());
  for (const Tensor *&operand : call.operands)
    if (isHalf(operand->getElement()))
      operand = &widened.emplace_back(convert(*operand, Element::F32));
  if (isHalf(call.element))
    call.element = Element::F32;
  return widened;
}

/// True if no result is read, so that compiled code does not have the op.
static bool isDead(Operation *op) {
  return isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         llvm::all_of(op->getUsers(), [](Operation *user) { return isDead(user); });
}

LogicalResult Frame::step(Operation &op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return stepCall(call);
  if (auto kernel = dyn_cast<KernelOp>(op))
    return stepKernel(kernel);
  if (auto strips = dyn_cast<StripsOp>(op))
    return stepStrips(strips);
  if (auto nest = dyn_cast<NestOp>(op))
    return stepNest(nest);
  if (auto function = dyn_cast<ExternOp>(op))
    return stepExtern(function);
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    return stepCollective(collective);
  if (auto wait = dyn_cast<CollectiveWaitOp>(op)) { // a collective is complete at once here
    release(wait.getOperand());
    define(wait.getResult(), take(wait->getOpOperand(0)));
    return success();
  }
  if (isControl(&op))
    return stepControl(op);
  if (isReport(&op))
    return stepReport(op);
  if (op.getNumResults() != 1)
    return op.emitError("the interpreter does not run ") << op.getName() << "; state and derivatives must be expanded first";
  auto resultType = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  std::optional<Element> element = resultType ? elementOf(resultType.getElementType()) : std::nullopt;
  if (!element)
    return op.emitError("the interpreter does not know ") << op.getResult(0).getType();
  auto isKnown = [&](Value operand) { return values.find(operand) != values.end(); };
  if (!llvm::all_of(op.getOperands(), isKnown))
    return success(); // of a dead op that has no result for these sizes
  Call call{&op, {}, *element, {}, sizes};
  for (Value operand : op.getOperands())
    call.operands.push_back(&values.find(operand)->second->tensor);
  std::vector<Tensor> widened = widenHalves(call);
  for (const Dim &dim : requiredExtents(&op))
    if (std::optional<int64_t> extent = evaluate(dim, sizes); extent && *extent < 0)
      return isDead(&op) ? success() : op.emitError("an extent, ") << dim.str() << ", is " << *extent;
  for (auto &[a, b] : sizesTakenForEqual(&op)) {
    std::optional<int64_t> first = evaluate(a, sizes), second = evaluate(b, sizes);
    if (first && second && *first != *second)
      return op.emitError("the sizes ") << a.str() << " = " << *first << " and " << b.str() << " = " << *second
                                        << " must be equal";
  }
  if (failed(shapeOf(op, op.getResult(0).getType(), call.shape)))
    return failure();
  for (auto family : {evaluateUnary, evaluateBinary, evaluateShape, evaluateReduction, evaluateContraction, evaluateIndexing,
                      evaluateWindow, evaluateScan, evaluateSort, evaluateLinearAlgebra}) {
    Result result = family(call);
    if (!result)
      continue;
    if (call.element != *element)
      result = convert(*result, *element);
    for (Value operand : op.getOperands())
      release(operand);
    define(op.getResult(0), std::move(*result));
    return success();
  }
  return op.emitError("the interpreter does not run ") << op.getName() << "; state and derivatives must be expanded first";
}

LogicalResult Frame::stepCall(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return call.emitError("@") << call.getCallee() << " has no body";
  FailureOr<std::vector<Tensor>> results = interpret(callee, takeAll(call->getOpOperands()), options);
  if (failed(results)) {
    emitRemark(call.getLoc()) << "while running this call of @" << call.getCallee();
    return failure();
  }
  for (auto [value, tensor] : llvm::zip_equal(call.getResults(), *results))
    define(value, std::move(tensor));
  return success();
}

LogicalResult Frame::stepKernel(KernelOp kernel) {
  Frame inner(sizes, options, steps);
  FailureOr<std::vector<Tensor>> results = inner.run(kernel.getBody().front(), takeAll(kernel->getOpOperands()));
  if (failed(results))
    return failure();
  for (auto [value, tensor] : llvm::zip_equal(kernel.getResults(), *results))
    define(value, std::move(tensor));
  return success();
}

LogicalResult Frame::stepNest(NestOp nest) {
  auto tensorOf = [&](Value value) -> const Tensor * {
    auto it = values.find(value);
    return it == values.end() ? nullptr : &it->second->tensor;
  };
  FailureOr<Tensor> result = evaluateNest(nest, {sizes, tensorOf});
  if (failed(result))
    return failure();
  // A captured value counts as a use. The scalars of the region do not belong to the frame.
  nest->walk([&](Operation *op) { llvm::for_each(op->getOperands(), [&](Value operand) { release(operand); }); });
  define(nest.getResult(), std::move(*result));
  return success();
}

LogicalResult Frame::stepExtern(ExternOp op) {
  std::vector<Tensor> results;
  for (Type type : op.getResultTypes()) {
    SmallVector<int64_t> shape;
    if (failed(shapeOf(*op, type, shape)))
      return failure();
    results.emplace_back(*elementOf(cast<RankedTensorType>(type).getElementType()), shape);
  }
  SmallVector<const Tensor *> operands;
  for (Value operand : op.getInputs())
    operands.push_back(&values.find(operand)->second->tensor);
  FailureOr<std::vector<Tensor>> written = evaluateExtern(op, operands, std::move(results));
  if (failed(written))
    return failure();
  for (Value operand : op.getInputs())
    release(operand);
  for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *written))
    define(value, std::move(tensor));
  return success();
}

LogicalResult Frame::stepCollective(CollectiveOpInterface op) {
  auto type = cast<RankedTensorType>(op->getResultTypes().front());
  Call call{op, {}, *elementOf(type.getElementType()), {}, sizes};
  if (failed(shapeOf(*op, type, call.shape)))
    return failure();
  std::optional<int64_t> size = evaluate(op.getAxisSize(), sizes);
  unsigned axis = 0, count = options.ranks ? options.ranks->getAxes().size() : 0;
  while (axis < count && options.ranks->getAxes()[axis].name != op.getAxis())
    ++axis;
  int64_t ranks = axis < count ? options.ranks->getAxes()[axis].size : 1,
          index = axis < count ? options.ranks->indexOn(axis) : 0;
  if (size != ranks)
    return op.emitError("axis '") << op.getAxis() << "' has " << ranks << " ranks here, expected " << op.getAxisSize().str();
  if (isa<AxisIndexOp>(op)) {
    define(op->getResult(0), Tensor::scalar<int64_t>(index));
    return success();
  }
  Tensor mine = take(op->getOpOperand(0));
  bool widens = isHalf(call.element) && !op->hasTrait<MovesElementsTrait>();
  std::vector<Tensor> values{widens ? convert(mine, Element::F32) : mine};
  if (axis < count) {
    FailureOr<std::vector<Tensor>> all = options.ranks->exchange(op, axis, values.front());
    if (failed(all))
      return failure();
    values = std::move(*all);
  }
  if (llvm::any_of(values, [&](const Tensor &value) { return value.getShape() != values.front().getShape(); }))
    return op.emitError("the values of the ranks have different shapes");
  if (auto broadcast = dyn_cast<CollectiveBroadcastOp>(*op); broadcast && int64_t(broadcast.getRoot()) >= ranks)
    return op.emitError("'from' is ") << broadcast.getRoot() << ", but axis '" << op.getAxis() << "' has " << ranks << " ranks";
  Tensor result = evaluateCollective(call, values, index);
  define(op->getResult(0), widens ? convert(result, call.element) : std::move(result));
  return success();
}

/// Adds the sizes of the job's axes, which are dimensions too.
static LogicalResult addAxes(func::FuncOp function, const Ranks *ranks, Sizes &sizes) {
  if (!ranks) {
    function.walk([&](CollectiveOpInterface op) {
      if (op.getAxisSize() == Dim::named(op.getAxis()))
        sizes.emplace(op.getAxis().str(), 1);
    });
    return success();
  }
  for (const RankAxis &axis : ranks->getAxes())
    if (auto [known, isNew] = sizes.emplace(axis.name, axis.size); !isNew && known->second != axis.size)
      return function.emitError("dimension ")
             << axis.name << " is " << known->second << " by the arguments, but the axis has " << axis.size << " ranks";
  return success();
}

FailureOr<std::vector<Tensor>> lathe::interpret(func::FuncOp function, ArrayRef<Tensor> arguments,
                                                const InterpretOptions &options) {
  if (function.isExternal())
    return function.emitError("@") << function.getSymName() << " has no body", failure();
  if (arguments.size() != function.getNumArguments())
    return function.emitError("@") << function.getSymName() << " takes " << function.getNumArguments() << " arguments, got "
                                   << arguments.size(),
           failure();
  SmallVector<ArrayRef<int64_t>> shapes;
  for (auto [i, tensor] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!type || elementOf(type.getElementType()) != tensor.getElement())
      return function.emitError("argument ")
                 << i << " has elements of " << nameOf(tensor.getElement()) << ", expected " << function.getArgumentTypes()[i],
             failure();
    shapes.push_back(tensor.getShape());
  }
  FailureOr<Sizes> sizes = bindDims(function, shapes, options.ranks ? options.ranks->getAxes() : ArrayRef<RankAxis>());
  if (failed(sizes) || failed(addAxes(function, options.ranks, *sizes)))
    return failure();
  return Frame(std::move(*sizes), options)
      .run(function.getBody().front(), std::vector<Tensor>(arguments.begin(), arguments.end()));
}
