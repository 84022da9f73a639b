// The micro-kernel of a product of bytes: the sums of one register tile.
#ifndef LATHE_CODEGEN_CPU_BYTEPRODUCTS_BYTETILE_H
#define LATHE_CODEGEN_CPU_BYTEPRODUCTS_BYTETILE_H

#include "codegen/CPU/ByteProducts/ByteProducts.h"

namespace lathe::cpu {

/// The parameters of a micro-kernel, which is one function for all kernels of a module. Its columns are a part of a byte panel,
/// or whole panels.
struct ByteTile {
  unsigned rows, vectors, lanes;
  ByteMethod method;
  bool hasZero;         // lhs has a zero point
  bool fetches = false; // each group fetches a place of the next panels into the second-level cache; with the method Dots

  /// The arguments of the tile's function, in order.
  struct Arguments {
    mlir::Value bytes, words;         // the first packed row of each kind; those that the method does not read are ignored
    mlir::Value bytePitch, wordPitch; // bytes between rows
    mlir::Value rhs;                  // the first column in its panel
    mlir::Value columnSums;           // of the first column
    mlir::Value table;                // of the panel's groups
    mlir::Value groups;               // of four products
    mlir::Value panelBytes;
    mlir::Value zero;                        // i32
    mlir::Value sums, sumsPitch;             // the results, and the elements between rows of them
    mlir::Value ahead = {}, aheadPitch = {}; // what the first group fetches, and the bytes to what the next one fetches

    /// Returns them without those that are null.
    llvm::SmallVector<mlir::Value> list() const {
      llvm::SmallVector<mlir::Value> all{bytes, words,  bytePitch,  wordPitch, rhs,  columnSums,
                                         table, groups, panelBytes, zero,      sums, sumsPitch};
      if (ahead)
        all.append({ahead, aheadPitch});
      return all;
    }
  };

  /// Calls the tile's function, which the kernels of a module share.
  void call(KernelFrame &frame, const Arguments &arguments) const;

private:
  void emit(CodeFrame &frame, const Arguments &arguments) const;
};

} // namespace lathe::cpu

#endif
