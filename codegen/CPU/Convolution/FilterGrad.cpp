// The code of a filter's gradient:
//
//   for group, strip of `rows` input channels, block of `vectors * lanes` output channels, tap   // work items
//     for chain of output positions of all images
//       copy the chain's inputs and cotangents, if the schedule says so
//       sums[strip, block] += the chain's products        // GradientChain.cpp
//     for row of the strip: results[tap, row, block] = epilogue(sums[row])
//
// The last strip overlaps the one before it, and has results for the channels that are left only: tiles of fewer rows would be
// code of their own in each kernel, and wait for the latency of their sums.
#include "codegen/CPU/Convolution/FilterGrad.h"
#include "codegen/CPU/Convolution/GradientChain.h"
#include "codegen/CPU/Convolution/Lines.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tuning.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

FilterGradSchedule lathe::cpu::chooseFilterGrad(const ConvolutionShape &shape, const VectorTarget &target,
                                                unsigned elementBytes) {
  FilterGradSchedule schedule{chooseTile(target, elementBytes, shape.filters)};
  // Divide the channels into strips of about equal height: a tile of few rows waits for the latency of its sums.
  schedule.tile.rows = llvm::divideCeil(shape.channels, llvm::divideCeil(shape.channels, schedule.tile.rows));
  std::optional<PackedChain> chain = PackedChain::of(shape);
  schedule.packs = chain && shape.taps() >= tuning::kLeastPackedTaps &&
                   shape.inputPitch() * elementBytes >= tuning::kLeastPackedPitch &&
                   chain->elements(schedule.tile) * elementBytes <= tuning::kMostPackedGradientBytes;
  return schedule;
}

std::optional<FilterGradPlan> FilterGradPlan::make(const ConvolutionShape &shape, const FilterGradSchedule &schedule,
                                                   unsigned elementBytes) {
  FilterGradPlan plan;
  plan.tile = schedule.tile;
  plan.tile.rows = std::clamp<int64_t>(shape.channels, 1, plan.tile.rows);
  if (schedule.packs)
    plan.packed = PackedChain::of(shape);
  int64_t width = plan.tile.vectors * plan.tile.lanes;
  int64_t elements = shape.taps() * plan.tile.rows * width + (plan.packed ? plan.packed->elements(plan.tile) : 0);
  if (elements * elementBytes > tuning::kMostGradientBytes)
    return std::nullopt;
  for (const ConvolutionDim &dim : shape.dims) {
    for (int64_t k = 0; k < dim.taps; ++k) {
      std::optional<ConvolutionDim::Meeting> first = dim.firstMeeting(k);
      if (first && (!llvm::isInt<32>(first->output) || !llvm::isInt<32>(first->input)))
        return std::nullopt;
      for (int64_t word : {first ? first->output : 0, first ? first->input : 0, int64_t(first.has_value())})
        plan.words.push_back(int32_t(word));
    }
  }
  plan.groupPieces = llvm::divideCeil(shape.channels, plan.tile.rows) * llvm::divideCeil(shape.filters, width) * shape.taps();
  return plan;
}

LogicalResult lathe::cpu::checkFilterGrad(KernelOp kernel, const ConvolutionShape &shape, const FilterGradSchedule &schedule,
                                          const VectorTarget &target, unsigned elementBytes) {
  const TileShape &tile = schedule.tile;
  if (failed(checkTile(kernel, tile, elementBytes, target, Dim(tile.rows)))) // strips may have any height
    return failure();
  if (schedule.packs && !PackedChain::of(shape))
    return kernel.emitError(
        "a schedule with 'packs'; expected a kernel of known extents in at most two dimensions, whose lines "
        "of outputs are not longer than a chain");
  if (!FilterGradPlan::make(shape, schedule, elementBytes))
    return kernel.emitError("a schedule with tiles of ")
           << tile.rows << " rows and " << tile.vectors << " vectors whose sums take too much of the stack";
  return success();
}

namespace {
/// All strips with the blocks of one width, which share code.
struct Region {
  int64_t strips;
  int64_t firstFilter, blocks, vectors, lastLanes;
};

class FilterGradEmitter {
public:
  FilterGradEmitter(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape, const FilterGradPlan &plan,
                    WordTable words)
      : frame(frame), eval(frame.eval), op(op), shape(shape), plan(plan), words(words), tile(plan.tile),
        element(cast<RankedTensorType>(op.getType()).getElementType()),
        chains(frame, kProductOrder, element, dimsOf(op.getInput())[0] * shape.outputPlacesDim(), shape.gradientRow()),
        imageLines(frame, shape), row(imageLines.output().back()), width(tile.vectors * tile.lanes), taps(shape.taps()),
        sums(frame.stack(element, taps * tile.rows * width)) {
    hasShortRows = shape.gradientRow().isStatic() && shape.gradientRow().constant() <= kProductOrder.chain;
    if (!chains.areOneGroup())
      totals = frame.stack(element, taps * tile.rows * width);
    if (plan.packed)
      packer.emplace(frame, shape, *plan.packed, tile, element);
  }

