#include "passes/Strips/MaskKernel.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/SkippedKeys.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace lathe;

bool MaskKernel::addOps(Value value, function_ref<bool(BlockArgument)> mayRead) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!llvm::is_contained(arguments, argument))
      arguments.push_back(argument);
    return mayRead(argument);
  }
  Operation *op = value.getDefiningOp();
  if (llvm::is_contained(ops, op))
    return true;
  if (!llvm::all_of(op->getOperands(), [&](Value operand) { return addOps(operand, mayRead); }))
    return false;
  ops.push_back(op);
  return true;
}

bool MaskKernel::set(SelectOp select, bool hides, function_ref<bool(BlockArgument)> mayRead) {
  scores = select;
  hidesFalse = hides;
  mask = select.getPredicate();
  while (auto broadcast = mask.getDefiningOp<BroadcastOp>()) {
    Dims from = dimsOf(broadcast.getOperand()), to = dimsOf(mask);
    if (from.empty() || from.back() != to.back() || broadcast.getDims().back() + 1 != int64_t(to.size()))
      return false;
    mask = broadcast.getOperand();
  }
  return !dimsOf(mask).empty() && addOps(mask, mayRead);
}

SmallVector<Value> MaskKernel::getInputs() const {
  auto kernel = SelectOp(scores)->getParentOfType<KernelOp>();
  SmallVector<Value> inputs;
  for (BlockArgument argument : arguments)
    inputs.push_back(kernel.getInputs()[argument.getArgNumber()]);
  return inputs;
}

Value MaskKernel::emitLast(OpBuilder &builder) const {
  Location location = SelectOp(scores)->getLoc();
  Dims dims = dimsOf(mask);
  int64_t keysDim = int64_t(dims.size()) - 1;
  OpBuilder::InsertionGuard guard(builder);
  Block *body = startKernel(builder, location, getInputs(), countsOf(builder, ArrayRef(dims).drop_back()));
  IRMapping map;
  for (auto [argument, own] : llvm::zip_equal(arguments, body->getArguments()))
    map.map(argument, own);
  for (Operation *op : ops)
    builder.clone(*op, map);
  YieldOp::create(builder, location, emitLastIndex(builder, location, map.lookup(mask), hidesFalse, keysDim, {keysDim}));
  return body->getParentOp()->getResult(0);
}

bool lathe::isMatrixInMemory(DotGeneralOp dot, unsigned operand, int64_t contracted) {
  Value matrix = dot->getOperand(operand);
  if (auto convert = matrix.getDefiningOp<ConvertOp>())
    matrix = convert.getOperand();
  ArrayRef<int64_t> contract = operand ? dot.getRhsContract() : dot.getLhsContract();
  ArrayRef<int64_t> batch = operand ? dot.getRhsBatch() : dot.getLhsBatch();
  int64_t rank = dimsOf(matrix).size();
  return isa<BlockArgument>(matrix) && rank == int64_t(batch.size()) + 2 && contract == ArrayRef<int64_t>{rank - contracted} &&
         llvm::equal(batch, llvm::seq<int64_t>(0, batch.size()));
}

// ---- Emitting

Value lathe::emitNumber(OpBuilder &builder, Location location, ArrayRef<Dim> dims, TypedAttr number) {
  Value scalar = emitScalar(builder, location, number);
  if (dims.empty())
    return scalar;
  return BroadcastOp::create(builder, location, scalar, ArrayRef<int64_t>(), shapeOf(builder.getContext(), Dims(dims)));
}

Value lathe::emitLastIndex(OpBuilder &builder, Location location, Value truths, bool wanted, int64_t dim,
                           ArrayRef<int64_t> over) {
  Dims dims = dimsOf(truths);
  Value index = IotaOp::create(builder, location, dim, shapeOf(builder.getContext(), dims), builder.getI32Type());
  Value number = AddOp::create(builder, location, index, emitNumber(builder, location, dims, builder.getI32IntegerAttr(1)));
  Value none = emitNumber(builder, location, dims, builder.getI32IntegerAttr(0));
  Value found = SelectOp::create(builder, location, truths, wanted ? number : none, wanted ? none : number);
  return ReduceOp::create(builder, location, ReduceKind::Max, found, over);
}

Block *lathe::startKernel(OpBuilder &builder, Location location, ValueRange inputs, Type result) {
  auto kernel = KernelOp::create(builder, location, result, inputs);
  Block *body = builder.createBlock(&kernel.getBody());
  for (Value input : inputs)
    body->addArgument(input.getType(), input.getLoc());
  return body;
}

RankedTensorType lathe::countsOf(OpBuilder &builder, ArrayRef<Dim> dims) { return tensorOf(Dims(dims), builder.getI32Type()); }

void lathe::setSkips(KernelOp kernel, StringRef role, Value count) {
  kernel.getInputsMutable().append(count);
  kernel.getBody().addArgument(count.getType(), count.getLoc());
  kernel->setAttr(kSkipsAttr, StringAttr::get(kernel.getContext(), role));
}
