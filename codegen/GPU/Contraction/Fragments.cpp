#include "codegen/GPU/Contraction/Fragments.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

Fragments::Fragments(ThreadFrame &frame, Type element, unsigned pitch, bool isFast)
    : rows(16), columns(8), depth(8), sums(isFast ? 4 : 8), frame(frame), b(frame.b), element(element), pitch(pitch),
      isFast(isFast) {
  if (element.isF64()) {
    rows = 8;
    depth = 4;
    sums = 2;
  } else if (isHalf(element)) {
    depth = 16;
    sums = 4;
  }
  Value lane = frame.remainder(frame.thread, kWarp);
  group = frame.divide(lane, 4);
  place = frame.remainder(lane, 4);
}

Type Fragments::stored(OpBuilder &builder, Type element) { return isHalf(element) ? builder.getIntegerType(16) : element; }

/// Rows of 4 words more than a multiple of 8: eight rows of four words each then fill the 32 banks.
unsigned Fragments::pitchFor(Type element, unsigned depth) { return depth + 16 / (element.getIntOrFloatBitWidth() / 8); }

Fragments::Values Fragments::zeros() {
  Type type = element.isF64() ? element : b.getF32Type();
  return Values(sums, frame.eval.constant(type, 0));
}

/// The element of row group + row, at place + column along the depth; of halves two at twice the place.
Value Fragments::at(Value from, unsigned row, unsigned column) {
  PointEvaluator &eval = frame.eval;
  Type type = stored(b, element);
  Value inRow = isHalf(element) ? eval.mul(place, eval.i64(2)) : place;
  Value offset = eval.add(eval.mul(group, eval.i64(pitch)), inRow);
  return frame.at(frame.at(from, type, offset), type, int64_t(row) * pitch + column);
}

Value Fragments::loadWord(Value from, unsigned row, unsigned column) {
  Type word = isHalf(element) ? b.getI32Type() : element;
  return frame.loadOne(at(from, row, column), word);
}

/// The nearest value of tf32, as the bits of an f32.
Value Fragments::tf32(Value single) {
  Type i32 = b.getI32Type();
  auto number = [&](int32_t value) -> Value { return arith::ConstantOp::create(b, frame.loc, b.getI32IntegerAttr(value)); };
  Value bits = arith::AddIOp::create(b, frame.loc, arith::BitcastOp::create(b, frame.loc, i32, single), number(0x1000));
  return arith::AndIOp::create(b, frame.loc, bits, number(int32_t(0xFFFFE000)));
}

/// Each f32 as the nearest tf32 and, behind all of these, the nearest to what is left of it: together at most 2^-22 off. Of
/// what is not finite, and of the largest numbers, one of both is a NaN or infinite.
Fragments::Values Fragments::split(ArrayRef<Value> words) {
  Values high, low;
  for (Value word : words) {
    Value first = tf32(word);
    Value rest = arith::SubFOp::create(b, frame.loc, word, arith::BitcastOp::create(b, frame.loc, b.getF32Type(), first));
    high.push_back(first);
    low.push_back(tf32(rest));
  }
  llvm::append_range(high, low);
  return high;
}

/// As they are multiplied.
Fragments::Values Fragments::rounded(const Values &words) {
  if (!element.isF32())
    return words;
  return isFast ? Values(llvm::map_range(words, [&](Value word) { return tf32(word); })) : split(words);
}

Fragments::Values Fragments::loadLhs(Value from) {
  if (element.isF64())
    return {loadWord(from, 0, 0)};
  unsigned half = depth / 2;
  Values words = {loadWord(from, 0, 0), loadWord(from, 8, 0), loadWord(from, 0, half), loadWord(from, 8, half)};
  return rounded(words);
}

Fragments::Values Fragments::loadRhs(Value from) {
  if (element.isF64())
    return {loadWord(from, 0, 0)};
  Values words = {loadWord(from, 0, 0), loadWord(from, 0, depth / 2)};
  return rounded(words);
}

Fragments::Values Fragments::multiplyOnce(ValueRange lhs, ValueRange rhs, ValueRange total) {
  using Kind = NVVM::MMATypes;
  Kind kind = element.isF64() ? Kind::f64 : element.isF32() ? Kind::tf32 : element.isBF16() ? Kind::bf16 : Kind::f16;
  auto pairs = [&](ValueRange words) { // f16 are pairs in the intrinsic, bf16 their bits
    Values made(words);
    for (Value &word : made)
      if (element.isF16())
        word = LLVM::BitcastOp::create(b, frame.loc, VectorType::get(2, b.getF16Type()), word);
    return made;
  };
  Type type = total[0].getType();
  auto result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(total.size(), type));
  Values left = pairs(lhs), right = pairs(rhs);
  Value product = NVVM::MmaOp::create(b, frame.loc, result, left, right, total, {rows, columns, depth}, std::nullopt,
                                      std::nullopt, std::array<Kind, 2>{kind, kind},
                                      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
  Values next;
  for (unsigned i = 0; i < total.size(); ++i)
    next.push_back(LLVM::ExtractValueOp::create(b, frame.loc, product, i));
  return next;
}

/// Of f32: the products of the first parts in four accumulators, those of a first and a second part, which are smaller, in four
/// others, so that they do not get lost one by one.
Fragments::Values Fragments::multiply(const Values &lhs, const Values &rhs, const Values &total) {
  if (!isSplit())
    return multiplyOnce(lhs, rhs, total);
  ArrayRef<Value> left(lhs), right(rhs), sum(total);
  Values large = multiplyOnce(left.take_front(4), right.take_front(2), sum.take_front(4));
  Values small = multiplyOnce(left.drop_front(4), right.take_front(2), sum.drop_front(4));
  small = multiplyOnce(left.take_front(4), right.drop_front(2), small);
  llvm::append_range(large, small);
  return large;
}

Fragments::Values Fragments::results(const Values &total) {
  if (!isSplit())
    return total;
  Values all;
  for (unsigned i = 0; i < 4; ++i)
    all.push_back(arith::AddFOp::create(b, frame.loc, total[i], total[i + 4]));
  return all;
}

std::pair<Value, Value> Fragments::placeOf(unsigned result) {
  PointEvaluator &eval = frame.eval;
  Value row = result < 2 ? group : eval.add(group, eval.i64(8));
  return {row, eval.add(eval.mul(place, eval.i64(2)), eval.i64(result % 2))};
}
