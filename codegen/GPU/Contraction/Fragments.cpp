#include "codegen/GPU/Contraction/Fragments.h"
#include "codegen/GPU/Contraction/Tf32.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

Fragments::Fragments(ThreadFrame &frame, Type element, bool isFast)
    : rows(16), columns(8), depth(8), sums(4), lhsWords(4), rhsWords(2), frame(frame), b(frame.b), element(element),
      isFast(isFast) {
  if (element.isF64()) {
    rows = 8;
    depth = 4;
    sums = 2;
    lhsWords = rhsWords = 1;
  } else if (isHalf(element))
    depth = 16;
  lane = frame.narrow(frame.remainder(frame.thread, kWarp));
  group = b.createOrFold<arith::DivUIOp>(frame.loc, lane, frame.number(4));
  inGroup = b.createOrFold<arith::RemUIOp>(frame.loc, lane, frame.number(4));
}

Fragments::Values Fragments::zeros() {
  Type type = element.isF64() ? element : b.getF32Type();
  return Values(sums, frame.eval.constant(type, 0));
}

/// Loads the lane's element, displaced by `own` and `atDepth`.
Value Fragments::loadWord(const Part &part, unsigned own, unsigned atDepth) {
  Type word = element.isF64() ? element : Type(b.getI32Type());
  return frame.loadOne(part.layout.at(frame, part.slice, frame.eval.add(part.first, group), own, inGroup, atDepth), word);
}

/// Loads four matrices of eight rows of 16 bytes, two by two along both dimensions. Lanes 8i to 8i + 7 have the addresses of
/// the rows of matrix i. With `isDepthFirst` the second matrix follows the first one along the depth.
Fragments::Values Fragments::loadMatrices(const Part &part, unsigned own, unsigned atDepth, bool isDepthFirst) {
  auto bit = [&](unsigned of) {
    Value moved = b.createOrFold<arith::DivUIOp>(frame.loc, lane, frame.number(of));
    return b.createOrFold<arith::RemUIOp>(frame.loc, moved, frame.number(2));
  };
  Value line = b.createOrFold<arith::RemUIOp>(frame.loc, lane, frame.number(8));
  Value moreDepth = frame.eval.mul(bit(isDepthFirst ? 8 : 16), frame.number(int32_t(depth / 2)));
  Value moreOwn = frame.eval.add(frame.eval.mul(bit(isDepthFirst ? 16 : 8), frame.number(8)), part.first);
  bool isTransposed = !part.layout.hasDepthInside;
  (isTransposed ? moreDepth : moreOwn) = frame.eval.add(isTransposed ? moreDepth : moreOwn, line);
  Value from = part.layout.at(frame, part.slice, moreOwn, own, moreDepth, atDepth);
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  auto four = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  Value all = NVVM::LdMatrixOp::create(b, frame.loc, four, from, 4, isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
                                       shape, NVVM::LdStMatrixEltType::B16);
  Values words;
  for (unsigned i = 0; i < 4; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, frame.loc, all, i));
  return words;
}

Fragments::Values Fragments::loadLhs(const Part &part, unsigned count, unsigned atDepth) {
  Values words;
  for (unsigned own = 0; own < count; own += rows)
    if (hasMatrices(part.layout))
      llvm::append_range(words, loadMatrices(part, own, atDepth, /*isDepthFirst=*/false));
    else
      for (unsigned i = 0; i < lhsWords; ++i)
        words.push_back(loadWord(part, own + i % 2 * 8, atDepth + i / 2 * (depth / 2)));
  return words;
}

Fragments::Values Fragments::loadRhs(const Part &part, unsigned count, unsigned atDepth) {
  Values words;
  if (hasMatrices(part.layout))
    for (unsigned own = 0; own < count; own += 2 * columns)
      llvm::append_range(words, loadMatrices(part, own, atDepth, /*isDepthFirst=*/true));
  else
    for (unsigned own = 0; own < count; own += columns)
      for (unsigned i = 0; i < rhsWords; ++i)
        words.push_back(loadWord(part, own, atDepth + i * (depth / 2)));
  return words;
}

Fragments::Values Fragments::ready(ArrayRef<Value> words) {
  if (!element.isF32())
    return Values(words);
  return isFast ? nearestTf32(frame, words) : splitTf32(frame, words);
}

Fragments::Values Fragments::multiplyOnce(ValueRange lhs, ValueRange rhs, ValueRange total) {
  using Kind = NVVM::MMATypes;
  Kind kind = element.isF64() ? Kind::f64 : element.isF32() ? Kind::tf32 : element.isBF16() ? Kind::bf16 : Kind::f16;
  auto pairs = [&](ValueRange words) { // the intrinsic takes f16 in pairs, and bf16 as bits
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

/// Adds a product to a sum. Tensor cores truncate when they add to an f32 sum. Split f32 products are therefore summed from
/// zero in each step, small ones first, and the step is added to the sum by an addition that rounds (Ootomo and Yokota, 2022).
Fragments::Values Fragments::multiply(ArrayRef<Value> left, ArrayRef<Value> right, ArrayRef<Value> sum) {
  if (!isSplit())
    return multiplyOnce(left, right, sum);
  ArrayRef<Value> first = left.take_front(lhsWords), rest = left.drop_front(lhsWords);
  Values step = multiplyOnce(rest, right.take_front(rhsWords), zeros());
  step = multiplyOnce(first, right.drop_front(rhsWords), step);
  step = multiplyOnce(first, right.take_front(rhsWords), step);
  for (auto [made, before] : llvm::zip_equal(step, sum))
    made = arith::AddFOp::create(b, frame.loc, before, made);
  return step;
}

std::pair<Value, Value> Fragments::placeOfResults() {
  return {frame.widen(group), frame.widen(frame.eval.mul(inGroup, frame.number(2)))};
}
