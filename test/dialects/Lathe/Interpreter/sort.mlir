// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s --bisect --rtol 0 --atol 0

func.func @main() -> (tensor<6xf32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2x3xi32>, tensor<0xi32>) {
  %x = lathe.constant dense<[2.0, 0x7FC00000, -0.0, 5.0, 0.0, 2.0]> : tensor<6xf32>
  // NaN come last, either way; zeros of both signs are equal and stay as they are.
  // CHECK: up: {{.*}}: -0 0 2 2 5 nan
  %up = lathe.sort %x dim 0 : tensor<6xf32>
  // CHECK: down: {{.*}}: 5 2 2 -0 0 nan
  %down = lathe.sort %x dim 0 descending : tensor<6xf32>
  // CHECK: upward: {{.*}}: 2 4 0 5 3 1
  %upward = lathe.argsort %x dim 0 : tensor<6xf32>
  // CHECK: downward: {{.*}}: 3 0 5 2 4 1
  %downward = lathe.argsort %x dim 0 descending : tensor<6xf32>
  // CHECK: largest: {{.*}}: 3 0 5
  %largest = lathe.top_k %x dim 0 count 3 : tensor<6xf32>
  // CHECK: smallest: {{.*}}: 2 4
  %smallest = lathe.top_k %x dim 0 count 2 smallest : tensor<6xf32>
  %n = lathe.constant dense<[[3, -7, 2], [1, 9, 2]]> : tensor<2x3xi32>
  // CHECK: columns: {{.*}}: 1 -7 2 3 9 2
  %columns = lathe.sort %n dim 0 : tensor<2x3xi32>
  // CHECK: none: i32[0]
  %none = lathe.top_k %x dim 0 count 0 : tensor<6xf32>
  return %up, %down, %upward, %downward, %largest, %smallest, %columns, %none
    : tensor<6xf32>, tensor<6xf32>, tensor<6xi32>, tensor<6xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2x3xi32>, tensor<0xi32>
}
