// Parts of what gathers and slices pick, read where they are used: exactly what the interpreter picks, rows outside of the table
// and none at all included. Random indices are 0 to 9.
// RUN: lathe-run %s columns --random --dim N=5 --dim P=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s columns --random --dim N=5 --dim P=77 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s columns --random --dim N=5 --dim P=77 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s columns --random --dim N=5 --dim P=77 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s columns --random --dim N=5 --dim P=1 --specialize P=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s blocks --random --dim N=5 --dim P=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s blocks --random --dim N=5 --dim P=33 --check --rtol 0 --atol 0
// RUN: lathe-run %s blocks --random --dim N=5 --dim P=33 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s leading --random --dim N=5 --check --rtol 0 --atol 0
// RUN: lathe-run %s leading --random --dim N=1 --specialize N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s nothing --random --dim N=5 --dim P=3 --check --rtol 0 --atol 0 | FileCheck %s
// CHECK: y: f32[0][4]

lathe.dim @P, 1 to 4096

func.func @columns(%table: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}, %at: tensor<?xi32> {lathe.dims = #lathe.dims<P>}, %k: tensor<i32>) -> tensor<?xf64> {
  %three = lathe.constant dense<3> : tensor<i32>
  %i = lathe.sub %at, %three : tensor<?xi32>, tensor<i32>
  %x = lathe.gather %table, %i axis 0 : tensor<?x11xf64>, tensor<?xi32>
  %zero = lathe.constant dense<0> : tensor<i32>
  %s = lathe.slice %x from [0, 10] to [P, 11] : tensor<?x11xf64>
  %t = lathe.dynamic_slice %x [%zero, %k] size [P, 1] : tensor<?x11xf64>, (tensor<i32>, tensor<i32>)
  %a = lathe.reshape %s to [P] : tensor<?x1xf64>
  %b = lathe.reshape %t to [P] : tensor<?x1xf64>
  %y = lathe.sub %a, %b : tensor<?xf64>
  return %y : tensor<?xf64>
}

// In steps, from a block of the rows, along a dimension behind that of the indices.
func.func @blocks(%table: tensor<3x?x12xf32> {lathe.dims = #lathe.dims<N>}, %at: tensor<?x2xi64> {lathe.dims = #lathe.dims<P>}) -> tensor<3x?x3xf32> {
  %x = lathe.gather %table, %at axis 1 : tensor<3x?x12xf32>, tensor<?x2xi64>
  %s = lathe.slice %x from [0, 0, 1, 2] to [3, P, 2, 11] step [1, 1, 1, 2] : tensor<3x?x2x12xf32>
  %t = lathe.reshape %s to [3, P, 5] : tensor<3x?x1x5xf32>
  %a = lathe.slice %t from [0, 0, 0] to [3, P, 3] : tensor<3x?x5xf32>
  %y = lathe.neg %a : tensor<3x?x3xf32>
  return %y : tensor<3x?x3xf32>
}

// Units before named sizes, which may be 1 themselves.
func.func @leading(%x: tensor<4x?x9xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x9xf32> {
  %s = lathe.slice %x from [2, 0, 0] to [3, N, 9] : tensor<4x?x9xf32>
  %t = lathe.slice %x from [1, 0, 0] to [2, N, 9] : tensor<4x?x9xf32>
  %a = lathe.reshape %s to [N, 9] : tensor<1x?x9xf32>
  %b = lathe.reshape %t to [N, 9] : tensor<1x?x9xf32>
  %y = lathe.sub %a, %b : tensor<?x9xf32>
  return %y : tensor<?x9xf32>
}

func.func @nothing(%table: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}, %at: tensor<?xi32> {lathe.dims = #lathe.dims<P>}) -> tensor<0x4xf32> {
  %x = lathe.gather %table, %at axis 0 : tensor<?x8xf32>, tensor<?xi32>
  %s = lathe.slice %x from [0, 0] to [0, 4] : tensor<?x8xf32>
  %t = lathe.slice %x from [0, 4] to [0, 8] : tensor<?x8xf32>
  %y = lathe.sub %s, %t : tensor<0x4xf32>
  return %y : tensor<0x4xf32>
}