  void emit() {
    int64_t pieces = plan.groupPieces;
    frame.loop(frame.divide(frame.begin, pieces), frame.divideUp(frame.end, pieces), 1, [&](Value number) {
      group = number;
      Value first = eval.mul(group, eval.i64(pieces));
      begin = frame.max(eval.sub(frame.begin, first), eval.i64(0));
      end = eval.min(eval.sub(frame.end, first), eval.i64(pieces));
      emitGroup();
    });
  }

private:
  void emitGroup() {
    int64_t strips = llvm::divideCeil(shape.channels, tile.rows), offset = 0;
    int64_t full = shape.filters / width, rest = shape.filters % width;
    auto add = [&](int64_t firstFilter, int64_t blocks, int64_t vectors, int64_t lastLanes) {
      if (blocks == 0)
        return;
      emitRegion({strips, firstFilter, blocks, vectors, lastLanes}, offset);
      offset += strips * blocks * taps;
    };
    add(0, full, tile.vectors, tile.lanes);
    int64_t vectors = llvm::divideCeil(rest, tile.lanes);
    add(full * width, rest ? 1 : 0, vectors, rest - (vectors - 1) * tile.lanes);
  }

  /// Emits those work items of a region that the call covers; `offset` is the number of its first item.
  void emitRegion(const Region &region, int64_t offset) {
    int64_t size = region.strips * region.blocks * taps;
    auto clip = [&](Value piece) {
      return eval.min(frame.max(eval.sub(piece, eval.i64(offset)), eval.i64(0)), eval.i64(size));
    };
    Value low = clip(begin), high = clip(end);
    frame.loop(frame.divide(low, taps), frame.divideUp(high, taps), 1, [&](Value tileIndex) {
      Value firstPiece = eval.mul(tileIndex, eval.i64(taps));
      Value firstTap = frame.max(eval.sub(low, firstPiece), eval.i64(0));
      Value lastTap = eval.min(eval.sub(high, firstPiece), eval.i64(taps));
      Value strip = frame.divide(tileIndex, region.blocks), block = frame.remainder(tileIndex, region.blocks);
      Value ownChannel = eval.mul(strip, eval.i64(tile.rows)), lastChannel = eval.i64(shape.channels - tile.rows);
      Value channel = shape.channels % tile.rows ? eval.min(ownChannel, lastChannel) : ownChannel;
      Value column = eval.add(eval.mul(block, eval.i64(width)), eval.i64(region.firstFilter));
      TileColumns columns{eval.add(column, eval.mul(group, eval.i64(shape.filters))), unsigned(region.vectors),
                          region.lastLanes};
      addChains(region, columns, channel, firstTap, lastTap);
      finish(region, columns, channel, eval.sub(ownChannel, channel), firstTap, lastTap);
    });
  }

  /// Returns the address of the sums of a row of a tap.
  Value sumsAt(const Region &region, Value tap, Value row) {
    Value index = eval.add(eval.mul(tap, eval.i64(tile.rows)), row);
    return frame.at(sums, element, eval.mul(index, eval.i64(region.vectors * tile.lanes)));
  }

  /// Emits the sums of some taps, chain by chain. All taps use the inputs of a chain while these are cached.
  void addChains(const Region &region, const TileColumns &columns, Value channel, Value firstTap, Value lastTap) {
    chains.forEach(
        [&](Value chain, Value isFirst) {
          Places places = placesOf(chain);
          Operands operands = operandsOf(region, columns, channel, places);
          addChain(region, columns, operands, firstTap, lastTap, places, isFirst);
        },
        [&](Value group, Value groups) {
          Value vectors = eval.mul(eval.sub(lastTap, firstTap), eval.i64(tile.rows * region.vectors));
          Value first = sumsAt(region, firstTap, eval.i64(0));
          addGroup(frame, VectorType::get(tile.lanes, element), first, totals, vectors, group, groups);
        });
  }

