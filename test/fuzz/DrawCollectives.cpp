// Collectives over the axes of a job, whose ranks run the graph together.
#include "test/fuzz/Draw.h"
#include <algorithm>

using namespace lathe;

/// The most elements of a value of one rank that is gathered.
static constexpr int64_t kMostGathered = 2500;

/// Returns the extent `times` the number of ranks.
static Extent wholeOf(Drawing &d, const Extent &extent, const Axis &axis) {
  return d.extentOf(extent.dim() * axis.ranks.dim());
}

/// Returns what one rank has of the extent; nullopt if its parts are not equal for all sizes. A number among them is unknown in
/// the text of a type, which has no expressions: such an extent is written as one.
static std::optional<Extent> shareOf(Drawing &d, const Extent &extent, const Axis &axis) {
  Dim whole = extent.dim(), ranks = axis.ranks.dim();
  if (ranks.isStatic()) {
    std::optional<Dim> part = whole.dividedBy(ranks.constant());
    return part ? std::optional(d.extentOf(*part)) : std::nullopt;
  }
  auto [part, rest] = whole.dividedBy(ranks);
  if (rest != Dim(0))
    return std::nullopt;
  return part.isStatic() && !whole.isStatic() ? Extent{std::to_string(part.constant()) + " + 0 * " + axis.name, part.constant()}
                                              : d.extentOf(part);
}

/// Adds a reshape to the extents that are numbers, if one of them is written as an expression.
static void addNumbers(Drawing &d, unsigned x) {
  Type type = d.type(x);
  for (Extent &dim : type.dims)
    dim = d.extentOf(dim.dim());
  if (type != d.type(x))
    d.add("reshape $0 to " + dimsText(type.dims) + " : @0", {x}, type);
}

static std::vector<int64_t> divisibleDims(Drawing &d, const Type &type, const Axis &axis) {
  std::vector<int64_t> dims;
  for (size_t i = 0; i < type.dims.size(); ++i)
    if (shareOf(d, type.dims[i], axis))
      dims.push_back(i);
  return dims;
}

static std::string kindOf(Drawing &d, const Type &type) {
  static const std::vector<std::string> floats = {"sum", "sum", "mean", "max", "min"}, integers = {"sum", "max", "min"};
  return d.oneOf(isFloat(type.element) ? floats : integers);
}

/// Returns a node that ranks can divide along a dimension, and that dimension.
static std::pair<unsigned, int64_t> findDivisible(Drawing &d, const Axis &axis, bool isNumber) {
  auto fits = [&](const Type &type) {
    bool isRight = d.options.smooth ? isFloat(type.element) : !isNumber || type.element != Element::I1;
    return isRight && !divisibleDims(d, type, axis).empty();
  };
  Type otherwise = d.shapeOf(1 + d.pick(3), d.element(d.options.smooth || d.chance(60)));
  Extent &dim = otherwise.dims[d.pick(otherwise.dims.size())];
  dim = wholeOf(d, dim, axis);
  unsigned x = d.find(fits, otherwise);
  return {x, d.oneOf(divisibleDims(d, d.type(x), axis))};
}

static void drawAllReduce(Drawing &d, const Axis &axis) {
  unsigned x = d.anyNumber();
  d.add("all_reduce " + kindOf(d, d.type(x)) + " $0 " + axis.text() + " : @0", {x}, d.type(x));
}

static void drawReduceScatter(Drawing &d, const Axis &axis) {
  auto [x, dim] = findDivisible(d, axis, /*isNumber=*/true);
  Type part = d.type(x);
  part.dims[dim] = *shareOf(d, part.dims[dim], axis);
  unsigned y =
      d.add("reduce_scatter " + kindOf(d, part) + " $0 dim " + std::to_string(dim) + " " + axis.text() + " : @0", {x}, part);
  addNumbers(d, y);
}

static void drawAllGather(Drawing &d, const Axis &axis) {
  unsigned x = d.find(
      [&](const Type &type) {
        return !type.dims.empty() && type.size() <= kMostGathered && (!d.options.smooth || isFloat(type.element));
      },
      d.shapeOf(1 + d.pick(2), d.element(d.options.smooth || d.chance(60))));
  Type whole = d.type(x);
  int64_t dim = d.pick(whole.dims.size());
  whole.dims[dim] = wholeOf(d, whole.dims[dim], axis);
  d.add("all_gather $0 dim " + std::to_string(dim) + " " + axis.text() + " : @0", {x}, whole);
}

static void drawAllToAll(Drawing &d, const Axis &axis) {
  auto [x, split] = findDivisible(d, axis, /*isNumber=*/false);
  Type type = d.type(x);
  int64_t concat = d.pick(type.dims.size());
  type.dims[split] = *shareOf(d, type.dims[split], axis);
  type.dims[concat] = wholeOf(d, type.dims[concat], axis);
  unsigned y =
      d.add("all_to_all $0 split " + std::to_string(split) + " concat " + std::to_string(concat) + " " + axis.text() + " : @0",
            {x}, type);
  addNumbers(d, y);
}

