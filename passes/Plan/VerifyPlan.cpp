// Verifies a plan from its attributes only: for several numbers as the named dimensions, no two buffers that are live at the
// same time overlap.
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/Sizes.h"
#include "lib/Analysis/InPlace.h"
#include "passes/Plan/Plan.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>
#include <map>

namespace lathe {
#define GEN_PASS_DEF_VERIFYPLANPASS
#include "passes/Plan/Plan.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {

struct Live {
  Value value;
  Dim offset, size;
  unsigned first, last;
  bool isSpare = false; // the second buffer of a loop's carry
  bool isCold = false;  // in the cold workspace
};

/// The range of a buffer, in bytes of the workspace.
struct Range {
  int64_t begin, end;
};

class PlanVerifier {
public:
  explicit PlanVerifier(func::FuncOp function) : function(function), block(function.getBody().front()) {}

  LogicalResult run() {
    number(block);
    auto total = function->getAttrOfType<DimAttr>(kWorkspaceAttr);
    if (!total)
      return function.emitError("has no planned workspace");
    workspace = Dim::fromAttr(total);
    workspace.collectNames(names);
    if (auto cold = function->getAttrOfType<DimAttr>(kColdWorkspaceAttr))
      coldWorkspace = Dim::fromAttr(cold);
    coldWorkspace.collectNames(names);
    if (failed(collect(block)) || failed(checkState()))
      return failure();
    for (size_t i = 0; i < live.size(); ++i)
      byFirst.push_back(i), byLast.push_back(i);
    llvm::sort(byFirst, [&](size_t a, size_t b) { return std::pair(live[a].first, a) < std::pair(live[b].first, b); });
    llvm::sort(byLast, [&](size_t a, size_t b) { return std::pair(live[a].last, a) < std::pair(live[b].last, b); });
    // Offsets and sizes are polynomials with few terms: these points distinguish any two that the planner makes. Graphs that
    // halve images repeatedly accept only multiples.
    for (int64_t n : {0, 1, 2, 3, 7, 31, 64, 1000})
      if (failed(checkOverlaps(n, 1)))
        return failure();
    for (int64_t n : {32, 64, 224})
      if (failed(checkOverlaps(n, 32)))
        return failure();
    return success();
  }

  size_t numBuffers() const { return live.size(); }

private:
  /// Numbers the ops. A branch or loop is numbered at its end, and starts before its regions.
  void number(Block &inside) {
    for (Operation &op : inside) {
      start[&op] = count++;
      if (auto join = dyn_cast<ConcatenateOp>(op))
        for (Value operand : join.getInputs())
          joinOf[memoryOf(operand)] = join.getResult();
      for (Region &region : op.getRegions())
        if (isControl(&op))
          number(region.front());
      position[&op] = isControl(&op) ? count++ : start[&op];
    }
  }

  unsigned lastUse(Value value) {
    unsigned last = value.getDefiningOp() ? position.lookup(value.getDefiningOp()) : 0;
    for (Operation *user : value.getUsers())
      last = std::max(last, isView(user) ? lastUse(user->getResult(0)) : position.lookup(user));
    return last;
  }

  LogicalResult collect(Block &inside) {
    for (Operation &op : inside) {
      if (auto slice = dyn_cast<SliceOp>(op); slice && !contiguousOffset(slice))
        return op.emitOpError("plan: is a view, but its elements are not contiguous");
      if (!isa<KernelOp, ConcatenateOp>(op) && !isControl(&op))
        continue;
      auto buffers = op.getAttrOfType<ArrayAttr>(kBuffersAttr);
      if (!buffers || buffers.size() != op.getNumResults())
        return op.emitOpError("has no buffer for each result");
      for (auto [attr, output] : llvm::zip_equal(buffers, op.getResults()))
        if (failed(add(cast<BufferAttr>(attr), output, inside)))
          return failure();
      if (auto join = dyn_cast<ConcatenateOp>(op); join && failed(checkParts(join)))
        return failure();
      if (!isControl(&op))
        continue;
      for (Region &region : op.getRegions())
        if (failed(collect(region.front())) || failed(checkYields(region.front())))
          return failure();
      if (failed(checkCarries(&op)))
        return failure();
    }
    return success();
  }

