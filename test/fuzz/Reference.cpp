#include "test/fuzz/Reference.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "dialects/Lathe/Interpreter/Ranks.h"
#include "lib/Compiler/Front/Front.h"
#include "lib/Import/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/Inline/Inline.h"
#include "passes/State/State.h"
#include "test/fuzz/Bounds.h"
#include "tools/lathe-run/Stacks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <fstream>
#include <numeric>

using namespace mlir;
using namespace lathe;
using fuzz::SizesAre;

/// Imported, with all derivatives expanded.
static OwningOpRef<ModuleOp> prepare(MLIRContext &context, const std::string &file, const Sizes &sizes, SizesAre sizesAre) {
  OwningOpRef<ModuleOp> module = importFile(file, context);
  PassManager passes(&context);
  buildImportPipeline(passes, sizesAre == SizesAre::Numbers ? sizes : Sizes());
  buildStatePipeline(passes);
  passes.addPass(createExpandDerivativesPass());
  passes.addPass(createInlinePass());
  passes.addPass(createExplicitBroadcastPass());
  if (sizesAre == SizesAre::Names)
    passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  if (!module || failed(passes.run(*module)))
    return nullptr;
  return module;
}

namespace {
/// The values of one rank as the interpreter computes them, and what they have at the end.
struct RankRun {
  std::vector<Tensor> arguments, results;
  std::vector<std::pair<Value, Tensor>> seen; // in order, with ranks
  std::unique_ptr<fuzz::Bounds> bounds;
};

/// One entry of a module whose state and derivatives are lowered. A job's ranks run it together; a process is one rank.
class Entry {
public:
  Entry(func::FuncOp entry, const Graph &graph, const std::string &name)
      : entry(entry), graph(graph), name(name), mesh(graph.mesh()), ranks(countRanks(mesh)) {}

  LogicalResult run(fuzz::Interpreted &outcome) {
    std::vector<fuzz::Interpreted> byRank(ranks);
    std::vector<Tensors> arguments;
    for (int64_t rank = 0; rank < ranks; ++rank)
      arguments.push_back(mesh.empty() ? graph.arguments() : partsOf(graph.arguments(), rank));
    LogicalResult done = graph.form == Form::Vmap ? runBatch(arguments, byRank) : runOnce(std::move(arguments), byRank);
    join(byRank, outcome);
    return done;
  }

private:
  /// Runs the function for each element of the batch.
  LogicalResult runBatch(const std::vector<Tensors> &given, std::vector<fuzz::Interpreted> &byRank) {
    std::vector<std::vector<fuzz::Interpreted>> elements;
    for (int64_t i = 0; i < graph.batch.size; ++i) {
      std::vector<Tensors> arguments;
      for (const Tensors &all : given)
        arguments.push_back(element(all, i));
      elements.emplace_back(ranks);
      if (failed(runOnce(std::move(arguments), elements.back())))
        return failure();
    }
    EntryTypes types = graph.signature();
    for (int64_t rank = 0; rank < ranks; ++rank)
      for (size_t r = 0; r < types.results.size(); ++r) {
        Tensor values(types.results[r].element, types.results[r].shape()), bounds(Element::F64, types.results[r].shape());
        for (size_t i = 0; i < elements.size(); ++i)
          put(elements[i][rank].values[r], values, i), put(elements[i][rank].bounds[r], bounds, i);
        byRank[rank].values.push_back(std::move(values));
        byRank[rank].bounds.push_back(std::move(bounds));
      }
    return success();
  }

