// The choice among candidate schedules by their cost.
#ifndef LATHE_CODEGEN_SCHEDULES_CHEAPEST_H
#define LATHE_CODEGEN_SCHEDULES_CHEAPEST_H

#include "llvm/ADT/STLExtras.h"

namespace lathe {

/// Returns the candidate of the least cost; of equal ones, the first. There must be a candidate.
template <typename Candidates, typename Cost>
auto cheapest(const Candidates &candidates, Cost costOf) {
  auto best = candidates.begin();
  auto least = costOf(*best);
  for (auto each = std::next(best); each != candidates.end(); ++each)
    if (auto cost = costOf(*each); cost < least)
      best = each, least = cost;
  return *best;
}

} // namespace lathe

#endif
