// The micro-kernel of a matrix product, a function of its own that kernels with equal tiles share:
//
//   sums = 0, or the sums in memory                             // rows * vectors registers
//   for step of the depth
//     columns = `vectors` vectors of rhs[step, ...]             // lanes past the end masked off
//     for row: factor = splat(lhs[row, step]); sums[row] += factor * columns
//     with `fetches`: fetch a place of the next columns
//   store the sums, or add them to those in memory
//
// Each row's factor is used for all vectors, and each vector for all rows, so that a step loads rows + vectors values for
// rows * vectors multiply-adds.
#include "codegen/CPU/Contraction/DotTile.h"
#include "codegen/CPU/Tiles/FetchAhead.h"
#include "codegen/Math/Math.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

std::string DotTile::name() const {
  auto known = [](StringRef side, int64_t stride) { return stride ? (side + Twine(stride)).str() : std::string(); };
  auto type = [](Type type) { return nameOf(*elementOf(type)); };
  std::string panels = panelVectors ? "_by" + std::to_string(panelVectors) : "";
  std::string start = goesOn ? "_on" : adds ? "_add" : "";
  return llvm::formatv("dot_tile_{0}_{1}_{2}_{3}x{4}x{5}", type(element), type(lhs), type(rhs), rows, vectors, lanes).str() +
         panels + known("_row", rowStride) + known("_lhs", lhsStride) + known("_rhs", rhsStride) + steps().name() +
         (hasTail ? "_tail" : "") + start + (fetches ? "_fetching" : "");
}

LLVM::LLVMFuncOp DotTile::function(KernelFrame &frame) const {
  Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext()), i64 = frame.b.getI64Type();
  SmallVector<Type> types{pointer, pointer, i64, i64, i64, i64, i64, i64, pointer};
  if (fetches)
    types.append({pointer, i64});
  return sharedFunction(frame, name(), types, [&](CodeFrame &inside, ArrayRef<Value> a) {
    Arguments arguments{a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]};
    if (fetches)
      arguments.ahead = a[9], arguments.aheadPitch = a[10];
    emit(inside, arguments);
  });
}

void DotTile::call(KernelFrame &frame, const Arguments &a) const {
  SmallVector<Value> values{a.lhs, a.rhs, a.depth, a.rowStride, a.lhsStride, a.rhsStride, a.panelStride, a.lastLanes, a.sums};
  if (fetches)
    values.append({a.ahead, a.aheadPitch});
  LLVM::CallOp::create(frame.b, frame.loc, function(frame), values);
}

Value lathe::cpu::loadFactors(CodeFrame &frame, Value from, Type element, Type sums) {
  if (!isHalf(element)) {
    Value lanes = frame.loadLanes(from, scalarOf(element));
    if (element.getIntOrFloatBitWidth() == sums.getIntOrFloatBitWidth())
      return lanes;
    Type wide = frame.eval.lanes > 1 ? Type(frame.eval.vectorOf(sums)) : sums;
    if (element.isUnsignedInteger())
      return arith::ExtUIOp::create(frame.b, frame.loc, wide, lanes);
    return arith::ExtSIOp::create(frame.b, frame.loc, wide, lanes);
  }
  elementary::MathTarget features{frame.target.hasFMA, frame.target.hasF16C};
  return elementary::emitExtend(frame.b, frame.loc, frame.loadLanes(from, frame.b.getIntegerType(16)), element, features);
}

/// Adds a product to the sums: the outer product of a column of lhs, which begins at `left`, and a row of rhs.
CodeFrame::Carry DotTile::addProduct(CodeFrame &frame, const Arguments &a, Value mask, Value left, Value right,
                                     ValueRange totals) const {
  PointEvaluator &eval = frame.eval;
  Type inLhsMemory = scalarOf(lhs), inRhsMemory = scalarOf(rhs);
  unsigned inPanel = panelVectors ? panelVectors : vectors;
  SmallVector<Value> panels{right}, columns;
  while (panels.size() * inPanel < vectors)
    panels.push_back(frame.at(panels.back(), inRhsMemory, a.panelStride));
  for (unsigned v = 0; v < vectors; ++v) {
    eval.tail = v + 1 == vectors ? mask : Value();
    columns.push_back(loadFactors(frame, frame.at(panels[v / inPanel], inRhsMemory, v % inPanel * lanes), rhs, element));
  }
  eval.tail = {};
  CodeFrame::Carry next;
  for (unsigned row = 0; row < rows; ++row) {
    eval.lanes = 1;
    Value from = rowStride ? frame.at(left, inLhsMemory, rowStride * row)
                           : frame.at(left, inLhsMemory, eval.mul(a.rowStride, eval.i64(row)));
    Value one = loadFactors(frame, from, lhs, element);
    eval.lanes = lanes;
    Value factor = eval.splat(one);
    for (unsigned v = 0; v < vectors; ++v)
      next.push_back(frame.multiplyAdd(factor, columns[v], totals[row * vectors + v]));
  }
  return next;
}

void DotTile::emit(CodeFrame &frame, const Arguments &a) const {
  PointEvaluator &eval = frame.eval;
  eval.lanes = lanes;
  Value mask;
  if (hasTail)
    mask = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(a.lastLanes));
  CodeFrame::Carry carry(rows * vectors, eval.splat(eval.constant(element, 0)));
  if (goesOn)
    for (unsigned i = 0; i < rows * vectors; ++i)
      carry[i] = frame.loadLanes(frame.at(a.sums, element, i * lanes), element);
  Walk left{a.lhs, scalarOf(lhs), lhsStride ? eval.i64(lhsStride) : a.lhsStride};
  Walk right{a.rhs, scalarOf(rhs), rhsStride ? eval.i64(rhsStride) : a.rhsStride};
  Type byte = frame.b.getI8Type();
  SmallVector<Walk> walks{left, right};
  if (fetches)
    walks.push_back({a.ahead, byte, a.aheadPitch});
  carry = forProducts(frame, a.depth, steps(), walks, carry, [&](ArrayRef<Value> places, ValueRange totals) {
    if (fetches)
      fetchPlace(frame, places[2]);
    return addProduct(frame, a, mask, places[0], places[1], totals);
  });
  for (unsigned i = 0; i < rows * vectors; ++i) {
    Value to = frame.at(a.sums, element, i * lanes);
    if (adds)
      carry[i] = arith::AddFOp::create(frame.b, frame.loc, frame.loadLanes(to, element), carry[i]);
    LLVM::StoreOp::create(frame.b, frame.loc, carry[i], to, element.getIntOrFloatBitWidth() / 8);
  }
}
