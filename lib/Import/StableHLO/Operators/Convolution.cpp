// Convolutions: images become [N, spatial..., C], filters [spatial..., C / groups, F].
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

namespace {
struct Sizes {
  Integers strides, low, high, dilation, inputDilation;
  int64_t groups = 1;
};
} // namespace

static Integers join(ArrayRef<int64_t> first, ArrayRef<int64_t> middle, ArrayRef<int64_t> last) {
  Integers all(first);
  all.append(middle.begin(), middle.end());
  all.append(last.begin(), last.end());
  return all;
}

/// Adds a spatial dimension of size 1, without which there is no convolution in Lathe.
static void addSpatial(HloNode &node, Value &image, Value &filter, Sizes &sizes) {
  Dims ofImage = dimsOfValue(image), ofFilter = dimsOfValue(filter);
  ofImage.insert(ofImage.begin() + 1, Dim(1));
  ofFilter.insert(ofFilter.begin(), Dim(1));
  image = node.reshape(image, ofImage);
  filter = node.reshape(filter, ofFilter);
  for (Integers *list : {&sizes.strides, &sizes.dilation, &sizes.inputDilation})
    list->push_back(1);
  sizes.low.push_back(0);
  sizes.high.push_back(0);
}

/// Turns groups of the batch into groups of channels: image [g * n, ..., C] becomes [n, ..., g * C].
static Value groupBatch(HloNode &node, Value image, int64_t groups) {
  Dims dims = dimsOfValue(image);
  std::optional<Dim> rows = dims[0].dividedBy(groups);
  if (!rows) {
    node.refuse("batch_group_count " + Twine(groups) + " does not divide the batch of " + dims[0].str());
    return {};
  }
  Dims apart{Dim(groups), *rows};
  apart.append(dims.begin() + 1, dims.end());
  int64_t rank = apart.size();
  Value moved = node.transpose(node.reshape(image, apart), join(range(1, rank - 1), {0}, {rank - 1}));
  dims[0] = *rows;
  dims.back() = dims.back() * Dim(groups);
  return node.reshape(moved, dims);
}

/// Applies negative padding, which removes elements between which holes may have been added already.
static void cutEdges(HloNode &node, Value &image, Sizes &sizes) {
  auto isNegative = [](int64_t pad) { return pad < 0; };
  if (llvm::none_of(sizes.low, isNegative) && llvm::none_of(sizes.high, isNegative))
    return;
  Integers interior{0};
  for (int64_t &dilation : sizes.inputDilation)
    interior.push_back(std::exchange(dilation, 1) - 1);
  interior.push_back(0);
  image = node.emit<PadOp>({image, node.zero(elementOfValue(image))},
                           {node.shape("low", asDims(join(0, sizes.low, 0))),
                            node.shape("high", asDims(join(0, sizes.high, 0))), node.list("interior", interior)});
  llvm::fill(sizes.low, 0);
  llvm::fill(sizes.high, 0);
}

/// Sets the result of a convolution, whose dimensions are batch, spatial and features in the order of `places`.
static void setArranged(HloNode &node, Value result, ArrayRef<int64_t> places) {
  Integers back(places.size());
  for (auto [i, place] : llvm::enumerate(places))
    if (place >= 0 && place < int64_t(back.size()))
      back[place] = i;
  node.set(0, node.transpose(result, back));
}

/// Returns the high pads with which each tap of a window lies in a padded operand of exactly this size; nullopt if sizes are
/// not numbers, or if the filter has no more taps than the result has elements, unlike in a gradient by a filter.
static std::optional<Integers> gradientPads(HloNode &node, ArrayRef<int64_t> inputSpatial, ArrayRef<int64_t> kernelSpatial,
                                            ArrayRef<int64_t> outputSpatial, const Sizes &sizes) {
  Integers high;
  int64_t taps = 1, places = 1;
  auto isDim = [&](int64_t dim) { return dim >= 0 && dim < node.rank(0); };
  for (size_t i = 0; i < inputSpatial.size(); ++i) {
    if (!isDim(inputSpatial[i]) || !isDim(kernelSpatial[i]) || !isDim(outputSpatial[i]))
      return std::nullopt;
    Dim image = node.dims(0)[inputSpatial[i]], kernel = node.dims(1)[kernelSpatial[i]],
        output = node.resultDims()[outputSpatial[i]];
    if (!image.isStatic() || !kernel.isStatic() || !output.isStatic() || kernel.constant() < 1 || output.constant() < 1)
      return std::nullopt;
    int64_t dilated = (image.constant() - 1) * sizes.inputDilation[i] + 1;
    high.push_back((output.constant() - 1) * sizes.strides[i] + (kernel.constant() - 1) * sizes.dilation[i] + 1 - dilated -
                   sizes.low[i]);
    taps *= kernel.constant();
    places *= output.constant();
  }
  return taps > places ? std::optional(high) : std::nullopt;
}

