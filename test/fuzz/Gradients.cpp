// Derivatives of a compiled graph against central differences of the compiled graph.
#include "test/fuzz/Check.h"
#include "tools/lathe-run/Differences.h"
#include <cmath>
#include <fmt/format.h>

using namespace lathe;
using namespace fuzz;

namespace {
class Gradients {
public:
  Gradients(Runner &runner, const Graph &graph, const std::string &name, Counts &counts)
      : runner(runner), name(name), counts(counts), inputs(graph.arguments()), random(graph.nodes.size() + 17) {}

  std::string run() {
    Tensors forward, reverse;
    if (std::string text = call("", inputs, values); !text.empty())
      return text;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].getElement() == Element::F64)
        wrt.push_back(i), tangents.push_back(direction(inputs[i]));
    for (const Tensor &value : values)
      cotangents.push_back(weights(value));
    if (std::string text = call("_vjp", joined(inputs, cotangents), reverse); !text.empty())
      return text;
    if (std::string text = call("_jvp", joined(inputs, tangents), forward); !text.empty())
      return text;
    gradients.assign(reverse.begin() + values.size(), reverse.end());
    forward.erase(forward.begin(), forward.begin() + values.size());
    if (!isFinite(values) || !isFinite(gradients) || !isFinite(forward))
      return ++counts.infinite, ""; // nothing that differences could say; the interpreter is the judge there
    ++counts.differentiated;
    if (std::string text = compareModes(forward); !text.empty())
      return text;
    (void)runner.select(name);
    for (size_t k = 0; k < wrt.size(); ++k)
      if (std::string text = compareInput(k); !text.empty())
        return text;
    return "";
  }

private:
  static Tensors joined(Tensors a, const Tensors &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  static bool isFinite(const Tensors &tensors) {
    for (const Tensor &tensor : tensors)
      for (int64_t i = 0; i < tensor.size(); ++i)
        if (!(std::fabs(tensor.at(i)) < 1e100))
          return false;
    return true;
  }

  std::string call(const char *suffix, const Tensors &arguments, Tensors &results) {
    std::optional<Failure> failure = runner.select(name + suffix);
    Expected<Tensors> outcome = failure ? Expected<Tensors>(*failure) : runner.run(arguments);
    if (auto *failed = std::get_if<Failure>(&outcome))
      return fmt::format("{}: {} fails: {}", kGradients, name + suffix, failed->reason);
    results = std::get<Tensors>(std::move(outcome));
    return "";
  }

  double uniform() { return double(random() >> 11) * 0x1p-52 - 1; }

  /// At least a half each, so that no result is lost.
  Tensor weights(const Tensor &value) {
    Tensor tensor(Element::F64, value.getShape());
    for (int64_t i = 0; i < tensor.size(); ++i) {
      double drawn = uniform();
      tensor.data<double>()[i] = std::copysign(0.5 + std::fabs(drawn) / 2, drawn);
    }
    return tensor;
  }

  /// Draws a direction of length 1.
  Tensor direction(const Tensor &input) {
    Tensor tensor = weights(input);
    double norm = std::sqrt(dot(tensor, tensor));
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.data<double>()[i] /= norm;
    return tensor;
  }

  static double dot(const Tensor &a, const Tensor &b) {
    double sum = 0;
    for (int64_t i = 0; i < a.size(); ++i)
      sum += a.at(i) * b.at(i);
    return sum;
  }

  /// <cotangents, jvp t> = <vjp cotangents, t>. Each sum rounds with the magnitudes of its terms; one whose terms are zero but
  /// for the rounding of what cancelled in them, with that of slopes around 1.
  std::string compareModes(const Tensors &forward) {
    double left = 0, right = 0, size = 0;
    auto add = [&](double &sum, const Tensor &a, const Tensor &b) {
      for (int64_t i = 0; i < a.size(); ++i)
        sum += a.at(i) * b.at(i), size += std::fabs(a.at(i) * b.at(i));
    };
    for (size_t r = 0; r < values.size(); ++r) {
      add(left, cotangents[r], forward[r]);
      for (int64_t i = 0; i < values[r].size(); ++i)
        size += 1e-3 * (1 + std::fabs(values[r].at(i)));
    }
    for (size_t k = 0; k < wrt.size(); ++k)
      add(right, gradients[k], tangents[k]);
    if (left == right || std::fabs(left - right) <= 1e-9 * size)
      return "";
    return fmt::format("{}: <c, jvp t> is {:.12g}, <vjp c, t> is {:.12g}", kGradients, left, right);
  }

  /// Along a direction, and along three entries.
  std::string compareInput(size_t k) {
    int64_t size = gradients[k].size();
    if (size == 0)
      return "";
    if (std::string text = compareAlong(k, tangents[k], "a direction"); !text.empty() || size == 1)
      return text;
    for (int i = 0; i < 3; ++i) {
      Tensor entry(Element::F64, gradients[k].getShape());
      int64_t place = below(random, size);
      entry.data<double>()[place] = 1;
      if (std::string text = compareAlong(k, entry, fmt::format("entry {}", place)); !text.empty())
        return text;
    }
    return "";
  }

  /// Terms with slopes around 1 that cancel to zero leave their rounding errors.
  static bool isRounding(double derivative, double difference) { return std::fabs(derivative - difference) <= 1e-12; }

  /// True if the function would change by a good part of its own size within a step: a sine of huge numbers turns there.
  bool isTooSteep(double derivative, size_t k) const {
    constexpr double kStep = 0x1p-20, kPart = 0.25;
    double squares = 0;
    for (size_t r = 0; r < values.size(); ++r)
      for (int64_t i = 0; i < values[r].size(); ++i)
        squares += std::pow(values[r].at(i) * cotangents[r].at(i), 2);
    double norm = std::sqrt(dot(inputs[wrt[k]], inputs[wrt[k]]) / std::max<double>(1, inputs[wrt[k]].size()));
    return std::fabs(derivative) * kStep * std::max(1.0, norm) > kPart * std::sqrt(squares);
  }

  std::string compareAlong(size_t k, const Tensor &along, const std::string &place) {
    const Tensor &gradient = gradients[k];
    double derivative = dot(gradient, along), typical = std::sqrt(dot(gradient, gradient) / double(gradient.size()));
    ::Differences differences(runner, inputs, wrt[k], values, cotangents);
    std::vector<double> line(along.data<double>(), along.data<double>() + along.size());
    Expected<::Difference> outcome = differences.along(line, typical);
    if (auto *failure = std::get_if<Failure>(&outcome))
      return fmt::format("{}: {}", kGradients, failure->reason);
    const ::Difference &difference = std::get<::Difference>(outcome);
    Judgement judgement = judge(derivative, typical, difference);
    ++counts.derivatives;
    counts.skipped += judgement.kind == Judgement::Untold;
    if (judgement.kind != Judgement::Differs || isRounding(derivative, difference.value))
      return "";
    if (isTooSteep(derivative, k))
      return ++counts.skipped, "";
    return fmt::format("{}: by argument {} along {}: derivative {:.12g}, by differences {:.12g}", kGradients, wrt[k], place,
                       derivative, difference.value);
  }

  Runner &runner;
  const std::string &name;
  Counts &counts;
  Tensors inputs, values, cotangents, tangents, gradients;
  std::vector<size_t> wrt;
  Random random;
};
} // namespace

std::string fuzz::compareGradients(Runner &runner, const Graph &graph, const std::string &name, Counts &counts) {
  return Gradients(runner, graph, name, counts).run();
}
