#include "lib/Compiler/Gradients.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/State/State.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;

std::string lathe::readGradOptions(const std::vector<std::string> &texts, CompileOptions &options) {
  for (const std::string &text : texts) {
    auto [function, inputs] = StringRef(text).split(':');
    bool hasInputs = StringRef(text).contains(':');
    if (function.empty() || (hasInputs && !inputs.consume_front("wrt=")))
      return "--grad: expected FUNCTION or FUNCTION:wrt=INPUT,..., got '" + text + "'";
    std::vector<std::string> names;
    for (StringRef name : hasInputs ? llvm::to_vector(llvm::split(inputs, ',')) : SmallVector<StringRef>()) {
      if (name.empty())
        return "--grad: expected names of inputs after wrt=, got '" + text + "'";
      if (llvm::is_contained(names, name))
        return "--grad: '" + name.str() + "' occurs twice in '" + text + "'";
      names.push_back(name.str());
    }
    if (!options.gradients.emplace(function.str(), names).second)
      return "--grad: '" + function.str() + "' occurs twice";
  }
  return "";
}

/// Returns a hint with the name nearest to `name`, or with all names if none is near.
static std::string hintFor(StringRef name, ArrayRef<std::string> known, StringRef mark) {
  const std::string *best = nullptr;
  unsigned least = name.size() / 3 + 1;
  for (const std::string &each : known)
    if (unsigned edits = name.edit_distance(each, /*AllowReplacements=*/true, least); edits < least) {
      best = &each;
      least = edits;
    }
  if (best)
    return "; did you mean " + mark.str() + *best + "?";
  return known.empty() ? "; there are none" : "; there are " + mark.str() + llvm::join(known, ", " + mark.str());
}

namespace {
/// Makes one entry.
class GradientEntry {
public:
  GradientEntry(func::FuncOp function, ArrayRef<std::string> inputs) : function(function), inputs(inputs) {}

  LogicalResult add() {
    StringRef name = function.getSymName();
    Operation *taken = SymbolTable::lookupSymbolIn(function->getParentOp(), (name + "_grad").str());
    if (taken) {
      InFlightDiagnostic error = refuse() << "the entry for @" << name << " needs the name @" << name << "_grad";
      error.attachNote(taken->getLoc()) << "@" << name << "_grad is declared here";
      return error;
    }
    if (function.isExternal() && !function->hasAttr("lathe.model"))
      return refuse() << "@" << name << " has no body to differentiate";
    auto first = function.getNumResults() ? dyn_cast<RankedTensorType>(function.getResultTypes()[0]) : RankedTensorType();
    if (!first || first.getRank() != 0 || !isa<FloatType>(first.getElementType())) {
      InFlightDiagnostic error = refuse() << "the first result of @" << name << " is ";
      (first ? error << first : error << "missing") << ", expected a scalar such as tensor<f32>, of which a gradient is taken; "
                                                       "reduce it to one number";
      return error;
    }
    if (failed(chooseInputs()))
      return failure();
    build();
    return success();
  }

private:
  InFlightDiagnostic refuse() { return emitError(optionPlace("--grad", function.getLoc())); }

  std::string nameOf(unsigned argument) {
    auto name = function.getArgAttrOfType<StringAttr>(argument, kNameAttr);
    return name ? name.str() : "arg" + std::to_string(argument);
  }

  bool isFloatInput(unsigned argument) { return isa<FloatType>(getElementTypeOrSelf(function.getArgumentTypes()[argument])); }

  /// Adds a variable. `known` are the names of the inputs.
  LogicalResult chooseVariable(StringRef name, std::vector<std::string> known) {
    auto module = function->getParentOfType<ModuleOp>();
    auto variable = module.lookupSymbol<VariableOp>(name);
    if (!variable) {
      for (auto each : module.getOps<VariableOp>())
        known.push_back(each.getSymName().str());
      return refuse() << "'" << name << "' is not an input of @" << function.getSymName() << ", and not a variable"
                      << hintFor(name, known, "");
    }
    if (!isa<FloatType>(getElementTypeOrSelf(variable.getType())))
      return refuse() << "variable @" << name << " is " << variable.getType()
                      << "; expected floats, by which a gradient can be taken";
    variables.push_back(FlatSymbolRefAttr::get(variable.getSymNameAttr()));
    return success();
  }

  LogicalResult chooseInputs() {
    std::vector<std::string> known;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      known.push_back(nameOf(i));
      if (inputs.empty() && isFloatInput(i))
        wrt.push_back(i);
    }
    for (const std::string &input : inputs) {
      unsigned at = llvm::find(known, input) - known.begin();
      if (at == known.size()) {
        if (failed(chooseVariable(input, known)))
          return failure();
        continue;
      }
      if (!isFloatInput(at))
        return refuse() << "input '" << input << "' of @" << function.getSymName() << " is " << function.getArgumentTypes()[at]
                        << "; expected floats, by which a gradient can be taken";
      wrt.push_back(at);
    }
    return wrt.empty() && variables.empty()
               ? refuse() << "@" << function.getSymName() << " has no input of floats by which a gradient can be taken"
               : success();
  }

  void build() {
    OpBuilder builder(function);
    builder.setInsertionPointAfter(function);
    SmallVector<Type> results(function.getResultTypes());
    for (int64_t input : wrt)
      results.push_back(function.getArgumentTypes()[input]);
    auto made = func::FuncOp::create(builder, function.getLoc(), (function.getSymName() + "_grad").str(),
                                     builder.getFunctionType(function.getArgumentTypes(), results));
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      made.setArgAttrs(i, function.getArgAttrDict(i));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      made.setResultAttrs(i, function.getResultAttrDict(i));
    for (auto [i, input] : llvm::enumerate(wrt))
      made.setResultAttr(function.getNumResults() + i, kNameAttr, builder.getStringAttr("gradient_" + nameOf(input)));
    Block *body = made.addEntryBlock();
    builder.setInsertionPointToStart(body);
    auto values = ValueAndGradOp::create(builder, function.getLoc(), results, FlatSymbolRefAttr::get(function),
                                         body->getArguments(), builder.getDenseI64ArrayAttr(wrt));
    func::ReturnOp::create(builder, function.getLoc(), values.getResults());
    if (!variables.empty())
      made->setAttr(kVariableGradientsAttr, builder.getArrayAttr(variables));
  }

  func::FuncOp function;
  ArrayRef<std::string> inputs;
  SmallVector<int64_t> wrt;         // numbers of inputs
  SmallVector<Attribute> variables; // which are inputs later
};
} // namespace

LogicalResult lathe::addGradients(ModuleOp module, const CompileOptions &options) {
  std::vector<std::string> known;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      known.push_back(function.getSymName().str());
  for (auto &[name, inputs] : options.gradients) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function || !function.isPublic())
      return emitError(optionPlace("--grad", module.getLoc()))
             << "there is no public function @" << name << hintFor(name, known, "@");
    if (failed(GradientEntry(function, inputs).add()))
      return failure();
  }
  return success();
}
