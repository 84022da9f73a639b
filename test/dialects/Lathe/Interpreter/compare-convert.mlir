// RUN: lathe-run %s compare --interpret | FileCheck %s --check-prefix=CMP
// RUN: lathe-run %s convert --interpret | FileCheck %s --check-prefix=CVT
// RUN: lathe-run %s compare --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s convert --bisect --rtol 1e-6 --atol 0

!f = tensor<4xf32>
!p = tensor<4xi1>
func.func @compare() -> (!p, !p, !p, !p, !p, !p, !p, tensor<2x4xf32>) {
  %a = lathe.constant dense<[1.0, 2.0, -0.0, 0x7FC00000]> : !f
  %b = lathe.constant dense<[2.0, 1.0, 0.0, 1.0]> : !f
  // With a NaN all but ne are false.
  // CMP: eq: {{.*}}: false false true false
  %eq = lathe.compare eq %a, %b : !f
  // CMP: ne: {{.*}}: true true false true
  %ne = lathe.compare ne %a, %b : !f
  // CMP: lt: {{.*}}: true false false false
  %lt = lathe.compare lt %a, %b : !f
  // CMP: le: {{.*}}: true false true false
  %le = lathe.compare le %a, %b : !f
  // CMP: gt: {{.*}}: false true false false
  %gt = lathe.compare gt %a, %b : !f
  // CMP: ge: {{.*}}: false true true false
  %ge = lathe.compare ge %a, %b : !f
  %i = lathe.constant dense<[-1, 1, 3, 4]> : tensor<4xi64>
  %zero = lathe.constant dense<0> : tensor<i64>
  // CMP: negative: {{.*}}: true false false false
  %negative = lathe.compare lt %i, %zero : tensor<4xi64>, tensor<i64>
  %rows = lathe.constant dense<[[true], [false]]> : tensor<2x1xi1>
  // CMP: select: {{.*}}: 1 2 -0 nan 2 1 0 1
  %select = lathe.select %rows, %a, %b : tensor<2x1xi1>, !f
  return %eq, %ne, %lt, %le, %gt, %ge, %negative, %select : !p, !p, !p, !p, !p, !p, !p, tensor<2x4xf32>
}

func.func @convert() -> (tensor<8xi32>, tensor<8xi64>, tensor<8xi1>, tensor<8xf64>, tensor<3xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi64>) {
  %x = lathe.constant dense<[2.9, -2.9, 3.0e9, -3.0e9, 0x7FC00000, 0xFF800000, -0.0, 0.1]> : tensor<8xf32>
  // Towards zero, the ends of the range beyond it, 0 from a NaN.
  // CVT: i32: {{.*}}: 2 -2 2147483647 -2147483648 0 -2147483648 0 0
  %i32 = lathe.convert %x to i32 : tensor<8xf32>
  // CVT: i64: {{.*}}: 2 -2 3000000000 -3000000000 0 -9223372036854775808 0 0
  %i64 = lathe.convert %x to i64 : tensor<8xf32>
  // CVT: i1: {{.*}}: true true true true true true false true
  %i1 = lathe.convert %x to i1 : tensor<8xf32>
  // CVT: f64: {{.*}} 0.10000000149011612
  %f64 = lathe.convert %x to f64 : tensor<8xf32>
  %i = lathe.constant dense<[16777217, 9007199254740993, -1]> : tensor<3xi64>
  // To the nearest float, ties to even.
  // CVT: f32: {{.*}}: 16777216 9007199000000000 -1
  %f32 = lathe.convert %i to f32 : tensor<3xi64>
  // CVT: low: {{.*}}: 16777217 1 -1
  %low = lathe.convert %i to i32 : tensor<3xi64>
  %p = lathe.constant dense<[true, false]> : tensor<2xi1>
  // CVT: ones: {{.*}}: 1 0
  %ones = lathe.convert %p to f32 : tensor<2xi1>
  // CVT: wide: {{.*}}: 1 0
  %wide = lathe.convert %p to i64 : tensor<2xi1>
  return %i32, %i64, %i1, %f64, %f32, %low, %ones, %wide
    : tensor<8xi32>, tensor<8xi64>, tensor<8xi1>, tensor<8xf64>, tensor<3xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi64>
}
