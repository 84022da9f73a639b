// Branches and loops: each region runs in a frame of its own.
#include "dialects/Lathe/IR/Steps.h"
#include "dialects/Lathe/Interpreter/Frame.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include <cstring>

using namespace mlir;
using namespace lathe;

LogicalResult Frame::stepControl(Operation &op) {
  std::vector<Tensor> operands = takeAll(op.getOpOperands());
  FailureOr<std::vector<Tensor>> results;
  if (auto branch = dyn_cast<IfOp>(op))
    results = runIf(branch, operands.front(), {operands.begin() + 1, operands.end()});
  else if (auto scan = dyn_cast<ScanOp>(op))
    results = runScan(scan, std::move(operands));
  else if (auto loop = dyn_cast<WhileOp>(op))
    results = runWhile(loop, std::move(operands));
  else
    results = Frame(sizes, options, steps).run(cast<CheckpointOp>(op).getBody().front(), std::move(operands));
  if (failed(results))
    return failure();
  for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
    define(value, std::move(tensor));
  return success();
}

FailureOr<std::vector<Tensor>> Frame::runIf(IfOp op, Tensor predicate, std::vector<Tensor> consts) {
  Region &region = *predicate.data<bool>() ? op.getTaken() : op.getOtherwise();
  return Frame(sizes, options, steps).run(region.front(), std::move(consts));
}

/// Moves `count` tensors out, beginning at `from`.
static std::vector<Tensor> group(std::vector<Tensor> &tensors, size_t from, size_t count) {
  return {std::make_move_iterator(tensors.begin() + from), std::make_move_iterator(tensors.begin() + from + count)};
}

SmallVector<int64_t> Frame::inLoop() const {
  SmallVector<int64_t> inner(steps);
  inner.push_back(0);
  return inner;
}

static void keepAll(Frame &frame, Block &block, const std::vector<Tensor> &consts) {
  for (auto [i, tensor] : llvm::enumerate(consts))
    frame.keep(block.getArgument(i), tensor);
}

static Tensor sliceAt(const Tensor &stack, int64_t place) {
  Tensor slice(stack.getElement(), stack.getShape().drop_front());
  size_t bytes = slice.getBytes().size();
  if (bytes)
    std::memcpy(slice.data<char>(), stack.data<char>() + place * bytes, bytes);
  return slice;
}

static void storeAt(Tensor &stack, int64_t place, const Tensor &slice) {
  size_t bytes = slice.getBytes().size();
  if (bytes)
    std::memcpy(stack.data<char>() + place * bytes, slice.data<char>(), bytes);
}

FailureOr<std::vector<Tensor>> Frame::runScan(ScanOp op, std::vector<Tensor> operands) {
  if (op.getDim())
    return op.emitError("the interpreter runs scans along dimension 0; the import stage rewrites the others"), failure();
  std::optional<int64_t> trip = evaluate(op.getSteps(), sizes);
  if (!trip || *trip < 0)
    return op.emitError("the number of steps, ") << op.getSteps().str() << ", has no size here", failure();
  int64_t steps = *trip;
  size_t at = op.getLength() ? 1 : 0, carries = op.getCarry().size();
  if (op.getLength())
    steps = std::clamp<int64_t>(indexAt(operands.front(), 0), 0, *trip);
  std::vector<Tensor> consts = group(operands, at, op.getConsts().size());
  std::vector<Tensor> carry = group(operands, at += consts.size(), carries), stacks;
  std::vector<Tensor> xs = group(operands, at += carries, op.getXs().size());
  for (Type type : op.getStacks().getTypes()) {
    SmallVector<int64_t> shape;
    if (failed(shapeOf(*op, type, shape)))
      return failure();
    stacks.emplace_back(*elementOf(cast<RankedTensorType>(type).getElementType()), shape);
  }
  Frame body(sizes, options, inLoop());
  keepAll(body, op.getBody().front(), consts);
  for (int64_t i = 0; i < steps; ++i) {
    int64_t place = op.getReverse() ? steps - 1 - i : i;
    for (const Tensor &x : xs)
      carry.push_back(sliceAt(x, place));
    body.setStep(place);
    FailureOr<std::vector<Tensor>> next = body.run(op.getBody().front(), std::move(carry));
    if (failed(next))
      return failure();
    carry = group(*next, 0, carries);
    for (auto [j, stack] : llvm::enumerate(stacks))
      storeAt(stack, place, (*next)[carries + j]);
  }
  llvm::move(stacks, std::back_inserter(carry));
  return carry;
}

FailureOr<std::vector<Tensor>> Frame::runWhile(WhileOp op, std::vector<Tensor> operands) {
  std::vector<Tensor> consts = group(operands, 0, op.getConsts().size());
  std::vector<Tensor> carry = group(operands, consts.size(), op.getCarry().size());
  Frame condition(sizes, options, inLoop()), body(sizes, options, inLoop());
  keepAll(condition, op.getCondition().front(), consts);
  keepAll(body, op.getBody().front(), consts);
  for (uint64_t done = 0;; ++done) {
    condition.setStep(done);
    body.setStep(done);
    FailureOr<std::vector<Tensor>> go = condition.run(op.getCondition().front(), carry);
    if (failed(go))
      return failure();
    if (!*go->front().data<bool>())
      return carry;
    if (op.getBound() && done == *op.getBound())
      return op.emitError("lathe.while exceeds its bound of ") << declaredBound(op) << " steps", failure();
    FailureOr<std::vector<Tensor>> next = body.run(op.getBody().front(), std::move(carry));
    if (failed(next))
      return failure();
    carry = std::move(*next);
  }
}
