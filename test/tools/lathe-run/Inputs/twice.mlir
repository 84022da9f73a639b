func.func private @square(%x: tensor<f32>) -> tensor<f32> {
  %y = lathe.mul %x, %x : tensor<f32>
  return %y : tensor<f32>
}
func.func @fourth(%x: tensor<f32>) -> tensor<f32> {
  %a = call @square(%x) : (tensor<f32>) -> tensor<f32>
  %b = call @square(%a) : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}
