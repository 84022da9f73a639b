// ONNX's tensors as bytes and attributes.
#ifndef LATHE_IMPORT_ONNX_TENSORS_H
#define LATHE_IMPORT_ONNX_TENSORS_H

#include "lib/Import/ONNX/Known.h"
#include "lib/Import/ONNX/onnx.pb.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <set>
#include <string>

namespace lathe::onnximport {

/// A tensor's bytes in row-major order, a truth value is a byte; its own ones or some of a file that several tensors share.
struct TensorData {
  TensorData() = default;
  TensorData(mlir::RankedTensorType type, std::string own) : type(type) { keep(std::move(own)); }
  void keep(std::string own) {
    auto held = std::make_shared<std::string>(std::move(own));
    bytes = llvm::ArrayRef<char>(held->data(), held->size());
    holder = std::move(held);
  }

  mlir::RankedTensorType type;
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> holder; // of the bytes
};

/// Files with weights that a model names, which must lie below the model's folder; each is mapped once.
class ExternalFiles {
public:
  /// `filesRead` receives the paths of the files that are read; it may be null.
  explicit ExternalFiles(std::string folder, std::set<std::string> *filesRead = nullptr)
      : folder(std::move(folder)), filesRead(filesRead) {}
  /// Sets the bytes, `size` in number, at an address that suits elements of `alignment` bytes; the reason why not.
  std::string read(const onnx::TensorProto &proto, int64_t size, size_t alignment, TensorData &data);

private:
  std::string folder;
  std::set<std::string> *filesRead;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> files; // by their real paths
};

/// The element type; null for one that tensors here do not have.
mlir::Type elementTypeOf(int dataType, mlir::MLIRContext *context);
/// The bytes of a tensor of numbers.
int64_t sizeOf(mlir::RankedTensorType type);
/// "FLOAT8E5M2", or "number 77".
std::string nameOfDataType(int dataType);

/// Takes the bytes out of the tensor, or finds them in a file. The reason why not; empty if all is well.
std::string takeTensor(onnx::TensorProto &proto, ExternalFiles &files, mlir::MLIRContext *context, TensorData &data);
/// The same without the bytes, whose number is checked where they are in the tensor.
std::string tensorType(const onnx::TensorProto &proto, mlir::MLIRContext *context, mlir::RankedTensorType &type);

/// A constant's value; large ones keep their bytes where they are.
mlir::ElementsAttr toAttr(TensorData data, llvm::StringRef name);
/// The elements of a small tensor.
std::optional<Known> toKnown(const TensorData &data);
/// The value of a constant whose elements are all numbers.
mlir::ElementsAttr toAttr(const Known &known);

} // namespace lathe::onnximport

#endif
