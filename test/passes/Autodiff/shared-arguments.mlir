// One value for two arguments, by one of which is differentiated: the other one is a constant.
// RUN: lathe-run %s --input x=3 --input t=5 --interpret | FileCheck %s
// RUN: lathe-run %s --input x=3 --input t=5 | FileCheck %s

func.func private @second(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
  %y = lathe.cumulative sum %b dim 0 : tensor<1xf32>
  return %y : tensor<1xf32>
}
func.func private @product(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
  %y = lathe.mul %a, %b : tensor<1xf32>
  return %y : tensor<1xf32>
}
// It folds to one of the operands; the other's tangent is zero.
func.func private @recurrence(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
  %y = lathe.linear_recurrence %a, %b dim 0 : tensor<1xf32>, tensor<1xf32>
  return %y : tensor<1xf32>
}
// If both are largest, each has half of the slope.
func.func private @larger(%a: tensor<1xf32>, %b: tensor<1xf32>) -> tensor<1xf32> {
  %y = lathe.max %a, %b : tensor<1xf32>
  return %y : tensor<1xf32>
}

// CHECK: second: {{.*}}: 0
// CHECK: product_a: {{.*}}: 15
// CHECK: product_b: {{.*}}: 15
// CHECK: product_both: {{.*}}: 30
// CHECK: product_back: {{.*}}: 15
// CHECK: recurrence: {{.*}}: 0
// CHECK: larger: {{.*}}: 2.5
func.func @slopes(%x: tensor<1xf32>, %t: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  %0, %second = lathe.jvp @second(%x, %x) tangents(%t) wrt [0] : (tensor<1xf32>, tensor<1xf32>), (tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %1, %product_a = lathe.jvp @product(%x, %x) tangents(%t) wrt [0] : (tensor<1xf32>, tensor<1xf32>), (tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %2, %product_b = lathe.jvp @product(%x, %x) tangents(%t) wrt [1] : (tensor<1xf32>, tensor<1xf32>), (tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %3, %product_both = lathe.jvp @product(%x, %x) tangents(%t, %t) wrt [0, 1] : (tensor<1xf32>, tensor<1xf32>), (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %4, %product_back = lathe.vjp @product(%x, %x) cotangents(%t) wrt [0] : (tensor<1xf32>, tensor<1xf32>), (tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %5, %recurrence = lathe.jvp @recurrence(%x, %x) tangents(%t) wrt [0] : (tensor<1xf32>, tensor<1xf32>), (tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %6, %larger = lathe.jvp @larger(%x, %x) tangents(%t) wrt [0] : (tensor<1xf32>, tensor<1xf32>), (tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %second, %product_a, %product_b, %product_both, %product_back, %recurrence, %larger
    : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}
