#include "passes/Partition/Sharding.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

int Sharding::dimOf(StringAttr axis) const {
  auto found = llvm::find(dims, axis);
  return found == dims.end() ? -1 : int(found - dims.begin());
}

void Sharding::addPartial(StringAttr axis) {
  auto later = llvm::find_if(partial, [&](StringAttr other) { return other.getValue() > axis.getValue(); });
  partial.insert(later, axis);
}

Sharding Sharding::combined() const {
  Sharding result = *this;
  result.partial.clear();
  return result;
}

RankedTensorType partition::blockOf(Type whole, const Sharding &sharding, const Axes &axes) {
  auto type = cast<RankedTensorType>(whole);
  Dims dims = dimsOf(type);
  for (auto [dim, axis] : llvm::zip_equal(dims, sharding.dims))
    if (axis)
      dim = *dim.dividedBy(axes.at(axis.str()));
  return tensorOf(dims, type.getElementType());
}

std::string partition::bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Dim bytes = productOf(dimsOf(tensor)) * Dim(std::max(1u, tensor.getElementTypeBitWidth() / 8));
  return bytes.str() + " bytes";
}
