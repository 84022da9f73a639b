// Moves of elements, whose places and extents may be expressions of names.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "test/fuzz/Draw.h"

using namespace lathe;

/// The part of an extent that a slice takes: a start, a limit and a step, for each size of the names if they may be anything.
struct Part {
  Dim start = 0, limit;
  int64_t step = 1;
};

/// A part of a number of elements.
static Part partOfNumber(Drawing &d, int64_t size) {
  int64_t start = d.pick(size + 1), limit = start + d.pick(size - start + 1);
  if (limit == start && d.chance(80))
    start = 0, limit = size;
  return {start, limit, d.chance(70) ? 1 : 1 + d.pick(3)};
}

/// A part of a named extent; of some of them sizes that are too small are to be refused.
static Part partOf(Drawing &d, const Extent &extent) {
  if (extent.name.empty())
    return partOfNumber(d, extent.size);
  Dim all = extent.dim(), start = 0, limit = all, few(1 + d.pick(4));
  int64_t count = 2 + d.pick(3), which = d.pick(count);
  switch (d.pick(8)) {
  case 0:
    start = floorDiv(all, 2 + d.pick(3));
    break;
  case 1:
    start = maxOf(all - few, 0);
    break;
  case 2:
    limit = minOf(all, few);
    break;
  case 3:
    start = d.pick(extent.size + 1);
    break;
  case 4:
    limit = all - Dim(d.pick(std::min<int64_t>(extent.size, 4) + 1));
    break;
  case 5: { // one of the parts of an uneven split
    Dim part = ceilDiv(all, count);
    start = minOf(Dim(which) * part, all), limit = minOf(Dim(which + 1) * part, all);
    break;
  }
  default:
    break;
  }
  return {start, limit, d.chance(45) ? 1 : 2 + d.pick(3)};
}

static void drawSlice(Drawing &d, unsigned x) {
  Type type = d.type(x);
  std::vector<Extent> starts, limits;
  std::vector<int64_t> steps;
  for (Extent &dim : type.dims) {
    Part part = partOf(d, dim);
    starts.push_back(d.extentOf(part.start)), limits.push_back(d.extentOf(part.limit)), steps.push_back(part.step);
    dim = d.extentOf(ceilDiv(part.limit - part.start, part.step));
  }
  d.add("slice $0 from " + dimsText(starts) + " to " + dimsText(limits) + " step " + listText(steps) + " : @0", {x}, type);
}

/// A part of the extents may be named; one pad then fills the last block, or is a quotient.
static void drawPad(Drawing &d, unsigned x) {
  Type type = d.type(x);
  std::vector<Extent> lows, highs;
  std::vector<int64_t> interior;
  for (Extent &dim : type.dims) {
    bool isFixed = d.chance(40);
    Dim all = dim.dim(), low = isFixed ? 0 : d.pick(5) - 1, high = isFixed ? 0 : d.pick(5) - 1;
    interior.push_back(isFixed || d.chance(60) ? 0 : d.pick(3));
    if (!isFixed && !dim.name.empty() && d.chance(60)) {
      int64_t block = 2 + d.pick(7);
      (d.chance(50) ? low : high) = d.chance(60) ? Dim(block) * ceilDiv(all, block) - all : floorDiv(all, 2 + d.pick(2));
    }
    Extent padded = d.extentOf(dilated(all, interior.back() + 1) + low + high);
    if (padded.size < 0)
      low = 0, high = 0, padded = d.extentOf(dilated(all, interior.back() + 1));
    lows.push_back(d.extentOf(low)), highs.push_back(d.extentOf(high));
    dim = padded;
  }
  d.add("pad $0, $1 low " + dimsText(lows) + " high " + dimsText(highs) + " interior " + listText(interior) + " : @0, @1",
        {x, d.like({type.element, {}})}, type);
}

/// Neighbours join, ones come and go.
static void drawReshape(Drawing &d, unsigned x) {
  Type type = d.type(x);
  std::vector<Extent> dims;
  for (const Extent &dim : type.dims) {
    bool bothNumbers = !dims.empty() && dim.name.empty() && dims.back().name.empty();
    if (!dims.empty() && d.chance(bothNumbers ? 60 : 25))
      dims.back() = d.extentOf(dims.back().dim() * dim.dim());
    else
      dims.push_back(dim);
    if (dims.back().name.empty() && dims.back().size % 2 == 0 && dims.back().size > 2 && d.chance(40))
      dims.back().size /= 2, dims.push_back({"", 2});
  }
  if (d.chance(20))
    dims.insert(dims.begin() + d.pick(dims.size() + 1), Extent{});
  type.dims = dims;
  d.add("reshape $0 to " + dimsText(dims) + " : @0", {x}, type);
}

