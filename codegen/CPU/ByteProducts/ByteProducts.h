// Products and convolutions of 8-bit integers with 32-bit sums, as register tiles.
#ifndef LATHE_CODEGEN_CPU_BYTEPRODUCTS_BYTEPRODUCTS_H
#define LATHE_CODEGEN_CPU_BYTEPRODUCTS_BYTEPRODUCTS_H

#include "codegen/CPU/Form.h"
#include "codegen/CPU/Tiles/Tile.h"
#include "codegen/Schedules/Panels.h"

namespace lathe::cpu {

/// The instructions that multiply bytes.
enum class ByteMethod {
  Pairs, // two products of 16-bit integers at once
  Mixed, // two products of bytes at once where their sums fit in 16 bits, otherwise pairs
  Dots   // four products of bytes at once
};
inline constexpr llvm::StringLiteral kByteMethods[] = {"pairs", "mixed", "dots"};

/// The schedule of a product of bytes.
struct ByteProductSchedule {
  TileShape tile;
  ByteMethod method = ByteMethod::Pairs;
  /// Rows of the left operand that are packed at once, and meet all columns before the next ones.
  int64_t blockRows = 1;

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor);
    visitor("method", method, kByteMethods);
    visitor("block_rows", blockRows, 1, 1 << 10);
  }
};

/// The form of kernels around a product or a convolution that multipliesBytes. The kernel's other ops are the epilogue. Sums
/// are exact modulo 2^32, whatever the schedule.
const Form &byteProductForm();

/// Returns the panels that the right operand of a kernel of this form can be stored in. Returns nullopt if the kernel reads the
/// operand elsewhere too.
std::optional<PanelChoice> chooseBytePanels(KernelOp kernel);

} // namespace lathe::cpu

#endif
