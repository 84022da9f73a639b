lathe.variable @count : tensor<2x2xi32> init #lathe.fill<7.0>

func.func @scale(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %by: tensor<f64>, %half: tensor<2xbf16>) -> tensor<?x3xf32> {
  %count = lathe.read @count : tensor<2x2xi32>
  %next = lathe.add %count, %count : tensor<2x2xi32>
  lathe.write @count, %next : tensor<2x2xi32>
  %f = lathe.convert %by to f32 : tensor<f64>
  %y = lathe.mul %x, %f : tensor<?x3xf32>, tensor<f32>
  return %y : tensor<?x3xf32>
}
