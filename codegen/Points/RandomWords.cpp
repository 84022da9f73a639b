// A kernel that draws random words calls this function, once for a vector of them:
//
//   (first, second) = threefry(key's low word, its high word, counter, stream)
//
// Inlined, the rounds would be two thirds of such a kernel, and each kernel that initialises a variable has them. The back end
// also takes much longer for them than for other code of their size, since it looks for known bits through all rounds.
#include "codegen/Points/RandomWords.h"
#include "codegen/Points/SharedCode.h"
#include "dialects/Lathe/IR/Threefry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;

namespace {
/// Words of threefry2x32 as values of a type.
struct ValueWords {
  OpBuilder &b;
  Location loc;
  Type type;

  Value number(uint32_t value) {
    TypedAttr one = b.getI32IntegerAttr(int32_t(value));
    if (auto vector = dyn_cast<VectorType>(type))
      one = DenseElementsAttr::get(vector, one);
    return arith::ConstantOp::create(b, loc, one);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value exclusiveOr(Value x, Value y) { return arith::XOrIOp::create(b, loc, x, y); }
  Value rotate(Value x, unsigned bits) {
    return arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, x, number(bits)),
                                arith::ShRUIOp::create(b, loc, x, number(32 - bits)));
  }
};
} // namespace

std::pair<Value, Value> lathe::emitThreefry(OpBuilder &b, Location loc, ArrayRef<Value> operands) {
  ValueWords words{b, loc, operands[2].getType()};
  return threefry2x32(words, std::pair(operands[0], operands[1]), std::pair(operands[2], operands[3]));
}

std::pair<Value, Value> lathe::callThreefry(OpBuilder &b, Location loc, ArrayRef<Value> operands) {
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  auto widest = llvm::find_if(operands, isVector);
  Type type = widest != operands.end() ? widest->getType() : operands[0].getType();
  auto vector = dyn_cast<VectorType>(type);
  std::string symbol = "random_words_" + std::to_string(vector ? vector.getNumElements() : 1);
  for (auto [i, operand] : llvm::enumerate(operands)) // mostly the counter alone is a vector
    if (isVector(operand) != (vector && i == 2))
      symbol += "_" + std::to_string(i);
  SmallVector<Value> words = callShared(b, loc, symbol, operands, [&](ArrayRef<Value> arguments) {
    auto whole = llvm::map_to_vector(arguments, [&](Value word) -> Value {
      return word.getType() == type ? word : vector::BroadcastOp::create(b, loc, type, word).getResult();
    });
    auto [first, second] = emitThreefry(b, loc, whole);
    return SmallVector<Value>{first, second};
  });
  return {words[0], words[1]};
}
