// lathe.convert, and computation on halves in f32.
#include "dialects/Lathe/Interpreter/Scalars.h"
#include "dialects/Lathe/Interpreter/Tensor.h"

using namespace lathe;

/// Returns the same number in the widest type of its kind.
template <typename T>
static auto widest(T value) {
  if constexpr (isHalfOf<T> || std::floating_point<T>)
    return double(value);
  else if constexpr (std::signed_integral<T>)
    return int64_t(value);
  else
    return uint64_t(value);
}

/// Converts to a narrower type. Integers are converted to halves through f32, rounded twice, as in compiled code.
template <typename U, typename T>
static U narrowed(T value) {
  if constexpr (isHalfOf<U>)
    return U(std::integral<T> ? double(float(value)) : double(value));
  else
    return scalar::convert<U>(value);
}

Tensor lathe::convert(const Tensor &tensor, Element to) {
  Tensor result(to, tensor.getShape());
  visitAny(tensor.getElement(), [&](auto from) {
    return visitAny(to, [&](auto zero) {
      const auto *source = tensor.data<decltype(from)>();
      auto *target = result.data<decltype(zero)>();
      for (int64_t i = 0, size = tensor.size(); i < size; ++i)
        target[i] = narrowed<decltype(zero)>(widest(source[i]));
      return true;
    });
  });
  return result;
}
