// lathec 0.1.0 test/gpu/no-driver.test.mlir --target=cuda:sm_90 --ptxas=/nowhere/ptxas -o /tmp/x.o
func.func @double(%x: tensor<4xf32>) -> (tensor<4xf32> {lathe.name = "y"}) {
  %y = lathe.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
