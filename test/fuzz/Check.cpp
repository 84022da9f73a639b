#include "test/fuzz/Check.h"
#include "lathe/Compiler.h"
#include "lib/Compiler/Link.h"
#include "test/fuzz/Reference.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

using namespace lathe;
using namespace fuzz;

struct Checker::Reference {
  Interpreted interpreted;
  std::vector<Tensor> before; // results of the last mode whose bits are its own
};

/// The graphs of one module, under names that are their numbers.
struct Checker::Subjects {
  std::vector<Graph> graphs;
  std::vector<Reference> references;
  std::vector<size_t> places; // among the graphs that were asked for

  static std::string name(size_t i) { return "f" + std::to_string(i); }
  std::string text() const {
    std::string text;
    for (size_t i = 0; i < graphs.size(); ++i)
      text += graphs[i].text(name(i)) + (graphs[i].smooth ? graphs[i].derivatives(name(i)) : "");
    return text;
  }
  std::vector<Interpreted> interpret(const std::string &file) const;
};

/// The first element beyond its bound, in words.
static std::string compare(const Tensor &actual, const Tensor &expected, const Tensor *bound, Counts &counts) {
  if (actual.getElement() != expected.getElement() || actual.getShape() != expected.getShape())
    return "another type";
  size_t width = sizeOf(actual.getElement());
  std::string text;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double allowed = bound ? bound->data<double>()[i] : 0;
    ++(allowed == 0 ? counts.exact : std::isnan(allowed) ? counts.unknown : counts.bounded);
    if (std::isnan(allowed) || std::memcmp(actual.data<char>() + i * width, expected.data<char>() + i * width, width) == 0)
      continue;
    double a = actual.at(i), e = expected.at(i);
    bool same = std::isnan(a) && std::isnan(e) && isFloat(actual.getElement());
    if (!same && !(std::fabs(a - e) <= allowed * 1.001) && text.empty())
      text = fmt::format("element {} of {}{}: {:.17g}, not {:.17g}, bound {:.3g}", i, nameOf(actual.getElement()).str(),
                         fmt::format("{}", actual.getShape().vec()), a, e, allowed);
  }
  return text;
}

