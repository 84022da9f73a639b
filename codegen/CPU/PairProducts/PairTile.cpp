// The code of a tile's function:
//
//   sums = 0                                                    // rows * vectors registers
//   for pair of products
//     columns = `vectors` vectors of pairs of rhs
//     for row: factors = splat(two adjacent elements of lhs); sums[row] += the two products with the columns
//     with `fetches`: fetch a place of the next columns
//   store the sums
//
// If the number of products is odd, the last factor of lhs is paired with a zero, and so is that of rhs. Rows that are apart
// may consist of chunks, one after the other.
#include "codegen/CPU/PairProducts/PairTile.h"
#include "codegen/CPU/Tiles/FetchAhead.h"
#include "codegen/CPU/Tiles/Steps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static VectorType pairsType(OpBuilder &b) { return VectorType::get(2 * PairTile::kLanes, b.getBF16Type()); }

/// Returns sums + the products of two pairs in each lane.
static Value addProducts(CodeFrame &frame, Value sums, Value left, Value right) {
  StringAttr name = frame.b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512");
  return LLVM::CallIntrinsicOp::create(frame.b, frame.loc, sums.getType(), name, {sums, left, right})->getResult(0);
}

/// Adds a pair of products to the sums. `left` is the pair of the first row, `right` that of the first column.
CodeFrame::Carry PairTile::addPair(CodeFrame &frame, const Arguments &a, ArrayRef<Value> rowPlaces, Value left, Value right,
                                   bool isLast, ValueRange sums) const {
  constexpr unsigned kHalfBytes = 2;
  OpBuilder &b = frame.b;
  PointEvaluator &eval = frame.eval;
  Type half = b.getI16Type(), pair = b.getI32Type(), pairs = pairsType(b);
  SmallVector<Value> columns;
  for (unsigned v = 0; v < vectors; ++v) {
    unsigned panel = v / panelVectors;
    Value from = panel ? frame.at(right, pair, eval.mul(a.panelSize, eval.i64(panel))) : right;
    from = frame.at(from, pair, int64_t(v % panelVectors) * kLanes);
    columns.push_back(LLVM::LoadOp::create(b, frame.loc, pairs, from, kHalfBytes));
  }
  CodeFrame::Carry next;
  for (unsigned row = 0; row < rows; ++row) {
    Value from = frame.at(left, half, rowPlaces[row]);
    Value factors = LLVM::LoadOp::create(b, frame.loc, isLast ? half : pair, from, kHalfBytes);
    if (isLast)
      factors = arith::ExtUIOp::create(b, frame.loc, pair, factors);
    factors = LLVM::BitcastOp::create(b, frame.loc, pairs, eval.splat(factors));
    for (unsigned v = 0; v < vectors; ++v)
      next.push_back(addProducts(frame, sums[row * vectors + v], factors, columns[v]));
  }
  return next;
}

CodeFrame::Carry PairTile::addRun(CodeFrame &frame, const Arguments &a, ArrayRef<Value> rowPlaces, Value left, Value right,
                                  Value ahead, ValueRange sums) const {
  PointEvaluator &eval = frame.eval;
  Type pair = frame.b.getI32Type(), byte = frame.b.getI8Type();
  int64_t pitch = int64_t(panelVectors) * kLanes;
  SmallVector<Walk> walks{{left, pair, eval.i64(1)}, {right, pair, eval.i64(pitch)}};
  if (fetches)
    walks.push_back({ahead, byte, a.aheadPitch});
  auto add = [&](ArrayRef<Value> places, ValueRange sums) {
    if (fetches)
      fetchPlace(frame, places[2]);
    return addPair(frame, a, rowPlaces, places[0], places[1], /*isLast=*/false, sums);
  };
  CodeFrame::Carry next = forProducts(frame, a.pairs, ProductSteps::of(rows * vectors, /*multiple=*/1), walks, sums, add);
  if (!isOdd)
    return next;
  return addPair(frame, a, rowPlaces, frame.at(left, pair, a.pairs), frame.at(right, pair, eval.mul(a.pairs, eval.i64(pitch))),
                 /*isLast=*/true, next);
}

void PairTile::emit(CodeFrame &frame, const Arguments &a) const {
  PointEvaluator &eval = frame.eval;
  Type single = frame.b.getF32Type(), half = frame.b.getI16Type(), pair = frame.b.getI32Type(), word = frame.b.getI64Type();
  SmallVector<Value> rowPlaces;
  for (unsigned row = 0; row < rows; ++row)
    rowPlaces.push_back(isApart ? frame.loadOne(frame.at(a.rowPitch, word, row), word) : eval.mul(a.rowPitch, eval.i64(row)));
  eval.lanes = kLanes;
  CodeFrame::Carry sums(rows * vectors, eval.splat(eval.constant(single, 0)));
  if (!isApart) {
    sums = addRun(frame, a, rowPlaces, a.lhs, a.rhs, a.ahead, sums);
  } else {
    Value run = eval.mul(a.pairs, eval.i64(int64_t(panelVectors) * kLanes));
    sums = frame.loop(eval.i64(0), a.chunks, 1, sums, [&](Value chunk, ValueRange sums) {
      Value left = frame.at(a.lhs, half, eval.mul(chunk, a.chunkPitch)), right = frame.at(a.rhs, pair, eval.mul(chunk, run));
      Value ahead =
          fetches ? frame.at(a.ahead, frame.b.getI8Type(), eval.mul(chunk, eval.mul(a.pairs, a.aheadPitch))) : Value();
      return addRun(frame, a, rowPlaces, left, right, ahead, sums);
    });
  }
  for (unsigned i = 0; i < rows * vectors; ++i)
    frame.storeLanes(sums[i], frame.at(a.sums, single, i * kLanes));
}

void PairTile::call(KernelFrame &frame, const Arguments &a) const {
  std::string symbol = llvm::formatv("pair_tile_{0}x{1}_by{2}{3}{4}{5}", rows, vectors, panelVectors, isOdd ? "_odd" : "",
                                     isApart ? "_apart" : "", fetches ? "_fetching" : "")
                           .str();
  Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext()), i64 = frame.b.getI64Type();
  SmallVector<Type> types{pointer, isApart ? pointer : i64, pointer, i64, i64, pointer};
  SmallVector<Value> values{a.lhs, a.rowPitch, a.rhs, a.pairs, a.panelSize, a.sums};
  if (isApart) {
    types.append({i64, i64});
    values.append({a.chunks, a.chunkPitch});
  }
  if (fetches) {
    types.append({pointer, i64});
    values.append({a.ahead, a.aheadPitch});
  }
  LLVM::LLVMFuncOp function = sharedFunction(frame, symbol, types, [&](CodeFrame &inside, ArrayRef<Value> v) {
    Arguments own{v[0], v[1], v[2], v[3], v[4], v[5], {}, {}, {}, {}};
    if (isApart)
      own.chunks = v[6], own.chunkPitch = v[7];
    if (fetches)
      own.ahead = v[v.size() - 2], own.aheadPitch = v[v.size() - 1];
    emit(inside, own);
  });
  LLVM::CallOp::create(frame.b, frame.loc, function, values);
}
