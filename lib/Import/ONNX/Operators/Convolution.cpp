// Convolutions: ONNX has channels after the batch, lathe.conv after the image.
#include "lib/Import/ONNX/Operators/Dequantized.h"
#include "lib/Import/ONNX/Operators/Windows.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

Value onnximport::channelsLast(Node &node, Value images) {
  if (node.failed())
    return {};
  Integers order = range(1, rankOf(images) + 1);
  order.front() = 0;
  order.back() = 1;
  for (size_t i = 1; i + 1 < order.size(); ++i)
    order[i] = i + 1;
  return node.transpose(images, order);
}

Value onnximport::channelsFirst(Node &node, Value images) {
  if (node.failed())
    return {};
  int64_t rank = rankOf(images);
  Integers order = range(-1, rank - 1);
  order[0] = 0;
  order[1] = rank - 1;
  return node.transpose(images, order);
}

Value onnximport::filterLast(Node &node, Value filter) {
  Integers order = range(2, rankOf(filter));
  order.append({1, 0});
  return node.transpose(filter, order);
}

/// Returns the extents of a filter's spatial dimensions.
static Integers kernelOf(Node &node, ArrayRef<Dim> spatial) {
  Integers kernel;
  for (const Dim &dim : spatial) {
    if (!dim.isStatic())
      node.refuse("the filter's size " + dim.str() + " must be a number; fix it with --dim");
    kernel.push_back(dim.constant());
  }
  return kernel;
}

static SmallVector<NamedAttribute> geometry(Node &node, const Windows &windows, int64_t groups) {
  return {node.list("strides", windows.strides), node.list("pad_low", windows.low),
          node.list("pad_high", windows.high),   node.list("dilation", windows.dilations),
          node.number("groups", groups),         node.list("input_dilation", Integers(windows.rank(), 1))};
}

Value onnximport::addBias(Node &node, Value y, int bias) {
  if (!node.has(bias))
    return y;
  Value each = node.input(bias);
  if (!node.failed() && dimsOf(each) != Dims{dimsOf(y).back()})
    node.refuse("the bias has the shape " + str(dimsOf(each)) + ", expected [" + dimsOf(y).back().str() +
                "]: one per channel of the result");
  return node.emit<AddOp>({y, each});
}

bool onnximport::checkConvolution(Node &node, Value x, Value filter) {
  if (!node.failed() && (rankOf(x) < 3 || rankOf(x) != rankOf(filter)))
    node.refuse("expected images [N, C, ...] and weights of the same rank");
  return !node.failed();
}

Value onnximport::convolve(Node &node, Value images, Value filter) {
  Dims dims = dimsOfValue(images), weights = dimsOfValue(filter);
  if (node.failed())
    return {};
  ArrayRef<Dim> spatial = ArrayRef(dims).drop_front().drop_back();
  Windows windows = readWindows(node, spatial, kernelOf(node, ArrayRef(weights).drop_back(2)));
  if (node.failed())
    return {};
  images = padBySizes(node, images, node.constantInt(0, elementOfValue(images)), windows, 1);
  return node.emit<ConvOp>({images, filter}, geometry(node, windows, node.integer("group", 1)));
}

/// Emits a convolution of dequantised images by its integers. Returns null if it is not worth that.
static Value dequantizedConvolution(Node &node, Value x, Value filter) {
  Dims weights = dimsOf(filter);
  std::optional<Dim> depth = numElements(ArrayRef<Dim>(weights).drop_front());
  std::optional<DequantizedPair> pair = dequantizedPair(x, filter, depth.value_or(Dim::unknown()), /*anyZero=*/false);
  if (!pair || node.integer("group", 1) != 1)
    return {};
  Value scale = pair->right.scale;
  Dims channels(weights.size(), Dim(1));
  channels[0] = weights[0];
  if (dimsOf(scale) == channels)
    scale = node.reshape(scale, weights[0]);
  else if (!dimsOf(scale).empty())
    return {};
  Value sums = convolve(node, channelsLast(node, pair->left.centred), filterLast(node, pair->right.centred));
  return dequantizedSums(node, sums, pair->left.scale, scale, 2);
}

