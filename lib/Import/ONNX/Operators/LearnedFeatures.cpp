// The operators of ai.onnx.ml that prepare features: scaling, missing values, categories.
#include "lib/Import/ONNX/Operators/Learning.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Returns the values of a list attribute as a constant of the type, one for all features or one for each of x [..., C].
static Value perFeature(Node &node, StringRef name, ArrayRef<double> values, Value x, Type element) {
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  if (values.size() == 1)
    return node.constant(values[0], element);
  if (dims.empty() || dims.back() != Dim(int64_t(values.size())))
    return node.refuse("attribute '" + name + "' has " + Twine(values.size()) + " elements, expected 1 or " +
                       (dims.empty() ? "more" : dims.back().str()) + ", the number of features"),
           Value();
  return node.realConstants(values, int64_t(values.size()), element);
}

static void scaler(Node &node) {
  Value x = node.input(0);
  if (node.failed())
    return;
  Type given = elementOfValue(x), element = given.isF64() ? given : Float32Type::get(given.getContext());
  x = node.convert(x, element);
  for (StringRef name : {"offset", "scale"}) {
    SmallVector<double> values = node.reals(name);
    if (values.empty())
      return node.refuse("attribute '" + name + "' is missing, expected a number for each feature");
    Value each = perFeature(node, name, values, x, element);
    x = name == "offset" ? node.emit<SubOp>({x, each}) : node.emit<MulOp>({x, each});
  }
  node.set(0, asFloats(node, x));
}

/// Divides each row by its norm. A row of zeros stays.
static void normalizer(Node &node) {
  std::string norm = node.text("norm", "MAX");
  Value x = node.input(0);
  Dims dims = dimsOfValue(x);
  if (dims.empty() || dims.size() > 2)
    node.refuse("its input has the shape " + str(dims) + ", expected [C] or [N, C]");
  if (norm != "MAX" && norm != "L1" && norm != "L2")
    node.refuse("norm is '" + norm + "', expected MAX, L1 or L2");
  if (node.failed())
    return;
  Type given = elementOfValue(x), element = given.isF64() ? given : Float32Type::get(given.getContext());
  x = node.convert(x, element);
  Value sizes = norm == "L2" ? node.emit<MulOp>({x, x}) : node.emit<AbsOp>(x);
  Value total = node.reduce(norm == "MAX" ? ReduceKind::Max : ReduceKind::Sum, sizes, int64_t(dims.size()) - 1, /*keep=*/true);
  if (norm == "L2")
    total = node.emit<SqrtOp>(total);
  Value isZero = node.compare(CompareKind::EQ, total, node.constant(0, element));
  total = node.emit<SelectOp>({isZero, node.constant(1, element), total});
  node.set(0, asFloats(node, node.emit<DivOp>({x, total})));
}

static void imputer(Node &node) {
  Value x = node.input(0);
  if (node.failed())
    return;
  Type element = elementOfValue(x);
  if (isa<FloatType>(element)) {
    SmallVector<double> values = node.reals("imputed_value_floats");
    if (values.empty())
      return node.refuse("attribute 'imputed_value_floats' is missing, expected the value of missing elements");
    double replaced = node.real("replaced_value_float", 0);
    Value isMissing =
        std::isnan(replaced) ? node.emit<IsNanOp>(x) : node.compare(CompareKind::EQ, x, node.constant(replaced, element));
    Value instead = perFeature(node, "imputed_value_floats", values, x, element);
    return node.set(0, node.emit<SelectOp>({isMissing, instead, x}));
  }
  Integers values = node.integers("imputed_value_int64s");
  if (values.empty())
    return node.refuse("attribute 'imputed_value_int64s' is missing, expected the value of missing elements");
  Value isMissing = node.compare(CompareKind::EQ, x, node.constantInt(node.integer("replaced_value_int64", 0), element));
  if (values.size() > 1 && dimsOf(x).back() != Dim(int64_t(values.size())))
    return node.refuse("attribute 'imputed_value_int64s' has " + Twine(values.size()) + " elements, expected 1 or " +
                       dimsOf(x).back().str() + ", the number of features");
  SmallVector<int64_t> shape;
  if (values.size() > 1)
    shape.push_back(values.size());
  node.set(0, node.emit<SelectOp>({isMissing, node.constants(values, shape, element), x}));
}

