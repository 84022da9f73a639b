#include "lib/Import/ONNX/Operators/Learning.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

void onnximport::addLearner(Converters &converters, StringRef name, Converter converter) {
  converter.since = 0;
  converters[("ai.onnx.ml:" + name).str()] = converter;
}

// ---- Operands and attributes

Value onnximport::featuresOf(Node &node, int input) {
  Value x = node.input(input);
  Dims dims = dimsOfValue(x);
  if (!node.failed() && dims.size() != 1 && dims.size() != 2)
    node.refuse("input " + Twine(input) + " has the shape " + str(dims) + ", expected features [C] or [N, C]");
  if (!node.failed() && !dims.back().isStatic())
    node.refuse("the number of features of input " + Twine(input) + ", " + dims.back().str() +
                ", must be known; fix it with --dim");
  if (node.failed())
    return {};
  Type element = elementOfValue(x);
  x = node.convert(x, element.isF64() ? element : Float32Type::get(element.getContext()));
  return dims.size() == 2 ? x : node.reshape(x, {Dim(1), dims[0]});
}

int64_t onnximport::columnsOf(Value matrix) { return matrix ? dimsOf(matrix).back().constant() : 0; }

template <typename T>
static void appendNumbers(ArrayRef<char> bytes, SmallVector<double> &numbers) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T))
    numbers.push_back(double(llvm::support::endian::read<T, llvm::endianness::native>(bytes.data() + at)));
}

SmallVector<double> onnximport::tensorNumbers(Node &node, StringRef name, Type &element) {
  SmallVector<double> numbers;
  const onnx::AttributeProto *attribute = node.find(name);
  if (!attribute)
    return numbers;
  if (!attribute->has_t())
    return node.refuse("attribute '" + name + "' is of type " + onnx::AttributeProto::AttributeType_Name(attribute->type()) +
                       ", expected TENSOR"),
           numbers;
  onnx::TensorProto copy = attribute->t();
  TensorData data;
  if (std::string reason = takeTensor(copy, node.files(), node.i64().getContext(), data); !reason.empty())
    return node.refuse("attribute '" + name + "': " + reason), numbers;
  element = data.type.getElementType();
  if (element.isF32())
    appendNumbers<float>(data.bytes, numbers);
  else if (element.isF64())
    appendNumbers<double>(data.bytes, numbers);
  else if (element.isInteger(64) && !element.isUnsignedInteger())
    appendNumbers<int64_t>(data.bytes, numbers);
  else if (element.isInteger(32) && !element.isUnsignedInteger())
    appendNumbers<int32_t>(data.bytes, numbers);
  else if (element.isUnsignedInteger(8))
    appendNumbers<uint8_t>(data.bytes, numbers);
  else
    node.refuse("attribute '" + name + "' must be a tensor of float, double, int32, int64 or uint8");
  return numbers;
}

void onnximport::expectCount(Node &node, StringRef name, int64_t count, int64_t expected, const Twine &meaning) {
  if (count != expected)
    node.refuse("attribute '" + name + "' has " + Twine(count) + " elements, expected " + Twine(expected) + ", " + meaning);
}

int64_t onnximport::countOf(Node &node, StringRef name, int64_t least, int64_t otherwise) {
  constexpr int64_t kMost = int64_t(1) << 24;
  int64_t count = node.integer(name, otherwise);
  if (count >= least && count <= kMost)
    return count;
  node.refuse(name + " is " + Twine(count) + ", expected " + Twine(least) + " to " + Twine(kMost));
  return least;
}

// ---- Scores

