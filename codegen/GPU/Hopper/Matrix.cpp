#include "codegen/GPU/Hopper/Matrix.h"
#include "codegen/GPU/Hopper/Strides.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

constexpr int64_t kCopiedBytes = 16; // TMA needs addresses and strides that are multiples of it
constexpr unsigned kMostDimensions = 5;

/// Returns the linear index of an element as an affine expression of the loops, or null if a stride is not known.
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
/// Loops that are one dimension of the map.
struct MergedLoops {
  Dim extent = Dim(1);
  int64_t stride = 0;
  Matrix::Term term;
};
} // namespace

/// Merges loops into one dimension. Returns nullopt if their elements are not evenly spaced.
static std::optional<MergedLoops> mergeLoops(const KernelLoops &loops, const Strides &strides, ArrayRef<unsigned> dims,
                                             Matrix::Term term) {
  MergedLoops merged;
  merged.term = term;
  for (unsigned dim : llvm::reverse(dims)) {
    if (loops.extents[dim].isStatic(1))
      continue;
    bool isFirst = merged.extent.isStatic(1);
    if (!isFirst && (!merged.extent.isStatic() || strides.byLoop[dim] != merged.stride * merged.extent.constant()))
      return std::nullopt;
    if (isFirst)
      merged.stride = strides.byLoop[dim];
    merged.extent = merged.extent * loops.extents[dim];
  }
  return merged;
}

/// Returns a dimension of the map with this extent: a number, or a number times one of the kernel's words. Returns nullopt for
/// any other extent.
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

/// Returns the dimensions of an operand in memory, innermost first. Returns none if TMA does not support one.
static SmallVector<MergedLoops> dimensionsOf(const KernelLoops &loops, const Product &product, const Strides &strides,
                                             ArrayRef<unsigned> own) {
  int64_t bytes = bytesOf(product);
  std::optional<MergedLoops> ownLoops = mergeLoops(loops, strides, own, {Matrix::Own}),
                             depth = mergeLoops(loops, strides, product.depth, {Matrix::Depth});
  if (!ownLoops || !depth)
    return {};
  SmallVector<MergedLoops> dimensions = {*ownLoops, *depth};
  for (unsigned dim : product.batch)
    if (strides.byLoop[dim] != 0 && !loops.extents[dim].isStatic(1))
      dimensions.push_back(*mergeLoops(loops, strides, dim, {Matrix::Batch, dim}));
  llvm::sort(dimensions, [](const MergedLoops &a, const MergedLoops &b) { return a.stride < b.stride; });
  if (dimensions.size() > kMostDimensions || dimensions.front().stride != 1 || dimensions.front().term.role == Matrix::Batch)
    return {};
  for (size_t i = 1; i < dimensions.size(); ++i) {
    // An inner dimension must end before the next step of an outer one. For a named size only the tensor's shape can guarantee
    // that, and then the stride is not known.
    const Dim &inner = dimensions[i - 1].extent;
    if (!inner.isStatic() || dimensions[i].stride < dimensions[i - 1].stride * inner.constant() ||
        dimensions[i].stride * bytes % kCopiedBytes != 0)
      return {};
  }
  return dimensions;
}

/// True if a constraint holds for all points.
static bool isTrue(const KernelLoops &loops, AffineExpr constraint, bool isEqual, unsigned symbols) {
  if (isEqual)
    return constraint == 0;
  std::optional<Strides> sum = Strides::of(constraint, loops.extents.size(), symbols);
  return sum && sum->isNeverNegative(loops);
}

static bool hasNoGuard(const KernelLoops &loops, IntegerSet guard) {
  return llvm::all_of(llvm::zip_equal(guard.getConstraints(), guard.getEqFlags()), [&](auto pair) {
    auto [constraint, isEqual] = pair;
    return isTrue(loops, constraint, isEqual, guard.getNumSymbols());
  });
}

std::optional<Matrix> Matrix::of(KernelOp kernel, const KernelLoops &loops, const Product &product,
                                 const ProductOperand &operand, ArrayRef<unsigned> own) {
  auto argument = dyn_cast<BlockArgument>(operand.tensor);
  NestOp nest = product.nest;
  auto access = cast<AccessAttr>(nest.getAccesses()[operand.input]);
  int64_t bytes = bytesOf(product);
  if (!argument || !hasNoGuard(loops, access.getGuard().getValue()))
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
  for (const MergedLoops &merged : dimensionsOf(loops, product, *strides, own)) {
    std::optional<TensorMap::Dimension> dimension = dimensionOf(kernel, loops, merged.extent);
    if (!dimension)
      return std::nullopt;
    dimension->stride = merged.stride * bytes;
    matrix.map.dimensions.push_back(*dimension);
    matrix.axes.push_back({{merged.term}, 0, merged.extent});
  }
  return matrix.axes.empty() ? std::nullopt : std::optional(matrix);
}

/// Returns the strides of the loops for each index of an operand, without loops of one step. Returns none if an index is not a
/// sum of strides.
static SmallVector<Strides> placesOf(const ResidueLoops &image, AffineMap map) {
  SmallVector<Strides> places;
  for (AffineExpr index : map.getResults()) {
    std::optional<Strides> place = Strides::of(index, image.loops.extents.size(), map.getNumSymbols());
    if (!place)
      return {};
    for (unsigned dim = 0; dim < place->byLoop.size(); ++dim)
      if (image.isUnit(dim))
        place->byLoop[dim] = 0;
    places.push_back(*place);
  }
  return places;
}

