func.func @layer(%x: tensor<?x9x9x4xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x4x16xf32>,
                 %v: tensor<16x8xf32>) -> tensor<?x8xf32> {
  %c = lathe.conv %x, %w stride [1, 1] pad same : tensor<?x9x9x4xf32>, tensor<3x3x4x16xf32>
  %t = lathe.tanh %c : tensor<?x9x9x16xf32>
  %s = lathe.reduce sum %t dims [1, 2] : tensor<?x9x9x16xf32>
  %p = lathe.dot_general %s, %v contract [1] x [0] : tensor<?x16xf32>, tensor<16x8xf32>
  return %p : tensor<?x8xf32>
}