  LogicalResult add(BufferAttr buffer, Value output, Block &inside) {
    Operation *op = output.getDefiningOp();
    bool isCold = buffer.getKind() == BufferKind::Cold;
    if (isCold != (isa<KernelOp>(op) && op->hasAttr(kColdAttr)))
      return op->emitOpError("plan: only kernels of cold values write to the cold workspace, and only there");
    if (buffer.getKind() == BufferKind::Arena || isCold) {
      addLive(buffer, output, false);
      return success();
    }
    bool ofEntry = &inside == &block;
    if (ofEntry != (buffer.getKind() == BufferKind::Result))
      return op->emitOpError("has a buffer that does not belong to the end of its block: ") << buffer;
    Value whole = handedOn(output);
    bool isPart = false;
    for (auto join = joinOf.find(whole); join != joinOf.end(); join = joinOf.find(whole), isPart = true)
      whole = join->second;
    if (inside.getTerminator()->getOperand(buffer.getIndex()) != whole)
      return op->emitOpError("writes result ")
             << buffer.getIndex() << ", which another value is " << (ofEntry ? "returned" : "yielded") << " as";
    if (!isPart && !Dim::fromAttr(buffer.getOffset()).isStatic(0)) // else see checkParts
      return op->emitOpError("plan: is not at the beginning of result ") << buffer.getIndex();
    return success();
  }

  /// Checks that each operand of a concatenation is written in its place, by an op of the same block that writes nowhere else.
  LogicalResult checkParts(ConcatenateOp join) {
    auto own = cast<BufferAttr>(join->getAttrOfType<ArrayAttr>(kBuffersAttr)[0]);
    std::optional<SmallVector<Dim>> offsets = contiguousOffsets(join);
    if (!offsets)
      return join.emitOpError("plan: is in place, but its operands are not contiguous");
    for (auto [i, operand] : llvm::enumerate(join.getInputs())) {
      Value part = memoryOf(operand);
      Operation *maker = part.getDefiningOp();
      unsigned result = maker ? cast<OpResult>(part).getResultNumber() : 0;
      auto buffers = maker ? maker->getAttrOfType<ArrayAttr>(kBuffersAttr) : ArrayAttr();
      Dim offset = Dim::fromAttr(own.getOffset()) + (*offsets)[i];
      if (!buffers || maker->getBlock() != join->getBlock() || result < carriesOf(maker).size() ||
          byteSize(part) != byteSize(operand) || joinOf.lookup(part) != join.getResult() ||
          buffers[result] !=
              BufferAttr::get(join.getContext(), own.getKind(), own.getIndex(), offset.toAttr(join.getContext())))
        return join.emitOpError("plan: operand ") << i << " is not written where the concatenation has it";
    }
    return success();
  }

  /// True if a value is written as a part of a concatenation in place.
  bool isPartOf(Value part, Value whole) const {
    for (auto join = joinOf.find(part); join != joinOf.end(); join = joinOf.find(join->second))
      if (join->second == whole)
        return true;
    return false;
  }

  /// True if a loop's carry has a single buffer.
  static bool staysInPlace(Operation *loop, unsigned index) {
    auto spares = loop->getAttrOfType<ArrayAttr>(kSparesAttr);
    return spares && index < spares.size() && isa<UnitAttr>(spares[index]);
  }

  /// Returns the final value of the loops that update a value in its buffer.
  static Value handedOn(Value value) {
    for (OpOperand &use : value.getUses()) {
      OperandRange first = carriesOf(use.getOwner());
      if (first.empty())
        continue;
      unsigned index = use.getOperandNumber() - first.getBeginOperandIndex();
      if (use.getOperandNumber() >= first.getBeginOperandIndex() && index < first.size() && staysInPlace(use.getOwner(), index))
        return handedOn(use.getOwner()->getResult(index));
    }
    return value;
  }

  /// Returns the initial value of the loops that compute a value in place.
  static Value originOf(Value value) {
    while (Operation *maker = value.getDefiningOp()) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      if (index >= carriesOf(maker).size() || !staysInPlace(maker, index))
        break;
      value = carriesOf(maker)[index];
    }
    return value;
  }

