// Numbers for inputs.
#include "test/fuzz/Bounds.h"
#include "test/fuzz/Graph.h"
#include <cmath>
#include <limits>

using namespace lathe;

static double specialFloat(Random &random, Element element) {
  const auto [unit, least, normal, largest] = fuzz::formatOf(element);
  const double inf = std::numeric_limits<double>::infinity();
  const double list[] = {0,       -0.0,     1,     -1,     0.5,          -0.5,    2,          inf, -inf, std::nan(""),
                         largest, -largest, least, -least, normal,       -normal, normal / 2, 3,   1e4,  -1e4,
                         127,     128,      255.5, -129,   2147483648.0, 1.5,     2.5,        -2.5};
  return list[below(random, std::size(list))];
}

template <typename T>
static T specialInteger(Random &random) {
  const T list[] = {0,  1,  T(-1),      std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 2, 3, T(-2), 7,
                    31, 64, T(random())};
  return list[below(random, std::size(list))];
}

static double drawFloat(Random &random, Element element, Values values) {
  if (values == Values::Wild && below(random, 3) == 0)
    return specialFloat(random, element);
  double size = 0.25 + 1.75 * double(random() >> 11) * 0x1p-53;
  if (values == Values::Wild && below(random, 3) == 0)
    size = std::ldexp(size, int(below(random, 24)) - 12);
  return values != Values::Positive && (random() & 1) ? -size : size;
}

Tensor drawTensor(Random &random, Element element, llvm::ArrayRef<int64_t> shape, Values values) {
  Tensor tensor(element, shape);
  visitAny(element, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < tensor.size(); ++i)
      if constexpr (std::is_same_v<T, bool>)
        tensor.data<T>()[i] = random() & 1;
      else if constexpr (std::is_integral_v<T>)
        tensor.data<T>()[i] = values == Values::Wild
                                  ? specialInteger<T>(random)
                                  : T(below(random, 8) - (values == Values::Tame && std::is_signed_v<T> ? 2 : 0));
      else
        tensor.data<T>()[i] = T(drawFloat(random, element, values));
    return 0;
  });
  return tensor;
}
