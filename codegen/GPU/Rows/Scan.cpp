// The code of cumulative ops and linear recurrences along a dimension, by the schedule's method:
//
//   lines (the dimension is not the last):                 // a thread per line, adjacent threads on adjacent lines
//     for 8 steps
//       load their operands
//       for step: total = combine(total, operand); store total
//   groups (ops whose order may change):                   // a warp or a block per line
//     for tile of the line
//       a few contiguous elements per thread: scan them
//       scan the threads' totals                           // shuffles at doubled distances, warps in shared memory
//       results = combine(total before the tile, total of the threads before, elements)
//   ordered (ops that keep their order):                   // a warp per `lines` lines
//     for `width` elements of the lines
//       load them to shared memory                         // adjacent lanes along a line
//       lane per line: for step: total = combine(total, operand)
//       store the results                                  // adjacent lanes along a line
//
// With `parts` > 1 blocks share a line. A first function stores the total of each part, and a second one scans the parts from
// the totals before them. Products and recurrences keep their order (keepsOrder).
#include "codegen/GPU/Rows/RowProgram.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Rows/ScanSchedule.h"
#include "codegen/Points/Running.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
/// The base of all methods: the lines of the operands and of the result.
class ScanKernel : protected RowProgram {
public:
  ScanKernel(KernelOp kernel, Operation *op, const ScanRequest &request, const FunctionPlace &place, unsigned threads,
             StringRef suffix = "", bool hasScratch = false)
      : RowProgram(kernel, place, threads, suffix, hasScratch), op(op), request(request), element(request.lines.element),
        running(frame, request.running, element), length(eval.extent(request.lines.length)),
        inner(eval.extent(request.lines.inner)) {}

protected:
  void placeLine(Value line) {
    start = eval.add(eval.mul(frame.divide(line, inner), eval.mul(length, inner)), frame.remainder(line, inner));
  }
  /// Returns the offset of a step's element. In reverse, the last element comes first.
  Value placeOf(Value step) {
    Value index = request.reverse ? eval.sub(eval.sub(length, eval.i64(1)), step) : step;
    return eval.add(start, eval.mul(index, inner));
  }
  unsigned operands() const { return request.running ? 1 : 2; }
  Value loadStep(unsigned operand, Value step) { return load(buffer(op->getOperand(operand)), element, placeOf(step)); }
  void storeStep(Value value, Value step) { store(value, frame.outputs[0], element, placeOf(step)); }
  /// Returns the result of `step`. A recurrence begins with its first term; only a step that `mayBeFirst` is tested for that.
  Value take(Value total, ArrayRef<Value> next, Value step, bool mayBeFirst) {
    if (request.running)
      return running.combine(total, next[0]);
    Value sum = frame.multiplyAdd(next[0], total, next[1]);
    return mayBeFirst ? choose(isEqual(step, eval.i64(0)), next[1], sum) : sum;
  }

  Operation *op;
  ScanRequest request;
  Type element;
  Running running;
  Value length, inner;
  Value start; // offset of the current line
};

/// Scans lines with a thread each.
class LineScan : ScanKernel {
public:
  LineScan(KernelOp kernel, Operation *op, const ScanRequest &request, const FunctionPlace &place)
      : ScanKernel(kernel, op, request, place, kLineThreads) {}

  KernelCode emit() {
    constexpr int64_t kAhead = 8;
    Value number = frame.globalThread();
    frame.when(frame.isBelow(number, eval.extent(request.count())), [&] {
      placeLine(number);
      int64_t ahead = running.isCostly() ? 1 : kAhead;
      Value whole = eval.sub(length, frame.remainder(length, ahead));
      SmallVector<Value> total = frame.loop(eval.i64(0), whole, ahead, running.neutral(),
                                            [&](Value step, ValueRange carried) { return steps(step, ahead, carried[0]); });
      frame.loop(whole, length, 1, total, [&](Value step, ValueRange carried) { return steps(step, 1, carried[0]); });
    });
    KernelCode code = frame.finish(symbols, request.count(), "a thread for each line");
    code.unit = kLineThreads;
    return code;
  }

private:
  SmallVector<Value> steps(Value first, int64_t count, Value total) {
    SmallVector<SmallVector<Value>> next(count);
    for (int64_t i = 0; i < count; ++i)
      for (unsigned operand = 0; operand < operands(); ++operand)
        next[i].push_back(loadStep(operand, eval.add(first, eval.i64(i))));
    for (int64_t i = 0; i < count; ++i) {
      Value step = eval.add(first, eval.i64(i));
      total = take(total, next[i], step, i == 0);
      storeStep(total, step);
    }
    return {total};
  }
};

