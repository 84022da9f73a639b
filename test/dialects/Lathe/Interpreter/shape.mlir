// RUN: lathe-run %s --interpret | FileCheck %s
// RUN: lathe-run %s --bisect --rtol 1e-6 --atol 0

func.func @main() -> (tensor<2x2x3xi32>, tensor<2x3xi32>, tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<1x2xi32>, tensor<3x5xi32>,
                      tensor<1x1xi32>, tensor<2x5xi32>, tensor<2x3xf32>, tensor<i64>, tensor<2x1x2xi32>, tensor<0xi32>) {
  %x = lathe.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %row = lathe.constant dense<[[7, 8]]> : tensor<1x2xi32>
  %nine = lathe.constant dense<9> : tensor<i32>
  // CHECK: fresh: i32[2][2][3] {{.*}}: 1 2 3 4 5 6 1 2 3 4 5 6
  %fresh = lathe.broadcast %x dims [1, 2] to [2, 2, 3] : tensor<2x3xi32>
  // CHECK: scalar: i32[2][3] {{.*}}: 9 9 9 9 9 9
  %scalar = lathe.broadcast %nine dims [] to [2, 3] : tensor<i32>
  // CHECK: grown: i32[3][2] {{.*}}: 7 8 7 8 7 8
  %grown = lathe.broadcast %row dims [0, 1] to [3, 2] : tensor<1x2xi32>
  // CHECK: transposed: i32[3][2] {{.*}}: 1 4 2 5 3 6
  %transposed = lathe.transpose %x [1, 0] : tensor<2x3xi32>
  // CHECK: reversed: {{.*}}: 6 5 4 3 2 1
  %reversed = lathe.reverse %x dims [0, 1] : tensor<2x3xi32>
  // CHECK: slice: i32[1][2] {{.*}}: 4 6
  %slice = lathe.slice %x from [1, 0] to [2, 3] step [1, 2] : tensor<2x3xi32>
  // CHECK: pad: i32[3][5] {{.*}}: 9 9 9 9 9 1 9 2 9 3 4 9 5 9 6
  %pad = lathe.pad %x, %nine low [1, 0] high [0, 0] interior [0, 1] : tensor<2x3xi32>, tensor<i32>
  // Negative amounts take elements away.
  // CHECK: cut: i32[1][1] {{.*}}: 5
  %cut = lathe.pad %x, %nine low [-1, -1] high [0, -1] : tensor<2x3xi32>, tensor<i32>
  %y = lathe.reshape %row to [2, 1] : tensor<1x2xi32>
  // CHECK: joined: i32[2][5] {{.*}}: 7 1 2 3 7 8 4 5 6 8
  %joined = lathe.concatenate %y, %x, %y dim 1 : tensor<2x1xi32>, tensor<2x3xi32>, tensor<2x1xi32>
  // CHECK: iota: f32[2][3] {{.*}}: 0 1 2 0 1 2
  %iota = lathe.iota dim 1 to [2, 3] : f32
  // CHECK: size = 3
  %size = lathe.dim_size %x dim 1 : tensor<2x3xi32>
  %t = lathe.reshape %fresh to [2, 3, 2] : tensor<2x2x3xi32>
  // CHECK: part: i32[2][1][2] {{.*}}: 5 6 5 6
  %part = lathe.slice %t from [0, 2, 0] to [2, 3, 2] : tensor<2x3x2xi32>
  // CHECK: none: i32[0] empty
  %line = lathe.reshape %x to [6] : tensor<2x3xi32>
  %none = lathe.slice %line from [3] to [3] : tensor<6xi32>
  return %fresh, %scalar, %grown, %transposed, %reversed, %slice, %pad, %cut, %joined, %iota, %size, %part, %none
    : tensor<2x2x3xi32>, tensor<2x3xi32>, tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<1x2xi32>, tensor<3x5xi32>,
      tensor<1x1xi32>, tensor<2x5xi32>, tensor<2x3xf32>, tensor<i64>, tensor<2x1x2xi32>, tensor<0xi32>
}
