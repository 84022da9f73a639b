// Elementwise ops, and moves of elements.
#include "test/fuzz/Draw.h"

using namespace lathe;

static Type with(Type type, Element element) {
  type.element = element;
  return type;
}

static bool isInteger(Element element) { return element != Element::I1 && !isFloat(element); }

void drawUnary(Drawing &d) {
  static const std::vector<std::string> ops = {"neg",       "abs",
                                               "sign",      "exp",
                                               "exp2",      "expm1",
                                               "log",       "log2",
                                               "log10",     "log1p",
                                               "sqrt",      "rsqrt",
                                               "cbrt",      "sin",
                                               "cos",       "tan",
                                               "asin",      "acos",
                                               "atan",      "sinh",
                                               "cosh",      "tanh",
                                               "asinh",     "acosh",
                                               "atanh",     "logistic",
                                               "erf",       "erfc",
                                               "erf_inv",   "floor",
                                               "ceil",      "trunc",
                                               "round",     "round_half_away",
                                               "is_nan",    "is_inf",
                                               "is_finite", "stop_gradient",
                                               "lgamma",    "digamma",
                                               "polygamma"};
  static const std::vector<std::string> smooth = {"neg",  "exp",   "log",      "sqrt", "sin",   "cos",
                                                  "tanh", "atan",  "abs",      "exp2", "log1p", "rsqrt",
                                                  "cbrt", "asinh", "logistic", "erf",  "erfc",  "expm1"};
  unsigned x = d.anyFloat();
  std::string op = d.oneOf(d.options.smooth ? smooth : ops);
  if (op == "polygamma")
    return void(d.add("polygamma $0 order " + std::to_string(1 + d.pick(3)) + " : @0", {x}, d.type(x)));
  d.add(op + " $0 : @0", {x}, op.starts_with("is_") ? with(d.type(x), Element::I1) : d.type(x));
}

/// A partner whose shape stretches to the type's: the same, a suffix of it, or with ones in it.
static unsigned partner(Drawing &d, Type type) {
  if (d.chance(65))
    return d.like(type);
  type.dims.erase(type.dims.begin(), type.dims.begin() + d.pick(type.dims.size() + 1));
  for (Extent &dim : type.dims)
    if (d.chance(20))
      dim = {"", 1};
  return d.like(type, 80);
}

void drawBinary(Drawing &d) {
  static const std::vector<std::string> floats = {"add", "sub",   "mul",   "div",      "rem",   "floor_div", "floor_mod",
                                                  "pow", "atan2", "hypot", "copysign", "max",   "min",       "add",
                                                  "mul", "sub",   "fma",   "clamp",    "ldexp", "nextafter"};
  static const std::vector<std::string> smooth = {"add", "sub", "mul", "div", "atan2", "hypot", "max", "min", "fma", "mul"};
  unsigned x = d.anyFloat();
  Type type = d.type(x);
  std::string op = d.oneOf(d.options.smooth ? smooth : floats);
  bool half = type.element == Element::F16 || type.element == Element::BF16;
  if (op == "fma") {
    d.add("fma $0, $1, $2 : @0, @1, @2", {x, partner(d, type), partner(d, type)}, type);
  } else if (op == "clamp") {
    d.add("clamp $1, $0, $2 : @1, @0, @2", {x, partner(d, type), partner(d, type)}, type);
  } else if (op == "ldexp") {
    d.add("ldexp $0, $1 : @0, @1", {x, partner(d, with(type, d.chance(50) ? Element::I32 : Element::I64))}, type);
  } else if (op != "nextafter" || !half) {
    unsigned y = partner(d, type);
    bool swap = d.chance(40);
    d.add(op + (swap ? " $1, $0 : @1, @0" : " $0, $1 : @0, @1"), {x, y}, type);
  }
}

void drawInteger(Drawing &d) {
  static const std::vector<std::string> unary = {
      "neg", "abs", "sign", "popcount", "count_leading_zeros", "count_trailing_zeros", "not"};
  static const std::vector<std::string> binary = {
      "add", "sub", "mul", "div", "rem", "floor_div",  "floor_mod",   "pow",
      "max", "min", "and", "or",  "xor", "shift_left", "shift_right", "shift_right_arithmetic"};
  unsigned x = d.find([](const Type &type) { return isInteger(type.element); }, d.shapeOf(d.pick(3), d.element(false)));
  if (d.chance(30))
    d.add(d.oneOf(unary) + " $0 : @0", {x}, d.type(x));
  else if (d.chance(10))
    d.add("clamp $1, $0, $2 : @1, @0, @2", {x, partner(d, d.type(x)), partner(d, d.type(x))}, d.type(x));
  else
    d.add(d.oneOf(binary) + " $0, $1 : @0, @1", {x, partner(d, d.type(x))}, d.type(x));
}

