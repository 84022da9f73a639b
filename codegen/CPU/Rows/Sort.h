// The methods of sorting lines.
#ifndef LATHE_CODEGEN_CPU_ROWS_SORT_H
#define LATHE_CODEGEN_CPU_ROWS_SORT_H

#include "codegen/CPU/Rows/Rows.h"

namespace lathe::cpu {

/// Methods of sorting a line; all give the same indices.
enum class SortMethod { Insertion, Counting, Network, Radix, CountingOrRadix };
inline constexpr llvm::StringLiteral kSortMethods[] = {"insertion", "counting", "network", "radix", "counting_or_radix"};

struct SortSchedule {
  SortMethod method = SortMethod::Radix;
  int64_t digitBits = 8; // bits of the key per pass of a radix sort

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("method", method, kSortMethods);
    visitor("digit_bits", digitBits, 8, 11);
  }
};

/// Emits a sort, argsort or top_k, and sets how threads share its lines.
void emitSort(RowFrame &frame, mlir::Operation *op, const SortSchedule &schedule, KernelCode &code);

} // namespace lathe::cpu

#endif
