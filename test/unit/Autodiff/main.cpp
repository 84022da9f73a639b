// For each graph f, and for its jvp and its vjp taken as functions again:
//   the jvp equals central differences; <vjp c, t> = <c, jvp t>.
// So every rule is tested to the second order, forward over forward to reverse over reverse. All in f64. An op with a rule, an
// operand or a variant of it, that no graph has in the way of a tangent is a failure (Coverage.h).
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Import/Import.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/Inline/Inline.h"
#include "test/unit/Autodiff/Coverage.h"
#include "test/unit/Autodiff/Graphs.h"
#include "test/unit/Autodiff/Numbers.h"
#include "test/unit/Autodiff/RunChecks.h"

using namespace mlir;
using namespace lathe;
class Checker {
public:
  explicit Checker(MLIRContext &context) : context(context), coverage(context) {}

  void check(const Graph &graph) {
    name = graph.name;
    draw.beginGraph(name);
    draw.low = graph.low;
    draw.high = graph.high;
    step = graph.step;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(graph.text, &context);
    if (!module)
      return fail("does not parse");
    coverage.add(*module);
    auto f = module->lookupSymbol<func::FuncOp>("f");
    f.setPublic(); // else inlining would take it away
    auto forward = derive<JvpOp>(f, "_jvp"), reverse = derive<VjpOp>(f, "_vjp");
    for (func::FuncOp g : {f, forward, reverse})
      if (g != f) {
        derive<JvpOp>(g, "_jvp");
        derive<VjpOp>(g, "_vjp");
      }
    if (!expand(*module))
      return;
    for (StringRef of : {"f", "f_jvp", "f_vjp"})
      checkFunction(*module, of);
  }

  void check(const Kink &kink) {
    name = kink.name;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kink.text, &context);
    if (!module)
      return fail("does not parse");
    derive<VjpOp>(module->lookupSymbol<func::FuncOp>("f"), "_vjp");
    if (!expand(*module))
      return;
    auto vjp = module->lookupSymbol<func::FuncOp>("f_vjp");
    Tensors arguments;
    for (BlockArgument argument : vjp.getArguments()) {
      Tensor ones(Element::F64, cast<RankedTensorType>(argument.getType()).getShape());
      std::fill_n(ones.data<double>(), ones.size(), 1);
      arguments.push_back(ones);
    }
    std::copy(kink.at.begin(), kink.at.end(), arguments[0].data<double>());
    std::optional<Tensors> results = run(vjp, arguments);
    for (size_t i = 0; results && i < kink.slope.size(); ++i) {
      double slope = results->back().at(i), expected = kink.slope[i];
      if (std::isnan(expected) ? !std::isnan(slope) : !(std::abs(slope - expected) < 1e-12))
        fail("slope " + std::to_string(i) + " is " + std::to_string(slope) + ", expected " + std::to_string(expected));
    }
  }

  /// Reports what no graph covers, and checks points that are not smooth.
  void finish() {
    checkCoverage();
    for (const auto &family : {kinks(), elementwiseKinks()})
      for (const Kink &kink : family)
        check(kink);
  }

  void checkCoverage() {
    for (const std::string &item : coverage.missing()) {
      name = item;
      fail("no graph tests its derivative");
    }
  }

  int failures = 0, checks = 0;

private:
  bool expand(ModuleOp module) {
    PassManager passes(&context);
    passes.addPass(createExpandDerivativesPass());
    passes.addPass(createInlinePass());
    passes.addPass(createExplicitBroadcastPass());
    if (succeeded(passes.run(module)))
      return true;
    fail("does not expand");
    return false;
  }

  void checkFunction(ModuleOp module, StringRef of) {
    auto function = [&](StringRef suffix) { return module.lookupSymbol<func::FuncOp>((of + suffix).str()); };
    func::FuncOp f = function(""), jvp = function("_jvp"), vjp = function("_vjp");
    Tensors x = draw(f.getArgumentTypes()), t = draw(floatsOf(f.getArgumentTypes())), c = draw(floatsOf(f.getResultTypes()));
    std::optional<Tensors> y = run(f, x), forward = run(jvp, join(x, t)), reverse = run(vjp, join(x, c));
    std::optional<Tensors> above = run(f, moved(f, x, t, step)), below = run(f, moved(f, x, t, -step));
    if (!y || !forward || !reverse || !above || !below)
      return;
    size_t numResults = f.getNumResults();
    Tensors tangents(forward->begin() + numResults, forward->end()), cotangents(reverse->begin() + numResults, reverse->end());
    for (auto [i, j] : llvm::enumerate(floatIndices(f.getResultTypes())))
      compare(of, tangents[i], (*above)[j], (*below)[j]);
    for (const std::optional<Tensors> &results : {forward, reverse})
      for (size_t i = 0; i < numResults; ++i)
        if ((*results)[i].getBytes() != (*y)[i].getBytes())
          fail((of + ": a derivative changes result " + Twine(i)).str());
    ++checks;
    InnerProduct left(cotangents, t), right(c, tangents);
    if (!left.agrees(right, 1e-12))
      fail((of + ": <vjp c, t> = " + Twine(std::to_string(left.sum)) + ", <c, jvp t> = " + std::to_string(right.sum)).str());
  }

  void compare(StringRef of, const Tensor &tangent, const Tensor &above, const Tensor &below) {
    double scale = 1e-2;
    for (int64_t i = 0; i < tangent.size(); ++i)
      scale = std::max(scale, std::abs(tangent.at(i)));
    for (int64_t i = 0; i < tangent.size(); ++i) {
      double difference = (above.at(i) - below.at(i)) / (2 * step);
      ++checks;
      if (!(std::abs(tangent.at(i) - difference) <= 1e-6 * scale)) {
        fail((of + ": element " + Twine(i) + " of a tangent is " + std::to_string(tangent.at(i)) + ", by differences " +
              std::to_string(difference))
                 .str());
        return;
      }
    }
  }

  static Tensors moved(func::FuncOp f, const Tensors &x, const Tensors &t, double amount) {
    Tensors result = x;
    for (auto [i, j] : llvm::enumerate(floatIndices(f.getArgumentTypes())))
      for (int64_t k = 0; k < result[j].size(); ++k)
        result[j].data<double>()[k] += amount * t[i].at(k);
    return result;
  }

  std::optional<Tensors> run(func::FuncOp function, const Tensors &arguments) {
    return interpreted(function, arguments, [&](const std::string &why) { fail(why); });
  }

  void fail(const std::string &why) {
    llvm::errs() << name << ": " << why << "\n";
    ++failures;
  }

  double step = 0;
  MLIRContext &context;
  Coverage coverage;
  Draw draw;
  std::string name;
};

int main() { return runChecks<Checker>(differentiableGraphs()); }
