// The conversion of f32 operands to TF32:
//
//   in registers (left):       load the words of a wgmma fragment from the swizzled box; round or split each
//   in shared memory (right):  for each thread's vectors of four along the depth
//                                load them (four loads if the depth is outside), round or split, store them with the depth
//                                inside
//
// wgmma would truncate, and its TF32 operands in shared memory must have the depth inside.
#include "codegen/GPU/Hopper/Tf32Operands.h"
#include "codegen/GPU/Contraction/Tf32.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

constexpr unsigned kVectorBytes = 16, kVector = 4;      // bytes and words of a vector
constexpr unsigned kStep = kStepBytes / sizeof(float);  // depth of one product
constexpr unsigned kBoxOwn = kRunBytes / sizeof(float); // rows or columns of a box with the depth outside

static Value divide(ThreadFrame &frame, Value x, unsigned y) {
  return frame.b.createOrFold<arith::DivUIOp>(frame.loc, x, frame.number(int32_t(y)));
}

static Value remainder(ThreadFrame &frame, Value x, unsigned y) {
  return frame.b.createOrFold<arith::RemUIOp>(frame.loc, x, frame.number(int32_t(y)));
}

/// Returns the box of a row or column, and its number in the box.
static std::pair<Value, Value> boxOf(ThreadFrame &frame, const Side &side, Value slice, Value own) {
  if (side.hasDepthInside())
    return {slice, own};
  Value offset = frame.eval.mul(divide(frame, own, kBoxOwn), frame.number(int32_t(side.boxBytes())));
  return {frame.at(slice, frame.b.getI8Type(), frame.widen(offset)), remainder(frame, own, kBoxOwn)};
}

Tf32Operands::Words Tf32Operands::ready(ArrayRef<Value> words) {
  return isSplit ? splitTf32(frame, words) : nearestTf32(frame, words);
}

Tf32Operands::Words Tf32Operands::load(const Side &side, Value slice, Value first) {
  Value lane = frame.narrow(frame.remainder(frame.thread, kWarp)), depth = remainder(frame, lane, 4);
  auto [box, own] = boxOf(frame, side, slice, frame.eval.add(first, divide(frame, lane, 4)));
  SliceLayout layout = side.boxLayout();
  Words words;
  for (unsigned step = 0; step < kSteps; ++step)
    for (unsigned i = 0; i < 4; ++i)
      words.push_back(
          frame.loadOne(layout.at(frame, box, own, i % 2 * 8, depth, step * kStep + i / 2 * 4), frame.b.getI32Type()));
  return ready(words);
}

Tf32Operands::Words Tf32Operands::loadFour(Value from) {
  Type type = VectorType::get(kVector, frame.b.getI32Type());
  Value all = LLVM::LoadOp::create(frame.b, frame.loc, type, from, kVectorBytes);
  Words words;
  for (unsigned i = 0; i < kVector; ++i)
    words.push_back(LLVM::ExtractElementOp::create(frame.b, frame.loc, all, frame.number(int32_t(i))));
  return words;
}

void Tf32Operands::storeFour(ArrayRef<Value> words, Value to) {
  Value all = LLVM::UndefOp::create(frame.b, frame.loc, VectorType::get(kVector, frame.b.getI32Type()));
  for (auto [i, word] : llvm::enumerate(words))
    all = LLVM::InsertElementOp::create(frame.b, frame.loc, all, word, frame.number(int32_t(i)));
  LLVM::StoreOp::create(frame.b, frame.loc, all, to, kVectorBytes);
}

/// Converts four contiguous elements along the depth.
void Tf32Operands::convertLine(const Side &side, Value slice, Value to, Value place, Value depth) {
  SliceLayout written = SliceLayout::ofBox(side.matrix.map.element, side.length, /*hasDepthInside=*/true);
  Value target = written.at(frame, to, place, 0, depth, 0);
  Words words;
  if (side.hasDepthInside()) {
    words = loadFour(written.at(frame, slice, place, 0, depth, 0));
  } else {
    auto [box, own] = boxOf(frame, side, slice, place);
    SliceLayout layout = side.boxLayout();
    for (unsigned i = 0; i < kVector; ++i)
      words.push_back(frame.loadOne(layout.at(frame, box, own, 0, depth, i), frame.b.getI32Type()));
  }
  Words parts = ready(words);
  for (unsigned i = 0; i < parts.size(); i += kVector)
    storeFour(ArrayRef(parts).slice(i, kVector), frame.at(target, frame.b.getI8Type(), int64_t(i / kVector) * side.bytes()));
}

/// Gives a warp adjacent columns, so that its accesses have no bank conflicts in either order: 32 columns at one depth if the
/// depth is outside, else four columns with all of their depth.
void Tf32Operands::convert(const Side &side, Value slice, Value to, Value thread, unsigned threads) {
  unsigned vectors = side.depth() / kVector, count = side.length * vectors / threads;
  for (unsigned i = 0; i < count; ++i) {
    Value place, vector;
    if (side.hasDepthInside()) {
      place = frame.eval.add(divide(frame, thread, vectors), frame.number(int32_t(i * threads / vectors)));
      vector = remainder(frame, thread, vectors);
    } else {
      Value warp = frame.eval.add(divide(frame, thread, kWarp), frame.number(int32_t(i * threads / kWarp)));
      Value ofBox = frame.eval.mul(divide(frame, warp, vectors), frame.number(kWarp));
      place = frame.eval.add(remainder(frame, thread, kWarp), ofBox);
      vector = remainder(frame, warp, vectors);
    }
    convertLine(side, slice, to, place, frame.eval.mul(vector, frame.number(kVector)));
  }
}
