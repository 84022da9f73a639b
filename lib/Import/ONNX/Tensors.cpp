#include "lib/Import/ONNX/Tensors.h"
#include "dialects/Lathe/Interpreter/ConstantAttr.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "lib/Import/ONNX/Excerpt.h"
#include "lib/Import/ONNX/Limits.h"
#include "lib/Support/Text.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;
using onnx::TensorProto;

/// Limit for known floats such as scales and bounds; longer lists are weights.
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

int64_t onnximport::sizeOf(RankedTensorType type) {
  return type.getNumElements() * int64_t(lathe::sizeOf(*lathe::elementOf(type.getElementType())));
}

/// Returns the length of the field for the type.
static int64_t typedLength(const TensorProto &proto) {
  switch (proto.data_type()) {
  case TensorProto::FLOAT:
    return proto.float_data_size();
  case TensorProto::DOUBLE:
    return proto.double_data_size();
  case TensorProto::INT64:
    return proto.int64_data_size();
  case TensorProto::UINT64:
  case TensorProto::UINT32:
    return proto.uint64_data_size();
  default:
    return proto.int32_data_size();
  }
}

std::string onnximport::tensorType(const TensorProto &proto, MLIRContext *context, RankedTensorType &type) {
  Type element = elementTypeOf(proto.data_type(), context);
  if (!element)
    return "its element type is " + nameOfDataType(proto.data_type()) + ", expected " + kElementTypes.str();
  if (proto.dims_size() > kMostRank)
    return "it has " + std::to_string(proto.dims_size()) + " dimensions, expected up to " + std::to_string(kMostRank);
  SmallVector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  int64_t bytes = lathe::sizeOf(*lathe::elementOf(element));
  for (int64_t extent : shape)
    if (extent < 0 || (extent && llvm::MulOverflow(bytes, extent, bytes)))
      return "its shape " + listText(shape) + " exceeds the addressable memory";
  if (proto.has_segment())
    return "it is a segment of a tensor, and segments are not supported";
  auto whole = RankedTensorType::get(shape, element);
  std::optional<FilePlace> place = referredPlace(proto.raw_data());
  int64_t size = sizeOf(whole), count = whole.getNumElements(), held = place ? place->size : proto.raw_data().size();
  bool isExternal = proto.data_location() == TensorProto::EXTERNAL;
  if (!isExternal && proto.has_raw_data() && held != size)
    return "it has " + std::to_string(held) + " bytes, but its shape " + std::to_string(size);
  if (!isExternal && !proto.has_raw_data() && typedLength(proto) != count)
    return "it has " + std::to_string(typedLength(proto)) + " elements, but its shape " + std::to_string(count);
  type = whole;
  return "";
}

/// Copies a list of numbers of the schema as elements of a narrower or equal type.
template <typename T, typename Field>
static std::string pack(const Field &field) {
  std::string bytes(field.size() * sizeof(T), 0);
  for (int i = 0; i < field.size(); ++i) {
    T value = T(field.Get(i));
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

/// Returns the elements of the field for the type, as bytes.
static std::string packTyped(const TensorProto &proto) {
  switch (proto.data_type()) {
  case TensorProto::FLOAT:
    return pack<float>(proto.float_data());
  case TensorProto::DOUBLE:
    return pack<double>(proto.double_data());
  case TensorProto::INT64:
    return pack<int64_t>(proto.int64_data());
  case TensorProto::UINT64:
    return pack<uint64_t>(proto.uint64_data());
  case TensorProto::UINT32:
    return pack<uint32_t>(proto.uint64_data());
  case TensorProto::INT32:
    return pack<int32_t>(proto.int32_data());
  case TensorProto::BOOL:
    return pack<bool>(proto.int32_data());
  case TensorProto::INT8:
  case TensorProto::UINT8:
    return pack<uint8_t>(proto.int32_data());
  default: // 16 bits wide; halves are stored as their bits
    return pack<uint16_t>(proto.int32_data());
  }
}

std::string onnximport::takeTensor(TensorProto &proto, ExternalFiles &files, MLIRContext *context, TensorData &data) {
  if (std::string reason = tensorType(proto, context, data.type); !reason.empty())
    return reason;
  if (proto.data_location() == TensorProto::EXTERNAL) {
    if (std::string reason = files.read(proto, sizeOf(data.type), data); !reason.empty())
      return reason;
  } else if (std::optional<FilePlace> place = referredPlace(proto.raw_data())) {
    if (std::string reason = files.refer(*place, data); !reason.empty())
      return reason;
  } else {
    data.keep(proto.has_raw_data() ? std::move(*proto.mutable_raw_data()) : packTyped(proto));
  }
  if (data.type.getElementType().isInteger(1)) {
    std::string truths(data.bytes.begin(), data.bytes.end());
    for (char &byte : truths)
      byte = byte != 0;
    data.keep(std::move(truths));
  }
  return "";
}

ElementsAttr onnximport::toAttr(TensorData data, StringRef name) {
  return constantAttr(data.type, data.bytes, std::move(data.holder), name);
}

/// Reads the elements. Returns false if one does not fit into int64_t.
template <typename T>
static bool readAll(const TensorData &data, Known &known) {
  for (size_t i = 0; i < data.bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, data.bytes.data() + i, sizeof(T));
    if constexpr (std::is_floating_point_v<T> || isHalfOf<T>)
      known.elements.push_back(Scalar::of(double(value)));
    else if (std::is_same_v<T, uint64_t> && uint64_t(value) > uint64_t(INT64_MAX))
      return false;
    else
      known.elements.push_back(Scalar::of(Dim(int64_t(value))));
  }
  return true;
}

std::optional<Known> onnximport::toKnown(const TensorData &data) {
  std::optional<Element> element = lathe::elementOf(data.type.getElementType());
  bool isReal = isa<FloatType>(data.type.getElementType());
  if (!element || !knownSize(data.type.getShape()) || (isReal && data.type.getNumElements() > kMostKnownReals))
    return std::nullopt;
  Known known{data.type.getElementType(), data.type.getShape().vec(), {}};
  if (element == Element::I1) // one byte each, of any value in an untrusted file
    element = Element::U8;
  bool isRead =
      visitOneOf<Float16, BFloat16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
          *element, [&](auto zero) { return readAll<decltype(zero)>(data, known); });
  return isRead ? std::optional(std::move(known)) : std::nullopt;
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