  /// Returns the output positions of a chain.
  using Places = GradientChain::Places;
  Places placesOf(Value chain) {
    auto [start, length] = chains.terms(chain);
    Value divisor = frame.max(row, eval.i64(1)), line = frame.divide(start, divisor), low = frame.remainder(start, divisor);
    // A chain consists of whole lines or lies within one line.
    return {line, divideUp(eval.add(start, length), divisor), low, eval.min(row, eval.add(low, length))};
  }

  /// The addresses of the strip's and the block's first elements at the first position, in the tensors or in the copies of a
  /// chain.
  struct Operands {
    Value x, y;
  };
  Operands operandsOf(const Region &region, const TileColumns &columns, Value channel, const Places &places) {
    Value first = eval.add(channel, eval.mul(group, eval.i64(shape.channels)));
    Value x = frame.at(frame.buffers.lookup(op.getInput()), element, first);
    Value y = frame.at(frame.buffers.lookup(op.getOutput()), element, columns.first);
    if (!packer)
      return {x, y};
    return {packer->packInputs(x, tile.rows, places.firstLine, places.endLine),
            packer->packOutputs(y, columns, places.firstLine, places.endLine)};
  }

  /// Adds a chain to the sums of some taps.
  void addChain(const Region &region, const TileColumns &columns, const Operands &operands, Value firstTap, Value lastTap,
                const Places &places, Value isFirst) {
    bool isFar = std::max(inputPitch(), outputPitch()) * element.getIntOrFloatBitWidth() / 8 > tuning::kMostStepBytes;
    unsigned multiplyAdds = tile.rows * columns.vectors;
    GradientChain code{{tile.rows, columns.vectors, tile.lanes},
                       element,
                       columns.lastLanes,
                       packer.has_value(),
                       hasShortRows,
                       isFar ? ProductSteps() : ProductSteps::of(multiplyAdds, /*multiple=*/1),
                       shape.dims};
    Value zero = eval.i64(0);
    GradientChain::Call call{operands.x, operands.y, sumsAt(region, zero, zero), words.addressOf(zero, 0), isFirst, firstTap,
                             lastTap,    places,     eval.i64(inputPitch()),     eval.i64(outputPitch())};
    for (auto [inputs, outputs] : llvm::zip_equal(imageLines.input(), imageLines.output()))
      call.extents.push_back({inputs, outputs});
    code.call(frame, chains, call);
  }

  /// Returns the coordinates of a tap.
  SmallVector<Value> unravel(Value tap) {
    SmallVector<Value> result(shape.dims.size());
    for (size_t d = shape.dims.size(); d-- > 0;) {
      result[d] = d ? frame.remainder(tap, shape.dims[d].taps) : tap;
      tap = d ? frame.divide(tap, shape.dims[d].taps) : tap;
    }
    return result;
  }

  /// Computes the kernel's results from the sums of some taps, beginning with a row of the strip.
  void finish(const Region &region, const TileColumns &columns, Value channel, Value firstRow, Value firstTap, Value lastTap) {
    frame.loop(firstTap, lastTap, 1, [&](Value tap) {
      frame.loop(firstRow, eval.i64(tile.rows), 1, [&](Value row) {
        eval.nextPoint();
        SmallVector<Index> place;
        for (Value k : unravel(tap))
          place.push_back(eval.uniform(k));
        place.push_back(eval.uniform(eval.add(channel, row)));
        place.push_back({});
        finishColumns(frame, tile, columns, op.getResult(), sumsAt(region, tap, row), place);
      });
    });
  }

  /// Elements from one position to the next.
  int64_t inputPitch() const { return packer ? packer->inputPitch() : shape.inputPitch(); }
  int64_t outputPitch() const { return packer ? packer->outputPitch() : shape.outputPitch(); }
  Value divideUp(Value x, Value divisor) { return frame.divide(eval.add(x, eval.sub(divisor, eval.i64(1))), divisor); }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvFilterGradOp op;
  const ConvolutionShape &shape;
  const FilterGradPlan &plan;
  WordTable words;
  TileShape tile;
  Type element;
  Chains chains;
  ConvolutionLines imageLines;
  Value row;         // outputs per line
  bool hasShortRows; // lines are known to be whole in each chain
  int64_t width, taps;
  Value group, begin, end; // the current group, and the range of its work items
  Value sums, totals;      // on the stack: [taps][rows][vectors], and the totals of groups of chains
  std::optional<ChainPacker> packer;
};
} // namespace

void lathe::cpu::emitFilterGrad(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                                const FilterGradPlan &plan, WordTable words) {
  FilterGradEmitter(frame, op, shape, plan, words).emit();
}
