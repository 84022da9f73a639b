#include "passes/Autodiff/Control/Nest.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Steps.h"
#include "passes/Autodiff/Control/Control.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Returns the steps of a segment: from the policy, or the square root of all steps; never more than all steps.
static int64_t segmentOf(int64_t checkpoint, int64_t steps) {
  int64_t wanted = checkpoint ? checkpoint : int64_t(std::sqrt(double(steps)));
  return std::clamp<int64_t>(wanted, 1, std::max<int64_t>(steps, 1));
}

namespace {
/// The common part of both kinds of loop. The emitter is placed before the loop.
template <typename Loop>
class Nest {
public:
  explicit Nest(Loop op) : op(op), e(OpBuilder(op)), checkpoint(*op.getCheckpoint()) { e.at(op.getLoc()); }

protected:
  Value number(Emit &at, int64_t value) { return at.integer(count, value); }
  Value number(Emit &at, const Dim &dim) {
    return dim.isStatic() ? number(at, dim.constant()) : at.convert(at.sizeOf(dim), count);
  }

  Loop op;
  Emit e;
  int64_t checkpoint;
  Type count; // of steps
};

class NestScan : Nest<ScanOp> {
public:
  explicit NestScan(ScanOp op) : Nest(op) {
    bool isWide = op.getLength() && typeOf(op.getLength()).getElementType().isInteger(64);
    count = isWide ? e.getBuilder().getI64Type() : counterOf(e, op.getSteps());
  }

  SmallVector<Value> run() {
    findSegments();
    Operands given{SmallVector<Value>(op.getConsts()), SmallVector<Value>(op.getCarry()), {}};
    for (Value stack : op.getXs())
      given.xs.push_back(toSegments(stack));
    Body body;
    makeSegment(body, given);
    ScanOp outer = makeScan(e, numSegments, Value(), op.getReverse(), given, body);

    unsigned numCarries = op.getCarry().size();
    SmallVector<Value> results(outer.getResults().take_front(numCarries));
    for (auto [stack, like] : llvm::zip_equal(outer.getStacks(), op.getStacks()))
      results.push_back(fromSegments(stack, dimsOf(like)));
    return results;
  }

private:
  /// Chooses the segments. For a named number of steps, `sqrt` makes as many segments as each has steps. The size and number of
  /// segments, and the number of missing steps in the last one, follow from the number of steps.
  void findSegments() {
    Dim steps = op.getSteps();
    if (steps.isStatic())
      segment = segmentOf(checkpoint, steps.constant());
    else
      segment = checkpoint ? Dim(std::min(checkpoint, kLargestDimension)) : ceilSqrt(steps);
    numSegments = segment.isStatic() ? ceilDiv(steps, segment.constant()) : segment;
    padding = numSegments * segment - steps;
  }

  bool isCutShort() { return op.getLength() || !padding.isStatic(0); }

  /// Reshapes [steps, ...] to [segments, steps of one, ...]. The last segment is padded with zeros, which no step reads.
  Value toSegments(Value stack) {
    Dims dims = dimsOf(stack);
    if (!padding.isStatic(0)) {
      Dims missing = dims;
      missing[0] = padding;
      Value zeros = e.zeros(tensorOf(missing, typeOf(stack).getElementType()));
      stack = e.make<ConcatenateOp>(ValueRange{stack, zeros}, 0);
    }
    dims[0] = segment;
    dims.insert(dims.begin(), numSegments);
    return e.reshape(stack, dims);
  }

  Value fromSegments(Value stack, const Dims &dims) {
    Dims padded = dims;
    padded[0] = numSegments * segment;
    Value joined = e.reshape(stack, padded);
    if (padding.isStatic(0))
      return joined;
    SmallVector<int64_t> starts(dims.size()), strides(dims.size(), 1);
    return e.make<SliceOp>(joined, e.shape(asDims(starts)), shapeOf(op.getContext(), dims), strides);
  }

