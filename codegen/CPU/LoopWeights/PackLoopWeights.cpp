#include "codegen/CPU/LoopWeights/LoopWeights.h"
#include "codegen/CPU/PanelChooser.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace lathe {
#define GEN_PASS_DEF_PACKLOOPWEIGHTSPASS
#include "codegen/CPU/LoopWeights/LoopWeights.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Returns the number of a loop's steps; nullopt if it is unknown.
static std::optional<int64_t> stepsOf(Operation *loop) {
  auto scan = dyn_cast<ScanOp>(loop);
  Dim steps = scan ? scan.getSteps() : Dim();
  return scan && steps.isStatic() ? std::optional(steps.constant()) : std::nullopt;
}

/// Returns the kernel's product [rows, depth] x [depth, columns] of known depth and columns, whose right operand is an argument
/// that nothing else reads; null if there is none. Its operands are not widened.
static DotGeneralOp productOf(KernelOp kernel) {
  auto products = kernel.getBody().front().getOps<DotGeneralOp>();
  if (products.empty() || !llvm::hasSingleElement(products))
    return {};
  DotGeneralOp op = *products.begin();
  auto argument = dyn_cast<BlockArgument>(op.getRhs());
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  bool isMatrix = argument && argument.hasOneUse() && type.getRank() == 2 && type.hasStaticShape() && type.getDimSize(0) > 1 &&
                  op.getRhsContract() == ArrayRef<int64_t>(0);
  return isMatrix && type.getElementType() == getElementTypeOrSelf(op.getType()) ? op : DotGeneralOp();
}

/// Returns how many steps of a product pay for packing as much as one of several rows: one row reads panels little faster.
static int64_t stepsForOne(DotGeneralOp op) {
  constexpr int64_t kStepsOfOneRow = 4;
  bool isOneRow = llvm::all_of(ArrayRef(dimsOf(op.getResult())).drop_back(), [](const Dim &rows) { return rows.isStatic(1); });
  return isOneRow ? kStepsOfOneRow : 1;
}

namespace {
/// An operand of a kernel in loops.
struct LoopOperand {
  Value value;                      // in front of the loops
  Operation *loop = nullptr;        // the outermost one in which the operand does not change; null if there is none
  std::optional<int64_t> steps = 1; // of all loops together; nullopt if they are unknown
  SmallVector<std::pair<Operation *, unsigned>> consts; // of these loops, from the innermost to the outermost

  explicit LoopOperand(Value operand) : value(operand) {
    while (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (!isLoop(parent) || argument.getArgNumber() >= constsOf(parent).size())
        return;
      loop = parent;
      consts.push_back({loop, argument.getArgNumber()});
      std::optional<int64_t> more = stepsOf(loop);
      steps = steps && more ? std::optional(std::min<int64_t>(*steps * std::min<int64_t>(*more, INT32_MAX), INT32_MAX))
                            : std::nullopt;
      value = constsOf(loop)[argument.getArgNumber()];
    }
  }

  /// Removes the loops' consts that no region uses any more.
  void dropUnused() const {
    for (auto [control, index] : consts) {
      if (llvm::any_of(control->getRegions(), [&](Region &region) { return !region.getArgument(index).use_empty(); }))
        return;
      for (Region &region : control->getRegions())
        region.front().eraseArgument(index);
      cast<ControlOpInterface>(control).getConstsMutable().erase(index);
    }
  }
};

/// Builds kernels of one operand.
class KernelBuilder {
public:
  KernelBuilder(OpBuilder &builder, Location location) : b(builder), loc(location) {}

  /// Emits a kernel whose ops `body` emits.
  Value emit(Value operand, ArrayRef<int64_t> shape, function_ref<Value(Value)> body) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    auto kernel = KernelOp::create(b, loc, TypeRange(RankedTensorType::get(shape, element)), operand);
    OpBuilder::InsertionGuard guard(b);
    Block *inside = b.createBlock(&kernel.getBody());
    YieldOp::create(b, loc, body(inside->addArgument(operand.getType(), loc)));
    return kernel.getResult(0);
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) { return ReshapeOp::create(b, loc, value, sizes(shape)); }
  Value transpose(Value value, ArrayRef<int64_t> order) { return TransposeOp::create(b, loc, value, order); }
  Value firstColumns(Value matrix, int64_t columns) {
    int64_t rows = cast<RankedTensorType>(matrix.getType()).getDimSize(0);
    return SliceOp::create(b, loc, matrix, sizes({0, 0}), sizes({rows, columns}), SmallVector<int64_t>{1, 1});
  }
  /// Emits a kernel that adds zeros behind the rows and columns of a matrix, if there are fewer.
  Value padded(Value matrix, int64_t rows, int64_t columns) {
    auto type = cast<RankedTensorType>(matrix.getType());
    int64_t moreRows = rows - type.getDimSize(0), moreColumns = columns - type.getDimSize(1);
    if (moreRows == 0 && moreColumns == 0)
      return matrix;
    return emit(matrix, {rows, columns}, [&](Value inside) -> Value {
      Value zero = emitScalar(b, loc, numberAttr(type.getElementType(), 0));
      return PadOp::create(b, loc, inside, zero, sizes({0, 0}), sizes({moreRows, moreColumns}), SmallVector<int64_t>{0, 0});
    });
  }

private:
  ShapeAttr sizes(ArrayRef<int64_t> shape) {
    return shapeOf(b.getContext(), llvm::map_to_vector(shape, [](int64_t extent) { return Dim(extent); }));
  }

  OpBuilder &b;
  Location loc;
};
} // namespace

