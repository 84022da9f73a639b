// op-set-test LATHE-RUN FOLDER: that the op set is closed under derivatives of any order. For each graph f:
//   its jvp and vjp, and theirs, expand into ops of the dialect, of which each that carries a derivative has a rule;
//   all of these functions lower to code;
//   compiled, f and its vjp in one function are what the interpreter says, and their derivatives, which are f's first and
//   second ones, agree with differences (lathe-run --check and --gradcheck; the graphs are left in FOLDER).
// Each op that the dialect registers must occur in a graph, unless it is listed below with what it is instead.
#include "dialects/Lathe/IR/Control.h"
#include "lathe/Compiler.h"
#include "lib/Import/Import.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/Autodiff/Rules.h"
#include "test/unit/Autodiff/Derive.h"
#include "test/unit/Autodiff/RunChecks.h"
#include "test/unit/OpSet/Integers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include <fstream>

using namespace mlir;
using namespace lathe;

/// Not values of graphs: what earlier stages take away, what later ones make, and what gives none. Functions of the
/// application's need one: they are tested in test/e2e/extern. Collectives need ranks: test/passes/Autodiff/collectives.
static const llvm::StringSet<> kNoValues = {"lathe.variable",
                                            "lathe.dim",
                                            "lathe.read",
                                            "lathe.write",
                                            "lathe.minimize",
                                            "lathe.jvp",
                                            "lathe.vjp",
                                            "lathe.value_and_grad",
                                            "lathe.vmap",
                                            "lathe.kernel",
                                            "lathe.yield",
                                            "lathe.nest",
                                            "lathe.index",
                                            "lathe.extent",
                                            "lathe.element",
                                            "lathe.apply",
                                            "lathe.scratch",
                                            "lathe.std",
                                            "lathe.set_dim_size",
                                            "lathe.stop_gradient",
                                            "lathe.extern",
                                            "lathe.extern_tangent",
                                            "lathe.call_tangent",
                                            "lathe.condition",
                                            "lathe.assert",
                                            "lathe.print",
                                            "lathe.check",
                                            "lathe.strips",
                                            "lathe.all_reduce",
                                            "lathe.reduce_scatter",
                                            "lathe.all_gather",
                                            "lathe.all_to_all",
                                            "lathe.collective_broadcast",
                                            "lathe.collective_permute",
                                            "lathe.axis_index",
                                            "lathe.collective_wait"};

namespace {
class Checker {
public:
  Checker(MLIRContext &context, std::string runner, std::string folder)
      : context(context), rules(&context), runner(std::move(runner)), folder(std::move(folder)) {}

  void check(const Graph &graph) {
    name = graph.name;
    path = folder + "/" + name;
    std::replace(path.begin() + folder.size(), path.end(), ' ', '-');
    checkOps(graph);
    checkNumbers(graph);
  }

  /// Every op of the dialect is in some graph.
  void finish() {
    for (RegisteredOperationName op : context.getRegisteredOperations()) {
      name = op.getStringRef().str();
      if (StringRef(name).starts_with("lathe.random_") && name != "lathe.random_bits")
        continue; // import writes them out; test/passes/ExpandRandom/expand-random.mlir
      if (op.getDialectNamespace() == "lathe" && !kNoValues.contains(name) && !seen.contains(name))
        fail("no graph has this op; give it one in test/unit/Autodiff, or in Integers.cpp if it has no derivative");
    }
  }

  int failures = 0;

private:
  /// Derivatives to the second order: closed, and each of them compiles.
  void checkOps(const Graph &graph) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(graph.text, &context);
    if (!module)
      return fail("does not parse");
    auto f = module->lookupSymbol<func::FuncOp>("f");
    f.setPublic();
    for (func::FuncOp g : {f, derive<JvpOp>(f, "_jvp"), derive<VjpOp>(f, "_vjp")})
      if (g != f) {
        derive<JvpOp>(g, "_jvp");
        derive<VjpOp>(g, "_vjp");
      }
    std::string file = write(*module, ".derived.mlir");
    CompileOptions options;
    options.emit = EmitKind::None;
    if (CompileResult result = compileFile(file, options); result.status != CompileStatus::Done)
      fail("its derivatives do not compile\n" + result.diagnostics);

    PassManager passes(&context);
    passes.addPass(createExpandDerivativesPass());
    if (failed(passes.run(*module)))
      return fail("does not expand");
    module->walk([&](Operation *op) {
      if (op->getDialect()->getNamespace() == "lathe" && !op->hasTrait<OpTrait::IsTerminator>())
        checkOp(op);
    });
  }

