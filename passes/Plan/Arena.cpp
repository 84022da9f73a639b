#include "passes/Plan/Arena.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>

using namespace lathe;
using llvm::ArrayRef;

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
  bool isRows = bound.getTerms().size() == 1 && bound.getTerms().begin()->second > 0;
  if (!isRows)
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

namespace {
/// Packs the buffers of one region.
class Packing {
public:
  Packing(std::vector<Allocation> &allocations, std::vector<int64_t> counts, std::vector<size_t> members)
      : allocations(allocations), counts(std::move(counts)), members(std::move(members)) {
    for (size_t i : this->members)
      least = std::max(least, liveAt(allocations[i].first));
  }

  /// Returns the offsets of the smallest packing that is found, by member.
  const std::vector<int64_t> &pack() {
    bySize = members;
    llvm::sort(bySize, [&](size_t a, size_t b) {
      return std::pair(counts[a], b) > std::pair(counts[b], a); // equal ones keep their order
    });
    attempt(bySize);
    auto area = [&](size_t i) { return (long double)counts[i] * (1 + allocations[i].last - allocations[i].first); };
    attemptSorted([&](size_t a, size_t b) { return area(a) > area(b); });
    attemptSorted([&](size_t a, size_t b) { return allocations[a].first < allocations[b].first; });
    attemptSorted([&](size_t a, size_t b) { return allocations[a].last > allocations[b].last; });
    raiseBlockers();
    return offsets;
  }

  int64_t getUsed() const { return used; }
  int64_t getLeast() const { return least; }
  const std::vector<size_t> &getMembers() const { return members; }

private:
  int64_t liveAt(uint64_t position) const {
    int64_t live = 0;
    for (size_t i : members)
      live += allocations[i].first <= position && position <= allocations[i].last ? counts[i] : 0;
    return live;
  }

  bool isOver() const { return used <= least || work > kMostPacked; }

  template <typename Less>
  void attemptSorted(Less less) {
    if (isOver())
      return;
    std::vector<size_t> order = bySize;
    llvm::stable_sort(order, less);
    attempt(order);
  }

  /// Puts each buffer at the lowest place that is free, in this order. Returns the buffer that ends highest.
  size_t attempt(ArrayRef<size_t> order) {
    work += order.size() * order.size();
    std::vector<Placed> placed;
    std::vector<int64_t> made(allocations.size());
    int64_t total = 0;
    size_t highest = order.front();
    for (size_t i : order) {
      made[i] = lowestFree(placed, allocations[i].first, allocations[i].last, counts[i]);
      int64_t end = made[i] + counts[i];
      placed.push_back({made[i], end, allocations[i].first, allocations[i].last});
      if (end > total)
        highest = i;
      total = std::max(total, end);
    }
    if (offsets.empty() || total < used) {
      used = total;
      offsets = std::move(made);
      best.assign(order.begin(), order.end());
    }
    return highest;
  }

  /// Places the buffer that ends highest earlier, as often as that may help.
  void raiseBlockers() {
    std::vector<size_t> order = best;
    for (unsigned round = 0; round < kRounds && !isOver(); ++round) {
      size_t blocker = attempt(order);
      auto at = llvm::find(order, blocker);
      std::rotate(order.begin() + (at - order.begin()) / 2, at, at + 1);
      if (at == order.begin())
        return;
    }
  }

  static constexpr size_t kMostPacked = 2'000'000; // pairs of buffers that are compared
  static constexpr unsigned kRounds = 64;

  std::vector<Allocation> &allocations;
  std::vector<int64_t> counts; // of units, by allocation
  std::vector<size_t> members, bySize, best;
  std::vector<int64_t> offsets; // of the smallest packing
  int64_t used = 0, least = 0;  // units
  size_t work = 0;
};
} // namespace

Arena lathe::packArena(std::vector<Allocation> &allocations) {
  std::map<std::string, std::vector<size_t>> regions; // by unit; ordered, so that the result is deterministic
  std::vector<int64_t> counts;
  std::vector<Dim> units;
  for (size_t i = 0; i < allocations.size(); ++i) {
    Measure size = measure(allocations[i].size);
    counts.push_back(size.count);
    units.push_back(size.unit);
    regions[size.unit.str()].push_back(i);
  }
  Arena arena;
  for (auto &[unit, members] : regions) {
    Packing packing(allocations, counts, members);
    const std::vector<int64_t> &offsets = packing.pack();
    for (size_t i : members)
      allocations[i].offset = arena.size + units[i] * Dim(offsets[i]);
    arena.size = arena.size + units[members.front()] * Dim(packing.getUsed());
    arena.live = arena.live + units[members.front()] * Dim(packing.getLeast());
  }
  return arena;
}

Dim lathe::largestLiveSet(const std::vector<Allocation> &allocations) {
  std::map<std::string, std::pair<Dim, std::map<uint64_t, int64_t>>> regions; // units, and changes of live counts by position
  for (const Allocation &allocation : allocations) {
    Measure size = measure(allocation.size);
    auto &[unit, changes] = regions[size.unit.str()];
    unit = size.unit;
    changes[allocation.first] += size.count;
    changes[allocation.last + 1] -= size.count;
  }
  Dim bytes(0);
  for (auto &[name, region] : regions) {
    int64_t live = 0, peak = 0;
    for (auto &[position, change] : region.second)
      peak = std::max(peak, live += change);
    bytes = bytes + region.first * Dim(peak);
  }
  return bytes;
}
