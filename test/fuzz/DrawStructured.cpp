// Reductions, contractions, places that are data, windows, running results, order and systems.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "test/fuzz/Draw.h"

using namespace lathe;

static const char *word(bool there, const char *text) { return there ? text : ""; }

void drawReduction(Drawing &d) {
  unsigned x = d.options.smooth ? d.anyFloat(1) : d.any(1);
  Type type = d.type(x), left{type.element, {}};
  if (type.element != Element::I1 && d.chance(15) && !d.options.smooth) {
    int64_t dim = d.pick(type.dims.size());
    left = type;
    left.element = Element::I32;
    left.dims.erase(left.dims.begin() + dim);
    d.add(d.oneOf<std::string>({"argmax", "argmin"}) + " $0 dim " + std::to_string(dim) + " : @0", {x}, left);
    return;
  }
  static const std::vector<std::string> floats = {"sum", "sum", "max", "min", "product"},
                                        integers = {"sum", "product", "max", "min", "and", "or", "xor"},
                                        truths = {"and", "or", "xor"};
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < d.rank(x); ++i)
    if (d.chance(60))
      dims.push_back(i);
    else
      left.dims.push_back(type.dims[i]);
  std::string kind = d.oneOf(isFloat(type.element) ? floats : type.element == Element::I1 ? truths : integers);
  d.add("reduce " + kind + " $0 dims " + listText(dims) + " : @0", {x}, left);
}

void drawDot(Drawing &d) {
  unsigned x = d.anyNumber(1);
  Type a = d.type(x), b{a.element, {}}, result{a.element, {}};
  int64_t contracted = d.pick(a.dims.size()), batch = a.dims.size() > 1 && d.chance(30) ? (contracted + 1) % a.dims.size() : -1;
  std::vector<Extent> free = d.shapeOf(d.pick(3), a.element).dims, left;
  for (int64_t i = 0; i < int64_t(a.dims.size()); ++i)
    if (i != contracted && i != batch)
      left.push_back(a.dims[i]);
  std::string text = " contract [" + std::to_string(contracted) + "] x [";
  if (batch >= 0)
    b.dims.push_back(a.dims[batch]), result.dims.push_back(a.dims[batch]);
  bool behind = d.chance(50); // of the free dimensions
  text += std::to_string((batch >= 0) + (behind ? free.size() : 0)) + "]";
  if (!behind)
    b.dims.push_back(a.dims[contracted]);
  b.dims.insert(b.dims.end(), free.begin(), free.end());
  if (behind)
    b.dims.push_back(a.dims[contracted]);
  result.dims.insert(result.dims.end(), left.begin(), left.end());
  result.dims.insert(result.dims.end(), free.begin(), free.end());
  if (batch >= 0)
    text += " batch [" + std::to_string(batch) + "] x [0]";
  if (result.size() <= 20000 && result.size() * a.dims[contracted].size <= 300000)
    d.add("dot_general $0, $1" + text + " : @0, @1", {x, d.like(b, 60)}, result);
}

/// How many places a window of this reach has in a padded extent; `high` becomes larger if there would be none.
static Extent placesOf(Drawing &d, const Extent &extent, int64_t hole, int64_t low, int64_t &high, int64_t reach,
                       int64_t stride) {
  Dim last = dilated(extent.dim(), hole) + Dim(low + high - reach);
  if (int64_t room = d.extentOf(last).size; room < 0)
    high -= room, last = last - Dim(room);
  return d.extentOf(floorDiv(last, stride) + Dim(1));
}

/// True if the places in a named extent are the same number for all sizes. The text has `?` for them until names are inferred,
/// which no Extent can say.
static bool foldsToNumber(const Extent &extent, const Extent &places) { return !extent.name.empty() && places.name.empty(); }

