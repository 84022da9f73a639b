// A loop's result, which the step reads early and late: it cannot be computed again.
lathe.variable @w : tensor<64x64xf32> init #lathe.glorot_uniform
func.func private @loss(%x: tensor<64x64xf32>, %z: tensor<4x64x64xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<64x64xf32>
  %l = lathe.scan carry(%c = %x : tensor<64x64xf32>) over(%b = %z : tensor<4x64x64xf32>) -> tensor<64x64xf32> {
    %n = lathe.max %b, %c : tensor<64x64xf32>
    lathe.yield carry(%n : tensor<64x64xf32>)
  }
  %p = lathe.dot_general %l, %w contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %q = lathe.dot_general %p, %w contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %r = lathe.dot_general %q, %w contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
  %m = lathe.mul %r, %l : tensor<64x64xf32>
  %loss = lathe.std.mean %m : tensor<64x64xf32>
  return %loss : tensor<f32>
}
func.func @step(%x: tensor<64x64xf32>, %z: tensor<4x64x64xf32>) -> (tensor<f32> {lathe.name = "loss"}) {
  %loss = lathe.minimize @loss(%x, %z) with sgd<> : (tensor<64x64xf32>, tensor<4x64x64xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
