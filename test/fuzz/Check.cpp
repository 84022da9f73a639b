#include "test/fuzz/Check.h"
#include "lathe/Compiler.h"
#include "lib/Compiler/Link.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

using namespace lathe;
using namespace fuzz;

/// A graph with one set of sizes.
struct Checker::Case {
  Graph graph;
  Interpreted interpreted;
  std::vector<Tensor> before; // results of the last mode whose bits are its own
};

/// The graphs of one module, under names that are their places.
struct Checker::Subjects {
  std::vector<Graph> graphs;
  std::vector<std::vector<Case>> cases; // of each graph: its own sizes first
  std::vector<size_t> places;           // among the graphs that were asked for
  std::map<size_t, Graph> differing;    // graphs with the sizes at which they differ
  std::vector<unsigned> lines;          // of the text, where each graph begins; from 1 on

  std::string name(size_t i) const { return "f" + std::to_string(places[i]); }
  std::string text() {
    std::string text = axesText(graphs);
    lines.clear();
    for (size_t i = 0; i < graphs.size(); ++i) {
      lines.push_back(1 + std::count(text.begin(), text.end(), '\n'));
      text += graphs[i].text(name(i)) + (graphs[i].smooth ? graphs[i].derivatives(name(i)) : "");
    }
    return text;
  }
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

/// Makes runners of a compiled module for the jobs that its graphs need.
class Checker::Jobs {
public:
  explicit Jobs(RunOptions options) : options(std::move(options)) {}

  /// Returns the runner for a job.
  Expected<Runner *> runnerFor(const Mesh &mesh) {
    std::unique_ptr<Runner> &runner = runners[keyOf(mesh)];
    if (runner)
      return runner.get();
    options.ranks = mesh;
    Expected<std::unique_ptr<Runner>> made = createRunner(options);
    if (auto *failure = std::get_if<Failure>(&made))
      return *failure;
    runner = std::get<std::unique_ptr<Runner>>(std::move(made));
    return runner.get();
  }

  /// Forgets a job whose communicators may have failed for good.
  void end(const Mesh &mesh) {
    if (!mesh.empty())
      runners.erase(keyOf(mesh));
  }

