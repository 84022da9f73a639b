// The code of a matrix product, for the rows of a call:
//
//   for matrix, for block of rows if any, for group of columns // a group is one tile wide if the number of columns is static
//     for tile of `vectors * lanes` columns
//       with blocks, if the work item has enough rows:
//         for chain of products, for `block_depth` products of it
//           block = rhs[products, columns]              // packed, in the first-level cache
//           for tile of `rows` rows: sums += lhs[tile, products] * block
//         for row: results[row, columns] = epilogue(sums[row]) // after the tile's last products if there is one chain
//       else:
//         for tile of `rows` rows
//           for chain of products: sums += lhs[tile, chain] * rhs[chain, columns]
//           for row of the tile: results[row, columns] = epilogue(sums[row])
//
// A block of rows has `block_tiles` tiles. It meets all columns before the next rows: its results are then in few pages of
// memory. With `packs_lhs` its rows of lhs are copied first, from where each product has them side by side.
//
// A tile's sums are in registers in the loop over products, and on the stack between loops. The remaining rows use tiles of 4,
// 2 and 1 rows. If rhs is in panels, as a constant (codegen/Schedules/Panels.h) or as the weights of a loop, the tiles read a
// panel from its first byte to its last, and nothing is packed.
#include "codegen/CPU/Contraction/Contraction.h"
#include "codegen/CPU/Contraction/Choice.h"
#include "codegen/CPU/Contraction/DotTile.h"
#include "codegen/CPU/Contraction/Epilogue.h"
#include "codegen/CPU/Contraction/LeftRows.h"
#include "codegen/CPU/Contraction/Weights.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tiles/Copies.h"
#include "codegen/CPU/Tiles/FetchAhead.h"
#include "codegen/CPU/Tiles/Parts.h"
#include "codegen/CPU/Tiles/SkippedKeys.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Schedules/Panels.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Analysis/Bytes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

/// True if one row of products goes over rows of rhs that crowd few sets of the first-level cache. The form column_reduction
/// reads a few whole rows of rhs at a time, which takes 0.7 to 0.9 of the time of tiles with vectors of 32 bytes; with other
/// distances, tiles take 0.9 to 1 of its time, and those of 64 bytes read up to 1 KB of a row at a time themselves. Both forms
/// add the products in one order.
static bool isForColumns(const ContractionShape &shape, Type element, Type rhsElement, const VectorTarget &target) {
  return target.vectorBytes < 64 && shape.outer.empty() && shape.rows.isStatic(1) && isa<FloatType>(element) &&
         element == rhsElement && shape.depth.isStatic() && shape.depth.constant() >= tuning::kLeastColumnDepth &&
         shape.rhsDepthStride.isStatic() && shape.rhsDepthStride.constant() > 0 &&
         shape.rhsDepthStride.constant() * (element.getIntOrFloatBitWidth() / 8) % tuning::kCrowdingBytes == 0 &&
         shape.columns.isStatic() && shape.columns == shape.rhsDepthStride;
}

namespace {
class ContractionEmitter {
public:
  ContractionEmitter(KernelFrame &frame, DotGeneralOp op, const ContractionShape &shape, const ContractionSchedule &schedule)
      : frame(frame), eval(frame.eval), op(op), shape(shape), schedule(schedule), tile(schedule.tile),
        element(scalarOf(elementOf(op))), lhsElement(elementOf(inMemory(op.getLhs()))), weights(rightOperandOf(op)),
        rhsElement(elementOf(weights.memory)), vector(tile.lanes == 1 ? element : VectorType::get(tile.lanes, element)),
        width(tile.vectors * tile.lanes), depth(keptKeys(frame, kernel(), kSkipsDepth, shape.depth)),
        chains(frame, kProductOrder, element, shape.depth, shape.depthRow, depth), panels(weights.panels),
        blockDepth(schedule.blockDepth), hasBlocks(blockDepth > 0), rows(eval.extent(shape.rows)),
        columns(eval.extent(shape.columns)), columnsEnd(columns), epilogue(frame, op, shape, tile) {
    if (Value kept = keptKeys(frame, kernel(), kSkipsColumns, shape.columns)) // in whole tiles
      columnsEnd = eval.min(eval.mul(frame.divideUp(kept, width), eval.i64(width)), columns);
    if ((rowsEnd = keptKeys(frame, kernel(), kSkipsRows, shape.rows)))
      isInPlace = sharesMemory(frame, kernel(), op.getType(), {op.getLhs(), op.getRhs()});
    sums = frame.stack(element, blockRows() * width);
    if (hasBlocks && !chains.areOne())
      chainSums = frame.stack(element, blockRows() * width);
    if (!chains.areOneGroup())
      totals = frame.stack(element, blockRows() * width);
    if (schedule.packsLhs)
      lhsCopy = frame.stack(lhsElement, shape.depth.constant() * pitchOfPackedLhs(schedule));
    block = hasBlocks ? frame.stack(element, blockDepth * width) : Value();
  }

