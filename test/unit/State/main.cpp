// Optimiser steps against the formulas of the papers in f64, and @init against the distributions that it promises.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Compiler/Front/Front.h"
#include "lib/Import/Import.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/State/State.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace lathe;

static int failures = 0;
static void expect(bool holds, const std::string &what) {
  if (!holds) {
    llvm::errs() << what << "\n";
    ++failures;
  }
}
static void expectNear(double value, double expected, double relative, const std::string &what) {
  expect(std::abs(value - expected) <= relative * std::abs(expected),
         what + " is " + std::to_string(value) + ", expected " + std::to_string(expected));
}

namespace {
/// A lowered module and the state between its calls.
class Program {
public:
  Program(MLIRContext &context, const std::string &text) : module(parseSourceString<ModuleOp>(text, &context)) {
    PassManager passes(&context);
    buildStatePipeline(passes);
    passes.addPass(createExpandDerivativesPass());
    passes.addPass(createExplicitBroadcastPass());
    if (!module || failed(passes.run(*module)))
      llvm::report_fatal_error("a test program does not compile");
  }

  std::vector<Tensor> call(StringRef name, std::vector<Tensor> arguments) {
    auto function = module->lookupSymbol<func::FuncOp>(name);
    for (unsigned i = arguments.size(); i < function.getNumArguments(); ++i)
      arguments.push_back(state.at(function.getArgAttrOfType<FlatSymbolRefAttr>(i, kStateAttr).getValue().str()));
    FailureOr<std::vector<Tensor>> results = interpret(function, arguments);
    if (failed(results))
      llvm::report_fatal_error("a test program does not run");
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto variable = function.getResultAttrOfType<FlatSymbolRefAttr>(i, kStateAttr))
        state[variable.getValue().str()] = (*results)[i];
    return *results;
  }
  void initialise(int64_t seed) { call("init", {Tensor::scalar<int64_t>(seed)}); }
  const Tensor &operator[](const std::string &variable) { return state.at(variable); }

private:
  OwningOpRef<ModuleOp> module;
  std::map<std::string, Tensor> state;
};
} // namespace

/// The loss is sum of x * w^2, so the gradient 2 * x * w.
static std::string program(const std::string &element, const std::string &optimizer) {
  std::string vector = "tensor<2x" + element + ">", scalar = "tensor<" + element + ">";
  return "lathe.variable @w : " + vector + " init #lathe.fill<3.0>\n" + "func.func private @loss(%x: " + vector + ") -> " +
         scalar + " {\n" + "  %w = lathe.read @w : " + vector + "\n  %s = lathe.mul %w, %w : " + vector +
         "\n  %p = lathe.mul %s, %x : " + vector + "\n  %r = lathe.reduce sum %p dims [0] : " + vector +
         "\n  return %r : " + scalar + "\n}\n" + "func.func @step(%x: " + vector + ") -> " + scalar +
         " {\n  %r = lathe.minimize @loss(%x) with " + optimizer + " : (" + vector + ") -> " + scalar +
         "\n  return %r : " + scalar + "\n}\n";
}

template <typename T>
static void testAdam(MLIRContext &context, const std::string &element, double tolerance) {
  const double rate = 0.1, beta1 = 0.8, beta2 = 0.99, epsilon = 1e-3, x[2] = {0.5, -2};
  Program adam(context, program(element, "adam<learning_rate = 0.1, beta1 = 0.8, beta2 = 0.99, epsilon = 1.0e-3>"));
  adam.initialise(1);
  Tensor input(elementOf<T>(), {2});
  std::copy(x, x + 2, input.template data<T>());
  double w[2] = {3, 3}, m[2] = {}, v[2] = {};
  for (int t = 1; t <= 5; ++t) {
    double loss = x[0] * w[0] * w[0] + x[1] * w[1] * w[1];
    expectNear(adam.call("step", {input})[0].at(0), loss, tolerance, element + " loss before step " + std::to_string(t));
    for (int i : {0, 1}) {
      double g = 2 * x[i] * w[i];
      m[i] = beta1 * m[i] + (1 - beta1) * g;
      v[i] = beta2 * v[i] + (1 - beta2) * g * g;
      w[i] -= rate * (m[i] / (1 - std::pow(beta1, t))) / (std::sqrt(v[i] / (1 - std::pow(beta2, t))) + epsilon);
      std::string at = element + " element " + std::to_string(i) + " after step " + std::to_string(t) + " of adam: ";
      expectNear(adam["w"].at(i), w[i], tolerance, at + "w");
      expectNear(adam["w.mean"].at(i), m[i], tolerance, at + "mean");
      expectNear(adam["w.variance"].at(i), v[i], tolerance, at + "variance");
    }
  }
  expectNear(adam["adam.step"].at(0), 5, 0, "steps");
}

