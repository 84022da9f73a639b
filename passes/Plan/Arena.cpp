#include "passes/Plan/Arena.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace lathe;

namespace {
constexpr int64_t kAlignment = 64;

/// A size as count * unit; equal units share a region.
struct Measure {
  Dim unit;
  int64_t count;
};

/// The size rounded up so that every sum of such sizes is a multiple of the alignment.
Measure measure(const Dim &size) {
  Dim rounded(0);
  for (auto &[names, coefficient] : size.getTerms()) {
    if (coefficient <= 0) // leaving it out only makes the buffer larger
      continue;
    Dim term(llvm::alignTo(coefficient, kAlignment));
    for (const std::string &name : names)
      term = term * Dim::named(name);
    rounded = rounded + term;
  }
  if (rounded.getTerms().size() == 1) {
    int64_t count = rounded.getTerms().begin()->second;
    return {*rounded.dividedBy(count), count};
  }
  return {rounded, 1};
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
  std::map<std::string, std::vector<size_t>> regions; // by unit; ordered, so that the result is
  std::vector<Measure> measures;
  for (size_t i = 0; i < allocations.size(); ++i) {
    measures.push_back(measure(allocations[i].size));
    regions[measures.back().unit.str()].push_back(i);
  }
  Dim total(0);
  for (auto &[unit, members] : regions) {
    llvm::sort(members, [&](size_t a, size_t b) {
      return std::pair(measures[a].count, b) > std::pair(measures[b].count, a); // equal ones in their order
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
