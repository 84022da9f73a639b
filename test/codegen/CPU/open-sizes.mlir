// Open heights and widths under strides, windows, steps and pads: compiled code against the interpreter, and the same bits from
// the general version, a specialised one and several threads. Sizes are odd, even, and as small as the ops allow.
// RUN: lathe-run %s data --random --dim H=2 --dim W=3 --output x=@%t.2.npy
// RUN: lathe-run %s data --random --dim H=7 --dim W=10 --output x=@%t.7.npy
// RUN: lathe-run %s data --random --dim H=16 --dim W=13 --output x=@%t.16.npy
// RUN: lathe-run %s net --input x=@%t.2.npy --random --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s net --input x=@%t.7.npy --random --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s net --input x=@%t.7.npy --random --check --rtol 1e-4 --atol 1e-5 -O 0
// RUN: lathe-run %s net --input x=@%t.16.npy --random --check --rtol 1e-4 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s net --input x=@%t.16.npy --random --save %t.save
// RUN: lathe-run %s net --input x=@%t.16.npy --random --threads 3 --expect loss=@%t.save/out-loss.npy --expect dx=@%t.save/out-dx.npy --expect dw=@%t.save/out-dw.npy --expect dv=@%t.save/out-dv.npy --rtol 0 --atol 0
// RUN: lathe-run %s net --input x=@%t.16.npy --random --specialize H=16 --specialize W=13 --expect loss=@%t.save/out-loss.npy --expect dx=@%t.save/out-dx.npy --expect dw=@%t.save/out-dw.npy --expect dv=@%t.save/out-dv.npy --rtol 0 --atol 0
// RUN: lathe-run %s net --random --dim H=6 --dim W=9 --gradcheck
// RUN: lathe-run %s second --random --dim H=6 --dim W=9 --gradcheck
// RUN: lathe-run %s slopes --random --dim H=1 --dim W=2 --specialize H=9 --check
// RUN: lathe-run %s slopes --random --dim H=7 --dim W=10 --specialize H=9 --check
// RUN: lathe-run %s slopes --random --dim H=8 --dim W=9 --specialize H=9 --check
// RUN: lathe-run %s slopes --random --dim H=8 --dim W=9 --gradcheck
// RUN: lathe-run %s places --random --dim H=1 --dim W=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s places --input x=@%t.7.npy --check --rtol 0 --atol 0
// RUN: lathe-run %s places --input x=@%t.7.npy --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s places --input x=@%t.16.npy --check --rtol 0 --atol 0
// RUN: lathe-run %s batch --input x=@%t.7.npy --random --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s batch --input x=@%t.16.npy --random --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s taps --random --dim N=4 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s taps --random --dim N=9 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s data --random --dim H=4 --dim W=0 --output x=@%t.0.npy
// RUN: lathe-run %s plain --input x=@%t.0.npy --random | FileCheck %s --check-prefix=EMPTY
// RUN: lathe-run %s plain --input x=@%t.7.npy --random --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s halves --random --dim N=41 --input i=2 --check --rtol 0 --atol 0
// RUN: lathe-run %s halves --random --dim N=41 --input i=9 --check --rtol 0 --atol 0
// EMPTY: mix: f32[2][4][0][6] empty

