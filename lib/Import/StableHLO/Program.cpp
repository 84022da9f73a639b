#include "lib/Import/StableHLO/Program.h"
#include "dialects/Lathe/IR/EraseUnused.h"
#include "lib/Import/Emit/PlainTypes.h"
#include "lib/Import/StableHLO/HloNode.h"
#include "lib/Import/StableHLO/Signature.h"
#include "lib/Support/Explain.h"
#include "lib/Support/TypeText.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// Limit on imported ops. Those of functions count at each call: a small program may expand to very many.
static constexpr int64_t kMostOps = int64_t(1) << 20;
static constexpr size_t kDeepestCall = 1000;

Program::Program(ModuleOp source, const ImportOptions &options)
    : source(source), symbols(source), builder(source.getContext()), options(options), mesh(source),
      blocks(findBlocks(source, mesh, symbols)), opsLeft(kMostOps) {}

void Program::report(Operation &op, const Twine &reason) {
  if (reported.insert(&op).second)
    op.emitError() << op.getName().getStringRef() << ": " << reason;
}

/// Returns why Lathe has no such type, or an empty string.
static std::string unsupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (isa<UnrankedTensorType>(type))
    return "tensors without a rank are not supported";
  if (!tensor)
    return isa<NoneType>(type) ? "tokens are not supported: the program must not depend on side effects"
                               : "values of type " + typeText(type) + " are not supported";
  Type element = tensor.getElementType();
  if (isa<ComplexType>(element))
    return "complex numbers are not supported";
  if (!isa<FloatType, IntegerType, IndexType>(element))
    return "elements of type " + typeText(element) + " are not supported";
  if (isa<IndexType>(element) || elementOf(element))
    return "";
  return "elements of type " + typeText(element) +
         " are not supported; use f64, f32, f16, bf16, i1, or integers of 8 to 64 bits";
}

bool Program::importOp(Operation &op, Frame &frame) {
  if (llvm::any_of(op.getOperands(), [&](Value operand) { return !frame.find(operand); }))
    return false; // an op before it has been refused
  auto refused = [&](const Twine &reason) {
    report(op, reason);
    return false;
  };
  if (--opsLeft < 0)
    return opsLeft == -1 ? refused("the program has more than " + Twine(kMostOps) + " ops, those of functions at each call")
                         : false;
  for (Type type : op.getResultTypes())
    if (std::string reason = unsupported(type); !reason.empty())
      return refused(reason);
  auto converter = converters().find(op.getName().getStringRef());
  if (converter == converters().end()) {
    StringRef dialect = op.getName().getDialectNamespace();
    return refused(dialect == "stablehlo" || dialect == "chlo" || dialect == "sdy"
                       ? "the op is not supported (docs/stablehlo.md lists those that are)"
                       : "expected ops of StableHLO, CHLO and func only");
  }
  HloNode node(*this, frame, &op);
  converter->second(node);
  if (!node.getReason().empty())
    report(op, node.getReason());
  if (node.failed())
    return false;
  if (isExplaining(op.getContext()) && !frame.lifted)
    explainImport(op, frame);
  return true;
}

bool Program::importBlock(Block &block, Frame &frame) {
  bool good = true;
  for (Operation &op : block.without_terminator())
    good &= importOp(op, frame);
  return good;
}

SmallVector<Value> Program::inlineFunction(StringRef name, ValueRange arguments, bool isLifted, std::string &reason) {
  auto function = symbols.lookup<func::FuncOp>(name);
  if (!function || function.isExternal()) {
    reason = ("there is no function @" + name + (function ? " with a body" : "")).str();
    return {};
  }
  if (llvm::is_contained(calls, name) || calls.size() > kDeepestCall) {
    reason = ("@" + name + " calls itself").str();
    return {};
  }
  if (!function.getBody().hasOneBlock()) {
    reason = ("@" + name + " has several blocks").str();
    return {};
  }
  Block &block = function.getBody().front();
  if (block.getNumArguments() != arguments.size()) {
    reason = ("@" + name + " takes " + Twine(block.getNumArguments()) + " arguments, got " + Twine(arguments.size())).str();
    return {};
  }
  calls.push_back(name);
  llvm::scope_exit done([&] { calls.pop_back(); });
  Frame frame;
  frame.lifted = isLifted;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    frame.values[argument] = value;
  if (!importBlock(block, frame))
    return {};
  SmallVector<Value> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(frame.find(result));
  return results;
}