  /// Returns the number of groups of columns that threads can share; 1 if the number of columns is not static.
  int64_t groups() const { return shape.columns.isStatic() ? llvm::divideCeil(shape.columns.constant(), int64_t(width)) : 1; }

  /// Returns the number of rows of all groups of all matrices. A work item has as many of them as a tile. Rows are counted
  /// fastest, then groups, then blocks of rows for all groups, if there are such blocks.
  Dim extent() const {
    Dim all = shape.rows * Dim(groups());
    for (const ContractionShape::Outer &outer : shape.outer)
      all = all * outer.extent;
    return all;
  }

  void emit() {
    Value unit = eval.i64(tile.rows);
    Value first = eval.mul(frame.begin, unit), last = eval.min(eval.mul(frame.end, unit), eval.extent(extent()));
    Value count = frame.max(rows, eval.i64(1)); // avoids a division by zero if there are no rows
    if (schedule.blockTiles == 1)
      return forParts(frame, first, last, count, [&](Value index, Value low, Value high) {
        rowLow = low, rowHigh = high;
        emitGroup(frame.divide(index, groups()), frame.remainder(index, groups()));
      });
    Value most = eval.i64(schedule.blockTiles * int64_t(tile.rows)), all = eval.i64(groups());
    forParts(frame, first, last, eval.mul(count, all), [&](Value matrix, Value low, Value high) {
      forParts(frame, low, high, eval.mul(most, all), [&](Value block, Value low, Value high) {
        Value top = eval.mul(block, most), height = frame.max(eval.min(eval.sub(rows, top), most), eval.i64(1));
        if (schedule.packsLhs)
          packLhs(top, height, eval.sub(high, low));
        forParts(frame, low, high, height, [&](Value group, Value low, Value high) {
          rowLow = eval.add(top, low), rowHigh = eval.add(top, high);
          emitGroup(matrix, group);
        });
      });
    });
  }

private:
  KernelOp kernel() { return op->getParentOfType<KernelOp>(); }

  /// Computes the rows behind rowsEnd, whose sums are 0, unless they are in place already.
  void emitSkippedRows(Value column, unsigned vectors, Value columnEnd) {
    int64_t wide = int64_t(vectors) * tile.lanes;
    frame.loop(rowHigh, copiedEnd, 1, [&](Value row) {
      eval.lanes = tile.lanes;
      frame.loop(eval.i64(0), eval.i64(wide), tile.lanes,
                 [&](Value i) { frame.storeLanes(eval.splat(eval.constant(element, 0)), frame.at(sums, element, i)); });
      epilogue.row(sums, row, {column, vectors, columnEnd});
    });
  }

  int64_t blockRows() const { return hasBlocks ? schedule.blockTiles * int64_t(tile.rows) : int64_t(tile.rows); }

  /// Copies the rows of a block if the `items`, each a row of a group of columns, have several groups.
  void packLhs(Value top, Value height, Value items) {
    Value isWorthIt =
        arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::sge, items, eval.mul(eval.i64(2), height));
    leftRows = LeftRows::packed(frame, frame.buffers.lookup(inMemory(op.getLhs())), scalarOf(lhsElement), shape, lhsCopy,
                                pitchOfPackedLhs(schedule), top, height, isWorthIt);
  }

