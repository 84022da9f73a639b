// How lines are sorted.
#ifndef LATHE_CODEGEN_CPU_ROWS_SORT_H
#define LATHE_CODEGEN_CPU_ROWS_SORT_H

#include "codegen/CPU/Rows/Rows.h"

namespace lathe::cpu {

/// The ways that sort a line: all give the same indices.
enum class SortMethod { Insertion, Counting, Network, Radix, CountingOrRadix };
inline constexpr llvm::StringLiteral kSortMethods[] = {"insertion", "counting", "network", "radix", "counting_or_radix"};

struct SortSchedule {
  SortMethod method = SortMethod::Radix;
  int64_t digitBits = 8; // of a key that radix sorts by at once

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("method", method, kSortMethods);
    visitor("digit_bits", digitBits, 8, 11);
  }
};

inline constexpr int64_t kCounted = 64; // the longest line that counting sorts faster than radix

/// Emits a sort, argsort or top_k, and says how threads share its lines.
void emitSort(RowFrame &frame, mlir::Operation *op, const SortSchedule &schedule, KernelCode &code);

} // namespace lathe::cpu

#endif