static void binarizer(Node &node) {
  Value x = node.input(0);
  if (node.failed())
    return;
  Type element = elementOfValue(x), wide = isa<FloatType>(element) ? element : Float64Type::get(element.getContext());
  Value isAbove = node.compare(CompareKind::GT, node.convert(x, wide), node.constant(node.real("threshold", 0), wide));
  node.set(0, node.convert(isAbove, element));
}

/// Emits 1 at the category of each element and 0 elsewhere, along a new last dimension.
static void oneHotEncoder(Node &node) {
  Value x = node.input(0);
  if (node.hasAttribute("cats_strings"))
    node.refuse(
        "the categories in 'cats_strings' are strings, and string tensors are not supported; use integers, cats_int64s");
  Integers categories = node.integers("cats_int64s");
  if (categories.empty())
    node.refuse("attribute 'cats_int64s' is missing, expected the categories");
  if (node.failed())
    return;
  Dims dims = dimsOf(x);
  dims.push_back(Dim(1));
  Value column = node.reshape(node.convert(x, node.i64()), dims);
  Value all = node.constants(categories, int64_t(categories.size()), node.i64());
  node.set(0, asFloats(node, node.compare(CompareKind::EQ, column, all)));
}

/// Concatenates the features of all inputs.
static void featureVectorizer(Node &node) {
  Integers counts = node.integers("inputdimensions");
  SmallVector<Value> parts;
  if (!counts.empty())
    expectCount(node, "inputdimensions", counts.size(), node.inputs(), "the number of inputs");
  for (int i = 0; i < node.inputs() && !node.failed(); ++i) {
    parts.push_back(asFloats(node, featuresOf(node, i)));
    if (!node.failed() && !counts.empty() && columnsOf(parts.back()) != counts[i])
      node.refuse("input " + Twine(i) + " has " + Twine(columnsOf(parts.back())) + " features, expected " + Twine(counts[i]) +
                  ", as inputdimensions says");
  }
  if (!node.failed())
    node.set(0, node.concatenate(parts, 1));
}

/// Selects columns of the last dimension.
static void arrayFeatureExtractor(Node &node) {
  Value x = node.input(0), columns = node.input(1);
  Dims dims = dimsOfValue(x);
  if (!node.failed() && dims.empty())
    node.refuse("its input is a scalar, expected a tensor with features");
  std::optional<Dim> count = numElements(dimsOfValue(columns));
  if (node.failed() || !count)
    return node.refuse("there are too many columns");
  columns = node.reshape(columns, {*count});
  Value picked = node.gather(x, columns, int64_t(dims.size()) - 1);
  node.set(0, dims.size() == 1 ? node.reshape(picked, {Dim(1), *count}) : picked);
}

void onnximport::addLearnedFeatures(Converters &converters) {
  addLearner(converters, "Scaler", {scaler, 1, 1, "offset,scale"});
  addLearner(converters, "Normalizer", {normalizer, 1, 1, "norm"});
  addLearner(converters, "Imputer",
             {imputer, 1, 1, "imputed_value_floats,imputed_value_int64s,replaced_value_float,replaced_value_int64"});
  addLearner(converters, "Binarizer", {binarizer, 1, 1, "threshold"});
  addLearner(converters, "OneHotEncoder", {oneHotEncoder, 1, 1, "cats_int64s,cats_strings,zeros"});
  addLearner(converters, "FeatureVectorizer", {featureVectorizer, 1, -1, "inputdimensions"});
  addLearner(converters, "ArrayFeatureExtractor", {arrayFeatureExtractor, 2, 2, ""});
}