static void conv(Node &node) {
  Value x = node.input(0), filter = node.input(1);
  if (!checkConvolution(node, x, filter))
    return;
  if (Value y = dequantizedConvolution(node, x, filter))
    return node.set(0, channelsFirst(node, y));
  Value y = convolve(node, channelsLast(node, x), filterLast(node, filter));
  node.set(0, channelsFirst(node, addBias(node, y, 2)));
}

/// Returns the extents of the result, and sets the pads, from output_padding and output_shape. If an extent exceeds the reach
/// of the filter, `behind` receives the number of its last elements that no tap reaches.
static Dims transposedShape(Node &node, ArrayRef<Dim> spatial, Windows &windows, Integers &behind) {
  size_t rank = windows.rank();
  std::string mode = node.text("auto_pad", "NOTSET");
  Integers extra = node.integers("output_padding", Integers(rank, 0)), pads = node.integers("pads", Integers(2 * rank, 0));
  Integers shape = node.integers("output_shape");
  bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!same && mode != "NOTSET" && mode != "VALID" && !mode.empty())
    node.refuse("auto_pad is '" + mode + "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  if (shape.size() == rank + 2) // some models include batch and channels
    shape.erase(shape.begin(), shape.begin() + 2);
  if (extra.size() != rank || pads.size() != 2 * rank || (!shape.empty() && shape.size() != rank))
    node.refuse("output_padding, pads and output_shape must have one entry per dimension");
  Dims result;
  for (size_t dim = 0; dim < rank && !node.failed(); ++dim) {
    Dim stride(windows.strides[dim]), full = stride * (spatial[dim] - Dim(1)) + Dim(extra[dim] + windows.reach(dim));
    if (shape.empty() && !same) {
      windows.low[dim] = mode == "VALID" ? 0 : pads[dim];
      windows.high[dim] = mode == "VALID" ? 0 : pads[rank + dim];
      result.push_back(full - Dim(windows.low[dim]) - Dim(windows.high[dim]));
      if (result.back().isStatic() && result.back().constant() < 1)
        node.refuse("the padding removes all of the result's size " + full.str());
      continue;
    }
    result.push_back(shape.empty() ? spatial[dim] * stride : Dim(shape[dim]));
    Dim total = full - result[dim];
    if (!total.isStatic()) {
      node.refuse("the result's size " + result[dim].str() + " does not determine the padding of " + full.str());
      break;
    }
    if (total.constant() < 0) {
      behind[dim + 1] = -total.constant();
      result[dim] = full;
      continue;
    }
    int64_t half = total.constant() / 2;
    windows.low[dim] = mode == "SAME_UPPER" ? half : total.constant() - half;
    windows.high[dim] = total.constant() - windows.low[dim];
  }
  return result;
}

/// Emits the gradient of a convolution by its input.
static void convTranspose(Node &node) {
  Value x = node.input(0), filter = node.input(1);
  if (!checkConvolution(node, x, filter))
    return;
  Dims dims = dimsOf(x), weights = dimsOf(filter);
  Windows windows = readSteps(node, kernelOf(node, ArrayRef(weights).drop_front(2)));
  if (node.failed())
    return;
  Integers none(dims.size(), 0), behind = none; // channels last
  Dims result = transposedShape(node, ArrayRef(dims).drop_front(2), windows, behind);
  SmallVector<NamedAttribute> attributes = geometry(node, windows, node.integer("group", 1));
  attributes.push_back(node.shape("input_shape", result));
  Value y = node.emit<ConvInputGradOp>({channelsLast(node, x), filterLast(node, filter)}, attributes);
  y = node.pad(y, node.constantInt(0, node.element(0)), asDims(none), asDims(behind));
  node.set(0, channelsFirst(node, addBias(node, y, 2)));
}

void onnximport::addConvolutions(Converters &converters) {
  converters["Conv"] = {conv, 2, 3, "auto_pad,dilations,group,kernel_shape,pads,strides"};
  converters["ConvTranspose"] = {convTranspose, 2, 3,
                                 "auto_pad,dilations,group,kernel_shape,output_padding,output_shape,pads,strides"};
}
