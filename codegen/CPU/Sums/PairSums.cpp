// The code of a pairwise sum:
//
//   add(value, number):    digit = 0
//                          while bit `digit` of number is set: value = memory[digit++] + value
//                          memory[digit] = value
//   with(last, count):     for digit of count, from the lowest: if it is set: last = memory[digit] + last
#include "codegen/CPU/Sums/PairSums.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

PairSums::PairSums(CodeFrame &frame, Operation *function, TypeRange types, std::optional<int64_t> most)
    : frame(frame), eval(frame.eval), types(types) {
  OpBuilder &b = eval.b;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function->getRegion(0).front()); // an alloca in a loop would grow the stack with each step
  Value count = eval.i64(digitsOfCounter(most));
  for (Type type : types)
    memory.push_back(LLVM::AllocaOp::create(b, eval.loc, LLVM::LLVMPointerType::get(b.getContext()), type, count, 64));
}

/// Returns the addresses of a digit's sums.
PairSums::Values PairSums::digit(Value number) {
  Values addresses;
  for (auto [type, first] : llvm::zip_equal(types, memory))
    addresses.push_back(LLVM::GEPOp::create(eval.b, eval.loc, first.getType(), type, first, ArrayRef<LLVM::GEPArg>{number}));
  return addresses;
}

/// Loads a digit's sums.
PairSums::Values PairSums::valuesOf(Value number) {
  Values values;
  for (auto [type, from] : llvm::zip_equal(types, digit(number)))
    values.push_back(LLVM::LoadOp::create(eval.b, eval.loc, type, from));
  return values;
}

PairSums::Values PairSums::sum(const Values &first, const Values &second) {
  Values sums;
  for (auto [x, y] : llvm::zip_equal(first, second))
    sums.push_back(arith::AddFOp::create(eval.b, eval.loc, x, y));
  return sums;
}

/// Carries through the digits that are set, and sets the first one that is not.
void PairSums::add(const Values &values, Value number) {
  OpBuilder &b = eval.b;
  Location loc = eval.loc;
  Values start(values), passed(types.size() + 2);
  start.append({eval.i64(0), number});
  SmallVector<Type> all(ValueRange(start).getTypes());
  auto loop = scf::WhileOp::create(
      b, loc, all, start,
      [&](OpBuilder &, Location, ValueRange at) {
        Value bit = arith::AndIOp::create(b, loc, at.back(), eval.i64(1));
        Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, eval.i64(0));
        scf::ConditionOp::create(b, loc, isSet, at);
      },
      [&](OpBuilder &, Location, ValueRange at) {
        Value place = at[types.size()];
        Values next = sum(valuesOf(place), Values(at.take_front(types.size())));
        next.append({eval.add(place, eval.i64(1)), b.createOrFold<arith::ShRUIOp>(loc, at.back(), eval.i64(1))});
        scf::YieldOp::create(b, loc, next);
      });
  for (auto [value, to] : llvm::zip(loop.getResults(), digit(loop.getResult(types.size()))))
    LLVM::StoreOp::create(b, loc, value, to);
}

PairSums::Values PairSums::with(const Values &last, Value count) {
  OpBuilder &b = eval.b;
  Location loc = eval.loc;
  Values start(last);
  start.append({eval.i64(0), count});
  SmallVector<Type> all(ValueRange(start).getTypes());
  auto loop = scf::WhileOp::create(
      b, loc, all, start,
      [&](OpBuilder &, Location, ValueRange at) {
        Value isLeft = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, at.back(), eval.i64(0));
        scf::ConditionOp::create(b, loc, isLeft, at);
      },
      [&](OpBuilder &, Location, ValueRange at) {
        Value place = at[types.size()];
        Values right(at.take_front(types.size()));
        Value bit = arith::AndIOp::create(b, loc, at.back(), eval.i64(1));
        Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, eval.i64(0));
        Values next = frame.branch(isSet, TypeRange(types), [&] { return sum(valuesOf(place), right); }, [&] { return right; });
        next.append({eval.add(place, eval.i64(1)), b.createOrFold<arith::ShRUIOp>(loc, at.back(), eval.i64(1))});
        scf::YieldOp::create(b, loc, next);
      });
  return Values(loop.getResults().take_front(types.size()));
}
