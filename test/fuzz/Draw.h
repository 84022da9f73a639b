// Code that the op families of the generator share.
#ifndef LATHE_TEST_FUZZ_DRAW_H
#define LATHE_TEST_FUZZ_DRAW_H

#include "test/fuzz/Graph.h"
#include <functional>

/// A graph in the making.
class Drawing {
public:
  Drawing(uint64_t seed, const GraphOptions &options);
  Graph finish();
  /// True if there is no value yet that could be a result.
  bool isEmpty() const;

  bool chance(int percent) { return below(random, 100) < percent; }
  int64_t pick(int64_t end) { return below(random, end); }
  template <typename T>
  const T &oneOf(const std::vector<T> &list) {
    return list[below(random, list.size())];
  }

  const Type &type(unsigned node) const { return graph.nodes[node].type; }
  int64_t rank(unsigned node) const { return type(node).dims.size(); }
  unsigned input(const Type &type);
  unsigned input(const Type &type, Values values);
  /// The node is result `shown` of an op that has `count`.
  unsigned add(const std::string &op, std::vector<unsigned> operands, const Type &type, int count = 1, int shown = 0);
  /// A node that fits, or a new input of `otherwise`.
  unsigned find(const std::function<bool(const Type &)> &fits, const Type &otherwise);
  unsigned anyFloat(int64_t leastRank = 0);
  unsigned anyNumber(int64_t leastRank = 0);
  unsigned any(int64_t leastRank = 0);
  /// Returns a node of exactly this type.
  unsigned like(const Type &type, int percentNew = 30);
  Extent extent(bool mayBeNamed = true);
  bool hasNames() const { return !named.empty(); }
  /// The axes of the job that runs the graph; none for one process.
  const std::vector<Axis> &axes() const { return graph.axes; }
  /// One of the graph's names; a number if it has none.
  Extent name();
  /// The expression with the size that it has for the graph's own sizes.
  Extent extentOf(const lathe::Dim &dim) const;
  /// An expression of the extent such as a quotient, that has no negative size.
  Extent formulaOf(const Extent &extent);
  lathe::Element element(bool floats);
  Type shapeOf(int64_t rank, lathe::Element element, bool mayBeNamed = true);
  const GraphOptions &options;

private:
  void drawAxes();
  /// Returns a set of sizes with which the graph can run, for the job of this number; nullopt if there is none.
  std::optional<lathe::Sizes> drawOtherSizes(const lathe::Sizes &names, const Mesh &mesh);
  void drawForm(); // and the seeds that it needs
  void makeLoss();
  bool drawBatch(); // false if nothing can lie in a batch
  bool drawState(); // false if nothing can be a variable
  void drawSizes(); // with which the graph is run, and bounds of them
  Random random;
  Graph graph;
  std::vector<Extent> named;
  lathe::Element mainFloat, mainInteger;
};

std::string listText(const std::vector<int64_t> &list);
std::string dimsText(const std::vector<Extent> &dims);

// One op of the family, or none where nothing fits.
void drawUnary(Drawing &d);
void drawBinary(Drawing &d);
void drawInteger(Drawing &d);
void drawChoice(Drawing &d);
void drawConversion(Drawing &d);
void drawMove(Drawing &d);
void drawSizes(Drawing &d);
void drawSource(Drawing &d);
void drawReduction(Drawing &d);
void drawDot(Drawing &d);
void drawConvolution(Drawing &d);
void drawDynamic(Drawing &d);
void drawGather(Drawing &d);
void drawWindow(Drawing &d);
void drawRunning(Drawing &d);
void drawOrder(Drawing &d);
void drawSystem(Drawing &d);
void drawActivation(Drawing &d);
void drawAlongDims(Drawing &d);
void drawControl(Drawing &d);
void drawCollective(Drawing &d);

#endif
