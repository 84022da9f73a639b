#include "tools/lathe-run/Gradcheck.h"
#include "lib/Support/Terminal.h"
#include "lib/Support/Text.h"
#include "passes/Gradcheck/Gradcheck.h"
#include "tools/lathe-run/Differences.h"
#include "tools/lathe-run/Inputs.h"
#include "tools/lathe-run/Report.h"
#include <cmath>
#include <fmt/format.h>
#include <random>

using namespace lathe;

namespace {
constexpr int kDirections = 8;
constexpr int64_t kEntries = 32;

/// A tensor by which the function is differentiated.
struct Checked {
  size_t input;
  std::string name;
  Tensor gradient;
};

/// The results of the samples of one tensor, or of all.
struct Tally {
  int64_t samples = 0, skipped = 0, zeros = 0; // zeros: derivative and difference are below the rounding of f64
  int64_t flat = 0;                            // derivative and difference are zero, exactly or within rounding
  double worst = 0;                            // largest relative error of all samples
  std::string fault;                           // the worst sample that disagrees
  bool isUndecided = false;                    // the fault is that too many samples had to be skipped

  /// True if samples agree, and none of them has seen a derivative.
  bool saysLittle() const { return flat > 0 && flat == samples - skipped; }

  std::string remarks() const {
    std::string text = fmt::format("largest error {:.1e}, {} skipped", worst, skipped);
    return zeros ? text + fmt::format(", {} zero within rounding", zeros) : text;
  }
  void add(const Tally &other) {
    samples += other.samples;
    skipped += other.skipped;
    zeros += other.zeros;
    worst = std::max(worst, other.worst);
  }
};

/// The entries of one subject; see passes/Gradcheck.
class Subject {
public:
  Subject(Runner &runner, unsigned number, const RunOptions &options, Progress &progress)
      : runner(runner), number(number), options(options), progress(progress) {}

  std::optional<Failure> prepare();
  std::optional<Failure> checkAll();
  std::optional<Failure> checkForward();
  Tally total;
  size_t tensors = 0, faulty = 0, undecided = 0;

private:
  Expected<Tensors> run(llvm::StringRef entry, const Tensors &arguments);
  std::optional<Failure> takeInputs(const Tensors &given);
  std::optional<Failure> takeGradients();
  Expected<Tally> check(const Checked &checked);
  std::optional<Failure> sample(const Checked &checked, const std::vector<double> &direction, const std::string &place,
                                Tally &tally);
  std::vector<int64_t> chooseEntries(int64_t size) const;

  Runner &runner;
  unsigned number;
  const RunOptions &options;
  Progress &progress;
  Signature signature; // of the value entry
  Tensors inputs, values, cotangents;
  std::vector<Checked> checked;
};
} // namespace

