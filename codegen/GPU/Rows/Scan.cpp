// Running results along a dimension, in one of these forms:
//  - lines side by side, and enough of them: a thread goes down a line, some steps of which it reads ahead;
//  - what may be combined in parts (keepsOrder): a warp or a block goes along a line; each thread combines a few
//    neighbours, the threads what they have, by doubled distances, and the result so far comes in front. A few long lines are
//    divided among blocks, after a first function has combined each part;
//  - what keeps its order: a warp has some lines, pieces of which go through shared memory, so that threads that go along a
//  line
//    each read and write neighbours together.
#include "codegen/GPU/Rows/RowKernel.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/Points/Running.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
constexpr unsigned kLineThreads = 64;   // lines are seldom many: they spread over more multiprocessors
constexpr int64_t kMostElements = 1024; // of all lines of a warp in shared memory

/// What an op says of its lines.
struct ScanRequest {
  CumulativeOp running; // null for a recurrence
  int64_t dim;
  bool reverse;
  Lines lines;

  static ScanRequest of(Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (auto running = dyn_cast<CumulativeOp>(op))
      return {running, int64_t(running.getDim()), running.getReverse(), {type, int64_t(running.getDim())}};
    auto recurrence = cast<LinearRecurrenceOp>(op);
    return {{}, int64_t(recurrence.getDim()), recurrence.getReverse(), {type, int64_t(recurrence.getDim())}};
  }
  Dim count() const { return lines.outer * lines.inner; }
};

enum class ScanMethod { Lines, Groups, Ordered };
constexpr StringLiteral kScanMethods[] = {"lines", "groups", "ordered"};

struct ScanSchedule {
  ScanMethod method = ScanMethod::Lines;
  int64_t threadsPerLine = 1;
  int64_t lines = 64; // of a block
  int64_t parts = 1;  // of a line, for different blocks
  int64_t width = 0;  // elements of a line that are in shared memory at once; 0 without it

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("method", method, kScanMethods);
    visitor("threads_per_line", threadsPerLine, 1, 1024);
    visitor("lines", lines, 1, 1024);
    visitor("parts", parts, 1, 1024);
    visitor("width", width, 0, 1024);
  }
};

/// Threads that share a line: a warp for a short one, else a block; a few long lines are divided among blocks.
ScanSchedule chooseGroups(const ScanRequest &request) {
  constexpr int64_t kShort = 1024, kBlocks = 264, kNamedParts = 32, kFew = 64, kPart = 8192;
  const Dim &length = request.lines.length;
  if (length.isStatic() && length.constant() <= kShort)
    return {ScanMethod::Groups, kWarp, 4};
  ScanSchedule schedule{ScanMethod::Groups, 256, 1};
  Dim count = request.count();
  if (!count.isStatic() || count.constant() > kFew || count.constant() == 0)
    return schedule;
  int64_t most = length.isStatic() ? length.constant() / kPart : kNamedParts;
  schedule.parts = std::max<int64_t>(std::min(most, kBlocks / count.constant()), 1);
  return schedule;
}

/// A warp has as few lines as leave each multiprocessor of a large GPU some warps, because each line is one chain of
/// operations.
ScanSchedule chooseOrdered(const ScanRequest &request) {
  constexpr int64_t kWarps = 528, kNamed = 8;
  Dim count = request.count();
  const Dim &length = request.lines.length;
  ScanSchedule schedule{ScanMethod::Ordered, 1, kNamed};
  if (count.isStatic())
    schedule.lines = std::clamp<int64_t>(llvm::bit_floor(uint64_t(count.constant() / kWarps)), 1, kWarp);
  int64_t needed = length.isStatic() ? llvm::PowerOf2Ceil(std::max<int64_t>(length.constant(), 1)) : kMostElements;
  schedule.width = std::clamp<int64_t>(needed, kWarp, kMostElements / schedule.lines);
  return schedule;
}

ScanSchedule chooseScan(const ScanRequest &request) {
  constexpr int64_t kEnoughLines = 1 << 12, kShort = 256;
  bool isLast = request.lines.inner.isStatic(1), keepsOrder = lathe::keepsOrder(request.running);
  Dim count = request.count();
  const Dim &length = request.lines.length;
  bool hasMany = !count.isStatic() || count.constant() >= kEnoughLines || (length.isStatic() && length.constant() <= kShort);
  if (!isLast && (hasMany || keepsOrder))
    return {};
  return keepsOrder ? chooseOrdered(request) : chooseGroups(request);
}

