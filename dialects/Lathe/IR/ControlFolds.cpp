// Simplifies branches and loops: known predicates, unneeded values, and values that never change.
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/ShrinkScan.h"
#include "dialects/Lathe/IR/Steps.h"
#include "dialects/Lathe/IR/WidenedBytes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace lathe;

namespace {
/// The values that the end of a region needs, found by a backward walk.
class Needs {
public:
  /// Adds `values`, and the operands of ops that may fail, with all values on which they depend.
  void add(Block &block, ValueRange values) {
    needed.insert_range(values);
    for (Operation &op : llvm::reverse(block.without_terminator()))
      if (!wouldOpBeTriviallyDead(&op) || llvm::any_of(op.getResults(), [&](Value result) { return needed.contains(result); }))
        needed.insert_range(op.getOperands());
  }
  bool contains(Value value) const { return needed.contains(value); }
  bool contains(Operation &op) const {
    return !wouldOpBeTriviallyDead(&op) || llvm::any_of(op.getResults(), [&](Value result) { return contains(result); });
  }

private:
  DenseSet<Value> needed;
};

/// For each element of a list: true if it stays.
using Kept = SmallVector<bool>;
bool all(ArrayRef<bool> kept) {
  return llvm::all_of(kept, [](bool stays) { return stays; });
}

SmallVector<Value> pick(ValueRange values, ArrayRef<bool> kept) {
  SmallVector<Value> picked;
  for (auto [value, stays] : llvm::zip_equal(values, kept))
    if (stays)
      picked.push_back(value);
  return picked;
}

SmallVector<Type> typesOf(ValueRange values) { return SmallVector<Type>(values.getTypes()); }
} // namespace

/// Erases the ops of a block that its end does not need, and the arguments that do not stay. The terminator already has its new
/// operands.
static void shrink(PatternRewriter &rewriter, Block &block, const Needs &needs, ArrayRef<bool> keptArguments) {
  SmallVector<Operation *> unneeded; // users first
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if (!needs.contains(op))
      unneeded.push_back(&op);
  for (Operation *op : unneeded)
    rewriter.eraseOp(op);
  BitVector dropped(block.getNumArguments());
  for (auto [i, stays] : llvm::enumerate(keptArguments))
    dropped[i] = !stays;
  block.eraseArguments(dropped);
}

static void setOperands(PatternRewriter &rewriter, Operation *op, ValueRange operands) {
  rewriter.modifyOpInPlace(op, [&] { op->setOperands(operands); });
}

/// Replaces the old op's remaining results by the smaller op's; the other results have no uses.
static void replaceKept(PatternRewriter &rewriter, Operation *old, Operation *made, ArrayRef<bool> kept) {
  unsigned next = 0;
  for (auto [result, stays] : llvm::zip_equal(old->getResults(), kept))
    if (stays)
      rewriter.replaceAllUsesWith(result, made->getResult(next++));
  rewriter.eraseOp(old);
}

/// Copies the attributes that passes have added.
static void copyDiscardable(Operation *from, Operation *to) { to->setDiscardableAttrs(from->getDiscardableAttrDictionary()); }

static void mergeInto(PatternRewriter &rewriter, Block &from, Block &to) {
  rewriter.mergeBlocks(&from, &to, SmallVector<Value>(to.getArguments()));
}

namespace {

// Recreating a splat constant where it is used is cheaper than reading it from memory in each step.
template <typename Op>
struct SinkConstants : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    bool changed = false;
    for (auto [i, value] : llvm::enumerate(op.getConsts())) {
      auto constant = value.template getDefiningOp<ConstantOp>();
      if (!constant || !isa<SplatElementsAttr>(constant.getValue()))
        continue;
      for (Region &region : op->getRegions()) {
        BlockArgument inside = region.getArgument(i);
        if (inside.use_empty())
          continue;
        rewriter.setInsertionPointToStart(&region.front());
        rewriter.replaceAllUsesWith(inside, rewriter.clone(*constant)->getResult(0));
        changed = true;
      }
    }
    return changed ? success() : rewriter.notifyMatchFailure(op, "uses no constants of one value from outside");
  }
};

