#include "dialects/Lathe/Interpreter/ConstantAttr.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace lathe;

/// Smaller values are part of the graph's text, and equal ones are shared.
static constexpr size_t kLargeConstant = 4096;

ElementsAttr lathe::constantAttr(RankedTensorType type, ArrayRef<char> bytes, std::shared_ptr<const void> holder,
                                 StringRef name) {
  if (type.getElementType().isInteger(1)) { // packed bits in attributes
    SmallVector<bool> values(llvm::map_range(bytes, [](char byte) { return byte != 0; }));
    return DenseElementsAttr::get(type, values);
  }
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (bytes.size() < kLargeConstant)
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  AsmResourceBlob blob(
      bytes, sizeOf(*elementOf(type.getElementType())),
      [held = std::move(holder)](void *, size_t, size_t) mutable { held.reset(); }, /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

ElementsAttr lathe::constantAttr(Tensor value, Type element, StringRef name) {
  auto bytes = std::make_shared<std::vector<char>>(std::move(value.getBytes()));
  return constantAttr(RankedTensorType::get(value.getShape(), element), *bytes, bytes, name);
}
