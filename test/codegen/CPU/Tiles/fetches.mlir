// Tiles of many rows fetch the panel of the columns that come next, each a part of it: one place with each product, pair of products
// or four products of bytes. Nothing is fetched where the weights are not in panels, all columns are in one panel, or a tile has all
// rows.
// RUN: %python %S/../Contraction/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --entry=floats --target=x86-64-v4 --emit=mlir --emit-stage=kernels -o - | FileCheck %s --check-prefix=FLOATS
// RUN: lathec %t.mlir --entry=floats --target=x86-64-v4 --emit=asm -o - | FileCheck %s --check-prefix=ASM
// RUN: lathec %t.mlir --entry=none --target=x86-64-v4 --emit=mlir --emit-stage=kernels -o - | FileCheck %s --check-prefix=NONE
// RUN: lathec %t.mlir --entry=floats --math=fast --target=x86-64-v4-bf16 --emit=mlir --emit-stage=kernels -o - | FileCheck %s --check-prefix=PAIRS
// RUN: lathec %t.mlir --entry=bytes --target=x86-64-v4-vnni --emit=mlir --emit-stage=kernels -o - | FileCheck %s --check-prefix=BYTES
// RUN: lathec %t.mlir --entry=bytes --target=x86-64-v3 --emit=mlir --emit-stage=kernels -o - | FileCheck %s --check-prefix=NONE
// RUN: lathe-run %t.mlir floats --random --dim M=45 --check --rtol 1e-5 --atol 1e-4
// RUN: lathe-run %t.mlir floats --random --dim M=700 --check --rtol 1e-5 --atol 1e-4 --threads 3
// RUN: lathe-run %t.mlir floats --random --dim M=45 --check --rtol 1e-5 --atol 1e-4 --target x86-64-v3
// RUN: lathe-run %t.mlir floats --random --dim M=1 --check --rtol 1e-5 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %t.mlir bytes --random --dim M=45 --check --rtol 0 --atol 0
// RUN: lathe-run %t.mlir bytes --random --dim M=700 --check --rtol 0 --atol 0 --threads 3

// FLOATS: llvm.func {{.*}}@dot_tile_f32_f32_f32_[[TILE:[0-9x]*]]{{.*}}_fetching(
// FLOATS: llvm.intr.prefetch
// FLOATS: call @dot_tile_f32_f32_f32_[[TILE]]{{.*}}_fetching
// ASM: dot_tile_f32_f32_f32_{{.*}}_fetching:
// ASM: prefetcht1
// PAIRS: llvm.func {{.*}}@pair_tile_{{.*}}_fetching(
// PAIRS: llvm.intr.prefetch
// PAIRS: call @pair_tile_{{.*}}_fetching
func.func @floats(%x: tensor<?x300xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x200xf32> {
  %w = lathe.constant dense<any> : tensor<300x200xf32>
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x300xf32>, tensor<300x200xf32>
  return %0 : tensor<?x200xf32>
}

// NONE-NOT: fetching
// NONE-NOT: llvm.intr.prefetch
func.func @none(%x: tensor<100x60xf32>, %y: tensor<60x200xf32>, %row: tensor<1x60xf32>)
    -> (tensor<100x200xf32>, tensor<100x16xf32>, tensor<1x200xf32>) {
  %narrow = lathe.constant dense<any> : tensor<60x16xf32>
  %wide = lathe.constant dense<any> : tensor<60x200xf32>
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<100x60xf32>, tensor<60x200xf32>
  %1 = lathe.dot_general %x, %narrow contract [1] x [0] : tensor<100x60xf32>, tensor<60x16xf32>
  %2 = lathe.dot_general %row, %wide contract [1] x [0] : tensor<1x60xf32>, tensor<60x200xf32>
  return %0, %1, %2 : tensor<100x200xf32>, tensor<100x16xf32>, tensor<1x200xf32>
}

// BYTES: llvm.func {{.*}}@byte_tile_dots_{{.*}}_fetching(
// BYTES: llvm.intr.prefetch
// BYTES: call @byte_tile_dots_{{.*}}_fetching
func.func @bytes(%x: tensor<?x300xi8> {lathe.dims = #lathe.dims<M>}) -> tensor<?x200xi32> {
  %w = lathe.constant dense<any> : tensor<300x200xi8>
  %x32 = lathe.convert %x to i32 : tensor<?x300xi8>
  %w32 = lathe.convert %w to i32 : tensor<300x200xi8>
  %0 = lathe.dot_general %x32, %w32 contract [1] x [0] : tensor<?x300xi32>, tensor<300x200xi32>
  return %0 : tensor<?x200xi32>
}
