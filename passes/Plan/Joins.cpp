#include "passes/Plan/Joins.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/InPlace.h"
#include "lib/Support/Explain.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace lathe;

static constexpr int64_t kPartAlignment = 64; // bytes

bool lathe::isAlignedOffset(const Dim &offset) { return !offset.isUnknown() && offset.dividedBy(kPartAlignment); }

bool lathe::isYielded(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
}

bool lathe::beginsCarry(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    if (isView(use.getOwner()))
      return beginsCarry(use.getOwner()->getResult(0));
    OperandRange carries = carriesOf(use.getOwner());
    unsigned first = carries.empty() ? 0 : carries.getBeginOperandIndex();
    return use.getOperandNumber() >= first && use.getOperandNumber() < first + carries.size();
  });
}

/// Returns the value that a value in a kernel reshapes.
static Value reshaped(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

/// Returns the concatenation whose result, possibly reshaped, is all that a kernel makes, or null.
static ConcatenateOp loneConcatenation(KernelOp kernel) {
  Operation *end = kernel.getBody().front().getTerminator();
  return end->getNumOperands() == 1 ? reshaped(end->getOperand(0)).getDefiningOp<ConcatenateOp>() : ConcatenateOp();
}

/// Returns the kernel's operand that an operand of its concatenation is, possibly reshaped, or null.
static Value outerOperand(KernelOp kernel, Value input) {
  auto argument = dyn_cast<BlockArgument>(reshaped(input));
  return argument ? kernel.getInputs()[argument.getArgNumber()] : Value();
}

/// True if the result may be written in several steps, the first of which is earlier than its kernel.
static bool canBeWrittenEarly(Value value, const Positions &positions) {
  Value inner = value.getDefiningOp<KernelOp>().getBody().front().getTerminator()->getOperand(0);
  bool isView = reshaped(inner) != inner; // has no place of its own
  if (beginsCarry(value) || (isView && isYielded(value)) || byteSize(reshaped(inner)) != byteSize(inner))
    return false;
  for (OpOperand &use : value.getUses()) {
    Operation *end = use.getOwner(), *parent = end->getParentOp();
    if (!end->hasTrait<OpTrait::IsTerminator>())
      continue;
    unsigned number = use.getOperandNumber();
    if (auto function = dyn_cast<func::FuncOp>(parent)) {
      if (function.getResultAttr(number, kStateAttr)) // its old value may still be read
        return false;
      continue;
    }
    // The slots of stacks follow each other.
    if (!isAlignedOffset(byteSize(value)) || (number < carriesOf(parent).size() && updatesInPlace(parent, number, positions)))
      return false;
  }
  return true;
}

/// Returns the value whose memory an input of a concatenation is if its op can write it anywhere and nothing else determines
/// its place; null otherwise.
static Value placeable(Value input, KernelOp kernel) {
  Value operand = outerOperand(kernel, input);
  if (!operand)
    return {};
  Value value = memoryOf(operand);
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getBlock() != kernel->getBlock() || byteSize(value) != byteSize(input) || isYielded(value) ||
      beginsCarry(value))
    return {};
  if (auto scan = dyn_cast<ScanOp>(maker))
    return cast<OpResult>(value).getResultNumber() >= scan.getCarry().size() ? value : Value();
  return isa<KernelOp, IfOp>(maker) ? value : Value();
}

/// Finds the parts of a concatenation, which are not in `claimed`, and adds them to it. A part ends at a multiple of 64 bytes,
/// so that copies behind it are aligned too.
static SmallVector<Join::Part> findParts(KernelOp kernel, ConcatenateOp op, ArrayRef<Dim> offsets,
                                         llvm::SmallDenseSet<Value> &claimed) {
  SmallVector<Join::Part> parts;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    Value value = placeable(input, kernel);
    bool isAligned = isAlignedOffset(offsets[i]) && (i + 1 == offsets.size() || isAlignedOffset(offsets[i + 1]));
    if (value && isAligned && claimed.insert(value).second)
      parts.push_back({value, offsets[i], unsigned(i)});
  }
  return parts;
}

std::vector<Join> lathe::findJoins(func::FuncOp function, const Positions &positions) {
  std::vector<Join> joins;
  llvm::SmallDenseSet<Value> claimed;
  function.walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
    ConcatenateOp op = loneConcatenation(kernel);
    if (!op)
      return WalkResult::skip();
    StringRef obstacle = "its operands are not contiguous in the result";
    if (std::optional<SmallVector<Dim>> offsets = contiguousOffsets(op)) {
      obstacle = "the result is a variable, or a loop's carry";
      if (canBeWrittenEarly(kernel.getResult(0), positions)) {
        Join join{kernel, unsigned(op.getInputs().size()), findParts(kernel, op, *offsets, claimed)};
        obstacle = join.parts.empty() ? "no operand that a kernel makes only for it is at a multiple of 64 bytes" : "";
        if (obstacle.empty())
          joins.push_back(std::move(join));
      }
    }
    if (!obstacle.empty())
      explainNot(op.getLoc(), "plan", "@{}: the concatenation is a copy: {}", function.getSymName().str(), obstacle.str());
    return WalkResult::skip();
  });
  return joins;
}

