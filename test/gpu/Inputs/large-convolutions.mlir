// Convolutions of many tiles, with what nets of images do with them: no register may be spilled, no product be waited for.
func.func @block(%x: tensor<?x56x56x128xbf16> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x128x256xbf16>, %b: tensor<256xbf16>)
    -> tensor<?x56x56x256xbf16> {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<?x56x56x128xbf16>, tensor<3x3x128x256xbf16>
  %1 = lathe.broadcast %b dims [3] to [N, 56, 56, 256] : tensor<256xbf16>
  %2 = lathe.add %0, %1 : tensor<?x56x56x256xbf16>
  %3 = lathe.std.relu %2 : tensor<?x56x56x256xbf16>
  return %3 : tensor<?x56x56x256xbf16>
}

func.func @strided(%x: tensor<64x56x56x128xf16>, %w: tensor<3x3x128x256xf16>) -> tensor<64x28x28x256xf16> {
  %0 = lathe.conv %x, %w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<64x56x56x128xf16>, tensor<3x3x128x256xf16>
  return %0 : tensor<64x28x28x256xf16>
}

func.func @shortcut(%x: tensor<64x56x56x256xbf16>, %w: tensor<1x1x256x512xbf16>) -> tensor<64x28x28x512xbf16> {
  %0 = lathe.conv %x, %w stride [2, 2] pad valid : tensor<64x56x56x256xbf16>, tensor<1x1x256x512xbf16>
  return %0 : tensor<64x28x28x512xbf16>
}

func.func @gradients(%x: tensor<64x28x28x256xbf16>, %dy: tensor<64x28x28x512xbf16>, %w: tensor<3x3x256x512xbf16>)
    -> (tensor<64x28x28x256xbf16>, tensor<3x3x256x512xbf16>) {
  %0 = lathe.conv_input_grad %dy, %w input [28, 28] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<64x28x28x512xbf16>, tensor<3x3x256x512xbf16>
  %1 = lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<64x28x28x256xbf16>, tensor<64x28x28x512xbf16>
  return %0, %1 : tensor<64x28x28x256xbf16>, tensor<3x3x256x512xbf16>
}

func.func @strided_gradient(%dy: tensor<64x28x28x256xbf16>, %w: tensor<3x3x128x256xbf16>) -> tensor<64x56x56x128xbf16> {
  %0 = lathe.conv_input_grad %dy, %w input [56, 56] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<64x28x28x256xbf16>, tensor<3x3x128x256xbf16>
  return %0 : tensor<64x56x56x128xbf16>
}

func.func @volume(%x: tensor<8x16x28x28x64xf16>, %w: tensor<3x3x3x64x128xf16>) -> tensor<8x16x28x28x128xf16> {
  %0 = lathe.conv %x, %w stride [1, 1, 1] pad same : tensor<8x16x28x28x64xf16>, tensor<3x3x3x64x128xf16>
  return %0 : tensor<8x16x28x28x128xf16>
}

func.func @singles(%x: tensor<64x28x28x256xf32>, %dy: tensor<64x28x28x512xf32>, %w: tensor<3x3x256x512xf32>)
    -> (tensor<64x28x28x512xf32>, tensor<64x28x28x256xf32>, tensor<3x3x256x512xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<64x28x28x256xf32>, tensor<3x3x256x512xf32>
  %1 = lathe.conv_input_grad %dy, %w input [28, 28] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<64x28x28x512xf32>, tensor<3x3x256x512xf32>
  %2 = lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<64x28x28x256xf32>, tensor<64x28x28x512xf32>
  return %0, %1, %2 : tensor<64x28x28x512xf32>, tensor<64x28x28x256xf32>, tensor<3x3x256x512xf32>
}
