#include "lib/Import/LinkModels.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/MakeConstants.h"
#include "lib/Import/StableHLO/ImportStableHlo.h"
#include "lib/Support/ConfinedFile.h"
#include "lib/Support/LinkedPlace.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace lathe;

namespace {

/// A function that is declared as a model or a program.
class Declaration {
public:
  Declaration(func::FuncOp function, StringRef folder)
      : function(function), name(function->getAttrOfType<StringAttr>(kModelAttr).getValue()), folder(folder) {}

  /// Imports the model in place of the declaration. `constants` are those of the graph's inputs, or null.
  LogicalResult link(llvm::SourceMgr &sources, OnnxOptions options, ConstInputs *constants, bool isChecked) {
    SmallString<256> file(folder), real;
    llvm::sys::path::append(file, name);
    bool isModel = name.ends_with(".onnx");
    if (!isModel && !name.ends_with(".mlir") && !name.ends_with(".mlirbc"))
      return function.emitError("lathe.model: '")
             << name
             << "' is neither an ONNX model nor a StableHLO program; expected a path that ends in .onnx, .mlir or .mlirbc";
    if (std::string reason = resolveConfined(name, folder, "lathe.model", "graph", real); !reason.empty())
      return function.emitError(reason);
    options.sizes.clear(); // these belong to the calling graph
    options.formulas.clear();
    options.broadcasts.clear();
    options.declared = function.getFunctionType();
    options.prefix = (function.getSymName() + ".").str();
    OwningOpRef<ModuleOp> model =
        isModel ? importModel(file, sources, options, constants, isChecked) : importProgram(file, options);
    if (!model)
      return function.emitError(isModel ? "the model '" : "the program '")
             << name << "' of @" << function.getSymName() << " is refused";
    if (!isModel)
      model->walk([](Operation *op) { op->setLoc(linkedPlace(op->getLoc())); });
    func::FuncOp run = entryOf(*model);
    if (!run)
      return function.emitError("the program '") << name << "' has several public functions; expected one of them to be @main";
    eraseGiven();
    return success(succeeded(checkTypes(run)) && succeeded(move(*model, run)));
  }

private:
  OwningOpRef<ModuleOp> importModel(StringRef file, llvm::SourceMgr &sources, OnnxOptions &options, ConstInputs *constants,
                                    bool isChecked) {
    OwningOpRef<ModuleOp> model;
    for (bool isAgain = true; isAgain && !model;) {
      std::set<unsigned> wanted;
      options.wanted = &wanted;
      if (isChecked)
        options.given = given = constantOperands();
      std::vector<Diagnostic> told; // of the last attempt only
      {
        ScopedDiagnosticHandler hold(function.getContext(),
                                     [&](Diagnostic &diagnostic) { told.push_back(std::move(diagnostic)); });
        model = importOnnx(file.str(), *function.getContext(), sources, options);
      }
      isAgain = !model && isChecked && constants && takeWanted(wanted, *constants);
      for (Diagnostic &diagnostic : told)
        if (!isAgain)
          function.getContext()->getDiagEngine().emit(std::move(diagnostic));
    }
    return model;
  }

  OwningOpRef<ModuleOp> importProgram(StringRef file, const OnnxOptions &options) {
    auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/true);
    if (!buffer) {
      function.emitError("cannot read '") << name << "': " << buffer.getError().message();
      return nullptr;
    }
    options.noteRead(file.str());
    if (!isStableHlo((*buffer)->getBuffer(), isBytecode((*buffer)->getMemBufferRef()))) {
      function.emitError("lathe.model: '") << name << "' contains no op of StableHLO; expected a StableHLO program";
      return nullptr;
    }
    // A source manager of its own, since the parser reads the main file of one.
    return importStableHlo(std::move(*buffer), file, *function.getContext(), std::make_shared<llvm::SourceMgr>(), options);
  }

  /// Returns the function that the declaration stands for: the only public one, or @main. Returns null if there is no such one.
  /// Removes the other public functions, which nothing calls.
  static func::FuncOp entryOf(ModuleOp model) {
    auto functions = llvm::to_vector(model.getOps<func::FuncOp>());
    llvm::erase_if(functions, [](func::FuncOp each) { return !each.isPublic(); });
    auto entry = functions.size() == 1 ? functions.front() : model.lookupSymbol<func::FuncOp>("main");
    for (func::FuncOp function : functions)
      if (entry && function != entry)
        function.erase();
    return entry;
  }

  /// Returns the values of operands on which all calls agree. Returns none if the function is used other than by calls.
  std::map<unsigned, Tensor> constantOperands() {
    std::map<unsigned, Tensor> constants;
    calls.clear();
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(function, function->getParentOp());
    for (const SymbolTable::SymbolUse &use : *uses)
      if (auto call = dyn_cast<func::CallOp>(use.getUser()))
        calls.push_back(call);
      else
        return {};
    for (unsigned i = 0; i < function.getNumArguments() && !calls.empty(); ++i) {
      ElementsAttr value = constantOf(calls.front().getOperand(i));
      bool isSame = value && value.getNumElements() <= kMostElements &&
                    llvm::all_of(calls, [&](func::CallOp call) { return constantOf(call.getOperand(i)) == value; });
      if (std::optional<Tensor> tensor = isSame ? Tensor::fromAttr(value) : std::nullopt)
        constants.emplace(i, std::move(*tensor));
    }
    return constants;
  }

