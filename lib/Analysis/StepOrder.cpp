#include "lib/Analysis/StepOrder.h"
#include "llvm/ADT/BitVector.h"
#include <random>

using namespace mlir;
using namespace lathe;

using Order = BlockMemory::Order;

/// The number of steps below which all orders are searched.
static constexpr size_t kExactBelow = 12;
/// Limits the work of the local search, and that after which it does not begin again: steps times orders that are tried. A
/// million takes some milliseconds.
static constexpr size_t kMostTried = 3'000'000, kRestarted = 500'000;

namespace {
/// The peak of an order, then the sum of its live bytes.
struct Cost {
  int64_t peak = 0;
  long double sum = 0; // bytes times steps may not fit into 64 bits

  bool operator<(const Cost &other) const { return std::pair(peak, sum) < std::pair(other.peak, other.sum); }
};
} // namespace

// ---- Exact search

namespace {
/// Finds the order of the lowest peak by dynamic programming over the sets of steps that have run.
class ExactSearch {
public:
  explicit ExactSearch(const BlockMemory &memory) : memory(memory), count(memory.size()) {
    for (const BlockMemory::Step &step : memory.getSteps()) {
      unsigned mask = 0;
      for (unsigned earlier : step.after)
        mask |= 1u << earlier;
      needs.push_back(mask);
    }
  }

  Order run() {
    const unsigned all = (1u << count) - 1;
    best.assign(all + 1, INT64_MAX);
    last.assign(all + 1, 0);
    best[0] = 0;
    for (unsigned done = 0; done < all; ++done) {
      if (best[done] == INT64_MAX)
        continue;
      int64_t kept = liveAfter(done);
      for (unsigned step = 0; step < count; ++step) {
        if (done >> step & 1 || needs[step] & ~done)
          continue;
        int64_t peak = std::max(best[done], kept + bytesOf(step, done));
        if (unsigned next = done | 1u << step; peak < best[next]) {
          best[next] = peak;
          last[next] = step;
        }
      }
    }
    Order order;
    for (unsigned done = all; done; done &= ~(1u << last[done]))
      order.insert(order.begin(), last[done]);
    return order;
  }

private:
  bool isRead(const BlockMemory::Buffer &buffer, unsigned done) const {
    return llvm::all_of(buffer.readers, [&](unsigned reader) { return reader < count && done >> reader & 1; });
  }

  int64_t liveAfter(unsigned done) const {
    int64_t bytes = 0;
    for (const BlockMemory::Buffer &buffer : memory.getBuffers())
      if (done >> buffer.maker & 1 && !isRead(buffer, done))
        bytes += buffer.bytes;
    return bytes;
  }

  /// Returns the bytes that a step adds while it runs.
  int64_t bytesOf(unsigned number, unsigned done) const {
    const BlockMemory::Step &step = memory.getSteps()[number];
    int64_t bytes = step.inside;
    SmallVector<unsigned> taken;
    for (unsigned b : step.writes) {
      const BlockMemory::Buffer &buffer = memory.getBuffers()[b];
      auto take = llvm::find_if(buffer.takes, [&](unsigned input) {
        return isRead(memory.getBuffers()[input], done | 1u << number) && !llvm::is_contained(taken, input);
      });
      if (take == buffer.takes.end())
        bytes += buffer.bytes;
      else
        taken.push_back(*take);
    }
    return bytes;
  }

  const BlockMemory &memory;
  const unsigned count;
  std::vector<unsigned> needs, last;
  std::vector<int64_t> best;
};
} // namespace

// ---- Search in long blocks

namespace {
class LocalSearch {
public:
  LocalSearch(const BlockMemory &memory, size_t effort) : memory(memory), effort(effort), later(memory.size()) {
    for (unsigned i = 0; i < memory.size(); ++i)
      for (unsigned earlier : memory.getSteps()[i].after)
        later[earlier].push_back(i);
  }

  Order run() {
    order = memory.order();
    cost = costOf(order);
    if (Order greedy = greedyOrder(); tried(greedy))
      order = std::move(greedy);
    climb();
    restart();
    return order;
  }

private:
  bool isOver() const { return work > kMostTried * effort; }

  /// Moves single steps while that lowers the cost.
  void climb() {
    for (bool improved = true; improved && !isOver();) {
      improved = false;
      for (unsigned step = 0; step < memory.size() && !isOver(); ++step)
        improved |= moveStep(step);
    }
  }

  /// Climbs again and again from the best order with some random moves. The generator has a fixed seed, so that the result
  /// depends on the block only.
  void restart() {
    constexpr unsigned kMostMoves = 8;
    std::minstd_rand random(1);
    Order best = order;
    Cost bestCost = cost;
    while (work < kRestarted * effort && !isOver()) {
      order = best;
      for (unsigned i = 1 + random() % kMostMoves; i > 0; --i) {
        size_t at = random() % order.size();
        auto [low, high] = rangeOf(order, at);
        moveTo(order, at, low + random() % (high - low + 1));
      }
      work += memory.size();
      cost = costOf(order);
      climb();
      if (cost < bestCost) {
        best = order;
        bestCost = cost;
      }
    }
    order = std::move(best);
  }

  /// Returns the cost of an order, or that of its first steps where it is not below `most` already.
  Cost costOf(const Order &candidate, const Cost &most = {INT64_MAX}) {
    Cost its;
    memory.walk(candidate, unread, [&](int64_t live) {
      its.peak = std::max(its.peak, live);
      its.sum += live;
      return its.peak < most.peak || (its.peak == most.peak && its.sum < most.sum);
    });
    return its;
  }

