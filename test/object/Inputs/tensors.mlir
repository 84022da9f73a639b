lathe.variable @count : tensor<2x2xi32> init #lathe.fill<7.0>

func.func @scale(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %by: tensor<f64>, %half: tensor<2xbf16>) -> tensor<?x3xf32> {
  %count = lathe.read @count : tensor<2x2xi32>
  %next = lathe.add %count, %count : tensor<2x2xi32>
  lathe.write @count, %next : tensor<2x2xi32>
  %f = lathe.convert %by to f32 : tensor<f64>
  %y = lathe.mul %x, %f : tensor<?x3xf32>, tensor<f32>
  return %y : tensor<?x3xf32>
}
// A dimension by a word of Python's.
func.func @twice(%v: tensor<?xi16> {lathe.dims = #lathe.dims<lambda>}) -> tensor<?xi16> {
  %w = lathe.concatenate %v, %v dim 0 : tensor<?xi16>, tensor<?xi16>
  return %w : tensor<?xi16>
}