// Merges equal values into one const.
template <typename Op>
struct JoinConsts : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    bool changed = false;
    DenseMap<Value, unsigned> first;
    for (auto [i, value] : llvm::enumerate(op.getConsts())) {
      auto [known, isNew] = first.try_emplace(value, i);
      for (Region &region : op->getRegions())
        if (BlockArgument again = region.getArgument(i); !isNew && !again.use_empty()) {
          rewriter.replaceAllUsesWith(again, region.getArgument(known->second));
          changed = true;
        }
    }
    return changed ? success() : rewriter.notifyMatchFailure(op, "has no const twice");
  }
};

struct PickKnownBranch : OpRewritePattern<IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IfOp op, PatternRewriter &rewriter) const override {
    auto constant = op.getPredicate().getDefiningOp<ConstantOp>();
    auto value = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
    if (!value)
      return rewriter.notifyMatchFailure(op, "has no constant predicate");
    Block &branch = (value.getSplatValue<bool>() ? op.getTaken() : op.getOtherwise()).front();
    Operation *end = branch.getTerminator();
    rewriter.inlineBlockBefore(&branch, op, op.getConsts());
    rewriter.replaceOp(op, end->getOperands());
    rewriter.eraseOp(end);
    return success();
  }
};

/// Removes unneeded values of lathe.if and lathe.checkpoint, which run their regions once.
template <typename Op>
struct ShrinkBranches : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Kept results = llvm::map_to_vector(op->getResults(), [](Value result) { return !result.use_empty(); });
    Needs needs;
    for (Region &region : op->getRegions())
      needs.add(region.front(), pick(region.front().getTerminator()->getOperands(), results));
    Kept consts;
    for (unsigned i = 0; i < op.getConsts().size(); ++i)
      consts.push_back(llvm::any_of(op->getRegions(), [&](Region &region) { return needs.contains(region.getArgument(i)); }));
    if (all(results) && all(consts))
      return rewriter.notifyMatchFailure(op, "needs all of its values");
    Op smaller = create(rewriter, op, typesOf(pick(op->getResults(), results)), pick(op.getConsts(), consts));
    copyDiscardable(op, smaller);
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), smaller->getRegions())) {
      Operation *end = from.front().getTerminator();
      setOperands(rewriter, end, pick(end->getOperands(), results));
      shrink(rewriter, from.front(), needs, consts);
      mergeInto(rewriter, from.front(), to.front());
    }
    replaceKept(rewriter, op, smaller, results);
    return success();
  }

private:
  static IfOp create(PatternRewriter &rewriter, IfOp op, TypeRange types, ValueRange consts) {
    return IfOp::create(rewriter, op.getLoc(), types, op.getPredicate(), consts);
  }
  static CheckpointOp create(PatternRewriter &rewriter, CheckpointOp op, TypeRange types, ValueRange consts) {
    return CheckpointOp::create(rewriter, op.getLoc(), types, consts);
  }
};

/// Returns the carries of a loop that must stay: their results are used, or the regions' terminators need them to compute the
/// other yields and the values `extra` of the body.
Kept livingCarries(Operation *loop, Block &body, ValueRange results, ValueRange next, ArrayRef<Value> extra, Block *condition,
                   Needs &needs) {
  unsigned consts = constsOf(loop).size();
  Kept living = llvm::map_to_vector(results, [](Value result) { return !result.use_empty(); });
  if (condition)
    needs.add(*condition, condition->getTerminator()->getOperands());
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Value> ends = pick(next, living);
    llvm::append_range(ends, extra);
    needs.add(body, ends);
    for (auto [i, stays] : llvm::enumerate(living))
      if (!stays &&
          (needs.contains(body.getArgument(consts + i)) || (condition && needs.contains(condition->getArgument(consts + i)))))
        stays = changed = true;
  }
  return living;
}

} // namespace

