func.func @shared(%x: tensor<64x32xf32>, %y: tensor<1x8x8x32xf32>) -> (tensor<1x8x8x32xf32>, tensor<1x8x8x32xf32>, tensor<1x8x8x32xf32>) {
  %w = lathe.constant dense<0.5> : tensor<32x32xf32>
  %k = lathe.constant dense<0.5> : tensor<3x3x1x32xf32>
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<64x32xf32>, tensor<32x32xf32>
  %1 = lathe.reshape %0 to [1, 8, 8, 32] : tensor<64x32xf32>
  %2 = lathe.conv %1, %k stride [1, 1] pad [[1, 1], [1, 1]] groups 32 : tensor<1x8x8x32xf32>, tensor<3x3x1x32xf32>
  %3 = lathe.exp %y : tensor<1x8x8x32xf32>
  %4 = lathe.conv %3, %k stride [1, 1] pad [[1, 1], [1, 1]] groups 32 : tensor<1x8x8x32xf32>, tensor<3x3x1x32xf32>
  return %1, %2, %4 : tensor<1x8x8x32xf32>, tensor<1x8x8x32xf32>, tensor<1x8x8x32xf32>
}