/// What all methods share: lines of the operands and of the result.
class ScanKernel : protected RowKernel {
public:
  ScanKernel(KernelOp kernel, Operation *op, const ScanRequest &request, const FunctionPlace &place, unsigned threads,
             StringRef suffix = "", bool hasScratch = false)
      : RowKernel(kernel, place, threads, suffix, hasScratch), op(op), request(request), element(request.lines.element),
        running(frame, request.running, element), length(eval.extent(request.lines.length)),
        inner(eval.extent(request.lines.inner)) {}

protected:
  void placeLine(Value line) {
    start = eval.add(eval.mul(frame.divide(line, inner), eval.mul(length, inner)), frame.remainder(line, inner));
  }
  /// Where the element of a step is: in reverse the last one comes first.
  Value placeOf(Value step) {
    Value index = request.reverse ? eval.sub(eval.sub(length, eval.i64(1)), step) : step;
    return eval.add(start, eval.mul(index, inner));
  }
  unsigned operands() const { return request.running ? 1 : 2; }
  Value loadStep(unsigned operand, Value step) { return load(buffer(op->getOperand(operand)), element, placeOf(step)); }
  void storeStep(Value value, Value step) { store(value, frame.outputs[0], element, placeOf(step)); }
  /// The result of `step`. A recurrence begins with its first term. No step but one that `mayBeFirst` is the first one.
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
  Value start; // of the current line
};

/// A thread for each line.
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
      SmallVector<Value> total = carryLoop(eval.i64(0), whole, eval.i64(ahead), running.neutral(),
                                           [&](Value step, ValueRange carried) { return steps(step, ahead, carried[0]); });
      carryLoop(whole, length, eval.i64(1), total, [&](Value step, ValueRange carried) { return steps(step, 1, carried[0]); });
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

/// A group of threads for each line, or for a part of it.
class GroupScan : ScanKernel {
public:
  GroupScan(KernelOp kernel, Operation *op, const ScanRequest &request, const ScanSchedule &group, const FunctionPlace &place,
            StringRef suffix = "")
      : ScanKernel(kernel, op, request, place, group.threadsPerLine * group.lines, suffix, group.parts > 1), group(group),
        each(running.isCostly() ? 1 : 4),
        lanes(request.lines.inner.isStatic(1) ? std::min(lanesFor(request.lines.length, element), each) : 1),
        tile(group.threadsPerLine * each) {}

  /// The results.
  KernelCode emit();
  /// What the parts are, for those behind them.
  LLVM::LLVMFuncOp emitTotals();

private:
  void placeGroup();
  SmallVector<Value> loadTile(Value first);
  void storeTile(ArrayRef<Value> values, Value first);
  struct Prefix {
    Value before, all; // what comes in front of the thread's elements in a tile, and what the tile is
  };
  Prefix combineThreads(Value value);
  Value scanTiles(Value total, bool isStored);
  Value totalAt(Value number) {
    return frame.at(frame.scratch(), element, eval.add(eval.mul(line, eval.i64(group.parts)), number));
  }

  const ScanSchedule &group;
  unsigned each;  // elements of a thread in a tile
  unsigned lanes; // of these that come as one vector
  int64_t tile;
  Value line, isLine, inLine; // inLine: the thread's number in its group
  Value part, low, high;      // steps to do
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

/// The thread's elements from this step on; behind the end what changes nothing.
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
  frame.barrier(); // all have read those of the tile before
  frame.when(isEqual(lane, eval.i64(kWarp - 1)), [&] { store(value, totals, element, warp); });
  frame.barrier();
  auto sums = frame.loop(eval.i64(0), eval.i64(group.threadsPerLine / kWarp), {none, none},
                         [&](Value i, ValueRange carried) -> CodeFrame::Carry {
                           Value sum = running.combine(carried[0], load(totals, element, i));
                           return {sum, choose(isEqual(i, warp), carried[0], carried[1])};
                         });
  return {running.combine(sums[1], before), sums[0]};
}

