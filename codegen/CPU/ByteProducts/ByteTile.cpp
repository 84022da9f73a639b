// Each step of a tile takes four products of every sum. A group of four factors of a row is broadcast to all lanes, and meets
// the groups of adjacent columns:
//
//   dots    sums[i] += the four products of column i                         // u8 by i8 on x86-64, i8 by i8 on AArch64
//   pairs   sums[2 i] and sums[2 i + 1] += two products of column i each     // i16 by i16, two vectors of sums per vector
//
// All products and sums are exact: pairs of products of 9-bit by 8-bit integers fit in i32.
#include "codegen/CPU/ByteProducts/ByteTile.h"
#include "codegen/Schedules/Panels.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

void ByteTile::call(KernelFrame &frame, const Arguments &a) const {
  std::string symbol =
      llvm::formatv("byte_tile_{0}_{1}x{2}x{3}{4}", dots ? "dots" : "pairs", rows, vectors, lanes, hasZero ? "_zero" : "");
  Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext()), i64 = frame.b.getI64Type();
  LLVM::LLVMFuncOp function = sharedFunction(
      frame, symbol, {pointer, i64, pointer, pointer, i64, i64, frame.b.getI32Type(), pointer, i64},
      [&](CodeFrame &inside, ArrayRef<Value> v) { emit(inside, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]}); });
  LLVM::CallOp::create(frame.b, frame.loc, function,
                       ValueRange{a.lhs, a.lhsPitch, a.rhs, a.columnSums, a.groups, a.panelBytes, a.zero, a.sums, a.sumsPitch});
}

int64_t ByteTile::offsetInPanel(unsigned vector) const { return vector * lanes % BytePanel::kColumns; }

/// Returns the address of a vector of columns, each of so many bytes in its panel.
Value ByteTile::inPanel(CodeFrame &frame, Value first, Value panelBytes, unsigned vector, int64_t bytes) const {
  Type byte = frame.b.getI8Type();
  int64_t panel = vector * lanes / BytePanel::kColumns;
  Value of = panel ? frame.at(first, byte, frame.eval.mul(panelBytes, frame.eval.i64(panel))) : first;
  return frame.at(of, byte, offsetInPanel(vector) * bytes);
}

static Value intrinsic(CodeFrame &frame, Type type, StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(frame.b, frame.loc, type, frame.b.getStringAttr(name), operands)->getResult(0);
}

static Value bitcast(CodeFrame &frame, Type type, Value value) {
  return LLVM::BitcastOp::create(frame.b, frame.loc, type, value);
}

/// Returns the elements of two vectors at even or odd positions.
static Value everySecond(CodeFrame &frame, Value x, Value y, bool odd) {
  SmallVector<int32_t> places;
  for (int64_t i = 0, n = cast<VectorType>(x.getType()).getNumElements(); i < n; ++i)
    places.push_back(2 * i + odd);
  return LLVM::ShuffleVectorOp::create(frame.b, frame.loc, x, y, places);
}

static bool isX86(const CodeFrame &frame) { return llvm::Triple(frame.target.triple).isX86(); }

/// Returns sums + the dot products of four bytes each.
static Value addDots(CodeFrame &frame, Value sums, Value left, Value right) {
  unsigned bits = 32 * cast<VectorType>(sums.getType()).getNumElements();
  std::string name = isX86(frame) ? "llvm.x86.avx512.vpdpbusd." + std::to_string(bits) : "llvm.aarch64.neon.sdot.v4i32.v16i8";
  return intrinsic(frame, sums.getType(), name, {sums, left, right});
}

/// Returns sums + the sums of pairs of products of i16.
static Value addPairs(CodeFrame &frame, Value sums, Value left, Value right) {
  OpBuilder &b = frame.b;
  auto type = cast<VectorType>(sums.getType());
  StringRef name = type.getNumElements() == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                   : type.getNumElements() == 8 ? "llvm.x86.avx2.pmadd.wd"
                                                : "llvm.x86.sse2.pmadd.wd";
  if (isX86(frame))
    return arith::AddIOp::create(b, frame.loc, sums, intrinsic(frame, type, name, {left, right}));
  Type wide = VectorType::get(2 * type.getNumElements(), b.getI32Type());
  Value products = arith::MulIOp::create(b, frame.loc, arith::ExtSIOp::create(b, frame.loc, wide, left),
                                         arith::ExtSIOp::create(b, frame.loc, wide, right));
  SmallVector<int32_t> even, odd;
  for (int32_t i = 0; i < type.getNumElements(); ++i)
    even.push_back(2 * i), odd.push_back(2 * i + 1);
  Value first = LLVM::ShuffleVectorOp::create(b, frame.loc, products, products, even);
  Value second = LLVM::ShuffleVectorOp::create(b, frame.loc, products, products, odd);
  return arith::AddIOp::create(b, frame.loc, sums, arith::AddIOp::create(b, frame.loc, first, second));
}