/// Scans lines, or parts of them, with a group of threads each.
class GroupScan : ScanKernel {
public:
  GroupScan(KernelOp kernel, Operation *op, const ScanRequest &request, const ScanSchedule &group, const FunctionPlace &place,
            StringRef suffix = "")
      : ScanKernel(kernel, op, request, place, group.threadsPerLine * group.lines, suffix, group.parts > 1), group(group),
        each(running.isCostly() ? 1 : 4),
        lanes(request.lines.inner.isStatic(1) ? std::min(lanesFor(request.lines.length, element), each) : 1),
        tile(group.threadsPerLine * each) {}

  /// Emits the function that stores the results.
  KernelCode emit();
  /// Emits the function that stores the total of each part.
  LLVM::LLVMFuncOp emitTotals();

private:
  void placeGroup();
  SmallVector<Value> loadTile(Value first);
  void storeTile(ArrayRef<Value> values, Value first);
  struct Prefix {
    Value before, all; // total of the tile's elements before the thread's; total of the tile
  };
  Prefix combineThreads(Value value);
  Value scanTiles(Value total, bool isStored);
  Value totalAt(Value number) {
    return frame.at(frame.scratch(), element, eval.add(eval.mul(line, eval.i64(group.parts)), number));
  }

  const ScanSchedule &group;
  unsigned each;  // elements of a thread in a tile
  unsigned lanes; // elements per vector
  int64_t tile;
  Value line, isLine, inLine; // inLine: the thread's number in its group
  Value part, low, high;      // the group's part of the line, and its range of steps
};

void GroupScan::placeGroup() {
  Value number = frame.block;
  part = frame.remainder(number, group.parts);
  number = frame.divide(number, group.parts);
  inLine = frame.remainder(frame.thread, group.threadsPerLine);
  line = eval.add(eval.mul(number, eval.i64(group.lines)), frame.divide(frame.thread, group.threadsPerLine));
  isLine = frame.isBelow(line, eval.extent(request.count()));
  placeLine(line);
  Value size = eval.mul(frame.divideUp(frame.divideUp(length, group.parts), tile), eval.i64(tile));
  low = group.parts > 1 ? eval.mul(part, size) : eval.i64(0);
  high = group.parts > 1 ? eval.min(length, eval.add(low, size)) : length;
}

/// Loads the thread's elements from this step on. Elements past the end are neutral.
SmallVector<Value> GroupScan::loadTile(Value first) {
  SmallVector<Value> values;
  Value from = buffer(op->getOperand(0)), none = running.neutral();
  for (unsigned i = 0; i < each; i += lanes) {
    Value step = eval.add(first, eval.i64(i)), isThere = both(isLine, frame.isBelow(step, high));
    if (lanes == 1) {
      values.push_back(either(isThere, element, [&] { return loadStep(0, step); }, [&] { return none; }));
      continue;
    }
    auto vector = VectorType::get({lanes}, element);
    Value place = request.reverse ? placeOf(eval.add(step, eval.i64(lanes - 1))) : placeOf(step);
    Value loaded = either(
        isThere, vector, [&] { return load(from, element, place, lanes); },
        [&] { return vector::BroadcastOp::create(b, loc, vector, none).getResult(); });
    for (unsigned lane = 0; lane < lanes; ++lane)
      values.push_back(vector::ExtractOp::create(b, loc, loaded, ArrayRef<int64_t>{request.reverse ? lanes - 1 - lane : lane}));
  }
  return values;
}

void GroupScan::storeTile(ArrayRef<Value> values, Value first) {
  for (unsigned i = 0; i < each; i += lanes) {
    Value step = eval.add(first, eval.i64(i));
    frame.when(both(isLine, frame.isBelow(step, high)), [&] {
      if (lanes == 1)
        return storeStep(values[i], step);
      SmallVector<Value> ordered(values.slice(i, lanes));
      if (request.reverse)
        std::reverse(ordered.begin(), ordered.end());
      Value place = request.reverse ? placeOf(eval.add(step, eval.i64(lanes - 1))) : placeOf(step);
      Value all = vector::FromElementsOp::create(b, loc, VectorType::get({lanes}, element), ordered);
      store(all, frame.outputs[0], element, place, lanes);
    });
  }
}

