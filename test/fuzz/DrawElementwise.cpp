// Elementwise ops, and values made of nothing.
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
  Type type = d.shapeOf(1 + d.pick(2), d.element(d.chance(50)));
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
    if (d.chance(50) || !type.isStatic())
      type.dims.clear();
    d.add("constant dense<" + d.oneOf(isFloat(type.element) ? floats : integers) + "> : " + type.text(), {}, type);
  }
}
