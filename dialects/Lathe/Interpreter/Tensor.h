// Values of the interpreter.
#ifndef LATHE_INTERPRETER_TENSOR_H
#define LATHE_INTERPRETER_TENSOR_H

#include "dialects/Lathe/IR/ElementTypes.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/ADT/ArrayRef.h"
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace lathe {

/// An f16 or bf16 in its storage format.
template <Element E>
struct Half {
  uint16_t bits = 0;
  Half() = default;
  /// Rounds once, ties to even.
  explicit Half(double value);
  explicit operator double() const;
};
using Float16 = Half<Element::F16>;
using BFloat16 = Half<Element::BF16>;

template <typename T>
inline constexpr bool isHalfOf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <typename T>
constexpr Element elementOf() {
  if constexpr (std::is_same_v<T, float>)
    return Element::F32;
  else if constexpr (std::is_same_v<T, double>)
    return Element::F64;
  else if constexpr (std::is_same_v<T, Float16>)
    return Element::F16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return Element::BF16;
  else if constexpr (std::is_same_v<T, bool>)
    return Element::I1;
  else // integers of each signedness are numbered in order of their sizes
    return Element(int(std::is_signed_v<T> ? Element::I8 : Element::U8) + std::countr_zero(sizeof(T)));
}

/// Returns the number of elements of a shape; nullopt for a negative extent or more than 2^40 elements.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// A tensor in row-major order. An i1 is a byte, 0 or 1.
class Tensor {
public:
  Tensor() = default;
  /// Creates a tensor of zeros. countElements must have accepted the shape.
  Tensor(Element element, llvm::ArrayRef<int64_t> shape);
  template <typename T>
  static Tensor scalar(T value) {
    Tensor tensor(elementOf<T>(), {});
    tensor.data<T>()[0] = value;
    return tensor;
  }
  /// Returns the value of a constant; nullopt for an unknown encoding or element type.
  static std::optional<Tensor> fromAttr(mlir::ElementsAttr attr);

  Element getElement() const { return element; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t size() const { return bytes.size() / sizeOf(element); }
  /// Returns the same elements with a shape of the same size.
  Tensor reshaped(llvm::ArrayRef<int64_t> newShape) const;

  template <typename T>
  T *data() {
    return reinterpret_cast<T *>(bytes.data());
  }
  template <typename T>
  const T *data() const {
    return reinterpret_cast<const T *>(bytes.data());
  }
  std::vector<char> &getBytes() { return bytes; }
  const std::vector<char> &getBytes() const { return bytes; }
  /// Returns element i as a number.
  double at(int64_t i) const;

private:
  Element element = Element::F32;
  std::vector<int64_t> shape;
  std::vector<char> bytes;
};

/// Calls f with a zero of the element's C++ type, which must be one of Ts, and returns its result.
template <typename... Ts, typename F>
auto visitOneOf(Element element, F f) {
  using First = std::tuple_element_t<0, std::tuple<Ts...>>;
  decltype(f(First())) result{};
  (void)((element == elementOf<Ts>() && (result = f(Ts()), true)) || ...);
  return result;
}
template <typename F>
auto visitNumber(Element element, F f) {
  return visitOneOf<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(element, f);
}
/// Calls f for integers, without booleans.
template <typename F>
auto visitBits(Element element, F f) {
  return visitOneOf<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(element, f);
}
template <typename F>
auto visitFloat(Element element, F f) {
  return visitOneOf<float, double>(element, f);
}
template <typename F>
auto visitInteger(Element element, F f) {
  return visitOneOf<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(element, f);
}
/// Calls f for all types with C++ arithmetic: all but halves.
template <typename F>
auto visitComputable(Element element, F f) {
  return element == Element::I1 ? f(bool()) : visitNumber(element, f);
}
/// Calls f for all element types.
template <typename F>
auto visitAny(Element element, F f) {
  return element == Element::F16 ? f(Float16()) : element == Element::BF16 ? f(BFloat16()) : visitComputable(element, f);
}

/// Returns the same numbers in another element type; see lathe.convert.
Tensor convert(const Tensor &tensor, Element to);

} // namespace lathe

#endif