SmallVector<Type> Program::argumentTypes(func::FuncOp function) {
  SmallVector<Type> types(function.getArgumentTypes());
  for (auto [type, argument] : llvm::zip(types, function.getArguments())) {
    auto block = blocks.find(argument);
    if (block == blocks.end())
      continue;
    type = blockOf(cast<RankedTensorType>(type), block->second);
    explain(function.getLoc(), "import", "argument {} is the rank's block, {}, of {}", argument.getArgNumber(), typeText(type),
            typeText(argument.getType()));
  }
  return types;
}

/// Reports the results of an entry that are blocks.
static void explainResults(Operation *returned, ValueRange results, const Blocks &blocks) {
  for (auto [i, whole, result] : llvm::enumerate(returned->getOperands(), results))
    if (blocks.contains(whole))
      explain(returned->getLoc(), "import", "result {} is the rank's block, {}, of {}", i, typeText(result.getType()),
              typeText(whole.getType()));
}

func::FuncOp Program::importEntry(func::FuncOp function) {
  std::string reason;
  if (!function.getBody().hasOneBlock()) {
    report(*function, "@" + function.getSymName() + " has several blocks");
    return {};
  }
  for (Type type : function.getFunctionType().getInputs())
    if (reason = unsupported(type); !reason.empty()) {
      report(*function, "an argument of @" + function.getSymName() + " has type " + typeText(type) + "; " + reason);
      return {};
    }
  auto entry = func::FuncOp::create(builder, function.getLoc(), function.getSymName(),
                                    builder.getFunctionType(argumentTypes(function), function.getFunctionType().getResults()));
  OpBuilder::InsertionGuard guard(builder);
  Block *block = entry.addEntryBlock();
  nameDims(*this, function, entry);
  builder.setInsertionPointToEnd(block);
  size_t before = reported.size();
  SmallVector<Value> results = inlineFunction(function.getSymName(), block->getArguments(), /*isLifted=*/false, reason);
  if (!reason.empty())
    report(*function, reason);
  if (reported.size() != before || llvm::is_contained(results, Value()))
    return {};
  Operation *returned = function.getBody().front().getTerminator();
  func::ReturnOp::create(builder, returned->getLoc(), results);
  explainResults(returned, results, blocks);
  eraseUnused(*block, [](Operation *op) { return isOpTriviallyDead(op); });
  entry.setFunctionType(builder.getFunctionType(block->getArgumentTypes(), ValueRange(results).getTypes()));
  nameFields(function, entry, options);
  if (failed(makeStates(*this, function, entry)))
    return {};
  stripNames(entry);
  return entry;
}

OwningOpRef<ModuleOp> Program::import() {
  for (;;) {
    std::vector<Diagnostic> told; // of the last attempt only
    OwningOpRef<ModuleOp> module;
    isAgain = false;
    reported.clear();
    {
      ScopedDiagnosticHandler hold(source.getContext(), [&](Diagnostic &diagnostic) { told.push_back(std::move(diagnostic)); });
      module = importOnce();
    }
    if (isAgain)
      continue;
    for (Diagnostic &diagnostic : told)
      source.getContext()->getDiagEngine().emit(std::move(diagnostic));
    return module;
  }
}

bool Program::hasSize(const std::string &name) const {
  return dimSources.contains(name) ||
         llvm::any_of(equalSizes, [&](auto &equal) { return llvm::is_contained(namesIn(equal.second), name); });
}

/// Declares the sizes that the program asserts of its own names.
void Program::declareRanges() {
  builder.setInsertionPointToStart(made.getBody());
  for (const auto &[name, range] : ranges)
    DimOp::create(builder, source.getLoc(), name, range.minimum, range.maximum, range.multipleOf);
}

OwningOpRef<ModuleOp> Program::importOnce() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
  made = *module;
  multiples.clear();
  ranges.clear();
  bool good = true;
  for (Operation &op : *source.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (op.getName().getStringRef() == "sdy.mesh")
      continue; // what is divided over it says so
    if (!function) {
      report(op, "expected functions only");
      good = false;
    } else if (function.isPublic() && !function.isExternal()) {
      builder.setInsertionPointToEnd(module->getBody());
      good &= bool(importEntry(function));
    }
  }
  if (good && module->getBody()->empty()) {
    emitError(source.getLoc()) << "the program has no public function";
    good = false;
  }
  if (!good || failed(checkStates()))
    return nullptr;
  declareRanges();
  return module;
}
