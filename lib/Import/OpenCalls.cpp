#include "lib/Import/OpenCalls.h"
#include "dialects/Lathe/IR/Callees.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// True if both are tensors that differ only in dimensions where one of them has an open size.
static bool differsInOpenSizes(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  return a != b && left && right && left.getElementType() == right.getElementType() &&
         succeeded(verifyCompatibleShape(left.getShape(), right.getShape()));
}

namespace {
/// The types of an op that names a function, with the function's open sizes.
struct OpenTypes {
  SmallVector<Type> operands, results; // of the first operands, and of all results

  void addResults(ArrayRef<Type> more) { llvm::append_range(results, more); }
  void addOperands(ArrayRef<Type> more) { llvm::append_range(operands, more); }
};
} // namespace

/// Returns the types of a derivative's operands and results, or nullopt if `wrt` is wrong, which the verifier reports.
template <typename Op>
static std::optional<OpenTypes> derivativeTypes(Op op, func::FuncOp callee) {
  OpenTypes types{llvm::to_vector(callee.getArgumentTypes()), llvm::to_vector(callee.getResultTypes())};
  SmallVector<Type> wrt, floats = floatsOf(callee.getResultTypes());
  for (int64_t index : op.getWrt()) {
    if (index < 0 || index >= callee.getNumArguments())
      return std::nullopt;
    wrt.push_back(callee.getArgumentTypes()[index]);
  }
  if constexpr (std::is_same_v<Op, JvpOp>)
    types.addOperands(wrt);
  if constexpr (std::is_same_v<Op, VjpOp>)
    types.addOperands(floats);
  types.addResults(std::is_same_v<Op, JvpOp> ? floats : wrt);
  return types;
}

/// Adds the type with a dimension more to a list. Returns false if it has too few dimensions.
static bool addBatch(SmallVector<Type> &list, Type type, int64_t position, const Dim &batch) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || position > tensor.getRank())
    return false;
  list.push_back(stackOf(tensor, position, batch));
  return true;
}

/// Returns the function's types with the batch dimension added.
static std::optional<OpenTypes> batchedTypes(VmapOp op, func::FuncOp callee) {
  OpenTypes types;
  std::optional<Dim> batch;
  if (op.getInDims().size() != op.getInputs().size() || callee.getNumArguments() != op.getInputs().size())
    return std::nullopt;
  for (auto [input, type, dim] : llvm::zip_equal(op.getInputs(), callee.getArgumentTypes(), op.getInDims())) {
    auto tensor = dyn_cast<RankedTensorType>(input.getType());
    if (dim == VmapOp::kShared) {
      types.operands.push_back(type);
      continue;
    }
    if (!tensor || dim < 0 || dim >= tensor.getRank())
      return std::nullopt;
    batch = batch.value_or(dimsOf(tensor)[dim]);
    if (!addBatch(types.operands, type, dim, dimsOf(tensor)[dim]))
      return std::nullopt;
  }
  for (Type type : callee.getResultTypes())
    if (!batch || !addBatch(types.results, type, 0, *batch))
      return std::nullopt;
  return types;
}

/// Returns the loss's types, with the number of micro-batches as the first dimension of split operands.
static std::optional<OpenTypes> minimizedTypes(MinimizeOp op, func::FuncOp callee) {
  OpenTypes types{{}, llvm::to_vector(op->getResultTypes())};
  for (auto [input, type] : llvm::zip(op.getInputs(), callee.getArgumentTypes())) {
    auto given = cast<RankedTensorType>(input.getType());
    if (!op.isSplit(types.operands.size()))
      types.operands.push_back(type);
    else if (given.getRank() == 0 || !addBatch(types.operands, type, 0, dimsOf(given).front()))
      return std::nullopt;
  }
  return types;
}

static std::optional<OpenTypes> openTypesOf(Operation *op, func::FuncOp callee) {
  return TypeSwitch<Operation *, std::optional<OpenTypes>>(op)
      .Case<func::CallOp>(
          [&](auto) { return OpenTypes{llvm::to_vector(callee.getArgumentTypes()), llvm::to_vector(callee.getResultTypes())}; })
      .Case<ValueAndGradOp, JvpOp, VjpOp>([&](auto derivative) { return derivativeTypes(derivative, callee); })
      .Case<VmapOp>([&](VmapOp vmap) { return batchedTypes(vmap, callee); })
      .Case<MinimizeOp>([&](MinimizeOp minimize) { return minimizedTypes(minimize, callee); })
      .Default(std::nullopt);
}

static void openCall(Operation *op, const OpenTypes &types) {
  OpBuilder builder(op);
  auto cast = [&](Value value, Type type) {
    return UnrealizedConversionCastOp::create(builder, op->getLoc(), type, value).getResult(0);
  };
  for (auto [operand, type] : llvm::zip(op->getOpOperands(), types.operands))
    if (differsInOpenSizes(operand.get().getType(), type))
      operand.set(cast(operand.get(), type));
  builder.setInsertionPointAfter(op);
  for (auto [result, type] : llvm::zip(op->getResults(), types.results)) {
    Type declared = result.getType();
    if (!differsInOpenSizes(declared, type))
      continue;
    result.setType(type);
    Value given = cast(result, declared);
    result.replaceAllUsesExcept(given, given.getDefiningOp());
  }
}

LogicalResult lathe::openCalls(ModuleOp module, llvm::DenseSet<Operation *> &faulty) {
  bool good = true;
  module.walk([&](UnrealizedConversionCastOp op) {
    op.emitError("'") << op->getName() << "' is not allowed in a Lathe graph; use lathe.reshape to change a tensor's shape";
    faulty.insert(op);
    good = false;
  });
  SymbolTable symbols(module);
  SmallVector<std::pair<Operation *, OpenTypes>> calls;
  module.walk([&](Operation *op) {
    FlatSymbolRefAttr name = calleeNameOf(op);
    auto callee = name ? symbols.lookup<func::FuncOp>(name.getValue()) : func::FuncOp();
    if (!callee || !callee.isPrivate() || callee.isExternal() || faulty.contains(op) || faulty.contains(callee))
      return;
    if (std::optional<OpenTypes> types = openTypesOf(op, callee))
      calls.emplace_back(op, std::move(*types));
  });
  for (auto &[op, types] : calls)
    openCall(op, types);
  return success(good);
}