/// Adds the products of a group to all sums.
CodeFrame::Carry ByteTile::addGroup(CodeFrame &frame, const Arguments &a, Value group, ValueRange sums) const {
  OpBuilder &b = frame.b;
  PointEvaluator &eval = frame.eval;
  unsigned parts = sumsOfVector(), columns = lanes / parts;
  Type byte = b.getI8Type(), factor = dots ? b.getI8Type() : b.getI16Type();
  auto whole = VectorType::get(4 * columns, byte), wide = VectorType::get(4 * columns, factor);
  Value right = frame.at(a.rhs, byte, eval.mul(group, eval.i64(BytePanel::kGroupBytes)));
  SmallVector<Value> weights;
  for (unsigned v = 0; v < vectors; ++v)
    for (unsigned part = 0; part < parts; ++part) {
      Value from = frame.at(inPanel(frame, right, a.panelBytes, v, BytePanel::kGroup), byte, int64_t(part) * columns * 4);
      Value loaded = LLVM::LoadOp::create(b, frame.loc, whole, from, 1);
      weights.push_back(dots ? loaded : arith::ExtSIOp::create(b, frame.loc, wide, loaded).getResult());
    }
  CodeFrame::Carry next;
  Type four = dots ? b.getI32Type() : b.getI64Type();
  Value left = frame.at(a.lhs, four, group);
  for (unsigned row = 0; row < rows; ++row) {
    Value from = frame.at(left, byte, eval.mul(a.lhsPitch, eval.i64(row)));
    eval.lanes = columns;
    Value factors = bitcast(frame, wide, eval.splat(LLVM::LoadOp::create(b, frame.loc, four, from, 4)));
    for (Value weight : weights) {
      Value sum = sums[next.size()];
      next.push_back(dots ? addDots(frame, sum, factors, weight) : addPairs(frame, sum, factors, weight));
    }
  }
  return next;
}

/// Returns one sum for each lane.
Value ByteTile::wholeSums(CodeFrame &frame, ValueRange sums) const {
  if (dots)
    return sums[0];
  return arith::AddIOp::create(frame.b, frame.loc, everySecond(frame, sums[0], sums[1], false),
                               everySecond(frame, sums[0], sums[1], true));
}

void ByteTile::emit(CodeFrame &frame, const Arguments &a) const {
  OpBuilder &b = frame.b;
  PointEvaluator &eval = frame.eval;
  Type i32 = b.getI32Type();
  unsigned parts = sumsOfVector();
  eval.lanes = lanes;
  CodeFrame::Carry sums(rows * vectors * parts, eval.splat(eval.constant(i32, 0)));
  sums = frame.loop(eval.i64(0), a.groups, sums,
                    [&](Value group, ValueRange carried) { return addGroup(frame, a, group, carried); });
  eval.lanes = lanes;
  for (unsigned v = 0; v < vectors; ++v) {
    Value correction;
    if (hasZero) {
      Value columns = inPanel(frame, a.columnSums, a.panelBytes, v, sizeof(int32_t));
      correction = arith::MulIOp::create(b, frame.loc, frame.loadLanes(columns, i32), eval.splat(a.zero));
    }
    for (unsigned row = 0; row < rows; ++row) {
      Value sum = wholeSums(frame, ValueRange(sums).slice((row * vectors + v) * parts, parts));
      if (correction)
        sum = arith::SubIOp::create(b, frame.loc, sum, correction);
      Value to = frame.at(a.sums, i32, eval.add(eval.mul(a.sumsPitch, eval.i64(row)), eval.i64(v * lanes)));
      frame.storeLanes(sum, to);
    }
  }
}
