// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s first --interpret | FileCheck %s --check-prefix=FIRST
// RUN: lathe-run %s first --check --rtol 0 --atol 0

func.func @main() -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<5xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>) {
  %n = lathe.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  // CHECK: sums: {{.*}}: 1 2 3 5 7 9
  %sums = lathe.cumulative sum %n dim 0 : tensor<2x3xi32>
  // CHECK: products: {{.*}}: 6 6 3 120 30 6
  %products = lathe.cumulative product %n dim 1 reverse : tensor<2x3xi32>
  %x = lathe.constant dense<[1.0, 3.0, 2.0, 0x7FC00000, 5.0]> : tensor<5xf32>
  // CHECK: largest: {{.*}}: 1 3 3 nan nan
  %largest = lathe.cumulative max %x dim 0 : tensor<5xf32>
  // CHECK: smallest: {{.*}}: nan nan nan nan 5
  %smallest = lathe.cumulative min %x dim 0 reverse : tensor<5xf32>
  %e = lathe.constant dense<[0xFF800000, 0xFF800000, 1000.0, 1000.0]> : tensor<4xf32>
  // CHECK: logs: {{.*}}: -inf -inf 1000 1000.69
  %logs = lathe.cumulative logsumexp %e dim 0 : tensor<4xf32>
  %a = lathe.constant dense<[9.0, 0.5, 0.0, 2.0]> : tensor<4xf32>
  %b = lathe.constant dense<[4.0, 1.0, 7.0, -1.0]> : tensor<4xf32>
  // CHECK: forward: {{.*}}: 4 3 7 13
  %forward = lathe.linear_recurrence %a, %b dim 0 : tensor<4xf32>
  // CHECK: backward: {{.*}}: 44.5 4.5 7 -1
  %backward = lathe.linear_recurrence %a, %b dim 0 reverse : tensor<4xf32>
  %z = lathe.constant dense<> : tensor<0xf32>
  // CHECK: none: f32[0]
  %none = lathe.cumulative sum %z dim 0 : tensor<0xf32>
  return %sums, %products, %largest, %smallest, %logs, %forward, %backward, %none
    : tensor<2x3xi32>, tensor<2x3xi32>, tensor<5xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<0xf32>
}

// The first result is the first term, whatever the first factor is.
// FIRST: y: {{.*}}: 4 5 7
func.func @first() -> (tensor<3xf32> {lathe.name = "y"}) {
  %a = lathe.constant dense<[0x7F800000, 1.0, 0.0]> : tensor<3xf32>
  %b = lathe.constant dense<[4.0, 1.0, 7.0]> : tensor<3xf32>
  %y = lathe.linear_recurrence %a, %b dim 0 : tensor<3xf32>
  return %y : tensor<3xf32>
}
