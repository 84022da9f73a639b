// SVMRegressor and SVMClassifier, as libsvm defines them: sums of coefficients times kernels of the input and support vectors.
#include "lib/Import/ONNX/Operators/Learning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Returns |x - v|^2 for each row x of [N, C] and v of the vectors: x^2 + v^2 - 2xv. Both are first moved by the mean of the
/// vectors, so that the sum cancels little.
static Value squaredDistances(Node &node, Value x, SmallVector<double> vectors, int64_t count) {
  int64_t features = columnsOf(x);
  SmallVector<double> mean(features, 0.0), squares(count, 0.0);
  for (auto [i, value] : llvm::enumerate(vectors))
    mean[i % features] += value / double(count);
  Type element = elementOfValue(x);
  for (double &value : mean) // as x is moved by it
    value = element.isF64() ? value : double(float(value));
  for (auto [i, value] : llvm::enumerate(vectors)) {
    value -= mean[i % features];
    squares[i / features] += value * value;
  }
  Value moved = node.emit<SubOp>({x, node.realConstants(mean, {1, features}, element)});
  Value own = node.reduce(ReduceKind::Sum, node.emit<MulOp>({moved, moved}), 1, /*keep=*/true);
  for (double &value : vectors)
    value *= -2;
  Value products = node.contract(moved, node.realConstants(vectors, {count, features}, element), 1, 1);
  Value sum = node.emit<AddOp>({node.emit<AddOp>({products, own}), node.realConstants(squares, {1, count}, element)});
  return node.emit<MaxOp>({sum, node.constant(0, element)});
}

/// Returns the kernel of each row of x [N, C] and each of `count` vectors of the attribute `name`: [N, count].
static Value kernelOf(Node &node, Value x, StringRef name, int64_t count) {
  std::string kind = node.text("kernel_type", "LINEAR");
  SmallVector<double> parameters = node.reals("kernel_params"), vectors = node.reals(name);
  if (node.failed())
    return {};
  expectCount(node, name, vectors.size(), count * columnsOf(x),
              Twine(count) + " vectors times the " + Twine(columnsOf(x)) + " features of the input");
  if (kind != "LINEAR" && kind != "POLY" && kind != "RBF" && kind != "SIGMOID")
    node.refuse("kernel_type is '" + kind + "', expected LINEAR, POLY, RBF or SIGMOID");
  if (kind != "LINEAR")
    expectCount(node, "kernel_params", parameters.size(), 3, "gamma, coef0 and the degree");
  if (node.failed())
    return {};
  Type element = elementOfValue(x);
  auto parameter = [&](int i) { return node.constant(parameters[i], element); };
  if (kind == "RBF")
    return node.emit<ExpOp>(
        node.emit<MulOp>({squaredDistances(node, x, vectors, count), node.constant(-parameters[0], element)}));
  Value product = node.contract(x, node.realConstants(vectors, {count, columnsOf(x)}, element), 1, 1);
  if (kind == "LINEAR")
    return product;
  product = node.emit<AddOp>({node.emit<MulOp>({product, parameter(0)}), parameter(1)});
  return kind == "POLY" ? node.emit<PowOp>({product, parameter(2)}) : node.emit<TanhOp>(product);
}

/// Returns the scores [N, K] of kernels [N, V] and K rows of V coefficients, as f64. Coefficients of both signs cancel most of
/// these sums: in f32, a sum over hundreds of vectors would lose more than 1e-5. libsvm sums in f64, too.
static Value weightedKernels(Node &node, Value kernel, ArrayRef<double> coefficients, int64_t rows) {
  Type f64 = Float64Type::get(node.i64().getContext());
  int64_t vectors = int64_t(coefficients.size()) / rows;
  return node.contract(node.convert(kernel, f64), node.realConstants(coefficients, {rows, vectors}, f64), 1, 1);
}

/// Adds the constants of the attribute to scores [N, K].
static Value withConstants(Node &node, Value scores, ArrayRef<double> constants) {
  if (node.failed())
    return {};
  expectCount(node, "rho", constants.size(), columnsOf(scores), "one for each score");
  return node.emit<AddOp>({scores, node.realConstants(constants, {1, int64_t(constants.size())}, elementOfValue(scores))});
}

static void svmRegressor(Node &node) {
  Value x = featuresOf(node);
  PostTransform transform = postTransformOf(node);
  SmallVector<double> coefficients = node.reals("coefficients"), rho = node.reals("rho");
  int64_t supports = countOf(node, "n_supports", 0, 0);
  Value score;
  if (supports > 0) {
    Value kernel = kernelOf(node, x, "support_vectors", supports);
    expectCount(node, "coefficients", coefficients.size(), supports, "n_supports");
    if (node.failed())
      return;
    score = weightedKernels(node, kernel, coefficients, 1);
  } else {
    score = kernelOf(node, x, "coefficients", 1);
  }
  score = withConstants(node, score, rho);
  if (node.integer("one_class", 0)) {
    Type element = elementOfValue(score);
    Value isInside = node.compare(CompareKind::GT, score, node.constant(0, element));
    score = node.emit<SelectOp>({isInside, node.constant(1, element), node.constant(-1, element)});
  }
  node.set(0, asFloats(node, transformed(node, transform, score)));
}

static int64_t pairsOf(int64_t classes) { return classes * (classes - 1) / 2; }

