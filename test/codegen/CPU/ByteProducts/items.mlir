// The work items of products of bytes: each is a block of rows for four groups of columns, or for all of them where they are fewer,
// since a thread packs the block again for each chunk of items. The fourth argument of the context's loop is
// their number.
// RUN: %python %S/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --emit=llvm --name items --target x86-64-v3 -o - | FileCheck %s
// RUN: lathe-run %t.mlir many --random --check --rtol 0 --atol 0 --threads 3
// RUN: lathe-run %t.mlir few --random --check --rtol 0 --atol 0 --threads 3

// Two blocks of up to 128 rows with 13 groups of 16 columns: 2,600 rows and groups, 512 of them in an item.
// CHECK-LABEL: define internal i32 @items_many
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_dot_general_{{.*}}, i64 6, i64 1, i64 {{[0-9]+}})
func.func @many(%x: tensor<200x64xi8>) -> tensor<200x208xi32> {
  %w = lathe.constant dense<any> : tensor<64x208xi8>
  %0 = lathe.convert %x to i32 : tensor<200x64xi8>
  %1 = lathe.convert %w to i32 : tensor<64x208xi8>
  %2 = lathe.dot_general %0, %1 contract [1] x [0] : tensor<200x64xi32>, tensor<64x208xi32>
  return %2 : tensor<200x208xi32>
}

// Two blocks with three groups.
// CHECK-LABEL: define internal i32 @items_few
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_dot_general_{{.*}}, i64 2, i64 1, i64 {{[0-9]+}})
func.func @few(%x: tensor<200x64xi8>) -> tensor<200x48xi32> {
  %w = lathe.constant dense<any> : tensor<64x48xi8>
  %0 = lathe.convert %x to i32 : tensor<200x64xi8>
  %1 = lathe.convert %w to i32 : tensor<64x48xi8>
  %2 = lathe.dot_general %0, %1 contract [1] x [0] : tensor<200x64xi32>, tensor<64x48xi32>
  return %2 : tensor<200x48xi32>
}
