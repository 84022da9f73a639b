// RUN: lathe-opt %s --lathe-import "--lathe-specialize=sizes=N=1:32" | FileCheck %s

// CHECK: func.func @f(%{{.*}}: tensor<?x4xf32, #lathe.dims<N>>
// CHECK: lathe.broadcast {{.*}} to [N, 4]
// CHECK: func.func private @"f.N=32"(%{{.*}}: tensor<32x4xf32>
// CHECK-SAME: lathe.fixed_dims = {N = #lathe.dim<32>}, lathe.version_of = @f
// CHECK: lathe.broadcast {{.*}} to [32, 4]
// A unit extent that has a name elsewhere is marked: sums keep the general function's order.
// CHECK: func.func private @"f.N=1"(%{{.*}}: tensor<1x4xf32> {{{.*}}lathe.sized_units = array<i64: 0>
// CHECK: lathe.broadcast {{.*}}lathe.sized_units = array<i64: 0>
// CHECK: lathe.add {{.*}}lathe.sized_units = array<i64: 0>
func.func @f(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<4xf32>) -> tensor<?x4xf32> {
  %y = lathe.add %x, %b : tensor<?x4xf32>, tensor<4xf32>
  return %y : tensor<?x4xf32>
}
