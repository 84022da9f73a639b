func.func @double(%x: tensor<4xf32>) -> (tensor<4xf32> {lathe.name = "y"}) {
  %y = lathe.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
