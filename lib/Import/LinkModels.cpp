#include "lib/Import/LinkModels.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/ConfinedFile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lathe;

namespace {

/// One function that is declared as a model.
class Declaration {
public:
  Declaration(func::FuncOp function, StringRef folder)
      : function(function), name(function->getAttrOfType<StringAttr>(kModelAttr).getValue()), folder(folder) {}

  LogicalResult link(llvm::SourceMgr &sources, OnnxOptions options) {
    SmallString<256> file(folder), real;
    llvm::sys::path::append(file, name);
    if (!name.ends_with(".onnx"))
      return function.emitError("lathe.model: '") << name << "' is no ONNX model; expected a path that ends in .onnx";
    if (std::string reason = resolveConfined(name, folder, "lathe.model", "graph", real); !reason.empty())
      return function.emitError(reason);
    options.sizes.clear(); // those of the graph around it
    options.constants = nullptr;
    options.declared = function.getFunctionType();
    options.prefix = (function.getSymName() + ".").str();
    OwningOpRef<ModuleOp> model = importOnnx(file.str().str(), *function.getContext(), sources, options);
    if (!model)
      return function.emitError("the model '") << name << "' of @" << function.getSymName() << " is refused";
    auto run = *model->getOps<func::FuncOp>().begin();
    return success(succeeded(checkTypes(run)) && succeeded(move(*model, run)));
  }

private:
  LogicalResult checkTypes(func::FuncOp run) {
    return success(succeeded(check("argument", "input", function.getArgumentTypes(), run.getArgumentTypes(),
                                   [&](unsigned i) { return run.getArgAttrOfType<StringAttr>(i, kNameAttr); })) &&
                   succeeded(check("result", "output", function.getResultTypes(), run.getResultTypes(),
                                   [&](unsigned i) { return run.getResultAttrOfType<StringAttr>(i, kNameAttr); })));
  }

  LogicalResult check(StringRef ours, StringRef theirs, TypeRange declared, TypeRange given,
                      function_ref<StringAttr(unsigned)> nameOf) {
    if (declared.size() != given.size())
      return function.emitError("@") << function.getSymName() << " is declared with " << declared.size() << " " << ours
                                     << "s, the model '" << name << "' has " << given.size() << " " << theirs << "s";
    for (auto [i, one, other] : llvm::enumerate(declared, given))
      if (one != other)
        return function.emitError() << ours << " " << i << " of @" << function.getSymName() << " is declared as " << one << ", "
                                    << theirs << " " << nameOf(i) << " of the model '" << name << "' is " << other;
    return success();
  }

  /// What the model has takes the declaration's place.
  LogicalResult move(ModuleOp model, func::FuncOp run) {
    auto module = function->getParentOfType<ModuleOp>();
    for (auto variable : model.getOps<VariableOp>())
      if (Operation *taken = SymbolTable::lookupSymbolIn(module, variable.getSymName())) {
        InFlightDiagnostic diagnostic = function.emitError("the model's variable @")
                                        << variable.getSymName() << " has the name of another one";
        diagnostic.attachNote(taken->getLoc()) << "@" << variable.getSymName() << " is declared here";
        return diagnostic;
      }
    run.setSymNameAttr(function.getSymNameAttr());
    run.setPrivate();
    for (Operation &op : llvm::make_early_inc_range(model.getBody()->getOperations()))
      op.moveBefore(function);
    function.erase();
    return success();
  }

  func::FuncOp function;
  StringRef name, folder;
};
} // namespace

LogicalResult lathe::linkModels(ModuleOp module, StringRef path, llvm::SourceMgr &sources, const OnnxOptions &options) {
  SmallVector<func::FuncOp> declared;
  for (auto function : module.getOps<func::FuncOp>())
    if (isa_and_nonnull<StringAttr>(function->getAttr(kModelAttr)) && function.isExternal() && function.isPrivate())
      declared.push_back(function); // any other with the attribute is told by its verifier
  if (declared.empty() && !options.stateInitializers.empty())
    return module.emitError("--state: the graph has no initializers; they are ONNX models', of the graph itself or of "
                            "functions that it declares with lathe.model");
  StringRef folder = path == "-" ? StringRef() : llvm::sys::path::parent_path(path);
  bool good = true;
  for (func::FuncOp function : declared)
    good &= succeeded(Declaration(function, folder).link(sources, options));
  return success(good);
}
