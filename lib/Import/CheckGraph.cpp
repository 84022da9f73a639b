#include "lib/Import/CheckGraph.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace lathe;

namespace {

bool isOfGraphs(Operation *op) {
  if (op->getParentOfType<NestOp>() && isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return true; // scalars of a loop body
  return isa<LatheDialect>(op->getDialect()) ||
         isa<ModuleOp, func::FuncOp, func::ReturnOp, func::CallOp, UnrealizedConversionCastOp>(op); // see openCalls
}

/// Bytes of the static extents alone; nullopt beyond 63 bits.
std::optional<int64_t> staticBytes(RankedTensorType type) {
  int64_t bytes = std::max(1u, type.getElementTypeBitWidth() / 8);
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && llvm::MulOverflow(bytes, extent, bytes))
      return std::nullopt;
  return bytes;
}

LogicalResult checkType(Location location, Type type, StringRef what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat() || staticBytes(tensor))
    return success();
  return emitError(location) << what << " of type " << type << " has more than 2^63 - 1 bytes";
}

/// What a function takes and gives must be tensors that ops know.
LogicalResult checkSignature(func::FuncOp function) {
  bool good = true;
  auto check = [&](Type type, Location location, StringRef what, unsigned index) {
    std::string reason = whyNotTensor(type);
    if (reason.empty())
      return;
    emitError(location) << what << " " << index << " of @" << function.getSymName() << " has type " << type << "; " << reason;
    good = false;
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    check(type, function.isExternal() ? function.getLoc() : function.getArgument(i).getLoc(), "argument", i);
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    check(type, function.getLoc(), "result", i);
  if (!function.isExternal() && !function.getBody().hasOneBlock()) {
    function.emitError("@") << function.getSymName() << " has several blocks; a graph is one list of ops";
    good = false;
  }
  return success(good);
}

LogicalResult checkOp(Operation *op) {
  if (!op->getDialect() || !isOfGraphs(op))
    return op->emitError("'") << op->getName()
                              << "' is no op of a graph; expected lathe.*, func.func, func.call or func.return "
                              << "(docs/ops.md lists them)";
  if (isa<CallTangentOp, ExternTangentOp>(op))
    return op->emitError("'") << op->getName()
                              << "' stands for a tangent while a derivative is made; a graph calls the function, and names "
                              << "its derivative with lathe.jvp, lathe.vjp or lathe.value_and_grad";
  if (auto conv = dyn_cast<ConvOp>(op); conv && conv.getOutputShapeAttr())
    return op->emitError("'output' is written by passes only; in a graph 'pad' gives the extents of lathe.conv");
  auto block = op->getNumRegions() == 1 && op->getRegion(0).hasOneBlock() ? &op->getRegion(0).front() : nullptr;
  if (isa<func::FuncOp>(op) && block && !block->mightHaveTerminator())
    return op->emitError("@") << cast<func::FuncOp>(op).getSymName()
                              << " has no return; the last line of a function is 'return %value : type'";
  // A module's own verification is of the symbols in it.
  bool good = isa<ModuleOp>(op) || succeeded(verify(op, /*verifyRecursively=*/false));
  for (Value result : op->getResults())
    good &= succeeded(checkType(op->getLoc(), result.getType(), "a result"));
  for (Region &region : op->getRegions())
    for (BlockArgument argument : region.getArguments())
      good &= succeeded(checkType(argument.getLoc(), argument.getType(), "an argument"));
  if (auto function = dyn_cast<func::FuncOp>(op))
    good &= succeeded(checkSignature(function));
  if (auto variable = dyn_cast<VariableOp>(op))
    good &= succeeded(checkType(op->getLoc(), variable.getType(), "a variable"));
  return success(good);
}
} // namespace

LogicalResult lathe::checkGraph(ModuleOp module) {
  bool good = true;
  module.walk([&](Operation *op) { good &= succeeded(checkOp(op)); });
  if (!good) // what concerns several ops at once only makes sense when each for itself is right
    return failure();
  SymbolTableCollection symbols;
  module.walk([&](SymbolUserOpInterface user) { good &= succeeded(user.verifySymbolUses(symbols)); });
  return success(good && succeeded(verify(module)));
}
