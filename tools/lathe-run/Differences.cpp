#include "tools/lathe-run/Differences.h"
#include <cmath>

using namespace lathe;

/// Allowed error of a difference from rounding of the results, in units in the last place.
static constexpr double kRoundings = 8;

Judgement judge(double derivative, double typical, const Difference &difference) {
  if (difference.kind == Difference::Skipped)
    return {};
  double error = std::fabs(derivative - difference.value),
         scale = std::max({std::fabs(derivative), std::fabs(difference.value), typical});
  double relative = error == 0 ? 0 : error / scale;
  if (difference.kind == Difference::Unresolved && error <= difference.rounding) // agrees as far as can be told
    return {std::fabs(derivative) <= difference.rounding ? Judgement::Zero : Judgement::Untold, 0};
  if (relative <= kGradcheckTolerance)
    return {Judgement::Agrees, relative};
  return {Judgement::Differs, std::isnan(relative) ? INFINITY : relative};
}

Differences::Differences(Runner &runner, Tensors &inputs, size_t input, const Tensors &values, const Tensors &cotangents)
    : runner(runner), inputs(inputs), input(input), values(values), cotangents(cotangents) {
  double squares = 0; // roundings are treated as independent
  for (size_t r = 0; r < values.size(); ++r)
    for (int64_t i = 0; i < values[r].size(); ++i)
      squares += std::pow(values[r].at(i) * cotangents[r].at(i), 2);
  magnitude = std::sqrt(squares);
  double sum = 0;
  for (int64_t i = 0; i < inputs[input].size(); ++i)
    sum += std::pow(inputs[input].at(i), 2);
  extent = std::max(1.0, std::sqrt(sum / std::max<double>(1, inputs[input].size())));
}

Expected<Tensors> Differences::moved(const std::vector<double> &direction, double step) {
  Tensor &tensor = inputs[input];
  std::vector<char> before = tensor.getBytes();
  for (size_t i = 0; i < direction.size(); ++i)
    tensor.data<double>()[i] += step * direction[i];
  Expected<Tensors> results = runner.run(inputs);
  tensor.getBytes() = std::move(before);
  return results;
}

Expected<Differences::Sides> Differences::at(const std::vector<double> &direction, double step) {
  Expected<Tensors> above = moved(direction, step), below = moved(direction, -step);
  for (auto *side : {&above, &below})
    if (auto *failure = std::get_if<Failure>(side))
      return *failure;
  Sides sides;
  for (size_t r = 0; r < values.size(); ++r) {
    const double *up = std::get<Tensors>(above)[r].data<double>(), *down = std::get<Tensors>(below)[r].data<double>();
    const double *middle = values[r].data<double>(), *weight = cotangents[r].data<double>();
    for (int64_t i = 0; i < values[r].size(); ++i) { // differences first: they are exact
      sides.slope += weight[i] * (up[i] - down[i]);
      sides.bend += weight[i] * ((up[i] - middle[i]) - (middle[i] - down[i]));
    }
  }
  return Sides{sides.slope / (2 * step), sides.bend / step};
}

// A kink at distance t < h from the middle, where the slope jumps by J, changes the slope by J / 2 * (1 - t / h) and the bend
// by J * (1 - t / h). Halving h changes one of them by a large part of J for any t, also for t = 0, where the slope stays and
// the bend does not halve. Smooth functions change both by terms of h^2 and h^3. So a slope on which both steps agree is a
// derivative. If they disagree, a smaller step may avoid the kink, and a larger one the rounding.
Expected<Difference> Differences::along(const std::vector<double> &direction, double typical) {
  Difference best;
  for (double step : {0x1p-20, 0x1p-24, 0x1p-16, 0x1p-12}) {
    double h = step * extent;
    Expected<Sides> far = at(direction, h), near = at(direction, h / 2);
    for (auto *side : {&far, &near})
      if (auto *failure = std::get_if<Failure>(side))
        return *failure;
    auto [slope, bend] = std::get<Sides>(far);
    auto [halfSlope, halfBend] = std::get<Sides>(near);
    double rounding = kRoundings * 0x1p-53 * magnitude / h,
           tolerance = kGradcheckTolerance * std::max(std::fabs(slope), typical);
    if (!(std::fabs(slope - halfSlope) <= std::max(tolerance / 4, rounding) &&
          std::fabs(bend - 2 * halfBend) <= std::max(tolerance / 2, 8 * rounding)))
      continue;
    if (rounding <= tolerance)
      return Difference{Difference::Resolved, slope, rounding};
    if (best.kind == Difference::Skipped || rounding < best.rounding)
      best = {Difference::Unresolved, slope, rounding};
  }
  return best;
}
