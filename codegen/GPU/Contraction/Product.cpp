#include "codegen/GPU/Contraction/Product.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

static Type elementTypeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

/// Returns the f16 or bf16 tensor that this f32 tensor merely widens, or null.
static Value halvesOf(Value tensor) {
  auto nest = tensor.getDefiningOp<NestOp>();
  if (!nest || nest.getInputs().size() != 1 || nest.getReduction() != NestReduction::None)
    return {};
  Value narrow = nest.getInputs()[0];
  auto widened = nest.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
  bool isPlain = widened && widened.getType().isF32() && isHalf(elementTypeOf(narrow)) && isa<BlockArgument>(widened.getIn()) &&
                 cast<AccessAttr>(nest.getAccesses()[0]).getMap().getValue().isIdentity();
  return isPlain ? narrow : Value();
}

static AffineMap mapOf(NestOp nest, unsigned input) { return cast<AccessAttr>(nest.getAccesses()[input]).getMap().getValue(); }

static IntegerSet guardOf(NestOp nest, unsigned input) {
  return cast<AccessAttr>(nest.getAccesses()[input]).getGuard().getValue();
}

static bool isTrue(IntegerSet set) {
  return llvm::all_of(set.getConstraints(), [](AffineExpr constraint) { return isa<AffineConstantExpr>(constraint); });
}

static bool usesDim(IntegerSet set, unsigned dim) {
  return llvm::any_of(set.getConstraints(), [&](AffineExpr constraint) { return constraint.isFunctionOfDim(dim); });
}

/// True if the body of a nest is one product of both inputs.
static bool multipliesInputs(NestOp nest) {
  Block &body = nest.getBody().front();
  if (nest.getReduction() != NestReduction::Sum || nest.getInputs().size() != 2 || !llvm::hasNItems(body, 2))
    return false;
  auto product = dyn_cast<arith::MulFOp>(body.front());
  if (!product || body.getTerminator()->getOperand(0) != product.getResult())
    return false;
  Value x = product.getLhs(), y = product.getRhs();
  return x != y && isa<BlockArgument>(x) && isa<BlockArgument>(y) && (x.getType().isF32() || x.getType().isF64());
}

/// Decides which operands apply their guards: those whose guard uses only their own loops. It is enough that one operand
/// applies a guard that both share. Returns false if a guard remains.
static bool divideGuard(Product &product) {
  NestOp nest = product.nest;
  auto fits = [&](unsigned input, ArrayRef<unsigned> foreign) {
    return llvm::none_of(foreign, [&](unsigned dim) { return usesDim(guardOf(nest, input), dim); });
  };
  product.lhs.isGuarded = fits(product.lhs.input, product.columns);
  product.rhs.isGuarded = fits(product.rhs.input, product.rows);
  bool isShared = guardOf(nest, 0) == guardOf(nest, 1);
  return (product.lhs.isGuarded && product.rhs.isGuarded) || (isShared && (product.lhs.isGuarded || product.rhs.isGuarded));
}

/// True if elements along the last of these loops are contiguous in memory.
static bool isContiguousAlong(const ProductOperand &operand, NestOp nest, ArrayRef<unsigned> dims) {
  AffineMap map = mapOf(nest, operand.input);
  if (map.getNumResults() == 0 || dims.empty())
    return false;
  AffineExpr last = map.getResults().back();
  auto dim = getAffineDimExpr(dims.back(), nest.getContext());
  AffineExpr step = simplifyAffineExpr(last.replace(dim, dim + 1) - last, map.getNumDims(), map.getNumSymbols());
  return step == 1;
}

/// True if aligned runs of `length` elements along these loops are aligned contiguous runs in memory, and the access guards
/// each run as a whole.
static bool hasRuns(const KernelLoops &loops, const ProductOperand &operand, NestOp nest, ArrayRef<unsigned> dims,
                    unsigned length) {
  if (!isContiguousAlong(operand, nest, dims))
    return false;
  auto isMultiple = [&](const Dim &extent) { return extent.isStatic() && extent.constant() % length == 0; };
  unsigned last = dims.back();
  bool isOnly = llvm::all_of(dims.drop_back(), [&](unsigned dim) { return loops.extents[dim].isStatic(1); });
  AffineMap map = mapOf(nest, operand.input);
  Dims extents = dimsOf(cast<RankedTensorType>(operand.tensor.getType()));
  if (operand.isGuarded && usesDim(guardOf(nest, operand.input), last))
    return false;
  if ((!isOnly && !isMultiple(loops.extents[last])) || (extents.size() > 1 && !isMultiple(extents.back())))
    return false;
  if (llvm::any_of(map.getResults().drop_back(), [&](AffineExpr index) { return index.isFunctionOfDim(last); }))
    return false;
  AffineExpr first =
      map.getResults().back().replace(getAffineDimExpr(last, nest.getContext()), getAffineConstantExpr(0, nest.getContext()));
  return simplifyAffineExpr(first, map.getNumDims(), map.getNumSymbols()).isMultipleOf(length);
}