void drawChoice(Drawing &d) {
  static const std::vector<std::string> kinds = {"eq", "ne", "lt", "le", "gt", "ge"};
  unsigned x = d.any(), y = partner(d, d.type(x));
  Type truth = with(d.type(x), Element::I1);
  unsigned p = d.chance(70) ? d.add("compare " + d.oneOf(kinds) + " $0, $1 : @0, @1", {x, y}, truth) : d.like(truth);
  if (d.chance(20) && !d.options.smooth)
    p = d.chance(30) ? d.add("not $0 : @0", {p}, truth)
                     : d.add(d.oneOf<std::string>({"and", "or", "xor"}) + " $0, $1 : @0, @1", {p, d.like(truth)}, truth);
  if (d.chance(70))
    d.add("select $0, $1, $2 : @0, @1, @2", {p, x, d.like(d.type(x))}, d.type(x));
}

void drawConversion(Drawing &d) {
  unsigned x = d.any();
  Element from = d.type(x).element;
  if (d.chance(25)) {
    for (int i = 0; i < 20; ++i)
      if (Element to = Element(1 + d.pick(13)); to != Element::I1 && from != Element::I1 && sizeOf(to) == sizeOf(from)) {
        d.add("bitcast $0 to " + typeName(to) + " : @0", {x}, with(d.type(x), to));
        return;
      }
  }
  Element to = Element(1 + d.pick(13));
  d.add("convert $0 to " + typeName(to) + " : @0", {x}, with(d.type(x), to));
}

static void drawSlice(Drawing &d, unsigned x) {
  Type type = d.type(x);
  std::vector<int64_t> starts, steps;
  std::vector<Extent> limits;
  for (Extent &dim : type.dims) {
    if (!dim.name.empty()) {
      starts.push_back(0), steps.push_back(1), limits.push_back(dim);
      continue;
    }
    int64_t start = d.pick(dim.size + 1), limit = start + d.pick(dim.size - start + 1), step = d.chance(70) ? 1 : 1 + d.pick(3);
    if (limit == start && d.chance(80))
      start = 0, limit = dim.size;
    starts.push_back(start), steps.push_back(step), limits.push_back({"", limit});
    dim.size = (limit - start + step - 1) / step;
  }
  d.add("slice $0 from " + listText(starts) + " to " + dimsText(limits) + " step " + listText(steps) + " : @0", {x}, type);
}

static void drawPad(Drawing &d, unsigned x) {
  Type type = d.type(x);
  std::vector<int64_t> low, high, interior;
  for (Extent &dim : type.dims) {
    bool fixed = !dim.name.empty() || d.chance(40);
    low.push_back(fixed ? 0 : d.pick(5) - 1), high.push_back(fixed ? 0 : d.pick(5) - 1);
    interior.push_back(fixed || d.chance(60) ? 0 : d.pick(3));
    int64_t inner = dim.size + std::max<int64_t>(0, dim.size - 1) * interior.back();
    if (inner + low.back() + high.back() < 0)
      low.back() = high.back() = 0;
    dim.size = inner + low.back() + high.back();
  }
  d.add("pad $0, $1 low " + listText(low) + " high " + listText(high) + " interior " + listText(interior) + " : @0, @1",
        {x, d.like({type.element, {}})}, type);
}

static void drawReshape(Drawing &d, unsigned x) {
  Type type = d.type(x);
  std::vector<Extent> dims;
  for (const Extent &dim : type.dims) { // neighbours that are numbers join, ones come and go
    if (dim.name.empty() && !dims.empty() && dims.back().name.empty() && d.chance(60))
      dims.back().size *= dim.size;
    else
      dims.push_back(dim);
    if (dims.back().name.empty() && dims.back().size % 2 == 0 && dims.back().size > 2 && d.chance(40))
      dims.back().size /= 2, dims.push_back({"", 2});
  }
  if (d.chance(20))
    dims.insert(dims.begin() + d.pick(dims.size() + 1), Extent());
  type.dims = dims;
  d.add("reshape $0 to " + dimsText(dims) + " : @0", {x}, type);
}

