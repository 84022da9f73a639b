#include "dialects/Lathe/IR/ElementTypes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace lathe;

std::optional<Element> lathe::elementOf(Type type) {
  if (type.isF64())
    return Element::F64;
  if (type.isF32())
    return Element::F32;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
    return integer.isUnsigned() ? std::nullopt : std::optional(Element::I1);
  case 8:
    return integer.isUnsigned() ? Element::U8 : Element::I8;
  case 16:
    return integer.isUnsigned() ? Element::U16 : Element::I16;
  case 32:
    return integer.isUnsigned() ? Element::U32 : Element::I32;
  case 64:
    return integer.isUnsigned() ? Element::U64 : Element::I64;
  default:
    return std::nullopt;
  }
}

std::string lathe::whyNotTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && isElementType(tensor.getElementType()))
    return "";
  std::string text = "expected a ranked tensor of " + kElementTypes.str();
  if (isElementType(type)) {
    llvm::raw_string_ostream out(text);
    out << "; a scalar is a tensor without dimensions: write tensor<" << type << ">";
  }
  return text;
}

StringRef lathe::nameOf(Element element) {
  static constexpr const char *names[] = {"",    "i1",  "i8",  "i16", "i32",  "i64", "u8",
                                          "u16", "u32", "u64", "f16", "bf16", "f32", "f64"};
  return names[int(element)];
}

size_t lathe::sizeOf(Element element) {
  static constexpr size_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  return sizes[int(element)];
}

Type lathe::scalarOf(Type element) {
  return element.isUnsignedInteger() ? IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth()) : element;
}
