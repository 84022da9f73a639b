// The code of single images:
//
//   for work item: group of `pixel_panels` panels of channels, image, block of outputs
//     for chain of the sum
//       for panel                                                 // the chain's rows of it stay in the first-level cache
//         for patch, for tile of it: sums[tile] += input[taps] * filter[chain, panel]
//       for patch whose tiles take several panels, for so many panels at once, for tile of it: the same
//     for patch, for output of it: results = epilogue(sums[output])
//     if the results are planes, instead: for square of channels, for line of outputs
//       for as many adjacent outputs: transpose their sums in registers, and results = epilogue(square)
//
// While tiles read a panel's rows from the first cache, they fetch those that come next into the second one: large filters come
// from memory.
//
// Patches.cpp says how patches cover a block. All outputs of a tile have the same taps, so that no code tests for borders, and
// tiles go over several lines of the image where lines are short.
#include "codegen/CPU/Convolution/PixelBlocks.h"
#include "codegen/CPU/Convolution/Lines.h"
#include "codegen/CPU/Tiles/Squares.h"
#include "codegen/CPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

PixelBlocks::PixelBlocks(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table,
                         WordTable tapWords, const Patches &patches, const PatchParameters &parameters, const TileShape &tile)
    : frame(frame), eval(frame.eval), op(op), shape(shape), table(table), tapWords(tapWords), patches(patches),
      parameters(parameters), tile(tile), words(frame, "patches", patches.words),
      element(scalarOf(cast<RankedTensorType>(op.getType()).getElementType())), width(tile.vectors * tile.lanes),
      filter(op, shape), chains(frame, kProductOrder, element, Dim(shape.sumTerms()), Dim(shape.sumRow())) {
  sums = frame.stack(element, parameters.panels * patches.mostOutputs * width);
  if (!chains.areOneGroup())
    totals = frame.stack(element, parameters.panels * patches.mostOutputs * width);
  if (parameters.ordersSums && operationsAround(op) > tuning::kShortEpilogue)
    transposed = frame.stack(element, int64_t(tile.lanes) * tile.lanes);
}

/// Returns all groups of panels of a group of channels.
SmallVector<PixelBlocks::Strip> PixelBlocks::strips() const {
  int64_t full = shape.columns() / width, groups = full / parameters.panels, rest = shape.columns() % width;
  SmallVector<Strip> all;
  auto add = [&](int64_t firstPanel, int64_t panels, int64_t count, unsigned vectors, int64_t lastLanes) {
    if (count)
      all.push_back({firstPanel * width, panels, count, vectors, lastLanes});
  };
  add(0, parameters.panels, groups, tile.vectors, tile.lanes);
  add(groups * parameters.panels, 1, full - groups * parameters.panels, tile.vectors, tile.lanes);
  unsigned vectors = llvm::divideCeil(rest, tile.lanes);
  add(full, 1, rest ? 1 : 0, vectors, rest - (vectors - 1) * int64_t(tile.lanes));
  return all;
}

int64_t PixelBlocks::itemsOfImage() const {
  int64_t items = 0;
  for (const Strip &strip : strips())
    items += strip.count * shape.columnGroups() * patches.blocks;
  return items;
}

void PixelBlocks::emit(Value first, Value count, Value low, Value high) {
  Value behind = eval.i64(0), zero = eval.i64(0), blocks = eval.i64(patches.blocks);
  for (const Strip &strip : strips()) {
    Value perPanels = eval.mul(count, blocks), items = eval.mul(perPanels, eval.i64(strip.count * shape.columnGroups()));
    auto clip = [&](Value item) { return eval.min(frame.max(eval.sub(item, behind), zero), items); };
    frame.loop(clip(low), clip(high), 1, [&](Value number) {
      Value group = frame.divide(number, perPanels), inGroup = frame.remainder(number, perPanels);
      Value channels = frame.divide(group, strip.count), panels = frame.remainder(group, strip.count);
      Item item;
      item.column = eval.add(eval.mul(channels, eval.i64(shape.columns())),
                             eval.add(eval.mul(panels, eval.i64(strip.panels * width)), eval.i64(strip.firstColumn)));
      item.image = eval.add(first, frame.divide(inGroup, patches.blocks));
      item.number = frame.remainder(inGroup, patches.blocks);
      item.block = eval.mul(item.number, eval.i64(Patches::kBlockWords));
      Value place = eval.mul(item.image, eval.i64(shape.inputPlaces() * shape.inputPitch()));
      place = eval.add(place, eval.mul(channels, eval.i64(shape.channels)));
      item.input = frame.at(frame.buffers.lookup(op.getInput()), element, place);
      emitItem(strip, item);
    });
    behind = eval.add(behind, items);
  }
}

