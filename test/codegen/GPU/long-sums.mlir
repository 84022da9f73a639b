// Tensor cores cut their sums off towards zero: over a long depth of positive numbers that shows, unless steps are added by
// themselves. The largest difference from f64, of the largest result.
// RUN: %cuda lathe-run %s long --random --target=cuda:sm_90 --expect off=0 --atol 1.5e-6
func.func @long(%x: tensor<16x2000xf32>, %y: tensor<2000x16xf32>) -> (tensor<f64> {lathe.name = "off"}) {
  %a = lathe.abs %x : tensor<16x2000xf32>
  %b = lathe.abs %y : tensor<2000x16xf32>
  %r = lathe.dot_general %a, %b contract [1] x [0] : tensor<16x2000xf32>, tensor<2000x16xf32>
  %c = lathe.convert %a to f64 : tensor<16x2000xf32>
  %d = lathe.convert %b to f64 : tensor<2000x16xf32>
  %w = lathe.dot_general %c, %d contract [1] x [0] : tensor<16x2000xf64>, tensor<2000x16xf64>
  %s = lathe.convert %r to f64 : tensor<16x16xf32>
  %off = lathe.sub %s, %w : tensor<16x16xf64>
  %size = lathe.abs %off : tensor<16x16xf64>
  %most = lathe.reduce max %size dims [0, 1] : tensor<16x16xf64>
  %largest = lathe.reduce max %w dims [0, 1] : tensor<16x16xf64>
  %error = lathe.div %most, %largest : tensor<f64>
  return %error : tensor<f64>
}
