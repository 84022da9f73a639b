// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s --bisect --rtol 0 --atol 0
// RUN: lathe-run %s signs --input taps=0 --interpret | FileCheck %s --check-prefix=SIGN
// RUN: lathe-run %s signs --input taps=0 --check --rtol 0 --atol 0

func.func @main() -> (tensor<2xf32>, tensor<4xf32>, tensor<5xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<5xf32>, tensor<2xi32>, tensor<5xf32>) {
  %x = lathe.constant dense<[1.0, 3.0, 3.0, 0x7FC00000, 2.0]> : tensor<5xf32>
  %y = lathe.constant dense<[1.0, 3.0, 3.0, -4.0, 2.0]> : tensor<5xf32>
  // CHECK: pooled: {{.*}}: 3 nan
  %pooled = lathe.reduce_window max %x window [3] stride [2] : tensor<5xf32>
  // Places outside are left out; negative padding crops.
  // CHECK: sums: {{.*}}: 1 4 6 -1
  %sums = lathe.reduce_window sum %y window [2] pad [[1, -1]] : tensor<5xf32>
  // Every second place is a hole; a window of holes is empty.
  // CHECK: holes: {{.*}}: 1 3 3 -4 2
  %holes = lathe.reduce_window min %y window [2] stride [2] pad [[0, 1]] base_dilation [2] : tensor<5xf32>
  // CHECK: products: {{.*}}: 3 -12 6
  %products = lathe.reduce_window product %y window [2] dilation [2] : tensor<5xf32>
  // The first of equal ones, the first NaN before all.
  // CHECK: taps: {{.*}}: 1 1
  %taps = lathe.window_index max %x window [3] stride [2] : tensor<5xf32>
  // CHECK: least: {{.*}}: 0 1
  %least = lathe.window_index min %y window [3] stride [2] : tensor<5xf32>
  // CHECK: gathered: {{.*}}: 3 -4
  %gathered = lathe.window_gather %y, %taps window [3] stride [2] : tensor<5xf32>, tensor<2xi32>
  // CHECK: scattered: {{.*}}: 0 3 0 -4 0
  %scattered = lathe.window_scatter %gathered, %taps to [5] window [3] stride [2] : tensor<2xf32>, tensor<2xi32>
  %low = lathe.constant dense<0xFF800000> : tensor<2xf32>
  // CHECK: empty: {{.*}}: 0 0
  %empty = lathe.window_index max %low window [2] pad [[1, 0]] : tensor<2xf32>
  // Place 2 takes the first tap of the last window first: (1e8 - 1e8) + 1.
  %parts = lathe.constant dense<[1.0, -1.0e8, 1.0e8]> : tensor<3xf32>
  %down = lathe.constant dense<[2, 1, 0]> : tensor<3xi32>
  // CHECK: ordered: {{.*}}: 0 0 1 0 0
  %ordered = lathe.window_scatter %parts, %down to [5] window [3] : tensor<3xf32>, tensor<3xi32>
  return %pooled, %sums, %holes, %products, %taps, %least, %gathered, %scattered, %empty, %ordered
    : tensor<2xf32>, tensor<4xf32>, tensor<5xf32>, tensor<3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<5xf32>, tensor<2xi32>, tensor<5xf32>
}

// A zero that is gathered has no sign.
func.func @signs(%taps: tensor<2xi32>) -> tensor<2xf32> {
  %x = lathe.constant dense<[-0.0, -0.0, 4.0]> : tensor<3xf32>
  %one = lathe.constant dense<1.0> : tensor<2xf32>
  %gathered = lathe.window_gather %x, %taps window [2] : tensor<3xf32>, tensor<2xi32>
  // SIGN: inverse: {{.*}}: inf inf
  %inverse = lathe.div %one, %gathered : tensor<2xf32>
  return %inverse : tensor<2xf32>
}
