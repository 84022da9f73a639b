func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = lathe.add %x, %x : tensor<8xf32>
  return %a : tensor<8xf32>
}
