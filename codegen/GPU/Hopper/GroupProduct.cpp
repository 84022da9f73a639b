#include "codegen/GPU/Hopper/GroupProduct.h"
#include "codegen/GPU/Contraction/WarpResults.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "codegen/GPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

static bool isAtLeast(const Dim &extent, int64_t least) { return !extent.isStatic() || extent.constant() >= least; }

/// Chooses how f32 operands are converted.
static void chooseConversion(GroupProduct &chosen, bool isFast) {
  if (isFast && chosen.left.hasDepthInside() && chosen.right.hasDepthInside())
    return;
  chosen.isLeftInRegisters = true;
  chosen.isSplit = !isFast;
  if (isFast && chosen.left.hasDepthInside()) { // so that right need not be transposed
    std::swap(chosen.left, chosen.right);
    chosen.isTransposed = true;
  }
  chosen.isRightConverted = chosen.isSplit || !chosen.right.hasDepthInside();
}

/// Finds both operands as matrices. Returns false if TMA cannot copy one.
static bool findMatrices(GroupProduct &form, KernelOp kernel, const KernelLoops &loops) {
  const Product &product = form.product;
  std::optional<Matrix> lhs = Matrix::of(kernel, loops, product, product.lhs, product.rows),
                        rhs = Matrix::of(kernel, loops, product, product.rhs, product.columns);
  if (!lhs || !rhs)
    return false;
  SmallVector<Span> depth = {{product.depth}};
  form.loops = loops;
  form.batch = product.batch;
  form.left = Side(*lhs, {{product.rows}}, depth);
  form.right = Side(*rhs, {{product.columns}}, depth);
  return true;
}

/// True if the operand's tensor has exactly the taps of the residues. A residue with fewer taps than others reads past its own.
static bool hasOnlyTaps(const Matrix &matrix, ArrayRef<Residue> residues, ArrayRef<Span> depths, unsigned number) {
  auto *residue = llvm::find_if(residues, [&](const Residue &each) { return each.tap == depths[number].dims.front(); });
  return residue == residues.end() || llvm::any_of(matrix.axes, [&](const Matrix::Axis &axis) {
           return axis.first == 0 && axis.extent.isStatic(residue->taps) &&
                  llvm::any_of(axis.terms,
                               [&](const Matrix::Term &term) { return term.role == Matrix::Depth && term.number == number; });
         });
}

/// Finds the operands of a convolution, whose rows and depth are not dimensions of matrices: each loop over an image or its
/// taps is a span.
static bool findImages(GroupProduct &form, KernelOp kernel, const KernelLoops &kernelLoops) {
  const Product &product = form.product;
  ResidueLoops image = ResidueLoops::of(kernelLoops, product);
  const KernelLoops &loops = image.loops;
  auto spansOf = [&](ArrayRef<unsigned> dims) {
    SmallVector<Span> spans;
    for (unsigned dim : dims)
      if (!image.isUnit(dim))
        spans.push_back({{dim}});
    return spans;
  };
  SmallVector<Span> rows = spansOf(product.rows), columns = spansOf(product.columns), depths = spansOf(product.depth);
  SmallVector<unsigned> batch = product.batch;
  for (const Residue &residue : image.residues)
    batch.push_back(residue.residue);
  std::optional<Matrix> lhs = Matrix::ofImage(kernel, image, product, product.lhs, batch, rows, depths),
                        rhs = Matrix::ofImage(kernel, image, product, product.rhs, batch, columns, depths);
  if (!lhs || !rhs || rows.empty() || depths.empty() || columns.size() != 1)
    return false;
  // K-slices may extend past the end of any span, where one of the operands must be zero.
  for (unsigned number = 0; number < depths.size(); ++number) {
    auto isZero = [&](const Matrix &matrix) {
      return matrix.endsWith(loops, depths, number) && hasOnlyTaps(matrix, image.residues, depths, number);
    };
    bool isLeftZero = isZero(*lhs), isRightZero = isZero(*rhs);
    if (!isLeftZero && !isRightZero)
      return false;
    form.product.hasZeros |= !isLeftZero || !isRightZero;
  }
  form.loops = loops;
  form.batch = batch;
  form.product.residues = image.residues;
  form.left = Side(*lhs, rows, depths);
  form.right = Side(*rhs, columns, depths);
  form.isImage = true;
  return true;
}

std::optional<GroupProduct> GroupProduct::of(KernelOp kernel, const TiledProduct &tiled, const Target &target) {
  constexpr unsigned kMostWordsWithMaps = 400; // for a parameter of 4 KB, which has the descriptors too
  const Product &product = tiled.product;
  if (!target.hasGroupProducts() || !product.sum.isF32() || kernel->hasAttr(kUnalignedAttr) ||
      wordsOf(kernel, tiled.loops.symbols) + 2 > kMostWordsWithMaps)
    return std::nullopt;
  for (ArrayRef<unsigned> dims : {ArrayRef(product.rows), ArrayRef(product.columns), ArrayRef(product.depth)})
    if (!isAtLeast(extentOf(tiled.loops, dims), tuning::kLeastGroupProduct))
      return std::nullopt;
  if (!isHalf(product.element) && !product.element.isF32())
    return std::nullopt;
  GroupProduct chosen;
  chosen.product = product;
  if (!findMatrices(chosen, kernel, tiled.loops) && !findImages(chosen, kernel, tiled.loops))
    return std::nullopt;
  if (product.element.isF32())
    chooseConversion(chosen, target.isFast);
  return chosen;
}

unsigned GroupProduct::resultBytes() const {
  WarpResults::Size buffer{kWarpRows, kPartColumns};
  if (isTransposed)
    std::swap(buffer.rows, buffer.columns);
  return kConsumers * kGroupThreads / kWarp * WarpResults::bytesOf(buffer, isTransposed, product.sum);
}

unsigned GroupProduct::fittingStages(const Target &target) const {
  unsigned others = kConverted * convertedBytes() + resultBytes() + 2 * tuning::kMostGroupStages * kBarrierBytes;
  return std::min((target.sharedBytesOfBlock() - others) / stageBytes(), tuning::kMostGroupStages);
}