  void addLive(BufferAttr buffer, Value output, bool isSpare) {
    Operation *op = output.getDefiningOp();
    Live entry{output,  Dim::fromAttr(buffer.getOffset()),   byteSize(output), start.lookup(op), lastUse(output),
               isSpare, buffer.getKind() == BufferKind::Cold};
    entry.size.collectNames(names);
    live.push_back(entry);
  }

  /// Checks that a region computes each yielded value in its outer buffer.
  LogicalResult checkYields(Block &inside) {
    Operation *end = inside.getTerminator();
    if (isa<ConditionOp>(end))
      return success();
    for (auto [i, value] : llvm::enumerate(end->getOperands())) {
      if (!value.getDefiningOp())
        continue; // see checkCarries
      auto all = value.getDefiningOp()->getAttrOfType<ArrayAttr>(kBuffersAttr);
      auto buffer = all ? cast<BufferAttr>(all[cast<OpResult>(value).getResultNumber()]) : BufferAttr();
      if (!buffer || buffer.getKind() != BufferKind::Yield || buffer.getIndex() != int64_t(i))
        return end->emitOpError("plan: value ") << i << " is not made where it is to be";
    }
    return success();
  }

  /// Checks that a loop's carry begins in its buffer, and is written there only after the last read of the previous step's
  /// value.
  LogicalResult checkCarries(Operation *op) {
    OperandRange first = carriesOf(op);
    auto spares = op->getAttrOfType<ArrayAttr>(kSparesAttr);
    if (!first.empty() && (!spares || spares.size() != first.size()))
      return op->emitOpError("plan: has no spare place, or none needed, for each carry");
    for (auto [i, value] : llvm::enumerate(first)) {
      // With two buffers, the first step may read a value that nothing writes where it is.
      bool isElsewhere = isa<BufferAttr>(spares[i]) && isReadOnly(memoryOf(value));
      if ((!isElsewhere && placeOf(value) != op->getAttrOfType<ArrayAttr>(kBuffersAttr)[i]) ||
          byteSize(value) != byteSize(op->getResult(i)))
        return op->emitOpError("plan: carry ") << i << " does not begin in its place";
      if (!isElsewhere && (lastUse(value) != position.lookup(op) ||
                           llvm::count_if(op->getOperands(), [&](Value other) { return memoryOf(other) == value; }) != 1))
        return op->emitOpError("plan: carry ") << i << " begins as what something else reads too";
      BlockArgument old = cast<ControlOpInterface>(op).getCarryArguments()[i];
      Value next = old.getOwner()->getTerminator()->getOperand(i);
      if (auto buffer = dyn_cast<BufferAttr>(spares[i]))
        addLive(buffer, op->getResult(i), true);
      else if (next != Value(old) && failed(checkOverwrites(next, old, "carry " + std::to_string(i))))
        return failure();
      if (next != Value(old) && isa<BlockArgument>(next))
        return op->emitOpError("plan: carry ") << i << " gets what is in another place";
    }
    return success();
  }

  /// Returns the buffer of a value; for an in-place carry, the buffer of the yielded value.
  static Attribute placeOf(Value value) {
    if (Operation *maker = value.getDefiningOp()) {
      auto all = isa<KernelOp>(maker) ? maker->getAttrOfType<ArrayAttr>(kBuffersAttr) : ArrayAttr();
      return all ? all[cast<OpResult>(value).getResultNumber()] : Attribute();
    }
    Operation *loop = value.getParentRegion()->getParentOp();
    MLIRContext *context = value.getContext();
    if (auto function = dyn_cast<func::FuncOp>(loop)) { // a variable
      Attribute name = function.getArgAttr(cast<BlockArgument>(value).getArgNumber(), kStateAttr);
      for (unsigned i = 0; name && i < function.getNumResults(); ++i)
        if (function.getResultAttr(i, kStateAttr) == name)
          return BufferAttr::get(context, BufferKind::Result, i, Dim(0).toAttr(context));
      return {};
    }
    unsigned number = cast<BlockArgument>(value).getArgNumber(), consts = isControl(loop) ? constsOf(loop).size() : 0;
    if (!isControl(loop) || number < consts || !staysInPlace(loop, number - consts))
      return {};
    return BufferAttr::get(context, BufferKind::Yield, number - consts, Dim(0).toAttr(context));
  }

