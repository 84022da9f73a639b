func.func @twice(%x: tensor<8xf32>) -> (tensor<8xf32> {lathe.name = "y"}) {
  %y = lathe.add %x, %x : tensor<8xf32>
  return %y : tensor<8xf32>
}
