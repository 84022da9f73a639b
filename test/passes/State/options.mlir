// Options that an optimiser's composite does not take are refused at the minimize, before anything is written.
// RUN: sed s/OPTIMIZER/'adam<beta1 = 1.5>'/ %s > %t.beta.mlir && not lathec %t.beta.mlir -o %t.o 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: sed s/OPTIMIZER/'sgd<clip_norm = -1.0>'/ %s > %t.clip.mlir && not lathec %t.clip.mlir -o %t.o 2>&1 | FileCheck %s --check-prefix=CLIP
// BETA: beta.mlir:[[#@LINE+12]]:8: error: lathe.std.adam: 'beta1' is 1.5
// CLIP: clip.mlir:[[#@LINE+11]]:8: error: lathe.std.clip_factor: 'limit' is -1.0

lathe.variable @w : tensor<3xf32> init #lathe.zeros

func.func private @loss(%x: tensor<3xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<3xf32>
  %0 = lathe.std.mse %x, %w : tensor<3xf32>
  return %0 : tensor<f32>
}

func.func @step(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = lathe.minimize @loss(%x) with OPTIMIZER : (tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
