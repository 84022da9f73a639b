#include "codegen/Points/CodeFrame.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace lathe;

/// Returns the number of steps of a loop if it is 0 or 1; nullopt otherwise or if it is unknown. Loops on a GPU remain, since
/// code there is annotated.
static std::optional<unsigned> fewSteps(const VectorTarget &target, Value low, Value high, int64_t step) {
  if (target.hasApproximations)
    return std::nullopt;
  std::optional<int64_t> first = getConstantIntValue(low), end = getConstantIntValue(high);
  if (!first || !end || *end > *first + step)
    return std::nullopt;
  return *first < *end;
}

void CodeFrame::loop(Value low, Value high, int64_t step, function_ref<void(Value)> body) {
  if (std::optional<unsigned> steps = fewSteps(target, low, high, step)) { // a loop takes blocks, whose compilation takes time
    if (*steps)
      body(low);
    return;
  }
  auto made = scf::ForOp::create(b, loc, low, high, eval.i64(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  body(made.getInductionVar());
}

CodeFrame::Carry CodeFrame::loop(Value low, Value high, int64_t step, ValueRange init, Step body) {
  if (std::optional<unsigned> steps = fewSteps(target, low, high, step))
    return *steps ? body(low, init) : Carry(init);
  auto made = scf::ForOp::create(b, loc, low, high, eval.i64(step), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  Carry next = body(made.getInductionVar(), made.getRegionIterArgs());
  if (!init.empty()) // a loop without carried values already has its terminator
    scf::YieldOp::create(b, loc, next);
  return Carry(made.getResults());
}

void CodeFrame::when(Value condition, function_ref<void()> body) {
  auto guarded = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(guarded.thenBlock());
  body();
}

void CodeFrame::choose(Value condition, function_ref<void()> first, function_ref<void()> second) {
  auto choice = scf::IfOp::create(b, loc, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  first();
  b.setInsertionPointToStart(choice.elseBlock());
  second();
}

CodeFrame::Carry CodeFrame::branch(Value condition, TypeRange types, function_ref<Carry()> first,
                                   function_ref<Carry()> second) {
  auto choice = scf::IfOp::create(b, loc, types, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, loc, first());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, second());
  return Carry(choice.getResults());
}

Value CodeFrame::either(Value condition, Type type, function_ref<Value()> first, function_ref<Value()> second) {
  return branch(condition, type, [&] { return Carry{first()}; }, [&] { return Carry{second()}; })[0];
}

Value CodeFrame::isNot(Value condition) {
  return b.createOrFold<arith::XOrIOp>(loc, condition, arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
}

Value CodeFrame::divide(Value x, int64_t divisor) {
  return divisor == 1 ? x : b.createOrFold<arith::DivUIOp>(loc, x, eval.i64(divisor));
}

Value CodeFrame::remainder(Value x, int64_t divisor) {
  return divisor == 1 ? eval.i64(0) : b.createOrFold<arith::RemUIOp>(loc, x, eval.i64(divisor));
}

Value CodeFrame::divide(Value x, Value divisor) { return b.createOrFold<arith::DivUIOp>(loc, x, divisor); }
Value CodeFrame::remainder(Value x, Value divisor) { return b.createOrFold<arith::RemUIOp>(loc, x, divisor); }

Value CodeFrame::max(Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }

Value CodeFrame::stack(Type element, int64_t count) {
  return LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), element, eval.i64(count), 64);
}

Value CodeFrame::at(Value buffer, Type element, Value offset) {
  return LLVM::GEPOp::create(b, loc, buffer.getType(), element, buffer, ArrayRef<LLVM::GEPArg>{offset});
}

Value CodeFrame::at(Value buffer, Type element, int64_t offset) {
  if (offset == 0)
    return buffer;
  if (offset > std::numeric_limits<int32_t>::max())
    return at(buffer, element, eval.i64(offset));
  return LLVM::GEPOp::create(b, loc, buffer.getType(), element, buffer, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value CodeFrame::loadOne(Value from, Type element) {
  return LLVM::LoadOp::create(b, loc, element, from, element.getIntOrFloatBitWidth() / 8);
}

Value CodeFrame::loadLanes(Value from, Type element) {
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  Type type = eval.vectorOf(element);
  if (!eval.tail)
    return LLVM::LoadOp::create(b, loc, type, from, bytes);
  Value zeros = eval.splat(eval.constant(element, 0));
  return LLVM::MaskedLoadOp::create(b, loc, type, from, eval.tail, zeros, b.getI32IntegerAttr(bytes));
}

void CodeFrame::storeOne(Value value, Value to) {
  LLVM::StoreOp::create(b, loc, value, to, value.getType().getIntOrFloatBitWidth() / 8);
}

void CodeFrame::storeLanes(Value value, Value to) {
  unsigned bytes = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() / 8;
  if (eval.tail)
    LLVM::MaskedStoreOp::create(b, loc, value, to, eval.tail, b.getI32IntegerAttr(bytes));
  else
    LLVM::StoreOp::create(b, loc, value, to, bytes);
}

Value CodeFrame::multiplyAdd(Value x, Value y, Value total) {
  if (isa<IntegerType>(getElementTypeOrSelf(x.getType())))
    return arith::AddIOp::create(b, loc, total, arith::MulIOp::create(b, loc, x, y));
  if (target.hasFMA)
    return math::FmaOp::create(b, loc, x, y, total);
  return arith::AddFOp::create(b, loc, total, arith::MulFOp::create(b, loc, x, y));
}
