func.func @f(%double: tensor<8xf32>) -> tensor<8xf32> {
  %a = lathe.add %double, %double {note = "😀"} : tensor<8xf32>
  return %a : tensor<8xf32>
}
