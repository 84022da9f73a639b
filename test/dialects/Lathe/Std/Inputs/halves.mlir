lathe.variable @w : tensor<3xbf16> init #lathe.zeros
lathe.variable @u : tensor<2xf16> init #lathe.zeros
func.func private @loss(%x: tensor<3xbf16>, %z: tensor<2xf16>) -> tensor<f32> {
  %w = lathe.read @w : tensor<3xbf16>
  %u = lathe.read @u : tensor<2xf16>
  %a = lathe.std.mse %w, %x reduction sum : tensor<3xbf16>
  %b = lathe.std.mse %u, %z reduction sum : tensor<2xf16>
  %c = lathe.convert %a to f32 : tensor<bf16>
  %d = lathe.convert %b to f32 : tensor<f16>
  %loss = lathe.add %c, %d : tensor<f32>
  return %loss : tensor<f32>
}
func.func @step(%x: tensor<3xbf16>, %z: tensor<2xf16>) -> tensor<f32> {
  %loss = lathe.minimize @loss(%x, %z) with OPTIMIZER : (tensor<3xbf16>, tensor<2xf16>) -> tensor<f32>
  return %loss : tensor<f32>
}
