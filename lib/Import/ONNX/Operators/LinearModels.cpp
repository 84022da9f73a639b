// LinearRegressor and LinearClassifier: products with a matrix of coefficients.
#include "lib/Import/ONNX/Operators/Learning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Returns x [N, C] times the coefficients, plus the intercepts: [N, rows].
static Value linearScores(Node &node, Value x, int64_t rows) {
  SmallVector<double> coefficients = node.reals("coefficients"), intercepts = node.reals("intercepts");
  int64_t features = columnsOf(x);
  if (node.failed())
    return {};
  expectCount(node, "coefficients", coefficients.size(), rows * features,
              Twine(rows) + " scores times the " + Twine(features) + " features of the input");
  if (!intercepts.empty())
    expectCount(node, "intercepts", intercepts.size(), rows, "one for each score");
  if (node.failed())
    return {};
  Type element = elementOfValue(x);
  Value scores = node.contract(x, node.realConstants(coefficients, {rows, features}, element), 1, 1);
  return intercepts.empty() ? scores : node.emit<AddOp>({scores, node.realConstants(intercepts, {1, rows}, element)});
}

static void linearRegressor(Node &node) {
  Value x = featuresOf(node);
  int64_t targets = countOf(node, "targets", 1, 1);
  PostTransform transform = postTransformOf(node);
  node.set(0, asFloats(node, transformed(node, transform, linearScores(node, x, targets))));
}

static void linearClassifier(Node &node) {
  Value x = featuresOf(node);
  PostTransform transform = postTransformOf(node);
  Integers labels = classLabels(node, "classlabels_ints", "classlabels_strings");
  bool isSingle = labels.size() == 2 && int64_t(node.reals("coefficients").size()) == columnsOf(x);
  Value scores = linearScores(node, x, isSingle ? 1 : int64_t(labels.size()));
  if (isSingle)
    setTwoClasses(node, labels, scores, transform, /*isProbability=*/false);
  else
    setClasses(node, labels, scores, transform);
}

void onnximport::addLinearModels(Converters &converters) {
  addLearner(converters, "LinearRegressor", {linearRegressor, 1, 1, "coefficients,intercepts,post_transform,targets"});
  addLearner(
      converters, "LinearClassifier",
      {linearClassifier, 1, 1, "classlabels_ints,classlabels_strings,coefficients,intercepts,multi_class,post_transform"});
}
