#include "dialects/Lathe/IR/DimBounds.h"
#include "dialects/Lathe/IR/DerivedDims.h"

using namespace lathe;

namespace {
/// Bounds expressions. Each formula is replaced by a bound, in each of the valid ways, and the best result is kept.
class Bounds {
public:
  explicit Bounds(SizeRangeOf rangeOf) : rangeOf(rangeOf) {}

  double least(const Dim &dim) {
    if (dim.isUnknown())
      return -HUGE_VAL;
    double best = leastByTerms(dim);
    if (best >= 0 || budget == 0)
      return best;
    if (auto [factor, formula] = firstFormula(dim); formula) {
      --budget;
      best = std::max(best, leastWithout(dim, factor, *formula)); // the others are replaced in the rest
    }
    return best;
  }

private:
  /// Splits dim = name * factor + rest, where `factor` and `rest` do not contain the name; nullopt if the name has a power.
  static std::optional<std::pair<Dim, Dim>> split(const Dim &dim, const std::string &name) {
    Dim factor(0), rest(0);
    for (auto &[names, coefficient] : dim.getTerms()) {
      Dim term(coefficient);
      int64_t power = 0;
      for (const std::string &each : names)
        if (each == name)
          ++power;
        else
          term = term * Dim::named(each);
      if (power > 1)
        return std::nullopt;
      (power ? factor : rest) = (power ? factor : rest) + term;
    }
    return std::pair(factor, rest);
  }

  static llvm::SmallVector<std::string> factorsOf(const Dim &dim) {
    llvm::SmallVector<std::string> factors;
    collectFactors(dim, factors);
    return factors;
  }

  /// True if a formula of the name occurs in the expression, or in a formula of it.
  static bool mentions(const Dim &dim, const std::string &name) {
    return llvm::any_of(factorsOf(dim), [&](const std::string &factor) {
      std::optional<DerivedDim> formula = derivedDim(factor);
      return factor == name ||
             (formula && llvm::any_of(formula->operands, [&](const Dim &each) { return mentions(each, name); }));
    });
  }

  /// True if another factor is a formula of this one, whose value would no longer be related to what replaces this one.
  static bool isInside(const std::string &name, llvm::ArrayRef<std::string> factors) {
    return llvm::any_of(factors, [&](const std::string &factor) {
      std::optional<DerivedDim> formula = derivedDim(factor);
      return factor != name && formula &&
             llvm::any_of(formula->operands, [&](const Dim &each) { return mentions(each, name); });
    });
  }

  /// Returns the formula to replace first: one that is in no other. Among these, a choice, which loses nothing while its
  /// operands still occur elsewhere in the sum. Among choices, one that makes the sum least at either operand: both of them are
  /// tried.
  std::pair<std::string, std::optional<DerivedDim>> firstFormula(const Dim &dim) {
    std::pair<std::string, std::optional<DerivedDim>> first;
    int best = -1;
    llvm::SmallVector<std::string> factors = factorsOf(dim);
    for (const std::string &factor : factors)
      if (std::optional<DerivedDim> formula = derivedDim(factor);
          formula && !formula->hasSizeAsDivisor() && !isInside(factor, factors)) {
        int rank = !DerivedDim::isChoice(formula->kind) ? 0 : isExact(dim, factor, formula->kind) ? 2 : 1;
        if (rank > best) {
          first = {factor, formula};
          best = rank;
        }
      }
    return first;
  }

  /// True if the least value with a choice is the least one with either operand in its place.
  bool isExact(const Dim &dim, const std::string &name, DerivedDim::Kind kind) {
    auto parts = split(dim, name);
    if (kind == DerivedDim::Broadcast)
      return parts.has_value();
    return parts && leastByTerms(kind == DerivedDim::Max ? Dim(0) - parts->first : parts->first) >= 0;
  }

