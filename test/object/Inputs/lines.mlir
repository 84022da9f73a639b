func.func @layer(%x: tensor<?x9x9x4xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x4x16xf32>,
                 %v: tensor<16x8xf32>) -> tensor<?x8xf32> {
  %c = lathe.conv %x, %w stride [1, 1] pad same : tensor<?x9x9x4xf32>, tensor<3x3x4x16xf32>
  %t = lathe.tanh %c : tensor<?x9x9x16xf32>
  %s = lathe.reduce sum %t dims [1, 2] : tensor<?x9x9x16xf32>
  %p = lathe.dot_general %s, %v contract [1] x [0] : tensor<?x16xf32>, tensor<16x8xf32>
  return %p : tensor<?x8xf32>
}
func.func @loop(%xs: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>}, %h0: tensor<64xf32>) -> tensor<64xf32> {
  %last = lathe.scan carry(%h = %h0 : tensor<64xf32>) over(%x = %xs : tensor<?x64xf32>) -> tensor<64xf32> {
    %s = lathe.sin %h : tensor<64xf32>
    %next = lathe.add %s, %x : tensor<64xf32>
    lathe.yield carry(%next : tensor<64xf32>)
  }
  return %last : tensor<64xf32>
}