static Tensors joined(const Tensors &a, const Tensors &b) {
  Tensors all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

static bool isVariable(const Parameter &input) { return llvm::StringRef(input.name).starts_with(gradcheck::kVariable); }

static double dot(const double *a, const double *b, int64_t size) {
  double sum = 0;
  for (int64_t i = 0; i < size; ++i)
    sum += a[i] * b[i];
  return sum;
}

Expected<Tensors> Subject::run(llvm::StringRef entry, const Tensors &arguments) {
  if (std::optional<Failure> failure = runner.select((entry + llvm::Twine(number)).str()))
    return *failure;
  return runner.run(arguments);
}

/// Chooses the point at which derivatives are taken, and the cotangents of the results there.
std::optional<Failure> Subject::prepare() {
  if (std::optional<Failure> failure = runner.select((gradcheck::kValue + llvm::Twine(number)).str()))
    return failure;
  signature = runner.getSignature();
  Signature own = signature;
  own.function = options.function;
  llvm::erase_if(own.inputs, isVariable);
  Expected<Tensors> given = makeInputs(own, options);
  if (auto *failure = std::get_if<Failure>(&given))
    return *failure;
  if (std::optional<Failure> failure = takeInputs(std::get<Tensors>(given)))
    return failure;
  runner.setPrints(true); // only this evaluation shows the graph's prints
  Expected<Tensors> results = run(gradcheck::kValue, inputs);
  runner.setPrints(false);
  if (auto *failure = std::get_if<Failure>(&results))
    return *failure;
  values = std::get<Tensors>(std::move(results));
  for (const Tensor &value : values) {
    for (int64_t i = 0; i < value.size(); ++i)
      if (!std::isfinite(value.at(i)))
        return Failure{kDiffers, "a result is not finite here, so its derivative cannot be checked"};
    // At least a half each, so that every result counts; 1 if there is only one number.
    Tensor &cotangent = cotangents.emplace_back(randomTensor(cotangents.size() + 1000, Element::F64, value.getShape()));
    for (int64_t i = 0; i < value.size(); ++i)
      cotangent.data<double>()[i] =
          value.getRank() == 0 ? 1 : std::copysign(1 + std::fabs(cotangent.at(i)), cotangent.at(i)) / 2;
  }
  return takeGradients();
}

/// Sets the inputs. Variables have their values from @init.
std::optional<Failure> Subject::takeInputs(const Tensors &given) {
  Expected<Tensors> variables = Tensors();
  if (given.size() < signature.inputs.size())
    variables = run(gradcheck::kVariables, {});
  if (auto *failure = std::get_if<Failure>(&variables))
    return *failure;
  auto nextGiven = given.begin(), nextVariable = std::get<Tensors>(variables).cbegin();
  for (const Parameter &input : signature.inputs)
    inputs.push_back(isVariable(input) ? *nextVariable++ : *nextGiven++);
  return std::nullopt;
}

std::optional<Failure> Subject::takeGradients() {
  Expected<Tensors> gradients = run(gradcheck::kReverse, joined(inputs, cotangents));
  if (auto *failure = std::get_if<Failure>(&gradients))
    return *failure;
  std::vector<std::string> variables = runner.getVariables();
  for (auto [i, result] : llvm::enumerate(runner.getSignature().results)) {
    llvm::StringRef by = result.name, name;
    size_t input = 0, variable = 0;
    by.consume_front(gradcheck::kGradient);
    by.getAsInteger(10, input);
    name = signature.inputs[input].name;
    if (name.consume_front(gradcheck::kVariable) && !name.getAsInteger(10, variable))
      name = variables[variable];
    checked.push_back({input, name.str(), std::get<Tensors>(gradients)[i]});
  }
  return std::nullopt;
}

/// Draws 32 entries without repetition, or returns all of them for a smaller tensor or for --gradcheck=all.
std::vector<int64_t> Subject::chooseEntries(int64_t size) const {
  std::vector<int64_t> entries(size);
  for (int64_t i = 0; i < size; ++i)
    entries[i] = i;
  if (options.gradcheck == "all" || size <= kEntries)
    return entries;
  std::mt19937_64 random(size);
  for (int64_t i = 0; i < kEntries; ++i)
    std::swap(entries[i], entries[i + int64_t(random() % uint64_t(size - i))]);
  entries.resize(kEntries);
  return entries;
}

std::optional<Failure> Subject::sample(const Checked &checked, const std::vector<double> &direction, const std::string &place,
                                       Tally &tally) {
  const double *gradient = checked.gradient.data<double>();
  int64_t size = checked.gradient.size();
  double derivative = dot(gradient, direction.data(), size), typical = std::sqrt(dot(gradient, gradient, size) / double(size));
  Differences differences(runner, inputs, checked.input, values, cotangents);
  Expected<Difference> result = differences.along(direction, typical);
  if (auto *failure = std::get_if<Failure>(&result))
    return *failure;
  const Difference &difference = std::get<Difference>(result);
  ++tally.samples;
  Judgement judgement = judge(derivative, typical, difference);
  tally.skipped += judgement.kind == Judgement::Untold;
  tally.zeros += judgement.kind == Judgement::Zero;
  tally.flat +=
      judgement.kind == Judgement::Zero || (judgement.kind == Judgement::Agrees && derivative == 0 && difference.value == 0);
  if (judgement.kind == Judgement::Differs && (tally.fault.empty() || judgement.relative > tally.worst))
    tally.fault = fmt::format("'{}'{}: derivative {:.10g}, by finite differences {:.10g}", checked.name, place, derivative,
                              difference.value);
  tally.worst = std::max(tally.worst, judgement.relative);
  return std::nullopt;
}

Expected<Tally> Subject::check(const Checked &checked) {
  int64_t size = checked.gradient.size();
  Tally tally;
  for (int i = 0; i < kDirections && size > 1; ++i) {
    Tensor random = randomTensor(i + 2000, Element::F64, {size});
    std::vector<double> direction(random.data<double>(), random.data<double>() + size);
    double norm = std::sqrt(dot(direction.data(), direction.data(), size));
    for (double &element : direction)
      element /= norm;
    if (std::optional<Failure> failure = sample(checked, direction, fmt::format(" along direction {}", i), tally))
      return *failure;
  }
  int64_t directions = tally.samples;
  std::vector<double> direction(size);
  for (int64_t entry : chooseEntries(size)) {
    progress.set(fmt::format("'{}', sample {}", checked.name, tally.samples + 1));
    direction[entry] = 1;
    std::string place = listText(indexOf(entry, checked.gradient.getShape()));
    if (std::optional<Failure> failure = sample(checked, direction, place, tally))
      return *failure;
    direction[entry] = 0;
  }
  progress.clear();
  std::printf("%s %s: %lld directions, %lld of %lld entries, %s\n", checked.name.c_str(),
              listText(checked.gradient.getShape()).c_str(), (long long)directions, (long long)(tally.samples - directions),
              (long long)size, tally.remarks().c_str());
  if (tally.saysLittle()) {
    std::fflush(stdout); // keep the order of output and message
    std::fprintf(
        stderr,
        "lathe-run: warning: '%s': every sampled derivative is zero, so the check says little; try other inputs, or check that "
        "the result depends on this tensor\n",
        checked.name.c_str());
  }
  tally.isUndecided = tally.fault.empty() && 4 * tally.skipped > tally.samples;
  if (tally.isUndecided)
    tally.fault =
        fmt::format("'{}': {} of {} samples had to be skipped, too many for a verdict; try other inputs or another --seed",
                    checked.name, tally.skipped, tally.samples);
  return tally;
}

std::optional<Failure> Subject::checkAll() {
  if (std::optional<Failure> failure = runner.select((gradcheck::kValue + llvm::Twine(number)).str()))
    return failure;
  for (const Checked &tensor : checked) {
    Expected<Tally> result = check(tensor);
    if (auto *failure = std::get_if<Failure>(&result))
      return *failure;
    const Tally &tally = std::get<Tally>(result);
    if (!tally.fault.empty()) {
      progress.clear();
      std::fflush(stdout); // keep the order of output and message
      std::fprintf(stderr, "lathe-run: error: %s\n", tally.fault.c_str());
      ++faulty;
      undecided += tally.isUndecided;
    }
    total.add(tally);
    ++tensors;
  }
  return std::nullopt;
}

/// Checks that forward and reverse mode are transposes: <cotangents, jvp t> = <vjp cotangents, t>.
std::optional<Failure> Subject::checkForward() {
  if (runner.select((gradcheck::kForward + llvm::Twine(number)).str())) {
    std::printf("forward mode: not checked, a function of lathe.extern declares no tangent\n");
    return std::nullopt;
  }
  Tensors tangents;
  double reverse = 0, forward = 0, size = 0, values = 0;
  for (const Checked &tensor : checked) {
    const Tensor &tangent =
        tangents.emplace_back(randomTensor(tangents.size() + 3000, Element::F64, tensor.gradient.getShape()));
    reverse += dot(tensor.gradient.data<double>(), tangent.data<double>(), tangent.size());
    for (int64_t i = 0; i < tangent.size(); ++i)
      size += std::fabs(tensor.gradient.at(i) * tangent.at(i));
  }
  Expected<Tensors> results = run(gradcheck::kForward, joined(inputs, tangents));
  if (auto *failure = std::get_if<Failure>(&results))
    return *failure;
  for (auto [tangent, cotangent, value] : llvm::zip_equal(std::get<Tensors>(results), cotangents, this->values)) {
    forward += dot(tangent.data<double>(), cotangent.data<double>(), cotangent.size());
    for (int64_t i = 0; i < value.size(); ++i)
      values += std::fabs(value.at(i) * cotangent.at(i));
  }
  // Gradients that are zero except for rounding are compared at the scale of the values.
  double error = forward == reverse ? 0 : std::fabs(forward - reverse) / std::max(size, 1e-3 * values);
  std::printf("forward mode: jvp and vjp differ by %.1e\n", error);
  if (error <= 1e-10)
    return std::nullopt;
  return Failure{kDiffers, fmt::format("<c, jvp t> is {:.10g}, <vjp c, t> is {:.10g}", forward, reverse)};
}

static Expected<std::unique_ptr<Runner>> createSubjects(RunOptions options) {
  if (options.isObject())
    return Failure{kWrongUsage, "--gradcheck needs the graph; the derivatives of an object are fixed"};
  options.compile.gradcheck = options.function;
  options.function = (gradcheck::kValue + llvm::Twine(0)).str();
  options.after = "autodiff";
  return createRunner(options);
}

std::optional<Failure> gradcheck(const RunOptions &options) {
  Expected<std::unique_ptr<Runner>> created = createSubjects(options);
  if (auto *failure = std::get_if<Failure>(&created))
    return *failure;
  Runner &runner = *std::get<std::unique_ptr<Runner>>(created);
  Progress progress("gradcheck");
  Tally total;
  size_t tensors = 0, faulty = 0, undecided = 0;
  std::optional<Failure> differs;
  for (unsigned number = 0; !runner.select((gradcheck::kValue + llvm::Twine(number)).str()); ++number) {
    Subject subject(runner, number, options, progress);
    for (auto step : {&Subject::prepare, &Subject::checkAll, &Subject::checkForward})
      if (std::optional<Failure> failure = (subject.*step)()) {
        if (failure->code != kDiffers)
          return failure;
        differs = failure;
        break;
      }
    total.add(subject.total);
    tensors += subject.tensors;
    faulty += subject.faulty;
    undecided += subject.undecided;
  }
  progress.clear();
  std::printf("gradcheck: %zu of %zu tensors agree to %g: %lld derivatives, %s\n", tensors - faulty, tensors,
              kGradcheckTolerance, (long long)total.samples, total.remarks().c_str());
  if (differs)
    return differs;
  if (faulty && faulty == undecided)
    return Failure{kDiffers, "finite differences give no verdict on the derivatives"};
  if (faulty)
    return Failure{kDiffers, "derivatives differ from finite differences"};
  return std::nullopt;
}
