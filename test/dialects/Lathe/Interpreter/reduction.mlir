// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s order --interpret | FileCheck %s --check-prefix=ORDER
// RUN: lathe-run %s --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s order --bisect --rtol 1e-6 --atol 0

func.func @main() -> (tensor<3xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xi32>,
                      tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<3xi32>) {
  %x = lathe.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  // CHECK: columns: {{.*}}: 5 7 9
  %columns = lathe.reduce sum %x dims [0] : tensor<2x3xf32>
  // CHECK: rows: {{.*}}: 6 15
  %rows = lathe.reduce sum %x dims [1] : tensor<2x3xf32>
  // CHECK: all = 720
  %all = lathe.reduce product %x dims [0, 1] : tensor<2x3xf32>
  %y = lathe.constant dense<[[1.0, 0x7FC00000, 3.0], [0xFF800000, -5.0, -6.0]]> : tensor<2x3xf32>
  // CHECK: max: {{.*}}: nan -5
  %max = lathe.reduce max %y dims [1] : tensor<2x3xf32>
  // CHECK: min: {{.*}}: -inf nan -6
  %min = lathe.reduce min %y dims [0] : tensor<2x3xf32>
  // The first NaN before all.
  // CHECK: where: i32[2] {{.*}}: 1 1
  %where = lathe.argmax %y dim 1 : tensor<2x3xf32>
  // Reductions of no element.
  %none = lathe.slice %x from [0, 0] to [2, 0] : tensor<2x3xf32>
  %inone = lathe.convert %none to i32 : tensor<2x0xf32>
  // CHECK: sum0: {{.*}}: 0 0
  %sum0 = lathe.reduce sum %none dims [1] : tensor<2x0xf32>
  // CHECK: product0: {{.*}}: 1 1
  %product0 = lathe.reduce product %inone dims [1] : tensor<2x0xi32>
  // CHECK: max0: {{.*}}: -inf -inf
  %max0 = lathe.reduce max %none dims [1] : tensor<2x0xf32>
  // CHECK: min0: {{.*}}: inf inf
  %min0 = lathe.reduce min %none dims [1] : tensor<2x0xf32>
  // CHECK: imax0: {{.*}}: -2147483648 -2147483648
  %imax0 = lathe.reduce max %inone dims [1] : tensor<2x0xi32>
  // The first of equal ones.
  %z = lathe.constant dense<[[1, 7, 2], [3, 7, 2]]> : tensor<2x3xi32>
  // CHECK: ties: {{.*}}: 1 0 0
  %ties = lathe.argmax %z dim 0 : tensor<2x3xi32>
  return %columns, %rows, %all, %max, %min, %where, %sum0, %product0, %max0, %min0, %imax0, %ties
    : tensor<3xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xf32>, tensor<2xi32>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<3xi32>
}

// A sum keeps more digits than its terms, in any order: 2^24 swallows no single ones, and in f64 2^53 does not.
func.func @order() -> (tensor<f32>, tensor<f32>, tensor<f64>) {
  %down = lathe.constant dense<[16777216.0, 1.0, 1.0]> : tensor<3xf32>
  %up = lathe.constant dense<[1.0, 1.0, 16777216.0]> : tensor<3xf32>
  // ORDER: a = 16777218
  %a = lathe.reduce sum %down dims [0] : tensor<3xf32>
  // ORDER: b = 16777218
  %b = lathe.reduce sum %up dims [0] : tensor<3xf32>
  %double = lathe.constant dense<[9007199254740992.0, 1.0, 1.0]> : tensor<3xf64>
  // ORDER: c = 9007199254740994
  %c = lathe.reduce sum %double dims [0] : tensor<3xf64>
  return %a, %b, %c : tensor<f32>, tensor<f32>, tensor<f64>
}