void PixelBlocks::emitItem(const Strip &strip, const Item &item) {
  Value zero = eval.i64(0), one = eval.i64(1), panels = eval.i64(strip.panels);
  Value first = words(item.block, Patches::kFirstPatch), last = words(item.block, Patches::kLastPatch);
  Value firstWide = words(item.block, Patches::kFirstWide), outputs = words(item.block, Patches::kOutputs);
  chains.forEach(
      [&](Value chain, Value isFirst) {
        frame.loop(zero, panels, 1, [&](Value panel) {
          addPatches(strip, item, {first, firstWide, panel, one}, {chain, isFirst}, /*isWide=*/false);
        });
        addPatches(strip, item, {firstWide, last, zero, panels}, {chain, isFirst}, /*isWide=*/true);
      },
      [&](Value group, Value groups) {
        frame.loop(zero, panels, 1, [&](Value panel) {
          Value at = placeOf(panel, zero), vectors = eval.mul(outputs, eval.i64(tile.vectors));
          addGroup(frame, VectorType::get(tile.lanes, element), frame.at(sums, element, at), frame.at(totals, element, at),
                   vectors, group, groups);
        });
      });
  if (parameters.ordersSums)
    finishPlanes(strip, item);
  else
    frame.loop(first, last, 1, [&](Value patch) { finishPatch(strip, item, patch); });
}

/// Emits the sums of some patches in some panels for one chain.
void PixelBlocks::addPatches(const Strip &strip, const Item &item, const Part &part, const Chain &chain, bool isWide) {
  std::map<int64_t, PatchSums> byPanels; // by the number of panels that a tile takes at once
  for (auto [i, each] : llvm::enumerate(patches.tiles)) {
    unsigned together = std::min<int64_t>(each.panels, strip.panels);
    if ((each.panels > 1) == isWide)
      byPanels[together].tiles.push_back({unsigned(i), codeOf(strip, each, together)});
  }
  for (auto &[together, code] : byPanels) {
    code.hasOthers = byPanels.size() > 1;
    frame.loop(part.panel, eval.add(part.panel, part.panels), together,
               [&, code = &code](Value panel) { code->call(frame, callOf(strip, item, part, panel, chain, *code)); });
  }
}

/// Returns the values with which the sums of some patches are computed, beginning with a panel.
PatchSums::Call PixelBlocks::callOf(const Strip &strip, const Item &item, const Part &part, Value panel, const Chain &chain,
                                    const PatchSums &code) {
  Value column = eval.add(item.column, eval.mul(panel, eval.i64(width))),
        list = eval.mul(chain.number, eval.i64(table.classes));
  PatchSums::Call call{item.input,
                       filter.column(frame, column),
                       frame.at(sums, element, placeOf(panel, eval.i64(0))),
                       words.addressOf(eval.i64(0), patches.patches),
                       part.firstPatch,
                       part.lastPatch,
                       tapWords.addressOf(list, table.starts),
                       tapWords.addressOf(eval.i64(0), table.runs),
                       eval.i64(table.segmentStride)};
  if (llvm::any_of(code.tiles, [](const PatchSums::Tile &tile) { return tile.code.fetchesAhead; }))
    call.ahead = distanceToNext(strip, item, panel, column);
  if (!chains.areOne())
    call.adds = frame.isNot(chain.isFirst);
  return call;
}

