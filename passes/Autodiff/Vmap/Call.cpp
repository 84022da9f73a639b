// Batches calls of functions that declare their derivative: they become calls of a function of the whole batch, whose rule is
// batched, too.
#include "dialects/Lathe/IR/Callees.h"
#include "dialects/Lathe/IR/Control.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Autodiff/Vmap/Vmap.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
/// Functions of batches, each created once for each size, whose arguments and results all have the batch as dimension 0.
class BatchedFunctions {
public:
  explicit BatchedFunctions(ModuleOp module) : module(module) {}

  func::FuncOp function(FlatSymbolRefAttr name) { return module.lookupSymbol<func::FuncOp>(name); }

  /// Returns an op that must not run for masked elements, in the function, in its callees or in the functions of their rules;
  /// or null.
  static Operation *findUnmasked(func::FuncOp function) {
    Operation *unmasked = nullptr;
    walkReached(function, Reach::CallsAndRules, [&](Operation *op) {
      if (!unmasked && (isa<WhileOp>(op) || isReport(op)))
        unmasked = op;
    });
    return unmasked;
  }

  FlatSymbolRefAttr of(FlatSymbolRefAttr name, const Dim &batch) {
    auto [entry, isNew] = made.try_emplace({name.getValue().str(), batch.str()});
    if (!isNew)
      return entry->second;
    func::FuncOp single = function(name), whole = make(single, batch);
    entry->second = FlatSymbolRefAttr::get(whole); // before those of its rule, which may call it
    FlatSymbolRefAttr result = entry->second;
    DerivativeRule rule = ruleOf(single);
    for (FlatSymbolRefAttr *named : {&rule.tangent, &rule.forward, &rule.backward})
      if (*named)
        *named = of(*named, batch);
    setRule(whole, rule);
    return result;
  }

private:
  /// Creates a function that applies one vmap to the single function, without its rule.
  func::FuncOp make(func::FuncOp single, const Dim &batch) {
    SymbolTable symbols(module);
    func::FuncOp body = single;
    if (hasRule(single)) {
      body = insert(symbols, single.clone(), single.getSymName() + ".body");
      setRule(body, {});
    }
    auto batched = [&](TypeRange types) {
      return llvm::map_to_vector(types, [&](Type type) -> Type { return stackOf(cast<RankedTensorType>(type), 0, batch); });
    };
    SmallVector<Type> arguments = batched(single.getArgumentTypes()), results = batched(single.getResultTypes());
    OpBuilder builder(module.getContext());
    auto whole =
        insert(symbols, func::FuncOp::create(single.getLoc(), single.getSymName(), builder.getFunctionType(arguments, results)),
               single.getSymName() + ".batch");
    builder.setInsertionPointToStart(whole.addEntryBlock());
    auto vmap = VmapOp::create(builder, single.getLoc(), results, body.getSymName(), whole.getArguments(),
                               SmallVector<int64_t>(arguments.size(), 0));
    func::ReturnOp::create(builder, single.getLoc(), vmap.getResults());
    return whole;
  }

  /// Inserts the function at the end, under this name or a similar one.
  static func::FuncOp insert(SymbolTable &symbols, func::FuncOp function, const Twine &name) {
    function.setName(name.str());
    function.setPrivate();
    symbols.insert(function);
    return function;
  }

  ModuleOp module;
  std::map<std::pair<std::string, std::string>, FlatSymbolRefAttr> made;
};
} // namespace

void autodiff::addCallBatching(BatchRules &rules, ModuleOp module) {
  rules.add<func::CallOp>(
      [functions = std::make_shared<BatchedFunctions>(module)](Batch &b, func::CallOp call, Lifteds operands) -> LiftedResults {
        func::FuncOp callee = functions->function(call.getCalleeAttr());
        if (Operation *unmasked = b.mask ? BatchedFunctions::findUnmasked(callee) : nullptr) { // the batch has no mask
          b.fail(call, "is of a function with a derivative rule and a '" + unmasked->getName().getStringRef() +
                           "', in a branch that only some elements of the batch take; call it before the branch");
          return {};
        }
        func::FuncOp whole = functions->function(functions->of(call.getCalleeAttr(), b.size));
        auto made = func::CallOp::create(b.e.getBuilder(), call.getLoc(), whole, b.whole(operands));
        LiftedResults results;
        for (Value result : made.getResults())
          results.push_back({result, true});
        return results;
      });
}
