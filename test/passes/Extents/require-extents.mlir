// RUN: lathe-opt %s --lathe-import --lathe-require-extents | FileCheck %s

lathe.dim @M, 4 to 64

// CHECK: #loc = loc("{{.*}}require-extents.mlir":10:8)
// An extent that may be negative is noted once, with the op and its place.
// CHECK: func.func @tail
// CHECK-SAME: lathe.requires = {{\[}}[#lathe.dim<N - 2>, "lathe.slice", #loc]]
func.func @tail(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %y = lathe.slice %x from [2] to [N] : tensor<?xf32>
  %z = lathe.neg %y : tensor<?xf32>
  return %z : tensor<?xf32>
}

// Within M's bounds it cannot be.
// CHECK: func.func @bounded
// CHECK-NOT: lathe.requires
func.func @bounded(%x: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?xf32> {
  %y = lathe.slice %x from [4] to [M] : tensor<?xf32>
  return %y : tensor<?xf32>
}

// A slice of numbers must not go beyond a named extent.
// CHECK: func.func @head
// CHECK-SAME: lathe.requires = {{\[}}[#lathe.dim<N - 4>, "lathe.slice", #loc{{[0-9]*}}]]
func.func @head(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<2xf32> {
  %y = lathe.slice %x from [2] to [4] : tensor<?xf32>
  return %y : tensor<2xf32>
}

// The excess of segments over steps is never negative; a named limit is checked where it can be beyond the extent,
// and for an N of 0 below 0.
// CHECK: func.func @segments
// CHECK-SAME: lathe.requires = {{\[}}[#lathe.dim<-1 * K + N>, "lathe.slice", #loc{{[0-9]*}}], [#lathe.dim<N - 1>, "lathe.slice", #loc{{[0-9]*}}]]
func.func @segments(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, K>}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %a = lathe.iota dim 0 to [16 * ceil_div(N + 3, 16) - 1 * N] : f32
  %b = lathe.iota dim 0 to [K * ceil_sqrt(N) * ceil_sqrt(N) - 1 * N * K] : f32
  %y = lathe.slice %x from [0, 0] to [K, K] : tensor<?x?xf32>
  %c = lathe.reduce sum %y dims [0] : tensor<?x?xf32>
  %z = lathe.slice %x from [0, 0] to [N - 1, K] : tensor<?x?xf32>
  %d = lathe.reduce sum %z dims [1] : tensor<?x?xf32>
  return %a, %b, %c, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Nor may what a formula is of be negative, in formulas of formulas as well.
// CHECK: func.func @formulas
// CHECK-SAME: lathe.requires = {{\[}}[#lathe.dim<N - 9>, "lathe.iota", #loc{{[0-9]*}}], [#lathe.dim<ceil_sqrt(N - 9) - 1>, "lathe.iota", #loc{{[0-9]*}}]]
func.func @formulas(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf32>, tensor<f32>) {
  %a = lathe.iota dim 0 to [ceil_sqrt(ceil_sqrt(N - 9) - 1)] : f32
  %r = lathe.reduce sum %x dims [0] : tensor<?xf32>
  return %a, %r : tensor<?xf32>, tensor<f32>
}

// One condition that another implies is not noted, and what an extreme of a quotient cannot fall below needs none.
// CHECK: func.func @implied
// CHECK-SAME: lathe.requires = {{\[}}[#lathe.dim<N - 7>, "lathe.slice", #loc{{[0-9]*}}]]
func.func @implied(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %a = lathe.slice %x from [7] to [N] : tensor<?xf32>
  %b = lathe.slice %x from [3] to [N] : tensor<?xf32>
  %c = lathe.iota dim 0 to [7 * floor_div(N + 6, 7) - 1 * max(7 * floor_div(N + 6, 7) - 3, 0)] : f32
  return %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Nor may an argument's extent be negative.
// CHECK: func.func @argument
// CHECK-SAME: lathe.requires = {{\[}}[#lathe.dim<N - 5>, "an argument", #loc{{[0-9]*}}]]
func.func @argument(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N - 5>}) -> tensor<?xf32> {
  %y = lathe.neg %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// Sizes that are equal only below a bound require the bound; sides that are exchanged are one condition.
// CHECK: func.func @bound
// CHECK-SAME: lathe.requires = {{\[}}[#lathe.dim<-1 * N + 5>, "lathe.reshape", #loc{{[0-9]*}}], [#lathe.dim<-1 * K + N>, "lathe.reshape", #loc{{[0-9]*}}, [#lathe.dim<N>, #lathe.dim<K>]]]
func.func @bound(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<K>}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %a = lathe.reshape %x checked each to [min(N, 5)] : tensor<?xf32>
  %b = lathe.reshape %x checked each to [K] : tensor<?xf32>
  %c = lathe.reshape %y checked each to [N] : tensor<?xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// The divisor is a size whose name ends in an even digit, and no even number.
// CHECK: func.func @divided
// CHECK-SAME: lathe.requires = {{.*}}#lathe.dim<640 * A - 32 * floor_div(20 * A, x0) * x0>
func.func @divided(%x: tensor<?x20x32xf32> {lathe.dims = #lathe.dims<A>}, %t: tensor<?x3xf32> {lathe.dims = #lathe.dims<x0>}) -> tensor<?x?x32xf32> {
  %0 = lathe.reshape %x checked to [x0, floor_div(20 * A, x0), 32] : tensor<?x20x32xf32>
  return %0 : tensor<?x?x32xf32>
}