/// Converts a convolution with a large filter, as JAX writes the gradient of one by its filter: the features are the images of
/// the batch, the filter is the cotangent, the taps are the result, and strides and dilations are exchanged.
static bool filterGradient(HloNode &node, Sizes sizes, int64_t batchGroups) {
  DictionaryAttr numbers = node.dictionary("dimension_numbers");
  auto dim = [&](StringRef name) { return numberIn(numbers, name); };
  ArrayRef<int64_t> inputSpatial = numbersIn(numbers, "input_spatial_dimensions"),
                    kernelSpatial = numbersIn(numbers, "kernel_spatial_dimensions"),
                    outputSpatial = numbersIn(numbers, "output_spatial_dimensions");
  auto high = gradientPads(node, inputSpatial, kernelSpatial, outputSpatial, sizes);
  if (sizes.groups > 1 || !high || !isa<FloatType>(node.resultElement()))
    return false;
  sizes.high = *high;
  Type element = node.resultElement();
  Value image = node.transpose(node.convert(node.operand(0), element),
                               join(dim("input_feature_dimension"), inputSpatial, dim("input_batch_dimension")));
  Value cotangent =
      node.transpose(node.convert(node.operand(1), element),
                     join(dim("kernel_input_feature_dimension"), kernelSpatial, dim("kernel_output_feature_dimension")));
  cutEdges(node, image, sizes);
  Dims filter;
  for (int64_t spatial : outputSpatial)
    filter.push_back(node.resultDims()[spatial]);
  Value result = node.emit<ConvFilterGradOp>(
      {image, cotangent},
      {node.shape("filter_shape", filter), node.list("strides", sizes.dilation), node.list("pad_low", sizes.low),
       node.list("pad_high", sizes.high), node.list("dilation", sizes.strides),
       node.list("input_dilation", sizes.inputDilation), node.number("groups", batchGroups)});
  setArranged(node, result, join(outputSpatial, dim("output_batch_dimension"), dim("output_feature_dimension")));
  return true;
}

static void convolution(HloNode &node) {
  DictionaryAttr numbers = node.dictionary("dimension_numbers");
  auto dim = [&](StringRef name) { return numberIn(numbers, name); };
  ArrayRef<int64_t> inputSpatial = numbersIn(numbers, "input_spatial_dimensions"),
                    kernelSpatial = numbersIn(numbers, "kernel_spatial_dimensions"),
                    outputSpatial = numbersIn(numbers, "output_spatial_dimensions");
  size_t spatial = inputSpatial.size();
  if (kernelSpatial.size() != spatial || outputSpatial.size() != spatial || node.rank(0) != int64_t(spatial) + 2 ||
      node.rank(1) != node.rank(0))
    return node.refuse("the dimension numbers do not fit operands of rank " + Twine(node.rank(0)) + " and " +
                       Twine(node.rank(1)));
  Sizes sizes{node.numbers("window_strides", spatial, 1),
              {},
              {},
              node.numbers("rhs_dilation", spatial, 1),
              node.numbers("lhs_dilation", spatial, 1)};
  if (node.operands() == 3) {
    for (auto [i, pad] : llvm::enumerate(node.knownDims(2)))
      (i % 2 ? sizes.high : sizes.low).push_back(pad.isStatic() ? pad.constant() : 0);
    if (sizes.low.size() != spatial || sizes.high.size() != spatial)
      node.refuse("the padding must have 2 numbers for each spatial dimension");
  } else {
    node.readPadding(spatial, sizes.low, sizes.high);
  }
  sizes.groups = node.integer("feature_group_count", 1);
  int64_t batchGroups = node.integer("batch_group_count", 1);
  if (sizes.groups < 1 || batchGroups < 1 || (sizes.groups > 1 && batchGroups > 1))
    return node.refuse("feature_group_count and batch_group_count must be at least 1, and one of them must be 1");
  Integers reversed;
  if (auto flags = node.op->getAttrOfType<DenseBoolArrayAttr>("window_reversal"))
    for (auto [i, isReversed] : llvm::enumerate(flags.asArrayRef()))
      if (isReversed)
        reversed.push_back(i);
  if (node.failed() || (spatial > 0 && reversed.empty() && filterGradient(node, sizes, batchGroups)))
    return;
  Type element = node.resultElement();
  Value image = node.transpose(node.convert(node.operand(0), element),
                               join(dim("input_batch_dimension"), inputSpatial, dim("input_feature_dimension")));
  Value filter =
      node.transpose(node.convert(node.operand(1), element),
                     join(kernelSpatial, dim("kernel_input_feature_dimension"), dim("kernel_output_feature_dimension")));
  if (!reversed.empty())
    filter = node.reverse(filter, reversed);
  if (node.failed())
    return;
  if (spatial == 0)
    addSpatial(node, image, filter, sizes);
  if (batchGroups > 1) {
    image = groupBatch(node, image, batchGroups);
    sizes.groups = batchGroups;
  }
  cutEdges(node, image, sizes);
  Value result = node.emit<ConvOp>({image, filter},
                                   {node.list("strides", sizes.strides), node.list("pad_low", sizes.low),
                                    node.list("pad_high", sizes.high), node.list("dilation", sizes.dilation),
                                    node.list("input_dilation", sizes.inputDilation), node.number("groups", sizes.groups)});
  if (spatial == 0 && !node.failed()) {
    Dims dims = dimsOfValue(result);
    dims.erase(dims.begin() + 1);
    result = node.reshape(result, dims);
  }
  setArranged(node, result, join(dim("output_batch_dimension"), outputSpatial, dim("output_feature_dimension")));
}

void hloimport::addConvolutions(Converters &converters) {
  converters["stablehlo.convolution"] = convolution;
  converters["stablehlo.dynamic_conv"] = convolution; // with its padding as an operand
}
