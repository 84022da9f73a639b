#include "codegen/CPU/ByteProducts/Pack.h"
#include "codegen/Schedules/Panels.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Calls the body for consecutive pieces of `count` elements: in a loop for vectors of `widest` elements, then for one piece of
/// each smaller power of two that is left. Sets the evaluator's lanes.
static void forPieces(CodeFrame &frame, int64_t count, int64_t widest, function_ref<void(Value first)> body) {
  PointEvaluator &eval = frame.eval;
  int64_t full = count / widest * widest;
  eval.lanes = widest;
  if (full == widest)
    body(eval.i64(0));
  else if (full)
    frame.loop(eval.i64(0), eval.i64(full), widest, body);
  for (int64_t done = full, lanes = widest / 2; lanes; lanes /= 2) {
    if (count - done < lanes)
      continue;
    eval.lanes = lanes;
    body(eval.i64(done));
    done += lanes;
  }
}

PackedRows::PackedRows(const ByteProductShape &shape, ByteMethod method, const VectorTarget &target)
    : shape(shape), moves(method != ByteMethod::Pairs && shape.lhs.isUnsigned() != llvm::Triple(target.triple).isX86()),
      element(IntegerType::get(shape.lhs.bytes.getContext(), method != ByteMethod::Pairs ? 8 : 16)) {}

int64_t PackedRows::pitchOf(int64_t elementBytes) const {
  constexpr int64_t kCrowding = 1024, kLine = 64;
  int64_t bytes = BytePanel{shape.depth}.groups() * BytePanel::kGroup * elementBytes;
  return bytes % kCrowding ? bytes : bytes + kLine;
}

Value PackedRows::packedZero(KernelFrame &frame, Value zero) const {
  OpBuilder &b = frame.b;
  zero = zero ? zero : arith::ConstantOp::create(b, frame.loc, b.getI32IntegerAttr(0)).getResult();
  Value moved = arith::ConstantOp::create(b, frame.loc, b.getI32IntegerAttr(!moves ? 0 : shape.lhs.isUnsigned() ? -128 : 128));
  return b.createOrFold<arith::AddIOp>(frame.loc, zero, moved);
}

/// Returns the packed element of a byte that counts as 0.
Value PackedRows::fillingOf(KernelFrame &frame, Value zero) const {
  return frame.b.createOrFold<arith::TruncIOp>(frame.loc, element, packedZero(frame, zero));
}

void PackedRows::copy(CodeFrame &frame, Value from, Value to, int64_t count) const {
  OpBuilder &b = frame.b;
  PointEvaluator &eval = frame.eval;
  forPieces(frame, count, piece(frame), [&](Value first) {
    Value bytes = frame.loadLanes(frame.at(from, b.getI8Type(), first), b.getI8Type());
    Type wide = eval.lanes > 1 ? Type(eval.vectorOf(element)) : element;
    if (moves)
      bytes = arith::XOrIOp::create(b, frame.loc, bytes, eval.splat(eval.constant(b.getI8Type(), -128)));
    else if (!areBytes() && shape.lhs.isUnsigned())
      bytes = arith::ExtUIOp::create(b, frame.loc, wide, bytes);
    else if (!areBytes())
      bytes = arith::ExtSIOp::create(b, frame.loc, wide, bytes);
    frame.storeLanes(bytes, frame.at(to, element, first));
  });
}

void PackedRows::fill(CodeFrame &frame, Value filling, Value to, int64_t count) const {
  forPieces(frame, count, piece(frame),
            [&](Value first) { frame.storeLanes(frame.eval.splat(filling), frame.at(to, element, first)); });
}

void PackedRows::pack(KernelFrame &frame, Value lhs, Value zero, Value first, Value count, Value to) const {
  PointEvaluator &eval = frame.eval;
  Type byte = frame.b.getI8Type();
  Value filling = shape.image ? fillingOf(frame, zero) : Value();
  int64_t padded = BytePanel{shape.depth}.groups() * BytePanel::kGroup;
  frame.loop(eval.i64(0), count, 1, [&](Value i) {
    Value row = eval.add(first, i), into = frame.at(to, byte, eval.mul(i, eval.i64(pitch())));
    if (shape.image)
      packWindow(frame, {lhs, filling, {}}, row, into);
    else
      copy(frame, frame.at(lhs, byte, eval.mul(row, eval.extent(shape.rowStride))), into, shape.depth);
    eval.lanes = 1;
    fill(frame, eval.constant(element, 0), frame.at(into, element, shape.depth), padded - shape.depth);
  });
}

