#include "dialects/Lathe/IR/DerivativeRules.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace lathe;

SmallVector<FlatSymbolRefAttr, 2> DerivativeRule::functions() const {
  if (tangent)
    return {tangent};
  return backward ? SmallVector<FlatSymbolRefAttr, 2>{forward, backward} : SmallVector<FlatSymbolRefAttr, 2>{};
}

/// Returns the rule in an attribute; an empty rule if the attribute has another form.
static DerivativeRule ruleFrom(StringRef name, Attribute value) {
  if (name == kTangentAttr)
    return {dyn_cast_or_null<FlatSymbolRefAttr>(value), {}, {}};
  auto list = dyn_cast_or_null<ArrayAttr>(value);
  if (!list || list.size() != 2 || !llvm::all_of(list, llvm::IsaPred<FlatSymbolRefAttr>))
    return {};
  return {{}, cast<FlatSymbolRefAttr>(list[0]), cast<FlatSymbolRefAttr>(list[1])};
}

DerivativeRule lathe::ruleOf(func::FuncOp function) {
  if (DerivativeRule rule = ruleFrom(kTangentAttr, function->getDiscardableAttr(kTangentAttr)))
    return rule;
  return ruleFrom(kGradientAttr, function->getDiscardableAttr(kGradientAttr));
}

void lathe::setRule(func::FuncOp function, const DerivativeRule &rule) {
  function->removeDiscardableAttr(kTangentAttr);
  function->removeDiscardableAttr(kGradientAttr);
  if (rule.tangent)
    function->setDiscardableAttr(kTangentAttr, rule.tangent);
  else if (rule)
    function->setDiscardableAttr(kGradientAttr, ArrayAttr::get(function.getContext(), {rule.forward, rule.backward}));
}

namespace {
/// A list of types with their descriptions.
class Signature {
public:
  Signature &add(TypeRange list, StringRef what) {
    for (auto [i, type] : llvm::enumerate(list))
      entries.push_back({type, (what + " " + Twine(i)).str()});
    return *this;
  }
  /// Adds a derivative for each float type of the list.
  Signature &addFloats(TypeRange list, StringRef derivative, StringRef what) {
    for (auto [i, type] : llvm::enumerate(list))
      if (isFloatTensor(type))
        entries.push_back({type, ("the " + derivative + " of " + what + " " + Twine(i)).str()});
    return *this;
  }

  /// Compares with the arguments or results of a function; unknown sizes match. `more` allows further ones at the end.
  LogicalResult check(function_ref<InFlightDiagnostic()> fail, func::FuncOp rule, StringRef noun, TypeRange given,
                      bool more = false) const {
    if (given.size() < entries.size() || (!more && given.size() > entries.size())) {
      InFlightDiagnostic diagnostic = fail() << "@" << rule.getSymName() << " has " << given.size() << " " << noun
                                             << "s, expected " << (more ? "at least " : "") << entries.size();
      if (given.size() < entries.size())
        diagnostic << "; the next is " << entries[given.size()].what << ", " << entries[given.size()].type;
      diagnostic.attachNote(rule.getLoc()) << "@" << rule.getSymName() << " is declared here";
      return diagnostic;
    }
    for (auto [i, entry] : llvm::enumerate(entries))
      if (getElementTypeOrSelf(given[i]) != getElementTypeOrSelf(entry.type) ||
          failed(verifyCompatibleShape(given[i], entry.type))) {
        InFlightDiagnostic diagnostic = fail() << noun << " " << i << " of @" << rule.getSymName() << " is " << given[i]
                                               << ", expected " << entry.type << ", " << entry.what;
        diagnostic.attachNote(rule.getLoc()) << "@" << rule.getSymName() << " is declared here";
        return diagnostic;
      }
    return success();
  }

private:
  struct Entry {
    Type type;
    std::string what;
  };
  SmallVector<Entry> entries;
};
} // namespace

static LogicalResult verifyTangent(func::FuncOp function, func::FuncOp tangent, function_ref<InFlightDiagnostic()> fail) {
  TypeRange arguments = function.getArgumentTypes(), results = function.getResultTypes();
  if (failed(Signature()
                 .add(arguments, "argument")
                 .addFloats(arguments, "tangent", "argument")
                 .check(fail, tangent, "argument", tangent.getArgumentTypes())))
    return failure();
  return Signature()
      .add(results, "result")
      .addFloats(results, "tangent", "result")
      .check(fail, tangent, "result", tangent.getResultTypes());
}

static LogicalResult verifyGradient(func::FuncOp function, func::FuncOp forward, func::FuncOp backward,
                                    function_ref<InFlightDiagnostic()> fail) {
  TypeRange arguments = function.getArgumentTypes(), results = function.getResultTypes();
  if (failed(Signature().add(arguments, "argument").check(fail, forward, "argument", forward.getArgumentTypes())) ||
      failed(Signature().add(results, "result").check(fail, forward, "result", forward.getResultTypes(), /*more=*/true)))
    return failure();
  TypeRange residuals = TypeRange(forward.getResultTypes()).drop_front(results.size());
  if (failed(Signature()
                 .add(residuals, "residual")
                 .addFloats(results, "cotangent", "result")
                 .check(fail, backward, "argument", backward.getArgumentTypes())))
    return failure();
  return Signature().addFloats(arguments, "cotangent", "argument").check(fail, backward, "result", backward.getResultTypes());
}

LogicalResult lathe::verifyRule(Operation *op, NamedAttribute attribute) {
  auto fail = [&] { return op->emitError("'") << attribute.getName().getValue() << "': "; };
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || function.isExternal())
    return fail() << "is on " << op->getName() << (function ? " without a body" : "") << ", expected a function with one";
  DerivativeRule rule = ruleFrom(attribute.getName(), attribute.getValue());
  if (!rule)
    return fail() << "is " << attribute.getValue() << ", expected "
                  << (attribute.getName() == kTangentAttr ? "@function" : "[@forward, @backward]");
  if (op->hasAttr(kTangentAttr) && op->hasAttr(kGradientAttr))
    return fail() << "@" << function.getSymName() << " has both lathe.tangent and lathe.gradient; keep one of them: the "
                  << "compiler derives reverse mode from a tangent and forward mode from a gradient";
  if (floatsOf(function.getArgumentTypes()).empty() || floatsOf(function.getResultTypes()).empty())
    return fail() << "@" << function.getSymName() << " has no float "
                  << (floatsOf(function.getResultTypes()).empty() ? "result" : "argument")
                  << ", so it cannot have a derivative rule";
  SmallVector<func::FuncOp> functions;
  for (FlatSymbolRefAttr name : rule.functions()) {
    auto found = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op->getParentOp(), name);
    if (!found || found.isExternal())
      return fail() << "there is no function " << name << (found ? " with a body" : "");
    functions.push_back(found);
  }
  return rule.tangent ? verifyTangent(function, functions[0], fail)
                      : verifyGradient(function, functions[0], functions[1], fail);
}
