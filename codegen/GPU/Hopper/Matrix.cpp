#include "codegen/GPU/Hopper/Matrix.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

constexpr int64_t kCopiedBytes = 16; // the driver aligns addresses and distances to 16 bytes
constexpr unsigned kMostDimensions = 5;

/// The element's number in memory as an affine expression of the loops; null where a distance is not known.
static AffineExpr offsetOf(AffineMap map, RankedTensorType type) {
  AffineExpr offset = getAffineConstantExpr(0, map.getContext());
  for (auto [i, index, extent] : llvm::enumerate(map.getResults(), dimsOf(type))) {
    if (i > 0 && !extent.isStatic())
      return {};
    offset = offset * (i > 0 ? extent.constant() : 1) + index;
  }
  return offset;
}

namespace {
/// The distances of an access' elements.
struct Strides {
  llvm::SmallVector<int64_t> byLoop; // elements
  int64_t first = 0;                 // of all

  static std::optional<Strides> of(AffineExpr offset, unsigned loops, unsigned symbols) {
    Strides strides;
    MLIRContext *context = offset.getContext();
    auto zero = getAffineConstantExpr(0, context);
    SmallVector<AffineExpr> zeros(loops, zero);
    auto first = dyn_cast<AffineConstantExpr>(offset.replaceDims(zeros));
    if (!first)
      return std::nullopt;
    strides.first = first.getValue();
    AffineExpr sum = first;
    for (unsigned dim = 0; dim < loops; ++dim) {
      SmallVector<AffineExpr> one = zeros;
      one[dim] = getAffineConstantExpr(1, context);
      auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(offset.replaceDims(one) - first, loops, symbols));
      if (!step)
        return std::nullopt;
      strides.byLoop.push_back(step.getValue());
      sum = sum + getAffineDimExpr(dim, context) * step.getValue();
    }
    if (simplifyAffineExpr(sum - offset, loops, symbols) != 0)
      return std::nullopt;
    return strides;
  }
};

/// Dimensions of the loops that are one of the map.
struct Line {
  Dim extent = Dim(1);
  int64_t stride = 0;
  Matrix::Axis axis;
};
} // namespace

/// Several dimensions as one, where their elements are evenly apart.
static std::optional<Line> lineOf(const KernelLoops &loops, const Strides &strides, ArrayRef<unsigned> dims,
                                  Matrix::Axis axis) {
  Line line;
  line.axis = axis;
  for (unsigned dim : llvm::reverse(dims)) {
    if (loops.extents[dim].isStatic(1))
      continue;
    bool isFirst = line.extent.isStatic(1);
    if (!isFirst && (!line.extent.isStatic() || strides.byLoop[dim] != line.stride * line.extent.constant()))
      return std::nullopt;
    if (isFirst)
      line.stride = strides.byLoop[dim];
    line.extent = line.extent * loops.extents[dim];
  }
  return line;
}

/// A number, or a number times one of the kernel's words.
static std::optional<TensorMap::Dimension> dimensionOf(KernelOp kernel, const KernelLoops &loops, const Dim &extent) {
  if (extent.getTerms().size() != 1)
    return std::nullopt;
  auto &[names, factor] = *extent.getTerms().begin();
  TensorMap::Dimension dimension;
  dimension.extent = factor;
  if (factor <= 0 || names.size() > 1)
    return std::nullopt;
  if (!names.empty()) {
    auto *symbol = llvm::find(loops.symbols, names.front());
    if (symbol == loops.symbols.end())
      return std::nullopt;
    dimension.word = kernel.getBody().getNumArguments() + kernel.getNumResults() + (symbol - loops.symbols.begin());
  }
  return dimension;
}

static int64_t bytesOf(const Product &product) { return product.element.getIntOrFloatBitWidth() / 8; }

/// The dimensions that an operand's elements have in memory, innermost first; empty where there is one that cannot be copied
/// by.
static SmallVector<Line> linesOf(const KernelLoops &loops, const Product &product, const Strides &strides,
                                 ArrayRef<unsigned> own) {
  int64_t bytes = bytesOf(product);
  std::optional<Line> ownLine = lineOf(loops, strides, own, {Matrix::Own}),
                      depth = lineOf(loops, strides, product.depth, {Matrix::Depth});
  if (!ownLine || !depth)
    return {};
  SmallVector<Line> lines = {*ownLine, *depth};
  for (unsigned dim : product.batch)
    if (strides.byLoop[dim] != 0 && !loops.extents[dim].isStatic(1))
      lines.push_back(*lineOf(loops, strides, dim, {Matrix::Batch, dim}));
  llvm::sort(lines, [](const Line &a, const Line &b) { return a.stride < b.stride; });
  if (lines.size() > kMostDimensions || lines.front().stride != 1 || lines.front().axis.role == Matrix::Batch)
    return {};
  for (size_t i = 1; i < lines.size(); ++i) {
    // What lies further in must end before the next step of what lies further out; of a named size that is so only if the
    // tensor's own shape says it, and then the step is not known.
    const Dim &inner = lines[i - 1].extent;
    if (!inner.isStatic() || lines[i].stride < lines[i - 1].stride * inner.constant() ||
        lines[i].stride * bytes % kCopiedBytes != 0)
      return {};
  }
  return lines;
}

std::optional<Matrix> Matrix::of(KernelOp kernel, const KernelLoops &loops, const Product &product,
                                 const ProductOperand &operand, ArrayRef<unsigned> own) {
  auto argument = dyn_cast<BlockArgument>(operand.tensor);
  NestOp nest = product.nest;
  auto access = cast<AccessAttr>(nest.getAccesses()[operand.input]);
  int64_t bytes = bytesOf(product);
  auto isTrue = [](AffineExpr constraint) { return isa<AffineConstantExpr>(constraint); };
  if (!argument || !llvm::all_of(access.getGuard().getValue().getConstraints(), isTrue))
    return std::nullopt;
  AffineMap places = access.getMap().getValue();
  AffineExpr offset = offsetOf(places, cast<RankedTensorType>(argument.getType()));
  std::optional<Strides> strides;
  if (offset)
    strides = Strides::of(offset, loops.extents.size(), places.getNumSymbols());
  if (!strides || strides->first < 0 || strides->first * bytes % kCopiedBytes != 0)
    return std::nullopt;
  Matrix matrix;
  matrix.map.word = argument.getArgNumber();
  matrix.map.element = product.element;
  matrix.map.swizzle = kRunBytes;
  matrix.map.offset = strides->first * bytes;
  for (const Line &line : linesOf(loops, product, *strides, own)) {
    std::optional<TensorMap::Dimension> dimension = dimensionOf(kernel, loops, line.extent);
    if (!dimension)
      return std::nullopt;
    dimension->stride = line.stride * bytes;
    matrix.map.dimensions.push_back(*dimension);
    matrix.axes.push_back(line.axis);
  }
  return matrix.axes.empty() ? std::nullopt : std::optional(matrix);
}
