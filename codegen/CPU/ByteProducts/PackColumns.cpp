#include "codegen/CPU/ByteProducts/Pack.h"
#include "codegen/Schedules/Panels.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// Packs one panel of rhs: at most kColumns columns from `from` on.
class PanelPacker {
public:
  PanelPacker(KernelFrame &frame, const ByteProductShape &shape, Value from, int64_t columns, Value to)
      : frame(frame), b(frame.b), panel{shape.depth}, pitch(shape.columns), columns(columns), from(from), to(to) {}

  void pack() {
    PointEvaluator &eval = frame.eval;
    eval.lanes = BytePanel::kColumns;
    Value sums = eval.splat(eval.constant(b.getI32Type(), 0));
    int64_t whole = panel.depth / BytePanel::kGroup;
    sums = frame.loop(eval.i64(0), eval.i64(whole), 1, sums, [&](Value group, ValueRange carried) {
      return CodeFrame::Carry{packGroup(group, BytePanel::kGroup, carried[0])};
    })[0];
    if (int64_t rest = panel.depth % BytePanel::kGroup)
      sums = packGroup(eval.i64(whole), rest, sums);
    eval.lanes = BytePanel::kColumns;
    frame.storeLanes(sums, frame.at(to, b.getI8Type(), panel.sumsOffset()));
  }

private:
  /// Packs a group of `rows` rows. Returns the sums of the columns with these rows added.
  Value packGroup(Value group, int64_t rows, Value sums) {
    PointEvaluator &eval = frame.eval;
    eval.lanes = BytePanel::kColumns;
    SmallVector<Value, BytePanel::kGroup> each(BytePanel::kGroup, eval.splat(eval.constant(b.getI8Type(), 0)));
    for (int64_t row = 0; row < rows; ++row) {
      Value index = eval.add(eval.mul(group, eval.i64(BytePanel::kGroup)), eval.i64(row));
      each[row] = loadRow(frame.at(from, b.getI8Type(), eval.mul(index, eval.i64(pitch))));
      sums = arith::AddIOp::create(b, frame.loc, sums,
                                   arith::ExtSIOp::create(b, frame.loc, sums.getType(), each[row]).getResult());
    }
    Value mixed = interleave(interleave(each[0], each[2]), interleave(each[1], each[3]));
    LLVM::StoreOp::create(b, frame.loc, mixed, frame.at(to, b.getI8Type(), eval.mul(group, eval.i64(BytePanel::kGroupBytes))),
                          1);
    return sums;
  }

  /// Loads a row's columns; missing ones are zeros.
  Value loadRow(Value at) {
    PointEvaluator &eval = frame.eval;
    if (columns < BytePanel::kColumns)
      eval.tail = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(eval.i64(columns)));
    Value row = frame.loadLanes(at, b.getI8Type());
    eval.tail = {};
    return row;
  }

  Value interleave(Value x, Value y) {
    int32_t count = cast<VectorType>(x.getType()).getNumElements();
    SmallVector<int32_t> places;
    for (int32_t i = 0; i < count; ++i)
      places.push_back(i), places.push_back(count + i);
    return LLVM::ShuffleVectorOp::create(b, frame.loc, x, y, places);
  }

  KernelFrame &frame;
  OpBuilder &b;
  BytePanel panel;
  int64_t pitch, columns;
  Value from, to;
};
} // namespace

void lathe::cpu::packColumns(KernelFrame &frame, const ByteProductShape &shape, Value rhs, Value first, int64_t panels,
                             Value to) {
  PointEvaluator &eval = frame.eval;
  Type byte = frame.b.getI8Type();
  constexpr int64_t kWide = BytePanel::kColumns;
  int64_t whole = shape.columns / kWide * kWide, rest = shape.columns % kWide;
  frame.loop(eval.i64(0), eval.i64(panels), 1, [&](Value panel) {
    Value column = eval.add(first, eval.mul(panel, eval.i64(kWide)));
    Value into = frame.at(to, byte, eval.mul(panel, eval.i64(BytePanel{shape.depth}.bytes()))),
          from = frame.at(rhs, byte, column);
    auto below = [&](int64_t end) {
      return arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, column, eval.i64(end)).getResult();
    };
    if (whole)
      frame.when(below(whole), [&] { PanelPacker(frame, shape, from, kWide, into).pack(); });
    if (rest)
      frame.when(arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, column, eval.i64(whole)),
                 [&] { PanelPacker(frame, shape, from, rest, into).pack(); });
  });
}