static void write(const std::string &path, const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::vector<Interpreted> Checker::Subjects::interpret(const std::string &file) const {
  std::vector<std::string> names;
  std::string text;
  for (size_t i = 0; i < graphs.size(); ++i) {
    names.push_back(name(i));
    text += graphs[i].reference(name(i));
  }
  write(file, text);
  return interpretGraphs(graphs, names, file);
}

/// Those that the interpreter takes. One that is refused takes its module with it: then each is asked alone.
Checker::Subjects Checker::interpret(const std::vector<Graph> &graphs) {
  Subjects all{graphs, {}, {}};
  for (size_t i = 0; i < graphs.size(); ++i)
    all.places.push_back(i);
  std::string file = folder + "/interpreted.mlir", error;
  for (Interpreted &outcome : all.interpret(file)) {
    error += outcome.error;
    all.references.push_back({std::move(outcome), {}});
  }
  if (error.empty())
    return all;
  std::vector<Graph> kept;
  std::vector<size_t> places;
  for (size_t i = 0; i < graphs.size(); ++i) {
    Interpreted outcome = graphs.size() == 1 ? all.references[0].interpreted : Subjects{{graphs[i]}, {}, {}}.interpret(file)[0];
    if (outcome.error.empty()) {
      kept.push_back(graphs[i]);
      places.push_back(i);
      continue;
    }
    ++counts.refused;
    refusals = outcome.error + "\n" + graphs[i].text("f0");
  }
  if (kept.empty() || kept.size() == graphs.size()) // refused together, not alone: nothing that could be compared
    return {};
  Subjects rest = interpret(kept);
  for (size_t &place : rest.places)
    place = places[place];
  return rest;
}

/// Why the module does not compile or load, or nothing.
std::optional<std::string> Checker::load(const Mode &mode, const Subjects &subjects, std::unique_ptr<Runner> &runner) {
  RunOptions options;
  options.threads = mode.threads;
  options.compile = mode.options;
  if (mode.specialized)
    for (const Graph &graph : subjects.graphs)
      for (auto [name, size] : graph.sizes())
        options.compile.specialize[name] = {size};
  options.graph = folder + "/graph.o";
  if (!mode.sameObject) {
    CompileResult compiled = compileFile(folder + "/graph.mlir", options.compile);
    if (compiled.status != CompileStatus::Done)
      return std::string(kUncompiled) + ": " + compiled.diagnostics;
    write(options.graph, compiled.code);
  }
  Expected<std::unique_ptr<Runner>> made = createCompiledRunner(options);
  if (auto *failure = std::get_if<Failure>(&made))
    return std::string(kUncompiled) + " to what loads: " + failure->reason;
  runner = std::get<std::unique_ptr<Runner>>(std::move(made));
  return std::nullopt;
}

/// What differs, or nothing.
std::string Checker::runGraph(const Mode &mode, Runner &runner, size_t i, Subjects &subjects) {
  Reference &reference = subjects.references[i];
  if (std::optional<Failure> failure = runner.select(Subjects::name(i)))
    return failure->reason;
  for (auto &[variable, value] : reference.interpreted.variables)
    runner.setVariable(variable, value);
  Expected<Tensors> results = runner.run(subjects.graphs[i].arguments());
  if (auto *failure = std::get_if<Failure>(&results))
    return "fails: " + failure->reason;
  Tensors &values = std::get<Tensors>(results);
  for (auto &[variable, value] : reference.interpreted.variables)
    values.push_back(runner.getVariable(variable));
  for (size_t k = 0; k < values.size(); ++k) {
    Tensor bounds = reference.interpreted.bounds[k];
    for (double &bound : llvm::MutableArrayRef(bounds.data<double>(), bounds.size()))
      bound *= mode.roundings;
    std::string text = compare(values[k], reference.interpreted.values[k], &bounds, counts);
    if (text.empty() && mode.sameBits)
      if (text = compare(values[k], reference.before[k], nullptr, counts); !text.empty())
        text = "other bits than before: " + text;
    if (!text.empty())
      return fmt::format("result {}: {}", k, text);
  }
  bool isFirst = reference.before.empty();
  if (!mode.sameBits)
    reference.before = std::move(values);
  return isFirst && subjects.graphs[i].smooth ? compareGradients(runner, subjects.graphs[i], Subjects::name(i), counts) : "";
}

void Checker::runMode(const Mode &mode, Subjects &subjects, Differences &differences) {
  std::unique_ptr<Runner> runner;
  std::optional<std::string> failure = load(mode, subjects, runner);
  for (size_t i = 0; i < subjects.graphs.size(); ++i) {
    if (differences[i])
      continue;
    std::string text = failure ? *failure : runGraph(mode, *runner, i, subjects);
    if (!text.empty())
      differences[i] = Difference{mode.name, text};
  }
  counts.modes[mode.name] += subjects.graphs.size();
}

Checker::Differences Checker::check(const std::vector<Graph> &graphs, const std::vector<Mode> &modes) {
  Subjects subjects = interpret(graphs);
  counts.graphs += subjects.graphs.size();
  write(folder + "/graph.mlir", subjects.text());
  Differences found(subjects.graphs.size()), differences(graphs.size());
  for (const Mode &mode : modes)
    if (!subjects.graphs.empty())
      runMode(mode, subjects, found);
  for (size_t i = 0; i < found.size(); ++i) {
    bool uncompiled = found[i] && found[i]->text.starts_with(kUncompiled);
    differences[subjects.places[i]] =
        uncompiled && found.size() > 1 ? check({subjects.graphs[i]}, modes)[0] : found[i]; // which of them it is
  }
  return differences;
}

std::vector<Tensor> fuzz::valuesOf(const Graph &graph) {
  Graph plain = graph;
  plain.form = Form::Plain;
  plain.results.clear();
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    plain.results.push_back(i);
  plain.writes.clear();
  TemporaryFile file(".mlir");
  write(file.path, plain.text("f0"));
  Interpreted interpreted = interpretGraphs({plain}, {"f0"}, file.path)[0];
  return interpreted.error.empty() ? interpreted.values : std::vector<Tensor>();
}
