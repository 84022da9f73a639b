// RUN: lathe-run %s --interpret --input x=1 --input image=2 --input arg3=3 | FileCheck %s
// Names of arguments and results are the SSA names, or what lathe.name says; numbers get a prefix.

// CHECK: sum = 6
// CHECK-NEXT: y_0 = 1
// CHECK-NEXT: y_1 = 2
// CHECK-NEXT: second = 2
// CHECK-NEXT: out4 = 5
// CHECK-NEXT: total = 6
func.func private @pair(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  return %a, %b : tensor<f32>, tensor<f32>
}
func.func @main(%x: tensor<f32>, %0: tensor<f32> {lathe.name = "image"}, %3: tensor<f32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32> {lathe.name = "total"}) {
  %4 = lathe.add %0, %3 : tensor<f32>
  %sum = lathe.add %x, %4 : tensor<f32>
  %y:2 = func.call @pair(%x, %0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %first, %second = func.call @pair(%x, %0) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %sum, %y#0, %y#1, %second, %4, %sum : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
