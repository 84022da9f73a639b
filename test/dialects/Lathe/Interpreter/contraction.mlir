// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s --bisect --rtol 1e-6 --atol 0

func.func @main() -> (tensor<2x2xf32>, tensor<3x3xf32>, tensor<2xf32>, tensor<f32>, tensor<3x2x2xf32>, tensor<2x3x2x3xf32>) {
  %a = lathe.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  // CHECK: aat: f32[2][2] {{.*}}: 14 32 32 77
  %aat = lathe.dot_general %a, %a contract [1] x [1] : tensor<2x3xf32>
  // CHECK: ata: f32[3][3] {{.*}}: 17 22 27 22 29 36 27 36 45
  %ata = lathe.dot_general %a, %a contract [0] x [0] : tensor<2x3xf32>
  // CHECK: rows: f32[2] {{.*}}: 14 77
  %rows = lathe.dot_general %a, %a contract [1] x [1] batch [0] x [0] : tensor<2x3xf32>
  // CHECK: all = 91
  %all = lathe.dot_general %a, %a contract [1, 0] x [1, 0] : tensor<2x3xf32>
  // No contracted dimension, a batch that is not first.
  // CHECK: outer: f32[3][2][2] {{.*}}: 1 4 4 16 4 10 10 25 9 18 18 36
  %outer = lathe.dot_general %a, %a contract [] x [] batch [1] x [1] : tensor<2x3xf32>
  // CHECK: product: f32[2][3][2][3] {{.*}}: 1 2 3 4 5 6 2 4 6 8 10 12
  %product = lathe.dot_general %a, %a contract [] x [] : tensor<2x3xf32>
  return %aat, %ata, %rows, %all, %outer, %product
    : tensor<2x2xf32>, tensor<3x3xf32>, tensor<2xf32>, tensor<f32>, tensor<3x2x2xf32>, tensor<2x3x2x3xf32>
}