FailureOr<ScanOp> lathe::shrinkScan(ScanOp op, PatternRewriter &rewriter) {
  if (op.getDim() || op.getSteps().isUnknown())
    return rewriter.notifyMatchFailure(op, "has not been through import");
  Block &body = op.getBody().front();
  Operation *end = body.getTerminator();
  unsigned carries = op.getCarry().size();
  Kept stacks = llvm::map_to_vector(op.getStacks(), [](Value stack) { return !stack.use_empty(); });
  SmallVector<Value> collected = pick(end->getOperands().drop_front(carries), stacks);
  Needs needs;
  Kept carry = livingCarries(op, body, op.getResults().take_front(carries), end->getOperands().take_front(carries), collected,
                             nullptr, needs);
  auto isNeeded = [&](Value argument) { return needs.contains(argument); };
  Kept consts = llvm::map_to_vector(op.getConstArguments(), isNeeded),
       xs = llvm::map_to_vector(op.getSliceArguments(), isNeeded);
  if (all(stacks) && all(carry) && all(consts) && all(xs))
    return rewriter.notifyMatchFailure(op, "needs all of its values");
  Kept results = carry, arguments = consts;
  llvm::append_range(results, stacks);
  llvm::append_range(arguments, carry);
  llvm::append_range(arguments, xs);
  ShapeAttr trip = op.getTripAttr();
  if (llvm::none_of(xs, [](bool stays) { return stays; }))
    trip = shapeOf(op.getContext(), op.getSteps());
  auto smaller = ScanOp::create(rewriter, op.getLoc(), op.getLength(), pick(op.getConsts(), consts), pick(op.getCarry(), carry),
                                pick(op.getXs(), xs), trip, typesOf(collected), op.getReverse(), op.getCheckpointAttr());
  copyDiscardable(op, smaller);
  setOperands(rewriter, end, pick(end->getOperands(), results));
  shrink(rewriter, body, needs, arguments);
  mergeInto(rewriter, body, smaller.getBody().front());
  replaceKept(rewriter, op, smaller, results);
  return smaller;
}

namespace {
struct ShrinkScan : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp op, PatternRewriter &rewriter) const override { return shrinkScan(op, rewriter); }
};

struct ShrinkWhile : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhileOp op, PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front(), &condition = op.getCondition().front();
    Operation *end = body.getTerminator();
    Needs needs;
    Kept carry = livingCarries(op, body, op.getResults(), end->getOperands(), {}, &condition, needs);
    if (llvm::none_of(carry, [](bool stays) { return stays; }))
      return rewriter.notifyMatchFailure(op, "has a condition that no carry changes");
    Kept arguments;
    for (unsigned i = 0; i < op.getConsts().size(); ++i)
      arguments.push_back(needs.contains(body.getArgument(i)) || needs.contains(condition.getArgument(i)));
    SmallVector<Value> consts = pick(op.getConsts(), arguments);
    if (all(carry) && all(arguments))
      return rewriter.notifyMatchFailure(op, "needs all of its values");
    llvm::append_range(arguments, carry);
    auto smaller =
        WhileOp::create(rewriter, op.getLoc(), consts, pick(op.getCarry(), carry), op.getBoundAttr(), op.getCheckpointAttr());
    copyDiscardable(op, smaller);
    setOperands(rewriter, end, pick(end->getOperands(), carry));
    for (auto [from, to] : llvm::zip_equal(op->getRegions(), smaller->getRegions())) {
      shrink(rewriter, from.front(), needs, arguments);
      mergeInto(rewriter, from.front(), to.front());
    }
    replaceKept(rewriter, op, smaller, carry);
    return success();
  }
};

// Merges equal loops. CSE skips ops that may fail; but if an equal loop before this one has ended in time, so does this one.
struct JoinEqualLoops : OpRewritePattern<WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WhileOp op, PatternRewriter &rewriter) const override {
    if (!op.getBound())
      return rewriter.notifyMatchFailure(op, "is joined by CSE");
    for (Operation *user : op.getCarry().front().getUsers()) {
      auto before = dyn_cast<WhileOp>(user);
      if (!before || before == op || before->getBlock() != op->getBlock() || !before->isBeforeInBlock(op) ||
          !isEqual(before, op) || failsOtherwise(op))
        continue;
      if (!op->hasAttr(kMadeOfLoopAttr)) // the remaining loop then reports the bound, used or not
        rewriter.modifyOpInPlace(before, [&] { before->removeAttr(kMadeOfLoopAttr); });
      rewriter.replaceOp(op, before.getResults());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "has no equal loop before it");
  }