  void emitGroup(Value matrix, Value group) {
    Value allRows = rowHigh;
    if (rowsEnd) {
      rowHigh = frame.max(eval.min(rowHigh, rowsEnd), rowLow);
      copiedEnd = arith::SelectOp::create(frame.b, frame.loc, isInPlace, rowHigh, allRows);
    }
    epilogue.place.assign(dimsOf(op.getResult()).size(), Index());
    lhs = frame.buffers.lookup(inMemory(op.getLhs()));
    rhs = frame.buffers.lookup(weights.memory);
    for (const ContractionShape::Outer &outer : llvm::reverse(shape.outer)) {
      Value extent = eval.extent(outer.extent);
      bool isSlowest = &outer == shape.outer.begin();
      Value index = isSlowest ? matrix : frame.remainder(matrix, extent);
      matrix = isSlowest ? matrix : frame.divide(matrix, extent);
      epilogue.place[outer.resultDim] = eval.uniform(index);
      lhs = frame.at(lhs, scalarOf(lhsElement), eval.mul(index, eval.extent(outer.lhsStride)));
      rhs = frame.at(rhs, scalarOf(rhsElement), eval.mul(index, rhsStrideOf(outer)));
    }
    if (!schedule.packsLhs)
      leftRows = LeftRows::inPlace(frame, lhs, shape);
    Value from = eval.i64(0), to = columnsEnd;
    if (groups() > 1) {
      from = eval.mul(group, eval.i64(width));
      to = eval.min(eval.add(from, eval.i64(width)), columnsEnd);
      if (columnsEnd != columns)
        to = frame.max(to, from);
    }
    Value whole = eval.add(from, eval.mul(frame.divide(eval.sub(to, from), width), eval.i64(width)));
    if (!shape.columns.isStatic()) {
      frame.loop(from, whole, width, [&](Value column) { emitColumns(column, tile.vectors, Value()); });
      frame.loop(whole, to, tile.lanes, [&](Value column) { emitColumns(column, 1, to); });
      return;
    }
    int64_t rest = shape.columns.constant() % width;
    if (shape.columns.constant() >= width)
      frame.loop(from, whole, width, [&](Value column) { emitColumns(column, tile.vectors, Value()); });
    int64_t most = panels ? std::min(panels->width, width) : width; // a tile of several panels has only full ones
    if (rest != 0)                                                  // at most once
      frame.loop(whole, to, width, [&](Value first) {
        for (int64_t done = 0; done < rest; done += most) {
          int64_t wide = std::min(most, rest - done);
          Value column = eval.add(first, eval.i64(done));
          emitColumns(column, llvm::divideCeil(wide, tile.lanes), wide % tile.lanes == 0 ? Value() : to);
        }
      });
  }

  /// Returns the distance in rhs of the matrices of an outer dimension, in elements as they are stored.
  Value rhsStrideOf(const ContractionShape::Outer &outer) {
    if (!panels)
      return eval.extent(outer.rhsStride);
    return eval.i64(outer.rhsStride.constant() / (panels->depth * panels->columns) * panels->matrixSize());
  }