namespace {
/// Builds a kernel with copies of some ops of another kernel.
class PartCopier {
public:
  PartCopier(KernelOp kernel, ConcatenateOp op) : kernel(kernel), op(op) {}

  /// Copies these operands of the concatenation, one after the other.
  KernelOp copy(ArrayRef<Value> operands) {
    SetVector<Operation *> ops;
    SetVector<Value> inputs;
    for (Value operand : operands)
      collect(operand, ops, inputs);
    auto outer = llvm::map_to_vector(inputs, [&](Value input) { return outerOf(input); });
    OpBuilder builder(kernel);
    RankedTensorType type = cast<RankedTensorType>(operands.front().getType());
    if (operands.size() > 1) {
      Dims dims = dimsOf(type);
      for (Value operand : operands.drop_front())
        dims[op.getDim()] = dims[op.getDim()] + dimsOf(operand)[op.getDim()];
      type = tensorOf(dims, type.getElementType());
    }
    auto made = KernelOp::create(builder, op.getLoc(), type, outer);
    Block *body = builder.createBlock(&made.getBody());
    IRMapping map;
    for (auto [input, value] : llvm::zip_equal(inputs, outer))
      map.map(input, body->addArgument(value.getType(), value.getLoc()));
    for (Operation *each : ops)
      builder.clone(*each, map);
    auto copies = llvm::map_to_vector(operands, [&](Value operand) { return map.lookup(operand); });
    Value result = operands.size() > 1 ? Value(ConcatenateOp::create(builder, op.getLoc(), copies, op.getDim()))
                                       : Value(StopGradientOp::create(builder, op.getLoc(), copies.front())); // an identity
    YieldOp::create(builder, op.getLoc(), result);
    if (operands.size() == 1)
      made->setAttr(kCopyForAttr, builder.getStringAttr(op->getName().getStringRef()));
    return made;
  }

private:
  Value outerOf(Value input) { return kernel.getInputs()[cast<BlockArgument>(input).getArgNumber()]; }

  static void collect(Value value, SetVector<Operation *> &ops, SetVector<Value> &inputs) {
    Operation *maker = value.getDefiningOp();
    if (!maker)
      return void(inputs.insert(value));
    for (Value operand : maker->getOperands())
      collect(operand, ops, inputs);
    ops.insert(maker);
  }

  KernelOp kernel;
  ConcatenateOp op;
};
} // namespace

void lathe::copyOtherParts(Join &join, Positions &positions) {
  ConcatenateOp op = loneConcatenation(join.kernel);
  SmallVector<Dim> offsets = *contiguousOffsets(op);
  SmallVector<Value> inputs(op.getInputs()), run;
  SmallVector<Join::Part> all;
  PartCopier copier(join.kernel, op);
  auto copyRun = [&](unsigned end) {
    if (run.empty())
      return;
    KernelOp copy = copier.copy(run);
    positions.insert(copy, join.kernel);
    unsigned first = end - run.size();
    all.push_back({copy.getResult(0), offsets[first], first, /*isCopied=*/true});
    run.clear();
  };
  auto part = join.parts.begin();
  for (auto [i, input] : llvm::enumerate(inputs)) {
    if (part == join.parts.end() || part->operand != i) {
      run.push_back(input);
      continue;
    }
    copyRun(i);
    all.push_back(*part++);
  }
  copyRun(inputs.size());
  join.parts = std::move(all);
}

static Value reshapeTo(OpBuilder &builder, Location location, Value value, Type type) {
  return ReshapeOp::create(builder, location, value, shapeOf(builder.getContext(), dimsOf(cast<RankedTensorType>(type))));
}

void lathe::finishJoin(Join &join) {
  KernelOp kernel = join.kernel;
  ConcatenateOp op = loneConcatenation(kernel);
  OpBuilder builder(kernel);
  auto operands = llvm::map_to_vector(join.parts, [&](const Join::Part &part) -> Value {
    if (part.isCopied)
      return part.value;
    Value inner = op.getInputs()[part.operand], outer = outerOperand(kernel, inner);
    return inner.getType() == outer.getType() ? outer : reshapeTo(builder, op.getLoc(), outer, inner.getType());
  });
  auto made = ConcatenateOp::create(builder, op.getLoc(), operands, op.getDim());
  made->setAttr(kBuffersAttr, kernel->getAttr(kBuffersAttr));
  Type type = kernel.getResult(0).getType();
  Value whole = made.getResult();
  kernel.getResult(0).replaceAllUsesWith(whole.getType() == type ? whole : reshapeTo(builder, op.getLoc(), whole, type));
  kernel.erase();
}
