// op-facts FOLDER: what the compiler has for each op of the dialect, as JSON. On stdin come the documentation's examples, each
// a module behind a line `// lathe.NAME`, with `// -----` between them; FOLDER takes the files that are compiled. The lathe-run
// beside it runs them on a GPU, which the driver that is found by LD_LIBRARY_PATH stands for.
//
// Interfaces and rules are asked from their tables. That an op is verified, interpreted and compiled is seen by doing so: on
// its example, and on the kernels and nests that fusion and lowering make of all of them.
#include "codegen/Kernels/LowerToNests.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lathe/Compiler.h"
#include "lib/Compiler/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/Autodiff/Rules.h"
#include "passes/Autodiff/Vmap/Vmap.h"
#include "test/unit/Autodiff/Derive.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <fstream>

using namespace mlir;
using namespace lathe;

namespace {
class Facts {
public:
  Facts(MLIRContext &context, std::string folder, std::string runner)
      : context(context), folder(std::move(folder)), runner(std::move(runner)) {}

  /// One example: `text` shows lathe.`name`. False, after a diagnostic, where anything of it fails.
  bool add(StringRef name, StringRef text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module || failed(verify(*module)))
      return false;
    module->walk([&](Operation *op) {
      if (op->getName().stripDialect() == name)
        shown.insert(op->getName().getStringRef());
      refuse(op);
    });
    for (auto function : module->getOps<func::FuncOp>())
      returnLast(function);
    return interpretAll(*module) && compile(*module, name) && transform(*module, name);
  }

  llvm::json::Object of(RegisteredOperationName op) const {
    const autodiff::Rule *rule = derivatives.find(op);
    StringRef tangent = !rule                             ? ""
                        : rule->constant                  ? "zero"
                        : rule->tangent || rule->tangents ? "formula"
                        : linear(*rule)                   ? "linear"
                                                          : "";
    StringRef name = op.getStringRef();
    if (differentiated.contains(name))
      tangent = "through its regions";
    return llvm::json::Object{{"infers", op.hasInterface<InferTypeOpInterface>()},
                              {"elementary", op.hasTrait<ElementaryTrait>()},
                              {"tangent", tangent},
                              {"linear", (rule && linear(*rule)) || differentiated.contains(name)},
                              {"transpose", (rule && (rule->transpose || rule->transposes)) || differentiated.contains(name)},
                              {"batching", batching.find(op) != nullptr || batched.contains(name)},
                              {"shown", shown.contains(name)},
                              {"refuses_operands", refusesOperands.contains(name)},
                              {"refuses_place", refusesPlace.contains(name)},
                              {"interpreted", interpreted.contains(name)},
                              {"compiled", compiled.contains(name)},
                              {"gpu", onGpu.contains(name)}};
  }

private:
  static bool linear(const autodiff::Rule &rule) { return rule.jointly || !rule.linear.empty(); }

