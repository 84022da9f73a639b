// A layer, whose function takes the sizes of its caller.
lathe.variable @w : tensor<8x4xf32> init #lathe.he_normal

func.func private @layer(%x: tensor<?x8xf32>) -> tensor<?x4xf32> {
  %w = lathe.read @w : tensor<8x4xf32>
  %z = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x8xf32>, tensor<8x4xf32>
  return %z : tensor<?x4xf32>
}

func.func @predict(%x: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x4xf32> {
  %z = call @layer(%x) : (tensor<?x8xf32>) -> tensor<?x4xf32>
  %p = lathe.std.softmax %z dim 1 : tensor<?x4xf32>
  %r:2 = lathe.scan carry(%s = %p : tensor<?x4xf32>) trip 3 -> (tensor<?x4xf32>, tensor<3x?x4xf32>) {
    %t = lathe.add %s, %p : tensor<?x4xf32>
    lathe.yield carry(%t : tensor<?x4xf32>) collect(%t : tensor<?x4xf32>)
  }
  %sum = lathe.reduce sum %r#1 dims [0, 1] : tensor<3x?x4xf32>
  %last = lathe.mul %r#0, %sum : tensor<?x4xf32>, tensor<4xf32>
  return %last : tensor<?x4xf32>
}
