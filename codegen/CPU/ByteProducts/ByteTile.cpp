// Each step of a tile takes four products of every sum. A group of four factors of a row is broadcast to all lanes, and meets
// the groups of adjacent columns:
//
//   dots    sums[i] += the four products of column i                         // u8 by i8 on x86-64, i8 by i8 on AArch64
//   words   sums[i] += i16(two products of column i) + i16(two more)         // u8 by i8; the sums of i16 saturate
//   pairs   sums[2 i] and sums[2 i + 1] += two products of column i each     // i16 by i16, two vectors of sums per vector
//
// The method `mixed` takes words for the groups of a panel whose sums fit in i16, and then pairs for the others. So all
// products and sums are exact: pairs of products of 9-bit by 8-bit integers fit in i32.
#include "codegen/CPU/ByteProducts/ByteTile.h"
#include "codegen/Schedules/Panels.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static Value intrinsic(CodeFrame &frame, Type type, StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(frame.b, frame.loc, type, frame.b.getStringAttr(name), operands)->getResult(0);
}

static unsigned lanesOf(Value vector) { return cast<VectorType>(vector.getType()).getNumElements(); }

/// Returns the elements of two vectors at even or odd positions.
static Value everySecond(CodeFrame &frame, Value x, Value y, bool odd) {
  SmallVector<int32_t> places;
  for (int32_t i = 0, n = lanesOf(x); i < n; ++i)
    places.push_back(2 * i + odd);
  return LLVM::ShuffleVectorOp::create(frame.b, frame.loc, x, y, places);
}

static bool isX86(const CodeFrame &frame) { return llvm::Triple(frame.target.triple).isX86(); }

/// Returns sums + the dot products of four bytes each.
static Value addDots(CodeFrame &frame, Value sums, Value left, Value right) {
  std::string bits = std::to_string(32 * lanesOf(sums));
  std::string name = isX86(frame) ? "llvm.x86.avx512.vpdpbusd." + bits : "llvm.aarch64.neon.sdot.v4i32.v16i8";
  return intrinsic(frame, sums.getType(), name, {sums, left, right});
}

/// Returns the sums of pairs of products of i16 on x86-64.
static Value multiplyPairs(CodeFrame &frame, Type sums, Value left, Value right) {
  StringRef names[] = {"llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx512.pmaddw.d.512"};
  return intrinsic(frame, sums, names[lanesOf(left) / 16], {left, right});
}

/// Returns sums + the sums of pairs of products of i16.
static Value addPairs(CodeFrame &frame, Value sums, Value left, Value right) {
  OpBuilder &b = frame.b;
  if (isX86(frame))
    return arith::AddIOp::create(b, frame.loc, sums, multiplyPairs(frame, sums.getType(), left, right));
  Type wide = VectorType::get(lanesOf(left), b.getI32Type());
  Value products = arith::MulIOp::create(b, frame.loc, arith::ExtSIOp::create(b, frame.loc, wide, left),
                                         arith::ExtSIOp::create(b, frame.loc, wide, right));
  auto half = [&](int32_t from) {
    SmallVector<int32_t> places;
    for (int32_t i = from; i < int32_t(lanesOf(left)); i += 2)
      places.push_back(i);
    return LLVM::ShuffleVectorOp::create(b, frame.loc, products, products, places).getResult();
  };
  return arith::AddIOp::create(b, frame.loc, sums, arith::AddIOp::create(b, frame.loc, half(0), half(1)));
}

/// Returns sums + the sums of pairs of products of u8 by i8, which fit in i16.
static Value addWords(CodeFrame &frame, Value sums, Value left, Value right) {
  OpBuilder &b = frame.b;
  auto words = VectorType::get(2 * lanesOf(sums), b.getI16Type());
  StringRef name = lanesOf(sums) == 16 ? "llvm.x86.avx512.pmaddubs.w.512" : "llvm.x86.avx2.pmadd.ub.sw";
  Value products = intrinsic(frame, words, name, {left, right});
  Value ones = arith::ConstantOp::create(b, frame.loc, DenseElementsAttr::get(words, b.getI16IntegerAttr(1)));
  return arith::AddIOp::create(b, frame.loc, sums, multiplyPairs(frame, sums.getType(), products, ones));
}

namespace {
/// How a range of groups is multiplied.
enum class Step { Dots, Words, Pairs };

/// The code of some vectors of a tile.
class TilePart {
public:
  TilePart(CodeFrame &frame, const ByteTile &tile, const ByteTile::Arguments &a, Step step, unsigned first, unsigned vectors)
      : frame(frame), b(frame.b), eval(frame.eval), tile(tile), a(a), step(step), first(first), vectors(vectors),
        parts(step == Step::Pairs ? 2 : 1), columns(tile.lanes / parts) {}

  /// Adds up the groups [low, high). With `isListed` these are places in the panel's table.
  void add(Value low, Value high, bool isListed) {
    eval.lanes = tile.lanes;
    sums.assign(tile.rows * vectors * parts, eval.splat(eval.constant(b.getI32Type(), 0)));
    sums = frame.loop(low, high, sums, [&](Value i, ValueRange carried) {
      return addGroup(isListed ? entryOf(frame, a, eval.add(i, eval.i64(1))) : i, carried);
    });
  }