static void drawBroadcast(Drawing &d, unsigned x) {
  Type type = d.type(x);
  std::vector<int64_t> places;
  std::vector<Extent> dims;
  for (const Extent &dim : type.dims) {
    if (d.chance(25))
      dims.push_back(d.extent());
    places.push_back(dims.size());
    dims.push_back(dim.name.empty() && dim.size == 1 ? d.extent() : dim);
  }
  if (d.chance(30))
    dims.push_back(d.extent());
  type.dims = dims;
  if (type.size() <= 20000)
    d.add("broadcast $0 dims " + listText(places) + " to " + dimsText(dims) + " : @0", {x}, type);
}

static void drawConcatenation(Drawing &d, unsigned x) {
  Type type = d.type(x), other = type;
  int64_t dim = d.pick(type.dims.size());
  other.dims[dim] = d.extent();
  unsigned y = d.chance(50) ? d.like(type) : d.like(other, 70);
  bool isTwice = d.chance(20);
  Dim first = type.dims[dim].dim(), all = first + d.type(y).dims[dim].dim() + (isTwice ? first : Dim(0));
  type.dims[dim] = d.extentOf(all);
  d.add(std::string("concatenate $0, $1") + (isTwice ? ", $0" : "") + " dim " + std::to_string(dim) + " : @0, @1" +
            (isTwice ? ", @0" : ""),
        {x, y}, type);
}

static void drawTranspose(Drawing &d, unsigned x) {
  Type type = d.type(x);
  std::vector<int64_t> permutation;
  for (int64_t i = 0; i < d.rank(x); ++i)
    permutation.insert(permutation.begin() + d.pick(i + 1), i);
  for (int64_t i = 0; i < d.rank(x); ++i)
    type.dims[i] = d.type(x).dims[permutation[i]];
  d.add("transpose $0 " + listText(permutation) + " : @0", {x}, type);
}

static void drawReverse(Drawing &d, unsigned x) {
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < d.rank(x); ++i)
    if (d.chance(60))
      dims.push_back(i);
  d.add("reverse $0 dims " + listText(dims) + " : @0", {x}, d.type(x));
}

void drawMove(Drawing &d) {
  using Move = void (*)(Drawing &, unsigned);
  d.oneOf<Move>({drawTranspose, drawReverse, drawSlice, drawPad, drawReshape, drawBroadcast, drawConcatenation})(d, d.any(1));
}

/// An operand of at least rank 1 with a name in its shape, and where it is.
static std::pair<unsigned, int64_t> anyNamed(Drawing &d, bool isFloat) {
  auto dimOf = [](const Type &type) {
    for (size_t i = 0; i < type.dims.size(); ++i)
      if (!type.dims[i].name.empty())
        return int64_t(i);
    return int64_t(-1);
  };
  Type fresh = d.shapeOf(1 + d.pick(3), d.element(isFloat || d.chance(60)));
  fresh.dims[d.pick(fresh.dims.size())] = d.name();
  unsigned x = d.find([&](const Type &type) { return dimOf(type) >= 0 && (!isFloat || ::isFloat(type.element)); }, fresh);
  return {x, dimOf(d.type(x))};
}

/// All parts of an uneven split, put together again in order.
static void drawSplit(Drawing &d) {
  auto [x, dim] = anyNamed(d, d.options.smooth);
  if (dim < 0)
    return;
  const Type type = d.type(x);
  int64_t count = 2 + d.pick(3);
  Dim all = type.dims[dim].dim(), part = ceilDiv(all, count), sum = 0;
  std::vector<unsigned> parts;
  std::string values, types;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<Extent> starts(type.dims.size(), Extent{"", 0}), limits = type.dims;
    Dim start = minOf(Dim(i) * part, all), limit = i + 1 == count ? all : minOf(Dim(i + 1) * part, all);
    starts[dim] = d.extentOf(start), limits[dim] = d.extentOf(limit);
    Type piece = type;
    piece.dims[dim] = d.extentOf(limit - start);
    sum = sum + (limit - start);
    parts.push_back(d.add("slice $0 from " + dimsText(starts) + " to " + dimsText(limits) + " : @0", {x}, piece));
    std::string number = std::to_string(i);
    values += (i ? ", $" : "$") + number, types += (i ? ", @" : "@") + number;
  }
  Type whole = type;
  whole.dims[dim] = d.extentOf(sum);
  d.add("concatenate " + values + " dim " + std::to_string(dim) + " : " + types, parts, whole);
}