/// Scans the totals of the group's threads.
GroupScan::Prefix GroupScan::combineThreads(Value value) {
  Value lane = frame.remainder(frame.thread, kWarp), none = running.neutral();
  auto hasBefore = [&](unsigned distance) { return compare(arith::CmpIPredicate::uge, lane, eval.i64(distance)); };
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    Value before = frame.fromBefore(value, distance);
    value = choose(hasBefore(distance), running.combine(before, value), value);
  }
  Value before = choose(hasBefore(1), frame.fromBefore(value, 1), none), all = frame.fromThread(value, frame.number(kWarp - 1));
  if (group.threadsPerLine == kWarp)
    return {before, all};
  Value totals = frame.shared("totals", element, group.threadsPerLine / kWarp), warp = frame.divide(frame.thread, kWarp);
  frame.barrier(); // all threads have read the totals of the previous tile
  frame.when(isEqual(lane, eval.i64(kWarp - 1)), [&] { store(value, totals, element, warp); });
  frame.barrier();
  auto sums = frame.loop(eval.i64(0), eval.i64(group.threadsPerLine / kWarp), {none, none},
                         [&](Value i, ValueRange carried) -> CodeFrame::Carry {
                           Value sum = running.combine(carried[0], load(totals, element, i));
                           return {sum, choose(isEqual(i, warp), carried[0], carried[1])};
                         });
  return {running.combine(sums[1], before), sums[0]};
}

/// Emits the loop over the tiles of the line or part, beginning with `total`. Returns the total at the end.
Value GroupScan::scanTiles(Value total, bool isStored) {
  return frame.loop(low, high, tile, total, [&](Value first, ValueRange carried) -> SmallVector<Value> {
    Value own = eval.add(first, eval.mul(inLine, eval.i64(each)));
    SmallVector<Value> values = loadTile(own);
    for (unsigned i = 1; i < each; ++i)
      values[i] = running.combine(values[i - 1], values[i]);
    Prefix prefix = combineThreads(values.back());
    Value before = running.combine(carried[0], prefix.before);
    if (isStored) {
      for (Value &value : values)
        value = running.combine(before, value);
      storeTile(values, own);
    }
    return {running.combine(carried[0], prefix.all)};
  })[0];
}

KernelCode GroupScan::emit() {
  placeGroup();
  Value total = running.neutral();
  if (group.parts > 1)
    total = frame.loop(eval.i64(0), part, total, [&](Value i, ValueRange carried) -> CodeFrame::Carry {
      return {running.combine(carried[0], frame.loadOne(totalAt(i), element))};
    })[0];
  scanTiles(total, /*isStored=*/true);
  KernelCode code = frame.finish(symbols, request.count() * Dim(group.parts),
                                 std::to_string(group.threadsPerLine) + " threads for each line");
  code.unit = group.lines;
  return code;
}

LLVM::LLVMFuncOp GroupScan::emitTotals() {
  placeGroup();
  Value total = scanTiles(running.neutral(), /*isStored=*/false);
  frame.when(isEqual(frame.thread, eval.i64(0)), [&] { frame.storeOne(total, totalAt(part)); });
  frame.close();
  return frame.function;
}

/// Scans some lines with a warp, in the order of their elements.
class OrderedScan : ScanKernel {
public:
  OrderedScan(KernelOp kernel, Operation *op, const ScanRequest &request, const ScanSchedule &schedule,
              const FunctionPlace &place)
      : ScanKernel(kernel, op, request, place, kWarp), lines(schedule.lines), width(schedule.width), pitch(width + 1),
        tile(lines * width), ahead(std::min<int64_t>(tile / kWarp, kAhead)) {}

  KernelCode emit();

private:
  static constexpr int64_t kAhead = 8; // elements that a thread loads before it uses the first

  void fetch(Value first);
  Value scan(Value first, Value total);
  void writeBack(Value first);
  struct Element {
    Value line, step, place; // place: its index in shared memory
  };
  Element elementOf(Value number, Value first);

  int64_t lines, width, pitch, tile, ahead;
  SmallVector<Value> memory; // a buffer per operand; the last one also has the results
  Value firstLine, count;
};

/// Returns element `number` of the warp's tile from step `first` on.
OrderedScan::Element OrderedScan::elementOf(Value number, Value first) {
  Value row = frame.divide(number, width), column = frame.remainder(number, width);
  return {eval.add(firstLine, row), eval.add(first, column), eval.add(eval.mul(row, eval.i64(pitch)), column)};
}

/// Loads a tile to shared memory. Elements past the end are copies of the last one, which are not used.
void OrderedScan::fetch(Value first) {
  Value one = eval.i64(1), lastLine = eval.sub(count, one), lastStep = eval.sub(length, one);
  frame.loop(frame.thread, eval.i64(tile), kWarp * ahead, [&](Value number) {
    for (unsigned operand = 0; operand < operands(); ++operand) {
      SmallVector<Value> values, places;
      for (int64_t i = 0; i < ahead; ++i) {
        Element at = elementOf(eval.add(number, eval.i64(i * kWarp)), first);
        placeLine(eval.min(at.line, lastLine));
        values.push_back(loadStep(operand, eval.min(at.step, lastStep)));
        places.push_back(at.place);
      }
      for (auto [value, place] : llvm::zip_equal(values, places))
        store(value, memory[operand], element, place);
    }
  });
}

