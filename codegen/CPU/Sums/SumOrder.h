// The order in which the terms of a floating-point sum are added.
#ifndef LATHE_CODEGEN_CPU_SUMS_SUMORDER_H
#define LATHE_CODEGEN_CPU_SUMS_SUMORDER_H

#include "dialects/Lathe/IR/Lathe.h"
#include "llvm/Support/MathExtras.h"

namespace lathe::cpu {

/// The terms of a sum come in rows: a row runs along one of the reduced dimensions, the others count the rows. Terms are added
/// in sequence into chains, from 0. A chain consists of as many whole rows as have at least `chain` terms. A row with more
/// terms is cut into chains of `chain` terms, none of which continues in the next row. `group` chains are added in sequence
/// into a group. Groups are added pairwise (pairs, pairs of pairs, and so on) or in sequence.
///
/// The order follows from the positions of the terms and from extents, so any code that adds chains can follow it. The error
/// grows with the lengths of chain and group and with the logarithm of the number of groups.
struct SumOrder {
  int64_t chain, group;
  bool pairs;

  /// Returns the number of whole rows in a chain, for rows of `row` terms.
  int64_t rowsOfChain(int64_t row) const { return row >= chain ? 1 : llvm::divideCeil(chain, std::max<int64_t>(row, 1)); }
  /// Returns the number of chains that a row is cut into.
  int64_t chainsOfRow(int64_t row) const { return row <= chain ? 1 : llvm::divideCeil(row, chain); }
  /// Returns the number of chains of this many rows.
  int64_t chainsOf(int64_t rows, int64_t row) const { return llvm::divideCeil(rows, rowsOfChain(row)) * chainsOfRow(row); }
};

/// Returns the digits of a binary counter of at most `most` groups, at least one digit. Without `most` there are as many as any
/// sum needs: 2^32 groups are more terms than fit into memory.
inline int64_t digitsOfCounter(std::optional<int64_t> most) {
  return most ? llvm::Log2_64(std::max<int64_t>(*most, 1)) + 1 : 32;
}

/// The order for terms that come from memory or lie along the lanes of vectors: ending a chain costs little compared with the
/// loads.
inline constexpr SumOrder kTermOrder{32, 16, true};
/// The order for products that fill the registers of a tile: ending a chain writes them to memory.
inline constexpr SumOrder kProductOrder{256, 256, false};

} // namespace lathe::cpu

#endif