func.func @data(%a: tensor<2x?x?x3xf32> {lathe.dims = #lathe.dims<H, W>}) -> (tensor<2x?x?x3xf32> {lathe.name = "x"}) {
  %0 = lathe.neg %a : tensor<2x?x?x3xf32>
  return %0 : tensor<2x?x?x3xf32>
}

// Down by a strided convolution and a pooling, up by a transposed convolution, cropped to the size that it began with.
func.func private @error(%x: tensor<2x?x?x3xf32>, %w: tensor<3x3x3x5xf32>, %v: tensor<4x4x3x5xf32>) -> tensor<f32> {
  %down = lathe.conv %x, %w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<2x?x?x3xf32>, tensor<3x3x3x5xf32>
  %pool = lathe.reduce_window max %down window [1, 2, 1, 1] stride [1, 2, 1, 1] pad [[0, 0], [0, 1], [0, 0], [0, 0]] : tensor<2x?x?x5xf32>
  %holes = lathe.conv_input_grad %pool, %v input [4 * floor_div(ceil_div(H, 2) + 1, 2), 2 * ceil_div(W, 2)] stride [4, 2] pad [[0, 0], [1, 1]] : tensor<2x?x?x5xf32>, tensor<4x4x3x5xf32>
  %up = lathe.slice %holes from [0, 0, 0, 0] to [2, H, W, 3] : tensor<2x?x?x3xf32>
  %gap = lathe.sub %up, %x : tensor<2x?x?x3xf32>
  %square = lathe.mul %gap, %gap : tensor<2x?x?x3xf32>
  %sum = lathe.reduce sum %square dims [0, 1, 2, 3] : tensor<2x?x?x3xf32>
  return %sum : tensor<f32>
}
func.func @net(%x: tensor<2x?x?x3xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<3x3x3x5xf32>, %v: tensor<4x4x3x5xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<2x?x?x3xf32> {lathe.name = "dx"}, tensor<3x3x3x5xf32> {lathe.name = "dw"}, tensor<4x4x3x5xf32> {lathe.name = "dv"}) {
  %loss, %dx, %dw, %dv = lathe.value_and_grad @error(%x, %w, %v) wrt [0, 1, 2]
      : (tensor<2x?x?x3xf32>, tensor<3x3x3x5xf32>, tensor<4x4x3x5xf32>) -> (tensor<f32>, tensor<2x?x?x3xf32>, tensor<3x3x3x5xf32>, tensor<4x4x3x5xf32>)
  return %loss, %dx, %dw, %dv : tensor<f32>, tensor<2x?x?x3xf32>, tensor<3x3x3x5xf32>, tensor<4x4x3x5xf32>
}

// The slope of a gradient's length: second order.
func.func private @length(%x: tensor<2x?x?x3xf32>, %w: tensor<3x3x3x5xf32>, %v: tensor<4x4x3x5xf32>) -> tensor<f32> {
  %loss, %dw = lathe.value_and_grad @error(%x, %w, %v) wrt [1] : (tensor<2x?x?x3xf32>, tensor<3x3x3x5xf32>, tensor<4x4x3x5xf32>) -> (tensor<f32>, tensor<3x3x3x5xf32>)
  %square = lathe.mul %dw, %dw : tensor<3x3x3x5xf32>
  %sum = lathe.reduce sum %square dims [0, 1, 2, 3] : tensor<3x3x3x5xf32>
  return %sum : tensor<f32>
}
func.func @second(%x: tensor<2x?x?x3xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<3x3x3x5xf32>, %v: tensor<4x4x3x5xf32>) -> tensor<2x?x?x3xf32> {
  %length, %dx = lathe.value_and_grad @length(%x, %w, %v) wrt [0] : (tensor<2x?x?x3xf32>, tensor<3x3x3x5xf32>, tensor<4x4x3x5xf32>) -> (tensor<f32>, tensor<2x?x?x3xf32>)
  return %dx : tensor<2x?x?x3xf32>
}

// Elements that no window of a sum reaches, one or two for some sizes, have a cotangent of 0.
func.func private @windows(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sums = lathe.reduce_window sum %x window [2, 3] stride [3, 2] pad [[2, 1], [1, 0]] dilation [2, 1] : tensor<?x?xf32>
  return %sums : tensor<?x?xf32>
}
func.func @slopes(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<H, W>}, %c: tensor<?x?xf32> {lathe.dims = #lathe.dims<floor_div(H, 3) + 1, floor_div(W, 2)>}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %sums, %dx = lathe.vjp @windows(%x) cotangents(%c) wrt [0] : (tensor<?x?xf32>), (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
  return %sums, %dx : tensor<?x?xf32>, tensor<?x?xf32>
}

// Ops that only move elements: steps, starts and pads that are sizes, extremes of sizes.
func.func @places(%x: tensor<2x?x?x3xf32> {lathe.dims = #lathe.dims<H, W>}) -> (tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xi32>, tensor<2x?x?x3xi32>) {
  %minus = lathe.constant dense<-1.0> : tensor<f32>
  %steps = lathe.slice %x from [0, 0, floor_div(W, 2), 0] to [2, H, W, 3] step [1, 3, 2, 1] : tensor<2x?x?x3xf32>
  %blocks = lathe.pad %x, %minus low [0, floor_div(H, 3), 0, 0] high [0, 0, 8 * ceil_div(W, 8) -1 * W, 0] : tensor<2x?x?x3xf32>, tensor<f32>
  %few = lathe.slice %x from [0, 0, max(W -4, 0), 0] to [2, min(H, 5), W, 3] : tensor<2x?x?x3xf32>
  %spread = lathe.pad %x, %minus low [0, 0, 0, 0] high [0, 0, 1, 0] interior [0, 2, 1, 0] : tensor<2x?x?x3xf32>, tensor<f32>
  %largest = lathe.top_k %x dim 1 count ceil_div(H, 2) : tensor<2x?x?x3xf32>
  %smallest = lathe.top_k %x dim 2 count min(W, 2) smallest : tensor<2x?x?x3xf32>
  return %steps, %blocks, %few, %spread, %largest, %smallest
    : tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xf32>, tensor<2x?x?x3xi32>, tensor<2x?x?x3xi32>
}

// A batch in which each element has a filter of its own.
func.func private @one(%x: tensor<?x?x3xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<3x3x3x4xf32>) -> tensor<?x?x4xf32> {
  %image = lathe.reshape %x to [1, H, W, 3] : tensor<?x?x3xf32>
  %conv = lathe.conv %image, %w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x?x?x3xf32>, tensor<3x3x3x4xf32>
  %pool = lathe.reduce_window max %conv window [1, 2, 2, 1] stride [1, 2, 1, 1] pad [[0, 0], [1, 0], [1, 0], [0, 0]] : tensor<1x?x?x4xf32>
  %rows = lathe.slice %pool from [0, 0, 0, 0] to [1, floor_div(ceil_div(H, 2) + 1, 2), ceil_div(W, 2), 4] step [1, 2, 1, 1] : tensor<1x?x?x4xf32>
  %y = lathe.reshape %rows to [ceil_div(floor_div(ceil_div(H, 2) + 1, 2), 2), ceil_div(W, 2), 4] : tensor<1x?x?x4xf32>
  return %y : tensor<?x?x4xf32>
}
func.func @batch(%x: tensor<2x?x?x3xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<2x3x3x3x4xf32>) -> tensor<2x?x?x4xf32> {
  %y = lathe.vmap @one(%x, %w) in [0, 0] : (tensor<2x?x?x3xf32>, tensor<2x3x3x3x4xf32>) -> tensor<2x?x?x4xf32>
  return %y : tensor<2x?x?x4xf32>
}

// Convolutions whose lines may have no outputs; the second one meets no more than each output's own place.
func.func @plain(%x: tensor<2x?x?x3xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<3x3x3x5xf32>, %v: tensor<1x1x5x6xf32>) -> tensor<2x?x?x6xf32> {
  %conv = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x?x?x3xf32>, tensor<3x3x3x5xf32>
  %mix = lathe.conv %conv, %v stride [1, 1] pad valid : tensor<2x?x?x5xf32>, tensor<1x1x5x6xf32>
  return %mix : tensor<2x?x?x6xf32>
}

// A quotient of a quotient is a third one, which no type has.
func.func @halves(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %i: tensor<i64>) -> (tensor<?xf32> {lathe.name = "y"}) {
  %four = lathe.slice %x from [0] to [floor_div(N, 4)] : tensor<?xf32>
  %eight = lathe.slice %x from [0] to [floor_div(N, 8)] : tensor<?xf32>
  %twice = lathe.add %eight, %eight : tensor<?xf32>
  %y = lathe.dynamic_update_slice %four, %twice [%i] : tensor<?xf32>, tensor<?xf32>, (tensor<i64>)
  return %y : tensor<?xf32>
}

// A batch of images along its height, whose gradients' height is a difference of quotients: each tap meets so many places.
func.func private @filter(%x: tensor<6x?x4xf32> {lathe.dims = #lathe.dims<N>},
                          %y: tensor<6x?x1xf32> {lathe.dims = #lathe.dims<floor_div(N, 2) - 1>}) -> tensor<3x4x1xf32> {
  %w = lathe.conv_filter_grad %x, %y filter [3] stride [2] pad [[1, 0]] dilation [2] groups 1 : tensor<6x?x4xf32>, tensor<6x?x1xf32>
  return %w : tensor<3x4x1xf32>
}
func.func @taps(%x: tensor<6x?x?x4xf32> {lathe.dims = #lathe.dims<N, N>},
                %y: tensor<6x?x1xf32> {lathe.dims = #lathe.dims<floor_div(N, 2) - 1>}) -> tensor<?x3x4x1xf32> {
  %w = lathe.vmap @filter(%x, %y) in [1, none] : (tensor<6x?x?x4xf32>, tensor<6x?x1xf32>) -> tensor<?x3x4x1xf32>
  return %w : tensor<?x3x4x1xf32>
}
