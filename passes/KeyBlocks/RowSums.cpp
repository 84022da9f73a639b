#include "passes/KeyBlocks/RowSums.h"
#include "dialects/Lathe/IR/EraseUnused.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "mlir/IR/Builders.h"
#include "passes/KeyBlocks/BlockOps.h"

using namespace mlir;
using namespace lathe;

/// Returns the value with one element for each row that a matrix repeats; null if it is another matrix.
static Value repeatedAlongRows(Value matrix) {
  auto broadcast = matrix.getDefiningOp<BroadcastOp>();
  Dims dims = dimsOf(matrix);
  if (!broadcast || dims.empty() || !llvm::equal(broadcast.getDims(), llvm::seq<int64_t>(0, dims.size() - 1)))
    return {};
  return ArrayRef(dimsOf(broadcast.getOperand())) == ArrayRef(dims).drop_back() ? broadcast.getOperand() : Value();
}

static Value repeatAlongRows(OpBuilder &builder, Location location, Value rows, Value likeMatrix) {
  SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(0, dimsOf(rows).size()));
  return BroadcastOp::create(builder, location, rows, places, shapeOf(builder.getContext(), dimsOf(likeMatrix)));
}

/// True if `result` is the product of weights and the values whose product with cotangents of the result is `cotangents`.
static bool isResultOf(DotGeneralOp result, DotGeneralOp cotangents, Value weights) {
  int64_t rank = dimsOf(weights).size();
  return result.getLhs() == weights && result.getRhs() == cotangents.getRhs() &&
         dimsOf(cotangents.getResult()) == dimsOf(weights) && result.getLhsContract() == ArrayRef<int64_t>{rank - 1} &&
         int64_t(result.getLhsBatch().size()) == rank - 2 &&
         llvm::equal(result.getLhsBatch(), llvm::seq<int64_t>(0, rank - 2)) &&
         result.getRhsBatch() == cotangents.getRhsBatch() && cotangents.getRhsContract().size() == 1 &&
         result.getRhsContract().front() != cotangents.getRhsContract().front();
}

/// Returns the cotangents of the result with the dimensions of the result: the batch, the rows, the columns.
static Value emitCotangents(OpBuilder &builder, DotGeneralOp cotangents) {
  Value lhs = cotangents.getLhs();
  SmallVector<int64_t> order(cotangents.getLhsBatch());
  llvm::append_range(order, freeDimsOf(lhs, cotangents.getLhsContract(), cotangents.getLhsBatch()));
  llvm::append_range(order, cotangents.getLhsContract());
  return llvm::is_sorted(order) ? lhs : Value(TransposeOp::create(builder, cotangents.getLoc(), lhs, order));
}

/// Emits the sums along rows of `cotangents * weights`, from the result that the weights give. Returns null if there is none.
static Value emitSum(OpBuilder &builder, ReduceOp sum, DotGeneralOp cotangents, Value weights) {
  Location location = sum.getLoc();
  for (Operation *user : weights.getUsers()) {
    auto result = dyn_cast<DotGeneralOp>(user);
    if (!result || result->getBlock() != sum->getBlock() || !result->isBeforeInBlock(sum) ||
        !isResultOf(result, cotangents, weights))
      continue;
    Value products = MulOp::create(builder, location, emitCotangents(builder, cotangents), result);
    int64_t last = dimsOf(products).size() - 1;
    return ReduceOp::create(builder, location, ReduceKind::Sum, products, ArrayRef<int64_t>{last});
  }
  if (auto neg = weights.getDefiningOp<NegOp>()) {
    Value positive = emitSum(builder, sum, cotangents, neg.getOperand());
    return positive ? Value(NegOp::create(builder, location, positive)) : Value();
  }
  auto div = weights.getDefiningOp<DivOp>();
  Value divisor = div ? repeatedAlongRows(div.getRhs()) : Value();
  Value whole = divisor ? emitSum(builder, sum, cotangents, div.getLhs()) : Value();
  return whole ? Value(DivOp::create(builder, location, whole, divisor)) : Value();
}

static bool simplifySum(ReduceOp sum) {
  auto mul = sum.getOperand().getDefiningOp<MulOp>();
  int64_t last = dimsOf(sum.getOperand()).size() - 1;
  if (!mul || sum.getKind() != ReduceKind::Sum || sum.getDims() != ArrayRef<int64_t>{last})
    return false;
  OpBuilder builder(sum);
  for (unsigned i : {0, 1})
    if (auto cotangents = mul->getOperand(i).getDefiningOp<DotGeneralOp>())
      if (Value thin = emitSum(builder, sum, cotangents, mul->getOperand(1 - i))) {
        sum.replaceAllUsesWith(thin);
        return true;
      }
  return false;
}

/// Returns the quotient of a matrix and a divisor that is computed before `op`; null if there is none.
static DivOp quotientBefore(Operation *op, Value matrix, Value divisor) {
  for (Operation *user : matrix.getUsers())
    if (auto div = dyn_cast<DivOp>(user); div && div.getLhs() == matrix && div.getRhs() == divisor &&
                                          div->getBlock() == op->getBlock() && div->isBeforeInBlock(op))
      return div;
  return {};
}

/// Multiplies the weights, which are computed anyway, by the cotangents in place of both factors of the weights.
static bool simplifyProduct(MulOp mul) {
  OpBuilder builder(mul);
  for (unsigned ofMul : {0, 1})
    for (unsigned ofAdd : {0, 1}) {
      auto add = mul->getOperand(ofMul).getDefiningOp<AddOp>();
      auto share = add ? add->getOperand(ofAdd).getDefiningOp<DivOp>() : DivOp();
      Value divisor = share ? repeatedAlongRows(share.getRhs()) : Value();
      Value term = divisor ? repeatedAlongRows(add->getOperand(1 - ofAdd)) : Value();
      DivOp weights = term ? quotientBefore(mul, mul->getOperand(1 - ofMul), share.getRhs()) : DivOp();
      if (!weights)
        continue;
      Location location = mul.getLoc();
      Value scaled = MulOp::create(builder, location, term, divisor);
      Value sum = AddOp::create(builder, location, share.getLhs(), repeatAlongRows(builder, location, scaled, weights));
      mul.replaceAllUsesWith(MulOp::create(builder, location, sum, weights).getResult());
      return true;
    }
  return false;
}

bool lathe::simplifyRowSums(Block &block, int64_t least) {
  auto isLarge = [&](Value matrix) {
    Type element = getElementTypeOrSelf(matrix.getType());
    Dim bytes = byteSize(matrix);
    return (element.isF32() || element.isF64()) && bytes.isStatic() && bytes.constant() >= least;
  };
  bool changes = false;
  for (ReduceOp sum : llvm::to_vector(block.getOps<ReduceOp>()))
    changes |= isLarge(sum.getOperand()) && simplifySum(sum);
  for (MulOp mul : llvm::to_vector(block.getOps<MulOp>()))
    changes |= isLarge(mul) && simplifyProduct(mul);
  if (changes)
    eraseUnused(block, isMemoryEffectFree);
  return changes;
}
