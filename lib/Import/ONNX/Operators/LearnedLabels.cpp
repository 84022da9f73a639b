// LabelEncoder, which maps numbers to numbers, and ZipMap, whose map from labels to scores stays a tensor.
#include "lib/Import/ONNX/Operators/Learning.h"
#include "lib/Support/Explain.h"
#include "lib/Support/Text.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// The keys or the values of a LabelEncoder.
struct Labels {
  Type element;
  Integers integers; // if the element is one
  SmallVector<double> reals;

  int64_t size() const { return isa_and_nonnull<FloatType>(element) ? reals.size() : integers.size(); }
  Value constant(Node &node) const {
    return isa<FloatType>(element) ? node.realConstants(reals, size(), element) : node.constants(integers, size(), element);
  }
};
} // namespace

/// Reads NAME_int64s, NAME_floats or NAME_tensor.
static Labels readLabels(Node &node, StringRef name) {
  MLIRContext *context = node.i64().getContext();
  auto attribute = [&](StringRef kind) { return (name + "_" + kind).str(); };
  Labels labels;
  if (node.hasAttribute(attribute("strings")))
    return node.refuse("the labels in '" + attribute("strings") +
                       "' are strings, and string tensors are not supported; encode numbers only"),
           labels;
  if (node.hasAttribute(attribute("floats")))
    return {Float32Type::get(context), {}, node.reals(attribute("floats"))};
  if (node.hasAttribute(attribute("int64s")))
    return {node.i64(), node.integers(attribute("int64s")), {}};
  labels.reals = tensorNumbers(node, attribute("tensor"), labels.element);
  if (!labels.element)
    node.refuse("it has none of the attributes '" + attribute("int64s") + "', '" + attribute("floats") + "' and '" +
                attribute("tensor") + "', expected one");
  else if (isa<IntegerType>(labels.element))
    labels.integers.assign(labels.reals.begin(), labels.reals.end());
  return labels;
}

/// Appends the value of keys that are not in the list.
static void addDefault(Node &node, Labels &values) {
  if (node.failed())
    return;
  Type element;
  SmallVector<double> given = tensorNumbers(node, "default_tensor", element);
  if (!isa<FloatType>(values.element))
    return values.integers.push_back(given.empty() ? node.integer("default_int64", -1) : int64_t(given[0]));
  values.reals.push_back(given.empty() ? node.real("default_float", 0) : given[0]);
}

static void labelEncoder(Node &node) {
  Value x = node.input(0);
  Labels keys = readLabels(node, "keys"), values = readLabels(node, "values");
  if (!node.failed() && keys.size() != values.size())
    node.refuse("it has " + Twine(keys.size()) + " keys and " + Twine(values.size()) + " values, expected equally many");
  if (!node.failed() && keys.size() == 0)
    node.refuse("it has no keys");
  addDefault(node, values);
  if (!node.failed() && elementOfValue(x) != keys.element)
    node.refuse("its input has another element type than its keys");
  if (node.failed())
    return;
  // The index of the first equal key, or that of the default.
  Dims column = dimsOf(x);
  int64_t dim = column.size();
  column.push_back(Dim(1));
  Value each = node.reshape(x, column), list = keys.constant(node);
  Value isEqual = node.compare(CompareKind::EQ, each, list);
  if (llvm::any_of(keys.reals, [](double key) { return std::isnan(key); }) && isa<FloatType>(keys.element))
    isEqual = node.emit<OrOp>({isEqual, node.emit<AndOp>({node.emit<IsNanOp>(each), node.emit<IsNanOp>(list)})});
  Value places = node.constants(range(0, keys.size()), keys.size(), node.i64());
  places = node.emit<SelectOp>({isEqual, places, node.constantInt(keys.size(), node.i64())});
  node.set(0, node.gather(values.constant(node), node.reduce(ReduceKind::Min, places, dim, /*keep=*/false), 0));
}

/// Passes the scores on; the labels of their columns are in a remark.
static void zipMap(Node &node) {
  Value scores = node.input(0);
  std::string labels;
  if (const onnx::AttributeProto *names = node.find("classlabels_strings"); names && names->strings_size())
    for (const std::string &name : names->strings())
      labels += (labels.empty() ? "'" : ", '") + name + "'";
  else
    labels = listText(node.integers("classlabels_int64s"));
  explain(node.getLocation(), "import", "ZipMap is passed over: its result is the tensor of scores, with the columns {}",
          labels);
  node.set(0, scores);
}

void onnximport::addLearnedLabels(Converters &converters) {
  addLearner(converters, "LabelEncoder",
             {labelEncoder, 1, 1,
              "default_float,default_int64,default_string,default_tensor,keys_floats,keys_int64s,keys_strings,keys_tensor,"
              "values_floats,values_int64s,values_strings,values_tensor"});
  addLearner(converters, "ZipMap", {zipMap, 1, 1, "classlabels_int64s,classlabels_strings"});
}
