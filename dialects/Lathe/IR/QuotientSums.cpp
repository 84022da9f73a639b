#include "dialects/Lathe/IR/QuotientSums.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <tuple>

using namespace lathe;

namespace {
/// True if the text of a factor is a quotient by an even number.
bool isEvenQuotient(llvm::StringRef factor) {
  if (!factor.consume_back(")") || !(factor.starts_with("ceil_div(") || factor.starts_with("floor_div(")))
    return false;
  llvm::StringRef divisor = factor.rsplit(", ").second;
  bool isNumber = !divisor.empty() && llvm::all_of(divisor, llvm::isDigit); // not a name such as x0
  return isNumber && llvm::StringRef("02468").contains(divisor.back());
}

/// A sum that is 0: floor(a / d) + floor((a + d / 2) / d) - floor(a / (d / 2)), or that of ceilings with a - d / 2.
struct Identity {
  Dim zero;
  llvm::SmallVector<std::string, 2> halves; // the first two
};

Identity identityOf(const std::string &quotient) {
  std::optional<DerivedDim> formula = derivedDim(quotient);
  if (!formula)
    return {};
  const Dim &operand = formula->operands[0];
  int64_t divisor = formula->divisor, half = divisor / 2;
  bool isCeil = formula->kind == DerivedDim::CeilDiv;
  Dim other = isCeil ? ceilDiv(operand - Dim(half), divisor) : floorDiv(operand + Dim(half), divisor);
  Identity identity{Dim::named(quotient) + other - (isCeil ? ceilDiv(operand, half) : floorDiv(operand, half)), {quotient}};
  llvm::SmallVector<std::string> factors;
  collectFactors(other, factors);
  for (const std::string &factor : factors)
    if (isEvenQuotient(factor) && llvm::StringRef(factor).ends_with(", " + std::to_string(divisor) + ")"))
      identity.halves.push_back(factor);
  return identity;
}

/// An identity times the other factors of a term.
struct Multiple {
  Dim zero;
  llvm::SmallVector<Dim::Monomial, 2> halves;
};

/// Orders sums, better ones first: by occurrences of the two halves, terms with quotients, all coefficients, and finally by
/// text, so that equal sums get the same form.
using Cost = std::tuple<double, size_t, double, bool, std::string>;

Cost costOf(const Dim &dim, const Multiple &multiple) {
  double halves = 0, all = 0;
  size_t formulas = 0;
  for (auto &[names, coefficient] : dim.getTerms()) {
    halves += llvm::is_contained(multiple.halves, names) ? std::abs(double(coefficient)) : 0;
    formulas += llvm::any_of(names, [](llvm::StringRef name) { return name.ends_with(")"); });
    all += names.empty() ? 0 : std::abs(double(coefficient));
  }
  std::string text = dim.str();
  bool isNegative = text.front() == '-';
  return {halves, formulas, all, isNegative, std::move(text)};
}

/// Combines quotients of a sum. Identities are kept between calls, since a graph's sizes have few quotients.
class Combiner {
public:
  Dim combine(Dim dim) {
    constexpr unsigned kMostSteps = 64; // each removes a quotient, or shortens the sum; a hostile graph needs more
    isActive = true;                    // sums computed here are combined once, at the end
    bool changes = true;
    for (unsigned step = 0; changes && step < kMostSteps && !dim.isUnknown(); ++step) {
      changes = false;
      for (const Multiple &multiple : multiplesIn(dim))
        if (Dim better = shortest(dim, multiple); better != dim) {
          dim = better;
          changes = true;
          break;
        }
    }
    isActive = false;
    return dim;
  }

  bool isActive = false;

private:
  /// Returns the identities of the quotients in a sum, times the other factors of their terms.
  std::vector<Multiple> multiplesIn(const Dim &dim) {
    std::vector<Multiple> multiples;
    for (auto &[names, coefficient] : dim.getTerms())
      for (size_t i = 0; i < names.size(); ++i) {
        if (!isEvenQuotient(names[i]))
          continue;
        const Identity &identity = cachedIdentity(names[i]);
        Dim::Monomial others = names;
        others.erase(others.begin() + i);
        Multiple multiple{identity.zero, {}};
        for (const std::string &name : others)
          multiple.zero = multiple.zero * Dim::named(name);
        for (const std::string &half : identity.halves) {
          Dim::Monomial term = others;
          term.insert(llvm::upper_bound(term, half), half);
          multiple.halves.push_back(term);
        }
        multiples.push_back(std::move(multiple));
      }
    return multiples;
  }

  const Identity &cachedIdentity(const std::string &quotient) {
    constexpr size_t kMostIdentities = 4096;
    if (identities.size() > kMostIdentities)
      identities.clear();
    auto [entry, isNew] = identities.try_emplace(quotient);
    if (isNew)
      entry->second = identityOf(quotient);
    return entry->second;
  }

  /// Returns the best of the sums without one of the identity's terms; these are the same for every equivalent sum.
  static Dim shortest(const Dim &dim, const Multiple &multiple) {
    std::optional<Dim> best;
    Cost least;
    for (auto &[names, coefficient] : multiple.zero.getTerms()) {
      auto term = dim.getTerms().find(names);
      int64_t times = term == dim.getTerms().end() ? 0 : term->second;
      if (names.empty() || times % coefficient)
        continue;
      Dim candidate = dim - multiple.zero * Dim(times / coefficient);
      if (candidate.isUnknown())
        continue;
      if (Cost cost = costOf(candidate, multiple); !best || cost < least) {
        best = candidate;
        least = cost;
      }
    }
    return best.value_or(dim);
  }

  std::map<std::string, Identity> identities;
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