void PackedRows::widen(KernelFrame &frame, Value bytes, Value count, Value to) const {
  OpBuilder &b = frame.b;
  PointEvaluator &eval = frame.eval;
  Type byte = b.getI8Type(), word = b.getI16Type();
  int64_t padded = BytePanel{shape.depth}.groups() * BytePanel::kGroup;
  frame.loop(eval.i64(0), count, 1, [&](Value i) {
    Value from = frame.at(bytes, byte, eval.mul(i, eval.i64(bytePitch())));
    Value into = frame.at(to, byte, eval.mul(i, eval.i64(wordPitch())));
    forPieces(frame, padded, frame.target.vectorBytes / 2, [&](Value first) {
      Value narrow = frame.loadLanes(frame.at(from, byte, first), byte);
      Type wide = eval.lanes > 1 ? Type(eval.vectorOf(word)) : word;
      frame.storeLanes(arith::ExtUIOp::create(b, frame.loc, wide, narrow), frame.at(into, word, first));
    });
  });
}

void PackedRows::packWindow(KernelFrame &frame, const Window &window, Value row, Value to) const {
  PointEvaluator &eval = frame.eval;
  SmallVector<Index> output = frame.indicesOf(row, shape.rowDims);
  Window placed = window;
  for (auto [dim, index] : llvm::zip_equal(shape.image->dims, ArrayRef(output).drop_front()))
    placed.places.push_back(eval.sub(eval.mul(index.base, eval.i64(dim.stride)), eval.i64(dim.padLow)));
  packTaps(frame, placed, 0, output[0].base, Value(), to);
}

/// Returns 0 <= place < extent, for an extent below 2^63.
static Value isInside(KernelFrame &frame, Value place, Value extent) {
  return arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::ult, place, extent);
}

/// Packs the taps of the dimensions from `dim` on. `place` is the index of the image and of the positions along earlier
/// dimensions, row-major, and `inside` tells whether these are in the image (null: they are).
void PackedRows::packTaps(KernelFrame &frame, const Window &window, unsigned dim, Value place, Value inside, Value to) const {
  PointEvaluator &eval = frame.eval;
  const ConvolutionShape &image = *shape.image;
  Value extent = eval.extent(image.input[dim]);
  Value line = eval.mul(place, extent);
  if (dim + 1 == image.dims.size())
    return packLine(frame, window, line, inside, to);
  int64_t bytes = image.channels; // of a tap of this dimension
  for (const ConvolutionDim &inner : ArrayRef(image.dims).drop_front(dim + 1))
    bytes *= inner.taps;
  frame.loop(eval.i64(0), eval.i64(image.dims[dim].taps), 1, [&](Value tap) {
    Value at = eval.add(window.places[dim], eval.mul(tap, eval.i64(image.dims[dim].dilation)));
    packTaps(frame, window, dim + 1, eval.add(line, at), eval.both(inside, isInside(frame, at, extent)),
             frame.at(to, element, eval.mul(tap, eval.i64(bytes))));
  });
}

/// Packs the taps along the last dimension. Adjacent inputs are copied at once if all are in the image.
void PackedRows::packLine(KernelFrame &frame, const Window &window, Value line, Value inside, Value to) const {
  PointEvaluator &eval = frame.eval;
  const ConvolutionShape &image = *shape.image;
  const ConvolutionDim &dim = image.dims.back();
  Value first = window.places.back(), extent = eval.extent(image.input.back()), channels = eval.i64(image.channels);
  auto addressOf = [&](Value at) { return frame.at(window.lhs, frame.b.getI8Type(), eval.mul(eval.add(line, at), channels)); };
  auto packEach = [&] {
    frame.loop(eval.i64(0), eval.i64(dim.taps), 1, [&](Value tap) {
      Value at = eval.add(first, eval.mul(tap, eval.i64(dim.dilation))), into = frame.at(to, element, eval.mul(tap, channels));
      frame.choose(
          eval.both(inside, isInside(frame, at, extent)), [&] { copy(frame, addressOf(at), into, image.channels); },
          [&] { fill(frame, window.filling, into, image.channels); });
    });
  };
  if (dim.taps == 1 || dim.dilation != 1)
    return packEach();
  Value last = eval.add(first, eval.i64(dim.taps - 1));
  Value areInside = eval.both(isInside(frame, first, extent), isInside(frame, last, extent));
  frame.choose(eval.both(inside, areInside), [&] { copy(frame, addressOf(first), to, dim.taps * image.channels); }, packEach);
}
