#include "test/fuzz/Check.h"
#include "lathe/Compiler.h"
#include "test/fuzz/Reference.h"
#include "tools/lathe-run/Gradcheck.h"
#include "tools/lathe-run/Report.h"
#include "tools/lathe-run/Runner.h"
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace lathe;
using namespace fuzz;

const std::vector<Mode> &fuzz::allModes() {
  static const std::vector<Mode> modes = [] {
    std::vector<Mode> modes;
    auto add = [&](std::string name, auto change) {
      modes.push_back({std::move(name), {}, 1, false, false});
      change(modes.back());
    };
    add("O2", [](Mode &) {});
    add("two threads", [](Mode &mode) { mode.threads = 2, mode.sameBits = true; });
    add("specialised", [](Mode &mode) { mode.specialized = true, mode.sameBits = true; });
    add("O0", [](Mode &mode) { mode.options.optLevel = 0; });
    add("unfused", [](Mode &mode) { mode.options.fuse = false; });
    add("O3", [](Mode &mode) { mode.options.optLevel = 3; });
    add("v2", [](Mode &mode) { mode.options.target = "x86-64-v2"; });
    add("v3", [](Mode &mode) { mode.options.target = "x86-64-v3"; });
    return modes;
  }();
  return modes;
}

std::vector<Mode> fuzz::someModes(uint64_t seed) {
  std::vector<Mode> modes(allModes().begin(), allModes().begin() + 3);
  Random random(seed);
  size_t others = allModes().size() - 3, first = random() % others;
  modes.push_back(allModes()[3 + first]);
  modes.push_back(allModes()[3 + (first + 1 + random() % (others - 1)) % others]);
  return modes;
}

struct Checker::Reference {
  Interpreted interpreted;
  std::vector<Tensor> first; // results of the first mode
};

/// The first element beyond its bound, in words.
static std::string compare(const Tensor &actual, const Tensor &expected, const Tensor *bound, Counts &counts) {
  if (actual.getElement() != expected.getElement() || actual.getShape() != expected.getShape())
    return "another type";
  size_t width = sizeOf(actual.getElement());
  std::string text;
  for (int64_t i = 0; i < actual.size(); ++i) {
    double a = actual.at(i), e = expected.at(i), allowed = bound ? bound->at(i) : 0;
    bool same = std::memcmp(actual.getBytes().data() + i * width, expected.getBytes().data() + i * width, width) == 0 ||
                (std::isnan(a) && std::isnan(e) && isFloat(actual.getElement()));
    ++(allowed == 0 ? counts.exact : std::isnan(allowed) ? counts.unknown : counts.bounded);
    if (!same && !std::isnan(allowed) && !(std::fabs(a - e) <= allowed * 1.001) && text.empty())
      text = fmt::format("element {} of {}{}: {:.17g}, not {:.17g}, bound {:.3g}", i, nameOf(actual.getElement()).str(),
                         fmt::format("{}", actual.getShape().vec()), a, e, allowed);
  }
  return text;
}

