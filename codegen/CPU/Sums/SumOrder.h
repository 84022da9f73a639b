// In which order the terms of a floating-point sum are added.
#ifndef LATHE_CODEGEN_CPU_SUMS_SUMORDER_H
#define LATHE_CODEGEN_CPU_SUMS_SUMORDER_H

#include "dialects/Lathe/IR/Lathe.h"
#include "llvm/Support/MathExtras.h"

namespace lathe::cpu {

/// A sum's terms come in rows: a row goes along one of the reduced dimensions, the others count the rows. Terms are added one
/// after the other into chains, from 0. A chain is as many whole rows as have at least `chain` terms; a row of more terms than
/// that is cut into chains of `chain` terms, and none of these goes on into the next row. `group` chains are added one after
/// the other into a group. Groups are added in pairs, pairs of these in pairs, and so on; or one after the other.
///
/// So the order follows from the places of the terms and from extents, and any code that adds up chains can follow it. The
/// error grows with the lengths of chain and group and with the logarithm of the number of groups.
struct SumOrder {
  int64_t chain, group;
  bool pairs;

  /// The whole rows of one chain, for a row of so many terms.
  int64_t rowsOfChain(int64_t row) const { return row >= chain ? 1 : llvm::divideCeil(chain, std::max<int64_t>(row, 1)); }
  /// The chains that a row is cut into.
  int64_t chainsOfRow(int64_t row) const { return row <= chain ? 1 : llvm::divideCeil(row, chain); }
};

/// Orders sums of terms that come from memory, or that lie along the lanes of vectors: a chain's end costs little beside
/// reading it.
inline constexpr SumOrder kTermOrder{32, 16, true};
/// Orders sums of products that fill the registers of a tile, which a chain's end writes to memory.
inline constexpr SumOrder kProductOrder{256, 256, false};

} // namespace lathe::cpu

#endif
