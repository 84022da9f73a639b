#include "lib/Import/ONNX/Tensors.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "lib/Import/ONNX/Limits.h"
#include "lib/Support/Text.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;
using onnx::TensorProto;

/// From here on constants keep their bytes outside of the context, which would hash and copy them.
static constexpr size_t kLargeConstant = 4096;
/// Scales and bounds; longer lists of floats are weights.
static constexpr int64_t kMostKnownReals = 64;

Type onnximport::elementTypeOf(int dataType, MLIRContext *context) {
  Builder builder(context);
  auto unsignedOf = [&](unsigned width) { return IntegerType::get(context, width, IntegerType::Unsigned); };
  switch (dataType) {
  case TensorProto::FLOAT:
    return builder.getF32Type();
  case TensorProto::DOUBLE:
    return builder.getF64Type();
  case TensorProto::FLOAT16:
    return builder.getF16Type();
  case TensorProto::BFLOAT16:
    return builder.getBF16Type();
  case TensorProto::INT8:
    return builder.getI8Type();
  case TensorProto::INT16:
    return builder.getI16Type();
  case TensorProto::INT32:
    return builder.getI32Type();
  case TensorProto::INT64:
    return builder.getI64Type();
  case TensorProto::UINT8:
    return unsignedOf(8);
  case TensorProto::UINT16:
    return unsignedOf(16);
  case TensorProto::UINT32:
    return unsignedOf(32);
  case TensorProto::UINT64:
    return unsignedOf(64);
  case TensorProto::BOOL:
    return builder.getI1Type();
  default:
    return {};
  }
}

std::string onnximport::nameOfDataType(int dataType) {
  static constexpr const char *kNewer[] = {"FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",
                                           "INT4",         "FLOAT4E2M1",     "FLOAT8E8M0", "UINT2",          "INT2"};
  if (TensorProto::DataType_IsValid(dataType))
    return TensorProto::DataType_Name(TensorProto::DataType(dataType));
  if (dataType >= 17 && dataType < 17 + int(std::size(kNewer)))
    return kNewer[dataType - 17];
  return "number " + std::to_string(dataType);
}

std::string onnximport::tensorType(const TensorProto &proto, MLIRContext *context, RankedTensorType &type) {
  Type element = elementTypeOf(proto.data_type(), context);
  if (!element)
    return "its elements are of type " + nameOfDataType(proto.data_type()) + ", expected " + kElementTypes.str();
  if (proto.dims_size() > kMostRank)
    return "it has " + std::to_string(proto.dims_size()) + " dimensions, expected up to " + std::to_string(kMostRank);
  int64_t bytes = sizeOf(*elementOf(element));
  for (int64_t extent : proto.dims())
    if (extent < 0 || (extent && llvm::MulOverflow(bytes, extent, bytes)))
      return "its shape " + listText(SmallVector<int64_t>(proto.dims().begin(), proto.dims().end())) + " is no size of memory";
  type = RankedTensorType::get(SmallVector<int64_t>(proto.dims().begin(), proto.dims().end()), element);
  return "";
}