TileSums PixelBlocks::codeOf(const Strip &strip, const PatchTile &each, unsigned panels) const {
  unsigned vectors = panels * strip.vectors;
  int64_t step = each.pixels > 1 ? table.segmentStride : 0; // 0 where nothing reads it, so that tiles share a function
  TileSums code{element,         each.lines,     each.pixels, each.lineDistance,  step, vectors, tile.lanes,
                strip.lastLanes, filter.pitch(), width,       /*continues=*/false};
  code.inFilter = filter.split(vectors, tile.lanes);
  code.readsPanel = filter.isPacked();
  code.runMultiple = table.runMultiple;
  code.mayAdd = !chains.areOne();
  int64_t tilesOfPanel = shape.outputPlaces() / tile.rows;
  code.fetchesAhead = filter.isPacked() && panels == 1 && tilesOfPanel <= tuning::kMostFetches;
  if (panels > 1)
    code.inSums = {tile.vectors, patches.mostOutputs * width};
  return code;
}

/// Returns the elements from a panel's rows of a chain to what is read next: the same rows of the next panel or, after the last
/// panel, the next rows of the first one.
Value PixelBlocks::distanceToNext(const Strip &strip, const Item &item, Value panel, Value column) {
  Value here = filter.place(frame, column), next = filter.place(frame, eval.add(column, eval.i64(width)));
  Value first = eval.add(filter.place(frame, item.column), eval.i64(table.chainRows * filter.pitch()));
  Value isLast = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, panel, eval.i64(strip.panels - 1));
  return eval.sub(arith::SelectOp::create(frame.b, frame.loc, isLast, first, next), here);
}

/// Computes the results of all outputs of a patch from their sums.
void PixelBlocks::finishPatch(const Strip &strip, const Item &item, Value patch) {
  Value zero = eval.i64(0), down = word(patch, Patches::kDown), across = word(patch, Patches::kAcross);
  Value lines = word(patch, Patches::kLines), pixels = word(patch, Patches::kPixels);
  Value firstSum = word(patch, Patches::kFirstSum), firstPlace = word(patch, Patches::kFirstPlace);
  Value firstLine = word(patch, Patches::kFirstLine), lineStep = word(patch, Patches::kLineStep);
  int64_t placeStep = shape.dims.back().outputStep();
  ConvolutionLines image(frame, shape);
  frame.loop(zero, down, 1, [&](Value i) {
    frame.loop(zero, lines, 1, [&](Value inTile) {
      Value line = eval.add(firstLine, eval.mul(eval.add(eval.mul(i, lines), inTile), lineStep));
      SmallVector<Value> outer = image.lineOfOutputs(line);
      frame.loop(zero, across, 1, [&](Value j) {
        Value before = eval.mul(eval.add(eval.mul(eval.add(eval.mul(i, across), j), lines), inTile), pixels);
        frame.loop(zero, pixels, 1, [&](Value pixel) {
          Value place = eval.add(eval.mul(j, pixels), pixel);
          Value last = eval.add(firstPlace, eval.mul(place, eval.i64(placeStep)));
          Value output = eval.add(firstSum, eval.add(before, pixel));
          frame.loop(zero, eval.i64(strip.panels), 1, [&](Value panel) {
            Value column = eval.add(item.column, eval.mul(panel, eval.i64(width)));
            Value from = frame.at(sums, element, placeOf(panel, output));
            finishPixel(frame, tile, {column, strip.vectors, strip.lastLanes}, op.getResult(), from, item.image, outer, last);
          });
        });
      });
    });
  });
}

