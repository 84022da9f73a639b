#include "codegen/Emit/ConstantBytes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace lathe;

std::vector<char> lathe::bytesOf(mlir::DenseElementsAttr value) {
  std::vector<char> bytes;
  if (value.getElementType().isInteger(1)) {
    for (bool each : value.getValues<bool>())
      bytes.push_back(each);
    return bytes;
  }
  llvm::ArrayRef<char> raw = value.getRawData();
  for (int64_t i = 0, n = value.isSplat() ? value.getNumElements() : 1; i < n; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

std::optional<llvm::ArrayRef<char>> lathe::ownBytes(mlir::ElementsAttr value) {
  if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(value))
    return resource.getRawHandle().getBlob()->getData(); // the verifier checks that it exists
  auto dense = mlir::cast<mlir::DenseElementsAttr>(value);
  if (dense.isSplat() || dense.getElementType().isInteger(1))
    return std::nullopt;
  return dense.getRawData();
}

void lathe::releaseBytes(mlir::ElementsAttr value) {
  if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(value))
    *resource.getRawHandle().getBlob() = mlir::AsmResourceBlob();
}