  /// Checks the op that writes `next` over `old`: nothing reads `old` later, and the op reads only the parts that it replaces.
  LogicalResult checkOverwrites(Value next, Value old, const Twine &what) {
    next = originOf(next);
    if (auto join = next.getDefiningOp<ConcatenateOp>()) {
      for (Value operand : join.getInputs())
        if (failed(checkOverwrites(memoryOf(operand), old, what)))
          return failure();
      return success();
    }
    if (next == old) // passed through loops, the last to read it
      return success();
    Operation *writer = next.getDefiningOp();
    auto kernel = dyn_cast<KernelOp>(writer);
    unsigned write = start.lookup(writer);
    if (lastUse(old) > write)
      return writer->emitOpError("overwrites ") << what << " before its last read";
    for (auto [input, value] : llvm::enumerate(kernel ? ValueRange(kernel.getInputs()) : ValueRange()))
      if (memoryOf(value) == old && (value != old || !readsInPlace(kernel, input, cast<OpResult>(next).getResultNumber())))
        return writer->emitOpError("overwrites ") << what << " while it reads other places of it";
    return success();
  }

  /// True if a carry's initial value becomes the loop's: its live range ends there, and only this carry reads it.
  bool isHandedOver(const Live &first, const Live &carry) {
    Operation *loop = carry.value.getDefiningOp();
    if (carry.isSpare || first.offset != carry.offset || first.size != carry.size || first.last != position.lookup(loop))
      return false;
    unsigned uses = 0;
    for (Value operand : loop->getOperands())
      uses += memoryOf(operand) == first.value;
    unsigned index = cast<OpResult>(carry.value).getResultNumber();
    OperandRange carries = carriesOf(loop);
    return uses == 1 && index < carries.size() && carries[index] == first.value;
  }

  /// True for an update in place: the reader of one writes the other, at the same bytes, elementwise.
  bool sharesInPlace(const Live &dying, const Live &born) {
    if (dying.last != born.first || dying.offset != born.offset || dying.size != born.size)
      return false;
    auto kernel = born.value.getDefiningOp<KernelOp>();
    if (!kernel)
      return false;
    if (cast<RankedTensorType>(dying.value.getType()).getElementTypeBitWidth() !=
        cast<RankedTensorType>(born.value.getType()).getElementTypeBitWidth())
      return false;
    for (auto [i, operand] : llvm::enumerate(kernel.getInputs()))
      if (memoryOf(operand) == dying.value && !readsInPlace(kernel, i, cast<OpResult>(born.value).getResultNumber()))
        return false;
    return true;
  }

  /// Returns nullopt if the range does not fit into 63 bits.
  static std::optional<Range> rangeOf(const Live &buffer, const Sizes &sizes) {
    std::optional<int64_t> begin = evaluate(buffer.offset, sizes), size = evaluate(buffer.size, sizes);
    Range range{begin.value_or(0), 0};
    if (!begin || !size || llvm::AddOverflow(*begin, *size, range.end))
      return std::nullopt;
    return range;
  }

  /// True if both may have the same bytes although they are live at the same time.
  bool maySharePlace(const Live &a, const Live &b) {
    if (!a.isSpare && !b.isSpare && (isPartOf(a.value, b.value) || isPartOf(b.value, a.value)))
      return true;
    return sharesInPlace(a, b) || sharesInPlace(b, a) || isHandedOver(a, b) || isHandedOver(b, a);
  }

  /// True for sizes that the entry refuses, as far as the workspace's names show: see RequireExtents.
  bool isRefused(const Sizes &sizes) {
    auto required = function->getAttrOfType<ArrayAttr>(kRequiresAttr);
    return required && llvm::any_of(required.getAsRange<ArrayAttr>(), [&](ArrayAttr one) {
             std::optional<int64_t> extent = evaluate(Dim::fromAttr(cast<DimAttr>(one[0])), sizes);
             return extent && (*extent < 0 || (one.size() > 3 && *extent != 0));
           });
  }