  /// Joins what the ranks have to values of all of them, which their first dimension counts.
  void join(const std::vector<fuzz::Interpreted> &byRank, fuzz::Interpreted &outcome) const {
    auto joined = [&](auto get) {
      if (mesh.empty())
        return get(byRank.front());
      std::vector<Tensor> values;
      for (const fuzz::Interpreted &rank : byRank)
        values.push_back(get(rank));
      return std::get<Tensor>(stack("", values)); // all ranks have the same sizes
    };
    for (size_t i = 0; i < byRank.front().values.size(); ++i) {
      outcome.values.push_back(joined([&](const fuzz::Interpreted &rank) { return rank.values[i]; }));
      outcome.bounds.push_back(joined([&](const fuzz::Interpreted &rank) { return rank.bounds[i]; }));
    }
    for (size_t i = 0; i < byRank.front().variables.size(); ++i)
      outcome.variables.push_back(
          {byRank.front().variables[i].first, joined([&](const fuzz::Interpreted &rank) { return rank.variables[i].second; })});
  }

  /// The arguments that element i of the batch sees.
  Tensors element(Tensors arguments, int64_t i) const {
    for (auto [node, argument] : llvm::zip_equal(graph.parameters(), arguments)) {
      if (!graph.nodes[node].batchDim)
        continue;
      ::Type own = graph.nodes[node].type;
      Tensor part(own.element, own.shape());
      size_t dim = std::min<size_t>(*graph.nodes[node].batchDim, own.dims.size());
      int64_t inner = sizeOf(own.element);
      for (size_t k = dim; k < own.dims.size(); ++k)
        inner *= own.dims[k].size;
      for (int64_t outer = 0; inner && outer < int64_t(part.getBytes().size()) / inner; ++outer)
        std::copy_n(argument.data<char>() + (outer * graph.batch.size + i) * inner, inner, part.data<char>() + outer * inner);
      argument = std::move(part);
    }
    return arguments;
  }

  static void put(const Tensor &part, Tensor &whole, size_t i) {
    std::copy(part.getBytes().begin(), part.getBytes().end(), whole.data<char>() + i * part.getBytes().size());
  }

  /// Returns the initial value of a variable: the graph's own have their input's value, an optimiser's slots small numbers.
  Tensor before(const std::string &variable, RankedTensorType type, int64_t rank) const {
    for (unsigned node : graph.variables())
      if (graph.variableName(name, node) == variable)
        return mesh.empty() ? graph.nodes[node].value : partsOf({graph.nodes[node].value}, rank).front();
    Random random(type.getNumElements() + rank);
    return drawTensor(random, *elementOf(type.getElementType()), type.getShape(), Values::Positive);
  }

  /// Runs the function once, on all ranks with their arguments.
  LogicalResult runOnce(std::vector<Tensors> given, std::vector<fuzz::Interpreted> &byRank) {
    std::vector<RankRun> runs(ranks);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      runs[rank].arguments = withState(std::move(given[rank]), rank, byRank[rank]);
      runs[rank].bounds = std::make_unique<fuzz::Bounds>(graph.isDerived());
    }
    if (failed(mesh.empty() ? compute(runs.front()) : computeOnRanks(runs)))
      return failure();
    for (int64_t rank = 0; rank < ranks; ++rank)
      keep(runs[rank], rank, byRank[rank]);
    return success();
  }

  LogicalResult compute(RankRun &run) {
    InterpretOptions options;
    options.observe = [&](Value value, const Tensor &tensor, ArrayRef<int64_t>) { run.bounds->observe(value, tensor); };
    FailureOr<Tensors> results = interpret(entry, run.arguments, options);
    if (failed(results))
      return failure();
    run.results = std::move(*results);
    return success();
  }

  /// Bounds are found when all values are known, because those of a collective follow from the values of all ranks.
  LogicalResult computeOnRanks(std::vector<RankRun> &runs) {
    std::vector<Tensors> arguments;
    for (RankRun &run : runs)
      arguments.push_back(run.arguments);
    FailureOr<std::vector<Tensors>> results = interpretOnRanks(entry, mesh, arguments, [&](int64_t rank) {
      InterpretOptions options;
      options.observe = [&seen = runs[rank].seen](Value value, const Tensor &tensor, ArrayRef<int64_t>) {
        seen.push_back({value, tensor});
      };
      return options;
    });
    if (failed(results))
      return failure();
    for (auto [run, result] : llvm::zip_equal(runs, *results))
      run.results = std::move(result);
    findBounds(runs);
    return success();
  }

