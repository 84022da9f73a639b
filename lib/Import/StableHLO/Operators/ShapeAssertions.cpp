// Assertions about the sizes of inputs, and the names of sizes that inputs have only in an expression: for an input of 2 * b
// rows, jax.export asserts that the rows are even, and passes half of them on as b.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Import/StableHLO/Operators/Operators.h"
#include "lib/Import/StableHLO/Sizes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// True if the name of an input's size is not the program's, but was made for the input.
static bool isGenerated(Program &program, StringRef name) {
  return name.contains("_dim") && program.dimSources.contains(name.str());
}

/// Replaces a generated name in the next attempt. Returns false if the size is in its own replacement, or replaced already.
static bool replaceName(Program &program, const std::string &name, const Dim &size) {
  std::map<std::string, Dim> &equal = program.equalSizes;
  Dim value = size.substitute(equal);
  if (value.isUnknown() || llvm::is_contained(namesIn(value), name) || !equal.emplace(name, value).second)
    return false;
  for (auto &[other, replacement] : equal)
    replacement = replacement.substitute({{name, value}});
  return program.isAgain = true;
}

/// Returns the generated name of which `dim` is plus or minus one, plus other sizes; with it, this sign and the other sizes.
static std::optional<std::tuple<std::string, Dim, Dim>> generatedIn(Program &program, const Dim &dim) {
  for (const auto &[names, coefficient] : dim.getTerms())
    if (names.size() == 1 && (coefficient == 1 || coefficient == -1) && isGenerated(program, names[0]))
      return std::tuple(names[0], Dim(coefficient), dim - Dim::named(names[0]) * Dim(coefficient));
  return std::nullopt;
}

/// Makes the generated name in `dim` that expression of others by which `dim` is `size`.
static bool solve(Program &program, const Dim &dim, const Dim &size) {
  auto found = generatedIn(program, dim);
  if (!found)
    return false;
  auto &[name, sign, rest] = *found;
  return replaceName(program, name, sign * (size - rest));
}

/// Returns a quotient q by a number d, and d q, if the difference of two sizes is d q minus or plus others: the sizes are equal
/// only if these others are a multiple of d.
static std::optional<Multiple> multipleOf(const Dim &difference) {
  for (const auto &[names, coefficient] : difference.getTerms()) {
    std::optional<DerivedDim> formula = names.size() == 1 ? derivedDim(names[0]) : std::nullopt;
    if (!formula || !DerivedDim::isQuotient(formula->kind) || formula->hasSizeAsDivisor() ||
        (coefficient != formula->divisor && coefficient != -formula->divisor))
      continue;
    Dim others = difference - Dim::named(names[0]) * Dim(coefficient);
    return Multiple{names[0], formula->divisor, coefficient < 0 ? others : Dim(0) - others};
  }
  return std::nullopt;
}

/// Returns the program's own name of a size that is nothing but this name.
static std::optional<std::string> plainName(Program &program, const Dim &dim) {
  std::string name = dim.str();
  bool isPlain = program.hasSize(name) && !isGenerated(program, name) && !derivedDim(name);
  return isPlain ? std::optional(name) : std::nullopt;
}

/// Converts the assertion that two sizes are equal.
static void assertEqual(HloNode &node, const Dim &lhs, const Dim &rhs) {
  Program &program = node.program;
  for (auto [own, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
    if (isGenerated(program, own.str()) && replaceName(program, own.str(), other))
      return;
  if (std::optional<Multiple> multiple = multipleOf(lhs - rhs)) {
    if (generatedIn(program, multiple->size)) // the call that passes the quotient on names it
      return void(program.multiples.push_back(*multiple));
    if (auto name = plainName(program, multiple->size)) {
      int64_t &declared = program.ranges[*name].multipleOf;
      declared = std::lcm(declared, multiple->divisor);
      return;
    }
  }
  node.refuse("the sizes " + lhs.str() + " and " + rhs.str() + " cannot be made equal");
}

/// Converts the assertion that a size is not negative. A bound of a name is declared; others are passed over, since ops check
/// the sizes that they need.
static void assertNotNegative(HloNode &node, const Dim &size) {
  Program &program = node.program;
  Dim constant(size.constant());
  if (auto name = plainName(program, size - constant); name && constant.constant() < -1)
    program.ranges[*name].minimum = std::max(program.ranges[*name].minimum, -constant.constant());
  else if (auto other = plainName(program, constant - size); other && constant.constant() >= 0)
    program.ranges[*other].maximum = std::min(program.ranges[*other].maximum, constant.constant());
}

void hloimport::assertShapes(HloNode &node) {
  auto comparison = node.operand(0).getDefiningOp<CompareOp>();
  std::optional<Dims> left = comparison ? knownSizes(comparison.getLhs()) : std::nullopt,
                      right = comparison ? knownSizes(comparison.getRhs()) : std::nullopt;
  if (!left || !right || left->size() != 1 || right->size() != 1)
    return node.refuse("expected a comparison of sizes");
  const Dim &lhs = (*left)[0], &rhs = (*right)[0];
  switch (comparison.getKind()) {
  case CompareKind::EQ:
    return lhs == rhs ? void() : assertEqual(node, lhs, rhs);
  case CompareKind::GE:
    return assertNotNegative(node, lhs - rhs);
  case CompareKind::LE:
    return assertNotNegative(node, rhs - lhs);
  case CompareKind::GT:
    return assertNotNegative(node, lhs - rhs - Dim(1));
  case CompareKind::LT:
    return assertNotNegative(node, rhs - lhs - Dim(1));
  case CompareKind::NE:
    return;
  }
}

void hloimport::namePassedSizes(HloNode &node, StringRef callee) {
  Program &program = node.program;
  auto function = program.symbols.lookup<func::FuncOp>(callee);
  if (!function || function.getNumArguments() != node.operands())
    return;
  for (unsigned i = 0; i < node.operands(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, "jax.global_constant");
    std::optional<Dims> sizes = name && !name.empty() ? knownSizes(node.operand(i)) : std::nullopt;
    if (!sizes || sizes->size() != 1 || program.dimSources.contains(name.str()))
      continue;
    Dim size = (*sizes)[0], named = Dim::named(name);
    if (size == named || solve(program, size, named))
      continue;
    for (const Multiple &each : program.multiples) {
      Dim rest = size - Dim::named(each.quotient); // size = quotient + rest
      if (rest.isStatic() && solve(program, each.size, (named - rest) * Dim(each.divisor)))
        break;
    }
  }
}