  /// Emits the current rows for some vectors of columns; the last vector ends at `columnEnd`, if that is set.
  void emitColumns(Value column, unsigned vectors, Value columnEnd) {
    if (rowsEnd)
      emitSkippedRows(column, vectors, columnEnd);
    if (!hasBlocks)
      return emitInPlace(column, vectors, columnEnd);
    Value isWorthIt = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::sge, eval.sub(rowHigh, rowLow),
                                            eval.i64(leastRowsOfBlock(tile)));
    frame.choose(isWorthIt, [&] { emitBlocks(column, vectors, columnEnd); }, [&] { emitInPlace(column, vectors, columnEnd); });
  }

  /// Packs a block of products for all columns of the tile, then uses it for many rows, whose sums stay in memory between
  /// blocks (Goto and van de Geijn 2008). The sums take their products in order, so the results are those of unblocked code.
  void emitBlocks(Value column, unsigned vectors, Value columnEnd) {
    frame.loop(rowLow, rowHigh, blockRows(), [&](Value top) {
      Value height = eval.min(eval.sub(rowHigh, top), eval.i64(blockRows()));
      Value all = eval.mul(height, eval.i64(vectors));
      chains.forEach(
          [&](Value chain, Value isFirst) {
            auto [start, products] = chains.terms(chain);
            Value into = chainSums ? frame.b.createOrFold<arith::SelectOp>(frame.loc, isFirst, sums, chainSums) : sums;
            emitBlocksOfChain(column, vectors, columnEnd, top, height, into, start, eval.add(start, products));
            if (chainSums)
              addVectors(frame, vector, chainSums, sums, all, frame.isNot(isFirst));
          },
          [&](Value group, Value groups) { addGroup(frame, vector, sums, totals, all, group, groups); });
      if (!finishesTiles())
        epilogue.rows(sums, top, eval.i64(0), height, {column, vectors, columnEnd});
    });
  }

  /// True if the results of a tile are computed when its last products are added: there are some, in one chain.
  bool finishesTiles() const { return chains.areOne() && !depth && shape.depth.isStatic() && shape.depth.constant() > 0; }

  /// Fetches what the epilogue reads and writes of some rows while their sums are computed: the tensors of the result's shape.
  /// Their rows are far apart, and the hardware does not expect the next one.
  void fetchRows(Value first, Value count, Value column, unsigned vectors) {
    if (!shape.outer.empty() || !hasFarRows())
      return;
    SmallVector<std::pair<Value, Type>> tensors;
    Block &body = frame.loops.roots.front().getParentRegion()->front();
    for (BlockArgument argument : body.getArguments())
      if (isOfResult(argument) && argument != op.getLhs() && argument != op.getRhs())
        tensors.push_back({frame.buffers.lookup(argument), scalarOf(elementOf(argument))});
    for (auto [i, root] : llvm::enumerate(frame.loops.roots))
      if (isOfResult(root))
        tensors.push_back({frame.output(i), scalarOf(elementOf(root))});
    if (tensors.size() < 2) // one stream of stores waits for nothing
      return;
    frame.loop(eval.i64(0), count, 1, [&](Value i) {
      Value place = eval.add(eval.mul(eval.add(first, i), columns), column);
      for (auto [buffer, type] : tensors)
        fetchLines(frame, frame.at(buffer, type, place), type, vectors * int64_t(tile.lanes), FetchInto::SecondCache);
    });
  }
  bool isOfResult(Value tensor) {
    return dimsOf(tensor) == dimsOf(op.getResult()) && elementOf(tensor).getIntOrFloatBitWidth() >= 8;
  }
  static bool isFarApart(const Dim &stride, Type type) {
    int64_t bytes = scalarOf(type).getIntOrFloatBitWidth() / 8;
    return !stride.isStatic() || stride.constant() * bytes > tuning::kMostStepBytes;
  }
  bool hasFarRows() const {
    return shape.columns.isStatic() && shape.columns.constant() * (element.getIntOrFloatBitWidth() / 8) >= tuning::kFarApart;
  }

  /// Adds the products [low, high) to the sums of the rows that share blocks.
  void emitBlocksOfChain(Value column, unsigned vectors, Value columnEnd, Value top, Value height, Value into, Value low,
                         Value high) {
    int64_t wide = vectors * tile.lanes;
    Value rowStride = eval.extent(shape.rowStride);
    eval.lanes = tile.lanes;
    frame.loop(eval.i64(0), eval.mul(height, eval.i64(wide)), tile.lanes,
               [&](Value i) { frame.storeLanes(eval.splat(eval.constant(element, 0)), frame.at(into, element, i)); });
    frame.loop(low, high, blockDepth, [&](Value start) {
      Value products = eval.min(eval.sub(high, start), eval.i64(blockDepth));
      copyBlock(start, products, column, vectors, columnEnd);
      Value rowsAt = frame.at(leftRows.data, scalarOf(lhsElement), eval.mul(start, leftRows.depthStride));
      Value isLast =
          arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::sle, eval.sub(high, start), eval.i64(blockDepth));
      forTiles(frame, tile.rows, 1, height, [&](Value done, Value count) {
        if (finishesTiles())
          frame.choose(isLast, [&] { fetchRows(eval.add(top, done), count, column, vectors); }, [] {});
        selectHeight(frame, count, heightsOf(tile.rows, 1), [&](unsigned rows) {
          DotTile code{element, lhsElement, element, rows, vectors, tile.lanes, /*hasTail=*/false, /*goesOn=*/true};
          addKnown(code, wide, std::gcd(multipleOfChains(), blockDepth));
          Value row = eval.sub(eval.add(top, done), leftRows.first);
          code.call(frame, {frame.at(rowsAt, scalarOf(lhsElement), eval.mul(row, rowStride)), block, products, rowStride,
                            leftRows.depthStride, eval.i64(wide), eval.i64(0), eval.i64(tile.lanes),
                            frame.at(into, element, eval.mul(done, eval.i64(wide)))});
        });
        if (finishesTiles())
          frame.choose(
              isLast, [&] { epilogue.rows(sums, top, done, eval.add(done, count), {column, vectors, columnEnd}); }, [] {});
      });
    });
  }

  /// Packs the factors of rhs from product `start` on, as wide as the sums; columns past the last one become zeros.
  void copyBlock(Value start, Value products, Value column, unsigned vectors, Value columnEnd) {
    Value stride = eval.extent(shape.rhsDepthStride);
    Value first = frame.at(frame.at(rhs, scalarOf(rhsElement), eval.mul(start, stride)), scalarOf(rhsElement), column);
    frame.loop(eval.i64(0), products, 1, [&](Value product) {
      Value from = frame.at(first, scalarOf(rhsElement), eval.mul(product, stride));
      Value ahead = frame.at(from, scalarOf(rhsElement), eval.mul(stride, eval.i64(tuning::kFetchedAhead)));
      fetchLines(frame, ahead, scalarOf(rhsElement), vectors * int64_t(tile.lanes), FetchInto::AllCaches);
      Value to = frame.at(block, element, eval.mul(product, eval.i64(vectors * tile.lanes)));
      eval.lanes = tile.lanes;
      eval.nextPoint();
      for (unsigned v = 0; v < vectors; ++v) {
        if (columnEnd && v + 1 == vectors)
          eval.tail = lanesBelow(eval, columnEnd, eval.add(column, eval.i64(v * tile.lanes)));
        Value factors = loadFactors(frame, frame.at(from, scalarOf(rhsElement), v * tile.lanes), rhsElement, element);
        eval.tail = {};
        frame.storeLanes(factors, frame.at(to, element, v * tile.lanes));
      }
    });
  }

  void emitInPlace(Value column, unsigned vectors, Value columnEnd) {
    Value count = eval.sub(rowHigh, rowLow);
    ahead = aheadOf(column, vectors, count);
    forTiles(frame, tile.rows, 1, count, [&](Value done, Value height) {
      Value row = eval.add(rowLow, done);
      fetchRows(row, height, column, vectors);
      doneRows = done;
      selectHeight(frame, height, heightsOf(tile.rows, 1), [&](unsigned rows) {
        chains.forEach(
            [&](Value chain, Value isFirst) {
              auto call = [&](bool adds) { callTile(row, rows, column, vectors, columnEnd, chains.terms(chain), adds); };
              chains.areOne() ? call(/*adds=*/false) : frame.choose(isFirst, [&] { call(false); }, [&] { call(true); });
            },
            [&](Value group, Value groups) { addGroup(frame, vector, sums, totals, eval.i64(rows * vectors), group, groups); });
      });
      epilogue.rows(sums, row, eval.i64(0), height, {column, vectors, columnEnd});
    });
  }

  /// Returns what the tiles of `count` rows fetch while they meet some columns: the panels behind these.
  FetchAhead aheadOf(Value column, unsigned vectors, Value count) {
    bool hasTiles = FetchAhead::hasTiles(shape.rows, tile.rows);
    if (!panels || !hasTiles || !shape.depth.isStatic() || vectors != tile.vectors || width % panels->width ||
        panels->columns <= width)
      return {};
    int64_t steps = shape.depth.constant(), bytes = steps * width * panels->elementBytes;
    Value here = frame.at(rhs, scalarOf(rhsElement), columnInRhs(column).first);
    return {frame, frame.at(here, frame.b.getI8Type(), bytes), bytes, count, tile.rows, steps};
  }

  /// Adds the products of a chain to a tile, whose operands are read in place.
  void callTile(Value row, unsigned rows, Value column, unsigned vectors, Value columnEnd, Chains::Terms chain, bool adds) {
    Value last = eval.add(column, eval.i64(int64_t(vectors - 1) * tile.lanes)); // first column of the last vector
    Value lastLanes = columnEnd ? eval.min(eval.sub(columnEnd, last), eval.i64(tile.lanes)) : eval.i64(tile.lanes);
    Value rowStride = eval.extent(shape.rowStride), lhsStride = eval.extent(shape.lhsDepthStride);
    auto [first, rhsStride] = columnInRhs(column);
    Value left = frame.at(lhs, scalarOf(lhsElement), eval.add(eval.mul(row, rowStride), eval.mul(chain.start, lhsStride)));
    Value right = frame.at(rhs, scalarOf(rhsElement), eval.add(first, eval.mul(chain.start, rhsStride)));
    bool hasTail = columnEnd && !panels; // panels are padded
    unsigned panelVectors = panels && vectors * tile.lanes > panels->width ? panels->width / tile.lanes : 0;
    Value panelStride = eval.i64(panelVectors ? panels->depth * panels->width : 0);
    DotTile code{element, lhsElement, rhsElement, rows, vectors, tile.lanes, hasTail, /*goesOn=*/false, adds, panelVectors};
    addKnown(code, getConstantIntValue(rhsStride).value_or(0) == panelWidth() ? panelWidth() : 0, multipleOfChains());
    code.isFar = !panels && isFarApart(shape.rhsDepthStride, rhsElement);
    code.fetches = bool(ahead);
    code.call(frame, {left, right, chain.length, rowStride, lhsStride, rhsStride, panelStride, lastLanes, sums,
                      ahead.at(frame, doneRows, chain.start), ahead.pitch()});
  }

  /// Tells a tile what is known of its strides and of the number of its products. Other strides than those of adjacent
  /// elements and of packed factors stay arguments, so that kernels share the function.
  void addKnown(DotTile &code, int64_t rhsStride, int64_t multiple) const {
    code.rowStride = shape.rowStride.isStatic(1) ? 1 : 0;
    code.lhsStride = shape.lhsDepthStride.isStatic(1) ? 1 : 0;
    code.rhsStride = rhsStride;
    code.depthMultiple = multiple;
  }

  /// Returns a number that divides the products of each chain: chains have whole rows or are cut from them.
  int64_t multipleOfChains() const {
    if (!shape.depthRow.isStatic())
      return 1;
    int64_t ofAll = std::gcd(shape.depthRow.constant(), kProductOrder.chain);
    return depth ? std::gcd(ofAll, kKeysOfStep) : ofAll;
  }

  int64_t panelWidth() const { return panels ? panels->width : 0; }

  /// Returns the place of a column's first factor in the current matrix of rhs, and the distance of the column's factors.
  std::pair<Value, Value> columnInRhs(Value column) {
    if (!panels)
      return {column, eval.extent(shape.rhsDepthStride)};
    int64_t last = panels->columns / panels->width; // the panel that may be narrower
    Value panel = frame.divide(column, panels->width), pitch = eval.i64(panels->width);
    if (panels->lastPitch() != panels->width) {
      Value isLast = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, panel, eval.i64(last));
      pitch = arith::SelectOp::create(frame.b, frame.loc, isLast, eval.i64(panels->lastPitch()), pitch);
    }
    return {eval.add(eval.mul(panel, eval.i64(panels->depth * panels->width)), frame.remainder(column, panels->width)), pitch};
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  DotGeneralOp op;
  const ContractionShape &shape;
  const ContractionSchedule &schedule;
  TileShape tile;
  Type element, lhsElement; // of the sums, and of lhs in memory
  RightOperand weights;
  Type rhsElement; // in memory
  Type vector;     // of sums
  int64_t width;
  Value depth; // products of a sum, if the kernel skips some
  Chains chains;
  std::optional<PanelLayout> panels; // of rhs; unset if it is in row-major order
  int64_t blockDepth;                // products per block
  bool hasBlocks;                    // used if there are enough rows
  // On the stack: the sums of a tile or of the rows that share a block, those of a chain, and the totals of groups of chains;
  // and the packed block.
  Value sums, chainSums, totals, block, lhsCopy;
  LeftRows leftRows;
  Value rows, columns;
  Value columnsEnd, rowsEnd;  // what is behind is skipped; there may be no end of rows
  Value isInPlace, copiedEnd; // of rows behind their end
  Value rowLow, rowHigh;      // the range of rows in the current matrix and group
  Value lhs, rhs;             // of the current matrix
  FetchAhead ahead;           // of the current columns
  Value doneRows;             // of them, before the current tile
  Epilogue epilogue;
};
} // namespace

