func.func @f(%x-in: tensor<8xf32>) -> tensor<8xf32> {
  %a-b = lathe.neg %x-in : tensor<8xf32>
  %a = lathe.exp %a-b : tensor<8xf32>
  return %a : tensor<8xf32>
}
