// RUN: lathe-run %s --interpret | FileCheck %s

#inside = affine_set<(d0, d1) : (d0 + d1 - 1 >= 0, 4 - d0 - d1 >= 0)>
#always1 = affine_set<(d0) : (0 >= 0)>
#always2 = affine_set<(d0, d1) : (0 >= 0)>

// A window sum with an edge that is not read, an argmax, and a place that is data.
func.func @main() -> (tensor<4xf32>, tensor<2xi32>, tensor<3xi32>, tensor<2xf32>) {
  %x = lathe.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %i = lathe.constant dense<[3, 0, 9]> : tensor<3xi32>
  %windows, %where, %picked, %sums = lathe.kernel(%a = %x : tensor<4xf32>, %j = %i : tensor<3xi32>) -> (tensor<4xf32>, tensor<2xi32>, tensor<3xi32>, tensor<2xf32>) {
    %0 = lathe.nest sum [4, 3] (%a) accesses [#lathe.access<affine_map<(d0, d1) -> (d0 + d1 - 1)> where #inside else 0.5 : f32>] symbols [] {
    ^bb0(%v: f32):
      lathe.yield %v : f32
    } : (tensor<4xf32>) -> tensor<4xf32>
    %1 = lathe.nest argmax [2, 2] (%a) accesses [#lathe.access<affine_map<(d0, d1) -> (2 * d0 + d1)> where #always2 else 0.0 : f32>] symbols [] {
    ^bb0(%v: f32):
      %m = arith.negf %v : f32
      %first = lathe.index 0
      %c0 = arith.constant 0 : i64
      %p = arith.cmpi eq, %first, %c0 : i64
      %s = arith.select %p, %m, %v : f32
      lathe.yield %s : f32
    } : (tensor<4xf32>) -> tensor<2xi32>
    %2 = lathe.nest none [3] (%j) accesses [#lathe.access<affine_map<(d0) -> (d0)> where #always1 else 0 : i32>] symbols [] {
    ^bb0(%v: i32):
      %w = arith.extsi %v : i32 to i64
      %e = lathe.element %a[%w] : tensor<4xf32> -> f32
      %n = lathe.extent #lathe.dim<7>
      %t = arith.fptosi %e : f32 to i32
      %n32 = arith.trunci %n : i64 to i32
      %r = arith.muli %t, %n32 : i32
      lathe.yield %r : i32
    } : (tensor<3xi32>) -> tensor<3xi32>
    %3 = lathe.nest product [2, 2] (%0) accesses [#lathe.access<affine_map<(d0, d1) -> (d0 + 2 * d1)> where #always2 else 0.0 : f32>] symbols [] {
    ^bb0(%v: f32):
      lathe.yield %v : f32
    } : (tensor<4xf32>) -> tensor<2xf32>
    lathe.yield %0, %1, %2, %3 : tensor<4xf32>, tensor<2xi32>, tensor<3xi32>, tensor<2xf32>
  }
  // CHECK: windows: {{.*}}: 3.5 6 9 7.5
  // CHECK: where: {{.*}}: 0 1
  // CHECK: picked: {{.*}}: 28 7 0
  // CHECK: sums: {{.*}}: 31.5 45
  return %windows, %where, %picked, %sums : tensor<4xf32>, tensor<2xi32>, tensor<3xi32>, tensor<2xf32>
}