  void checkOp(Operation *op) {
    StringRef kind = op->getName().getStringRef();
    seen.insert(kind);
    if (kNoValues.contains(kind))
      fail(("its derivatives have " + kind).str());
    bool carries = llvm::any_of(op->getOperandTypes(), isFloatTensor) && llvm::any_of(op->getResultTypes(), isFloatTensor);
    if (carries && !isControl(op) && !rules.find(op)) // derivatives go through regions op by op
      fail(("its derivatives need " + kind + ", which has no derivative rule").str());
  }

  /// One function that gives f's results and its gradients, of arguments from -1 to 1 and any integers.
  void checkNumbers(const Graph &graph) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(graph.text, &context);
    if (!module)
      return;
    auto f = module->lookupSymbol<func::FuncOp>("f");
    SmallVector<Type> types(f.getArgumentTypes()), cotangents = floatsOf(f.getResultTypes()), results(f.getResultTypes());
    SmallVector<int64_t> wrt = floatIndices(types);
    types.append(cotangents);
    for (int64_t i : wrt)
      results.push_back(types[i]);
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    auto both = func::FuncOp::create(builder, f.getLoc(), "both", builder.getFunctionType(types, results));
    builder.setInsertionPointToStart(both.addEntryBlock());
    SmallVector<Value> inputs;
    for (Value argument : both.getArguments().take_front(f.getNumArguments()))
      inputs.push_back(inRange(builder, argument, graph));
    auto vjp = VjpOp::create(builder, f.getLoc(), results, "f", inputs, both.getArguments().take_back(cotangents.size()), wrt);
    func::ReturnOp::create(builder, f.getLoc(), vjp.getResults());

    std::string file = write(*module, ".mlir");
    SmallVector<std::string> dims = namesIn(types);
    run(file, {"--check", "--rtol=1e-9", "--atol=1e-9"}, dims);
    run(file, {"--gradcheck"}, dims);
  }

  /// Floats from -1 to 1 become floats from low to high; integers from 0 to 9 come to lie on both sides of [0, 4).
  static Value inRange(OpBuilder &builder, Value value, const Graph &graph) {
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    Location location = value.getLoc();
    auto scalar = [&](Attribute number) -> Value {
      auto type = RankedTensorType::get({}, element);
      return ConstantOp::create(builder, location, cast<ElementsAttr>(DenseElementsAttr::get(type, number)));
    };
    if (lathe::isFloatTensor(value.getType())) {
      Value scaled =
          MulOp::create(builder, location, value, scalar(builder.getFloatAttr(element, (graph.high - graph.low) / 2)));
      return AddOp::create(builder, location, scaled, scalar(builder.getFloatAttr(element, (graph.high + graph.low) / 2)));
    }
    Value rest = RemOp::create(builder, location, value, scalar(builder.getIntegerAttr(element, 6)));
    return SubOp::create(builder, location, rest, scalar(builder.getIntegerAttr(element, 1)));
  }

  static SmallVector<std::string> namesIn(ArrayRef<Type> types) {
    SmallVector<std::string> names;
    for (Type type : types)
      for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
        dim.collectNames(names);
    return names;
  }

  std::string write(ModuleOp module, const std::string &suffix) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    std::ofstream(path + suffix) << text;
    return path + suffix;
  }

  void run(const std::string &file, ArrayRef<std::string> options, ArrayRef<std::string> dims) {
    SmallVector<std::string> arguments = {runner, file, "both", "--random"};
    arguments.append(options.begin(), options.end());
    for (const std::string &dim : dims)
      arguments.push_back("--dim=" + dim + (dim == "N" ? "=3" : "=2"));
    SmallVector<StringRef> words(arguments.begin(), arguments.end());
    std::string log = path + options.front() + ".log";
    llvm::sys::fs::remove(log);
    std::optional<StringRef> redirects[] = {"", StringRef(log), StringRef(log)};
    if (llvm::sys::ExecuteAndWait(runner, words, std::nullopt, redirects) == 0)
      return;
    std::ifstream output(log);
    fail(llvm::join(arguments, " ") + " failed:\n" + std::string(std::istreambuf_iterator<char>(output), {}));
  }

  void fail(const std::string &why) {
    llvm::errs() << name << ": " << why << "\n";
    ++failures;
  }

  MLIRContext &context;
  autodiff::Rules rules;
  std::string runner, folder, name, path;
  llvm::StringSet<> seen;
};
} // namespace

int main(int argc, char **argv) {
  if (argc != 3 || llvm::sys::fs::create_directories(argv[2])) {
    llvm::errs() << "usage: op-set-test LATHE-RUN FOLDER\n";
    return 2;
  }
  return runChecks<Checker>(allGraphs(), argv[1], argv[2]);
}