/// Goes along the line or its part; gives what it is, behind `total`.
Value GroupScan::scanTiles(Value total, bool isStored) {
  return carryLoop(low, high, eval.i64(tile), total, [&](Value first, ValueRange carried) -> SmallVector<Value> {
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

/// A warp for some lines, in the order of their elements.
class OrderedScan : ScanKernel {
public:
  OrderedScan(KernelOp kernel, Operation *op, const ScanRequest &request, const ScanSchedule &schedule,
              const FunctionPlace &place)
      : ScanKernel(kernel, op, request, place, kWarp), lines(schedule.lines), width(schedule.width), pitch(width + 1),
        piece(lines * width), ahead(std::min<int64_t>(piece / kWarp, kAhead)) {}

  KernelCode emit();

private:
  static constexpr int64_t kAhead = 8; // elements that a thread reads before it uses the first

  void fetch(Value first);
  Value along(Value first, Value total);
  void bringBack(Value first);
  struct Piece {
    Value line, step, place; // place: in shared memory
  };
  Piece pieceOf(Value number, Value first);

  int64_t lines, width, pitch, piece, ahead;
  SmallVector<Value> memory; // of each operand; the last one's is the result's
  Value firstLine, count;
};

/// Element `number` of those that the warp has at once.
OrderedScan::Piece OrderedScan::pieceOf(Value number, Value first) {
  Value row = frame.divide(number, width), column = frame.remainder(number, width);
  return {eval.add(firstLine, row), eval.add(first, column), eval.add(eval.mul(row, eval.i64(pitch)), column)};
}

/// Where there is no element, the last one comes: nothing is made of it.
void OrderedScan::fetch(Value first) {
  Value one = eval.i64(1), lastLine = eval.sub(count, one), lastStep = eval.sub(length, one);
  frame.loop(frame.thread, eval.i64(piece), kWarp * ahead, [&](Value number) {
    for (unsigned operand = 0; operand < operands(); ++operand) {
      SmallVector<Value> values, places;
      for (int64_t i = 0; i < ahead; ++i) {
        Piece at = pieceOf(eval.add(number, eval.i64(i * kWarp)), first);
        placeLine(eval.min(at.line, lastLine));
        values.push_back(loadStep(operand, eval.min(at.step, lastStep)));
        places.push_back(at.place);
      }
      for (auto [value, place] : llvm::zip_equal(values, places))
        store(value, memory[operand], element, place);
    }
  });
}

/// The steps of a piece that begins with `first`. Returns the last result.
Value OrderedScan::along(Value first, Value total) {
  Value start = eval.mul(frame.thread, eval.i64(pitch));
  return carryLoop(eval.i64(0), eval.i64(width), eval.i64(kAhead), total,
                   [&](Value column, ValueRange carried) -> SmallVector<Value> {
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

void OrderedScan::bringBack(Value first) {
  frame.loop(frame.thread, eval.i64(piece), kWarp, [&](Value number) {
    Piece at = pieceOf(number, first);
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
  carryLoop(eval.i64(0), length, eval.i64(width), running.neutral(),
            [&](Value first, ValueRange carried) -> SmallVector<Value> {
              fetch(first);
              frame.warpBarrier();
              Value total = either(hasLine, element, [&] { return along(first, carried[0]); }, [&] { return carried[0]; });
              frame.warpBarrier();
              bringBack(first);
              frame.warpBarrier();
              return {total};
            });
  std::string whose = lines == 1 ? "line" : std::to_string(lines) + " lines";
  KernelCode code = frame.finish(symbols, request.count(), "a warp for each " + whose + ", in order");
  code.unit = lines;
  return code;
}

/// Two functions where blocks share lines: the first combines each part, the second goes on from those before its own.
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
  LogicalResult checkRows(KernelOp kernel, Operation *op, const ScanSchedule &schedule) const override;
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

/// Whether threads, lines and parts are some that the method has code for.
bool hasCode(const ScanRequest &request, const ScanSchedule &schedule) {
  auto isPower = [](int64_t count) { return llvm::isPowerOf2_64(count); };
  switch (schedule.method) {
  case ScanMethod::Lines:
    return schedule.threadsPerLine == 1 && schedule.lines == kLineThreads && schedule.parts == 1 && schedule.width == 0;
  case ScanMethod::Groups: {
    bool isWarp = schedule.threadsPerLine == kWarp && isPower(schedule.lines) && schedule.lines <= kWarp;
    bool isBlock = schedule.threadsPerLine > kWarp && isPower(schedule.threadsPerLine) && schedule.lines == 1;
    bool canDivide = request.count().isStatic() && schedule.lines == 1;
    return (isWarp || isBlock) && (schedule.parts == 1 || canDivide) && schedule.width == 0 && !keepsOrder(request.running);
  }
  case ScanMethod::Ordered:
    return schedule.threadsPerLine == 1 && isPower(schedule.lines) && schedule.lines <= kWarp && isPower(schedule.width) &&
           schedule.width >= kWarp && schedule.lines * schedule.width <= kMostElements && schedule.parts == 1;
  }
  llvm_unreachable("every method has a case");
}

LogicalResult ScanForm::checkRows(KernelOp kernel, Operation *op, const ScanSchedule &schedule) const {
  ScanRequest request = ScanRequest::of(op);
  ScanSchedule chosen = chooseScan(request);
  auto write = [&](const ScanSchedule &which) { return writeParameters(op->getContext(), which); };
  if (isa<FloatType>(request.lines.element) &&
      failed(keepsSumOrder(op->getLoc(), write(schedule), write(chosen), {"method", "threads_per_line", "parts"})))
    return failure();
  if (!hasCode(request, schedule))
    return op->emitError("a schedule that has no code: 'method' ")
           << kScanMethods[size_t(schedule.method)] << " has other threads, lines, parts or widths";
  return success();
}
} // namespace

const Form &lathe::gpu::scanForm() {
  static const ScanForm form;
  return form;
}
