// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s empty --interpret | FileCheck %s --check-prefix=EMPTY
// RUN: lathe-run %s --bisect --rtol 0 --atol 0
// RUN: lathe-run %s empty --bisect --rtol 0 --atol 0

func.func @main() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<2xi32>, tensor<2xi32>, tensor<2xi64>, tensor<4xi32>, tensor<2xi32>) {
  %b = lathe.constant dense<[[true, false, true], [true, false, false]]> : tensor<2x3xi1>
  // CHECK: all: i1[3] {{.*}}: true false false
  %all = lathe.reduce and %b dims [0] : tensor<2x3xi1>
  // CHECK: any: i1[3] {{.*}}: true false true
  %any = lathe.reduce or %b dims [0] : tensor<2x3xi1>
  // CHECK: odd: i1[3] {{.*}}: false false true
  %odd = lathe.reduce xor %b dims [0] : tensor<2x3xi1>
  %n = lathe.constant dense<[[12, 10, -1], [7, 1, 4]]> : tensor<2x3xi32>
  // CHECK: anded: i32[2] {{.*}}: 8 0
  %anded = lathe.reduce and %n dims [1] : tensor<2x3xi32>
  // CHECK: ored: i32[2] {{.*}}: -1 7
  %ored = lathe.reduce or %n dims [1] : tensor<2x3xi32>
  %wide = lathe.convert %n to i64 : tensor<2x3xi32>
  // CHECK: xored: i64[2] {{.*}}: -7 2
  %xored = lathe.reduce xor %wide dims [1] : tensor<2x3xi64>
  // The first of equal ones, the first NaN before all.
  %x = lathe.constant dense<[[2.0, 1.0, 1.0, 3.0], [0.0, 0x7FC00000, -1.0, 0x7FC00000], [0x7F800000, 0x7F800000, 0x7F800000, 0x7F800000], [5.0, 4.0, -0.0, 0.0]]> : tensor<4x4xf32>
  // CHECK: smallest: i32[4] {{.*}}: 1 1 0 2
  %smallest = lathe.argmin %x dim 1 : tensor<4x4xf32>
  // CHECK: least: i32[2] {{.*}}: 2 1
  %least = lathe.argmin %n dim 1 : tensor<2x3xi32>
  return %all, %any, %odd, %anded, %ored, %xored, %smallest, %least
    : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<2xi32>, tensor<2xi32>, tensor<2xi64>, tensor<4xi32>, tensor<2xi32>
}

func.func @empty() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) {
  %b = lathe.constant dense<> : tensor<2x0xi1>
  %n = lathe.constant dense<> : tensor<2x0xi32>
  %x = lathe.constant dense<> : tensor<2x0xf32>
  // EMPTY: all: {{.*}}: true true
  %all = lathe.reduce and %b dims [1] : tensor<2x0xi1>
  // EMPTY: any: {{.*}}: false false
  %any = lathe.reduce or %b dims [1] : tensor<2x0xi1>
  // EMPTY: bits: {{.*}}: -1 -1
  %bits = lathe.reduce and %n dims [1] : tensor<2x0xi32>
  // EMPTY: max: {{.*}}: -inf -inf
  %max = lathe.reduce max %x dims [1] : tensor<2x0xf32>
  // EMPTY: product: {{.*}}: 1 1
  %product = lathe.reduce product %x dims [1] : tensor<2x0xf32>
  // EMPTY: least: {{.*}}: 2147483647 2147483647
  %least = lathe.reduce min %n dims [1] : tensor<2x0xi32>
  return %all, %any, %bits, %max, %product, %least : tensor<2xi1>, tensor<2xi1>, tensor<2xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>
}
