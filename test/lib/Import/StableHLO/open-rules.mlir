// RUN: lathec %s --grad=main -o %t.o && lathe-run %t.o main_grad --dim b=3 --input arg0=1 | FileCheck %s
// RUN: lathe-run %s main --dim b=3 --input arg0=1 --check
// A function of an open size that returns its argument, and whose gradient is the cotangent times the size: the composite as a call, whose
// name has the numbers of arguments and results, and whose first operand is the size.
// CHECK: result0 = 6
// CHECK-NEXT: gradient_arg0: f32[3][2] {{.*}}: 3 3 3 3 3 3
func.func public @main(%arg0: tensor<?x2xf32>) -> tensor<f32> {
  %b = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %0 = call @inner(%b, %arg0) : (tensor<i32>, tensor<?x2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @inner(%b: tensor<i32> {jax.global_constant = "b"}, %x: tensor<?x2xf32>) -> tensor<f32> {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %rows = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x2xf32>
  %0:2 = call @lathe.custom_gradient.1.1_0(%b, %x, %zeros) : (tensor<i32>, tensor<?x2xf32>, tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
  %1 = stablehlo.reduce(%0#0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x2xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @lathe.custom_gradient.1.1_0(%b: tensor<i32>, %x: tensor<?x2xf32>, %c: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %rows = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %number = stablehlo.convert %b : (tensor<i32>) -> tensor<f32>
  %numbers = stablehlo.dynamic_broadcast_in_dim %number, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x2xf32>
  %0 = stablehlo.multiply %c, %numbers : tensor<?x2xf32>
  return %x, %0 : tensor<?x2xf32>, tensor<?x2xf32>
}
