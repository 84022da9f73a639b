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

// A thread adds up in chains: equal terms, whose rounding errors all point one way, over rows that eight threads share and in rows that
// do not fit registers. One sum of a thread would be off by 1e-5.
// RUN: lathe-run %s data --random --dim N=3 --output of_x=@%t.x.npy --output of_y=@%t.y.npy
// RUN: %cuda lathe-run %s equal --input x=@%t.x.npy --input y=@%t.y.npy --input c=1.1 --target=cuda:sm_90 --expect down=0 --expect along=0 --atol 6e-7
func.func @data(%x: tensor<20000x?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x400001xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<20000x?xf32> {lathe.name = "of_x"}, tensor<?x400001xf32> {lathe.name = "of_y"}) {
  %0 = lathe.neg %x : tensor<20000x?xf32>
  %1 = lathe.neg %y : tensor<?x400001xf32>
  return %0, %1 : tensor<20000x?xf32>, tensor<?x400001xf32>
}
func.func @equal(%x: tensor<20000x?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x400001xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "down"}, tensor<f64> {lathe.name = "along"}) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<20000x?xf32>, tensor<f32>
  %cx = lathe.add %zx, %c : tensor<20000x?xf32>, tensor<f32>
  %sx = lathe.reduce sum %cx dims [0] : tensor<20000x?xf32>
  %dx = lathe.convert %sx to f64 : tensor<?xf32>
  %double = lathe.convert %c to f64 : tensor<f32>
  %nx = lathe.constant dense<20000.0> : tensor<f64>
  %wx = lathe.mul %double, %nx : tensor<f64>
  %qx = lathe.div %dx, %wx : tensor<?xf64>, tensor<f64>
  %one = lathe.constant dense<1.0> : tensor<f64>
  %ox = lathe.sub %qx, %one : tensor<?xf64>, tensor<f64>
  %ex = lathe.abs %ox : tensor<?xf64>
  %down = lathe.reduce max %ex dims [0] : tensor<?xf64>
  %zy = lathe.mul %y, %zero : tensor<?x400001xf32>, tensor<f32>
  %cy = lathe.add %zy, %c : tensor<?x400001xf32>, tensor<f32>
  %sy = lathe.reduce sum %cy dims [1] : tensor<?x400001xf32>
  %ry = lathe.broadcast %sy dims [0] to [N, 400001] : tensor<?xf32>
  %share = lathe.div %cy, %ry : tensor<?x400001xf32>
  %first = lathe.slice %share from [0, 0] to [N, 1] : tensor<?x400001xf32>
  %dy = lathe.convert %first to f64 : tensor<?x1xf32>
  %ny = lathe.constant dense<400001.0> : tensor<f64>
  %py = lathe.mul %dy, %ny : tensor<?x1xf64>, tensor<f64>
  %oy = lathe.sub %py, %one : tensor<?x1xf64>, tensor<f64>
  %ey = lathe.abs %oy : tensor<?x1xf64>
  %along = lathe.reduce max %ey dims [0, 1] : tensor<?x1xf64>
  return %down, %along : tensor<f64>, tensor<f64>
}
