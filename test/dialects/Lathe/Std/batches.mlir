// RUN: lathe-run %s values --random --check | FileCheck %s
// RUN: lathe-run %s slopes --random --check | FileCheck %s
// Composites with loops, and with derivatives of their own, of each element of a batch: as one by one. Each takes its own steps.
// CHECK: {{max 0|max [0-9.]+e-1[4-9]}}

func.func private @balance(%x: tensor<2xf64>, %load: tensor<2xf64>) -> tensor<2xf64> {
  %square = lathe.mul %x, %x : tensor<2xf64>
  %cube = lathe.mul %square, %x : tensor<2xf64>
  %other = lathe.reverse %x dims [0] : tensor<2xf64>
  %sum = lathe.add %cube, %other : tensor<2xf64>
  %left = lathe.sub %sum, %load : tensor<2xf64>
  return %left : tensor<2xf64>
}
func.func private @one(%load: tensor<2xf64>, %x: tensor<3x1x2xf64>, %w: tensor<8x2xf64>, %r: tensor<8x2xf64>) -> tensor<f64> {
  %start = lathe.constant dense<[1.0, 3.0]> : tensor<2xf64>
  %two = lathe.constant dense<4.0> : tensor<f64>
  %much = lathe.add %load, %two : tensor<2xf64>, tensor<f64>
  %root, %steps = lathe.std.newton %start with %much function @balance tolerance 1.0e-12 : tensor<2xf64>
  %ys, %h, %c = lathe.std.lstm %x, %w, %r : tensor<3x1x2xf64>, tensor<8x2xf64>, tensor<8x2xf64>
  %flat = lathe.reshape %h to [2] : tensor<1x2xf64>
  %product = lathe.mul %root, %flat : tensor<2xf64>
  %sum = lathe.std.sum %product : tensor<2xf64>
  return %sum : tensor<f64>
}
func.func private @slope(%load: tensor<2xf64>, %x: tensor<3x1x2xf64>, %w: tensor<8x2xf64>, %r: tensor<8x2xf64>) -> tensor<2xf64> {
  %y, %dy = lathe.value_and_grad @one(%load, %x, %w, %r) wrt [0] : (tensor<2xf64>, tensor<3x1x2xf64>, tensor<8x2xf64>, tensor<8x2xf64>) -> (tensor<f64>, tensor<2xf64>)
  return %dy : tensor<2xf64>
}
func.func @values(%loads: tensor<5x2xf64>, %xs: tensor<5x3x1x2xf64>, %w: tensor<8x2xf64>, %r: tensor<8x2xf64>) -> tensor<5xf64> {
  %batch = lathe.vmap @one(%loads, %xs, %w, %r) in [0, 0, none, none] : (tensor<5x2xf64>, tensor<5x3x1x2xf64>, tensor<8x2xf64>, tensor<8x2xf64>) -> tensor<5xf64>
  %single = lathe.scan over(%load = %loads : tensor<5x2xf64>, %x = %xs : tensor<5x3x1x2xf64>) -> tensor<5xf64> {
    %y = func.call @one(%load, %x, %w, %r) : (tensor<2xf64>, tensor<3x1x2xf64>, tensor<8x2xf64>, tensor<8x2xf64>) -> tensor<f64>
    lathe.yield collect(%y : tensor<f64>)
  }
  %difference = lathe.sub %batch, %single : tensor<5xf64>
  %size = lathe.abs %difference : tensor<5xf64>
  return %size : tensor<5xf64>
}
func.func @slopes(%loads: tensor<5x2xf64>, %xs: tensor<5x3x1x2xf64>, %w: tensor<8x2xf64>, %r: tensor<8x2xf64>) -> tensor<5x2xf64> {
  %batch = lathe.vmap @slope(%loads, %xs, %w, %r) in [0, 0, none, none] : (tensor<5x2xf64>, tensor<5x3x1x2xf64>, tensor<8x2xf64>, tensor<8x2xf64>) -> tensor<5x2xf64>
  %single = lathe.scan over(%load = %loads : tensor<5x2xf64>, %x = %xs : tensor<5x3x1x2xf64>) -> tensor<5x2xf64> {
    %y = func.call @slope(%load, %x, %w, %r) : (tensor<2xf64>, tensor<3x1x2xf64>, tensor<8x2xf64>, tensor<8x2xf64>) -> tensor<2xf64>
    lathe.yield collect(%y : tensor<2xf64>)
  }
  %difference = lathe.sub %batch, %single : tensor<5x2xf64>
  %size = lathe.abs %difference : tensor<5x2xf64>
  return %size : tensor<5x2xf64>
}
