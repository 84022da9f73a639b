// Tiles, versions, threads and the levels that have FMA do not change a bit; what is fused behind the sums is done in the tile.
// REQUIRES: x86-64-v4
// RUN: lathe-run %s data --random --dim N=13 --output x=@%t.x.npy --output dy=@%t.dy.npy
// RUN: lathe-run %s layer --input x=@%t.x.npy --input dy=@%t.dy.npy --random --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s layer --input x=@%t.x.npy --input dy=@%t.dy.npy --random --output y=@%t.y.npy --output p=@%t.p.npy --output dw=@%t.dw.npy
// RUN: lathe-run %s layer --input x=@%t.x.npy --input dy=@%t.dy.npy --random --specialize N=13 --expect y=@%t.y.npy --expect p=@%t.p.npy --expect dw=@%t.dw.npy --rtol 0 --atol 0
// RUN: lathe-run %s layer --input x=@%t.x.npy --input dy=@%t.dy.npy --random --threads 3 --expect y=@%t.y.npy --expect p=@%t.p.npy --expect dw=@%t.dw.npy --rtol 0 --atol 0
// RUN: lathe-run %s layer --input x=@%t.x.npy --input dy=@%t.dy.npy --random --target x86-64-v3 --expect y=@%t.y.npy --expect p=@%t.p.npy --expect dw=@%t.dw.npy --rtol 0 --atol 0
// RUN: lathe-run %s depthwise --input x=@%t.x.npy --random --output d=@%t.d.npy --output dx=@%t.dx.npy --output du=@%t.du.npy
// RUN: lathe-run %s depthwise --input x=@%t.x.npy --random --target x86-64-v3 --expect d=@%t.d.npy --expect dx=@%t.dx.npy --expect du=@%t.du.npy --rtol 0 --atol 0

func.func @data(%a: tensor<?x12x11x18xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x12x11x40xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x12x11x18xf32> {lathe.name = "x"}, tensor<?x12x11x40xf32> {lathe.name = "dy"}) {
  %0 = lathe.neg %a : tensor<?x12x11x18xf32>
  %1 = lathe.neg %b : tensor<?x12x11x40xf32>
  return %0, %1 : tensor<?x12x11x18xf32>, tensor<?x12x11x40xf32>
}

func.func @layer(%x: tensor<?x12x11x18xf32> {lathe.dims = #lathe.dims<N>}, %dy: tensor<?x12x11x40xf32> {lathe.dims = #lathe.dims<N>},
                 %w: tensor<3x3x18x40xf32>, %b: tensor<40xf32>)
    -> (tensor<?x12x11x40xf32> {lathe.name = "y"}, tensor<?x12x11x40xi1> {lathe.name = "p"}, tensor<3x3x18x40xf32> {lathe.name = "dw"}) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %rate = lathe.constant dense<0.01> : tensor<f32>
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<?x12x11x18xf32>, tensor<3x3x18x40xf32>
  %1 = lathe.add %0, %b : tensor<?x12x11x40xf32>, tensor<40xf32>
  %2 = lathe.compare gt %1, %zero : tensor<?x12x11x40xf32>, tensor<f32>
  %3 = lathe.select %2, %1, %zero : tensor<?x12x11x40xi1>, tensor<?x12x11x40xf32>, tensor<f32>
  %4 = lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x12x11x18xf32>, tensor<?x12x11x40xf32>
  %5 = lathe.mul %4, %rate : tensor<3x3x18x40xf32>, tensor<f32>
  return %3, %2, %5 : tensor<?x12x11x40xf32>, tensor<?x12x11x40xi1>, tensor<3x3x18x40xf32>
}

func.func @depthwise(%x: tensor<?x12x11x18xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x5x1x18xf32>)
    -> (tensor<?x12x11x18xf32> {lathe.name = "d"}, tensor<?x12x11x18xf32> {lathe.name = "dx"}, tensor<3x5x1x18xf32> {lathe.name = "du"}) {
  %0 = lathe.conv %x, %w stride [1, 1] pad same groups 18 : tensor<?x12x11x18xf32>, tensor<3x5x1x18xf32>
  %1 = lathe.conv_input_grad %x, %w input [12, 11] stride [1, 1] pad [[1, 1], [2, 2]] groups 18 : tensor<?x12x11x18xf32>, tensor<3x5x1x18xf32>
  %2 = lathe.conv_filter_grad %x, %0 filter [3, 5] stride [1, 1] pad [[1, 1], [2, 2]] groups 18 : tensor<?x12x11x18xf32>, tensor<?x12x11x18xf32>
  return %0, %1, %2 : tensor<?x12x11x18xf32>, tensor<?x12x11x18xf32>, tensor<3x5x1x18xf32>
}
