// Checks that random graphs contain every op of the dialect.
#ifndef LATHE_TEST_FUZZ_COVERAGE_H
#define LATHE_TEST_FUZZ_COVERAGE_H

#include <cstdint>

namespace fuzz {

/// Draws graphs, and prints how many have each op. 1 if an op of the dialect is in none, without a reason in the list.
int checkCoverage(uint64_t seed, int64_t graphs, int64_t smoothPercent);

} // namespace fuzz

#endif