void drawConvolution(Drawing &d) {
  int64_t spatial = 1 + d.pick(2), groups = d.chance(75) ? 1 : 2, channels = groups * (1 + d.pick(4)),
          filters = groups * (1 + d.pick(6));
  Element element = d.element(true);
  Type in = d.shapeOf(1, element), filter{element, {}}, out;
  out = in;
  std::vector<int64_t> strides, dilations, holes;
  std::string pads;
  for (int64_t i = 0; i < spatial; ++i) {
    Extent size = d.chance(35) ? d.name() : Extent{"", 1 + d.pick(9)};
    int64_t taps = 1 + d.pick(3), stride = d.chance(60) ? 1 : 1 + d.pick(3), dilation = d.chance(75) ? 1 : 2,
            hole = d.chance(80) ? 1 : 2, low = d.pick(4) - d.chance(15), high = d.pick(4) - d.chance(15);
    Extent places = placesOf(d, size, hole, low, high, (taps - 1) * dilation + 1, stride);
    if (foldsToNumber(size, places))
      size.name.clear();
    in.dims.push_back(size), filter.dims.push_back({"", taps}), out.dims.push_back(places);
    strides.push_back(stride), dilations.push_back(dilation), holes.push_back(hole);
    pads += (pads.empty() ? "[" : ", [") + std::to_string(low) + ", " + std::to_string(high) + "]";
  }
  in.dims.push_back({"", channels});
  filter.dims.push_back({"", channels / groups}), filter.dims.push_back({"", filters});
  out.dims.push_back({"", filters});
  std::string geometry = " stride " + listText(strides) + " pad [" + pads + "] dilation " + listText(dilations) +
                         " input_dilation " + listText(holes) + " groups " + std::to_string(groups) + " : @0, @1";
  std::vector<Extent> inSpatial(in.dims.begin() + 1, in.dims.end() - 1), taps(filter.dims.begin(), filter.dims.end() - 2);
  switch (d.pick(5)) {
  case 0:
    d.add("conv_input_grad $0, $1 input " + dimsText(inSpatial) + geometry, {d.like(out, 70), d.like(filter)}, in);
    return;
  case 1:
    d.add("conv_filter_grad $0, $1 filter " + dimsText(taps) + geometry, {d.like(in), d.like(out, 70)}, filter);
    return;
  default:
    d.add("conv $0, $1" + geometry, {d.like(in), d.like(filter)}, out);
  }
}

void drawDynamic(Drawing &d) {
  unsigned x = d.any(1);
  Type type = d.type(x), block = type, place{d.chance(50) ? Element::I32 : Element::I64, {}};
  for (Extent &dim : block.dims)
    if (dim.name.empty() || d.chance(15))
      dim = {"", d.pick(dim.size + 1)};
    else if (d.chance(30))
      dim = d.extentOf(floorDiv(dim.dim(), 2));
  bool update = d.chance(50);
  std::vector<unsigned> operands = {x};
  if (update)
    operands.push_back(d.like(block));
  std::string names, types;
  for (size_t i = 0; i < type.dims.size(); ++i) {
    std::string number = std::to_string(operands.size());
    operands.push_back(d.like(place));
    names += (i ? ", $" : "$") + number, types += (i ? ", @" : "@") + number;
  }
  if (update)
    d.add("dynamic_update_slice $0, $1 [" + names + "] : @0, @1, (" + types + ")", operands, type);
  else
    d.add("dynamic_slice $0 [" + names + "] size " + dimsText(block.dims) + " : @0, (" + types + ")", operands, block);
}

void drawGather(Drawing &d) {
  unsigned x = d.any(1);
  Type table = d.type(x), indices{d.chance(50) ? Element::I32 : Element::I64, {}}, picked{table.element, {}};
  int64_t axis = d.pick(table.dims.size()), batch = d.pick(axis + 1);
  if (d.chance(50))
    batch = 0;
  for (int64_t i = 0; i < batch; ++i)
    indices.dims.push_back(table.dims[i]);
  for (const Extent &dim : d.shapeOf(d.pick(3), indices.element).dims)
    indices.dims.push_back(dim);
  picked.dims.assign(table.dims.begin(), table.dims.begin() + axis);
  picked.dims.insert(picked.dims.end(), indices.dims.begin() + batch, indices.dims.end());
  picked.dims.insert(picked.dims.end(), table.dims.begin() + axis + 1, table.dims.end());
  if (picked.size() > 20000)
    return;
  unsigned i = d.chance(60) ? d.input(indices, Values::Tame) : d.like(indices);
  std::string text = " axis " + std::to_string(axis) + (batch ? " batch " + std::to_string(batch) : "");
  static const std::vector<std::string> kinds = {"set", "add", "mul", "max", "min"};
  if (d.chance(55))
    d.add("gather $0, $1" + text + " : @0, @1", {x, i}, picked);
  else
    d.add("scatter " + (table.element == Element::I1 ? "set" : d.oneOf(kinds)) + " $0, $1, $2" + text + " : @0, @1, @2",
          {x, i, d.like(picked)}, table);
}

