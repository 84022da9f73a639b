#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

TypedAttr lathe::numberAttr(Type element, double number) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, number);
  return IntegerAttr::get(element, int64_t(number));
}

Value lathe::emitSplat(OpBuilder &builder, Location location, RankedTensorType type, TypedAttr value) {
  return ConstantOp::create(builder, location, cast<ElementsAttr>(DenseElementsAttr::get(type, Attribute(value))));
}

Value lathe::emitScalar(OpBuilder &builder, Location location, TypedAttr value) {
  return emitSplat(builder, location, RankedTensorType::get({}, value.getType()), value);
}