  /// Builds the body of the loop over segments: a checkpoint around the scan of one segment. If steps may be missing, a carry
  /// counts the steps before the segment.
  void makeSegment(Body &body, Operands &given) {
    unsigned numCarries = op.getCarry().size();
    SmallVector<Value> consts = addLike(body, given.consts);
    Value steps = isCutShort() ? body.add(given.consts.emplace_back(allSteps())) : Value();
    SmallVector<Value> carry = addLike(body, given.carry);
    Value before = isCutShort() ? body.add(given.carry.emplace_back(firstOffset())) : Value();
    SmallVector<Value> xs;
    for (Value stack : given.xs)
      xs.push_back(body.block.addArgument(sliceOf(typeOf(stack), 0), stack.getLoc()));

    Emit at = e.inside(body);
    SmallVector<Value> operands = consts;
    llvm::append_range(operands, carry);
    llvm::append_range(operands, xs);
    if (isCutShort())
      operands.push_back(at.make<MinOp>(at.make<MaxOp>(at.sub(steps, before), number(at, 0)), number(at, segment)));
    Body region;
    SmallVector<Value> inside = addLike(region, operands);
    ArrayRef<Value> all(inside);
    Value length = isCutShort() ? all.back() : Value();
    Operands own{SmallVector<Value>(all.take_front(consts.size())), SmallVector<Value>(all.slice(consts.size(), numCarries)),
                 SmallVector<Value>(all.slice(consts.size() + numCarries, xs.size()))};
    Emit deep = at.inside(region);
    Body step;
    Emit deepest = deep.inside(step);
    step.yields = copyRegion(deepest, op.getBody(), addLike(step, op.getBody().getArguments()));
    ScanOp scan = makeScan(deep, segment, length, op.getReverse(), own, step);
    llvm::append_range(region.yields, scan.getResults());
    CheckpointOp made = makeCheckpoint(at, operands, region);

    llvm::append_range(body.yields, made.getResults().take_front(numCarries));
    if (isCutShort())
      body.yields.push_back(op.getReverse() ? at.sub(before, number(at, segment)) : at.add(before, number(at, segment)));
    llvm::append_range(body.yields, made.getResults().drop_front(numCarries));
  }

  /// Returns the number of steps, at least 0.
  Value allSteps() {
    Dim steps = op.getSteps();
    Value all = e.convert(e.sizeOf(steps), count);
    return op.getLength() ? e.make<MinOp>(e.convert(op.getLength(), count), all) : all;
  }
  /// Returns the offset of the segment that runs first.
  Value firstOffset() { return op.getReverse() ? e.sub(number(e, numSegments * segment), number(e, segment)) : number(e, 0); }

  Dim segment, numSegments, padding;
};

/// Splits a while. The bound stays exact: the steps of all segments are counted, and none runs past it. If the condition still
/// holds then, the loop over segments exceeds its own bound.
class NestWhile : Nest<WhileOp> {
public:
  using Nest::Nest;

