// ONNX tensors as bytes and attributes.
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

struct FilePlace;

/// A tensor's bytes in row-major order, with one byte for each boolean. It owns them, or shares a file with other tensors,
/// where they may have any address.
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

/// Weight files that a model names, which must be below the model's folder. Each is mapped once.
class ExternalFiles {
public:
  /// `model` is the file that the model's own references point into (Excerpt.h). `filesRead` receives the paths of the files
  /// that are read; it may be null.
  ExternalFiles(std::string folder, std::shared_ptr<llvm::MemoryBuffer> model, std::set<std::string> *filesRead = nullptr)
      : folder(std::move(folder)), model(std::move(model)), filesRead(filesRead) {}
  /// Sets `data` to the `size` bytes, which may have any address. Returns the reason for a failure, or an empty string.
  std::string read(const onnx::TensorProto &proto, int64_t size, TensorData &data);
  /// Sets `data` to bytes of the model's file. Returns the reason for a failure, or an empty string.
  std::string refer(const FilePlace &place, TensorData &data) const;

private:
  std::string folder;
  std::shared_ptr<llvm::MemoryBuffer> model;
  std::set<std::string> *filesRead;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> files; // by their real paths
};

/// Returns the element type, or null if tensors here do not support it.
mlir::Type elementTypeOf(int dataType, mlir::MLIRContext *context);
/// Returns the bytes that a tensor of numbers takes.
int64_t sizeOf(mlir::RankedTensorType type);
/// Returns "FLOAT8E5M2", or "number 77".
std::string nameOfDataType(int dataType);

/// Takes the bytes from the tensor, or finds them in a file. Returns the reason for a failure, or an empty string.
std::string takeTensor(onnx::TensorProto &proto, ExternalFiles &files, mlir::MLIRContext *context, TensorData &data);
/// Returns the type without the bytes. Checks the number of bytes if they are in the tensor.
std::string tensorType(const onnx::TensorProto &proto, mlir::MLIRContext *context, mlir::RankedTensorType &type);

/// Returns a constant's value; large ones reference their bytes.
mlir::ElementsAttr toAttr(TensorData data, llvm::StringRef name);
/// Returns the elements of a small tensor.
std::optional<Known> toKnown(const TensorData &data);
/// Returns the value of a constant whose elements are all numbers.
mlir::ElementsAttr toAttr(const Known &known);

} // namespace lathe::onnximport

#endif