  static std::string keyOf(const Mesh &mesh) {
    std::string key;
    for (const RankAxis &axis : mesh)
      key += fmt::format("{}={},", axis.name, axis.size);
    return key;
  }

private:
  RunOptions options;
  std::map<std::string, std::unique_ptr<Runner>> runners;
};

static void write(const std::string &path, const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// Interprets the graphs with their own sizes, then each with its other ones.
Checker::Subjects Checker::interpret(const std::vector<Graph> &graphs) {
  Subjects all;
  std::string file = folder + "/interpreted.mlir";
  std::vector<std::string> names;
  for (size_t i = 0; i < graphs.size(); ++i)
    names.push_back("f" + std::to_string(i));
  for (auto [i, outcome] : llvm::enumerate(interpretGraphs(graphs, names, file))) {
    if (!outcome.error.empty() && graphs[i].sizes().empty()) {
      ++counts.refused;
      refusals = outcome.error + "\n" + graphs[i].text("f0");
      continue;
    }
    all.graphs.push_back(graphs[i]);
    all.cases.push_back({{graphs[i], std::move(outcome), {}}});
    all.places.push_back(i);
  }
  for (size_t round = 0;; ++round) {
    std::map<size_t, Graph> sized;
    for (size_t i = 0; i < all.graphs.size(); ++i)
      if (round < all.graphs[i].otherSizes.size())
        sized[i] = all.graphs[i].withOtherSizes(round);
    if (sized.empty())
      return all;
    for (auto &[i, outcome] : interpretAmong(all, sized, SizesAre::Numbers))
      all.cases[i].push_back({sized[i], std::move(outcome), {}});
  }
}

/// Interprets graphs in the place of those with their numbers. Each `minimize` of a module names its variables apart from those
/// of the ones before it, so they stand among all graphs with one.
std::map<size_t, Interpreted> Checker::interpretAmong(const Subjects &subjects, const std::map<size_t, Graph> &sized,
                                                      SizesAre sizes) {
  std::vector<Graph> graphs;
  std::vector<std::string> names;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < subjects.graphs.size(); ++i) {
    auto own = sized.find(i);
    if (own == sized.end() && subjects.graphs[i].form != Form::Minimize)
      continue;
    graphs.push_back(own == sized.end() ? subjects.graphs[i] : own->second);
    names.push_back(subjects.name(i));
    numbers.push_back(i);
  }
  std::map<size_t, Interpreted> outcomes;
  for (auto [k, outcome] : llvm::enumerate(interpretGraphs(graphs, names, folder + "/interpreted.mlir", sizes)))
    if (sized.count(numbers[k]))
      outcomes.emplace(numbers[k], std::move(outcome));
  return outcomes;
}

/// Returns the largest of the workspaces that a refusal names as the least ones, 0 if it is about something else.
static int64_t leastBudget(llvm::StringRef diagnostics) {
  constexpr llvm::StringLiteral before = " takes at least ";
  int64_t largest = 0;
  for (size_t at = diagnostics.find(before); at != llvm::StringRef::npos; at = diagnostics.find(before, at + 1)) {
    int64_t least = 0;
    llvm::StringRef number = diagnostics.substr(at + before.size());
    number.consumeInteger(10, least);
    largest = std::max(largest, least);
  }
  return largest;
}

/// Compiles the module. A budget of memory that is too small is raised once, to what the compiler says that it needs. Returns
/// an error, or an empty string.
std::string Checker::compile(const Mode &mode, const Subjects &subjects, CompileOptions options, std::string &code) {
  for (const Graph &graph : subjects.graphs)
    if (mode.hasBudget)
      for (auto [name, size] : graph.sizes())
        options.budgetSizes[name] = size;
  CompileResult compiled = compileFile(folder + "/graph.mlir", options);
  if (int64_t least = mode.hasBudget ? leastBudget(compiled.diagnostics) : 0; least > 0) {
    options.memoryBudget = least;
    compiled = compileFile(folder + "/graph.mlir", options);
  }
  budget = options.memoryBudget;
  code = std::move(compiled.code);
  return compiled.status == CompileStatus::Done ? "" : compiled.diagnostics;
}

/// Compiles the module for the runners of `jobs`. Returns why it does not compile, or nothing.
std::optional<std::string> Checker::load(const Mode &mode, const Subjects &subjects, std::unique_ptr<Jobs> &jobs) {
  RunOptions options;
  options.threads = mode.threads;
  options.compile = mode.options;
  if (mode.specialized)
    for (const Graph &graph : subjects.graphs)
      for (auto [name, size] : graph.sizes())
        options.compile.specialize[name] = {size};
  for (const Graph &graph : subjects.graphs) // one rank may be refused: by a broadcast from the second one
    for (const lathe::RankAxis &axis : graph.mesh())
      if (axis.size == 1)
        options.compile.specialize.erase(axis.name);
  options.graph = folder + "/graph.o";
  if (!mode.sameObject) {
    std::string code, error = compile(mode, subjects, options.compile, code);
    if (!error.empty())
      return std::string(kUncompiled) + ": " + error;
    write(options.graph, code);
  }
  jobs = std::make_unique<Jobs>(options);
  return std::nullopt;
}

/// Returns the difference, or an empty string.
std::string Checker::compareResults(const Mode &mode, Case &sized, std::vector<Tensor> values) {
  for (size_t k = 0; k < values.size(); ++k) {
    Tensor bounds = sized.interpreted.bounds[k];
    for (double &bound : llvm::MutableArrayRef(bounds.data<double>(), bounds.size()))
      bound *= mode.roundings;
    std::string text = compare(values[k], sized.interpreted.values[k], &bounds, counts);
    if (text.empty() && mode.sameBits)
      if (text = compare(values[k], sized.before[k], nullptr, counts); !text.empty())
        text = "other bits than before: " + text;
    if (!text.empty())
      return fmt::format("result {}: {}", k, text);
  }
  if (!mode.sameBits)
    sized.before = std::move(values);
  return "";
}

/// The line that a message begins with, 0 if it has none.
static unsigned lineOf(llvm::StringRef message) {
  unsigned line = 0;
  message.split(".mlir:").second.consumeInteger(10, line);
  return line;
}

/// The entry refuses sizes for this reason: so must the interpreter, at the same line.
std::string Checker::compareRefusals(const std::string &reason, size_t i, const Case &sized, const Subjects &subjects) {
  unsigned line = lineOf(reason) - subjects.lines[i];
  const Graph &graph = subjects.graphs[i];
  // A lathe.dim and an argument whose extent an axis is part of are not refused as numbers, only what is computed with them.
  bool isAnyLine = !graph.bounds.empty() || (!graph.axes.empty() && llvm::StringRef(reason).contains("an argument needs"));
  auto agrees = [&](const Interpreted &interpreted) {
    return interpreted.errorLines.count(line) || (isAnyLine && !interpreted.error.empty());
  };
  Interpreted interpreted = sized.interpreted;
  if (!agrees(interpreted)) // of numbers some ops can say more than of names: no element is dilated to none
    interpreted = interpretAmong(subjects, {{i, sized.graph}}, SizesAre::Names).at(i);
  bool isOfNothing = graph.form == Form::Vmap && sized.graph.batch.size == 0; // its function runs for no element
  if (interpreted.error.empty() && !isOfNothing)
    return "fails: " + reason;
  ++counts.refusedCalls;
  if (agrees(interpreted) || isOfNothing)
    return "";
  return fmt::format("{} elsewhere: {}; the interpreter says: {}", kRefusal, reason, interpreted.error);
}

std::string Checker::runCase(const Mode &mode, Jobs &jobs, size_t i, Case &sized, const Subjects &subjects) {
  ++counts.calls;
  Mesh mesh = sized.graph.mesh();
  Expected<Runner *> made = jobs.runnerFor(mesh);
  if (auto *failure = std::get_if<Failure>(&made))
    return std::string(kUncompiled) + " to what loads: " + failure->reason;
  Runner &runner = *std::get<Runner *>(made);
  if (std::optional<Failure> failure = runner.select(subjects.name(i)))
    return failure->reason;
  auto setVariables = [&](const Case &from) {
    for (auto &[variable, value] : from.interpreted.variables)
      runner.setVariable(variable, value);
  };
  if (const Case &first = subjects.cases[i][0]; Jobs::keyOf(first.graph.mesh()) == Jobs::keyOf(mesh))
    setVariables(first); // with other sizes some may not be read: they are as at first
  setVariables(sized);
  Expected<Tensors> results = runner.run(sized.graph.arguments());
  if (auto *failure = std::get_if<Failure>(&results)) {
    std::string reason = failure->reason;
    jobs.end(mesh);
    return compareRefusals(reason, i, sized, subjects);
  }
  // Import asks of numbers what each op needs, compiled code only what those ops need that its results depend on.
  if (std::string refused = sized.interpreted.error; !refused.empty()) {
    sized.interpreted = interpretAmong(subjects, {{i, sized.graph}}, SizesAre::Names).at(i);
    if (!sized.interpreted.error.empty())
      return fmt::format("{} by the interpreter only: {}", kRefusal, refused);
  }
  if (mode.hasBudget && &sized == &subjects.cases[i][0] && int64_t(runner.workspaceOfLastCall()) > budget)
    return fmt::format("takes a workspace of {} bytes with a budget of {}", runner.workspaceOfLastCall(), budget);
  Tensors &values = std::get<Tensors>(results);
  for (auto &[variable, value] : sized.interpreted.variables)
    values.push_back(runner.getVariable(variable));
  return compareResults(mode, sized, std::move(values));
}

/// Returns the difference, or an empty string.
std::string Checker::runGraph(const Mode &mode, Jobs &jobs, size_t i, Subjects &subjects) {
  std::vector<Case> &cases = subjects.cases[i];
  bool isFirst = cases[0].before.empty();
  for (Case &sized : cases) {
    std::string text = runCase(mode, jobs, i, sized, subjects);
    if (!text.empty()) {
      subjects.differing[i] = sized.graph;
      subjects.differing[i].otherSizes.clear();
      return text;
    }
  }
  if (!isFirst || !subjects.graphs[i].smooth || !cases[0].interpreted.error.empty())
    return "";
  Expected<Runner *> runner = jobs.runnerFor(subjects.graphs[i].mesh());
  if (auto *failure = std::get_if<Failure>(&runner))
    return failure->reason;
  return compareGradients(*std::get<Runner *>(runner), subjects.graphs[i], subjects.name(i), counts);
}

void Checker::runMode(const Mode &mode, Subjects &subjects, Differences &differences) {
  std::unique_ptr<Jobs> jobs;
  std::optional<std::string> failure = load(mode, subjects, jobs);
  for (size_t i = 0; i < subjects.graphs.size(); ++i) {
    if (differences[i])
      continue;
    std::string text = failure ? *failure : runGraph(mode, *jobs, i, subjects);
    if (!text.empty())
      differences[i] = Difference{mode.name, text, subjects.differing.try_emplace(i, subjects.graphs[i]).first->second};
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
  plain.otherSizes.clear();
  TemporaryFile file(".mlir");
  Interpreted interpreted = interpretGraphs({plain}, {"f0"}, file.path)[0];
  return interpreted.error.empty() ? interpreted.values : std::vector<Tensor>();
}
