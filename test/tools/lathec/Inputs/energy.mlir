func.func @energy(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %k: tensor<f32>, %n: tensor<3xi32>) -> tensor<f32> {
  %y = lathe.mul %x, %x : tensor<?xf32>
  %s = lathe.reduce sum %y dims [0] : tensor<?xf32>
  %e = lathe.mul %s, %k : tensor<f32>
  return %e : tensor<f32>
}

func.func @pairs(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = lathe.exp %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @count(%n: tensor<3xi32>) -> tensor<f32> {
  %f = lathe.convert %n to f32 : tensor<3xi32>
  %s = lathe.reduce sum %f dims [0] : tensor<3xf32>
  return %s : tensor<f32>
}

func.func @taken(%x: tensor<f32>) -> tensor<f32> {
  %y = lathe.exp %x : tensor<f32>
  return %y : tensor<f32>
}

func.func @taken_grad(%x: tensor<f32>) -> tensor<f32> {
  %y = lathe.exp %x : tensor<f32>
  return %y : tensor<f32>
}
