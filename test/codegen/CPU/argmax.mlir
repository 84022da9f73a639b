// argmax and argmin along neighbours, in lanes: the first of equal ones, a NaN before all numbers, at every length around a vector;
// floats, and integers narrower and wider than the index.
// RUN: lathe-run %s first --random --dim N=1 --check --rtol 0 --atol 0 | FileCheck --check-prefix=ONE %s
// RUN: lathe-run %s first --random --dim N=7 --check --rtol 0 --atol 0
// RUN: lathe-run %s first --random --dim N=16 --check --rtol 0 --atol 0
// RUN: lathe-run %s first --random --dim N=64 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s first --random --dim N=65 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s first --random --dim N=131 --check --rtol 0 --atol 0 | FileCheck %s
// RUN: lathe-run %s first --random --dim N=131 --check --rtol 0 --atol 0 -O0
// RUN: lathe-run %s first --random --dim N=1000 --check --rtol 0 --atol 0 --specialize N=1000
// ONE: largest: i32[3] min 0 max 0
// Row 0 counts 5 k mod 11, which is 10 at k = 2 first and 0 at k = 0; row 1 has a NaN at 77 and at 100, row 2 nothing but -inf.
// CHECK: largest: i32[3] min 0 max 77 mean {{[0-9.]+}}: 2 77 0
// CHECK: smallest: i32[3] min 0 max 77 mean {{[0-9.]+}}: 0 77 0
// CHECK: bytes: i32[3] min 2 max 2 mean 2: 2 2 2
// CHECK: wide: i32[3] min 0 max 0 mean 0: 0 0 0

lathe.dim @N, 1 to 4096
func.func @first(%none: tensor<?xf32> {lathe.dims = #lathe.dims<N>, lathe.name = "none"})
    -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %k = lathe.iota dim 1 to [3, N] : i32
  %row = lathe.iota dim 0 to [3, N] : i32
  %five = lathe.constant dense<5> : tensor<i32>
  %eleven = lathe.constant dense<11> : tensor<i32>
  %scaled = lathe.mul %k, %five : tensor<3x?xi32>, tensor<i32>
  %count = lathe.rem %scaled, %eleven : tensor<3x?xi32>, tensor<i32>
  %float = lathe.convert %count to f32 : tensor<3x?xi32>
  %one = lathe.constant dense<1> : tensor<i32>
  %two = lathe.constant dense<2> : tensor<i32>
  %nan = lathe.constant dense<0x7FC00000> : tensor<f32>
  %low = lathe.constant dense<0xFF800000> : tensor<f32>
  %c77 = lathe.constant dense<77> : tensor<i32>
  %c100 = lathe.constant dense<100> : tensor<i32>
  %at77 = lathe.compare eq %k, %c77 : tensor<3x?xi32>, tensor<i32>
  %at100 = lathe.compare eq %k, %c100 : tensor<3x?xi32>, tensor<i32>
  %either = lathe.or %at77, %at100 : tensor<3x?xi1>
  %isone = lathe.compare eq %row, %one : tensor<3x?xi32>, tensor<i32>
  %istwo = lathe.compare eq %row, %two : tensor<3x?xi32>, tensor<i32>
  %place = lathe.and %either, %isone : tensor<3x?xi1>
  %withnan = lathe.select %place, %nan, %float : tensor<3x?xi1>, tensor<f32>, tensor<3x?xf32>
  %x = lathe.select %istwo, %low, %withnan : tensor<3x?xi1>, tensor<f32>, tensor<3x?xf32>
  %largest = lathe.argmax %x dim 1 : tensor<3x?xf32>
  %smallest = lathe.argmin %x dim 1 : tensor<3x?xf32>
  %narrow = lathe.convert %count to i8 : tensor<3x?xi32>
  %bytes = lathe.argmax %narrow dim 1 : tensor<3x?xi8>
  %long = lathe.convert %count to i64 : tensor<3x?xi32>
  %wide = lathe.argmin %long dim 1 : tensor<3x?xi64>
  return %largest, %smallest, %bytes, %wide : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}
