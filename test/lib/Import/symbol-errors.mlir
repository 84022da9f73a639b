// Every op that refers to something that is not there, or is not what the op says, is named.
// RUN: not lathec %s --emit=none 2>&1 | FileCheck %s

lathe.variable @w : tensor<f32> init #lathe.zeros

func.func @f(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: symbol-errors.mlir:[[# @LINE + 1]]:8: error: 'lathe.read' op there is no variable @v
  %v = lathe.read @v : tensor<f32>
  // CHECK: symbol-errors.mlir:[[# @LINE + 2]]:8: error: 'lathe.read' op has type 'tensor<2xf32>', variable @w 'tensor<f32>'
  // CHECK: symbol-errors.mlir:4:1: note: @w is declared here
  %w = lathe.read @w : tensor<2xf32>
  // CHECK: symbol-errors.mlir:[[# @LINE + 1]]:20: error: 'lathe.value_and_grad' op there is no function @g
  %value, %slope = lathe.value_and_grad @g(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %value : tensor<f32>
}
// CHECK-NOT: error:
