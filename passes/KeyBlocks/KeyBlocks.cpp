#include "passes/KeyBlocks/KeyBlocks.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/EraseUnused.h"
#include "lib/Support/Explain.h"
#include "passes/KeyBlocks/ScoresOfBlock.h"
#include "passes/KeyBlocks/SoftmaxProduct.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace lathe {
#define GEN_PASS_DEF_BLOCKKEYSPASS
#include "passes/KeyBlocks/KeyBlocks.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
/// The carries of the loop: for each row the largest score so far and the sum of the exponentials relative to it, and the sum
/// of the values with these weights.
struct Sums {
  Value largest, total, values;

  SmallVector<Value> list() const { return {largest, total, values}; }
};

/// Emits the loop over blocks of keys for one product.
class BlockLoop {
public:
  BlockLoop(const SoftmaxProduct &softmax, int64_t block)
      : softmax(softmax), inside(softmax.scores, softmax.keysDim()), builder(softmax.product),
        loc(DotGeneralOp(softmax.product).getLoc()), element(getElementTypeOrSelf(softmax.scores.getType())), block(block),
        keys(softmax.keys().constant()) {
    DotGeneralOp product = softmax.product;
    inputs.assign(inside.getInputs().begin(), inside.getInputs().end());
    inputs.push_back({product.getRhs(), product.getRhsContract().front()});
  }

  /// True if the scores come from a product, so that blocks of them need not be read from memory.
  bool isOfProduct() const { return inside.isProduct(); }

  /// The product, and what other ops may read of the softmax.
  struct Results {
    Value product, largest, total;
  };

  Results emit() {
    DotGeneralOp product = softmax.product;
    Dims rows = softmax.rows();
    Sums sums{splat(rows, numberAttr(element, -std::numeric_limits<double>::infinity())), splat(rows, numberAttr(element, 0)),
              splat(dimsOf(product.getResult()), numberAttr(element, 0))};
    sums = emitLoop(sums);
    if (int64_t rest = keys % block; rest != 0) {
      SmallVector<Value> parts;
      for (const ScoresOfBlock::Input &input : inputs)
        parts.push_back(input.keysDim < 0 ? input.value : slice(input, keys - rest, keys));
      sums = emitStep(sums, parts, emitScalar(builder, loc, builder.getI32IntegerAttr(keys - rest)), rest);
    }
    Value divisor = sums.total;
    if (softmax.never)
      divisor = select(isNever(sums.largest), splat(rows, numberAttr(element, 1)), divisor);
    Value scale = splat(rows, numberAttr(element, double(llvm::PowerOf2Ceil(keys))));
    Value total = MulOp::create(builder, loc, sums.total, scale);
    return {DivOp::create(builder, loc, sums.values, overRows(divisor, dimsOf(product.getResult()))), sums.largest, total};
  }

private:
  // ---- Values

  Value splat(const Dims &dims, TypedAttr number) {
    Value scalar = emitScalar(builder, loc, number);
    return BroadcastOp::create(builder, loc, scalar, ArrayRef<int64_t>(), shapeOf(builder.getContext(), dims));
  }

  Value select(Value predicate, Value onTrue, Value onFalse) {
    return SelectOp::create(builder, loc, predicate, onTrue, onFalse);
  }

  Value equal(Value a, Value b) { return CompareOp::create(builder, loc, CompareKind::EQ, a, b); }

  Value isNever(Value largest) { return equal(largest, splat(softmax.rows(), softmax.never)); }

  /// Repeats a value with one element for each row along the last dimension of `dims`.
  Value overRows(Value value, const Dims &dims) {
    SmallVector<int64_t> places = llvm::to_vector(llvm::seq<int64_t>(0, dimsOf(value).size()));
    return BroadcastOp::create(builder, loc, value, places, shapeOf(builder.getContext(), dims));
  }

  Value slice(const ScoresOfBlock::Input &input, int64_t start, int64_t end) {
    return sliceAlong(builder, loc, input.value, input.keysDim, start, end);
  }

  // ---- Steps