static void drawBroadcast(Drawing &d, unsigned x) {
  Type type = d.type(x);
  std::vector<int64_t> places;
  std::vector<Extent> dims;
  for (const Extent &dim : type.dims) {
    if (d.chance(25))
      dims.push_back(d.extent(false));
    places.push_back(dims.size());
    dims.push_back(dim.name.empty() && dim.size == 1 ? d.extent(false) : dim);
  }
  if (d.chance(30))
    dims.push_back(d.extent(false));
  type.dims = dims;
  if (type.size() <= 20000)
    d.add("broadcast $0 dims " + listText(places) + " to " + dimsText(dims) + " : @0", {x}, type);
}

static void drawConcatenation(Drawing &d, unsigned x) {
  Type type = d.type(x), other = type;
  int64_t dim = d.pick(type.dims.size());
  if (!type.dims[dim].name.empty())
    return; // the sum of names is no name
  other.dims[dim] = d.extent(false);
  unsigned y = d.chance(50) ? d.like(type) : d.like(other, 70);
  bool twice = d.chance(20);
  type.dims[dim].size += d.type(y).dims[dim].size + (twice ? type.dims[dim].size : 0);
  d.add(std::string("concatenate $0, $1") + (twice ? ", $0" : "") + " dim " + std::to_string(dim) + " : @0, @1" +
            (twice ? ", @0" : ""),
        {x, y}, type);
}

void drawMove(Drawing &d) {
  unsigned x = d.any(1);
  Type type = d.type(x);
  std::vector<int64_t> dims;
  switch (d.pick(7)) {
  case 0: {
    std::vector<int64_t> permutation;
    for (int64_t i = 0; i < d.rank(x); ++i)
      permutation.insert(permutation.begin() + d.pick(i + 1), i);
    for (int64_t i = 0; i < d.rank(x); ++i)
      type.dims[i] = d.type(x).dims[permutation[i]];
    d.add("transpose $0 " + listText(permutation) + " : @0", {x}, type);
    return;
  }
  case 1:
    for (int64_t i = 0; i < d.rank(x); ++i)
      if (d.chance(60))
        dims.push_back(i);
    d.add("reverse $0 dims " + listText(dims) + " : @0", {x}, type);
    return;
  case 2:
    return drawSlice(d, x);
  case 3:
    return drawPad(d, x);
  case 4:
    return drawReshape(d, x);
  case 5:
    return drawBroadcast(d, x);
  default:
    return drawConcatenation(d, x);
  }
}

static void drawRandom(Drawing &d, Type type) {
  Element integer = Element(int(Element::I8) + d.pick(8)),
          real = d.oneOf<Element>({Element::F64, Element::F32, Element::F16, Element::BF16});
  struct Kind {
    std::string name, parameters;
    Element element;
  };
  static const int64_t ends[] = {1, 2, 7, 100, 128};
  Kind kind = d.oneOf<Kind>({{"bits", "", d.chance(50) ? Element::I32 : Element::I64},
                             {"uniform", "", real},
                             {"normal", "", real},
                             {"integers", " from 0 below " + std::to_string(ends[d.pick(5)]), integer},
                             {"bernoulli", d.chance(20) ? " probability 1.0" : " probability 0.3", Element::I1},
                             {"permutation", "", Element::I32}});
  unsigned seed = d.like({Element::I64, {}});
  if (d.chance(20))
    seed = d.add("random_fold_in $0, $1 : @0", {seed, d.like({Element::I64, {}})}, {Element::I64, {}});
  type.element = kind.element;
  d.add("random_" + kind.name + " $0 stream " + std::to_string(d.pick(5)) + kind.parameters + " to " + dimsText(type.dims) +
            " : " + typeName(type.element),
        {seed}, type);
}

void drawSource(Drawing &d) {
  Type type = d.shapeOf(1 + d.pick(2), d.element(d.chance(50)), false);
  switch (d.pick(4)) {
  case 0:
    d.add("iota dim " + std::to_string(d.pick(type.dims.size())) + " to " + dimsText(type.dims) + " : " +
              typeName(type.element),
          {}, type);
    return;
  case 1:
    return drawRandom(d, type);
  case 2: {
    unsigned x = d.any(1);
    d.add("dim_size $0 dim " + std::to_string(d.pick(d.rank(x))) + " : @0", {x}, {Element::I64, {}});
    return;
  }
  default:
    static const std::vector<std::string> floats = {"0.0", "1.0", "-0.0", "2.0", "0.5", "-1.0", "3.0"},
                                          integers = {"0", "1", "2", "3", "7"};
    type.element = d.element(d.chance(60));
    if (d.chance(50))
      type.dims.clear();
    d.add("constant dense<" + d.oneOf(isFloat(type.element) ? floats : integers) + "> : " + type.text(), {}, type);
  }
}