  double leastWithout(const Dim &dim, const std::string &name, const DerivedDim &formula) {
    if (formula.kind == DerivedDim::CeilSqrt)
      return leastWithoutRoot(dim, name, formula.operands[0]);
    auto parts = split(dim, name);
    if (!parts || formula.hasSizeAsDivisor()) // only the range of its operands bounds it
      return -HUGE_VAL;
    auto &[factor, rest] = *parts;
    bool isRising = least(factor) >= 0, isFalling = !isRising && least(Dim(0) - factor) >= 0;
    if (DerivedDim::isChoice(formula.kind)) {
      double first = least(factor * formula.operands[0] + rest), second = least(factor * formula.operands[1] + rest);
      bool isAtLeastBoth = (formula.kind == DerivedDim::Max && isRising) || (formula.kind == DerivedDim::Min && isFalling);
      if (!isAtLeastBoth)
        return std::min(first, second);
      if (double best = std::max(first, second); best >= 0)
        return best;
      double twice = least(factor * (formula.operands[0] + formula.operands[1]) + rest * Dim(2)); // at least their mean
      return std::max({first, second, std::ceil(twice / 2)});
    }
    if (!isRising && !isFalling)
      return -HUGE_VAL;
    // x / d <= ceil_div(x, d) <= (x + d - 1) / d; floor_div(x, d) has both bounds lower by (d - 1) / d.
    bool isRaised = (formula.kind == DerivedDim::CeilDiv) != isRising;
    int64_t slack = !isRaised ? 0 : isRising ? 1 - formula.divisor : formula.divisor - 1;
    Dim scaled = factor * (formula.operands[0] + Dim(slack)) + rest * Dim(formula.divisor);
    return std::ceil(least(scaled) / double(formula.divisor)); // the expression is an integer
  }

  /// The square of ceil_sqrt(x) is at least x.
  double leastWithoutRoot(const Dim &dim, const std::string &name, const Dim &operand) {
    Dim replaced(0);
    for (auto &[names, coefficient] : dim.getTerms()) {
      Dim term(coefficient);
      for (size_t i = 0; i < names.size(); ++i) // sorted, so equal ones are adjacent
        if (coefficient > 0 && names[i] == name && i + 1 < names.size() && names[i + 1] == name)
          term = term * operand, ++i;
        else
          term = term * Dim::named(names[i]);
      replaced = replaced + term;
    }
    return replaced == dim ? -HUGE_VAL : least(replaced);
  }

  /// Bounds each term by itself.
  double leastByTerms(const Dim &dim) {
    double sum = 0;
    for (auto &[names, coefficient] : dim.getTerms()) {
      SizeRange term{1, 1};
      for (const std::string &name : names)
        term = product(term, rangeOfFactor(name));
      sum += double(coefficient) * (coefficient > 0 ? term.least : term.largest);
    }
    return std::isnan(sum) ? -HUGE_VAL : sum;
  }

  static SizeRange product(SizeRange a, SizeRange b) {
    auto times = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
    double corners[] = {times(a.least, b.least), times(a.least, b.largest), times(a.largest, b.least),
                        times(a.largest, b.largest)};
    return {*std::min_element(std::begin(corners), std::end(corners)),
            *std::max_element(std::begin(corners), std::end(corners))};
  }

  SizeRange rangeOfFactor(const std::string &name) {
    std::optional<DerivedDim> formula = derivedDim(name);
    if (!formula)
      return rangeOf(name);
    llvm::SmallVector<SizeRange> operands;
    for (const Dim &operand : formula->operands)
      operands.push_back({leastByTerms(operand), -leastByTerms(Dim(0) - operand)});
    if (formula->hasSizeAsDivisor()) // the divisor is at least 1
      return {std::min(operands[0].least, 0.0), std::max(operands[0].largest, 0.0)};
    if (formula->kind == DerivedDim::Broadcast)
      return {std::min(operands[0].least, operands[1].least), std::max(operands[0].largest, operands[1].largest)};
    auto apply = [&](double first, double second) {
      switch (formula->kind) {
      case DerivedDim::CeilDiv:
        return std::ceil(first / double(formula->divisor));
      case DerivedDim::FloorDiv:
        return std::floor(first / double(formula->divisor));
      case DerivedDim::CeilSqrt:
        return std::ceil(std::sqrt(std::max(first, 0.0)));
      case DerivedDim::Max:
        return std::max(first, second);
      case DerivedDim::Min:
        return std::min(first, second);
      case DerivedDim::Broadcast:
        break;
      }
      return first;
    };
    return {apply(operands.front().least, operands.back().least), apply(operands.front().largest, operands.back().largest)};
  }

  SizeRangeOf rangeOf;
  unsigned budget = 128; // limit on replaced formulas; a hostile graph nests more
};
} // namespace

std::pair<Dim, Dim> lathe::sidesOf(const Dim &extent) {
  Dim left(0), right(0);
  for (auto &[names, coefficient] : extent.getTerms()) {
    Dim term(std::abs(coefficient));
    for (const std::string &name : names)
      term = term * Dim::named(name);
    (coefficient > 0 ? left : right) = (coefficient > 0 ? left : right) + term;
  }
  return {left, right};
}

double lathe::leastOf(const Dim &dim, SizeRangeOf rangeOf) { return Bounds(rangeOf).least(dim); }
