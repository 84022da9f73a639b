// Proves a plan again from its attributes alone: with numbers for the named dimensions, every pair of live buffers is compared.
#include "dialects/Lathe/IR/Sizes.h"
#include "passes/Plan/Liveness.h"
#include "passes/Plan/Plan.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>

using namespace mlir;
using namespace lathe;

namespace {

struct Live {
  Value value;
  Dim offset, size;
  unsigned first, last;
};

/// Where a buffer begins and ends, in bytes of the workspace.
struct Range {
  int64_t begin, end;
};

class PlanVerifier {
public:
  explicit PlanVerifier(func::FuncOp function) : function(function), block(function.getBody().front()) {}

  LogicalResult run() {
    unsigned count = 0;
    for (Operation &op : block)
      position[&op] = count++;
    if (failed(collect()) || failed(checkState()))
      return failure();
    // Offsets and sizes are polynomials with few terms: these points tell any two of the planner's apart.
    for (int64_t n : {1, 2, 3, 7, 31, 64, 1000})
      if (failed(checkOverlaps(n)))
        return failure();
    return success();
  }

private:
  unsigned lastUse(Value value) {
    unsigned last = position.lookup(value.getDefiningOp());
    for (Operation *user : value.getUsers())
      last = std::max(last, isa<ReshapeOp>(user) ? lastUse(user->getResult(0)) : position.lookup(user));
    return last;
  }

  LogicalResult collect() {
    auto total = function->getAttrOfType<DimAttr>(kWorkspaceAttr);
    if (!total)
      return function.emitError("has no planned workspace");
    workspace = Dim::fromAttr(total);
    workspace.collectNames(names);
    for (auto kernel : block.getOps<KernelOp>()) {
      auto buffers = kernel->getAttrOfType<ArrayAttr>(kBuffersAttr);
      if (!buffers || buffers.size() != kernel.getNumResults())
        return kernel.emitOpError("has no buffer for each result");
      for (auto [attr, output] : llvm::zip_equal(buffers, kernel.getResults())) {
        auto buffer = cast<BufferAttr>(attr);
        if (buffer.getKind() == BufferKind::Result) {
          if (block.getTerminator()->getOperand(buffer.getIndex()) != output)
            return kernel.emitOpError("writes result ") << buffer.getIndex() << ", which another value is returned as";
          continue;
        }
        Live entry{output, Dim::fromAttr(buffer.getOffset()), byteSize(output), position.lookup(kernel), lastUse(output)};
        entry.size.collectNames(names);
        live.push_back(entry);
      }
    }
    return success();
  }

  /// In place: the reader of one is the writer of the other, at the same bytes, elementwise.
  bool sharesInPlace(const Live &dying, const Live &born) {
    if (dying.last != born.first || dying.offset != born.offset || dying.size != born.size)
      return false;
    auto kernel = born.value.getDefiningOp<KernelOp>();
    if (cast<RankedTensorType>(dying.value.getType()).getElementTypeBitWidth() !=
        cast<RankedTensorType>(born.value.getType()).getElementTypeBitWidth())
      return false;
    for (auto [i, operand] : llvm::enumerate(kernel.getInputs()))
      if (memoryOf(operand) == dying.value && !readsInPlace(kernel, i, cast<OpResult>(born.value).getResultNumber()))
        return false;
    return true;
  }

  /// Nothing where 63 bits do not hold it.
  static std::optional<Range> rangeOf(const Live &buffer, const Sizes &sizes) {
    std::optional<int64_t> begin = evaluate(buffer.offset, sizes), size = evaluate(buffer.size, sizes);
    Range range{begin.value_or(0), 0};
    if (!begin || !size || llvm::AddOverflow(*begin, *size, range.end))
      return std::nullopt;
    return range;
  }

  LogicalResult checkOverlaps(int64_t n) {
    Sizes sizes;
    for (auto [i, name] : llvm::enumerate(names))
      sizes[name] = n + i;
    std::optional<int64_t> total = evaluate(workspace, sizes);
    if (!total) // no memory is that large: entries refuse these sizes
      return success();
    for (auto [i, a] : llvm::enumerate(live)) {
      std::optional<Range> range = rangeOf(a, sizes);
      if (!range || range->begin < 0 || range->begin % 64 || range->end > *total)
        return a.value.getDefiningOp()->emitError("plan: buffer ")
               << str(range) << " is misaligned or outside of the " << *total << " bytes of workspace";
      for (const Live &b : ArrayRef<Live>(live).drop_front(i + 1)) {
        if (a.last < b.first || b.last < a.first || sharesInPlace(a, b) || sharesInPlace(b, a))
          continue;
        std::optional<Range> other = rangeOf(b, sizes);
        if (other && range->begin < other->end && other->begin < range->end) {
          InFlightDiagnostic diagnostic = a.value.getDefiningOp()->emitError("plan: buffer ")
                                          << str(range) << " overlaps a live one";
          diagnostic.attachNote(b.value.getLoc()) << "the other buffer is " << str(other);
          return diagnostic;
        }
      }
    }
    return success();
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
        auto writer = operand.getDefiningOp<KernelOp>();
        unsigned write = position.lookup(writer);
        if (lastUseOfArgument(argument) > write)
          return writer.emitOpError("overwrites variable ") << name << " before its last read";
        for (auto [input, value] : llvm::enumerate(writer.getInputs()))
          if (memoryOf(value) == Value(argument) &&
              (value != Value(argument) || !readsInPlace(writer, input, cast<OpResult>(operand).getResultNumber())))
            return writer.emitOpError("overwrites variable ") << name << " while it reads other places of it";
      }
    }
    return success();
  }

  unsigned lastUseOfArgument(Value value) {
    unsigned last = 0;
    for (Operation *user : value.getUsers())
      last = std::max(last, isa<ReshapeOp>(user) ? lastUseOfArgument(user->getResult(0)) : position.lookup(user));
    return last;
  }

  func::FuncOp function;
  Block &block;
  DenseMap<Operation *, unsigned> position;
  SmallVector<Live> live;
  SmallVector<std::string> names;
  Dim workspace;
};

struct VerifyPlanPass : PassWrapper<VerifyPlanPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyPlanPass)
  StringRef getArgument() const final { return "lathe-verify-plan"; }
  StringRef getDescription() const final {
    return "Proves from a plan's attributes alone that no two live buffers overlap, that all lie in the arena, and that "
           "variables are written after their last read. Requires a planned function; changes nothing.";
  }
  void runOnOperation() final {
    if (!getOperation().isDeclaration() && failed(PlanVerifier(getOperation()).run()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

std::unique_ptr<Pass> lathe::createVerifyPlanPass() { return std::make_unique<VerifyPlanPass>(); }
