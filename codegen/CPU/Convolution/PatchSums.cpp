// The sums of a range of patches in some panels, for one chain:
//
//   for patch: if its tiles are of these kinds
//     for tile down, across the patch: the tile's function, by kind       // TileFunction.cpp
#include "codegen/CPU/Convolution/PatchSums.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// The arguments of the function, some of which only some tiles have.
struct PatchSums::Arguments : Call {
  SmallVector<Value> rowTables; // of each tile; null if it has none
  Value pitch, sumPlaces;

  /// Calls `visit` with each argument in order, and with its type.
  template <typename Visitor>
  void forEach(const PatchSums &code, OpBuilder &b, Visitor visit) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
    auto any = [&](auto has) { return llvm::any_of(code.tiles, [&](const Tile &tile) { return has(tile.code); }); };
    for (Value *address : {&input, &filter, &sums, &patches, &lists, &runs})
      visit(*address, pointer);
    for (Value *number : {&first, &last, &pixelDistance})
      visit(*number, i64);
    for (auto [tile, rows] : llvm::zip_equal(code.tiles, rowTables))
      if (tile.code.hasRowTable())
        visit(rows, pointer);
    if (any([](const TileSums &tile) { return tile.hasPitch(); }))
      visit(pitch, i64);
    if (any([](const TileSums &tile) { return tile.hasSumPlaces(); }))
      visit(sumPlaces, i64);
    if (any([](const TileSums &tile) { return tile.fetchesAhead; }))
      visit(ahead, i64);
    if (any([](const TileSums &tile) { return tile.mayAdd; }))
      visit(adds, b.getI1Type());
  }
};

std::string PatchSums::name() const {
  std::string text = hasOthers ? "conv_patches_among" : "conv_patches";
  for (const Tile &tile : tiles)
    text += "_" + std::to_string(tile.kind) + "_" + tile.code.name();
  return text;
}

void PatchSums::call(KernelFrame &frame, const Call &values) const {
  Arguments arguments{values, {}, {}, {}};
  for (const Tile &tile : tiles)
    arguments.rowTables.push_back(tile.code.hasRowTable() ? tile.code.rowTable(frame) : Value());
  arguments.pitch = frame.eval.i64(tiles.front().code.filterPitch);
  arguments.sumPlaces = frame.eval.i64(tiles.front().code.inSums.distance);
  Arguments own{};
  own.rowTables.resize(tiles.size());
  auto forEach = [&](Arguments &each, auto visit) { each.forEach(*this, frame.b, visit); };
  callSharedFunction(frame, frame, name(), arguments, own, forEach,
                     [&](CodeFrame &inside, const Arguments &its) { emit(frame, inside, its); });
}

void PatchSums::emit(KernelFrame &kernel, CodeFrame &frame, const Arguments &arguments) const {
  PointEvaluator &eval = frame.eval;
  WordTable words(frame, arguments.patches);
  frame.loop(arguments.first, arguments.last, 1, [&](Value number) {
    Value patch = eval.mul(number, eval.i64(Patches::kPatchWords)), kind = words(patch, Patches::kTile);
    if (!hasOthers)
      return emitTiles(kernel, frame, arguments, patch, kind);
    Value isAmong;
    for (const Tile &tile : tiles) {
      Value is = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, kind, eval.i64(tile.kind));
      isAmong = isAmong ? arith::OrIOp::create(frame.b, frame.loc, isAmong, is).getResult() : is;
    }
    frame.when(isAmong, [&] { emitTiles(kernel, frame, arguments, patch, kind); });
  });
}

/// Emits the tiles of a patch, whose words begin at the index `patch`. They differ by the function that the innermost loop
/// calls.
void PatchSums::emitTiles(KernelFrame &kernel, CodeFrame &frame, const Arguments &arguments, Value patch, Value kind) const {
  PointEvaluator &eval = frame.eval;
  const Type element = tiles.front().code.element;
  WordTable words(frame, arguments.patches), lists(frame, arguments.lists), runs(frame, arguments.runs);
  auto word = [&](Patches::PatchWord number) { return words(patch, number); };
  Value list = word(Patches::kClass), firstRun = lists(list, 0), count = eval.sub(lists(list, 1), firstRun);
  TileSums::Call call{{}, arguments.filter, runs.addressOf(eval.mul(firstRun, eval.i64(3)), 0), count, {}};
  call.ahead = arguments.ahead;
  call.adds = arguments.adds;
  call.pitch = arguments.pitch;
  call.sumPlaces = arguments.sumPlaces;
  Value input = frame.at(arguments.input, element, word(Patches::kBase));
  Value down = word(Patches::kDown), across = word(Patches::kAcross);
  Value downStep = word(Patches::kDownStep), firstSum = word(Patches::kFirstSum);
  Value pixels = word(Patches::kPixels), outputs = eval.mul(word(Patches::kLines), pixels);
  Value acrossStep = eval.mul(pixels, arguments.pixelDistance);
  SmallVector<unsigned> kinds;
  for (const Tile &tile : tiles)
    kinds.push_back(tile.kind);
  frame.loop(eval.i64(0), down, 1, [&](Value i) {
    Value line = frame.at(input, element, eval.mul(i, downStep));
    frame.loop(eval.i64(0), across, 1, [&](Value j) {
      Value before = eval.mul(eval.add(eval.mul(i, across), j), outputs);
      call.input = frame.at(line, element, eval.mul(j, acrossStep));
      Value place = eval.mul(eval.add(firstSum, before), eval.i64(tiles.front().code.sumDistance));
      call.sums = frame.at(arguments.sums, element, place);
      selectHeight(frame, kind, kinds, [&](unsigned chosen) {
        for (auto [tile, rows] : llvm::zip_equal(tiles, arguments.rowTables))
          if (tile.kind == chosen) {
            call.rowTable = rows;
            tile.code.call(kernel, frame, call);
          }
      });
    });
  });
}
