#include "lib/Import/CheckGraph.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/ErrorList.h"
#include "lib/Import/VerifierWords.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lathe;

namespace {

bool isOfGraphs(Operation *op) {
  if (op->getParentOfType<NestOp>() && isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return true; // scalars of a loop body
  return isa<LatheDialect>(op->getDialect()) ||
         isa<ModuleOp, func::FuncOp, func::ReturnOp, func::CallOp, UnrealizedConversionCastOp>(op); // see openCalls
}

/// Returns the bytes that the static extents take, or nullopt if they exceed 63 bits.
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

/// Checks that the arguments and results of a function are tensors of known element types.
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

/// Refuses operands that are defined later in the text. Regions are closed, so both ops are in one block.
LogicalResult checkOrder(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *maker = operand.get().getDefiningOp();
    if (!maker || maker->getBlock() != op->getBlock() || (maker != op && maker->isBeforeInBlock(op)))
      continue;
    InFlightDiagnostic diagnostic =
        op->emitError("operand ")
        << operand.getOperandNumber() << " of '" << op->getName()
        << "' is used before the line that defines it; an op must follow the ops that define its operands";
    diagnostic.attachNote(maker->getLoc()) << "defined here";
    return diagnostic;
  }
  return success();
}

/// Checks the types of the returned values against the declared ones.
LogicalResult checkReturn(func::ReturnOp op) {
  auto function = cast<func::FuncOp>(op->getParentOp());
  TypeRange declared = function.getResultTypes(), given = op.getOperandTypes();
  if (declared.size() != given.size())
    return op.emitError("@") << function.getSymName() << " is declared with " << declared.size()
                             << " results, but 'return' has " << given.size();
  bool good = true;
  for (auto [i, result, type] : llvm::enumerate(declared, given))
    if (result != type) {
      op.emitError("result ") << i << " of @" << function.getSymName() << " is declared as " << result << ", but 'return' has "
                              << type;
      good = false;
    }
  return success(good);
}

/// Checks the types of a call against those of the function.
LogicalResult checkCall(func::CallOp call, func::FuncOp callee) {
  bool good = true;
  auto tell = [&](const Twine &text) {
    good = false;
    InFlightDiagnostic diagnostic = call.emitError() << text;
    diagnostic.attachNote(callee.getLoc()) << "@" << callee.getSymName() << " is declared here";
  };
  auto check = [&](StringRef what, StringRef formal, TypeRange declared, TypeRange types) {
    std::string name = ("@" + callee.getSymName()).str();
    if (declared.size() != types.size())
      return tell(llvm::formatv("the call is declared with {0} {1}s, {2} has {3} {4}s", declared.size(), what, name,
                                types.size(), formal));
    for (auto [i, given, type] : llvm::enumerate(declared, types))
      if (given != type)
        tell(llvm::formatv("{0} {1} of the call is declared as '{2}', {3} {1} of {4} is '{5}'", what, i, given, formal, name,
                           type));
  };
  check("operand", "argument", call.getOperandTypes(), callee.getArgumentTypes());
  check("result", "result", call.getResultTypes(), callee.getResultTypes());
  return success(good);
}

/// Verifies an op without its regions. Errors about the order of ops in its regions have been reported for those ops.
LogicalResult verifyAlone(Operation *op) {
  bool isOther = false, isOrder = false, isReplacing = false;
  ScopedDiagnosticHandler orders(op->getContext(), [&](Diagnostic &diagnostic) {
    if (isReplacing || diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure(); // the next handler reports it
    std::string message = diagnostic.str();
    if (StringRef(message).contains("does not dominate this use"))
      return isOrder = true, success();
    if (std::exchange(isOther, true) && repeatsInference(message))
      return success(); // the reason has been reported
    std::string better = verifierWords(op, message);
    if (better.empty())
      return failure();
    isReplacing = true;
    emitError(diagnostic.getLocation()) << better;
    isReplacing = false;
    return success();
  });
  if (auto returned = dyn_cast<func::ReturnOp>(op); returned && isa<func::FuncOp>(op->getParentOp()))
    return checkReturn(returned);
  return success(succeeded(verify(op, /*verifyRecursively=*/false)) || (isOrder && !isOther));
}

LogicalResult checkOp(Operation *op) {
  if (!op->getDialect() || !isOfGraphs(op))
    return op->emitError("'") << op->getName()
                              << "' is not allowed in a Lathe graph; expected lathe.*, func.func, func.call or func.return "
                              << "(docs/ops.md lists them)";
  if (!op->isRegistered())
    return op->emitError("there is no op '") << op->getName() << "' (docs/ops.md lists all)";
  bool isAtHome =
      isa<func::ReturnOp>(op) == isa_and_nonnull<func::FuncOp>(op->getParentOp()); // or else it may not be in this body
  if (op->hasTrait<OpTrait::IsTerminator>() && op->getNextNode() && isAtHome)
    return op->emitError("'") << (isa<func::ReturnOp>(op) ? "return" : op->getName().getStringRef())
                              << "' must be the last op of its body; remove the ops after it";
  if (isa<CallTangentOp, ExternTangentOp>(op))
    return op->emitError("'") << op->getName()
                              << "' is internal to the expansion of derivatives; call the function, and take its derivative "
                              << "with lathe.jvp, lathe.vjp or lathe.value_and_grad";
  if (auto conv = dyn_cast<ConvOp>(op); conv && conv.getOutputShapeAttr())
    return op->emitError("'output' is for passes only; in a graph, 'pad' determines the extents of lathe.conv");
  auto block = op->getNumRegions() == 1 && op->getRegion(0).hasOneBlock() ? &op->getRegion(0).front() : nullptr;
  if (isa<func::FuncOp>(op) && block && block->getOps<func::ReturnOp>().empty() && !block->mightHaveTerminator())
    return op->emitError("@") << cast<func::FuncOp>(op).getSymName()
                              << " has no return; end the function with 'return %value : type'";
  // A module's own verification covers its symbols.
  bool good = isa<ModuleOp>(op) || (succeeded(checkOrder(op)) && succeeded(verifyAlone(op)));
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

/// True if an error has been reported for the op, for the terminator of one of its regions, or for its parent if it is the
/// terminator.
static bool isTold(Operation *op, const llvm::DenseSet<Operation *> &faulty) {
  auto isFaulty = [&](Block &block) { return block.mightHaveTerminator() && faulty.contains(block.getTerminator()); };
  bool endsFaulty = op->hasTrait<OpTrait::IsTerminator>() && faulty.contains(op->getParentOp());
  return faulty.contains(op) || endsFaulty ||
         (!isa<ModuleOp>(op) && llvm::any_of(op->getRegions(), [&](Region &region) { return llvm::any_of(region, isFaulty); }));
}

/// Returns the names of the faulty ops.
static llvm::StringSet<> faultySymbols(ModuleOp module, const llvm::DenseSet<Operation *> &faulty) {
  llvm::StringSet<> symbols;
  for (Operation &op : *module.getBody())
    if (auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()); name && faulty.contains(&op))
      symbols.insert(name.getValue());
  return symbols;
}

/// Reports names that are declared twice.
static void checkNames(ModuleOp module, llvm::DenseSet<Operation *> &faulty) {
  llvm::StringMap<Operation *> known;
  for (Operation &op : *module.getBody()) {
    auto name = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (!name || known.try_emplace(name.getValue(), &op).second || faulty.contains(&op))
      continue;
    InFlightDiagnostic diagnostic = op.emitError("@")
                                    << name.getValue() << " is declared a second time; every declaration has a name of its own";
    diagnostic.attachNote(known[name.getValue()]->getLoc()) << "first here";
    faulty.insert(&op);
  }
}

LogicalResult lathe::checkGraph(ModuleOp module, llvm::DenseSet<Operation *> &faulty) {
  SmallVector<Operation *> wrong;
  module.walk([&](Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    bool isReturnTold = function && !faulty.contains(op) && isTold(op, faulty);
    if (isReturnTold ? failed(checkSignature(function)) : !isTold(op, faulty) && failed(checkOp(op)))
      wrong.push_back(op);
  });
  faulty.insert_range(wrong);
  checkNames(module, faulty);
  // Checks across several ops make sense only if each of the ops is right.
  llvm::StringSet<> symbols = faultySymbols(module, faulty);
  SymbolTableCollection tables;
  module.walk([&](Operation *op) {
    bool refersToFaulty = false;
    op->getAttrDictionary().walk(
        [&](SymbolRefAttr symbol) { refersToFaulty |= symbols.contains(symbol.getRootReference().getValue()); });
    if (refersToFaulty || isTold(op, faulty))
      return;
    auto user = dyn_cast<SymbolUserOpInterface>(op);
    auto call = dyn_cast<func::CallOp>(op);
    auto callee = call ? tables.lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr()) : func::FuncOp();
    if (call && !callee) {
      call.emitError("there is no function @") << call.getCallee();
      faulty.insert(op);
    } else if (callee ? failed(checkCall(call, callee)) : user && failed(user.verifySymbolUses(tables)))
      faulty.insert(op);
  });
  return success(faulty.empty() && succeeded(verify(module)));
}

LogicalResult lathe::checkGraph(ModuleOp module) {
  llvm::DenseSet<Operation *> faulty;
  return checkGraph(module, faulty);
}
