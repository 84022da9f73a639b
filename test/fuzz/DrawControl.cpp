// Branches and loops: regions of a few ops each, which use values from outside.
#include "test/fuzz/Draw.h"
#include "llvm/ADT/StringExtras.h"

using namespace lathe;

namespace {
/// A region in the making: what it may use, and its text. Values of outer nodes are "$0" and so on.
class RegionText {
public:
  explicit RegionText(Drawing &d, int depth = 0) : d(d), indent(2 * depth + 4, ' ') {}

  void use(const std::string &name, const Type &type) { known.push_back({name, type}); }
  /// A line of an op that gives one value.
  std::string line(const std::string &op, const Type &type) {
    std::string name = (indent.size() > 4 ? "%q" : "%r") + std::to_string(count++); // of its own in a region of a region
    text += indent + name + " = lathe." + op + "\n";
    use(name, type);
    return name;
  }
  /// A value of this type, of which at least one is known.
  std::string any(const Type &type) {
    std::vector<std::string> fitting;
    for (auto &[name, other] : known)
      if (other == type)
        fitting.push_back(name);
    return d.oneOf(fitting);
  }
  bool has(const Type &type) const {
    return std::any_of(known.begin(), known.end(), [&](auto &value) { return value.second == type; });
  }

  /// A few ops, of which the last gives a value of the type.
  std::string compute(const Type &type) {
    std::string value = any(type);
    for (int64_t ops = d.pick(3) + 1; ops > 0; --ops)
      value = d.chance(35) ? unary(value, type) : d.chance(60) ? binary(value, any(type), type, type) : withScalar(value, type);
    return value;
  }
  void end(const std::string &yield) { text += indent + "lathe.yield " + yield + "\n"; }

  std::string text;
  Drawing &d;
  const std::string indent;

private:
  std::string unary(const std::string &value, const Type &type) {
    if (type.element == Element::I1)
      return line("not " + value + " : " + type.text(), type);
    static const std::vector<std::string> floats = {"neg", "abs", "sin", "tanh", "sqrt", "floor"},
                                          smooth = {"neg", "sin", "tanh"}, integers = {"neg", "abs", "not"};
    std::string op = d.oneOf(!isFloat(type.element) ? integers : d.options.smooth ? smooth : floats);
    return line(op + " " + value + " : " + type.text(), type);
  }

  std::string binary(const std::string &a, const std::string &b, const Type &second, const Type &type) {
    static const std::vector<std::string> numbers = {"add", "sub", "mul", "max", "min"}, truths = {"and", "or", "xor"};
    std::string op = type.element == Element::I1 ? d.oneOf(truths) : d.oneOf(numbers);
    return line(op + " " + a + ", " + b + " : " + type.text() + (second == type ? "" : ", " + second.text()), type);
  }

  /// With the extremum of all that another value has, which every place reads.
  std::string withScalar(const std::string &value, const Type &type) {
    std::vector<std::pair<std::string, Type>> others;
    for (auto &each : known)
      if (each.second.element == type.element && type.element != Element::I1 && !each.second.dims.empty() && each.second.size())
        others.push_back(each);
    if (others.empty())
      return unary(value, type);
    auto [name, other] = d.oneOf(others);
    std::vector<int64_t> dims;
    for (size_t i = 0; i < other.dims.size(); ++i)
      dims.push_back(i);
    Type scalar{type.element, {}};
    std::string all = line("reduce max " + name + " dims " + listText(dims) + " : " + other.text(), scalar);
    return binary(value, all, scalar, type);
  }

  std::vector<std::pair<std::string, Type>> known;
  unsigned count = 0;
};

/// Values of outer nodes that a region may use: a carry or branch always has its own type among them.
struct Outside {
  std::vector<unsigned> operands;

  std::string add(unsigned node) {
    operands.push_back(node);
    return "$" + std::to_string(operands.size() - 1);
  }
};

Type withoutDim(Type type, int64_t dim) {
  type.dims.erase(type.dims.begin() + dim);
  return type;
}
} // namespace

/// An i1 of rank 0.
static unsigned truth(Drawing &d) {
  Type scalar{Element::I1, {}};
  unsigned known = d.find([&](const Type &type) { return type == scalar; }, scalar);
  if (d.chance(40))
    return known;
  Type number{d.element(d.chance(50)), {}};
  unsigned a = d.like(number), b = d.like(number);
  return d.add("compare lt $0, $1 : @0", {a, b}, scalar);
}

/// `lathe.if` of a region's own values, as a line of the region; empty now and then.
static std::string branchInside(RegionText &outer, const Type &type) {
  Type scalar{Element::I1, {}};
  if (!outer.has(scalar) || outer.d.chance(40))
    return "";
  std::string predicate = outer.any(scalar), first = outer.any(type), second = outer.any(type);
  RegionText taken(outer.d, outer.indent.size() / 2 - 1), otherwise(outer.d, outer.indent.size() / 2 - 1);
  taken.use(first, type);
  otherwise.use(first, type);
  otherwise.use(second, type);
  taken.end(taken.compute(type) + " : " + type.text());
  otherwise.end((outer.d.chance(30) ? second : otherwise.compute(type)) + " : " + type.text());
  return outer.line("if " + predicate + " -> " + type.text() + " {\n" + taken.text + outer.indent + "} else {\n" +
                        otherwise.text + outer.indent + "}",
                    type);
}

