#include "codegen/CPU/KernelEmitter.h"
#include "codegen/CPU/Contraction/Contraction.h"
#include "codegen/CPU/Convolution/Convolution.h"
#include "codegen/CPU/Passes/RowPasses.h"
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/CPU/Sums/LongSum.h"
#include "codegen/Points/Closure.h"
#include "codegen/Points/LeafAccesses.h"
#include "codegen/Points/PointEvaluator.h"
#include "codegen/Points/Reduction.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {

constexpr int64_t kPieceElements = 4096; // of a loop that is only vectorised, a piece for one thread
constexpr unsigned kShortBody = 12;      // operations of a sum that takes several steps at a time
constexpr unsigned kStepsAtOnce = 8;     // divides the steps of a chain
/// Emits the loops of one kernel: parallel ones outermost, one of all vectorised, reductions with their accumulators in
/// registers.
class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, KernelLoops loops, const VectorTarget &target, OpBuilder &builder)
      : kernel(kernel), loops(std::move(loops)), target(target), b(builder), loc(kernel.getLoc()),
        eval(builder, kernel.getLoc(), target, buffers) {}

  FailureOr<KernelCode> emit(LLVM::LLVMFuncOp kernelFunction);

private:
  using StrideFunction = decltype(strideAlong);
  std::optional<double> memoryCost(ArrayRef<LeafAccess> leaves, unsigned dim, StrideFunction strideOf);
  std::optional<unsigned> bestReduceDim(ArrayRef<LeafAccess> leaves);
  void chooseVectorDim();
  void chooseLanes(ArrayRef<LeafAccess> leaves);
  void outerLoops(unsigned dim);
  void vectorLoop(Value low, Value high, function_ref<void()> body);
  void point();
  Reduction::Accumulators reduceLoops(const Reduction &reduction);
  Reduction::Accumulators reduceAlong(unsigned dim, unsigned steps, const Reduction &reduction, Value low, Value high,
                                      bool isLast, Reduction::Accumulators values);
  unsigned operationCount();
  void finish();

  bool vectorIsParallel() const { return vectorDim && *vectorDim < loops.parallel; }
  Value forLoop(Value low, Value high, int64_t step, ValueRange init, function_ref<SmallVector<Value>(Value, ValueRange)> body,
                SmallVectorImpl<Value> &results);

  KernelOp kernel;
  KernelLoops loops;
  const VectorTarget &target;
  OpBuilder &b;
  Location loc;
  Buffers buffers;
  PointEvaluator eval;
  std::optional<unsigned> vectorDim;
  unsigned wide = 1, narrow = 1; // lanes of the main loop and of its tail
  SmallVector<Index> place;      // of every loop
  SmallVector<Value> outputs;    // buffers of the roots
  Value begin, end;
  LLVM::LLVMFuncOp function;
};

/// What an iteration that is vectorised along `dim` spends on memory: nothing on what stays, one on neighbours, one for each
/// lane on all else; nullopt if there are no neighbours at all.
std::optional<double> KernelEmitter::memoryCost(ArrayRef<LeafAccess> leaves, unsigned dim, StrideFunction strideOf) {
  constexpr double kLanes = 16, kEpilogue = 0.1; // an epilogue runs once for all iterations of a reduction
  double cost = 0;
  bool hasNeighbours = false;
  for (const LeafAccess &leaf : leaves) {
    double weight = loops.reduction && !leaf.inReduction ? kEpilogue : 1;
    std::optional<int64_t> stride = strideOf(leaf, dim, loops.extents.size(), loops.symbols.size());
    hasNeighbours |= stride == 1;
    cost += weight * (stride == 0 ? 0.5 : stride == 1 ? 1 : kLanes);
  }
  return hasNeighbours ? std::optional(cost) : std::nullopt;
}

/// The dimension of the reduction that lanes go along, if that is better than any parallel one. It decides in which order a sum
/// adds up, so extents do not come in: a specialised version must choose as the general one does.
std::optional<unsigned> KernelEmitter::bestReduceDim(ArrayRef<LeafAccess> leaves) {
  std::optional<unsigned> best;
  double parallel = std::numeric_limits<double>::infinity(), reduce = parallel;
  for (unsigned dim = 0; dim < loops.extents.size(); ++dim) {
    std::optional<double> cost = memoryCost(leaves, dim, strideByPosition);
    if (cost && dim < loops.parallel)
      parallel = std::min(parallel, *cost);
    else if (cost && *cost <= reduce) // of equal ones the innermost
      best = dim, reduce = *cost;
  }
  return reduce < parallel ? best : std::nullopt;
}

