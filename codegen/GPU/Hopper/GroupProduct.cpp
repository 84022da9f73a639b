#include "codegen/GPU/Hopper/GroupProduct.h"
#include "codegen/GPU/Contraction/Tile.h"
#include "codegen/GPU/Forms.h"
#include "codegen/GPU/Hopper/Boxes.h"
#include "codegen/GPU/Vectors.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

static bool isAtLeast(const Dim &extent, int64_t least) { return !extent.isStatic() || extent.constant() >= least; }

/// Sets a tile's size and, of an image, the boxes that it and pieces of the depth are; false where there are none.
static bool cut(GroupProduct &form, unsigned columns) {
  const KernelLoops &loops = form.loops;
  Side &left = form.left, &right = form.right;
  left.length = kMultipliers * 64;
  right.length = columns;
  right.number = 1;
  right.offset = left.bytes();
  for (Side *side : {&left, &right}) {
    for (SmallVector<Span> *spans : {&side->own, &side->depths})
      for (Span &span : *spans)
        span.box = 1;
    side->own.back().box = side->length;
    side->depths.back().box = side->depth();
  }
  if (!form.isImage)
    return true;
  // Where an operand has the depth inside, a piece is a run of the last span; else a box of any.
  if (!left.hasDepthInside() && !right.hasDepthInside() && !chooseBoxes(loops, left.depths, left.depth(), [&] {
        right.depths = left.depths;
        return left.isCopied() && right.isCopied();
      }))
    return false;
  right.depths = left.depths;
  return llvm::all_of(ArrayRef({&left, &right}), [&](Side *side) {
    return chooseBoxes(loops, side->own, side->length, [&] { return side->isCopied(); });
  });
}

/// Wide tiles read less of the operands for each product; narrow ones are more, for multiprocessors that would have none. By
/// the time of the block that has most, in which each tile costs something of its own. 0 where none can be cut.
static unsigned chooseColumns(GroupProduct &form, int64_t parts) {
  constexpr int64_t kProcessors = 132, kLarge = 4096, kOfTile = 32;
  Dim batch = extentOf(form.loops, form.batch);
  int64_t matrices = batch.isStatic() ? batch.constant() : kLarge, least = 0;
  unsigned best = 0;
  for (unsigned width : {64, 128, 256}) {
    if ((form.isSplit && width > 128) || !cut(form, width)) // sums of two parts take twice as many registers
      continue;
    int64_t tiles = boxesOf(form.loops, form.left.own) * boxesOf(form.loops, form.right.own) * matrices * parts;
    int64_t cost = int64_t(llvm::divideCeil(tiles, kProcessors)) * (width + kOfTile);
    if (best == 0 || cost <= least) {
      best = width;
      least = cost;
    }
  }
  return best;
}

/// How f32 come.
static void chooseSingles(GroupProduct &chosen, bool isFast) {
  if (isFast && chosen.left.hasDepthInside() && chosen.right.hasDepthInside())
    return;
  chosen.isLeftInRegisters = true;
  chosen.isSplit = !isFast;
  if (isFast && chosen.left.hasDepthInside()) { // so that right need not be turned
    std::swap(chosen.left, chosen.right);
    chosen.isTurned = true;
  }
  chosen.isRightConverted = chosen.isSplit || !chosen.right.hasDepthInside();
}

/// Both operands as matrices.
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

/// Whether the operand has no taps but those of the phases: a phase that has fewer than others reads beyond its own.
static bool hasTapsAlone(const Matrix &matrix, ArrayRef<Phase> phases, ArrayRef<Span> depths, unsigned number) {
  auto *phase = llvm::find_if(phases, [&](const Phase &each) { return each.tap == depths[number].dims.front(); });
  return phase == phases.end() || llvm::any_of(matrix.axes, [&](const Matrix::Axis &axis) {
           return axis.first == 0 && axis.extent.isStatic(phase->taps) &&
                  llvm::any_of(axis.terms,
                               [&](const Matrix::Term &term) { return term.role == Matrix::Depth && term.number == number; });
         });
}

/// The same where rows or the depth are no matrix' dimension: those of an image and of taps, each by itself.
static bool findImages(GroupProduct &form, KernelOp kernel, const KernelLoops &kernelLoops) {
  const Product &product = form.product;
  PhasedLoops image = PhasedLoops::of(kernelLoops, product);
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
  for (const Phase &phase : image.phases)
    batch.push_back(phase.phase);
  std::optional<Matrix> lhs = Matrix::ofImage(kernel, image, product, product.lhs, batch, rows, depths),
                        rhs = Matrix::ofImage(kernel, image, product, product.rhs, batch, columns, depths);
  if (!lhs || !rhs || rows.empty() || depths.empty() || columns.size() != 1)
    return false;
  // Pieces may go beyond the end of any of them, where one of the operands must be zero.
  for (unsigned number = 0; number < depths.size(); ++number) {
    auto isZero = [&](const Matrix &matrix) {
      return matrix.endsWith(loops, depths, number) && hasTapsAlone(matrix, image.phases, depths, number);
    };
    bool isLeftZero = isZero(*lhs), isRightZero = isZero(*rhs);
    if (!isLeftZero && !isRightZero)
      return false;
    form.product.hasZeros |= !isLeftZero || !isRightZero;
  }
  form.loops = loops;
  form.batch = batch;
  form.product.phases = image.phases;
  form.left = Side(*lhs, rows, depths);
  form.right = Side(*rhs, columns, depths);
  form.isImage = true;
  return true;
}

std::optional<GroupProduct> GroupProduct::of(KernelOp kernel, const KernelLoops &loops, const Product &product,
                                             const Target &target) {
  constexpr int64_t kLeast = 64;
  constexpr double kLeastUsed = 0.6;           // of an image: what the other form loses by slower instructions
  constexpr unsigned kMostWordsWithMaps = 400; // of a parameter of 4 KB, which has the maps too
  if (!target.hasGroupProducts() || !product.sum.isF32() || kernel->hasAttr(kUnalignedAttr) ||
      wordsOf(kernel, loops.symbols) + 2 > kMostWordsWithMaps)
    return std::nullopt;
  for (ArrayRef<unsigned> dims : {ArrayRef(product.rows), ArrayRef(product.columns), ArrayRef(product.depth)})
    if (!isAtLeast(extentOf(loops, dims), kLeast))
      return std::nullopt;
  if (!isHalf(product.element) && !product.element.isF32())
    return std::nullopt;
  GroupProduct chosen;
  chosen.product = product;
  if (!findMatrices(chosen, kernel, loops) && !findImages(chosen, kernel, loops))
    return std::nullopt;
  if (product.element.isF32())
    chooseSingles(chosen, target.isFast);
  unsigned columns = chooseColumns(chosen, TileGrid(product, chooseTile(product, loops, target.isFast), loops).parts);
  if (columns == 0 || !cut(chosen, columns))
    return std::nullopt;
  ArrayRef<Span> rows = (chosen.isTurned ? chosen.right : chosen.left).own;
  if (chosen.isImage && usedOf(chosen.loops, rows) * usedOf(chosen.loops, chosen.left.depths) < kLeastUsed)
    return std::nullopt;
  return chosen;
}