  /// Checks the sizes n, n + step and so on.
  LogicalResult checkOverlaps(int64_t n, int64_t step) {
    Sizes sizes;
    for (auto [i, name] : llvm::enumerate(names))
      sizes[name] = n + step * i;
    if (isRefused(sizes))
      return success();
    std::optional<int64_t> total = evaluate(workspace, sizes), coldTotal = evaluate(coldWorkspace, sizes);
    if (!total || !coldTotal) // no memory is that large: entries refuse these sizes
      return success();
    std::vector<Range> ranges;
    for (const Live &each : live) {
      std::optional<Range> range = rangeOf(each, sizes);
      int64_t most = each.isCold ? *coldTotal : *total;
      if (!range || range->begin < 0 || range->begin % 64 || range->end > most)
        return each.value.getDefiningOp()->emitError("plan: buffer ")
               << str(range) << " is misaligned or outside of the " << most << " bytes of "
               << (each.isCold ? "cold workspace" : "workspace");
      ranges.push_back(*range);
    }
    return sweep(ranges);
  }

  using Used = std::multimap<int64_t, size_t>; // buffers by their begin

  static void remove(Used &used, int64_t begin, size_t buffer) {
    for (auto [it, end] = used.equal_range(begin); it != end; ++it)
      if (it->second == buffer)
        return void(used.erase(it));
  }

  /// Sweeps over the function with the ranges in use. A new range is compared with those that begin near enough to reach it.
  LogicalResult sweep(ArrayRef<Range> ranges) {
    Used all[2]; // of the workspace and of the cold one
    int64_t longest = 0;
    for (const Range &range : ranges)
      longest = std::max(longest, range.end - range.begin);
    auto ended = byLast.begin();
    for (size_t born : byFirst) {
      Range range = ranges[born];
      for (; live[*ended].last < live[born].first; ++ended)
        remove(all[live[*ended].isCold], ranges[*ended].begin, *ended);
      Used &used = all[live[born].isCold];
      if (range.begin >= range.end) // of no bytes
        continue;
      for (auto it = used.lower_bound(range.end); it != used.begin() && std::prev(it)->first > range.begin - longest; --it)
        if (size_t other = std::prev(it)->second; ranges[other].end > range.begin && !maySharePlace(live[other], live[born]))
          return explainOverlap(std::min(born, other), std::max(born, other), ranges);
      used.emplace(range.begin, born);
    }
    return success();
  }

  InFlightDiagnostic explainOverlap(size_t a, size_t b, ArrayRef<Range> ranges) {
    InFlightDiagnostic diagnostic = live[a].value.getDefiningOp()->emitError("plan: buffer ")
                                    << str(ranges[a]) << " overlaps a live one";
    diagnostic.attachNote(live[b].value.getLoc()) << "the other buffer is " << str(ranges[b]);
    return diagnostic;
  }

  static std::string str(std::optional<Range> range) {
    return range ? fmt::format("[{}, {})", range->begin, range->end) : "beyond 63 bits";
  }

  LogicalResult checkState() {
    for (auto [i, operand] : llvm::enumerate(block.getTerminator()->getOperands())) {
      Attribute name = function.getResultAttr(i, kStateAttr);
      if (!name)
        continue;
      for (BlockArgument argument : function.getArguments()) {
        if (function.getArgAttr(argument.getArgNumber(), kStateAttr) != name)
          continue;
        if (failed(checkOverwrites(operand, argument, "variable @" + cast<FlatSymbolRefAttr>(name).getValue())))
          return failure();
      }
    }
    return success();
  }

  func::FuncOp function;
  Block &block;
  DenseMap<Operation *, unsigned> start, position;
  DenseMap<Value, Value> joinOf; // of the operands of concatenations in place
  unsigned count = 0;
  SmallVector<Live> live;
  std::vector<size_t> byFirst, byLast; // indices of `live`, sorted by the begins and ends of live ranges
  SmallVector<std::string> names;
  Dim workspace, coldWorkspace;
};

struct VerifyPlanPass : lathe::impl::VerifyPlanPassBase<VerifyPlanPass> {
  void runOnOperation() final {
    markAllAnalysesPreserved();
    if (getOperation().isDeclaration())
      return;
    PlanVerifier verifier(getOperation());
    if (failed(verifier.run()))
      return signalPassFailure();
    verified += verifier.numBuffers();
  }
};
} // namespace