void KernelEmitter::chooseVectorDim() {
  SmallVector<LeafAccess> leaves = collectLeafAccesses(loops);
  vectorDim = bestReduceDim(leaves);
  const bool alongReduction = vectorDim.has_value();
  double least = std::numeric_limits<double>::infinity();
  for (unsigned dim = 0; !alongReduction && dim < loops.parallel; ++dim) {
    const Dim &extent = loops.extents[dim];
    std::optional<double> cost = memoryCost(leaves, dim, strideAlong);
    if (cost && *cost <= least && (!extent.isStatic() || extent.constant() >= 4))
      vectorDim = dim, least = *cost;
  }
  if (vectorDim)
    chooseLanes(leaves);
}

/// Scalar operations of a point of the kernel.
unsigned KernelEmitter::operationCount() {
  unsigned count = 0;
  kernel.getBody().walk([&](Operation *op) { count += op->getNumRegions() == 0; });
  return count;
}

void KernelEmitter::chooseLanes(ArrayRef<LeafAccess> leaves) {
  constexpr unsigned kLongBody = 64; // scalar operations that fill the machine without a second vector
  unsigned bytes = 1;
  for (const LeafAccess &leaf : leaves)
    bytes = std::max(bytes, leaf.type.getElementTypeBitWidth() / 8);
  kernel.getBody().walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (type.isIntOrFloat() && !isa<IndexOp, ExtentOp>(op))
        bytes = std::max(bytes, type.getIntOrFloatBitWidth() / 8);
  });
  unsigned ordered = loops.reduction && !vectorIsParallel() ? bytesOfOrderedSum(loops.reduction) : 0;
  narrow = target.lanes(ordered ? ordered : bytes);
  // Four registers at once hide latencies; a short static extent takes no more than it fills. Halving while all still fit keeps
  // the order of a sum across lanes.
  wide = operationCount() > kLongBody && vectorIsParallel() ? narrow : narrow * 4;
  const Dim &extent = loops.extents[*vectorDim];
  while (extent.isStatic() && wide > narrow && wide / 2 >= extent.constant())
    wide /= 2;
}

Value KernelEmitter::forLoop(Value low, Value high, int64_t step, ValueRange init,
                             function_ref<SmallVector<Value>(Value, ValueRange)> body, SmallVectorImpl<Value> &results) {
  auto loop = scf::ForOp::create(b, loc, low, high, eval.i64(step), init);
  OpBuilder::InsertionGuard guard(b);
  Block *block = loop.getBody();
  b.setInsertionPointToStart(block);
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(b, loc, next);
  results.assign(loop.getResults().begin(), loop.getResults().end());
  return loop.getInductionVar();
}

/// Main loop of `wide` lanes, then one of `narrow` lanes that masks what is past the end.
void KernelEmitter::vectorLoop(Value low, Value high, function_ref<void()> body) {
  SmallVector<Value> none;
  auto run = [&](unsigned lanes, Value from, Value to, bool masked) {
    forLoop(
        from, to, lanes, {},
        [&](Value iv, ValueRange) {
          eval.lanes = lanes;
          place[*vectorDim] = {iv, 1, {}};
          if (masked) {
            Value left = eval.splat(eval.sub(high, iv));
            eval.tail = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, eval.iota(), left);
          }
          body();
          eval.tail = {};
          return SmallVector<Value>();
        },
        none);
  };
  Value length = eval.sub(high, low);
  Value whole = eval.sub(length, b.createOrFold<arith::RemSIOp>(loc, length, eval.i64(wide)));
  Value middle = eval.add(low, whole);
  run(wide, low, middle, false);
  IntegerAttr rest;
  if (matchPattern(eval.sub(length, whole), m_Constant(&rest)) && rest.getInt() == 0)
    return;
  run(narrow, middle, high, true);
}

