// Composites of the library.
#include "test/fuzz/Draw.h"

using namespace lathe;

void drawActivation(Drawing &d) {
  static const std::vector<std::string> all = {"relu",        "relu6",       "leaky_relu",   "elu",        "celu",
                                               "selu",        "gelu",        "silu",         "mish",       "softplus",
                                               "softsign",    "log_sigmoid", "hard_sigmoid", "hard_swish", "hard_tanh",
                                               "tanh_shrink", "soft_shrink", "hard_shrink"};
  unsigned x = d.anyFloat();
  d.add("std." + d.oneOf(all) + " $0 : @0", {x}, d.type(x));
}

void drawAlongDims(Drawing &d) {
  static const std::vector<std::string> keepShape = {"softmax", "log_softmax", "layer_norm", "rms_norm", "l2_normalize"},
                                        reduce = {"logsumexp", "mean", "variance", "norm"};
  unsigned x = d.anyFloat(1);
  Type type = d.type(x);
  int64_t dim = d.pick(type.dims.size());
  for (const Extent &extent : type.dims)
    if (extent.size == 0)
      return; // a mean of nothing is NaN by 0 / 0: which NaN is a matter of taste
  if (d.chance(50)) {
    std::string op = d.oneOf(keepShape);
    bool one = op == "softmax" || op == "log_softmax";
    d.add("std." + op + " $0 " + (one ? "dim " + std::to_string(dim) : "dims [" + std::to_string(dim) + "]") + " : @0", {x},
          type);
    return;
  }
  bool keep = d.chance(40);
  if (keep)
    type.dims[dim] = Extent();
  else
    type.dims.erase(type.dims.begin() + dim);
  d.add("std." + d.oneOf(reduce) + " $0 dims [" + std::to_string(dim) + "]" + (keep ? " keep" : "") + " : @0", {x}, type);
}
