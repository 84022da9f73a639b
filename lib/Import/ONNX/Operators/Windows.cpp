#include "lib/Import/ONNX/Operators/Windows.h"
#include "dialects/Lathe/IR/SamePadding.h"
#include "lib/Support/Text.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Limit for attributes: no model needs more, and products of two stay far from 2^63.
static constexpr int64_t kMost = int64_t(1) << 30;

static void checkAll(Node &node, StringRef name, ArrayRef<int64_t> values, size_t count, int64_t least) {
  bool good = values.size() == count && llvm::all_of(values, [&](int64_t value) { return value >= least && value < kMost; });
  if (!good)
    node.refuse(name + " are " + listText(values) + ", expected " + Twine(count) + " numbers of " + Twine(least) + " or more");
}

Windows onnximport::readSteps(Node &node, ArrayRef<int64_t> kernel) {
  size_t rank = kernel.size();
  Windows windows{Integers(kernel),
                  node.integers("strides", Integers(rank, 1)),
                  node.integers("dilations", Integers(rank, 1)),
                  Integers(rank, 0),
                  Integers(rank, 0),
                  Dims(rank),
                  Dims(rank)};
  if (Integers given = node.integers("kernel_shape", windows.kernel); ArrayRef(given) != kernel)
    node.refuse("kernel_shape is " + listText(given) + ", but the weights have " + listText(kernel));
  if (rank == 0)
    node.refuse("the operands need spatial dimensions after batch and channels");
  checkAll(node, "kernel_shape", windows.kernel, rank, 1);
  checkAll(node, "strides", windows.strides, rank, 1);
  checkAll(node, "dilations", windows.dilations, rank, 1);
  for (size_t dim = 0; dim < rank && !node.failed(); ++dim)
    if (windows.kernel[dim] * windows.dilations[dim] >= kMost)
      node.refuse("kernel_shape times dilations is too large");
  return windows;
}

Windows onnximport::readWindows(Node &node, ArrayRef<Dim> spatial, ArrayRef<int64_t> kernel) {
  Windows windows = readSteps(node, kernel);
  size_t rank = windows.rank();
  if (!node.failed() && spatial.size() != rank)
    node.refuse("kernel_shape is " + listText(kernel) + " for " + Twine(spatial.size()) + " dimensions");
  std::string mode = node.text("auto_pad", "NOTSET");
  if (node.failed())
    return windows;
  if (mode == "NOTSET" || mode.empty()) {
    Integers pads = node.integers("pads", Integers(2 * rank, 0));
    checkAll(node, "pads", pads, 2 * rank, 0);
    if (!node.failed()) {
      windows.low.assign(pads.begin(), pads.begin() + rank);
      windows.high.assign(pads.begin() + rank, pads.end());
    }
    return windows;
  }
  if (mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER")
    node.refuse("auto_pad is '" + mode + "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
  for (size_t dim = 0; dim < rank && mode != "VALID" && !node.failed(); ++dim) {
    OddPadding odd = mode == "SAME_UPPER" ? OddPadding::Behind : OddPadding::InFront;
    SamePadding padding = samePadding(spatial[dim], windows.strides[dim], Dim(windows.reach(dim)), odd);
    auto set = [&](const Dim &amount, Integers &numbers, Dims &sizes) {
      if (amount.isStatic())
        numbers[dim] = amount.constant();
      else
        sizes[dim] = amount;
    };
    set(padding.low, windows.low, windows.sizedLow);
    set(padding.high, windows.high, windows.sizedHigh);
  }
  return windows;
}

Value onnximport::padBySizes(Node &node, Value images, Value with, const Windows &windows, int64_t leading) {
  Dims low(leading), high(leading);
  low.append(windows.sizedLow);
  high.append(windows.sizedHigh);
  low.resize(rankOf(images));
  high.resize(rankOf(images));
  return node.pad(images, with, low, high);
}