  /// Returns the value of a constant, also through arguments of private functions if all calls agree. Returns null for other
  /// values.
  static ElementsAttr constantOf(Value value, unsigned depth = 0) {
    if (auto constant = value.getDefiningOp<ConstantOp>())
      return constant.getValue();
    auto argument = dyn_cast<BlockArgument>(value);
    auto around = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    if (!around || !around.isPrivate() || depth == kMostDepth)
      return {};
    ElementsAttr common;
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(around, around->getParentOp());
    for (const SymbolTable::SymbolUse &use : *uses) {
      auto call = dyn_cast<func::CallOp>(use.getUser());
      ElementsAttr each = call ? constantOf(call.getOperand(argument.getArgNumber()), depth + 1) : ElementsAttr();
      if (!each || (common && each != common))
        return {};
      common = each;
    }
    return common;
  }

  /// Adds the names of the entries' inputs from which a value comes, through arguments of private functions. Constants add
  /// nothing. Returns false if the value comes from anything else.
  static bool collectInputs(Value value, std::set<std::string> &names, unsigned depth = 0) {
    if (value.getDefiningOp<ConstantOp>())
      return true;
    auto argument = dyn_cast<BlockArgument>(value);
    auto around = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    if (!around || depth == kMostDepth)
      return false;
    if (around.isPublic()) {
      auto name = around.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr);
      if (name)
        names.insert(name.str());
      return bool(name);
    }
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(around, around->getParentOp());
    return llvm::all_of(*uses, [&](const SymbolTable::SymbolUse &use) {
      auto call = dyn_cast<func::CallOp>(use.getUser());
      return call && collectInputs(call.getOperand(argument.getArgNumber()), names, depth + 1);
    });
  }

  /// Turns inputs of entries into constants if they are passed to the model's inputs in `wanted` and have values. Returns true
  /// if it turned any.
  bool takeWanted(const std::set<unsigned> &wanted, ConstInputs &constants) {
    std::set<std::string> names;
    for (unsigned index : wanted)
      for (func::CallOp call : calls)
        if (std::set<std::string> inputs; index < call.getNumOperands() && collectInputs(call.getOperand(index), inputs))
          names.insert(inputs.begin(), inputs.end());
    ConstInputs more = constants;
    more.names.clear();
    for (const std::string &name : names)
      if (constants.isGiven && constants.isGiven(name) && constants.names.insert(name).second)
        more.names.insert(name);
    if (more.names.empty() || failed(makeConstants(function->getParentOfType<ModuleOp>(), more)))
      return false;
    constants.taken.insert(more.taken.begin(), more.taken.end());
    return true;
  }

  /// Removes the arguments that the model has as constants from the declaration and its calls.
  void eraseGiven() {
    for (const auto &[index, value] : llvm::reverse(given)) {
      for (func::CallOp call : calls)
        call->eraseOperand(index);
      SmallVector<Type> inputs(function.getArgumentTypes());
      inputs.erase(inputs.begin() + index);
      function.setFunctionType(FunctionType::get(function.getContext(), inputs, function.getResultTypes()));
    }
  }

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

  /// Replaces the declaration by the model's functions and variables.
  LogicalResult move(ModuleOp model, func::FuncOp run) {
    auto module = function->getParentOfType<ModuleOp>();
    for (auto variable : model.getOps<VariableOp>())
      if (Operation *taken = SymbolTable::lookupSymbolIn(module, variable.getSymName())) {
        InFlightDiagnostic diagnostic = function.emitError("the model's variable @")
                                        << variable.getSymName() << " has the same name as another variable";
        diagnostic.attachNote(taken->getLoc()) << "@" << variable.getSymName() << " is declared here";
        return diagnostic;
      }
    SymbolTable ours(module), theirs(model);
    for (auto other : model.getOps<func::FuncOp>())
      for (unsigned i = 0; other != run && ours.lookup(other.getSymName()); ++i)
        (void)theirs.rename(other, (other.getSymName() + "." + Twine(i)).str());
    run.setSymNameAttr(function.getSymNameAttr());
    run.setPrivate();
    for (Operation &op : llvm::make_early_inc_range(model.getBody()->getOperations()))
      op.moveBefore(function);
    function.erase();
    return success();
  }

  static constexpr int64_t kMostElements = 4096; // that import evaluates
  static constexpr unsigned kMostDepth = 16;     // limit on functions that pass an argument on

  func::FuncOp function;
  StringRef name, folder;
  std::map<unsigned, Tensor> given;
  SmallVector<func::CallOp> calls;
};
} // namespace

LogicalResult lathe::linkModels(ModuleOp module, StringRef path, llvm::SourceMgr &sources, const OnnxOptions &options,
                                ConstInputs *constants, bool isChecked) {
  SmallVector<func::FuncOp> declared;
  for (auto function : module.getOps<func::FuncOp>())
    if (isa_and_nonnull<StringAttr>(function->getAttr(kModelAttr)) && function.isExternal() && function.isPrivate())
      declared.push_back(function); // the verifier refuses any other function with the attribute
  if (declared.empty() && !options.stateInitializers.empty())
    return module.emitError("--state: the graph has no initializers; only ONNX models have them, read directly or "
                            "declared with lathe.model");
  StringRef folder = path == "-" ? StringRef() : llvm::sys::path::parent_path(path);
  bool good = true;
  for (func::FuncOp function : declared)
    good &= succeeded(Declaration(function, folder).link(sources, options, constants, isChecked));
  return success(good);
}
