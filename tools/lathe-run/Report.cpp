#include "tools/lathe-run/Report.h"
#include "lib/Support/Text.h"
#include <cmath>
#include <fmt/format.h>

using namespace lathe;

static constexpr int64_t kShown = 16;

/// Returns the shortest text that reads back as the same element; five digits for a half.
static std::string elementText(const Tensor &tensor, int64_t i) {
  return visitAny(tensor.getElement(), [&](auto zero) {
    auto element = tensor.data<decltype(zero)>()[i];
    if (double number(element); std::isnan(number)) // of either sign
      return std::string("nan");
    if constexpr (isHalfOf<decltype(zero)>)
      return fmt::format("{:.5g}", double(element));
    else
      return fmt::format("{}", element);
  });
}

/// Compares two elements, even integers that are equal as doubles.
static bool isLess(const Tensor &tensor, int64_t i, int64_t j) {
  return visitAny(tensor.getElement(), [&](auto zero) {
    auto left = tensor.data<decltype(zero)>()[i], right = tensor.data<decltype(zero)>()[j];
    if constexpr (isHalfOf<decltype(zero)>)
      return double(left) < double(right);
    else
      return left < right;
  });
}

std::string describe(const std::string &name, const Tensor &tensor) {
  if (tensor.getRank() == 0)
    return name + " = " + elementText(tensor, 0);
  std::string text = name + ": " + nameOf(tensor.getElement()).str();
  for (int64_t extent : tensor.getShape())
    text += fmt::format("[{}]", extent);
  int64_t size = tensor.size(), lowest = 0, highest = 0;
  if (size == 0)
    return text + " empty";
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    double value = tensor.at(i);
    sum += value;
    if (isLess(tensor, i, lowest) || std::isnan(value))
      lowest = i;
    if (isLess(tensor, highest, i) || std::isnan(value))
      highest = i;
  }
  text += " min " + elementText(tensor, lowest) + " max " + elementText(tensor, highest) +
          (std::isnan(sum) ? " mean nan:" : fmt::format(" mean {:.6g}:", sum / size));
  for (int64_t i = 0; i < std::min(size, kShown); ++i)
    text += " " + elementText(tensor, i);
  return size > kShown ? text + " ..." : text;
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
