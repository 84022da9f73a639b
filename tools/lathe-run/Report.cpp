#include "tools/lathe-run/Report.h"
#include "lib/Support/Text.h"
#include "runtime/text.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

using namespace lathe;

/// Returns what `write` writes to a file.
static std::string written(llvm::function_ref<void(FILE *)> write) {
  char *text = nullptr;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  write(out);
  std::fclose(out);
  std::string copy(text, size);
  std::free(text);
  return copy;
}

static std::string elementText(const Tensor &tensor, int64_t i) {
  return written([&](FILE *out) { lathe_write_element(out, lathe_dtype(tensor.getElement()), tensor.getBytes().data(), i); });
}

std::string describe(const std::string &name, const Tensor &tensor) {
  return name + written([&](FILE *out) {
           lathe_write_tensor(out, lathe_dtype(tensor.getElement()), tensor.getRank(), tensor.getShape().data(),
                              tensor.getBytes().data());
         });
}

std::vector<int64_t> indexOf(int64_t element, llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    index[d] = element % shape[d];
    element /= shape[d];
  }
  return index;
}

/// Returns the distance of two elements, also for integers that are equal as doubles.
static double distanceOf(const Tensor &a, const Tensor &b, int64_t i) {
  return visitAny(a.getElement(), [&](auto zero) {
    auto left = a.data<decltype(zero)>()[i], right = b.data<decltype(zero)>()[i];
    if constexpr (std::is_integral_v<decltype(zero)>)
      return double(left > right ? uint64_t(left) - uint64_t(right) : uint64_t(right) - uint64_t(left));
    else {
      double x(left), y(right);
      return x == y || (std::isnan(x) && std::isnan(y)) ? 0 : std::fabs(x - y);
    }
  });
}

/// Returns the distance in units of the tolerance; values up to 1 are inside.
static double excess(double distance, double expected, double rtol, double atol) {
  if (distance == 0)
    return 0;
  double tolerance = atol + rtol * std::fabs(expected);
  if (std::isnan(distance) || std::isinf(distance))
    return INFINITY;
  return distance <= tolerance ? distance / (tolerance ? tolerance : 1) : std::max(distance / tolerance, 1.0000001);
}

std::string compare(const Tensor &actual, const Tensor &expected, double rtol, double atol) {
  if (actual.getElement() != expected.getElement() || actual.getShape() != expected.getShape())
    return fmt::format("is {}{}, expected {}{}", nameOf(actual.getElement()).str(), listText(actual.getShape()),
                       nameOf(expected.getElement()).str(), listText(expected.getShape()));
  int64_t worst = 0, outside = 0;
  double worstExcess = 0;
  for (int64_t i = 0, size = actual.size(); i < size; ++i) {
    double amount = excess(distanceOf(actual, expected, i), expected.at(i), rtol, atol);
    outside += amount > 1;
    if (amount > worstExcess) {
      worst = i;
      worstExcess = amount;
    }
  }
  if (outside == 0)
    return "";
  return fmt::format("{} of {} elements differ, the worst at {}: {}, expected {} (rtol {:g}, atol {:g})", outside,
                     actual.size(), listText(indexOf(worst, actual.getShape())), elementText(actual, worst),
                     elementText(expected, worst), rtol, atol);
}

std::string agreement(const Tensor &actual, const Tensor &expected) {
  double furthest = 0, largest = 0;
  int64_t notFinite = 0;
  for (int64_t i = 0, size = actual.size(); i < size; ++i) {
    double value = expected.at(i);
    notFinite += !std::isfinite(value);
    furthest = std::max(furthest, distanceOf(actual, expected, i));
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
  }
  std::string text =
      actual.getBytes() == expected.getBytes() ? "bit for bit" : fmt::format("to {:.2g} of {:.3g}", furthest, largest);
  if (notFinite)
    text += fmt::format(" ({} of {} elements are infinite or NaN in both)", notFinite, actual.size());
  return text;
}