  /// Emits the sums with those of a block of `count` keys.
  Sums emitStep(const Sums &before, ValueRange parts, Value first, int64_t count) {
    DotGeneralOp product = softmax.product;
    Value scores = inside.emit(builder, parts.drop_back(), first, count);
    ReduceOp ofBlock = ReduceOp::create(builder, loc, ReduceKind::Max, scores, ArrayRef<int64_t>{softmax.keysDim()});
    Value largest = MaxOp::create(builder, loc, before.largest, ofBlock);
    TypedAttr lowest = numberAttr(element, -std::numeric_limits<double>::infinity());
    Value zero = splat(softmax.rows(), numberAttr(element, 0));
    // A row without a key so far: its exponentials are 0.
    Value offset = select(equal(largest, splat(softmax.rows(), lowest)), zero, largest);
    if (softmax.never && softmax.never != lowest)
      offset = select(isNever(largest), zero, offset);
    Dims dims = dimsOf(scores);
    Value exp = ExpOp::create(builder, loc, SubOp::create(builder, loc, scores, overRows(offset, dims)));
    exp = MulOp::create(builder, loc, exp, splat(dims, numberAttr(element, 1.0 / double(llvm::PowerOf2Ceil(keys)))));
    Value total = ReduceOp::create(builder, loc, ReduceKind::Sum, exp, ArrayRef<int64_t>{softmax.keysDim()});
    // The difference of two infinities is not a number; equal ones need no factor.
    Value ratio = ExpOp::create(builder, loc, SubOp::create(builder, loc, before.largest, largest));
    ratio = select(equal(before.largest, largest), splat(softmax.rows(), numberAttr(element, 1)), ratio);
    total = AddOp::create(builder, loc, MulOp::create(builder, loc, before.total, ratio), total);
    Value values = DotGeneralOp::create(builder, loc, exp, parts.back(), product.getLhsContract(), product.getRhsContract(),
                                        product.getLhsBatch(), product.getRhsBatch());
    Value kept = MulOp::create(builder, loc, before.values, overRows(ratio, dimsOf(before.values)));
    return {largest, total, AddOp::create(builder, loc, kept, values)};
  }

  /// Emits the loop over all full blocks.
  Sums emitLoop(const Sums &sums) {
    SmallVector<Value> consts, sequences;
    for (const ScoresOfBlock::Input &input : inputs)
      input.keysDim < 0 ? consts.push_back(input.value)
                        : sequences.push_back(stackBlocks(builder, loc, input.value, input.keysDim, block));
    sequences.push_back(firstIndices(builder, loc, keys / block, block));
    auto scan = ScanOp::create(builder, loc, Value(), consts, sums.list(), sequences, ShapeAttr(), TypeRange());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&scan.getBody().front());
    auto carries = scan.getCarryArguments();
    ValueRange wholes = scan.getConstArguments(), slices = scan.getSliceArguments();
    SmallVector<Value> parts;
    for (const ScoresOfBlock::Input &input : inputs) {
      ValueRange &from = input.keysDim < 0 ? wholes : slices;
      parts.push_back(from.front());
      from = from.drop_front();
    }
    Sums after = emitStep({carries[0], carries[1], carries[2]}, parts, slices.front(), block);
    YieldOp::create(builder, loc, after.list());
    return {scan.getResult(0), scan.getResult(1), scan.getResult(2)};
  }

  const SoftmaxProduct &softmax;
  ScoresOfBlock inside;
  SmallVector<ScoresOfBlock::Input> inputs; // of the scores, then the values
  OpBuilder builder;
  Location loc;
  Type element;
  int64_t block, keys;
};

struct BlockKeysPass : lathe::impl::BlockKeysPassBase<BlockKeysPass> {
  using BlockKeysPassBase::BlockKeysPassBase;

  void runOnOperation() final {
    SmallVector<SoftmaxProduct> found;
    getOperation().walk([&](DotGeneralOp product) {
      if (std::optional<SoftmaxProduct> softmax = softmaxProductOf(product); softmax && isWorthIt(*softmax))
        found.push_back(*softmax);
    });
    llvm::SmallSetVector<Block *, 2> changed;
    for (SoftmaxProduct &softmax : found) {
      BlockLoop loop(softmax, block);
      if (!loop.isOfProduct() || !mayMoveUsers(softmax))
        continue;
      replace(softmax, loop);
      changed.insert(softmax.product->getBlock());
      ++blocked;
      explain(softmax.product.getLoc(), "layout", "a softmax of {} keys times values is computed in blocks of {} keys",
              softmax.keys().constant(), block.getValue());
    }
    for (Block *each : changed)
      eraseUnused(*each, isMemoryEffectFree);
  }

private:
  bool isWorthIt(const SoftmaxProduct &softmax) const {
    Dim rows = productOf(softmax.rows());
    return softmax.keys().isStatic() && softmax.keys().constant() >= least &&
           (!rows.isStatic() || rows.constant() >= this->rows);
  }

  /// True if what reads the softmax's sums before the product may read those of the loop instead.
  static bool mayMoveUsers(const SoftmaxProduct &softmax) {
    return llvm::all_of(dependentsBefore({softmax.largest, softmax.total}, softmax.product), isMemoryEffectFree);
  }

  static void replace(SoftmaxProduct &softmax, BlockLoop &loop) {
    Operation *before = softmax.product->getPrevNode(); // the softmax, at least
    auto [product, largest, total] = loop.emit();
    Operation *first = before->getNextNode(), *last = softmax.product->getPrevNode();
    softmax.product.replaceAllUsesWith(product);
    softmax.largest.replaceAllUsesWith(largest);
    softmax.total.replaceAllUsesWith(total);
    moveAfter(dependentsBefore({largest, total}, first), last);
  }
};
} // namespace
