// Tiles of one row: as wide as sums hide the latency of dot products. Where the number of instructions limits a row, a panel is enough.
// RUN: %python %S/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --target x86_64-linux-gnu:znver4 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=ZMM
// RUN: lathec %t.mlir --target x86_64-linux-gnu:haswell:+avxvnni --explain --emit=none 2>&1 | FileCheck %s --check-prefix=YMM
// RUN: lathec %t.mlir --target aarch64-linux-gnu:neoverse-v2 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=SDOT
// RUN: lathec %t.mlir --target x86-64-v3 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=V3
// RUN: lathe-run %t.mlir row --random --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %t.mlir row --random --check --rtol 0 --atol 0 --target=x86-64-v2,x86-64-v3,x86-64-v4

// ZMM: byte_product {block_rows = 1, lanes = 16, method = dots, rows = 1, vectors = 4}
// YMM: byte_product {block_rows = 1, lanes = 8, method = dots, rows = 1, vectors = 8}
// SDOT: byte_product {block_rows = 1, lanes = 4, method = dots, rows = 1, vectors = 16}
// V3: byte_product {block_rows = 1, lanes = 8, method = mixed, rows = 1, vectors = 2}
func.func @row(%x: tensor<1x263xui8>) -> tensor<1x272xi32> {
  %w = lathe.constant dense<bell> : tensor<263x272xi8>
  %0 = lathe.convert %x to i32 : tensor<1x263xui8>
  %1 = lathe.convert %w to i32 : tensor<263x272xi8>
  %2 = lathe.dot_general %0, %1 contract [1] x [0] : tensor<1x263xi32>, tensor<263x272xi32>
  return %2 : tensor<1x272xi32>
}
