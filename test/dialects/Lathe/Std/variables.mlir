// RUN: lathe-run %s decode --random --dim N=3 --check
// RUN: lathe-run %s train --random --check | FileCheck %s
// Functions that composites call may read variables; what an implicit derivative goes by is passed.
// CHECK: l = {{[0-9.]+}}

lathe.variable @table : tensor<6x4xf32> init #lathe.normal<0.0, 1.0>
lathe.variable @w : tensor<2xf32> init #lathe.fill<0.5>
func.func private @step(%tokens: tensor<?xi32>, %h: tensor<?x4xf32>) -> (tensor<?x6xf32>, tensor<?x4xf32>) {
  %table = lathe.read @table : tensor<6x4xf32>
  %word = lathe.gather %table, %tokens axis 0 : tensor<6x4xf32>, tensor<?xi32>
  %sum = lathe.add %h, %word : tensor<?x4xf32>
  %next = lathe.tanh %sum : tensor<?x4xf32>
  %logits = lathe.dot_general %next, %table contract [1] x [1] : tensor<?x4xf32>, tensor<6x4xf32>
  return %logits, %next : tensor<?x6xf32>, tensor<?x4xf32>
}
func.func @decode(%f: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %h: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x2x7xi32>, tensor<?x2xi32>, tensor<?x2xf32>) {
  %t, %l, %s = lathe.std.beam_decode %f state %h function @step vocabulary 6 end 0 max_length 7 beams 2 : tensor<?xi32>, tensor<?x4xf32>
  return %t, %l, %s : tensor<?x2x7xi32>, tensor<?x2xi32>, tensor<?x2xf32>
}
func.func private @ease(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %c = lathe.cos %x : tensor<2xf32>
  %y = lathe.mul %c, %w : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @loss(%x: tensor<2xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<2xf32>
  %y, %n = lathe.std.fixed_point %x with %w function @ease : tensor<2xf32>
  %s = lathe.std.sum %y : tensor<2xf32>
  return %s : tensor<f32>
}
func.func @train(%x: tensor<2xf32>) -> tensor<f32> {
  %l = lathe.minimize @loss(%x) with sgd<> : (tensor<2xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
