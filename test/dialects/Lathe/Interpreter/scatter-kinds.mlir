// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s blocks --interpret | FileCheck %s --check-prefix=BLOCKS
// RUN: lathe-run %s --bisect --rtol 0 --atol 0
// RUN: lathe-run %s blocks --bisect --rtol 0 --atol 0

func.func @main() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
  %t = lathe.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %i = lathe.constant dense<[1, 3, 1, 9, -1, 3]> : tensor<6xi32>
  %u = lathe.constant dense<[5.0, 0x7FC00000, -6.0, 7.0, 8.0, 1.0]> : tensor<6xf32>
  // Among equal indices the last update stays; out-of-range updates are dropped.
  // CHECK: set: {{.*}}: 1 -6 3 1
  %set = lathe.scatter set %t, %i, %u axis 0 : tensor<4xf32>, tensor<6xi32>, tensor<6xf32>
  // CHECK: mul: {{.*}}: 1 -60 3 nan
  %mul = lathe.scatter mul %t, %i, %u axis 0 : tensor<4xf32>, tensor<6xi32>, tensor<6xf32>
  // CHECK: max: {{.*}}: 1 5 3 nan
  %max = lathe.scatter max %t, %i, %u axis 0 : tensor<4xf32>, tensor<6xi32>, tensor<6xf32>
  // CHECK: min: {{.*}}: 1 -6 3 nan
  %min = lathe.scatter min %t, %i, %u axis 0 : tensor<4xf32>, tensor<6xi32>, tensor<6xf32>
  %b = lathe.constant dense<[true, true, false, false]> : tensor<4xi1>
  %c = lathe.constant dense<[true, true, false, true, true, true]> : tensor<6xi1>
  // CHECK: bits: {{.*}}: true false false true
  %bits = lathe.scatter set %b, %i, %c axis 0 : tensor<4xi1>, tensor<6xi32>, tensor<6xi1>
  return %set, %mul, %max, %min, %bits : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
}

// Starts are clamped to where the block fits.
func.func @blocks() -> (tensor<2x2xi32>, tensor<2x2xi32>, tensor<3x3xi32>) {
  %x = lathe.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
  %one = lathe.constant dense<1> : tensor<i32>
  %low = lathe.constant dense<-5> : tensor<i64>
  %high = lathe.constant dense<7> : tensor<i64>
  // BLOCKS: inside: {{.*}}: 4 5 7 8
  %inside = lathe.dynamic_slice %x [%one, %low] size [2, 2] : tensor<3x3xi32>, (tensor<i32>, tensor<i64>)
  // BLOCKS: clamped: {{.*}}: 2 3 5 6
  %clamped = lathe.dynamic_slice %x [%low, %high] size [2, 2] : tensor<3x3xi32>, (tensor<i64>, tensor<i64>)
  // BLOCKS: replaced: {{.*}}: 1 2 3 4 4 5 7 7 8
  %replaced = lathe.dynamic_update_slice %x, %inside [%one, %high] : tensor<3x3xi32>, tensor<2x2xi32>, (tensor<i32>, tensor<i64>)
  return %inside, %clamped, %replaced : tensor<2x2xi32>, tensor<2x2xi32>, tensor<3x3xi32>
}
