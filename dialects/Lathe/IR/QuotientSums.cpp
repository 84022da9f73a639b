#include "dialects/Lathe/IR/QuotientSums.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include <map>

using namespace lathe;

namespace {
/// Returns whether a factor of a term is a quotient by an even number, by its text alone.
bool isEvenQuotient(llvm::StringRef factor) {
  if (!factor.consume_back(")") || !(factor.starts_with("ceil_div(") || factor.starts_with("floor_div(")))
    return false;
  return factor.ends_with("0") || factor.ends_with("2") || factor.ends_with("4") || factor.ends_with("6") ||
         factor.ends_with("8");
}

/// Returns a sum of this quotient and others that is 0: it, the quotient half a step further, and less that by half the
/// divisor.
Dim identityOf(const std::string &quotient) {
  std::optional<DerivedDim> formula = derivedDim(quotient);
  if (!formula)
    return Dim(0);
  const Dim &operand = formula->operands[0];
  int64_t divisor = formula->divisor, half = divisor / 2;
  if (formula->kind == DerivedDim::CeilDiv)
    return ceilDiv(operand, divisor) + ceilDiv(operand - Dim(half), divisor) - ceilDiv(operand, half);
  return floorDiv(operand, divisor) + floorDiv(operand + Dim(half), divisor) - floorDiv(operand, half);
}

/// What a sum is judged by: terms with quotients, then the coefficients of all.
using Cost = std::pair<size_t, double>;

Cost costOf(const Dim &dim) {
  Cost cost{0, 0};
  for (auto &[names, coefficient] : dim.getTerms()) {
    cost.first += llvm::any_of(names, [](llvm::StringRef name) { return derivedDim(name).has_value(); });
    cost.second += names.empty() ? 0 : std::abs(double(coefficient));
  }
  return cost;
}

/// Combines quotients of one sum. Identities are kept from call to call, since a graph's sizes have few quotients.
class Combiner {
public:
  Dim combine(Dim dim) {
    isActive = true; // what is computed here is combined once, at the end
    for (bool isShorter = true; isShorter && !dim.isUnknown();) {
      isShorter = false;
      for (const Dim &zero : identitiesIn(dim))
        if (Dim better = shortest(dim, zero); better != dim) {
          dim = better;
          isShorter = true;
          break;
        }
    }
    isActive = false;
    return dim;
  }

  bool isActive = false;

private:
  /// The identities of the quotients in a sum, times what else their terms have.
  std::vector<Dim> identitiesIn(const Dim &dim) {
    std::vector<Dim> identities;
    for (auto &[names, coefficient] : dim.getTerms())
      for (size_t i = 0; i < names.size(); ++i) {
        if (!isEvenQuotient(names[i]))
          continue;
        Dim identity = cachedIdentity(names[i]);
        for (size_t other = 0; other < names.size(); ++other)
          if (other != i)
            identity = identity * Dim::named(names[other]);
        identities.push_back(identity);
      }
    return identities;
  }

  const Dim &cachedIdentity(const std::string &quotient) {
    constexpr size_t kMostIdentities = 4096;
    if (identities.size() > kMostIdentities)
      identities.clear();
    auto [entry, isNew] = identities.try_emplace(quotient);
    if (isNew)
      entry->second = identityOf(quotient);
    return entry->second;
  }

  /// Returns the best of the sums that a multiple of `zero` leaves, where it takes away at least one term.
  static Dim shortest(const Dim &dim, const Dim &zero) {
    Dim best = dim;
    Cost least = costOf(dim);
    for (auto &[names, coefficient] : zero.getTerms()) {
      auto term = dim.getTerms().find(names);
      if (names.empty() || term == dim.getTerms().end() || term->second % coefficient)
        continue;
      Dim candidate = dim - zero * Dim(term->second / coefficient);
      if (Cost cost = costOf(candidate); !candidate.isUnknown() && cost < least) {
        best = candidate;
        least = cost;
      }
    }
    return best;
  }

  std::map<std::string, Dim> identities;
};
} // namespace

static thread_local unsigned kept = 0;
KeepQuotients::KeepQuotients() { ++kept; }
KeepQuotients::~KeepQuotients() { --kept; }

Dim lathe::combineQuotients(const Dim &dim) {
  bool isCandidate = dim.getTerms().size() > 1 && llvm::any_of(dim.getTerms(), [](auto &term) {
                       return llvm::any_of(term.first, [](const std::string &name) { return isEvenQuotient(name); });
                     });
  thread_local Combiner combiner;
  return isCandidate && kept == 0 && !combiner.isActive ? combiner.combine(dim) : dim;
}