void KernelEmitter::outerLoops(unsigned dim) {
  if (dim == loops.parallel) {
    if (!vectorIsParallel())
      return point();
    bool isOnlyLoop = loops.parallel == 1;
    Value low = eval.i64(0), high = eval.extent(loops.extents[*vectorDim]);
    if (isOnlyLoop) {
      Value last = high;
      low = eval.mul(begin, eval.i64(kPieceElements));
      high = eval.min(eval.mul(end, eval.i64(kPieceElements)), last);
    }
    return vectorLoop(low, high, [&] { point(); });
  }
  if (vectorDim == dim)
    return outerLoops(dim + 1);
  bool isFirst = dim == 0 || (vectorDim == 0u && dim == 1);
  Value low = isFirst ? begin : eval.i64(0), high = isFirst ? end : eval.extent(loops.extents[dim]);
  SmallVector<Value> none;
  forLoop(
      low, high, 1, {},
      [&](Value iv, ValueRange) {
        place[dim] = eval.uniform(iv);
        outerLoops(dim + 1);
        return SmallVector<Value>();
      },
      none);
}

/// One point of the parallel loops (a vector of them if one of these is vectorised).
void KernelEmitter::point() {
  if (!vectorIsParallel())
    eval.lanes = 1;
  eval.nextPoint();
  if (loops.reduction) {
    Reduction reduction(loops.reduction, eval);
    Reduction::Accumulators values = reduceLoops(reduction);
    eval.nextPoint();
    eval.reduced[loops.reduction.getResult()] = reduction.result(values);
  }
  finish();
}

/// Loops over the reduction dimensions. The innermost one is the vectorised one, if lanes go along the reduction; the
/// accumulators of the lanes live across all loops then.
Reduction::Accumulators KernelEmitter::reduceLoops(const Reduction &reduction) {
  const bool alongLanes = vectorDim && !vectorIsParallel();
  if (loops.parallel == loops.extents.size()) {
    eval.nextPoint();
    return reduction.step(reduction.neutral(), place, {});
  }
  unsigned row = alongLanes ? *vectorDim : loops.extents.size() - 1;
  SmallVector<unsigned> outer;
  for (unsigned dim = loops.parallel; dim < loops.extents.size(); ++dim)
    if (dim != row)
      outer.push_back(dim);
  if (alongLanes)
    eval.lanes = wide;
  SmallVector<bool> isSum(reduction.size(), isFloatSum(loops.reduction));
  LongSum::Loops sumLoops{{}, loops.extents[row], alongLanes ? wide : 1};
  for (unsigned dim : outer)
    sumLoops.outer.push_back(loops.extents[dim]);
  LongSum sum(eval, function, reduction.sumsProducts() && !alongLanes ? kProductOrder : kTermOrder, sumLoops, isSum);
  // A chain is short for a loop of few operations: its end would be mispredicted too often.
  unsigned steps = sum.isLong() && operationCount() <= kShortBody ? kStepsAtOnce : 1;
  auto enter = [&](unsigned i, Value iv) { place[outer[i]] = eval.uniform(iv); };
  auto piece = [&](Value low, Value high, bool isLast, LongSum::Values values) {
    return reduceAlong(row, steps, reduction, low, high, isLast, std::move(values));
  };
  Reduction::Accumulators total = sum.run(reduction.neutral(), enter, piece);
  if (!alongLanes)
    return total;
  total = reduction.acrossLanes(total);
  eval.lanes = 1;
  return total;
}

