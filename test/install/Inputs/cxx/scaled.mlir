func.func @scaled(%x: tensor<f32>, %k: tensor<f32>) -> (tensor<f32> {lathe.name = "y"}) {
  %y = lathe.mul %x, %k : tensor<f32>
  return %y : tensor<f32>
}
func.func @number(%x: tensor<f32>) -> (tensor<f32> {lathe.name = "y"}) {
  return %x : tensor<f32>
}