  /// Adopts the cost of an order if it is lower.
  bool tried(const Order &candidate) {
    work += memory.size();
    Cost its = costOf(candidate, cost);
    if (!(its < cost))
      return false;
    cost = its;
    return true;
  }

  /// Runs the step that leaves the fewest bytes live first, and the first one in the block's order among equal ones.
  Order greedyOrder() {
    std::vector<unsigned> missing(memory.size()), unread(memory.getBuffers().size());
    for (unsigned i = 0; i < memory.size(); ++i)
      missing[i] = memory.getSteps()[i].after.size();
    for (size_t b = 0; b < unread.size(); ++b)
      unread[b] = memory.getBuffers()[b].readers.size();
    std::vector<unsigned> ready;
    for (unsigned i = 0; i < memory.size(); ++i)
      if (!missing[i])
        ready.push_back(i);
    Order made;
    while (!ready.empty()) {
      work += ready.size();
      auto next = llvm::min_element(
          ready, [&](unsigned a, unsigned b) { return std::pair(growth(a, unread), a) < std::pair(growth(b, unread), b); });
      unsigned step = *next;
      ready.erase(next);
      made.push_back(step);
      for (unsigned b : memory.getSteps()[step].reads)
        --unread[b];
      for (unsigned user : later[step])
        if (!--missing[user])
          ready.push_back(user);
    }
    return made;
  }

  /// Returns the bytes that are live after a step but not before.
  int64_t growth(unsigned number, ArrayRef<unsigned> unread) const {
    int64_t bytes = 0;
    const BlockMemory::Step &step = memory.getSteps()[number];
    for (unsigned b : step.writes)
      bytes += memory.getBuffers()[b].readers.empty() ? 0 : memory.getBuffers()[b].bytes;
    for (unsigned b : step.reads)
      bytes -= unread[b] == 1 ? memory.getBuffers()[b].bytes : 0;
    return bytes;
  }

  /// Returns the first and the last place to which a step may move from its place in the order.
  std::pair<size_t, size_t> rangeOf(const Order &order, size_t at) const {
    unsigned step = order[at];
    size_t low = at, high = at;
    while (low > 0 && !llvm::is_contained(memory.getSteps()[step].after, order[low - 1]))
      --low;
    while (high + 1 < order.size() && !llvm::is_contained(later[step], order[high + 1]))
      ++high;
    return {low, high};
  }

  static void moveTo(Order &order, size_t from, size_t to) {
    auto begin = order.begin();
    if (from < to)
      std::rotate(begin + from, begin + from + 1, begin + to + 1);
    else
      std::rotate(begin + to, begin + from, begin + from + 1);
  }

  /// Moves the steps that a step needs directly before the first ones that need them, and so on for what they need.
  void bringNeeded(Order &moved, unsigned step) const {
    for (unsigned needed : memory.getSteps()[step].after) {
      size_t at = llvm::find(moved, needed) - moved.begin(), to = rangeOf(moved, at).second;
      if (to == at)
        continue;
      moveTo(moved, at, to);
      bringNeeded(moved, needed);
    }
  }

  /// Tries a step directly after the last one that it needs, and directly before the first one that needs it, there also with
  /// what it needs: a value that a short chain of steps makes of one that stays live anyway is as large as those in the chain.
  bool moveStep(unsigned step) {
    size_t at = llvm::find(order, step) - order.begin();
    auto [low, high] = rangeOf(order, at);
    for (auto [to, isChain] : {std::pair(low, false), {high, false}, {high, true}}) {
      if (to == at)
        continue;
      moved = order;
      moveTo(moved, at, to);
      if (isChain)
        bringNeeded(moved, step);
      if (tried(moved)) {
        std::swap(order, moved);
        return true;
      }
    }
    return false;
  }

  const BlockMemory &memory;
  const size_t effort;
  std::vector<SmallVector<unsigned>> later;
  Order order, moved; // `moved` is tried
  std::vector<unsigned> unread;
  Cost cost;
  size_t work = 0;
};
} // namespace

// ---- Bound

int64_t lathe::leastPeak(const BlockMemory &memory) {
  const size_t count = memory.size();
  std::vector<llvm::BitVector> before(count, llvm::BitVector(count));
  for (unsigned step = 0; step < count; ++step)
    for (unsigned earlier : memory.getSteps()[step].after) {
      before[step] |= before[earlier];
      before[step].set(earlier);
    }
  std::vector<int64_t> live(count);
  for (const BlockMemory::Buffer &buffer : memory.getBuffers()) {
    llvm::BitVector covered(count); // the steps that run while it is live
    for (unsigned reader : buffer.readers) {
      if (reader >= count) { // behind the block
        covered.set();
        break;
      }
      covered |= before[reader];
      covered.set(reader);
    }
    for (unsigned step : covered.set_bits())
      if (before[step].test(buffer.maker))
        live[step] += buffer.bytes;
    if (buffer.takes.empty())
      live[buffer.maker] += buffer.bytes;
  }
  for (unsigned step = 0; step < count; ++step)
    live[step] += memory.getSteps()[step].inside;
  return *llvm::max_element(live);
}

Order lathe::findOrder(const BlockMemory &memory, size_t effort) {
  constexpr size_t kMostBounded = 2048; // steps: the bound takes their square
  Order given = memory.order();
  if (given.size() < 3 || (given.size() <= kMostBounded && memory.peak(given) <= leastPeak(memory)))
    return given;
  Order found = memory.size() < kExactBelow ? ExactSearch(memory).run() : LocalSearch(memory, effort).run();
  return memory.peak(found) < memory.peak(given) ? found : given;
}
