// Each step of a tile takes four products of every sum. A group of four factors of a row is broadcast to all lanes, and meets
// the groups of adjacent columns:
//
//   dots    sums[i] += the four products of column i                         // u8 by i8 on x86-64, i8 by i8 on AArch64
//   words   sums[i] += i16(two products of column i) + i16(two more)         // u8 by i8; the sums of i16 saturate
//   merged  the same with sums of i16 over two groups, whose products are added before they become i32
//   pairs   sums[2 i] and sums[2 i + 1] += two products of column i each     // i16 by i16, two vectors of sums per vector
//
// The method `mixed` takes merged and words for the groups of a panel whose sums fit in i16, and then pairs for the others. So
// all products and sums are exact: pairs of products of 9-bit by 8-bit integers fit in i32. A tile of one row is limited by the
// number of its instructions: loops go by blocks of four groups, so that few of them count and address.
#include "codegen/CPU/ByteProducts/ByteTile.h"
#include "codegen/CPU/Tiles/FetchAhead.h"
#include "codegen/CPU/Tuning.h"
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

/// Returns the sums of pairs of products of u8 by i8, which fit in i16.
static Value multiplyWords(CodeFrame &frame, Value left, Value right) {
  auto words = VectorType::get(lanesOf(left) / 2, frame.b.getI16Type());
  StringRef name = words.getNumElements() == 32 ? "llvm.x86.avx512.pmaddubs.w.512" : "llvm.x86.avx2.pmadd.ub.sw";
  return intrinsic(frame, words, name, {left, right});
}

