// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s random --interpret | FileCheck %s --check-prefix=RANDOM
// RUN: lathe-run %s --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s random --bisect --rtol 1e-6 --atol 0

func.func @main() -> (tensor<4x2xi32>, tensor<2x2xi32>, tensor<2xi32>, tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x2x2xi32>) {
  %t = lathe.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = lathe.constant dense<[2, 0, -1, 3]> : tensor<4xi32>
  // An index outside gives zeros.
  // CHECK: rows: i32[4][2] {{.*}}: 5 6 1 2 0 0 0 0
  %rows = lathe.gather %t, %i axis 0 : tensor<3x2xi32>, tensor<4xi32>
  %u = lathe.slice %t from [1, 0] to [3, 2] : tensor<3x2xi32>
  %j = lathe.constant dense<[1, 0]> : tensor<2xi64>
  // CHECK: columns: i32[2][2] {{.*}}: 4 3 6 5
  %columns = lathe.gather %u, %j axis 1 : tensor<2x2xi32>, tensor<2xi64>
  // One element a row.
  // CHECK: picks: i32[2] {{.*}}: 4 5
  %picks = lathe.gather %u, %j axis 1 batch 1 : tensor<2x2xi32>, tensor<2xi64>
  %k = lathe.constant dense<[1, 1, 7, -2]> : tensor<4xi32>
  // Updates of equal index add up; those outside are dropped.
  // CHECK: scattered: i32[3][2] {{.*}}: 1 2 9 12 5 6
  %scattered = lathe.scatter add %t, %k, %rows axis 0 : tensor<3x2xi32>, tensor<4xi32>, tensor<4x2xi32>
  %l = lathe.constant dense<[0, 1, 5]> : tensor<3xi32>
  %v = lathe.constant dense<[100, 200, 300]> : tensor<3xi32>
  // CHECK: points: i32[3][2] {{.*}}: 101 2 3 204 5 6
  %points = lathe.scatter add %t, %l, %v axis 1 batch 1 : tensor<3x2xi32>, tensor<3xi32>, tensor<3xi32>
  %m = lathe.constant dense<[[0, 1], [1, 0]]> : tensor<2x2xi32>
  // CHECK: table: i32[2][2][2] {{.*}}: 3 4 5 6 5 6 3 4
  %table = lathe.gather %u, %m axis 0 : tensor<2x2xi32>, tensor<2x2xi32>
  return %rows, %columns, %picks, %scattered, %points, %table
    : tensor<4x2xi32>, tensor<2x2xi32>, tensor<2xi32>, tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x2x2xi32>
}

// The first word under key and counter zero is the published 6b200159. The low half of the seed comes first in the key.
func.func @random() -> (tensor<2xi32>, tensor<2xi32>, tensor<1xi64>) {
  %zero = lathe.constant dense<0> : tensor<i64>
  // RANDOM: bits: {{.*}}: 1797259609 1351547692
  %bits = lathe.random_bits %zero stream 0 to [2] : i32
  %seed = lathe.constant dense<4294967296> : tensor<i64>
  // RANDOM: more: {{.*}}: 1948878966 -556518312
  %more = lathe.random_bits %seed stream 1 to [2] : i32
  // In i64 the second word, the published 99ba4efe, is the upper half.
  // RANDOM: both: {{.*}}: -7369490985612476071
  %both = lathe.random_bits %zero stream 0 to [1] : i64
  return %bits, %more, %both : tensor<2xi32>, tensor<2xi32>, tensor<1xi64>
}
