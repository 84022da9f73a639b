// Matrix products of bf16 with f32 sums, by instructions that add pairs of products.
#ifndef LATHE_CODEGEN_CPU_PAIRPRODUCTS_PAIRPRODUCTS_H
#define LATHE_CODEGEN_CPU_PAIRPRODUCTS_PAIRPRODUCTS_H

#include "codegen/CPU/Form.h"
#include "codegen/CPU/Tiles/Tile.h"
#include "codegen/Schedules/Panels.h"

namespace lathe::cpu {

/// The schedule of such a product.
struct PairProductSchedule {
  TileShape tile;
  /// Rows that meet all columns before the next ones.
  int64_t blockRows = 1;

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("block_rows", blockRows, 1, 1 << 20);
  }
};

/// True if the target has the instruction of AVX512_BF16 that adds two products of bf16 to each f32 of its widest vectors.
bool multipliesPairs(const VectorTarget &target);

/// The form of kernels around a product with the attribute `lathe.bf16_pairs`. The kernel's other ops are the epilogue. Every
/// element is one chain of pairs, in the order of the contracted index, from 0. The instruction adds the second product of a
/// pair, and then the first, each in one rounding. No schedule changes this order.
const Form &pairProductForm();

/// Returns the panels that the right operand of a kernel of this form can be stored in. Returns nullopt if the kernel reads the
/// operand elsewhere too.
std::optional<PanelChoice> choosePairPanels(KernelOp kernel);

} // namespace lathe::cpu

#endif
