// RUN: lathe-opt %s --lathe-expand-std --mlir-print-debuginfo | FileCheck %s

// Each use calls a function of its own, whose ops have the use's location.
// CHECK-LABEL: func.func @uses(
// CHECK: call @[[FOUR:relu[_0-9]*]](%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc(#[[FIRST:.*]])
// CHECK: call @[[THREE:relu[_0-9]*]](%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc(#[[SECOND:.*]])
// CHECK: func.func private @[[THREE]](%arg0: tensor<3xf32> {{.*}} attributes {lathe.composite = "relu"}
// CHECK: lathe.select {{.*}} loc(#[[SECOND]])
// CHECK: func.func private @[[FOUR]](%arg0: tensor<4xf32> {{.*}} attributes {lathe.composite = "relu"}
// CHECK: lathe.select {{.*}} loc(#[[FIRST]])
func.func @uses(%x: tensor<4xf32>, %y: tensor<3xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
  %0 = lathe.std.relu %x : tensor<4xf32>
  %1 = lathe.std.relu %y : tensor<3xf32>
  return %0, %1 : tensor<4xf32>, tensor<3xf32>
}
