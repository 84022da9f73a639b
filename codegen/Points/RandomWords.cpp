// A kernel that draws random words calls this function, once for a vector of them:
//
//   (first, second) = threefry(key's low word, its high word, counter, stream)
//
// Inlined, the rounds would be two thirds of such a kernel, and each kernel that initialises a variable has them. The back end
// also takes much longer for them than for other code of their size, since it looks for known bits through all rounds.
#include "codegen/Points/RandomWords.h"
#include "dialects/Lathe/IR/Threefry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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
  SmallVector<Type> types = llvm::map_to_vector(operands, [](Value value) { return value.getType(); });
  Operation *parent = b.getInsertionBlock()->getParentOp();
  auto kernel = dyn_cast<LLVM::LLVMFuncOp>(parent);
  if (!kernel)
    kernel = parent->getParentOfType<LLVM::LLVMFuncOp>();
  auto vector = dyn_cast<VectorType>(type);
  std::string symbol = "random_words_" + std::to_string(vector ? vector.getNumElements() : 1);
  for (auto [i, operand] : llvm::enumerate(operands)) // mostly the counter alone is a vector
    if (isVector(operand) != (vector && i == 2))
      symbol += "_" + std::to_string(i);
  auto function = kernel->getParentOfType<ModuleOp>().lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(kernel);
    auto both = LLVM::LLVMStructType::getLiteral(b.getContext(), {type, type});
    function = LLVM::LLVMFuncOp::create(b, loc, symbol, LLVM::LLVMFunctionType::get(both, types), LLVM::Linkage::Internal);
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    auto whole = llvm::map_to_vector(entry->getArguments(), [&](Value word) -> Value {
      return word.getType() == type ? word : vector::BroadcastOp::create(b, loc, type, word).getResult();
    });
    auto [first, second] = emitThreefry(b, loc, whole);
    Value result = LLVM::InsertValueOp::create(b, loc, LLVM::PoisonOp::create(b, loc, both), first, ArrayRef<int64_t>{0});
    result = LLVM::InsertValueOp::create(b, loc, result, second, ArrayRef<int64_t>{1});
    LLVM::ReturnOp::create(b, loc, result);
  }
  Value words = LLVM::CallOp::create(b, loc, function, operands).getResult();
  return {LLVM::ExtractValueOp::create(b, loc, words, ArrayRef<int64_t>{0}),
          LLVM::ExtractValueOp::create(b, loc, words, ArrayRef<int64_t>{1})};
}