void drawWindow(Drawing &d) {
  unsigned x = d.anyNumber(1);
  Type type = d.type(x), result = type;
  std::vector<int64_t> sizes, strides, dilations, holes;
  std::string pads;
  for (Extent &dim : result.dims) {
    bool plain = d.chance(dim.name.empty() ? 30 : 45);
    int64_t size = plain ? 1 : 1 + d.pick(3), stride = plain ? 1 : 1 + d.pick(3), dilation = plain || d.chance(70) ? 1 : 2,
            hole = plain || d.chance(80) ? 1 : 2, low = plain ? 0 : d.pick(3) - d.chance(10), high = plain ? 0 : d.pick(3);
    Extent places = plain ? dim : placesOf(d, dim, hole, low, high, (size - 1) * dilation + 1, stride);
    if (foldsToNumber(dim, places))
      return;
    dim = places;
    sizes.push_back(size), strides.push_back(stride), dilations.push_back(dilation), holes.push_back(hole);
    pads += (pads.empty() ? "[" : ", [") + std::to_string(low) + ", " + std::to_string(high) + "]";
  }
  std::string window = " window " + listText(sizes) + " stride " + listText(strides) + " pad [" + pads + "] dilation " +
                       listText(dilations) + " base_dilation " + listText(holes);
  Type taps = result;
  taps.element = Element::I32;
  static const std::vector<std::string> kinds = {"sum", "max", "min", "product"};
  switch (d.options.smooth ? 0 : d.pick(5)) {
  case 1:
    d.add("window_index " + d.oneOf<std::string>({"max", "min"}) + " $0" + window + " : @0", {x}, taps);
    return;
  case 2:
    d.add("window_gather $0, $1" + window + " : @0, @1", {x, d.like(taps)}, result);
    return;
  case 3:
    d.add("window_scatter $0, $1 to " + dimsText(type.dims) + window + " : @0, @1", {d.like(result), d.like(taps)}, type);
    return;
  default:
    d.add("reduce_window " + d.oneOf(kinds) + " $0" + window + " : @0", {x}, result);
  }
}

void drawRunning(Drawing &d) {
  bool recurrence = d.chance(30);
  unsigned x = recurrence ? d.anyFloat(1) : d.anyNumber(1);
  std::string dim = " dim " + std::to_string(d.pick(d.rank(x))) + word(d.chance(40), " reverse");
  if (recurrence) {
    d.add("linear_recurrence $0, $1" + dim + " : @0, @1", {x, d.like(d.type(x))}, d.type(x));
    return;
  }
  static const std::vector<std::string> kinds = {"sum", "product", "max", "min", "logsumexp"};
  std::string kind = d.oneOf(kinds);
  if (kind == "logsumexp" && !isFloat(d.type(x).element))
    kind = "sum";
  d.add("cumulative " + kind + " $0" + dim + " : @0", {x}, d.type(x));
}

void drawOrder(Drawing &d) {
  unsigned x = d.anyNumber(1);
  Type type = d.type(x);
  int64_t dim = d.pick(type.dims.size());
  std::string number = std::to_string(dim), down = word(d.chance(40), " descending");
  int64_t which = d.options.smooth ? 0 : d.pick(3);
  if (which == 0) {
    d.add("sort $0 dim " + number + down + " : @0", {x}, type);
    return;
  }
  type.element = Element::I32;
  if (which == 1) {
    d.add("argsort $0 dim " + number + down + " : @0", {x}, type);
  } else {
    int64_t count = d.pick(type.dims[dim].size + 1);
    type.dims[dim] = {"", count};
    d.add("top_k $0 dim " + number + " count " + std::to_string(count) + word(d.chance(40), " smallest") + " : @0", {x}, type);
  }
}

/// A matrix with a diagonal that rules: a constant added to it.
static unsigned ruled(Drawing &d, const Type &type) {
  unsigned a = d.like(type, 60);
  std::vector<Extent> square(type.dims.end() - 2, type.dims.end());
  std::string rows;
  for (int64_t i = 0; i < square[0].size; ++i) {
    std::string row;
    for (int64_t j = 0; j < square[0].size; ++j)
      row += (j ? ", " : "") + std::string(i == j ? "32.0" : "0.0");
    rows += (i ? ", [" : "[") + row + "]";
  }
  unsigned diagonal =
      d.add("constant dense<[" + rows + "]> : " + Type{type.element, square}.text(), {}, {type.element, square});
  return d.add("add $0, $1 : @0, @1", {a, diagonal}, type);
}

void drawSystem(Drawing &d) {
  Extent n{"", 1 + d.pick(5)}, columns = d.extent(false);
  Type a = d.shapeOf(d.pick(2), d.element(true)), b = a;
  bool right = d.chance(40);
  a.dims.push_back(n), a.dims.push_back(n);
  b.dims.push_back(right ? columns : n), b.dims.push_back(right ? n : columns);
  if (d.chance(40)) {
    d.add("cholesky $0 : @0", {d.chance(90) ? ruled(d, a) : d.like(a)}, a);
    return;
  }
  std::string words = std::string(word(right, " right")) + word(d.chance(40), " upper") + word(d.chance(40), " transposed") +
                      word(d.chance(25), " unit");
  d.add("triangular_solve $0, $1" + words + " : @0, @1", {d.chance(90) ? ruled(d, a) : d.like(a), d.like(b)}, b);
}
