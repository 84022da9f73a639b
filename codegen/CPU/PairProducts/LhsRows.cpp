#include "codegen/CPU/PairProducts/LhsRows.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// A slice of an image: the element of its first index, and the elements between adjacent indices of each dimension.
struct Tap {
  Value image;
  int64_t first = 0, length = 0; // `length`: of the last dimension
  SmallVector<int64_t> pitches;
};
} // namespace

/// Returns the elements between adjacent indices of each dimension of a tensor in row-major order; nullopt if one but that of
/// the first dimension is named.
static std::optional<SmallVector<int64_t>> pitchesOf(Value tensor) {
  const Dims dims = dimsOf(tensor);
  SmallVector<int64_t> pitches(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) {
    if (!dims[i].isStatic())
      return std::nullopt;
    pitches[i - 1] = pitches[i] * dims[i].constant();
  }
  return pitches;
}

/// True if an access always reads: a guard has at least the constraint that 0 is not negative.
static bool isAlwaysRead(AccessAttr access) {
  return llvm::all_of(access.getGuard().getValue().getConstraints(), [](AffineExpr constraint) {
    auto number = dyn_cast<AffineConstantExpr>(constraint);
    return number && number.getValue() == 0;
  });
}

/// Returns the slice of a tensor in memory that a value is, if it is a nest that copies one.
static std::optional<Tap> tapOf(Value value) {
  auto nest = value.getDefiningOp<NestOp>();
  if (!nest || nest.getInputs().size() != 1 || nest.getReduction() != NestReduction::None || !nest.getSymbols().empty())
    return std::nullopt;
  Block &body = nest.getBody().front();
  auto access = cast<AccessAttr>(nest.getAccesses()[0]);
  auto image = dyn_cast<BlockArgument>(nest.getInputs()[0]);
  std::optional<SmallVector<int64_t>> pitches = image ? pitchesOf(image) : std::nullopt;
  bool isCopy = body.getTerminator()->getOperand(0) == body.getArgument(0) && isAlwaysRead(access);
  const Dims last = dimsOf(value);
  if (!pitches || !isCopy || !last.back().isStatic())
    return std::nullopt;
  AffineMap map = access.getMap().getValue();
  Tap tap{image, 0, last.back().constant(), SmallVector<int64_t>(map.getNumDims(), 0)};
  for (auto [index, pitch] : llvm::zip_equal(map.getResults(), *pitches)) {
    SmallVector<int64_t> terms; // the factors of the dimensions, then the constant
    if (failed(getFlattenedAffineExpr(index, map.getNumDims(), 0, &terms)) || terms.size() != map.getNumDims() + 1)
      return std::nullopt;
    for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
      tap.pitches[dim] += terms[dim] * pitch;
    tap.first += terms.back() * pitch;
  }
  return tap;
}

/// Returns the slices that a value has side by side.
static std::optional<SmallVector<Tap>> tapsOf(Value value) {
  auto nest = value.getDefiningOp<NestOp>();
  auto dim = nest ? nest->getAttrOfType<IntegerAttr>(kConcatenatedAttr) : IntegerAttr();
  SmallVector<Value> parts{value};
  if (dim && dim.getInt() + 1 == int64_t(dimsOf(value).size()))
    parts.assign(nest.getInputs().begin(), nest.getInputs().end());
  SmallVector<Tap> taps;
  for (Value part : parts) {
    std::optional<Tap> tap = tapOf(part);
    if (!tap || (!taps.empty() && (tap->image != taps[0].image || tap->pitches != taps[0].pitches)))
      return std::nullopt;
    taps.push_back(*tap);
  }
  return taps;
}

/// Joins the taps that are adjacent in memory to chunks. Returns false if the first does not begin with the image, if they
/// differ in length or in their distance, or if a pair of factors would be in two of them.
static bool joinTaps(ArrayRef<Tap> taps, LhsRows &rows) {
  SmallVector<std::pair<int64_t, int64_t>> chunks; // first element, length
  for (const Tap &tap : taps)
    if (!chunks.empty() && chunks.back().first + chunks.back().second == tap.first)
      chunks.back().second += tap.length;
    else
      chunks.push_back({tap.first, tap.length});
  rows.chunk = chunks[0].second;
  rows.chunks = chunks.size();
  rows.chunkPitch = chunks.size() > 1 ? chunks[1].first - chunks[0].first : 0;
  for (auto [number, chunk] : llvm::enumerate(chunks))
    if (chunk.second != rows.chunk || chunk.first != int64_t(number) * rows.chunkPitch)
      return false;
  return rows.chunks == 1 || rows.chunk % 2 == 0;
}

std::optional<LhsRows> LhsRows::of(Value value, int64_t depth) {
  LhsRows rows;
  if (isa<BlockArgument>(value)) {
    rows.memory = value;
    rows.chunk = depth;
    return rows;
  }
  std::optional<SmallVector<Tap>> taps = tapsOf(value);
  if (!taps || taps->front().pitches.back() != 1 || !joinTaps(*taps, rows))
    return std::nullopt;
  rows.areAdjacent = false;
  rows.memory = taps->front().image;
  rows.pitches.assign(taps->front().pitches.begin(), taps->front().pitches.end() - 1);
  return rows;
}