static void write(const std::string &path, const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

static std::string nameOfGraph(size_t i) { return "f" + std::to_string(i); }

void Checker::runMode(const Mode &mode, const std::vector<Graph> &graphs, std::vector<Reference> &references,
                      std::vector<std::optional<Difference>> &differences) {
  auto all = [&](const std::string &text) {
    for (std::optional<Difference> &difference : differences)
      if (!difference)
        difference = Difference{mode.name, text, 0};
  };
  RunOptions options;
  options.threads = mode.threads;
  options.compile = mode.options;
  if (mode.specialized)
    for (const Graph &graph : graphs)
      for (auto [name, size] : graph.sizes())
        options.compile.specialize[name] = {size};
  options.graph = folder + "/graph.o";
  if (mode.threads == 1) { // else it runs what the mode before has made
    CompileResult compiled = compileFile(folder + "/graph.mlir", options.compile);
    if (compiled.status != CompileStatus::Done)
      return all(std::string(kUncompiled) + ": " + compiled.diagnostics);
    write(options.graph, compiled.code);
  }
  Expected<std::unique_ptr<Runner>> made = createCompiledRunner(options);
  if (auto *failure = std::get_if<Failure>(&made))
    return all("does not load: " + failure->reason);
  Runner &runner = *std::get<std::unique_ptr<Runner>>(made);
  for (size_t i = 0; i < graphs.size(); ++i) {
    Reference &reference = references[i];
    if (differences[i] || !reference.interpreted.error.empty())
      continue;
    runner.select(nameOfGraph(i));
    Expected<Tensors> results = runner.run(graphs[i].arguments());
    if (auto *failure = std::get_if<Failure>(&results)) {
      differences[i] = Difference{mode.name, "fails: " + failure->reason, 0};
      continue;
    }
    Tensors &values = std::get<Tensors>(results);
    for (size_t k = 0; k < values.size() && !differences[i]; ++k) {
      std::string text = compare(values[k], reference.interpreted.values[k], &reference.interpreted.bounds[k], counts);
      if (text.empty() && mode.sameBits && !reference.first.empty())
        if (text = compare(values[k], reference.first[k], nullptr, counts); !text.empty())
          text = "other bits than O2: " + text;
      if (!text.empty())
        differences[i] = Difference{mode.name, fmt::format("result {}: {}", k, text), unsigned(k)};
    }
    if (reference.first.empty())
      reference.first = std::move(values);
  }
}

std::vector<std::optional<Difference>> Checker::check(const std::vector<Graph> &graphs, const std::vector<Mode> &modes) {
  std::vector<std::optional<Difference>> differences(graphs.size());
  std::vector<Reference> references(graphs.size());
  std::vector<Graph> kept;
  std::vector<Reference> keptReferences;
  std::vector<size_t> places;
  std::string text;
  for (size_t i = 0; i < graphs.size(); ++i) {
    std::string name = nameOfGraph(kept.size()), own = graphs[i].text(name);
    write(folder + "/graph.mlir", own);
    Reference reference{interpretGraph(graphs[i], folder + "/graph.mlir", name), {}};
    if (!reference.interpreted.error.empty()) {
      ++counts.refused;
      refusals = reference.interpreted.error + "\n" + own;
      continue;
    }
    text += own;
    kept.push_back(graphs[i]);
    keptReferences.push_back(std::move(reference));
    places.push_back(i);
  }
  counts.graphs += kept.size();
  write(folder + "/graph.mlir", text);
  std::vector<std::optional<Difference>> found(kept.size());
  for (const Mode &mode : modes)
    if (!kept.empty())
      runMode(mode, kept, keptReferences, found);
  for (size_t i = 0; i < kept.size(); ++i)
    differences[places[i]] = found[i];
  if (kept.size() > 1 && !found.empty())
    for (size_t i = 0; i < kept.size(); ++i) // which of them it is that cannot be compiled
      if (found[i] && (found[i]->text.starts_with("does not")))
        differences[places[i]] = check({kept[i]}, modes)[0];
  return differences;
}

std::vector<Tensor> fuzz::valuesOf(const Graph &graph) {
  Graph plain = graph;
  plain.form = Form::Plain;
  plain.results.clear();
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    plain.results.push_back(i);
  std::string path = "/dev/shm/lathe-fuzz-values-" + std::to_string(getpid()) + ".mlir";
  write(path, plain.text("f0"));
  Interpreted interpreted = interpretGraph(plain, path, "f0");
  unlink(path.c_str());
  return interpreted.error.empty() ? interpreted.values : std::vector<Tensor>();
}

namespace {
/// What goes to stdout and stderr meanwhile.
class Captured {
public:
  explicit Captured(std::string path) : path(std::move(path)) {
    fflush(nullptr);
    int file = open(this->path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    for (int i = 0; i < 2; ++i)
      saved[i] = dup(i + 1), dup2(file, i + 1);
    close(file);
  }
  std::string take() {
    fflush(nullptr);
    for (int i = 0; i < 2; ++i)
      dup2(saved[i], i + 1), close(saved[i]);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

private:
  std::string path;
  int saved[2];
};
} // namespace

std::optional<Difference> Checker::checkGradients(const Graph &graph) {
  RunOptions options;
  options.graph = folder + "/graph.mlir";
  options.gradcheck = "sample";
  options.randomRest = true;
  options.compile.gradcheck = "";
  write(options.graph, graph.text("f0"));
  Captured captured(folder + "/said");
  std::optional<Failure> failure = gradcheck(options);
  std::string text = captured.take();
  ++counts.graphs;
  if (failure && failure->code == kRefused)
    ++counts.refused, refusals = text + graph.text("f0");
  // What is not finite, or too rough to tell, is no difference.
  bool differs =
      text.find(", by differences") != std::string::npos || text.find("jvp and vjp differ by more") != std::string::npos;
  if (!differs)
    return std::nullopt;
  return Difference{"gradients", text, 0};
}
