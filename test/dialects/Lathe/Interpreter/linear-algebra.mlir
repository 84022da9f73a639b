// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s --bisect --rtol 1e-6 --atol 0

// Elements outside of the triangle that is read are 9.
func.func @main() -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %l = lathe.constant dense<[[2.0, 9.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %u = lathe.constant dense<[[2.0, 1.0], [9.0, 4.0]]> : tensor<2x2xf32>
  %b = lathe.constant dense<[[2.0, 4.0], [9.0, 10.0]]> : tensor<2x2xf32>
  // CHECK: lower: {{.*}}: 1 2 2 2
  %lower = lathe.triangular_solve %l, %b : tensor<2x2xf32>, tensor<2x2xf32>
  // CHECK: upper: {{.*}}: -0.125 0.75 2.25 2.5
  %upper = lathe.triangular_solve %u, %b upper : tensor<2x2xf32>, tensor<2x2xf32>
  // CHECK: transposed: {{.*}}: -0.125 0.75 2.25 2.5
  %transposed = lathe.triangular_solve %l, %b transposed : tensor<2x2xf32>, tensor<2x2xf32>
  // CHECK: units: {{.*}}: 2 4 7 6
  %units = lathe.triangular_solve %l, %b unit : tensor<2x2xf32>, tensor<2x2xf32>
  // CHECK: right: {{.*}}: 0.5 1 3.25 2.5
  %right = lathe.triangular_solve %l, %b right : tensor<2x2xf32>, tensor<2x2xf32>
  %a = lathe.constant dense<[[4.0, 9.0], [2.0, 10.0]]> : tensor<2x2xf32>
  // CHECK: factor: {{.*}}: 2 0 1 3
  %factor = lathe.cholesky %a : tensor<2x2xf32>
  %none = lathe.constant dense<[[4.0, 9.0], [4.0, 1.0]]> : tensor<2x2xf32>
  // CHECK: indefinite: {{.*}}: 2 0 2 {{-?}}nan
  %indefinite = lathe.cholesky %none : tensor<2x2xf32>
  return %lower, %upper, %transposed, %units, %right, %factor, %indefinite
    : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
