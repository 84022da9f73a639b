#include "lib/Analysis/Planes.h"
#include "lib/Analysis/Recomputation.h"
#include "lib/Analysis/Winograd.h"
#include <numeric>

using namespace mlir;
using namespace lathe;

static constexpr int64_t kMostTaps = 49;     // each has its own multiply-adds in a tile's code
static constexpr int64_t kMostReach = 48;    // columns between the outer taps of a row: tiles at borders have code each
static constexpr int64_t kLeastColumns = 16; // of a line: in shorter ones, channels fill vectors better

/// Outputs of an image whose convolution writes planes: fewer have tiles of images, more would need long tables. Of a line, the
/// least are a square that is transposed in registers. All forms of convolutions have code for that many taps.
static constexpr int64_t kLeastPlaces = 32, kMostPlaces = 1 << 18, kLeastPlacesOfLine = 4, kMostTapsToPlanes = 1 << 10;

/// Returns the permutation by which an op copies its only input; empty for any other op.
static SmallVector<int64_t> permutationOf(Operation *op) {
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return llvm::to_vector(transpose.getPermutation());
  auto nest = dyn_cast<NestOp>(op);
  if (!nest || nest.getInputs().size() != 1 || nest.getReduction() != NestReduction::None ||
      nest.getBody().front().getTerminator()->getOperand(0) != nest.getBody().front().getArgument(0))
    return {};
  auto access = cast<AccessAttr>(nest.getAccesses()[0]);
  AffineMap map = access.getMap().getValue();
  auto isTrue = [](AffineExpr expr) { return isa<AffineConstantExpr>(expr); }; // no guard is 0 >= 0
  if (!map.isPermutation() || !llvm::all_of(access.getGuard().getValue().getConstraints(), isTrue))
    return {};
  SmallVector<int64_t> permutation(map.getNumDims());
  for (auto [from, index] : llvm::enumerate(map.getResults()))
    permutation[cast<AffineDimExpr>(index).getPosition()] = from;
  return permutation;
}

static bool isPermutation(Operation *op, ArrayRef<int64_t> permutation) {
  return op && ArrayRef(permutationOf(op)) == permutation;
}

/// True if the op's results depend on values of `ops` at their own indices only, and on nothing else that is as large.
static bool isElementwiseIn(Operation *op, const llvm::SetVector<Operation *> &ops) {
  auto isInside = [&](Value value) { return value.getDefiningOp() && ops.contains(value.getDefiningOp()); };
  auto nest = dyn_cast<NestOp>(op);
  if (!nest)
    return op->hasTrait<ElementwiseTrait>() && llvm::all_of(op->getOperands(), [&](Value operand) {
             Operation *producer = operand.getDefiningOp();
             return producer && (isInside(operand) || isa<NestOp>(producer) || isRecomputed(producer));
           });
  for (auto [access, input] : llvm::zip_equal(nest.getAccesses(), nest.getInputs()))
    if (isInside(input) && !cast<AccessAttr>(access).getMap().getValue().isIdentity())
      return false;
  return nest.getReduction() == NestReduction::None && nest.getBody().getOps<ElementOp>().empty();
}

static bool suitsPlanes(ConvOp conv) {
  Dims input = dimsOf(conv.getInput()), filter = dimsOf(conv.getFilter()), output = dimsOf(conv.getResult());
  for (const Dims *dims : {&input, &filter, &output})
    if (dims->size() != 4 || !llvm::all_of(*dims, [](const Dim &dim) { return dim.isStatic() && dim.constant() > 0; }))
      return false;
  ConvolutionGeometry g = conv.getGeometry();
  Type element = getElementTypeOrSelf(conv.getType());
  int64_t rows = filter[0].constant(), columns = filter[1].constant();
  return (element.isF32() || element.isF64()) && g.groups > 1 && g.groups == input[3].constant() && input[3] == output[3] &&
         filter[2].isStatic(1) && g.strides[1] == 1 && g.inputDilation[0] == 1 && g.inputDilation[1] == 1 &&
         rows * columns <= kMostTaps && (columns - 1) * g.dilation[1] <= kMostReach && output[2].constant() >= kLeastColumns;
}

/// Returns the ops from `conv` through elementwise ops to a transpose to planes, the last of them, or nothing.
static SmallVector<Operation *> opsToTranspose(ConvOp conv) {
  Dims dims = dimsOf(conv.getResult());
  SmallVector<int64_t> toPlanes{0, int64_t(dims.size()) - 1};
  llvm::append_range(toPlanes, llvm::seq<int64_t>(1, dims.size() - 1));
  llvm::SetVector<Operation *> ops;
  ops.insert(conv);
  Operation *transpose = nullptr;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i]->getNumResults() != 1 || dimsOf(ops[i]->getResult(0)) != dims)
      return {};
    for (Operation *user : ops[i]->getUsers()) {
      if (!isPermutation(user, toPlanes)) {
        if (user->getBlock() != conv->getBlock() || (!isa<NestOp>(user) && !user->hasTrait<ElementwiseTrait>()))
          return {};
        ops.insert(user);
      } else if (transpose && user != transpose) {
        return {};
      } else {
        transpose = user;
      }
    }
  }
  if (!transpose || !llvm::all_of(llvm::drop_begin(ops), [&](Operation *op) { return isElementwiseIn(op, ops); }))
    return {};
  ops.insert(transpose);
  return ops.takeVector();
}

SmallVector<Operation *> lathe::opsBetweenPlanes(ConvOp conv) {
  Operation *first = conv.getInput().getDefiningOp();
  if (!suitsPlanes(conv) || !isPermutation(first, {0, 2, 3, 1}) || !first->hasOneUse())
    return {};
  SmallVector<Operation *> ops = opsToTranspose(conv);
  if (!ops.empty())
    ops.insert(ops.begin(), first);
  return ops;
}

/// True if the images have the sizes that opsToPlanes describes.
static bool suitsPlanesBehind(ConvOp conv) {
  Dims input = dimsOf(conv.getInput()), filter = dimsOf(conv.getFilter()), output = dimsOf(conv.getResult());
  for (const Dims *dims : {&input, &filter, &output})
    if (!llvm::all_of(ArrayRef(*dims).drop_front(dims == &filter ? 0 : 1),
                      [](const Dim &dim) { return dim.isStatic() && dim.constant() > 0; }))
      return false;
  ConvolutionGeometry g = conv.getGeometry();
  Type element = getElementTypeOrSelf(conv.getType());
  auto product = [](ArrayRef<Dim> dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                           [](int64_t all, const Dim &dim) { return all * dim.constant(); });
  };
  int64_t places = product(ArrayRef(output).drop_front().drop_back()), taps = product(ArrayRef(filter).drop_back(2));
  bool isDepthwise = g.groups > 1 && output.back().isStatic(g.groups);
  return (element.isF32() || element.isF64()) && !isDepthwise && !winogradOf(conv) &&
         llvm::all_of(g.inputDilation, [](int64_t dilation) { return dilation == 1; }) && places >= kLeastPlaces &&
         places <= kMostPlaces && output[output.size() - 2].constant() >= kLeastPlacesOfLine && taps <= kMostTapsToPlanes;
}

SmallVector<Operation *> lathe::opsToPlanes(ConvOp conv) {
  return suitsPlanesBehind(conv) ? opsToTranspose(conv) : SmallVector<Operation *>();
}

bool lathe::writesPlanes(ConvOp conv) {
  SmallVector<Operation *> ops = opsToPlanes(conv);
  return !ops.empty() && ops.back()->hasOneUse() && isa<YieldOp>(*ops.back()->user_begin());
}