/// A root of an open axis is one of the first two ranks: jobs without the second one are to be refused.
static void drawCollectiveBroadcast(Drawing &d, const Axis &axis) {
  unsigned x = d.any();
  int64_t root = axis.ranks.name.empty() ? d.pick(axis.ranks.size) : d.chance(90) ? 0 : 1;
  d.add("collective_broadcast $0 from " + std::to_string(root) + " " + axis.text() + " : @0", {x}, d.type(x));
}

static void drawCollectivePermute(Drawing &d, const Axis &axis) {
  unsigned x = d.any();
  d.add("collective_permute $0 shift " + std::to_string(d.pick(9) - 4) + " " + axis.text() + " : @0", {x}, d.type(x));
}

/// The index as a number among the others: added to a value of one element type.
static void drawAxisIndex(Drawing &d, const Axis &axis) {
  Type index{Element::I64, {}};
  unsigned at = d.add("axis_index " + axis.text() + " : tensor<i64>", {}, index);
  unsigned x = d.anyNumber();
  Type scalar{d.type(x).element, {}};
  if (scalar != index)
    at = d.add("convert $0 to " + typeName(scalar.element) + " : @0", {at}, scalar);
  d.add(d.oneOf<std::string>({"add", "mul", "sub"}) + " $0, $1 : @0" + (d.type(x) == scalar ? "" : ", @1"), {x, at}, d.type(x));
}

/// A loop each of whose steps exchanges its slice with the other ranks.
static void drawExchangingScan(Drawing &d, const Axis &axis) {
  unsigned xs = d.anyNumber(1);
  const Type stack = d.type(xs);
  Type slice = stack;
  slice.dims.erase(slice.dims.begin());
  unsigned first = d.like(slice);
  std::string type = slice.text(), shift = std::to_string(1 + d.pick(2));
  std::string exchange = d.chance(50) ? "all_reduce " + kindOf(d, slice) + " %r0 " + axis.text()
                                      : "collective_permute %r0 shift " + shift + " " + axis.text();
  std::string text = "scan carry(%c = $0 : " + type + ") over(%x = $1 : " + stack.text() + ")" +
                     (d.chance(30) ? " reverse" : "") + " -> (" + type + ", " + stack.text() + ") {\n" +
                     "    %r0 = lathe.sub %x, %c : " + type + "\n    %r1 = lathe." + exchange + " : " + type +
                     "\n    %r2 = lathe.max %r1, %c : " + type + "\n    lathe.yield carry(%r2 : " + type +
                     ") collect(%r1 : " + type + ")\n  }";
  bool showsStack = d.chance(50);
  d.add(text, {first, xs}, showsStack ? stack : slice, 2, showsStack);
}

/// A branch with exchanges in one or both of its regions. All ranks take the same one: the condition compares the largest of a
/// number that each of them has with a constant.
static void drawExchangingBranch(Drawing &d, const Axis &axis) {
  Type number{d.element(d.chance(50)), {}}, truth{Element::I1, {}};
  unsigned largest = d.like(number), x = d.anyNumber();
  for (const Axis &each : d.axes())
    largest = d.add("all_reduce max $0 " + each.text() + " : @0", {largest}, number);
  unsigned limit =
      d.add("constant dense<" + std::string(isFloat(number.element) ? "0.5" : "1") + "> : " + number.text(), {}, number);
  unsigned condition = d.add("compare gt $0, $1 : @0", {largest, limit}, truth);
  const Type value = d.type(x);
  const std::string type = value.text();
  auto region = [&](bool exchanges) {
    std::string own = "    %r0 = lathe.neg $1 : " + type + "\n", shift = std::to_string(1 + d.pick(2));
    std::string exchange = d.chance(50) ? "all_reduce " + kindOf(d, value) + " %r0 " + axis.text()
                                        : "collective_permute %r0 shift " + shift + " " + axis.text();
    return exchanges ? own + "    %r1 = lathe." + exchange + " : " + type + "\n    lathe.yield %r1 : " + type + "\n"
                     : own + "    lathe.yield %r0 : " + type + "\n";
  };
  bool isFirst = d.chance(60), isSecond = !isFirst || d.chance(40);
  d.add("if $0 -> " + type + " {\n" + region(isFirst) + "  } else {\n" + region(isSecond) + "  }", {condition, x}, value);
}

void drawCollective(Drawing &d) {
  using Family = void (*)(Drawing &, const Axis &);
  static const std::vector<Family> families = {drawAllReduce,     drawAllReduce,           drawReduceScatter,
                                               drawReduceScatter, drawAllGather,           drawAllGather,
                                               drawAllToAll,      drawCollectiveBroadcast, drawCollectivePermute,
                                               drawAxisIndex,     drawExchangingScan,      drawExchangingBranch};
  d.oneOf(families)(d, d.oneOf(d.axes()));
}

std::vector<Mesh> drawMeshes(uint64_t seed) {
  Random random(seed + 28);
  std::vector<Mesh> meshes;
  if (below(random, 100) < 55) {
    for (int64_t ranks : {1, 2, 3, 4})
      meshes.push_back({{"data", ranks}});
  } else {
    static const std::vector<std::pair<int64_t, int64_t>> sizes = {{2, 2}, {1, 3}, {4, 1}, {2, 1}, {1, 2}, {3, 1}};
    for (auto [data, model] : sizes)
      meshes.push_back({{"data", data}, {"model", model}});
  }
  std::shuffle(meshes.begin(), meshes.end(), random);
  return meshes;
}
