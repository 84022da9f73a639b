#include "passes/Partition/Plan.h"
#include "dialects/Lathe/IR/Sizes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

/// The size of named dimensions, as far as a choice depends on it.
static constexpr int64_t kAssumedSize = 64;

/// Estimates the elements of a value.
static double elementsOf(Value value) {
  double count = 1;
  for (const Dim &dim : dimsOf(value)) {
    Sizes sizes;
    for (const std::string &name : namesIn(dim))
      sizes[name] = kAssumedSize;
    count *= double(evaluate(dim, sizes).value_or(kAssumedSize));
  }
  return count;
}

/// True for a value of rank 0.
static bool isNumber(Value value) { return cast<RankedTensorType>(value.getType()).getRank() == 0; }

namespace {
class Planner {
public:
  Planner(Operation *op, ArrayRef<Sharding> given, const Axes &axes)
      : op(op), given(given), axes(axes), rule(ruleOf(op)), chosen(rule.parts.size()) {}

  Plan plan() {
    llvm::SetVector<StringAttr> used;
    for (const Sharding &operand : given)
      for (StringAttr axis : operand.dims)
        if (axis)
          used.insert(axis);
    for (StringAttr axis : used)
      choose(axis);
    apply();
    for (const Sharding &operand : given)
      for (StringAttr axis : operand.partial)
        if (!used.contains(axis))
          passPartial(axis);
    return std::move(result);
  }

private:
  /// True if a factor is a dimension of a result.
  bool isKept(int factor) const {
    return llvm::any_of(rule.results, [&](ArrayRef<int> factors) { return llvm::is_contained(factors, factor); });
  }

  bool mayDivide(int factor, StringAttr axis) const {
    return factor != Rule::kWhole && !chosen[factor] && rule.parts[factor] > 0 &&
           rule.parts[factor] % axes.at(axis.str()) == 0 && (isKept(factor) || rule.missing != Rule::Missing::Refused);
  }

  /// Returns the number of operands whose split changes if an axis divides a factor, and the elements that are exchanged.
  std::pair<unsigned, double> costOf(int factor, StringAttr axis) const {
    unsigned changed = 0;
    double elements = 0;
    for (auto [operand, sharding, factors] : llvm::zip_equal(op->getOperands(), given, rule.operands)) {
      int now = sharding.dimOf(axis);
      if (now < 0 || factors[now] == factor)
        continue;
      ++changed;
      elements += elementsOf(operand) / (llvm::is_contained(factors, factor) ? double(axes.at(axis.str())) : 1);
    }
    if (!isKept(factor) && rule.missing != Rule::Missing::Same)
      for (Value value : op->getResults())
        elements += 2 * elementsOf(value); // to a rank and from it
    return {changed, elements};
  }

  /// Chooses the factor that an axis divides, if there is one, among those that it divides in some operand.
  void choose(StringAttr axis) {
    int best = Rule::kWhole;
    for (auto [sharding, factors] : llvm::zip_equal(given, rule.operands)) {
      int dim = sharding.dimOf(axis);
      if (dim >= 0 && mayDivide(factors[dim], axis) &&
          (best == Rule::kWhole || costOf(factors[dim], axis) < costOf(best, axis)))
        best = factors[dim];
    }
    if (best != Rule::kWhole)
      chosen[best] = axis;
  }

  /// Applies the chosen factors to the operands and results.
  void apply() {
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      Sharding sharding(operand.getType());
      for (auto [dim, factor] : llvm::enumerate(rule.operands[i])) {
        if (factor != Rule::kWhole)
          sharding.dims[dim] = chosen[factor];
        if (StringAttr axis = given[i].dims[dim]; axis && sharding.dims[dim] != axis)
          result.gathered.push_back({unsigned(i), int64_t(dim), reasonOf(i, dim, axis)});
      }
      result.operands.push_back(std::move(sharding));
    }
    for (auto [factors, value] : llvm::zip_equal(rule.results, op->getResults())) {
      Sharding sharding(value.getType());
      for (auto [dim, factor] : llvm::enumerate(factors))
        if (factor != Rule::kWhole)
          sharding.dims[dim] = chosen[factor];
      for (auto [factor, axis] : llvm::enumerate(chosen))
        if (axis && !llvm::is_contained(factors, int(factor)) && rule.missing != Rule::Missing::Same)
          sharding.addPartial(axis);
      sharding.kind = rule.missing == Rule::Missing::Max   ? CollectiveKind::Max
                      : rule.missing == Rule::Missing::Min ? CollectiveKind::Min
                                                           : CollectiveKind::Sum;
      result.results.push_back(std::move(sharding));
    }
    if (rule.indexed != Rule::kWhole)
      result.indexed = chosen[rule.indexed];
  }

  std::string reasonOf(unsigned operand, int64_t dim, StringAttr axis) const {
    std::string reason = whyWhole(op, rule, operand, dim, axes.at(axis.str()));
    return reason.empty() ? "'" + axis.str() + "' divides another dimension of the op" : reason;
  }

  bool isSum(unsigned operand, StringAttr axis) const {
    return given[operand].kind == CollectiveKind::Sum && llvm::is_contained(given[operand].partial, axis);
  }

  /// Returns the operands that may stay sums over the ranks of an axis; none if they must be added up first.
  SmallVector<unsigned> passing(StringAttr axis) const {
    SmallVector<unsigned> sums;
    for (unsigned i = 0; i < given.size(); ++i)
      if (llvm::is_contained(given[i].partial, axis)) {
        if (!isSum(i, axis))
          return {};
        sums.push_back(i);
      }
    bool passes = false;
    if (rule.linear == Rule::Linear::All && isNumber(op->getResult(0)) && !sums.empty())
      return llvm::to_vector(llvm::seq<unsigned>(0, given.size())); // only the first rank adds what is whole
    switch (rule.linear) {
    case Rule::Linear::None:
      break;
    case Rule::Linear::Unary:
    case Rule::Linear::First:
      passes = sums == SmallVector<unsigned>{0};
      break;
    case Rule::Linear::All:
      passes = sums.size() == given.size();
      break;
    case Rule::Linear::OneOf:
      passes = sums.size() == 1;
      break;
    }
    return passes ? sums : SmallVector<unsigned>();
  }

  void passPartial(StringAttr axis) {
    if (op->getNumResults() != 1 || llvm::is_contained(result.results[0].partial, axis) ||
        (!result.results[0].partial.empty() && result.results[0].kind != CollectiveKind::Sum))
      return;
    SmallVector<unsigned> sums = passing(axis);
    if (sums.empty())
      return;
    for (unsigned operand : sums)
      result.operands[operand].addPartial(axis);
    result.results[0].addPartial(axis);
  }

  Operation *op;
  ArrayRef<Sharding> given;
  const Axes &axes;
  Rule rule;
  SmallVector<StringAttr> chosen; // for each factor, the axis that divides it
  Plan result;
};
} // namespace

Plan partition::planOf(Operation *op, ArrayRef<Sharding> operands, const Axes &axes) {
  return Planner(op, operands, axes).plan();
}