/// A constant of rank 0.
static unsigned number(Drawing &d, Element element, const std::string &text) {
  Type scalar{element, {}};
  return d.add("constant dense<" + text + "> : " + scalar.text(), {}, scalar);
}

/// An image of another width: of each place the nearest element, or a mean of two by their distances.
static void drawResize(Drawing &d) {
  auto [x, first] = anyNamed(d, true);
  const Type image = d.type(x);
  if (first < 0)
    return;
  int64_t axis = image.dims.size() - 1; // weights stand along the last dimension
  Extent from = image.dims[axis], to = d.chance(70) ? d.formulaOf(d.name()) : d.extent();
  Element real = d.options.smooth ? Element::F64 : Element::F32;
  Type places{real, {to}}, indices{Element::I32, {to}}, resized = image;
  resized.dims[axis] = to;
  if (resized.size() > 20000)
    return;
  static const std::vector<std::string> ratios = {"0.5", "2.0", "1.5", "0.75", "3.0"};
  unsigned place = d.add("iota dim 0 to " + dimsText({to}) + " : " + typeName(real), {}, places);
  unsigned exact = d.add("mul $0, $1 : @0, @1", {place, number(d, real, d.oneOf(ratios))}, places);
  unsigned floor = d.add("floor $0 : @0", {exact}, places);
  unsigned index = d.add("convert $0 to i32 : @0", {floor}, indices);
  std::string gather = "gather $0, $1 axis " + std::to_string(axis) + " : @0, @1";
  unsigned lower = d.add(gather, {x, index}, resized);
  if (d.chance(50))
    return;
  unsigned next = d.add("add $0, $1 : @0, @1", {index, number(d, Element::I32, "1")}, indices);
  unsigned upper = d.add(gather, {x, next}, resized);
  unsigned beyond = d.add("sub $0, $1 : @0, @1", {exact, floor}, places);
  Type weights{image.element, {to}};
  unsigned weight =
      image.element == real ? beyond : d.add("convert $0 to " + typeName(image.element) + " : @0", {beyond}, weights);
  unsigned gap = d.add("sub $0, $1 : @0, @1", {upper, lower}, resized);
  unsigned part = d.add("mul $0, $1 : @0, @1", {gap, weight}, resized);
  d.add("add $0, $1 : @0, @1", {lower, part}, resized);
}

/// A reshape that the entry has to check: it holds for some sizes only, the graph's own among them.
static void drawCheckedReshape(Drawing &d) {
  auto [x, dim] = anyNamed(d, d.options.smooth);
  if (dim < 0)
    return;
  Type type = d.type(x);
  const Extent extent = type.dims[dim];
  int64_t factor = 2 + d.pick(2);
  if (extent.size % factor)
    factor = 1;
  Extent quotient = d.extentOf(d.chance(50) ? floorDiv(extent.dim(), factor) : ceilDiv(extent.dim(), factor));
  if (factor == 1)
    quotient = d.extentOf(Dim(2) * floorDiv(extent.dim() + Dim(extent.size % 2), 2) - Dim(extent.size % 2));
  type.dims[dim] = quotient;
  if (factor > 1)
    type.dims.insert(type.dims.begin() + dim + 1, Extent{"", factor});
  d.add("reshape $0 checked to " + dimsText(type.dims) + " : @0", {x}, type);
}

/// A sum with a value whose extent is the same for some sizes only.
static void drawSkip(Drawing &d) {
  auto [x, dim] = anyNamed(d, true);
  if (dim < 0)
    return;
  Type other = d.type(x);
  const Extent extent = other.dims[dim];
  int64_t factor = 2 + d.pick(2);
  if (extent.size % factor)
    return;
  other.dims[dim] = d.extentOf(Dim(factor) * (d.chance(50) ? floorDiv(extent.dim(), factor) : ceilDiv(extent.dim(), factor)));
  d.add("add $0, $1 : @0, @1", {x, d.input(other)}, d.type(x));
}

void drawSizes(Drawing &d) {
  using Family = void (*)(Drawing &);
  d.oneOf<Family>({drawSplit, drawResize, drawCheckedReshape, drawSkip})(d);
}