/// The accumulators with the elements [low, high) of a reduction dimension taken in, `steps` steps of the loop at a time. Lanes
/// past the last piece's end are masked off.
Reduction::Accumulators KernelEmitter::reduceAlong(unsigned dim, unsigned steps, const Reduction &reduction, Value low,
                                                   Value high, bool isLast, Reduction::Accumulators values) {
  const bool isVector = vectorDim == dim;
  const int64_t width = isVector ? wide : 1;
  auto run = [&](Value to, unsigned count, bool isMasked) {
    Reduction::Accumulators results;
    forLoop(
        low, to, count * width, values,
        [&](Value iv, ValueRange carried) {
          Reduction::Accumulators next(carried);
          for (unsigned step = 0; step < count; ++step) {
            place[dim] = {eval.add(iv, eval.i64(step * width)), isVector ? 1 : 0, {}};
            eval.nextPoint();
            Value outside = eval.tail; // of a vectorised parallel loop
            if (isMasked)
              eval.tail = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(eval.sub(high, iv)));
            next = reduction.step(next, place, isVector ? eval.tail : Value());
            eval.tail = outside;
          }
          return next;
        },
        results);
    low = to;
    values = results;
  };
  auto isKnownEnd = [&](Value end) {
    IntegerAttr rest;
    return matchPattern(eval.sub(high, end), m_Constant(&rest)) && rest.getInt() == 0;
  };
  auto wholeOf = [&](int64_t length) {
    return eval.sub(high, b.createOrFold<arith::RemSIOp>(loc, eval.sub(high, low), eval.i64(length)));
  };
  if (!isLast) {
    run(high, steps, /*isMasked=*/false); // a multiple of all that `steps` can be
    return values;
  }
  // The remainder of a known extent takes each step count once at most, after the first one.
  for (unsigned count = loops.extents[dim].isStatic() ? steps : 1; count > 0; count /= 2)
    if (Value end = wholeOf(count * width); end != low)
      run(end, count, /*isMasked=*/false);
  if (isVector && !isKnownEnd(low))
    run(high, 1, /*isMasked=*/true);
  return values;
}

void KernelEmitter::finish() {
  ArrayRef<Index> at = ArrayRef<Index>(place).take_front(loops.parallel);
  SmallVector<Value> values;
  for (Value root : loops.roots)
    values.push_back(eval.tensor(root, at)); // all before the first store: an output may be the buffer of an input
  for (auto [root, value, buffer] : llvm::zip_equal(loops.roots, values, outputs))
    eval.store(value, buffer, cast<RankedTensorType>(root.getType()), at);
}

FailureOr<KernelCode> KernelEmitter::emit(LLVM::LLVMFuncOp kernelFunction) {
  function = kernelFunction;
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  begin = entry->getArgument(2);
  end = entry->getArgument(3);
  outputs = bindClosure(entry->getArgument(0), kernel, loops.symbols, eval, buffers);
  chooseVectorDim();
  place.resize(loops.extents.size());
  outerLoops(0);
  b.setInsertionPointToEnd(entry);
  LLVM::ReturnOp::create(b, loc, ValueRange());

  KernelCode code;
  code.function = function;
  code.symbols = loops.symbols;
  if (loops.parallel == 1 && vectorIsParallel()) {
    code.extent = loops.extents[0];
    code.unit = kPieceElements;
  } else if (loops.parallel > 0) {
    code.extent = loops.extents[vectorDim == 0u ? 1 : 0];
  }
  for (const Dim &extent : loops.extents)
    code.work = code.work * extent;
  return code;
}

} // namespace

bool lathe::cpu::hasOwnEmitter(Operation *op, const VectorTarget &target) {
  if (auto concatenation = dyn_cast<ConcatenateOp>(op))
    return isCopied(concatenation);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return isTiled(transpose);
  return hasConvolutionEmitter(op, target) || hasContractionEmitter(op);
}

FailureOr<KernelCode> lathe::cpu::emitKernel(KernelOp kernel, ModuleOp module, StringRef name, const VectorTarget &target) {
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64, i64});
  auto function = LLVM::LLVMFuncOp::create(b, kernel.getLoc(), name, type, LLVM::Linkage::Internal);
  if (kernel->hasAttr(kRowsAttr))
    return emitRowPasses(kernel, function, target, b);
  for (Operation &op : kernel.getBody().front())
    if (op.hasTrait<OwnKernelTrait>() || isa<ConcatenateOp, TransposeOp>(op)) // others are nests by now
      return emitRows(kernel, &op, function, target, b);
  for (Operation &op : kernel.getBody().front())
    if (hasConvolutionEmitter(&op, target))
      return emitConvolution(kernel, &op, function, target, b);
  for (auto dot : kernel.getBody().front().getOps<DotGeneralOp>())
    if (hasContractionEmitter(dot))
      return emitContraction(kernel, dot, function, target, b);
  FailureOr<KernelLoops> loops = analyseLoops(kernel);
  if (failed(loops))
    return failure();
  return KernelEmitter(kernel, std::move(*loops), target, b).emit(function);
}