/// True if a constraint states that an index is not below or not past the range of a tensor's dimension.
static bool isBound(Strides constraint, const Strides &place, const Dim &extent) {
  int64_t factor = 0; // common factor of all steps
  for (int64_t step : constraint.byLoop)
    factor = std::gcd(factor, step);
  auto isSum = [&](int64_t sign, int64_t first) {
    return constraint.first == factor * (sign * place.first + first) &&
           llvm::all_of(llvm::zip_equal(constraint.byLoop, place.byLoop),
                        [&](auto pair) { return std::get<0>(pair) == factor * sign * std::get<1>(pair); });
  };
  return isSum(1, 0) || (extent.isStatic() && isSum(-1, extent.constant() - 1));
}

/// True if the product's guards exclude only elements out of range of either operand's tensor, where it is zero.
static bool hasOnlyBounds(const ResidueLoops &image, NestOp nest) {
  const KernelLoops &loops = image.loops;
  auto isBoundOf = [&](const Strides &constraint, unsigned input) {
    Dims extents = dimsOf(cast<RankedTensorType>(nest.getInputs()[input].getType()));
    return llvm::any_of(llvm::zip(placesOf(image, image.maps[input]), extents),
                        [&](const auto &pair) { return isBound(constraint, std::get<0>(pair), std::get<1>(pair)); });
  };
  for (unsigned input : {0, 1}) {
    IntegerSet guard = image.guards[input];
    auto fill = dyn_cast<FloatAttr>(cast<AccessAttr>(nest.getAccesses()[input]).getFill());
    for (auto [constraint, isEqual] : llvm::zip_equal(guard.getConstraints(), guard.getEqFlags())) {
      if (isTrue(loops, constraint, isEqual, guard.getNumSymbols()))
        continue;
      AffineMap alone = AffineMap::get(guard.getNumDims(), guard.getNumSymbols(), constraint);
      SmallVector<Strides> sum = placesOf(image, alone);
      if (isEqual || sum.empty() || !fill || !fill.getValue().isPosZero() ||
          !(isBoundOf(sum.front(), 0) || isBoundOf(sum.front(), 1)))
        return false;
    }
  }
  return true;
}

/// Returns the terms that move a box along a dimension. Returns nullopt if one is a loop of no span.
static std::optional<Matrix::Axis> axisOf(ArrayRef<unsigned> batch, const Strides &place, const Dim &extent, ArrayRef<Span> own,
                                          ArrayRef<Span> depths) {
  Matrix::Axis axis;
  axis.first = place.first;
  axis.extent = extent;
  for (auto [dim, step] : llvm::enumerate(place.byLoop)) {
    if (step == 0)
      continue;
    auto numberIn = [dim = unsigned(dim)](ArrayRef<Span> spans) {
      return unsigned(llvm::find_if(spans, [&](const Span &span) { return span.dims.front() == dim; }) - spans.begin());
    };
    if (unsigned number = numberIn(own); number < own.size())
      axis.terms.push_back({Matrix::Own, number, step});
    else if (unsigned number = numberIn(depths); number < depths.size())
      axis.terms.push_back({Matrix::Depth, number, step});
    else if (llvm::is_contained(batch, dim))
      axis.terms.push_back({Matrix::Batch, unsigned(dim), step});
    else
      return std::nullopt;
  }
  return axis;
}

std::optional<Matrix> Matrix::ofImage(KernelOp kernel, const ResidueLoops &image, const Product &product,
                                      const ProductOperand &operand, ArrayRef<unsigned> batch, ArrayRef<Span> own,
                                      ArrayRef<Span> depths) {
  auto argument = dyn_cast<BlockArgument>(operand.tensor);
  SmallVector<Strides> places = placesOf(image, image.maps[operand.input]);
  if (!argument || places.empty() || !hasOnlyBounds(image, product.nest))
    return std::nullopt;
  Matrix matrix;
  matrix.map.word = argument.getArgNumber();
  matrix.map.element = product.element;
  matrix.map.swizzle = kRunBytes;
  int64_t distance = bytesOf(product);
  Dims extents = dimsOf(cast<RankedTensorType>(argument.getType()));
  for (size_t i = extents.size(); i-- > 0;) {
    std::optional<Axis> axis = axisOf(batch, places[i], extents[i], own, depths);
    std::optional<TensorMap::Dimension> dimension = dimensionOf(kernel, image.loops, extents[i]);
    if (!axis || !dimension || (i > 0 && !extents[i].isStatic()))
      return std::nullopt;
    dimension->stride = distance;
    distance *= i > 0 ? extents[i].constant() : 1;
    if (extents[i].isStatic(1) && axis->terms.empty() && axis->first == 0)
      continue;
    if (!matrix.axes.empty() && dimension->stride % kCopiedBytes != 0)
      return std::nullopt;
    matrix.map.dimensions.push_back(*dimension);
    matrix.axes.push_back(*axis);
  }
  if (matrix.axes.size() < 2 || matrix.axes.size() > kMostDimensions || matrix.axes.front().terms.size() != 1)
    return std::nullopt;
  return matrix;
}

bool Matrix::endsWith(const KernelLoops &loops, ArrayRef<Span> depths, unsigned number) const {
  const Dim &length = loops.extents[depths[number].dims.front()];
  return llvm::any_of(axes, [&](const Axis &axis) {
    int64_t step = 0;
    for (const Term &term : axis.terms) {
      if (term.step < 0)
        return false;
      if (term.role == Depth && term.number == number)
        step = term.step;
    }
    bool isSame = step == 1 && axis.first == 0 && axis.extent == length;
    return isSame || (step > 0 && axis.extent.isStatic() && length.isStatic() &&
                      step * length.constant() + axis.first >= axis.extent.constant());
  });
}