  /// True if the op's verifier refuses each operand with elements of `index`, which no op computes with, and a place under a
  /// function, for an op of kernels.
  void refuse(Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (op->getDialect()->getNamespace() != "lathe" || op->hasTrait<OpTrait::IsTerminator>() || !tried.insert(name).second)
      return;
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
    Block block;
    OpBuilder builder(&context);
    builder.setInsertionPointToStart(&block);
    bool all = op->getNumOperands() > 0;
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      Operation *copy = builder.clone(*op);
      auto type = dyn_cast<RankedTensorType>(op->getOperand(i).getType());
      Type wrong = type ? Type(RankedTensorType::get(type.getShape(), builder.getIndexType(), type.getEncoding()))
                        : Type(builder.getIndexType());
      copy->setOperand(i, block.addArgument(wrong, op->getLoc()));
      all &= failed(verify(copy, /*verifyRecursively=*/false));
      copy->erase();
    }
    if (all)
      refusesOperands.insert(name);
    Operation *copy = builder.clone(*op);
    auto elsewhere = func::FuncOp::create(op->getLoc(), "elsewhere", builder.getFunctionType({}, {}));
    copy->moveBefore(elsewhere.addEntryBlock(), elsewhere.front().end());
    if (!isa<ModuleOp>(op->getParentOp()) && failed(verify(copy, /*verifyRecursively=*/false)))
      refusesPlace.insert(name);
    elsewhere.erase();
  }

  /// Makes the last value of an example its result, so that the value is not dead.
  static void returnLast(func::FuncOp function) {
    Operation *end = function.front().getTerminator();
    if (end->getNumOperands() || end == &function.front().front())
      return;
    end->setOperands(end->getPrevNode()->getResults());
    function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(), TypeRange(end->getOperandTypes())));
  }

  /// The module as it is after a stage.
  OwningOpRef<ModuleOp> after(ModuleOp module, StringRef last) {
    OwningOpRef<ModuleOp> copy = module.clone();
    return succeeded(runStages(*copy, last, CompileOptions(), Targets())) ? std::move(copy) : nullptr;
  }

  bool interpretAll(ModuleOp module) {
    // Import alone keeps what folds take away later.
    OwningOpRef<ModuleOp> plain = after(module, "state"), nests = after(module, "fusion");
    if (!plain || !nests)
      return false;
    bool done = true;
    nests->walk([&](KernelOp kernel) { done &= succeeded(lowerToNests(kernel)); });
    nests->walk([&](Operation *op) { refuse(op); });
    return done && interpretEach(*plain) && interpretEach(*nests);
  }

  bool interpretEach(ModuleOp module) {
    module.walk([](ExternOp op) { llvm::sys::DynamicLibrary::AddSymbol(op.getCallee(), reinterpret_cast<void *>(succeed)); });
    for (auto function : module.getOps<func::FuncOp>()) {
      bool hasTransforms = false;
      function.walk([&](Operation *op) { hasTransforms |= isa<JvpOp, VjpOp, ValueAndGradOp, VmapOp>(op); });
      if (hasTransforms) // what they become is interpreted behind fusion
        continue;
      std::vector<Tensor> arguments;
      for (Type type : function.getArgumentTypes())
        arguments.push_back(ones(cast<RankedTensorType>(type)));
      if (failed(interpret(function, arguments)))
        return false;
      collect(function, interpreted);
    }
    return true;
  }

  /// Stands for any function of the application's.
  static int32_t succeed() { return 0; }

  static Tensor ones(RankedTensorType type) {
    SmallVector<int64_t> shape;
    for (const Dim &dim : dimsOf(type))
      shape.push_back(dim.substitute({{"N", Dim(8)}, {"M", Dim(2)}, {"K", Dim(2)}, {"data", Dim(1)}}).constant());
    Tensor tensor(*elementOf(type.getElementType()), shape);
    visitAny(tensor.getElement(), [&](auto zero) {
      std::fill_n(tensor.data<decltype(zero)>(), tensor.size(), decltype(zero)(1));
      return true;
    });
    return tensor;
  }

  /// Code for the whole example; the ops that it is made of are those between fusion and the emitters.
  bool compile(ModuleOp module, StringRef name) {
    std::string file = folder + "/" + name.str() + ".mlir", text;
    llvm::raw_string_ostream(text) << module;
    std::ofstream(file) << text;
    CompileOptions options;
    options.emit = EmitKind::None;
    if (CompileResult result = compileFile(file, options); result.status != CompileStatus::Done) {
      llvm::errs() << result.diagnostics;
      return false;
    }
    bool isOnGpu = runOnGpu(module, file);
    OwningOpRef<ModuleOp> kernels = after(module, "fusion");
    auto collectAll = [&] {
      collect(*kernels, compiled);
      if (isOnGpu)
        collect(*kernels, onGpu);
    };
    collectAll();
    kernels->walk([&](KernelOp kernel) { (void)lowerToNests(kernel); });
    collectAll();
    return true;
  }

  /// True if a GPU, or the stand-in for one, computes each of the example's functions as the interpreter does. What functions
  /// of the application's do is not known here, and a communicator exchanges values on the host.
  bool runOnGpu(ModuleOp module, const std::string &file) {
    auto isElsewhere = [](Operation *op) {
      return isa<ExternOp, CollectiveOpInterface>(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    bool isGood = !module.walk(isElsewhere).wasInterrupted();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isPrivate() || !isGood)
        continue;
      std::vector<std::string> words = {runner,        file,          function.getSymName().str(), "--random", "--check",
                                        "--rtol=1e-4", "--atol=1e-5", "--target=cuda:sm_90"};
      std::set<std::string> names; // what import will put into the types
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (auto dims = function.getArgAttrOfType<DimsAttr>(i, "lathe.dims"))
          for (DimAttr dim : dims.getDims())
            names.insert(Dim::fromAttr(dim).str());
      for (const std::string &name : names)
        words.push_back("--dim=" + name + (name == "N" ? "=8" : "=2"));
      auto run = [&] {
        SmallVector<StringRef> arguments(words.begin(), words.end());
        std::optional<StringRef> toNowhere[] = {"", "", ""};
        return llvm::sys::ExecuteAndWait(runner, arguments, std::nullopt, toNowhere);
      };
      constexpr int kFailed = 4; // while running
      int status = run();
      if (status == kFailed) { // as an assertion does that does not hold of random numbers
        words = {runner, file, function.getSymName().str(), "--random", "--interpret"};
        for (const std::string &name : names)
          words.push_back("--dim=" + name + (name == "N" ? "=8" : "=2"));
        status = run() == kFailed ? 0 : kFailed;
      }
      if (status == 0)
        continue;
      llvm::errs() << "on a GPU @" << function.getSymName() << " of " << file << " differs\n";
      isGood = false;
    }
    return isGood;
  }

  /// Branches and loops have no rule in a table: whether derivatives in both modes and batches go through one is seen by making
  /// them of its example.
  bool transform(ModuleOp module, StringRef name) {
    func::FuncOp shows;
    module.walk([&](Operation *op) {
      if (isControl(op) && op->getName().stripDialect() == name)
        shows = op->getParentOfType<func::FuncOp>();
    });
    if (!shows)
      return true;
    OwningOpRef<ModuleOp> plain = after(module, "state");
    auto f = plain->lookupSymbol<func::FuncOp>(shows.getSymName());
    derive<JvpOp>(f, "_jvp");
    derive<VjpOp>(f, "_vjp");
    SmallVector<int64_t> first(f.getNumArguments());
    OpBuilder builder(f);
    addVmap(builder, f, first, Dim(3), "all");
    PassManager passes(&context);
    passes.addPass(createExpandDerivativesPass());
    if (failed(passes.run(*plain)))
      return false;
    // An op may become several others: both sides of a branch, for example.
    f.walk([&](Operation *op) {
      if (isControl(op)) {
        differentiated.insert(op->getName().getStringRef());
        batched.insert(op->getName().getStringRef());
      }
    });
    return true;
  }

  static void collect(ModuleOp root, llvm::StringSet<> &names) {
    for (auto function : root.getOps<func::FuncOp>())
      collect(function, names);
  }
  static void collect(func::FuncOp function, llvm::StringSet<> &names) {
    function.walk([&](Operation *op) { names.insert(op->getName().getStringRef()); });
  }

  MLIRContext &context;
  std::string folder, runner;
  autodiff::Rules derivatives{&context};
  autodiff::BatchRules batching{&context};
  llvm::StringSet<> shown, tried, refusesOperands, refusesPlace, interpreted, compiled, onGpu, differentiated,
      batched; // the last two of branches and loops alone
};
} // namespace

int main(int argc, char **argv) {
  auto input = llvm::MemoryBuffer::getSTDIN();
  if (argc != 2 || !input || llvm::sys::fs::create_directories(argv[1])) {
    llvm::errs() << "usage: op-facts FOLDER < EXAMPLES\n";
    return 2;
  }
  DialectRegistry registry;
  registry.insert<LatheDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::SmallString<128> runner(llvm::sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(main)));
  llvm::sys::path::remove_filename(runner);
  llvm::sys::path::append(runner, "lathe-run");
  Facts facts(context, argv[1], runner.str().str());
  SmallVector<StringRef> examples;
  (*input)->getBuffer().split(examples, "// -----\n");
  bool good = true;
  for (StringRef example : examples) {
    auto [title, text] = example.ltrim().split('\n');
    StringRef name = title;
    if (!name.consume_front("// lathe."))
      continue;
    if (!facts.add(name, text)) {
      llvm::errs() << "the example of lathe." << name << " fails\n";
      good = false;
    }
  }
  llvm::json::Object all;
  for (RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == "lathe")
      all[op.stripDialect()] = facts.of(op);
  llvm::outs() << llvm::json::Value(std::move(all)) << "\n";
  return !good;
}
