// Layers whose values are kept for the gradient.
lathe.variable @w0 : tensor<64x64xf32> init #lathe.glorot_uniform
lathe.variable @w1 : tensor<64x64xf32> init #lathe.glorot_uniform
lathe.variable @w2 : tensor<64x64xf32> init #lathe.glorot_uniform
lathe.variable @w3 : tensor<64x64xf32> init #lathe.glorot_uniform
lathe.variable @w4 : tensor<64x64xf32> init #lathe.glorot_uniform
lathe.variable @w5 : tensor<64x64xf32> init #lathe.glorot_uniform

func.func private @loss(%x: tensor<128x64xf32>) -> tensor<f32> {
  %w0 = lathe.read @w0 : tensor<64x64xf32>
  %p0 = lathe.dot_general %x, %w0 contract [1] x [0] : tensor<128x64xf32>, tensor<64x64xf32>
  %y0 = lathe.tanh %p0 : tensor<128x64xf32>
  %w1 = lathe.read @w1 : tensor<64x64xf32>
  %p1 = lathe.dot_general %y0, %w1 contract [1] x [0] : tensor<128x64xf32>, tensor<64x64xf32>
  %y1 = lathe.tanh %p1 : tensor<128x64xf32>
  %w2 = lathe.read @w2 : tensor<64x64xf32>
  %p2 = lathe.dot_general %y1, %w2 contract [1] x [0] : tensor<128x64xf32>, tensor<64x64xf32>
  %y2 = lathe.tanh %p2 : tensor<128x64xf32>
  %w3 = lathe.read @w3 : tensor<64x64xf32>
  %p3 = lathe.dot_general %y2, %w3 contract [1] x [0] : tensor<128x64xf32>, tensor<64x64xf32>
  %y3 = lathe.tanh %p3 : tensor<128x64xf32>
  %w4 = lathe.read @w4 : tensor<64x64xf32>
  %p4 = lathe.dot_general %y3, %w4 contract [1] x [0] : tensor<128x64xf32>, tensor<64x64xf32>
  %y4 = lathe.tanh %p4 : tensor<128x64xf32>
  %w5 = lathe.read @w5 : tensor<64x64xf32>
  %p5 = lathe.dot_general %y4, %w5 contract [1] x [0] : tensor<128x64xf32>, tensor<64x64xf32>
  %y5 = lathe.tanh %p5 : tensor<128x64xf32>
  %square = lathe.mul %y5, %y5 : tensor<128x64xf32>
  %loss = lathe.reduce sum %square dims [0, 1] : tensor<128x64xf32>
  return %loss : tensor<f32>
}

func.func @step(%x: tensor<128x64xf32>) -> tensor<f32> {
  %loss = lathe.minimize @loss(%x) with sgd<learning_rate = 1.0e-3> : (tensor<128x64xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