/// Chooses along which dimension elements are copied to shared memory, and how many at once.
static void chooseCopies(KernelOp kernel, const KernelLoops &loops, const Product &product, ProductOperand &operand,
                         ArrayRef<unsigned> own) {
  constexpr unsigned kMostBytes = 16, kLeastBytes = 4;
  NestOp nest = product.nest;
  operand.isContiguousAlongDepth = isContiguousAlong(operand, nest, product.depth) && !isContiguousAlong(operand, nest, own);
  auto fill = dyn_cast<FloatAttr>(cast<AccessAttr>(nest.getAccesses()[operand.input]).getFill());
  bool hasZeros = !operand.isGuarded || isTrue(guardOf(nest, operand.input)) || (fill && fill.getValue().isPosZero());
  if (!isa<BlockArgument>(operand.tensor) || elementTypeOf(operand.tensor) != product.element || !hasZeros)
    return;
  unsigned bytes = product.element.getIntOrFloatBitWidth() / 8;
  unsigned most = kernel->hasAttr(kUnalignedAttr) ? 1 : kMostBytes / bytes;
  for (unsigned count = most; count > 1 && count * bytes >= kLeastBytes; count /= 2)
    for (bool isDepth : {true, false})
      if (hasRuns(loops, operand, nest, isDepth ? ArrayRef(product.depth) : own, count)) {
        operand.copied = count;
        operand.isContiguousAlongDepth = isDepth;
        return;
      }
  operand.copied = bytes >= kLeastBytes;
}

std::optional<Product> Product::of(KernelOp kernel, const KernelLoops &loops) {
  NestOp nest = loops.reduction;
  if (!nest || loops.parallel == 0 || !multipliesInputs(nest))
    return std::nullopt;
  Product product;
  product.nest = nest;
  product.sum = nest.getBody().front().front().getResult(0).getType();
  unsigned last = loops.parallel - 1; // the operand that depends on it has the columns
  bool isSecond = mapOf(nest, 1).isFunctionOfDim(last);
  if (isSecond == mapOf(nest, 0).isFunctionOfDim(last))
    return std::nullopt;
  product.lhs.input = isSecond ? 0 : 1;
  product.rhs.input = isSecond ? 1 : 0;
  for (unsigned dim = 0; dim < loops.parallel; ++dim) {
    bool inLhs = mapOf(nest, product.lhs.input).isFunctionOfDim(dim),
         inRhs = mapOf(nest, product.rhs.input).isFunctionOfDim(dim);
    (inLhs == inRhs ? product.batch : inLhs ? product.rows : product.columns).push_back(dim);
  }
  for (unsigned dim = loops.parallel; dim < loops.extents.size(); ++dim)
    product.depth.push_back(dim);
  if (product.rows.empty() || product.columns.empty() || !divideGuard(product))
    return std::nullopt;
  Value halves[2];
  for (ProductOperand *operand : {&product.lhs, &product.rhs}) {
    operand->tensor = nest.getInputs()[operand->input];
    halves[operand->input] = halvesOf(operand->tensor);
  }
  product.element = product.sum;
  if (halves[0] && halves[1] && elementTypeOf(halves[0]) == elementTypeOf(halves[1])) {
    product.element = elementTypeOf(halves[0]);
    product.lhs.tensor = halves[product.lhs.input];
    product.rhs.tensor = halves[product.rhs.input];
  }
  chooseCopies(kernel, loops, product, product.lhs, product.rows);
  chooseCopies(kernel, loops, product, product.rhs, product.columns);
  return product;
}

Dim lathe::gpu::extentOf(const KernelLoops &loops, ArrayRef<unsigned> dims) {
  return productOf(llvm::map_to_vector(dims, [&](unsigned dim) { return loops.extents[dim]; }));
}