/// Returns sums + the sums of pairs of i16.
static Value addWords(CodeFrame &frame, Value sums, Value words) {
  OpBuilder &b = frame.b;
  auto type = cast<VectorType>(words.getType());
  Value ones = arith::ConstantOp::create(b, frame.loc, DenseElementsAttr::get(type, b.getI16IntegerAttr(1)));
  return arith::AddIOp::create(b, frame.loc, sums, multiplyPairs(frame, sums.getType(), words, ones));
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

  /// Adds up all groups, several in a step.
  void addAll(Value groups) {
    unsigned sum = tile.rows * vectors * parts;
    unsigned together = llvm::bit_floor(std::clamp<unsigned>(tuning::kMultiplyAddsAtOnce / sum, 1, BytePanel::kBlock));
    Value whole = eval.mul(frame.divide(groups, together), eval.i64(together));
    startSums();
    sums = frame.loop(eval.i64(0), whole, together, sums,
                      [&](Value group, ValueRange carried) { return addGroups(group, together, 1, carried); });
    if (together > 1)
      sums = frame.loop(whole, groups, sums, [&](Value group, ValueRange carried) { return addGroups(group, 1, 1, carried); });
  }

  /// Adds up the groups of the table's sections from `begin` on, before `end`.
  void addSections(unsigned begin, unsigned end) {
    startSums();
    for (unsigned section = begin; section < end; ++section) {
      Value low = section ? endOf(frame, a, section - 1) : eval.i64(0);
      bool merges = section == BytePanel::MergingBlocks;
      bool isOfBlocks = merges || section == BytePanel::FittingBlocks || section == BytePanel::OtherBlocks;
      sums = frame.loop(low, endOf(frame, a, section), sums, [&](Value place, ValueRange carried) {
        Value group = entryOf(frame, a, eval.add(place, eval.i64(BytePanel::kSections)));
        return addGroups(group, isOfBlocks ? BytePanel::kBlock : 1, merges ? 2 : 1, carried);
      });
    }
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

  /// Returns the end of a section of the panel's table.
  static Value endOf(CodeFrame &frame, const ByteTile::Arguments &a, unsigned section) {
    return entryOf(frame, a, frame.eval.i64(section));
  }

private:
  void startSums() {
    eval.lanes = tile.lanes;
    sums.assign(tile.rows * vectors * parts, eval.splat(eval.constant(b.getI32Type(), 0)));
  }

  static Value entryOf(CodeFrame &frame, const ByteTile::Arguments &a, Value index) {
    Type i16 = frame.b.getI16Type();
    Value entry = frame.loadOne(frame.at(a.table, i16, index), i16);
    return arith::ExtUIOp::create(frame.b, frame.loc, frame.b.getI64Type(), entry);
  }

  /// Returns the address of a vector of columns, each of so many bytes in its panel.
  Value inPanel(Value columns, unsigned vector, int64_t bytes) {
    int64_t column = int64_t(first + vector) * tile.lanes, panel = column / BytePanel::kColumns;
    Value of = panel ? frame.at(columns, b.getI8Type(), eval.mul(a.panelBytes, eval.i64(panel))) : columns;
    return frame.at(of, b.getI8Type(), column % BytePanel::kColumns * bytes);
  }

  /// The addresses of the factors of a group. Those of groups after it are at constant distances.
  struct Place {
    Value left, right;
  };

  /// Adds the products of `count` adjacent groups from `group` on, of which `merged` at a time become i32 together.
  CodeFrame::Carry addGroups(Value group, unsigned count, unsigned merged, ValueRange carried) {
    Type byte = b.getI8Type(), four = areBytes() ? b.getI32Type() : b.getI64Type();
    Place place{frame.at(areBytes() ? a.bytes : a.words, four, group),
                frame.at(a.rhs, byte, eval.mul(group, eval.i64(BytePanel::kGroupBytes)))};
    CodeFrame::Carry next(carried);
    for (unsigned i = 0; i < count; i += merged) {
      if (tile.fetches)
        fetchPlace(frame, frame.at(a.ahead, byte, eval.mul(eval.add(group, eval.i64(i)), a.aheadPitch)));
      next = addGroup(place, i, merged, next);
    }
    return next;
  }

  /// Adds the products of the group `first` after the place, or of two groups whose sums of i16 are merged.
  CodeFrame::Carry addGroup(const Place &place, unsigned first, unsigned merged, ValueRange carried) {
    SmallVector<SmallVector<Value>, 2> weights;
    for (unsigned i = 0; i < merged; ++i)
      weights.push_back(weightsOf(place, first + i));
    CodeFrame::Carry next;
    for (unsigned row = 0; row < tile.rows; ++row) {
      SmallVector<Value, 2> factors;
      for (unsigned i = 0; i < merged; ++i)
        factors.push_back(factorsOf(row, place, first + i));
      for (unsigned part = 0; part < weights[0].size(); ++part) {
        Value sum = carried[next.size()], weight = weights[0][part];
        if (step == Step::Words) {
          Value words = multiplyWords(frame, factors[0], weight);
          if (merged == 2)
            words = arith::AddIOp::create(b, frame.loc, words, multiplyWords(frame, factors[1], weights[1][part]));
          next.push_back(addWords(frame, sum, words));
        } else {
          next.push_back(step == Step::Dots ? addDots(frame, sum, factors[0], weight)
                                            : addPairs(frame, sum, factors[0], weight));
        }
      }
    }
    return next;
  }

  bool areBytes() const { return step != Step::Pairs; }
  VectorType factorType() { return VectorType::get(4 * columns, areBytes() ? b.getI8Type() : b.getI16Type()); }

  /// Loads the factors of rhs of a group after the place.
  SmallVector<Value> weightsOf(const Place &place, unsigned group) {
    Type byte = b.getI8Type(), whole = VectorType::get(4 * columns, byte);
    Value right = frame.at(place.right, byte, group * BytePanel::kGroupBytes);
    SmallVector<Value> weights;
    for (unsigned part = 0; part < vectors * parts; ++part) {
      Value from = frame.at(inPanel(right, part / parts, BytePanel::kGroup), byte, int64_t(part % parts) * columns * 4);
      Value loaded = LLVM::LoadOp::create(b, frame.loc, whole, from, 1);
      weights.push_back(areBytes() ? loaded : arith::ExtSIOp::create(b, frame.loc, factorType(), loaded).getResult());
    }
    return weights;
  }

  /// Broadcasts the factors of a row of lhs, of a group after the place.
  Value factorsOf(unsigned row, const Place &place, unsigned group) {
    Type four = areBytes() ? b.getI32Type() : b.getI64Type();
    Value pitch = areBytes() ? a.bytePitch : a.wordPitch;
    Value from = frame.at(frame.at(place.left, b.getI8Type(), eval.mul(pitch, eval.i64(row))), four, group);
    eval.lanes = columns;
    return LLVM::BitcastOp::create(b, frame.loc, factorType(), eval.splat(LLVM::LoadOp::create(b, frame.loc, four, from, 4)));
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
  std::string symbol = llvm::formatv("byte_tile_{0}_{1}x{2}x{3}{4}{5}", kByteMethods[size_t(method)], rows, vectors, lanes,
                                     hasZero ? "_zero" : "", fetches ? "_fetching" : "");
  SmallVector<Value> arguments = a.list();
  LLVM::LLVMFuncOp function = sharedFunction(
      frame, symbol, SmallVector<Type>(ValueRange(arguments).getTypes()), [&](CodeFrame &inside, ArrayRef<Value> v) {
        Arguments own{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11]};
        if (fetches)
          own.ahead = v[12], own.aheadPitch = v[13];
        emit(inside, own);
      });
  LLVM::CallOp::create(frame.b, frame.loc, function, arguments);
}

void ByteTile::emit(CodeFrame &frame, const Arguments &a) const {
  if (method != ByteMethod::Mixed) {
    TilePart whole(frame, *this, a, method == ByteMethod::Dots ? Step::Dots : Step::Pairs, 0, vectors);
    whole.addAll(a.groups);
    return whole.store(/*adds=*/false, hasZero);
  }
  TilePart words(frame, *this, a, Step::Words, 0, vectors);
  words.addSections(BytePanel::MergingBlocks, BytePanel::OtherBlocks);
  words.store(/*adds=*/false, hasZero);
  Value hasOthers =
      arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, TilePart::endOf(frame, a, BytePanel::FittingGroups),
                            TilePart::endOf(frame, a, BytePanel::OtherGroups));
  frame.when(hasOthers, [&] {
    bool fit = rows * vectors * 2 <= frame.target.vectorRegisters * 3 / 4; // pairs have twice as many sums
    unsigned each = fit ? vectors : 1;
    for (unsigned v = 0; v < vectors; v += each) {
      TilePart pairs(frame, *this, a, Step::Pairs, v, each);
      pairs.addSections(BytePanel::OtherBlocks, BytePanel::kSections);
      pairs.store(/*adds=*/true, /*hasZero=*/false);
    }
  });
}
