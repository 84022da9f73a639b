// Products of tensors.
#include "lib/Import/StableHLO/Operators/Operators.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// Returns both operands in the element type of the result, in which the sums are.
static std::pair<Value, Value> inResultType(HloNode &node) {
  Type element = node.resultElement();
  return {node.convert(node.operand(0), element), node.convert(node.operand(1), element)};
}

static void dotGeneral(HloNode &node) {
  DictionaryAttr numbers = node.dictionary("dot_dimension_numbers");
  auto [lhs, rhs] = inResultType(node);
  node.set(0, node.contract(lhs, rhs, numbersIn(numbers, "lhs_contracting_dimensions"),
                            numbersIn(numbers, "rhs_contracting_dimensions"), numbersIn(numbers, "lhs_batching_dimensions"),
                            numbersIn(numbers, "rhs_batching_dimensions")));
}

/// Converts dot: the last dimension of the left operand is contracted with the first one of the right operand.
static void dot(HloNode &node) {
  if (node.rank(0) < 1 || node.rank(1) < 1)
    return node.refuse("expected operands of rank 1 or 2");
  auto [lhs, rhs] = inResultType(node);
  node.set(0, node.contract(lhs, rhs, node.rank(0) - 1, 0));
}

/// Returns the places of the labels that `wanted` holds, in `labels`.
static Integers placesOf(StringRef wanted, StringRef labels) {
  Integers places;
  for (char label : wanted)
    places.push_back(labels.find(label));
  return places;
}

/// Sums over the labels that neither `keep` has, and removes them.
static Value sumOthers(HloNode &node, Value value, std::string &labels, StringRef keep) {
  Integers dims;
  std::string rest;
  for (auto [i, label] : llvm::enumerate(labels)) {
    if (keep.contains(label))
      rest += label;
    else
      dims.push_back(i);
  }
  labels = rest;
  return node.reduce(ReduceKind::Sum, value, dims, /*keep=*/false);
}

static void einsum(HloNode &node) {
  auto [operands, result] = node.word("einsum_config").split("->");
  auto [first, second] = operands.split(',');
  std::string lhs = first.str(), rhs = second.str();
  bool isPair = node.operands() == 2;
  auto fits = [&](StringRef labels, unsigned operand) {
    llvm::SmallSet<char, 8> seen;
    return int64_t(labels.size()) == node.rank(operand) &&
           llvm::all_of(labels, [&](char label) { return llvm::isAlpha(label) && seen.insert(label).second; });
  };
  if (!fits(lhs, 0) || (isPair && !fits(rhs, 1)) ||
      llvm::any_of(result, [&](char label) { return !StringRef(lhs + rhs).contains(label); }))
    return node.refuse("einsum_config '" + node.word("einsum_config") +
                       "' is not supported; expected a label for each dimension, and none twice in an operand");
  Value value = sumOthers(node, node.operand(0), lhs, rhs + result.str());
  if (isPair) {
    Value other = sumOthers(node, node.operand(1), rhs, lhs + result.str());
    std::string contracted, batch, free;
    for (char label : lhs)
      (!StringRef(rhs).contains(label) ? free : result.contains(label) ? batch : contracted) += label;
    for (char label : rhs)
      if (!StringRef(lhs).contains(label))
        free += label;
    value = node.contract(value, other, placesOf(contracted, lhs), placesOf(contracted, rhs), placesOf(batch, lhs),
                          placesOf(batch, rhs));
    lhs = batch + free;
  }
  node.set(0, node.transpose(value, placesOf(result, lhs)));
}

void hloimport::addContractions(Converters &converters) {
  converters["stablehlo.dot_general"] = dotGeneral;
  converters["stablehlo.dot"] = dot;
  converters["stablehlo.einsum"] = einsum;
  converters["stablehlo.unary_einsum"] = einsum;
}
