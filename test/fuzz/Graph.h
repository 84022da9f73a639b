// Random graphs as data: what makes them, prints them and shrinks them shares this.
#ifndef LATHE_TEST_FUZZ_GRAPH_H
#define LATHE_TEST_FUZZ_GRAPH_H

#include "dialects/Lathe/IR/Sizes.h"
#include "dialects/Lathe/Interpreter/RankAxis.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// An extent, a number in the text or an expression of names such as `ceil_div(N, 2)`; its size either way.
struct Extent {
  std::string name; // the expression; empty for a number
  int64_t size = 1;
  bool operator==(const Extent &other) const = default;
  std::string text() const { return name.empty() ? std::to_string(size) : name; }
  lathe::Dim dim() const;
  /// True for a single name, which a shape gives a size.
  bool isName() const;
};

struct Type {
  lathe::Element element = lathe::Element::F32;
  std::vector<Extent> dims;
  bool operator==(const Type &other) const = default;
  std::string text() const;
  std::vector<int64_t> shape() const;
  int64_t size() const;
  bool isStatic() const;
};

/// A named axis of the ranks that run a graph: its number of ranks is open, an expression of the axis' name, or a number.
struct Axis {
  std::string name;
  Extent ranks;
  /// Returns "over data" or "over data = 2".
  std::string text() const;
};

/// The axes of a job with their numbers of ranks; none for a graph that one process runs.
using Mesh = std::vector<lathe::RankAxis>;

/// An input where `op` is empty. With ranks, `value` and `seed` have those of all ranks, which their first dimension counts. In
/// `op`, "$2" is the name of operand 2 and "@2" its type.
struct Node {
  std::string op;
  std::vector<unsigned> operands;
  Type type;
  lathe::Tensor value;         // of an input
  lathe::Tensor seed;          // a tangent, a cotangent or a batch, where the form asks for one; ones if it is of another type
  bool isVariable = false;     // an input that lives in the state, in the forms that have one
  std::optional<int> batchDim; // of an input of a batch
  int count = 1, shown = 0;    // results of the op, and which of them the node is
};

struct EntryTypes {
  std::vector<Type> arguments, results;
};

using Random = std::mt19937_64;
inline int64_t below(Random &random, int64_t end) { return end > 0 ? int64_t(random() % uint64_t(end)) : 0; }

/// How inputs are drawn: numbers of magnitude about 1 that keep graphs well conditioned, or ends of ranges among them.
enum class Values { Tame, Positive, Wild };
lathe::Tensor drawTensor(Random &random, lathe::Element element, llvm::ArrayRef<int64_t> shape, Values values);

/// The sizes that a graph declares for a name.
struct NameBounds {
  int64_t minimum, maximum, multipleOf;
};

/// How the entry gets at the graph.
enum class Form { Plain, Call, ValueAndGrad, Jvp, Vjp, Vmap, State, Minimize };

struct Graph {
  std::vector<Node> nodes; // operands before users
  std::vector<unsigned> results;
  Form form = Form::Plain;
  bool smooth = false;                               // derivatives are held against differences
  std::map<std::string, NameBounds> bounds;          // names that have a lathe.dim
  Values values = Values::Tame;                      // of the inputs
  lathe::Sizes names;                                // and their sizes
  std::vector<lathe::Sizes> otherSizes;              // with which the graph is run, too
  std::vector<std::pair<unsigned, unsigned>> writes; // with Form::State: variable and new value
  std::string optimizer;                             // with Form::Minimize
  Extent batch;                                      // with Form::Vmap
  std::vector<Axis> axes;                            // of the job whose ranks run the graph together; none for one process

  /// True if there is a loop without a bound, through which no reverse derivative passes.
  bool hasUnboundedLoop() const;
  /// True if the entry has derivatives.
  bool isDerived() const {
    return form == Form::ValueAndGrad || form == Form::Jvp || form == Form::Vjp || form == Form::Minimize;
  }
  /// Functions under the given name, the entry last.
  std::string text(const std::string &name) const;
  /// The function that the interpreter runs instead: for a batch, that of one element.
  std::string reference(const std::string &name) const;
  /// The entry's reverse and forward mode by all f64 arguments, as entries NAME_vjp and NAME_jvp.
  std::string derivatives(const std::string &name) const;
  /// Types of the entry's arguments and results.
  EntryTypes signature() const;
  /// Arguments of the entry, in order.
  std::vector<lathe::Tensor> arguments() const;
  std::vector<unsigned> inputs() const;
  /// Inputs that are arguments, and those that are variables in this form.
  std::vector<unsigned> parameters() const;
  std::vector<unsigned> variables() const;
  std::string variableName(const std::string &name, unsigned node) const { return name + ".s" + std::to_string(node); }
  /// Float inputs, as numbers of arguments.
  std::vector<unsigned> wrt() const;
  /// Returns the job that runs the graph with its own sizes.
  Mesh mesh() const;
  /// Returns the type of a value of all ranks, which the first dimension counts; of one process the type itself.
  Type stacked(Type type) const;
  /// The sizes of the names that arguments and open axes have.
  lathe::Sizes sizes() const;
  /// The same graph with the sizes `otherSizes[i]`, and inputs drawn for them.
  Graph withOtherSizes(size_t i) const;
  /// Gives all extents the sizes that these names make of them. Inputs keep their values, which may not fit.
  void setSizes(const lathe::Sizes &sizes);
  /// The nodes that have a seed as an argument behind the others in this form.
  std::vector<unsigned> seeded() const;
  /// The type of an argument, with the batch where it has one.
  Type argumentType(unsigned node) const;
  /// Without the nodes that no result needs. Each name that is left is an extent of an input, of one more if need be.
  Graph pruned() const;
};

/// Declares the open axes of graphs that are one module, in front of their texts.
std::string axesText(const std::vector<Graph> &graphs);

bool isFloat(lathe::Element element);
lathe::Tensor onesOf(const Type &type);
std::string typeName(lathe::Element element);

struct GraphOptions {
  bool smooth = false; // f64, of functions that have derivatives where inputs are drawn: for differences
  std::string suffix;  // of the names of dimensions: graphs of one module do not share them
  int64_t moreOps = 0; // beside those that are drawn otherwise
  /// The jobs that run the graph, of the same axes: its own one first. None for graphs of one process.
  std::vector<Mesh> meshes;
};
Graph drawGraph(uint64_t seed, const GraphOptions &options);
/// Returns jobs of one axis, or of the same two axes, of at most four ranks, in a random order.
std::vector<Mesh> drawMeshes(uint64_t seed);

#endif