PostTransform onnximport::postTransformOf(Node &node) {
  std::string name = node.text("post_transform", "NONE");
  constexpr std::pair<StringLiteral, PostTransform> kNames[] = {{"NONE", PostTransform::None},
                                                                {"SOFTMAX", PostTransform::Softmax},
                                                                {"LOGISTIC", PostTransform::Logistic},
                                                                {"SOFTMAX_ZERO", PostTransform::SoftmaxZero},
                                                                {"PROBIT", PostTransform::Probit}};
  for (const auto &[text, transform] : kNames)
    if (name == text)
      return transform;
  node.refuse("post_transform is '" + name + "', expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
  return PostTransform::None;
}

/// Returns the softmax of each row over the scores that are not 0. A 0 becomes 0.
static Value softmaxOfOthers(Node &node, Value scores) {
  constexpr double kZero = 1e-7; // as in ONNX Runtime
  Type element = elementOfValue(scores);
  Value isOther = node.compare(CompareKind::GT, node.emit<AbsOp>(scores), node.constant(kZero, element));
  Value shifted = node.emit<SubOp>({scores, node.reduce(ReduceKind::Max, scores, 1, /*keep=*/true)});
  Value powers = node.emit<SelectOp>({isOther, node.emit<ExpOp>(shifted), node.constant(0, element)});
  Value sums = node.reduce(ReduceKind::Sum, powers, 1, /*keep=*/true);
  Value quotient = node.emit<DivOp>({powers, sums});
  return node.emit<SelectOp>({isOther, quotient, node.constant(0, element)});
}

Value onnximport::transformed(Node &node, PostTransform transform, Value scores) {
  Type element = elementOfValue(scores);
  if (transform == PostTransform::Softmax)
    scores = node.composite("softmax", scores, node.number("dim", 1));
  if (transform == PostTransform::SoftmaxZero)
    scores = softmaxOfOthers(node, scores);
  if (transform == PostTransform::Logistic)
    scores = node.emit<LogisticOp>(scores);
  if (transform == PostTransform::Probit) { // sqrt(2) * erf_inv(2 * x - 1)
    Value twice = node.emit<MulOp>({scores, node.constant(2, element)});
    Value inverse = node.emit<ErfInvOp>(node.emit<SubOp>({twice, node.constant(1, element)}));
    scores = node.emit<MulOp>({inverse, node.constant(1.4142135623730951, element)});
  }
  return scores;
}

Value onnximport::asFloats(Node &node, Value value) { return node.convert(value, Float32Type::get(node.i64().getContext())); }

// ---- Classes

Integers onnximport::classLabels(Node &node, StringRef integers, StringRef strings) {
  if (const onnx::AttributeProto *names = node.find(strings); names && names->strings_size())
    return node.refuse("the labels in '" + strings + "' are strings, and string tensors are not supported; fit the model to " +
                       "integer classes, such as those of sklearn.preprocessing.LabelEncoder, and convert it again"),
           Integers();
  Integers labels = node.integers(integers);
  if (labels.empty())
    node.refuse("attribute '" + integers + "' is missing, expected the label of each class");
  return labels;
}

Value onnximport::labelsOf(Node &node, const Integers &labels, Value classes) {
  if (ArrayRef(labels) == ArrayRef(range(0, labels.size())))
    return node.convert(classes, node.i64());
  return node.gather(node.constants(labels, int64_t(labels.size()), node.i64()), classes, 0);
}

void onnximport::setClasses(Node &node, const Integers &labels, Value scores, PostTransform transform) {
  if (node.failed())
    return;
  expectCount(node, "the class labels", labels.size(), columnsOf(scores), "one for each score");
  node.set(0, labelsOf(node, labels, node.emit<ArgmaxOp>(scores, node.number("dim", 1))));
  node.set(1, asFloats(node, transformed(node, transform, scores)));
}

void onnximport::setTwoClasses(Node &node, const Integers &labels, Value score, PostTransform transform, bool isProbability) {
  if (node.failed())
    return;
  isProbability &= transform != PostTransform::Logistic;
  Type element = elementOfValue(score);
  Value isSecond = node.compare(CompareKind::GT, score, node.constant(isProbability ? 0.5 : 0, element));
  Value other = isProbability ? node.emit<SubOp>({node.constant(1, element), score}) : node.emit<NegOp>(score);
  node.set(0, labelsOf(node, labels, node.convert(node.reshape(isSecond, {dimsOfValue(score)[0]}), node.i64())));
  node.set(1, asFloats(node, transformed(node, transform, node.concatenate({other, score}, 1))));
}

void onnximport::addLearning(Converters &converters) {
  for (auto add : {addLearnedFeatures, addLearnedLabels, addLinearModels, addSupportVectors, addTrees})
    add(converters);
}
