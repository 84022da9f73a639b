func.func @two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lathe.exp %x : tensor<4xf32>
  %z = lathe.neg %y : tensor<4xf32>
  return %z : tensor<4xf32>
}