// ---- The form

namespace {
class ContractionForm : public FormOf<ContractionSchedule> {
public:
  ContractionForm() : FormOf("contraction") {}

  bool isHero(Operation *op) const override { return isa<DotGeneralOp>(op); }
  bool readsPanels() const override { return true; }
  bool skipsKeys() const override { return true; }

  bool canCompute(Operation *hero, const VectorTarget &target) const override {
    auto op = cast<DotGeneralOp>(hero);
    RightOperand right = rightOperandOf(op);
    if (!inMemory(op.getLhs()) || !right.memory)
      return false;
    Type element = elementOf(op.getResult());
    bool isOfBytes = right.panels && multipliesBytes(hero); // has byte panels
    bool hasTile = element.isF32() || element.isF64() || (isa<IntegerType>(element) && !element.isInteger(1));
    std::optional<ContractionShape> shape = ContractionShape::of(op);
    bool hasPanels = right.panels || op->getParentOfType<KernelOp>()->hasAttr(kPanelsAttr);
    return hasTile && shape && !isOfBytes && (hasPanels || !isForColumns(*shape, element, elementOf(right.memory), target));
  }

protected:
  FailureOr<ContractionSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    auto op = cast<DotGeneralOp>(heroOf(kernel));
    RightOperand right = rightOperandOf(op);
    return chooseContraction(*ContractionShape::of(op), elementOf(op), elementOf(right.memory), right.panelWidth(), target);
  }