void drawIf(Drawing &d) {
  unsigned predicate = truth(d), x = d.any(), other = d.like(d.type(x)), third = d.anyNumber();
  const Type type = d.type(x);
  Outside outside;
  std::string condition = outside.add(predicate);
  RegionText taken(d), otherwise(d);
  for (unsigned node : {x, other, third}) {
    std::string name = outside.add(node);
    taken.use(name, d.type(node));
    otherwise.use(name, d.type(node));
  }
  taken.end((d.chance(15) ? taken.any(type) : taken.compute(type)) + " : " + type.text());
  otherwise.end((d.chance(15) ? otherwise.any(type) : otherwise.compute(type)) + " : " + type.text());
  d.add("if " + condition + " -> " + type.text() + " {\n" + taken.text + "  } else {\n" + otherwise.text + "  }",
        outside.operands, type);
}

void drawCheckpoint(Drawing &d) {
  unsigned x = d.any(), other = d.anyNumber();
  const Type type = d.type(x);
  Outside outside;
  RegionText body(d);
  for (unsigned node : {x, other})
    body.use(outside.add(node), d.type(node));
  body.end(body.compute(type) + " : " + type.text());
  d.add("checkpoint -> " + type.text() + " {\n" + body.text + "  }", outside.operands, type);
}

/// Draws the checkpoint policy of a loop.
static std::string policy(Drawing &d) {
  return d.chance(60) ? "" : d.chance(50) ? " checkpoint sqrt" : " checkpoint every " + std::to_string(1 + d.pick(4));
}

void drawScan(Drawing &d) {
  unsigned xs = d.any(1);
  const Type stack = d.type(xs);
  int64_t dim = d.chance(60) ? 0 : d.pick(stack.dims.size());
  const Type slice = withoutDim(stack, dim);
  unsigned first = d.chance(50) ? d.like(slice) : d.any(), captured = d.anyNumber();
  const Type carry = d.type(first);
  Outside outside;
  std::string text = "scan carry(%c = " + outside.add(first) + " : " + carry.text() + ") over(%x = " + outside.add(xs) + " : " +
                     stack.text() + ")";
  if (dim)
    text += " dim " + std::to_string(dim);
  if (d.chance(40))
    text += " reverse";
  RegionText body(d);
  if (d.chance(30)) {
    Type scalar{d.chance(50) ? Element::I32 : Element::I64, {}};
    text += " length " + outside.add(d.like(scalar)) + " : " + scalar.text();
  }
  text += policy(d);
  body.use("%c", carry);
  body.use("%x", slice);
  body.use(outside.add(captured), d.type(captured));
  std::string next = body.compute(carry);
  if (std::string branch = branchInside(body, carry); !branch.empty())
    next = branch;
  // A collected value must have room for the dimension that it is stacked along.
  const Type collected = int64_t(slice.dims.size()) >= dim && d.chance(60) ? slice : carry;
  bool collects = int64_t(collected.dims.size()) >= dim && collected.size() * stack.dims[dim].size <= 20000;
  std::string y = collects ? (d.chance(30) ? body.any(collected) : body.compute(collected)) : "";
  Type stacked = collected;
  if (collects)
    stacked.dims.insert(stacked.dims.begin() + dim, stack.dims[dim]);
  body.end("carry(" + next + " : " + carry.text() + ")" + (collects ? " collect(" + y + " : " + collected.text() + ")" : ""));
  text += collects ? " -> (" + carry.text() + ", " + stacked.text() + ")" : " -> " + carry.text();
  bool showsStack = collects && d.chance(60);
  d.add(text + " {\n" + body.text + "  }", outside.operands, showsStack ? stacked : carry, 1 + collects, showsStack);
}

/// Counts up to a few, beside a carry of any type; with a bound that is enough.
void drawWhile(Drawing &d) {
  unsigned first = d.any(), captured = d.anyNumber();
  const Type type = d.type(first), count{Element::I32, {}};
  unsigned start = d.add("constant dense<" + std::to_string(d.pick(3)) + "> : tensor<i32>", {}, count);
  Outside outside;
  std::string text = "while carry(%c = " + outside.add(first) + " : " + type.text() + ", %i = " + outside.add(start) +
                     " : tensor<i32>)" + (d.options.smooth || d.chance(75) ? " bound 7" + policy(d) : "");
  RegionText condition(d), body(d);
  std::string limit = condition.line("constant dense<" + std::to_string(1 + d.pick(5)) + "> : tensor<i32>", count);
  std::string go = condition.line("compare lt %i, " + limit + " : tensor<i32>", {Element::I1, {}});
  condition.text += condition.indent + "lathe.condition " + go + " : tensor<i1>\n";
  body.use("%c", type);
  body.use(outside.add(captured), d.type(captured));
  std::string next = body.compute(type);
  std::string one = body.line("constant dense<1> : tensor<i32>", count);
  std::string more = body.line("add %i, " + one + " : tensor<i32>", count);
  body.end("carry(" + next + " : " + type.text() + ", " + more + " : tensor<i32>)");
  d.add(text + " {\n" + condition.text + "  } do {\n" + body.text + "  }", outside.operands, type, 2, 0);
}

void drawControl(Drawing &d) {
  using Family = void (*)(Drawing &);
  d.oneOf<Family>({drawIf, drawIf, drawScan, drawScan, drawScan, drawWhile, drawWhile, drawCheckpoint})(d);
}