/// Copies a list of numbers of the schema as elements of a narrower or equal type.
template <typename T, typename Field>
static std::string pack(const Field &field, int64_t count, std::string &bytes) {
  if (field.size() != count)
    return "it has " + std::to_string(field.size()) + " elements, its shape " + std::to_string(count);
  bytes.resize(count * sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    T value = T(field.Get(i));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return "";
}

/// The elements in the field that goes with the type.
static std::string packTyped(const TensorProto &proto, int64_t count, std::string &bytes) {
  switch (proto.data_type()) {
  case TensorProto::FLOAT:
    return pack<float>(proto.float_data(), count, bytes);
  case TensorProto::DOUBLE:
    return pack<double>(proto.double_data(), count, bytes);
  case TensorProto::INT64:
    return pack<int64_t>(proto.int64_data(), count, bytes);
  case TensorProto::UINT64:
    return pack<uint64_t>(proto.uint64_data(), count, bytes);
  case TensorProto::UINT32:
    return pack<uint32_t>(proto.uint64_data(), count, bytes);
  case TensorProto::INT32:
    return pack<int32_t>(proto.int32_data(), count, bytes);
  case TensorProto::BOOL:
    return pack<bool>(proto.int32_data(), count, bytes);
  case TensorProto::INT8:
  case TensorProto::UINT8:
    return pack<uint8_t>(proto.int32_data(), count, bytes);
  default: // 16 bits wide, halves as their bits
    return pack<uint16_t>(proto.int32_data(), count, bytes);
  }
}

std::string onnximport::takeTensor(TensorProto &proto, const std::string &folder, MLIRContext *context, TensorData &data) {
  if (std::string reason = tensorType(proto, context, data.type); !reason.empty())
    return reason;
  int64_t count = data.type.getNumElements();
  int64_t size = count * int64_t(sizeOf(*elementOf(data.type.getElementType())));
  if (proto.has_segment())
    return "it is a segment of a tensor, which this version does not read";
  if (proto.data_location() == TensorProto::EXTERNAL) {
    if (std::string reason = readExternal(proto, folder, size, data.bytes); !reason.empty())
      return reason;
  } else if (!proto.has_raw_data()) {
    return packTyped(proto, count, data.bytes);
  } else {
    data.bytes = std::move(*proto.mutable_raw_data());
  }
  if (int64_t(data.bytes.size()) != size)
    return "it has " + std::to_string(data.bytes.size()) + " bytes, its shape " + std::to_string(size);
  if (data.type.getElementType().isInteger(1))
    for (char &byte : data.bytes)
      byte = byte != 0;
  return "";
}

ElementsAttr onnximport::toAttr(TensorData data, StringRef name) {
  if (data.type.getElementType().isInteger(1)) { // packed bits in attributes
    SmallVector<bool> values(llvm::map_range(data.bytes, [](char byte) { return byte != 0; }));
    return DenseElementsAttr::get(data.type, values);
  }
  if (data.bytes.size() < kLargeConstant || data.bytes.empty())
    return data.bytes.empty() ? ElementsAttr(DenseElementsAttr::get(data.type, ArrayRef<Attribute>()))
                              : ElementsAttr(DenseElementsAttr::getFromRawBuffer(data.type, data.bytes));
  auto held = std::make_shared<std::string>(std::move(data.bytes));
  ArrayRef<char> bytes(held->data(), held->size());
  AsmResourceBlob blob(
      bytes, alignof(std::max_align_t), [held](void *, size_t, size_t) mutable { held.reset(); },
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(data.type, name, std::move(blob));
}

template <typename T>
static void readAll(const TensorData &data, Known &known) {
  for (size_t i = 0; i < data.bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, data.bytes.data() + i, sizeof(T));
    if constexpr (std::is_floating_point_v<T>)
      known.elements.push_back(Scalar::of(double(value)));
    else
      known.elements.push_back(Scalar::of(Dim(int64_t(value))));
  }
}

std::optional<Known> onnximport::toKnown(const TensorData &data) {
  std::optional<Element> element = lathe::elementOf(data.type.getElementType());
  bool isReal = element == Element::F32 || element == Element::F64;
  if (!element || !knownSize(data.type.getShape()) || (isReal && data.type.getNumElements() > kMostKnownReals))
    return std::nullopt;
  Known known{data.type.getElementType(), data.type.getShape().vec(), {}};
  if (element == Element::I1) // a byte each, which a stranger may have set to anything
    element = Element::U8;
  bool isRead =
      visitOneOf<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t>(*element, [&](auto zero) {
        readAll<decltype(zero)>(data, known);
        return true;
      });
  return isRead ? std::optional(std::move(known)) : std::nullopt; // not of halves, nor of u64, which an int64_t does not hold
}

ElementsAttr onnximport::toAttr(const Known &known) {
  auto type = RankedTensorType::get(known.shape, known.element);
  SmallVector<Attribute> values;
  for (const Scalar &scalar : known.elements) {
    if (auto element = dyn_cast<FloatType>(known.element))
      values.push_back(FloatAttr::get(element, scalar.number()));
    else
      values.push_back(IntegerAttr::get(known.element, APInt(known.element.getIntOrFloatBitWidth(), scalar.dim.constant(),
                                                             /*isSigned=*/true, /*implicitTrunc=*/true)));
  }
  return DenseElementsAttr::get(type, values);
}
