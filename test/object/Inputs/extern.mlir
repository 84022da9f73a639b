lathe.variable @calls : tensor<i64> init #lathe.zeros

// The variable has its new value before the call that may fail.
func.func @step(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %calls = lathe.read @calls : tensor<i64>
  %one = lathe.constant dense<1> : tensor<i64>
  %next = lathe.add %calls, %one : tensor<i64>
  lathe.write @calls, %next : tensor<i64>
  %half = lathe.constant dense<0.5> : tensor<f32>
  %y = lathe.mul %x, %half : tensor<?xf32>, tensor<f32>
  %z = lathe.extern @judge(%y, %next) dims [N] : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
