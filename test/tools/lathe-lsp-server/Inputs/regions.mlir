func.func @first(%x: tensor<4xf32>, %by: tensor<f64>) -> tensor<4xf32> {
  %r = lathe.scan carry(%s = %x : tensor<4xf32>) trip 3 -> tensor<4xf32> {
    %k = lathe.convert %by to f32 : tensor<f64>
    %t = lathe.mul %s, %k : tensor<4xf32>, tensor<f32>
    lathe.yield carry(%t : tensor<4xf32>)
  }
  return %r : tensor<4xf32>
}
func.func @second(%x: tensor<2xi32>) -> tensor<2xi32> {
  %r = lathe.neg %x : tensor<2xi32>
  return %r : tensor<2xi32>
}
