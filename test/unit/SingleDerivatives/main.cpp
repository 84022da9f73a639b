// single-derivatives-test FOLDER: for each graph f, put into f32 and compiled, its jvp and its vjp, and theirs:
//   all results are those of the interpreter in f64 within 2e-3 of the largest element;
//   <vjp c, t> = <c, jvp t> within 1e-5 of the products' magnitudes, of f and of its first derivatives.
// The graphs are left in FOLDER.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Import/Import.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/Inline/Inline.h"
#include "test/unit/Autodiff/Graphs.h"
#include "test/unit/Autodiff/Numbers.h"
#include "test/unit/Autodiff/RunChecks.h"
#include "tools/lathe-run/Runner.h"
#include "llvm/Support/FileSystem.h"
#include <fstream>

using namespace mlir;
using namespace lathe;

static const StringRef kFirst[] = {"f", "f_jvp", "f_vjp"};

namespace {
class Checker {
public:
  Checker(MLIRContext &context, std::string folder) : context(context), folder(std::move(folder)) {}

  void check(const Graph &graph) {
    name = graph.name;
    draw.beginGraph(name);
    draw.low = graph.low;
    draw.high = graph.high;
    std::string single = graph.text;
    for (size_t at; (at = single.find("f64")) != std::string::npos;)
      single.replace(at, 3, "f32");
    OwningOpRef<ModuleOp> wide = derived(graph.text), narrow = derived(single);
    std::unique_ptr<Runner> runner = narrow ? compiled(*narrow) : nullptr;
    if (!wide || !runner)
      return fail("does not parse or compile");
    PassManager passes(&context);
    passes.addPass(createExpandDerivativesPass());
    passes.addPass(createInlinePass());
    passes.addPass(createExplicitBroadcastPass());
    if (failed(passes.run(*wide)))
      return fail("does not expand");
    for (StringRef of : kFirst)
      checkFunction(*wide, *runner, of);
  }

  int failures = 0, checks = 0;

private:
  OwningOpRef<ModuleOp> derived(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return module;
    auto f = module->lookupSymbol<func::FuncOp>("f");
    f.setPublic();
    for (func::FuncOp g : {derive<JvpOp>(f, "_jvp"), derive<VjpOp>(f, "_vjp")}) {
      derive<JvpOp>(g, "_jvp");
      derive<VjpOp>(g, "_vjp");
    }
    return module;
  }

  std::unique_ptr<Runner> compiled(ModuleOp module) {
    RunOptions options;
    options.graph = folder + "/" + name + ".mlir";
    std::replace(options.graph.begin() + folder.size(), options.graph.end(), ' ', '-');
    std::string text;
    llvm::raw_string_ostream(text) << module;
    std::ofstream(options.graph) << text;
    ::Expected<std::unique_ptr<Runner>> made = createCompiledRunner(options);
    auto *runner = std::get_if<std::unique_ptr<Runner>>(&made);
    return runner ? std::move(*runner) : nullptr;
  }

  /// A function and its two derivatives.
  void checkFunction(ModuleOp wide, Runner &runner, StringRef of) {
    auto function = wide.lookupSymbol<func::FuncOp>(of);
    Tensors x = draw(function.getArgumentTypes()), t = draw(floatsOf(function.getArgumentTypes())),
            c = draw(floatsOf(function.getResultTypes()));
    (void)run(wide, runner, of.str(), x);
    Tensors forward = run(wide, runner, (of + "_jvp").str(), join(x, t)),
            reverse = run(wide, runner, (of + "_vjp").str(), join(x, c));
    size_t numResults = function.getNumResults();
    if (forward.size() < numResults || reverse.size() < numResults)
      return;
    InnerProduct left(Tensors(reverse.begin() + numResults, reverse.end()), t),
        right(c, Tensors(forward.begin() + numResults, forward.end()));
    ++checks;
    if (!left.agrees(right, 1e-5))
      fail((of + ": <vjp c, t> = " + Twine(std::to_string(left.sum)) + ", <c, jvp t> = " + std::to_string(right.sum)).str());
  }

  /// Runs compiled code and compares it with the interpreter; returns nothing if either fails.
  Tensors run(ModuleOp wide, Runner &runner, const std::string &function, const Tensors &arguments) {
    FailureOr<Tensors> expected = interpret(wide.lookupSymbol<func::FuncOp>(function), arguments);
    std::optional<Failure> missing = runner.select(function);
    Tensors single;
    for (const Tensor &argument : arguments)
      single.push_back(argument.getElement() == Element::F64 ? convert(argument, Element::F32) : argument);
    ::Expected<Tensors> results = missing ? ::Expected<Tensors>(*missing) : runner.run(single);
    auto *got = std::get_if<Tensors>(&results);
    if (failed(expected) || !got) {
      fail(function + " does not run");
      return {};
    }
    for (size_t i = 0; i < got->size(); ++i)
      compare(function, i, (*got)[i], (*expected)[i]);
    return *got;
  }

  void compare(const std::string &function, size_t result, const Tensor &got, const Tensor &expected) {
    ++checks;
    double scale = 1e-2, worst = 0;
    for (int64_t i = 0; i < expected.size(); ++i)
      scale = std::max(scale, std::abs(expected.at(i)));
    for (int64_t i = 0; i < expected.size(); ++i)
      if (double error = std::abs(got.at(i) - expected.at(i)) / scale; !(error <= worst))
        worst = std::isnan(error) ? INFINITY : error;
    if (!(worst <= 2e-3))
      fail(function + ": result " + std::to_string(result) + " is off by " + std::to_string(worst) + " of its largest element");
  }

  void fail(const std::string &why) {
    llvm::errs() << name << ": " << why << "\n";
    ++failures;
  }

  MLIRContext &context;
  std::string folder, name;
  Draw draw;
};
} // namespace

int main(int argc, char **argv) {
  if (argc != 2 || llvm::sys::fs::create_directories(argv[1])) {
    llvm::errs() << "usage: single-derivatives-test FOLDER\n";
    return 2;
  }
  return runChecks<Checker>(differentiableGraphs(), argv[1]);
}
