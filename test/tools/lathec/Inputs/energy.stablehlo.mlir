module @energy {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<f32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3xf32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<f32>
    return %2 : tensor<f32>
  }
}
