// A step of a tile's loop multiplies several products: four for 12 multiply-adds, whose addresses are constants beside one
// register, and one loop more where the number of products may be another than a multiple of four.
// RUN: lathec %s --emit=asm --target=x86-64-v3 -o - | FileCheck %s
// CHECK-LABEL: dot_tile_f32_f32_f32_4x3x8_lhs1_steps4:
// CHECK-COUNT-48: vfmadd231ps
// CHECK-NOT: vfmadd231ps
// CHECK: {{^}}.Lfunc_end
// CHECK-LABEL: dot_tile_f32_f32_f32_4x3x8_lhs1_steps4rest:
// CHECK-COUNT-60: vfmadd231ps
// CHECK-NOT: vfmadd231ps
// CHECK: {{^}}.Lfunc_end
// RUN: lathe-run %s --random --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s --random --check --rtol 1e-4 --atol 1e-4 --target=x86-64-v2 --threads 2

func.func @f(%x: tensor<8x64xf32>, %w: tensor<64x48xf32>, %y: tensor<8x67xf32>, %v: tensor<67x48xf32>) -> (tensor<8x48xf32>, tensor<8x48xf32>) {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<8x64xf32>, tensor<64x48xf32>
  %1 = lathe.dot_general %y, %v contract [1] x [0] : tensor<8x67xf32>, tensor<67x48xf32>
  return %0, %1 : tensor<8x48xf32>, tensor<8x48xf32>
}
