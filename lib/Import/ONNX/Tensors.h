// ONNX's tensors as bytes and attributes.
#ifndef LATHE_IMPORT_ONNX_TENSORS_H
#define LATHE_IMPORT_ONNX_TENSORS_H

#include "lib/Import/ONNX/Known.h"
#include "lib/Import/ONNX/onnx.pb.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <string>

namespace lathe::onnximport {

struct TensorData {
  mlir::RankedTensorType type;
  std::string bytes; // in row-major order, a truth value is a byte
};

/// The element type; null for one that tensors here do not have.
mlir::Type elementTypeOf(int dataType, mlir::MLIRContext *context);
/// "FLOAT8E5M2", or "number 77".
std::string nameOfDataType(int dataType);

/// Takes the bytes out of the tensor, or reads them from a file below `folder`. The reason why not; empty if all is well.
std::string takeTensor(onnx::TensorProto &proto, const std::string &folder, mlir::MLIRContext *context, TensorData &data);
/// The same without the bytes.
std::string tensorType(const onnx::TensorProto &proto, mlir::MLIRContext *context, mlir::RankedTensorType &type);

/// Reads a part of a file that a model names, which must lie below the model's folder.
std::string readExternal(const onnx::TensorProto &proto, const std::string &folder, int64_t size, std::string &bytes);

/// A constant's value; large ones keep their bytes where they are.
mlir::ElementsAttr toAttr(TensorData data, llvm::StringRef name);
/// The elements of a small tensor.
std::optional<Known> toKnown(const TensorData &data);
/// The value of a constant whose elements are all numbers.
mlir::ElementsAttr toAttr(const Known &known);

} // namespace lathe::onnximport

#endif
