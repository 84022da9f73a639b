// The code of a tile's function:
//
//   sums = 0                                                    // rowTiles * columnTiles tile registers
//   for block of 16 pairs
//     for tile of columns: right = 16 rows of pairs of rhs
//       for tile of rows: left = 16 pairs of each row of lhs    // once for all columns
//         sums[rows, columns] += left * right                   // tdpbf16ps
//   the same for the rest
//   store the sums
//
// The intrinsics name the registers themselves: 0 to 3 have sums, 4 and 5 rows, 6 and 7 columns.
#include "codegen/CPU/PairProducts/AmxTile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static constexpr unsigned kFirstRows = AmxTile::kMostSums, kFirstColumns = kFirstRows + 2;

/// Calls the intrinsic of an instruction for tile registers.
static void callTile(CodeFrame &frame, StringRef instruction, ValueRange operands) {
  StringAttr name = frame.b.getStringAttr("llvm.x86." + instruction);
  LLVM::CallIntrinsicOp::create(frame.b, frame.loc, name, operands);
}

static Value registerOf(CodeFrame &frame, unsigned number) { return frame.eval.constant(frame.b.getI8Type(), number); }

/// Adds 16 pairs of products to all sums.
void AmxTile::addPairs(CodeFrame &frame, ArrayRef<Value> lhs, Value lhsPitch, ArrayRef<Value> rhs, Value rhsPitch) const {
  for (unsigned column = 0; column < columnTiles; ++column) {
    Value right = registerOf(frame, kFirstColumns + column % 2);
    callTile(frame, "tileloadd64", {right, rhs[column], rhsPitch});
    for (unsigned row = 0; row < rowTiles; ++row) {
      Value left = registerOf(frame, kFirstRows + row);
      if (column == 0)
        callTile(frame, "tileloadd64", {left, lhs[row], lhsPitch});
      callTile(frame, "tdpbf16ps", {registerOf(frame, row * columnTiles + column), left, right});
    }
  }
}

void AmxTile::emit(CodeFrame &frame, const Arguments &a) const {
  PointEvaluator &eval = frame.eval;
  Type byte = frame.b.getI8Type(), pair = frame.b.getI32Type(), single = frame.b.getF32Type();
  for (unsigned i = 0; i < rowTiles * columnTiles; ++i)
    callTile(frame, "tilezero", {registerOf(frame, i)});
  int64_t pitch = int64_t(panelTiles) * kLanes;
  frame.loop(eval.i64(0), a.blocks, 1, [&](Value block) {
    Value done = eval.mul(block, eval.i64(kRowBytes)), from = frame.at(a.rhs, pair, eval.mul(block, eval.i64(kPairs * pitch)));
    SmallVector<Value> left{frame.at(a.lhs, byte, done), frame.at(a.second, byte, done)}, right;
    for (unsigned column = 0; column < columnTiles; ++column) {
      unsigned panel = column / panelTiles;
      Value first = panel ? frame.at(from, pair, eval.mul(a.panelSize, eval.i64(panel))) : from;
      right.push_back(frame.at(first, pair, int64_t(column % panelTiles) * kLanes));
    }
    addPairs(frame, left, a.rowPitch, right, eval.i64(panelTiles * kRowBytes));
  });
  if (hasRest) {
    SmallVector<Value> left, right;
    for (unsigned row = 0; row < rowTiles; ++row)
      left.push_back(frame.at(a.restLhs, byte, int64_t(row) * kRows * kRowBytes));
    for (unsigned column = 0; column < columnTiles; ++column)
      right.push_back(frame.at(a.restRhs, pair, int64_t(column) * kLanes));
    addPairs(frame, left, eval.i64(kRowBytes), right, eval.i64(restTiles * kRowBytes));
  }
  for (unsigned i = 0; i < rowTiles * columnTiles; ++i) {
    int64_t row = i / columnTiles, column = i % columnTiles;
    Value to = frame.at(a.sums, single, (row * kRows * columnTiles + column) * kLanes);
    callTile(frame, "tilestored64", {registerOf(frame, i), to, eval.i64(columnTiles * kRowBytes)});
  }
}

void AmxTile::call(KernelFrame &frame, const Arguments &a) const {
  std::string symbol = llvm::formatv("amx_tile_{0}x{1}_by{2}{3}", rowTiles, columnTiles, panelTiles,
                                     hasRest ? llvm::formatv("_rest{0}", restTiles).str() : "")
                           .str();
  Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext()), i64 = frame.b.getI64Type();
  LLVM::LLVMFuncOp function = sharedFunction(
      frame, symbol, {pointer, pointer, i64, pointer, i64, i64, pointer, pointer, pointer},
      [&](CodeFrame &inside, ArrayRef<Value> v) { emit(inside, {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]}); });
  LLVM::CallOp::create(frame.b, frame.loc, function,
                       ValueRange{a.lhs, a.second, a.rowPitch, a.rhs, a.panelSize, a.blocks, a.restLhs, a.restRhs, a.sums});
}

// The operand of ldtilecfg: byte 0 is the palette, the words from 16 on are the bytes of a row of each register, the bytes from
// 48 on the rows. All others are zeros.
void lathe::cpu::configureTiles(CodeFrame &frame, Value rows) {
  constexpr int64_t kWords = 8;
  constexpr uint64_t kWidths = 0x0001000100010001 * AmxTile::kRowBytes;
  constexpr uint64_t kOfLhs = 0x0000010101010101, kOfRhs = 0x0101000000000000 * AmxTile::kPairs;
  PointEvaluator &eval = frame.eval;
  Value config = frame.stack(frame.b.getI64Type(), kWords), zero = eval.i64(0), widths = eval.i64(kWidths);
  Value heights = eval.add(eval.mul(rows, eval.i64(kOfLhs)), eval.i64(kOfRhs));
  std::array<Value, kWords> words{eval.i64(1), zero, widths, widths, zero, zero, heights, zero};
  for (auto [i, word] : llvm::enumerate(words))
    frame.storeOne(word, frame.at(config, frame.b.getI64Type(), int64_t(i)));
  callTile(frame, "ldtilecfg", {config});
}

void lathe::cpu::releaseTiles(CodeFrame &frame) { callTile(frame, "tilerelease", {}); }