private:
  /// True if the loops are equal except for their position and the report of their bound.
  static bool isEqual(WhileOp before, WhileOp op) {
    if (before.getBoundAttr() != op.getBoundAttr() || before.getOperands() != op.getOperands())
      return false;
    return llvm::all_of(llvm::zip_equal(before->getRegions(), op->getRegions()), [](auto pair) {
      auto &[first, second] = pair;
      return OperationEquivalence::isRegionEquivalentTo(&first, &second, OperationEquivalence::IgnoreLocations);
    });
  }

  /// True if an op inside has an effect each time that it runs.
  static bool failsOtherwise(WhileOp op) {
    WalkResult walked = op->walk([](Operation *each) {
      return isa<WhileOp>(each) || isMemoryEffectFree(each) || each->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    return walked.wasInterrupted();
  }
};

template <typename Op, bool (*mayHoist)(Operation *)>
struct HoistInvariants : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    return hoistInvariants(rewriter, op, mayHoist) ? success()
                                                   : rewriter.notifyMatchFailure(op, "computes nothing twice alike");
  }
};

static bool anyOp(Operation *) { return true; }

// A loop reads bytes rather than the wider integers that were made of them before it.
template <typename Op>
struct SinkWidenedBytes : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    return sinkWidenedBytes(rewriter, op) ? success() : rewriter.notifyMatchFailure(op, "uses no widened bytes from outside");
  }
};

// A carry that each step passes on unchanged becomes a const.
template <typename Op>
struct FixUnchangedCarries : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    bool changed = false;
    unsigned carries = op.getCarry().size();
    for (unsigned i = 0; i < carries; ++i) {
      unsigned consts = op.getConsts().size(); // grows
      BlockArgument inside = body.getArgument(consts + i);
      if (body.getTerminator()->getOperand(i) != inside)
        continue;
      bool isUsed = !op->getResult(i).use_empty() || llvm::any_of(op->getRegions(), [&](Region &region) {
        return llvm::any_of(region.getArgument(consts + i).getUses(), [&](OpOperand &use) {
          return use.getOwner() != body.getTerminator() || use.getOperandNumber() != i;
        });
      });
      if (!isUsed)
        continue;
      Value first = op.getCarry()[i];
      rewriter.replaceAllUsesWith(op->getResult(i), first);
      rewriter.modifyOpInPlace(op, [&] { addConst(op, first); });
      for (Region &region : op->getRegions()) {
        BlockArgument carry = region.getArgument(consts + 1 + i);
        rewriter.replaceUsesWithIf(carry, region.getArgument(consts), [&](OpOperand &use) {
          return use.getOwner() != body.getTerminator() || use.getOperandNumber() != i;
        });
      }
      changed = true;
    }
    return changed ? success() : rewriter.notifyMatchFailure(op, "changes all of its carries");
  }
};
} // namespace

template <typename Op>
static void addHoisting(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.addWithLabel<HoistInvariants<Op, mayHoistBeforeDerivatives>>({kHoisting}, context);
  patterns.addWithLabel<HoistInvariants<Op, anyOp>>({kHoistingOfAll}, context);
}

void IfOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<PickKnownBranch, ShrinkBranches<IfOp>, SinkConstants<IfOp>, JoinConsts<IfOp>>(context);
}
void ScanOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShrinkScan, SinkConstants<ScanOp>, JoinConsts<ScanOp>, FixUnchangedCarries<ScanOp>, SinkWidenedBytes<ScanOp>>(
      context);
  addHoisting<ScanOp>(patterns, context);
}
void WhileOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShrinkWhile, JoinEqualLoops, SinkConstants<WhileOp>, JoinConsts<WhileOp>, FixUnchangedCarries<WhileOp>,
               SinkWidenedBytes<WhileOp>>(context);
  addHoisting<WhileOp>(patterns, context);
}
void CheckpointOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShrinkBranches<CheckpointOp>, SinkConstants<CheckpointOp>, JoinConsts<CheckpointOp>>(context);
}
