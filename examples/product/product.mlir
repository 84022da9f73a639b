// The smallest program: a product, and its slopes by both factors.
func.func @product(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %c = lathe.mul %a, %b : tensor<f32>
  return %c : tensor<f32>
}

func.func @slopes(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %c, %dc_da, %dc_db = lathe.value_and_grad @product(%a, %b) wrt [0, 1]
      : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %c, %dc_da, %dc_db : tensor<f32>, tensor<f32>, tensor<f32>
}
