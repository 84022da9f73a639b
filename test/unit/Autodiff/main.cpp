// For each graph f, and for its jvp and its vjp taken as functions again:
//   the jvp equals central differences; <vjp c, t> = <c, jvp t>.
// So every rule is tested to the second order, forward over forward to reverse over reverse. All in f64.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Import/Import.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Autodiff.h"
#include "test/unit/Autodiff/Derive.h"
#include "test/unit/Autodiff/Graphs.h"
#include <random>

using namespace mlir;
using namespace lathe;
using Tensors = std::vector<Tensor>;

class Checker {
public:
  explicit Checker(MLIRContext &context) : context(context) {}

  void check(const Graph &graph) {
    name = graph.name;
    low = graph.low;
    high = graph.high;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(graph.text, &context);
    if (!module)
      return fail("does not parse");
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
    Tensors x = randoms(f.getArgumentTypes()), t = randoms(floatsOf(f.getArgumentTypes())),
            c = randoms(floatsOf(f.getResultTypes()));
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
    double left = dot(cotangents, t), right = dot(c, tangents);
    if (!(std::abs(left - right) <= 1e-10 * (1 + magnitude(c, tangents) + magnitude(cotangents, t))))
      fail((of + ": <vjp c, t> = " + Twine(std::to_string(left)) + ", <c, jvp t> = " + std::to_string(right)).str());
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

  Tensors randoms(ArrayRef<Type> types) {
    Tensors tensors;
    for (Type type : types) {
      SmallVector<int64_t> shape;
      for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
        shape.push_back(dim.substitute({{"N", Dim(3)}, {"M", Dim(2)}}).constant());
      Tensor tensor(*elementOf(cast<RankedTensorType>(type).getElementType()), shape);
      visitNumber(tensor.getElement(), [&](auto zero) {
        using T = decltype(zero);
        for (int64_t i = 0; i < tensor.size(); ++i) // indices reach outside of [0, 4) on both sides
          tensor.data<T>()[i] = isFloat(type) ? T(std::uniform_real_distribution<>(low, high)(random)) : T(random() % 6) - T(1);
        return true;
      });
      tensors.push_back(tensor);
    }
    return tensors;
  }

  static Tensors join(const Tensors &a, const Tensors &b) {
    Tensors all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
  }

  static Tensors moved(func::FuncOp f, const Tensors &x, const Tensors &t, double amount) {
    Tensors result = x;
    for (auto [i, j] : llvm::enumerate(floatIndices(f.getArgumentTypes())))
      for (int64_t k = 0; k < result[j].size(); ++k)
        result[j].data<double>()[k] += amount * t[i].at(k);
    return result;
  }

  static double dot(const Tensors &a, const Tensors &b, bool absolute = false) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i)
      for (int64_t j = 0; j < a[i].size(); ++j)
        sum += absolute ? std::abs(a[i].at(j) * b[i].at(j)) : a[i].at(j) * b[i].at(j);
    return sum;
  }
  static double magnitude(const Tensors &a, const Tensors &b) { return dot(a, b, true); }

  std::optional<Tensors> run(func::FuncOp function, const Tensors &arguments) {
    FailureOr<Tensors> results = interpret(function, arguments);
    if (succeeded(results))
      return *results;
    fail(("@" + function.getSymName() + " does not run").str());
    return std::nullopt;
  }

  void fail(const std::string &why) {
    llvm::errs() << name << ": " << why << "\n";
    ++failures;
  }

  static constexpr double step = 1e-5;
  MLIRContext &context;
  std::mt19937_64 random{1};
  std::string name;
  double low = 0, high = 0;
};

int main() {
  DialectRegistry registry;
  registry.insert<LatheDialect, func::FuncDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  Checker checker(context);
  size_t graphs = 0;
  for (const Graph &graph : differentiableGraphs()) {
    checker.check(graph);
    ++graphs;
  }
  for (const auto &family : {kinks(), elementwiseKinks()})
    for (const Kink &kink : family)
      checker.check(kink);
  llvm::outs() << graphs << " graphs, " << checker.checks << " checks, " << checker.failures << " failures\n";
  return checker.failures != 0;
}