/// Computes the results of a block, which are parts of planes. The last square of a line ends with the line, and may repeat
/// some outputs of the one before it.
void PixelBlocks::finishPlanes(const Strip &strip, const Item &item) {
  int64_t lineWidth = shape.dims.back().output, blockPlaces = std::min(parameters.blockPlaces, lineWidth);
  int64_t inLine = llvm::divideCeil(lineWidth, blockPlaces), last = lineWidth - (inLine - 1) * blockPlaces;
  Value line = eval.mul(frame.divide(item.number, inLine), eval.i64(parameters.blockLines));
  Value place = eval.mul(frame.remainder(item.number, inLine), eval.i64(blockPlaces));
  BlockOutputs outputs;
  outputs.firstLine = line;
  outputs.lines = eval.min(eval.i64(parameters.blockLines), eval.sub(eval.i64(shape.outputPlaces() / lineWidth), line));
  outputs.firstPlace = place;
  outputs.places = eval.min(eval.i64(blockPlaces), eval.sub(eval.i64(lineWidth), place));
  outputs.order = words(item.number, patches.orders);
  unsigned side = llvm::bit_floor(uint64_t(std::min<int64_t>(tile.lanes, last)));
  frame.loop(eval.i64(0), eval.i64(strip.panels), 1, [&](Value panel) {
    Value column = eval.add(item.column, eval.mul(panel, eval.i64(width)));
    int64_t count = (strip.vectors - 1) * int64_t(tile.lanes) + strip.lastLanes;
    for (int64_t channel = 0; channel < count; channel += side) {
      Value from = frame.at(sums, element, eval.add(placeOf(panel, eval.i64(0)), eval.i64(channel)));
      Square square{eval.add(column, eval.i64(channel)), std::min<int64_t>(count - channel, side), from, side};
      finishChannels(item, outputs, square);
    }
  });
}

/// Computes the results of all outputs of a block in the channels of a square.
void PixelBlocks::finishChannels(const Item &item, const BlockOutputs &outputs, const Square &square) {
  ConvolutionLines image(frame, shape);
  frame.loop(eval.i64(0), outputs.lines, 1, [&](Value line) {
    SmallVector<Index> place{eval.uniform(item.image), Index()}; // finishSquare sets the channel
    for (Value coordinate : image.lineOfOutputs(eval.add(outputs.firstLine, line)))
      place.push_back(eval.uniform(coordinate));
    place.emplace_back();
    Value order = eval.add(outputs.order, eval.mul(line, outputs.places));
    frame.loop(eval.i64(0), outputs.places, square.side, [&](Value next) {
      Value at = eval.min(next, eval.sub(outputs.places, eval.i64(square.side)));
      place.back() = {eval.add(outputs.firstPlace, at), square.side > 1, {}};
      SmallVector<Value> from;
      for (unsigned i = 0; i < square.side; ++i)
        from.push_back(frame.at(square.sums, element, eval.mul(words(eval.add(order, at), i), eval.i64(width))));
      finishSquare(square, from, place);
    });
  });
}

/// Computes the results of adjacent outputs from the addresses of their sums. The code of a long epilogue is not repeated for
/// each channel.
void PixelBlocks::finishSquare(const Square &square, ValueRange from, MutableArrayRef<Index> place) {
  eval.lanes = square.side;
  SmallVector<Value> vectors;
  for (Value each : from)
    vectors.push_back(square.side > 1 ? frame.loadLanes(each, element) : frame.loadOne(each, element));
  transposeLanes(frame, vectors);
  auto finish = [&](Value channel, Value ofChannel) {
    eval.nextPoint();
    place[1] = eval.uniform(eval.add(square.firstChannel, channel));
    frame.finish(op.getResult(), ofChannel, place);
  };
  if (!transposed) {
    for (int64_t channel = 0; channel < square.channels; ++channel)
      finish(eval.i64(channel), vectors[channel]);
    return;
  }
  for (auto [channel, vector] : llvm::enumerate(vectors))
    LLVM::StoreOp::create(frame.b, frame.loc, vector, frame.at(transposed, element, channel * square.side), elementBytesOf(op));
  frame.loop(eval.i64(0), eval.i64(square.channels), 1, [&](Value channel) {
    Value from = frame.at(transposed, element, eval.mul(channel, eval.i64(square.side)));
    finish(channel, square.side > 1 ? frame.loadLanes(from, element) : frame.loadOne(from, element));
  });
}

Value PixelBlocks::word(Value patch, Patches::PatchWord number) {
  return words(eval.mul(patch, eval.i64(Patches::kPatchWords)), patches.patches + number);
}

/// Returns the place of the sums of an output in a panel.
Value PixelBlocks::placeOf(Value panel, Value output) {
  return eval.mul(eval.add(eval.mul(panel, eval.i64(patches.mostOutputs)), output), eval.i64(width));
}