  /// Stores the sums, or adds them to those in memory. `zero` corrects them by the zero point.
  void store(bool adds, bool hasZero) {
    eval.lanes = tile.lanes;
    Type i32 = b.getI32Type();
    for (unsigned v = 0; v < vectors; ++v) {
      Value correction;
      if (hasZero)
        correction = arith::MulIOp::create(b, frame.loc, frame.loadLanes(inPanel(a.columnSums, v, sizeof(int32_t)), i32),
                                           eval.splat(a.zero));
      for (unsigned row = 0; row < tile.rows; ++row) {
        Value sum = wholeSums(row, v);
        Value to = frame.at(a.sums, i32, eval.add(eval.mul(a.sumsPitch, eval.i64(row)), eval.i64((first + v) * tile.lanes)));
        if (correction)
          sum = arith::SubIOp::create(b, frame.loc, sum, correction);
        if (adds)
          sum = arith::AddIOp::create(b, frame.loc, sum, frame.loadLanes(to, i32));
        frame.storeLanes(sum, to);
      }
    }
  }

  /// Returns an entry of the panel's table.
  static Value entryOf(CodeFrame &frame, const ByteTile::Arguments &a, Value index) {
    Type i16 = frame.b.getI16Type();
    Value entry = frame.loadOne(frame.at(a.table, i16, index), i16);
    return arith::ExtUIOp::create(frame.b, frame.loc, frame.b.getI64Type(), entry);
  }

private:
  /// Returns the address of a vector of columns, each of so many bytes in its panel.
  Value inPanel(Value columns, unsigned vector, int64_t bytes) {
    int64_t column = int64_t(first + vector) * tile.lanes, panel = column / BytePanel::kColumns;
    Value of = panel ? frame.at(columns, b.getI8Type(), eval.mul(a.panelBytes, eval.i64(panel))) : columns;
    return frame.at(of, b.getI8Type(), column % BytePanel::kColumns * bytes);
  }

  CodeFrame::Carry addGroup(Value group, ValueRange carried) {
    bool areBytes = step != Step::Pairs;
    Type byte = b.getI8Type(), factor = areBytes ? b.getI8Type() : b.getI16Type(),
         four = areBytes ? b.getI32Type() : b.getI64Type();
    auto whole = VectorType::get(4 * columns, byte), wide = VectorType::get(4 * columns, factor);
    Value right = frame.at(a.rhs, byte, eval.mul(group, eval.i64(BytePanel::kGroupBytes)));
    SmallVector<Value> weights;
    for (unsigned part = 0; part < vectors * parts; ++part) {
      Value from = frame.at(inPanel(right, part / parts, BytePanel::kGroup), byte, int64_t(part % parts) * columns * 4);
      Value loaded = LLVM::LoadOp::create(b, frame.loc, whole, from, 1);
      weights.push_back(areBytes ? loaded : arith::ExtSIOp::create(b, frame.loc, wide, loaded).getResult());
    }
    Value left = frame.at(areBytes ? a.bytes : a.words, four, group), pitch = areBytes ? a.bytePitch : a.wordPitch;
    CodeFrame::Carry next;
    for (unsigned row = 0; row < tile.rows; ++row) {
      Value from = frame.at(left, byte, eval.mul(pitch, eval.i64(row)));
      eval.lanes = columns;
      Value factors =
          LLVM::BitcastOp::create(b, frame.loc, wide, eval.splat(LLVM::LoadOp::create(b, frame.loc, four, from, 4)));
      for (Value weight : weights) {
        Value sum = carried[next.size()];
        next.push_back(step == Step::Dots    ? addDots(frame, sum, factors, weight)
                       : step == Step::Words ? addWords(frame, sum, factors, weight)
                                             : addPairs(frame, sum, factors, weight));
      }
    }
    return next;
  }

  /// Returns one sum for each lane of a vector.
  Value wholeSums(unsigned row, unsigned vector) {
    size_t index = (row * vectors + vector) * parts;
    if (parts == 1)
      return sums[index];
    return arith::AddIOp::create(b, frame.loc, everySecond(frame, sums[index], sums[index + 1], false),
                                 everySecond(frame, sums[index], sums[index + 1], true));
  }

  CodeFrame &frame;
  OpBuilder &b;
  PointEvaluator &eval;
  const ByteTile &tile;
  const ByteTile::Arguments &a;
  Step step;
  unsigned first, vectors;
  unsigned parts, columns; // vectors of sums for a vector of columns, and the columns of each
  CodeFrame::Carry sums;
};
} // namespace

void ByteTile::call(KernelFrame &frame, const Arguments &a) const {
  std::string symbol =
      llvm::formatv("byte_tile_{0}_{1}x{2}x{3}{4}", kByteMethods[size_t(method)], rows, vectors, lanes, hasZero ? "_zero" : "");
  SmallVector<Value> arguments = a.list();
  LLVM::LLVMFuncOp function = sharedFunction(
      frame, symbol, SmallVector<Type>(ValueRange(arguments).getTypes()), [&](CodeFrame &inside, ArrayRef<Value> v) {
        emit(inside, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11]});
      });
  LLVM::CallOp::create(frame.b, frame.loc, function, arguments);
}

void ByteTile::emit(CodeFrame &frame, const Arguments &a) const {
  Value none = frame.eval.i64(0);
  if (method != ByteMethod::Mixed) {
    TilePart whole(frame, *this, a, method == ByteMethod::Dots ? Step::Dots : Step::Pairs, 0, vectors);
    whole.add(none, a.groups, /*isListed=*/false);
    return whole.store(/*adds=*/false, hasZero);
  }
  Value fitting = TilePart::entryOf(frame, a, none);
  TilePart words(frame, *this, a, Step::Words, 0, vectors);
  words.add(none, fitting, /*isListed=*/true);
  words.store(/*adds=*/false, hasZero);
  Value hasOthers = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, fitting, a.groups);
  frame.when(hasOthers, [&] {
    for (unsigned v = 0; v < vectors; ++v) { // pairs have twice as many sums
      TilePart pairs(frame, *this, a, Step::Pairs, v, 1);
      pairs.add(fitting, a.groups, /*isListed=*/true);
      pairs.store(/*adds=*/true, /*hasZero=*/false);
    }
  });
}