/// Returns the matrix whose transpose a kernel computes as `value`; null if it computes something else.
static Value transposedBy(Value value) {
  auto kernel = value.getDefiningOp<KernelOp>();
  if (!kernel)
    return {};
  Block &body = kernel.getBody().front();
  auto transpose = dyn_cast<TransposeOp>(body.front());
  bool isAlone = transpose && transpose->getNextNode() == body.getTerminator() && kernel.getNumResults() == 1;
  auto argument = isAlone ? dyn_cast<BlockArgument>(transpose.getOperand()) : BlockArgument();
  return argument ? kernel.getOperand(argument.getArgNumber()) : Value();
}

/// Emits kernels that pack a matrix [depth, columns] into panels [panels, depth, width]. A matrix that a kernel has transposed
/// is packed from that kernel's operand.
static Value emitPanels(OpBuilder &builder, Location location, Value matrix, int64_t width) {
  KernelBuilder kernels(builder, location);
  auto type = cast<RankedTensorType>(matrix.getType());
  int64_t depth = type.getDimSize(0), panels = llvm::divideCeil(type.getDimSize(1), width);
  Value turned = transposedBy(matrix);
  // The reshapes are views between the kernels.
  Value rows = turned ? kernels.reshape(kernels.padded(turned, panels * width, depth), {panels, width, depth})
                      : kernels.reshape(kernels.padded(matrix, depth, panels * width), {depth, panels, width});
  SmallVector<int64_t> order = turned ? SmallVector<int64_t>{0, 2, 1} : SmallVector<int64_t>{1, 0, 2};
  return kernels.emit(rows, {panels, depth, width}, [&](Value inside) { return kernels.transpose(inside, order); });
}

/// Lets the product of a kernel read its right operand from panels, which become the kernel's operand.
static void readPanels(KernelOp kernel, DotGeneralOp op, Value panels) {
  auto argument = cast<BlockArgument>(op.getRhs());
  auto matrix = cast<RankedTensorType>(argument.getType()), type = cast<RankedTensorType>(panels.getType());
  OpBuilder builder(op);
  KernelBuilder ops(builder, op.getLoc());
  kernel->setOperand(argument.getArgNumber(), panels);
  argument.setType(type);
  Value turned = ops.transpose(argument, {1, 0, 2}),
        all = ops.reshape(turned, {type.getDimSize(1), type.getDimSize(0) * type.getDimSize(2)});
  op.getRhsMutable().assign(all.getType() == matrix ? all : ops.firstColumns(all, matrix.getDimSize(1)));
}

namespace {
struct PackLoopWeightsPass : lathe::impl::PackLoopWeightsPassBase<PackLoopWeightsPass> {
  using PackLoopWeightsPassBase::PackLoopWeightsPassBase;
  explicit PackLoopWeightsPass(const std::vector<VectorTarget> &targets) : targets(targets) {}

  void runOnOperation() final {
    FailureOr<PanelChooser> made = PanelChooser::of(getOperation(), targets, targetNames);
    if (failed(made))
      return signalPassFailure();
    chooser = std::move(*made);
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) {
      if (isLoop(kernel->getParentOp()) && isCompiled(kernel))
        kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels)
      if (failed(pack(kernel)))
        return signalPassFailure();
    eraseUnused();
  }

private:
  LogicalResult pack(KernelOp kernel) {
    DotGeneralOp op = productOf(kernel);
    if (!op)
      return success();
    unsigned number = cast<BlockArgument>(op.getRhs()).getArgNumber();
    LoopOperand weights(kernel.getOperand(number));
    auto type = cast<RankedTensorType>(op.getRhs().getType());
    int64_t bytes = type.getNumElements() * (type.getElementTypeBitWidth() / 8);
    int64_t least = leastSteps * stepsForOne(op);
    bool hasFewSteps = weights.steps ? *weights.steps < least : least > leastSteps;
    if (!weights.loop || constantOf(weights.value) || hasFewSteps || bytes < leastBytes)
      return success();
    FailureOr<std::optional<PanelChoice>> choice = chooser->choose(kernel);
    if (failed(choice))
      return failure();
    if (!*choice || (*choice)->operand != number)
      return success();
    int64_t width = (*choice)->width;
    Value &panels = known[{weights.value.getAsOpaquePointer(), weights.loop->getBlock(), width}];
    if (!panels) {
      OpBuilder builder(weights.loop);
      panels = emitPanels(builder, op.getLoc(), weights.value, width);
    }
    readPanels(kernel, op, bringInto(kernel->getBlock(), panels));
    weights.dropUnused();
    if (Operation *maker = weights.value.getDefiningOp())
      replaced.insert(maker);
    ++packed;
    explain(kernel.getLoc(), "fusion", "the weights are packed before the loop, in panels of {} columns", width);
    return success();
  }

  /// Erases the makers of matrices that nothing reads any more.
  void eraseUnused() {
    while (!replaced.empty()) {
      Operation *op = replaced.pop_back_val();
      if (!isOpTriviallyDead(op))
        continue;
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          replaced.insert(maker);
      op->erase();
    }
  }

  std::vector<VectorTarget> targets;
  std::optional<PanelChooser> chooser;
  std::map<std::tuple<const void *, Block *, int64_t>, Value> known; // panels by matrix, place and width
  llvm::SetVector<Operation *> replaced;                             // makers of the matrices
};
} // namespace

std::unique_ptr<Pass> lathe::createPackLoopWeightsPass(const std::vector<VectorTarget> &targets) {
  return std::make_unique<PackLoopWeightsPass>(targets);
}
