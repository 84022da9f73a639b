#include "dialects/Lathe/Interpreter/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace lathe;

template <Element E>
static const llvm::fltSemantics &semanticsOf() {
  return E == Element::F16 ? APFloat::IEEEhalf() : APFloat::BFloat();
}

template <Element E>
Half<E>::Half(double value) {
  APFloat rounded(value);
  bool inexact;
  rounded.convert(semanticsOf<E>(), APFloat::rmNearestTiesToEven, &inexact);
  bits = rounded.bitcastToAPInt().getZExtValue();
}

template <Element E>
Half<E>::operator double() const {
  return APFloat(semanticsOf<E>(), APInt(16, bits)).convertToDouble();
}

template struct lathe::Half<Element::F16>;
template struct lathe::Half<Element::BF16>;

std::optional<int64_t> lathe::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    empty |= extent == 0;
    if (extent && llvm::MulOverflow(count, extent, count))
      return std::nullopt;
  }
  if (empty)
    return 0;
  return count <= (int64_t(1) << 40) ? std::optional(count) : std::nullopt;
}

Tensor::Tensor(Element element, ArrayRef<int64_t> shape) : element(element), shape(shape.begin(), shape.end()) {
  bytes.resize(*countElements(shape) * sizeOf(element));
}

Tensor Tensor::reshaped(ArrayRef<int64_t> newShape) const {
  Tensor result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

double Tensor::at(int64_t i) const {
  return visitAny(element, [&](auto zero) { return double(data<decltype(zero)>()[i]); });
}

/// Fills a tensor with the bytes of one element, for splats.
static void fill(Tensor &tensor, ArrayRef<char> one) {
  std::vector<char> &bytes = tensor.getBytes();
  for (size_t i = 0; i < bytes.size(); i += one.size())
    std::memcpy(bytes.data() + i, one.data(), one.size());
}

std::optional<Tensor> Tensor::fromAttr(ElementsAttr attr) {
  std::optional<Element> element = lathe::elementOf(attr.getElementType());
  ShapedType type = attr.getShapedType();
  if (!element || !type.hasStaticShape() || !countElements(type.getShape()))
    return std::nullopt;
  Tensor tensor(*element, type.getShape());
  ArrayRef<char> raw;
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    if (*element == Element::I1) { // packed bits in some representations
      for (auto [i, value] : llvm::enumerate(dense.getValues<bool>()))
        tensor.data<bool>()[i] = value;
      return tensor;
    }
    raw = dense.getRawData();
    if (dense.isSplat()) {
      fill(tensor, raw.take_front(sizeOf(*element)));
      return tensor;
    }
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    raw = blob ? blob->getData() : ArrayRef<char>();
  }
  if (raw.size() != tensor.bytes.size())
    return std::nullopt;
  if (!raw.empty())
    std::memcpy(tensor.bytes.data(), raw.data(), raw.size());
  return tensor;
}
