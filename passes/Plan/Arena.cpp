#include "passes/Plan/Arena.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace lathe;

namespace {
constexpr int64_t kAlignment = 64;

/// A size as count * unit; buffers of equal units share a region.
struct Measure {
  Dim unit;
  int64_t count;
};

/// Returns the product of a term's names.
Dim productOf(const Dim::Monomial &names) {
  Dim product(1);
  for (const std::string &name : names)
    product = product * Dim::named(name);
  return product;
}

/// Measures a row of `bytes` for each of `rows`: either in rows rounded up to the alignment, or, if that would waste an eighth
/// or more, in parts of a few bytes of all rows, each of which is rounded up once. Both make every offset a multiple of the
/// alignment.
Measure measureRows(const Dim &rows, int64_t bytes) {
  int64_t aligned = llvm::alignTo(bytes, kAlignment);
  if (rows.isStatic() || (aligned - bytes) * 8 < bytes)
    return {rows, aligned};
  constexpr int64_t kPart = 4; // an f32: tensors with different rows share a region, and little is lost with few rows
  int64_t part = bytes % kPart == 0 ? kPart : int64_t(1) << llvm::countr_zero(uint64_t(bytes));
  return {ceilDiv(rows, kAlignment / part) * Dim(kAlignment), bytes / part};
}

Measure measure(const Dim &size) {
  // Without the subtracted terms the buffer only grows; a quotient may be negative, and its term then adds.
  Dim bound(0);
  for (auto &[names, coefficient] : size.getTerms())
    if (Dim product = productOf(names); coefficient > 0 || leastOf(product, anySize) < 0)
      bound = bound + product * Dim(coefficient);
  if (bound.getTerms().size() != 1)
    return {ceilDiv(bound, kAlignment) * Dim(kAlignment), 1};
  auto &[names, coefficient] = *bound.getTerms().begin();
  return measureRows(productOf(names), coefficient);
}

struct Placed {
  int64_t begin, end;
  uint64_t first, last;
};

int64_t lowestFree(const std::vector<Placed> &placed, uint64_t first, uint64_t last, int64_t count) {
  std::vector<const Placed *> conflicts;
  for (const Placed &other : placed)
    if (other.first <= last && first <= other.last)
      conflicts.push_back(&other);
  llvm::sort(conflicts, [](const Placed *a, const Placed *b) { return a->begin < b->begin; });
  int64_t at = 0;
  for (const Placed *other : conflicts) {
    if (other->begin >= at + count)
      break;
    at = std::max(at, other->end);
  }
  return at;
}
} // namespace

Dim lathe::packArena(std::vector<Allocation> &allocations) {
  std::map<std::string, std::vector<size_t>> regions; // by unit; ordered, so that the result is deterministic
  std::vector<Measure> measures;
  for (size_t i = 0; i < allocations.size(); ++i) {
    measures.push_back(measure(allocations[i].size));
    regions[measures.back().unit.str()].push_back(i);
  }
  Dim total(0);
  for (auto &[unit, members] : regions) {
    llvm::sort(members, [&](size_t a, size_t b) {
      return std::pair(measures[a].count, b) > std::pair(measures[b].count, a); // equal ones keep their order
    });
    std::vector<Placed> placed;
    int64_t used = 0;
    for (size_t i : members) {
      Allocation &allocation = allocations[i];
      int64_t at = lowestFree(placed, allocation.first, allocation.last, measures[i].count);
      placed.push_back({at, at + measures[i].count, allocation.first, allocation.last});
      allocation.offset = total + measures[i].unit * Dim(at);
      used = std::max(used, at + measures[i].count);
    }
    total = total + measures[members.front()].unit * Dim(used);
  }
  return total;
}
