// The tuner of an entry that has no candidates left meets kernels of another entry, which it never ran.
// RUN: rm -rf %t.dir && mkdir -p %t.dir && cd %t.dir
// RUN: lathec %s --target x86-64-v3 --tune=60 --tune-output=found -o tuned.o 2>&1 | FileCheck %s
// CHECK: lathec: tuned @product
// CHECK: lathec: tuned @order
// CHECK-NEXT: all kernels:
func.func @product(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @order(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = lathe.sort %x dim 0 : tensor<64xf32>
  return %0 : tensor<64xf32>
}