/// Scans the lane's line of the tile from step `first` on. Returns the last result.
Value OrderedScan::scan(Value first, Value total) {
  Value start = eval.mul(frame.thread, eval.i64(pitch));
  return frame.loop(eval.i64(0), eval.i64(width), kAhead, total, [&](Value column, ValueRange carried) -> SmallVector<Value> {
    SmallVector<SmallVector<Value>> next(kAhead);
    auto placeOf = [&](int64_t i) { return eval.add(start, eval.add(column, eval.i64(i))); };
    for (int64_t i = 0; i < kAhead; ++i)
      for (Value from : memory)
        next[i].push_back(load(from, element, placeOf(i)));
    Value value = carried[0];
    for (int64_t i = 0; i < kAhead; ++i) {
      value = take(value, next[i], eval.add(first, column), i == 0);
      store(value, memory.back(), element, placeOf(i));
    }
    return {value};
  })[0];
}

/// Stores the results of a tile.
void OrderedScan::writeBack(Value first) {
  frame.loop(frame.thread, eval.i64(tile), kWarp, [&](Value number) {
    Element at = elementOf(number, first);
    frame.when(both(frame.isBelow(at.line, count), frame.isBelow(at.step, length)), [&] {
      placeLine(at.line);
      storeStep(load(memory.back(), element, at.place), at.step);
    });
  });
}

KernelCode OrderedScan::emit() {
  for (unsigned operand = 0; operand < operands(); ++operand)
    memory.push_back(frame.shared("piece" + std::to_string(operand), element, lines * pitch));
  count = eval.extent(request.count());
  firstLine = eval.mul(frame.block, eval.i64(lines));
  Value hasLine = frame.isBelow(frame.thread, eval.i64(lines));
  frame.loop(eval.i64(0), length, width, running.neutral(), [&](Value first, ValueRange carried) -> SmallVector<Value> {
    fetch(first);
    frame.warpBarrier();
    Value total = either(hasLine, element, [&] { return scan(first, carried[0]); }, [&] { return carried[0]; });
    frame.warpBarrier();
    writeBack(first);
    frame.warpBarrier();
    return {total};
  });
  std::string whose = lines == 1 ? "line" : std::to_string(lines) + " lines";
  KernelCode code = frame.finish(symbols, request.count(), "a warp for each " + whose + ", in order");
  code.unit = lines;
  return code;
}

/// Emits the kernel's function. If blocks share lines there are two: the first stores the total of each part, the second scans
/// the parts from the totals before them.
KernelCode emitGroups(KernelOp kernel, Operation *op, const ScanRequest &request, const ScanSchedule &schedule,
                      const FunctionPlace &place) {
  if (schedule.parts == 1)
    return GroupScan(kernel, op, request, schedule, place).emit();
  GroupScan totals(kernel, op, request, schedule, place);
  LLVM::LLVMFuncOp function = totals.emitTotals();
  KernelCode code = GroupScan(kernel, op, request, schedule, place, "_results").emit();
  code.second = {code.function, code.threads, code.extent, code.unit};
  code.function = function;
  code.scratchBytes = request.count().constant() * schedule.parts * (request.lines.element.getIntOrFloatBitWidth() / 8);
  code.form += " in " + std::to_string(schedule.parts) + " parts";
  return code;
}

class ScanForm : public RowForm<ScanSchedule, CumulativeOp, LinearRecurrenceOp> {
public:
  ScanForm() : RowForm("scan") {}

private:
  ScanSchedule chooseRows(KernelOp, Operation *op) const override { return chooseScan(ScanRequest::of(op)); }
  LogicalResult checkRows(KernelOp, Operation *op, const ScanSchedule &schedule) const override {
    return checkScan(op, schedule);
  }
  KernelCode emitRows(KernelOp kernel, Operation *op, const ScanSchedule &schedule, const FunctionPlace &place) const override {
    ScanRequest request = ScanRequest::of(op);
    switch (schedule.method) {
    case ScanMethod::Lines:
      return LineScan(kernel, op, request, place).emit();
    case ScanMethod::Groups:
      return emitGroups(kernel, op, request, schedule, place);
    case ScanMethod::Ordered:
      return OrderedScan(kernel, op, request, schedule, place).emit();
    }
    llvm_unreachable("every method has a case");
  }
};

} // namespace

const Form &lathe::gpu::scanForm() {
  static const ScanForm form;
  return form;
}
