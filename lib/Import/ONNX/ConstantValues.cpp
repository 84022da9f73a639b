#include "lib/Import/ONNX/ConstantValues.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "dialects/Lathe/Std/Expand.h"
#include "lib/Import/ONNX/Tensors.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// The maximum number of ops that compute one value, and of elements of each. Operators over shapes need less.
static constexpr size_t kMostOps = 256;
static constexpr int64_t kMostElements = 4 * kMostKnown;

/// True if the interpreter computes the op's value from its operands in a short time.
static bool isWorkedOut(Operation *op) {
  if (!isPure(op) || op->getNumRegions() || op->getNumResults() != 1 || isa<ExternOp, CollectiveOpInterface>(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() && elementOf(type.getElementType()) && type.getNumElements() <= kMostElements;
}

/// Returns the ops that compute a value, each after its operands. Returns an empty set if the value depends on anything else.
static llvm::SetVector<Operation *> sourcesOf(Value value) {
  llvm::SetVector<Operation *> done;
  llvm::SmallPtrSet<Operation *, 32> seen;
  SmallVector<Operation *> open{value.getDefiningOp()};
  while (!open.empty()) {
    Operation *op = open.back();
    if (!op || (seen.insert(op).second && (seen.size() > kMostOps || !isWorkedOut(op))))
      return {};
    auto next = llvm::find_if(
        op->getOperands(), [&](Value operand) { return !operand.getDefiningOp() || !done.contains(operand.getDefiningOp()); });
    if (next != op->operand_end()) {
      open.push_back((*next).getDefiningOp());
    } else {
      done.insert(op);
      open.pop_back();
    }
  }
  return done;
}

std::optional<Known> onnximport::knownValue(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!knownSize(type.getShape()))
    return std::nullopt;
  llvm::SetVector<Operation *> sources = sourcesOf(value);
  if (sources.empty())
    return std::nullopt;
  OwningOpRef<ModuleOp> module = ModuleOp::create(value.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(builder, value.getLoc(), "value", builder.getFunctionType({}, type));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping copies;
  for (Operation *op : sources)
    builder.clone(*op, copies);
  func::ReturnOp::create(builder, value.getLoc(), copies.lookup(value));
  ScopedDiagnosticHandler quiet(value.getContext(), [](Diagnostic &) { return success(); }); // reported when the program runs
  FailureOr<std::vector<Tensor>> results = failure();
  if (succeeded(composites::expandUses(*module)))
    results = interpret(function, {});
  if (failed(results))
    return std::nullopt;
  const std::vector<char> &bytes = results->front().getBytes();
  auto shape = RankedTensorType::get(results->front().getShape(), type.getElementType());
  return toKnown(TensorData(shape, std::string(bytes.begin(), bytes.end())));
}

void onnximport::eraseUnread(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}