  LogicalResult check(KernelOp kernel, const ContractionSchedule &schedule, const VectorTarget &target) const override {
    auto op = cast<DotGeneralOp>(heroOf(kernel));
    return checkContraction(kernel, *ContractionShape::of(op), elementOf(op), rightOperandOf(op).panelWidth(), schedule,
                            target);
  }

  FailureOr<KernelCode> emitBy(KernelOp kernel, const ContractionSchedule &schedule, const FunctionPlace &at) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    auto hero = cast<DotGeneralOp>(heroOf(kernel));
    for (Value operand : hero->getOperands()) // the contracted dimensions do not occur in the result
      for (const Dim &dim : dimsOf(operand))
        collectFactors(dim, loops->symbols);
    ContractionShape shape = *ContractionShape::of(hero);
    KernelFrame frame(kernel, std::move(*loops), at.function, at.target, at.builder);
    ContractionEmitter emitter(frame, hero, shape, schedule);
    emitter.emit();
    frame.close();
    KernelCode code;
    code.function = at.function;
    code.symbols = frame.loops.symbols;
    code.extent = emitter.extent();
    code.unit = schedule.tile.rows;
    code.work = shape.depth * shape.columns * shape.rows;
    for (const ContractionShape::Outer &outer : shape.outer)
      code.work = code.work * outer.extent;
    code.threadWork = tuning::kThreadProducts;
    return code;
  }
};
} // namespace

const Form &lathe::cpu::contractionForm() {
  static const ContractionForm form;
  return form;
}