static void testMomentum(MLIRContext &context) {
  Program sgd(context, program("f64", "sgd<learning_rate = 0.1, momentum = 0.9>"));
  sgd.initialise(1);
  Tensor x(Element::F64, {2});
  x.data<double>()[0] = x.data<double>()[1] = 0.5;
  double w = 3, v = 0;
  for (int t = 1; t <= 3; ++t) {
    sgd.call("step", {x});
    v = 0.9 * v + w;
    w -= 0.1 * v;
    expectNear(sgd["w"].at(1), w, 1e-14, "w after a step of sgd");
  }
}

static std::pair<double, double> meanAndDeviation(const Tensor &tensor) {
  double sum = 0, squares = 0, n = double(tensor.size());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    sum += tensor.at(i);
    squares += tensor.at(i) * tensor.at(i);
  }
  return {sum / n, std::sqrt(squares / n - sum * sum / n / n)};
}

static void testInit(MLIRContext &context) {
  Program init(context, R"(
    lathe.variable @uniform : tensor<100x100xf32> init #lathe.uniform<1.0, 2.0>
    lathe.variable @normal : tensor<100x100xf32> init #lathe.normal<1.0, 2.0>
    lathe.variable @double : tensor<100x100xf64> init #lathe.normal<1.0, 2.0>
    lathe.variable @he : tensor<3x3x8x64xf32> init #lathe.he_normal
    lathe.variable @glorot : tensor<3x3x8x64xf32> init #lathe.glorot_uniform
    lathe.variable @fixed : tensor<2xi32> init dense<[4, 5]> : tensor<2xi32>)");
  init.initialise(7);
  auto [uniformMean, uniformDeviation] = meanAndDeviation(init["uniform"]);
  expectNear(uniformMean, 1.5, 0.01, "mean of uniform");
  expectNear(uniformDeviation, 1 / std::sqrt(12), 0.02, "deviation of uniform");
  for (const char *name : {"normal", "double"}) {
    auto [mean, deviation] = meanAndDeviation(init[name]);
    expectNear(mean, 1, 0.06, std::string("mean of ") + name);
    expectNear(deviation, 2, 0.03, std::string("deviation of ") + name);
  }
  expectNear(meanAndDeviation(init["he"]).second, std::sqrt(2.0 / 72), 0.05, "deviation of he_normal");
  double limit = std::sqrt(6.0 / (72 + 576)), largest = 0;
  for (int64_t i = 0; i < init["glorot"].size(); ++i)
    largest = std::max(largest, std::abs(init["glorot"].at(i)));
  expect(largest <= limit && largest > 0.99 * limit, "glorot_uniform keeps to its limits");
  expectNear(init["fixed"].at(1), 5, 0, "a dense initialiser");

  Tensor first = init["normal"];
  init.initialise(8);
  expect(init["normal"].getBytes() != first.getBytes(), "another seed gives other numbers");
  init.initialise(7);
  expect(init["normal"].getBytes() == first.getBytes(), "the same seed gives the same numbers");
}

int main() {
  DialectRegistry registry;
  registry.insert<LatheDialect, func::FuncDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  testAdam<float>(context, "f32", 1e-5);
  testAdam<double>(context, "f64", 1e-14);
  testMomentum(context);
  testInit(context);
  llvm::outs() << failures << " failures\n";
  return failures != 0;
}
