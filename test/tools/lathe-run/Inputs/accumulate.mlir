lathe.variable @total : tensor<7xf32> init #lathe.normal<0.0, 1.0>
lathe.variable @steps : tensor<i32> init #lathe.zeros
func.func @add(%x: tensor<7x4099xf32>) -> tensor<i32> {
  %old = lathe.read @total : tensor<7xf32>
  %sum = lathe.reduce sum %x dims [1] : tensor<7x4099xf32>
  %new = lathe.add %old, %sum : tensor<7xf32>
  lathe.write @total, %new : tensor<7xf32>
  %steps = lathe.read @steps : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %count = lathe.add %steps, %one : tensor<i32>
  lathe.write @steps, %count : tensor<i32>
  return %count : tensor<i32>
}
