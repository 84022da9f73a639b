#include "dialects/Lathe/IR/SubstituteDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace lathe;

void lathe::substituteDims(Operation *root, const std::map<std::string, Dim> &values) {
  auto substituted = [&](Dims dims) {
    for (Dim &dim : dims)
      dim = dim.substitute(values);
    return dims;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<std::pair<Type, WalkResult>> {
    if (!type.getEncoding())
      return std::make_pair(type, WalkResult::skip());
    return std::make_pair(tensorOf(substituted(dimsOf(type)), type.getElementType()), WalkResult::skip());
  });
  replacer.addReplacement([&](ShapeAttr shape) -> std::optional<std::pair<Attribute, WalkResult>> {
    return std::make_pair(shapeOf(shape.getContext(), substituted(dimsOf(shape))), WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}