/// Returns the decisions of a machine with support vectors, as f64. Those of class i have a coefficient for each other class.
static Value pairDecisions(Node &node, Value x, ArrayRef<int64_t> perClass) {
  SmallVector<double> coefficients = node.reals("coefficients"), rho = node.reals("rho");
  int64_t classes = perClass.size(), vectors = 0;
  Integers starts;
  for (int64_t count : perClass) {
    if (count < 0 || count > int64_t(coefficients.size()))
      return node.refuse("vectors_per_class has the element " + Twine(count) + ", expected 0 to " + Twine(coefficients.size()) +
                         ", the number of coefficients"),
             Value();
    starts.push_back(vectors);
    vectors += count;
  }
  Value kernel = kernelOf(node, x, "support_vectors", vectors);
  expectCount(node, "coefficients", coefficients.size(), (classes - 1) * vectors,
              Twine(classes - 1) + " for each of " + Twine(vectors) + " vectors");
  if (node.failed())
    return {};
  SmallVector<double> matrix; // a row of coefficients for each pair
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j) {
      SmallVector<double> row(vectors, 0.0);
      for (int64_t v = starts[i]; v < starts[i] + perClass[i]; ++v)
        row[v] = coefficients[(j - 1) * vectors + v];
      for (int64_t v = starts[j]; v < starts[j] + perClass[j]; ++v)
        row[v] = coefficients[i * vectors + v];
      matrix.append(row);
    }
  return withConstants(node, weightedKernels(node, kernel, matrix, pairsOf(classes)), rho);
}

/// Returns how many decisions each class wins: [N, classes].
static Value votesOf(Node &node, Value decisions, int64_t classes) {
  Type element = elementOfValue(decisions);
  SmallVector<double> first(pairsOf(classes) * classes, 0.0), second = first;
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      first[pair * classes + i] = 1;
      second[pair * classes + j] = 1;
    }
  Value wins = node.convert(node.compare(CompareKind::GT, decisions, node.constant(0, element)), element);
  Value losses = node.emit<SubOp>({node.constant(1, element), wins});
  auto votes = [&](Value which, ArrayRef<double> of) {
    return node.contract(which, node.realConstants(of, {pairsOf(classes), classes}, element), 1, 0);
  };
  return node.emit<AddOp>({votes(wins, first), votes(losses, second)});
}

/// Returns the probability of the first class of each pair [N, pairs], by Platt's scaling of the decisions.
static Value pairChances(Node &node, Value decisions, ArrayRef<double> a, ArrayRef<double> b) {
  Type element = elementOfValue(decisions);
  int64_t pairs = a.size();
  Value scaled = node.emit<MulOp>({decisions, node.realConstants(a, {1, pairs}, element)});
  scaled = node.emit<AddOp>({scaled, node.realConstants(b, {1, pairs}, element)});
  constexpr double kLeast = 1e-7; // as in libsvm
  Value first = node.emit<LogisticOp>(node.emit<NegOp>(scaled));
  return node.emit<ClampOp>({node.constant(kLeast, element), first, node.constant(1 - kLeast, element)});
}

static void svmClassifier(Node &node) {
  Value x = featuresOf(node);
  PostTransform transform = postTransformOf(node);
  Integers labels = classLabels(node, "classlabels_ints", "classlabels_strings"), perClass = node.integers("vectors_per_class");
  SmallVector<double> a = node.reals("prob_a"), b = node.reals("prob_b"), rho = node.reals("rho");
  int64_t classes = labels.size();
  if (perClass.empty()) { // a linear machine with a score for each class
    Value scores = kernelOf(node, x, "coefficients", classes);
    rho.resize(classes, rho.empty() ? 0 : rho[0]);
    return setClasses(node, labels, withConstants(node, scores, rho), transform);
  }
  expectCount(node, "vectors_per_class", perClass.size(), classes, "one for each class label");
  if (!a.empty()) {
    expectCount(node, "prob_a", a.size(), pairsOf(classes), "one for each pair of classes");
    expectCount(node, "prob_b", b.size(), pairsOf(classes), "one for each pair of classes");
  }
  if (classes < 2)
    node.refuse("it has " + Twine(classes) + " class labels, expected at least 2");
  if (node.failed())
    return;
  Value decisions = pairDecisions(node, x, perClass);
  if (node.failed())
    return;
  Value winner = node.emit<ArgmaxOp>(votesOf(node, decisions, classes), node.number("dim", 1));
  node.set(0, labelsOf(node, labels, winner));
  if (!a.empty()) // the f64 decisions choose where the steps end, as in libsvm
    return node.set(1, asFloats(node, coupledPairs(node, pairChances(node, decisions, a, b), classes)));
  if (classes == 2)
    decisions = node.concatenate({decisions, node.emit<NegOp>(decisions)}, 1);
  node.set(1, asFloats(node, transformed(node, transform, decisions)));
}

void onnximport::addSupportVectors(Converters &converters) {
  addLearner(
      converters, "SVMRegressor",
      {svmRegressor, 1, 1, "coefficients,kernel_params,kernel_type,n_supports,one_class,post_transform,rho,support_vectors"});
  addLearner(converters, "SVMClassifier",
             {svmClassifier, 1, 1,
              "classlabels_ints,classlabels_strings,coefficients,kernel_params,kernel_type,post_transform,prob_a,prob_b,rho,"
              "support_vectors,vectors_per_class"});
}
