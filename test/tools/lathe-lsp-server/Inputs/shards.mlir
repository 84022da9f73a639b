lathe.variable @wide : tensor<8x16xf32> init #lathe.normal<0.0, 0.08> {lathe.shard = ["", "model"]}
lathe.variable @whole : tensor<4xf32> init #lathe.zeros {lathe.shard = [""]}
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x16xf32> {
  %w = lathe.read @wide : tensor<8x16xf32>
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<4x8xf32>, tensor<8x16xf32>
  return %y : tensor<4x16xf32>
}
