// RUN: lathec %s --target=x86_64-pc-linux-gnu:x86-64-v3 --emit=llvm -o - | FileCheck %s
// RUN: lathec %s --target=x86_64-pc-linux-gnu:x86-64-v4 --emit=llvm -o - | FileCheck %s
// RUN: lathe-run %s --random --dim N=5 --check --rtol 0 --atol 0
// RUN: lathe-run %s --random --dim N=500 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s --random --dim N=500 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s --random --dim N=9001 --check --rtol 0 --atol 0 --threads 2
// Eight lanes or more are read one by one where all indices are in range, and as a gather elsewhere: some vectors of indices are in
// range, some are partly so, at both ends, and some not at all. The second table has a row for each index.

// CHECK: define internal void @kernel
// CHECK: llvm.vector.reduce.and.v{{[0-9]+}}i1
// CHECK: load i32
// CHECK: load float
// CHECK: masked.gather.v{{8|16|32|64}}f32
func.func @f(%x: tensor<300xf32>, %rows: tensor<?x7xf32> {lathe.dims = #lathe.dims<N>}, %wide: tensor<300xf64>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf64>) {
  %place = lathe.iota dim 0 to [N] : i32
  %three = lathe.constant dense<3> : tensor<i32>
  %threes = lathe.broadcast %three dims [] to [N] : tensor<i32> -> tensor<?xi32>
  %index = lathe.sub %place, %threes : tensor<?xi32>
  %seven = lathe.constant dense<7> : tensor<i32>
  %sevens = lathe.broadcast %seven dims [] to [N] : tensor<i32> -> tensor<?xi32>
  %column = lathe.and %place, %sevens : tensor<?xi32>
  %index64 = lathe.convert %index to i64 : tensor<?xi32>
  %0 = lathe.gather %x, %index axis 0 : tensor<300xf32>, tensor<?xi32>
  %1 = lathe.gather %rows, %column axis 1 batch 1 : tensor<?x7xf32>, tensor<?xi32>
  %2 = lathe.gather %wide, %index64 axis 0 : tensor<300xf64>, tensor<?xi64>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf64>
}