  /// Goes through the values of all ranks from one collective to the next, to which all ranks come.
  void findBounds(std::vector<RankRun> &runs) const {
    auto isExchange = [](Value value) {
      return isa_and_nonnull<CollectiveOpInterface>(value.getDefiningOp()) && !isa<AxisIndexOp>(value.getDefiningOp());
    };
    std::vector<size_t> at(runs.size());
    for (;;) {
      for (auto [run, place] : llvm::zip_equal(runs, at))
        for (; place < run.seen.size() && !isExchange(run.seen[place].first); ++place)
          run.bounds->observe(run.seen[place].first, run.seen[place].second);
      if (at.front() == runs.front().seen.size())
        return;
      for (int64_t rank = 0; rank < ranks; ++rank) {
        auto &[value, tensor] = runs[rank].seen[at[rank]++];
        auto [along, index] = alongAxis(runs, cast<CollectiveOpInterface>(value.getDefiningOp()).getAxis(), rank);
        runs[rank].bounds->observeCollective(value, tensor, along, index);
      }
    }
  }

  /// Returns the bounds of the ranks that differ from this one only in their index along the axis, by this index, and its own.
  std::pair<std::vector<const fuzz::Bounds *>, size_t> alongAxis(const std::vector<RankRun> &runs, StringRef axis,
                                                                 int64_t rank) const {
    int64_t stride = 1, size = 1;
    for (const RankAxis &each : llvm::reverse(mesh)) {
      size = each.size;
      if (each.name == axis)
        break;
      stride *= each.size;
    }
    int64_t index = rank / stride % size;
    std::vector<const fuzz::Bounds *> along;
    for (int64_t i = 0; i < size; ++i)
      along.push_back(runs[rank + (i - index) * stride].bounds.get());
    return {along, size_t(index)};
  }

  /// Returns the arguments of the entry: those given, and the variables, which go into the outcome.
  Tensors withState(Tensors given, int64_t rank, fuzz::Interpreted &outcome) {
    Tensors arguments;
    for (unsigned i = 0, next = 0; i < entry.getNumArguments(); ++i) {
      auto variable = entry.getArgAttrOfType<FlatSymbolRefAttr>(i, kStateAttr);
      if (!variable) {
        arguments.push_back(std::move(given[next++]));
        continue;
      }
      arguments.push_back(before(variable.getValue().str(), cast<RankedTensorType>(entry.getArgumentTypes()[i]), rank));
      outcome.variables.push_back({variable.getValue().str(), arguments.back()});
    }
    return arguments;
  }

  /// Keeps the results of a rank with their bounds, then those of the variables.
  void keep(const RankRun &run, int64_t rank, fuzz::Interpreted &outcome) {
    llvm::StringMap<size_t> places;
    std::vector<Tensor> after, afterBounds;
    for (auto &[variable, value] : outcome.variables) {
      places[variable] = after.size();
      after.push_back(value), afterBounds.emplace_back(Element::F64, value.getShape());
    }
    for (auto [i, result] : llvm::enumerate(entry.front().getTerminator()->getOperands())) {
      auto variable = entry.getResultAttrOfType<FlatSymbolRefAttr>(i, kStateAttr);
      if (variable && !places.count(variable.getValue())) { // written, never read
        auto type = cast<RankedTensorType>(result.getType());
        places[variable.getValue()] = after.size();
        outcome.variables.push_back({variable.getValue().str(), before(variable.getValue().str(), type, rank)});
        after.emplace_back(), afterBounds.emplace_back();
      }
      (variable ? after[places[variable.getValue()]] : outcome.values.emplace_back()) = run.results[i];
      (variable ? afterBounds[places[variable.getValue()]] : outcome.bounds.emplace_back()) = run.bounds->boundOf(result);
    }
    outcome.values.insert(outcome.values.end(), after.begin(), after.end());
    outcome.bounds.insert(outcome.bounds.end(), afterBounds.begin(), afterBounds.end());
  }

