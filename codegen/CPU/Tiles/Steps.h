// The loop of a register tile over its products, several of which are one step of the loop.
#ifndef LATHE_CODEGEN_CPU_TILES_STEPS_H
#define LATHE_CODEGEN_CPU_TILES_STEPS_H

#include "codegen/Points/CodeFrame.h"

namespace lathe::cpu {

/// An address that moves on by `stride` elements with each product.
struct Walk {
  mlir::Value at;
  mlir::Type element;
  mlir::Value stride;
};

/// How the products of a tile are divided into steps.
struct ProductSteps {
  unsigned together = 1; // products of a step, a power of two
  bool hasRest = true;   // the number of products may be another one than a multiple of `together`

  /// Returns the steps of a tile with so many multiply-adds for each product. `multiple` divides the number of products.
  static ProductSteps of(unsigned multiplyAdds, int64_t multiple);
  /// Returns an end for names of functions, by which different loops differ.
  std::string name() const;
};

/// Emits the code of one product from the current places of the walks and the carried values; returns the next values.
using ProductStep = llvm::function_ref<CodeFrame::Carry(llvm::ArrayRef<mlir::Value> places, mlir::ValueRange carried)>;

/// Emits `count` products in order:
///
///   for step of `together` products: body(walks); body(walks + stride); ...; walks += together * stride
///   for rest: body(walks); walks += stride
CodeFrame::Carry forProducts(CodeFrame &frame, mlir::Value count, const ProductSteps &steps, llvm::ArrayRef<Walk> walks,
                             mlir::ValueRange carried, ProductStep body);

} // namespace lathe::cpu

#endif
