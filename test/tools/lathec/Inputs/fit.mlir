lathe.variable @w : tensor<3xf32> init #lathe.fill<2.0>
lathe.variable @calls : tensor<i32> init #lathe.zeros

// The sum of w x, and a count of the calls.
func.func @loss(%x: tensor<3xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<3xf32>
  %calls = lathe.read @calls : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %more = lathe.add %calls, %one : tensor<i32>
  lathe.write @calls, %more : tensor<i32>
  %p = lathe.mul %w, %x : tensor<3xf32>
  %loss = lathe.reduce sum %p dims [0] : tensor<3xf32>
  return %loss : tensor<f32>
}

// Twice the loss, by a call.
func.func @through(%x: tensor<3xf32>) -> (tensor<f32>, tensor<i32>) {
  %calls = lathe.read @calls : tensor<i32>
  %loss = call @loss(%x) : (tensor<3xf32>) -> tensor<f32>
  %y = lathe.add %loss, %loss : tensor<f32>
  return %y, %calls : tensor<f32>, tensor<i32>
}

func.func @plain(%x: tensor<3xf32>) -> tensor<f32> {
  %loss = lathe.reduce sum %x dims [0] : tensor<3xf32>
  return %loss : tensor<f32>
}