  func::FuncOp entry;
  const Graph &graph;
  const std::string &name;
  Mesh mesh;
  int64_t ranks;
};
} // namespace

namespace {
/// Graphs that are prepared as one module, and what is said of each.
class Module {
public:
  Module(const std::vector<Graph> &graphs, const std::vector<std::string> &names, const std::string &file, SizesAre sizesAre)
      : graphs(graphs), names(names), file(file), sizesAre(sizesAre), all(graphs.size()), texts(graphs.size()) {
    context.printOpOnDiagnostic(false);
    context.loadDialect<LatheDialect, func::FuncDialect>();
    if (llvm::any_of(graphs, [](const Graph &graph) { return !graph.axes.empty(); }))
      context.enableMultithreading(); // each rank is a thread
    for (auto [i, graph] : llvm::enumerate(graphs))
      texts[i] = graph.reference(names[i]);
  }

  std::vector<fuzz::Interpreted> run() {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { note(diagnostic); });
    std::vector<size_t> left(graphs.size());
    std::iota(left.begin(), left.end(), 0);
    while (!left.empty()) {
      OwningOpRef<ModuleOp> module = prepare(left);
      size_t before = left.size();
      llvm::erase_if(left, [&](size_t i) { return !all[i].error.empty(); });
      if (module && left.size() == before) {
        interpret(*module, left);
        break;
      }
      if (left.size() == before) // refused for no graph's sake in particular
        for (size_t i : std::exchange(left, {}))
          all[i].error = said + "refused";
    }
    return std::move(all);
  }

private:
  /// Imports the graphs of these numbers; null if one of them is refused.
  OwningOpRef<ModuleOp> prepare(llvm::ArrayRef<size_t> numbers) {
    std::ofstream out(file, std::ios::binary);
    std::string axes = axesText(graphs);
    out << axes;
    Sizes sizes;
    starts.clear();
    unsigned line = 1 + llvm::count(axes, '\n');
    for (size_t i : numbers) {
      starts.push_back({line, i});
      line += llvm::count(texts[i], '\n');
      out << texts[i];
      Graph graph = graphs[i];
      if (graph.form == Form::Vmap) // the function of one element is what is run
        graph.form = Form::Plain;
      sizes.merge(graph.sizes());
      for (const Axis &axis : graph.axes) // stays open as in compiled code: an axis that is known to have one rank is folded
        sizes.erase(axis.name);
    }
    out.close();
    said.clear();
    return ::prepare(context, file, sizes, sizesAre);
  }

  /// Keeps an error with the graph in whose lines it is.
  void note(Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream(text) << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
    said += text;
    auto place = LocationAttr(diagnostic.getLocation()).findInstanceOf<FileLineColLoc>();
    if (!place || diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    auto after = llvm::upper_bound(starts, place.getLine(), [](unsigned line, auto &start) { return line < start.first; });
    if (after == starts.begin())
      return;
    auto [start, graph] = *std::prev(after);
    all[graph].error += text;
    all[graph].errorLines.insert(place.getLine() - start);
  }

  void interpret(ModuleOp module, llvm::ArrayRef<size_t> numbers) {
    for (size_t i : numbers)
      if (failed(Entry(module.lookupSymbol<func::FuncOp>(names[i]), graphs[i], names[i]).run(all[i])))
        all[i].error += "not interpreted";
  }

  static inline MLIRContext context{MLIRContext::Threading::DISABLED};
  const std::vector<Graph> &graphs;
  const std::vector<std::string> &names;
  const std::string &file;
  SizesAre sizesAre;
  std::vector<fuzz::Interpreted> all;
  std::vector<std::string> texts;
  std::vector<std::pair<unsigned, size_t>> starts; // the line of each graph that is prepared, and its number
  std::string said;
};
} // namespace

std::vector<fuzz::Interpreted> fuzz::interpretGraphs(const std::vector<Graph> &graphs, const std::vector<std::string> &names,
                                                     const std::string &file, SizesAre sizes) {
  return Module(graphs, names, file, sizes).run();
}