  /// Fails, with a diagnostic, if the loop has no bound.
  FailureOr<SmallVector<Value>> run() {
    if (!op.getBound())
      return op.emitOpError("has a 'checkpoint' and no bound: the number of segments is unknown; declare an upper bound on its "
                            "steps, `bound 1000`"),
             failure();
    bound = *op.getBound();
    count = counterOf(e, Dim(bound));
    segment = segmentOf(checkpoint, bound);
    unsigned numCarries = op.getCarry().size();
    SmallVector<Value> carry(op.getCarry());
    carry.push_back(number(e, 0));

    Body condition, body;
    SmallVector<Value> asked = addLike(condition, op.getConsts());
    llvm::append_range(asked, addLike(condition, carry));
    Emit inCondition = e.inside(condition);
    condition.yields = copyRegion(inCondition, op.getCondition(), ArrayRef<Value>(asked).drop_back());

    SmallVector<Value> operands = addLike(body, op.getConsts());
    llvm::append_range(operands, addLike(body, carry));
    Emit inBody = e.inside(body);
    Body region;
    SmallVector<Value> inside = addLike(region, operands);
    Emit inRegion = inBody.inside(region);
    WhileOp steps = makeSteps(inRegion, ArrayRef<Value>(inside).take_front(op.getConsts().size()),
                              ArrayRef<Value>(inside).drop_front(op.getConsts().size()));
    llvm::append_range(region.yields, steps.getResults().drop_back());
    llvm::append_range(body.yields, makeCheckpoint(inBody, operands, region).getResults());
    WhileOp segments = makeWhile(e, op, op.getConsts(), carry, condition, body);
    segments->setAttr(kDeclaredBoundAttr, e.getBuilder().getI64IntegerAttr(declaredBound(op)));
    segments.setBoundAttr(e.getBuilder().getI64IntegerAttr(1 + (bound - 1) / segment));
    segments.removeCheckpointAttr();
    return SmallVector<Value>(segments.getResults().take_front(numCarries));
  }

private:
  /// Builds the steps of one segment. Its carries are those of the loop, the number of all steps, and the number of its own
  /// steps.
  WhileOp makeSteps(Emit &at, ArrayRef<Value> consts, ArrayRef<Value> outer) {
    SmallVector<Value> carry(outer);
    carry.push_back(number(at, 0));
    size_t numSeen = consts.size() + op.getCarry().size();
    Body condition, body;
    SmallVector<Value> asked = addLike(condition, consts);
    llvm::append_range(asked, addLike(condition, carry));
    Emit inCondition = at.inside(condition);
    Value go = copyRegion(inCondition, op.getCondition(), ArrayRef<Value>(asked).take_front(numSeen)).front();
    auto isBelow = [&](Value steps, int64_t limit) {
      return inCondition.compare(CompareKind::LT, steps, number(inCondition, limit));
    };
    Value inSegment = inCondition.make<AndOp>(isBelow(asked[numSeen], bound), isBelow(asked[numSeen + 1], segment));
    condition.yields = {inCondition.make<AndOp>(go, inSegment)};

    SmallVector<Value> inside = addLike(body, consts);
    llvm::append_range(inside, addLike(body, carry));
    Emit inBody = at.inside(body);
    body.yields = copyRegion(inBody, op.getBody(), ArrayRef<Value>(inside).take_front(numSeen));
    for (unsigned i : {0, 1})
      body.yields.push_back(inBody.add(inside[numSeen + i], number(inBody, 1)));
    WhileOp steps = makeWhile(at, op, consts, carry, condition, body);
    steps.setBoundAttr(at.getBuilder().getI64IntegerAttr(segment));
    steps.removeCheckpointAttr();
    return steps;
  }

  int64_t bound = 0, segment = 1;
};
} // namespace

LogicalResult autodiff::nestCheckpoints(Body &body, const Activity &activity) {
  SmallVector<Operation *> loops;
  body.block.walk([&](Operation *op) { // inner ones first
    auto scan = dyn_cast<ScanOp>(op);
    auto loop = dyn_cast<WhileOp>(op);
    if (activity.isActive(op) && ((scan && scan.getCheckpoint()) || (loop && loop.getCheckpoint())))
      loops.push_back(op);
  });
  for (Operation *op : loops) {
    auto scan = dyn_cast<ScanOp>(op);
    FailureOr<SmallVector<Value>> results = scan ? FailureOr(NestScan(scan).run()) : NestWhile(cast<WhileOp>(op)).run();
    if (failed(results))
      return failure();
    for (Value &value : body.yields)
      if (value.getDefiningOp() == op)
        value = (*results)[cast<OpResult>(value).getResultNumber()];
    op->replaceAllUsesWith(*results);
    op->erase();
  }
  return success();
}
