// A U-Net's training with a named batch and image: sides that are not multiples of four, joined by padding. Derivatives to the second
// order by differences; three steps of Adam have the losses and variables of fixed sizes bit by bit, in the general version, in
// specialised ones, and on two threads.
// RUN: rm -rf %t.* && mkdir -p %t.fixed %t.open %t.threads %t.special && lathe-run %s data --random --dim N=3 --dim H=11 --dim W=22 --output image=@%t.image.npy --output mask=@%t.mask.npy
// RUN: lathe-run %s train --input image=@%t.image.npy --input mask=@%t.mask.npy --dim N=3 --dim H=11 --dim W=22 --save %t.fixed --save-state %t.fixed/state
// RUN: lathe-run %s train --input image=@%t.image.npy --input mask=@%t.mask.npy --save %t.open --save-state %t.open/state && diff -r %t.fixed %t.open
// RUN: lathe-run %s train --input image=@%t.image.npy --input mask=@%t.mask.npy --threads 2 --save %t.threads --save-state %t.threads/state && diff -r %t.fixed %t.threads
// RUN: lathe-run %s train --input image=@%t.image.npy --input mask=@%t.mask.npy --specialize N=3 --specialize H=11 --specialize W=22 --threads 2 --save %t.special --save-state %t.special/state && diff -r %t.fixed %t.special
// RUN: lathe-run %s train --input image=@%t.image.npy --input mask=@%t.mask.npy --check --rtol 1e-3 --atol 1e-5
// RUN: lathe-run %s train --random --dim N=2 --dim H=6 --dim W=9 --gradcheck
// RUN: lathe-run %s second --random --dim N=1 --dim H=5 --dim W=6 --gradcheck

lathe.variable @first.w : tensor<3x3x3x8xf32> init #lathe.glorot_uniform
lathe.variable @first.b : tensor<8xf32> init #lathe.zeros
lathe.variable @down.w : tensor<3x3x8x12xf32> init #lathe.glorot_uniform
lathe.variable @down.b : tensor<12xf32> init #lathe.zeros
lathe.variable @middle.w : tensor<3x3x12x16xf32> init #lathe.glorot_uniform
lathe.variable @up.w : tensor<2x2x12x16xf32> init #lathe.glorot_uniform
lathe.variable @joined.w : tensor<3x3x24x12xf32> init #lathe.glorot_uniform
lathe.variable @joined.b : tensor<12xf32> init #lathe.zeros
lathe.variable @top.w : tensor<3x3x8x12xf32> init #lathe.glorot_uniform
lathe.variable @last.w : tensor<1x1x16x2xf32> init #lathe.glorot_uniform
lathe.variable @last.b : tensor<2xf32> init #lathe.zeros

func.func @data(%a: tensor<?x?x?x3xf32> {lathe.dims = #lathe.dims<N, H, W>}, %b: tensor<?x?x?x2xf32> {lathe.dims = #lathe.dims<N, H, W>})
    -> (tensor<?x?x?x3xf32> {lathe.name = "image"}, tensor<?x?x?x2xf32> {lathe.name = "mask"}) {
  %image = lathe.neg %a : tensor<?x?x?x3xf32>
  %mask = lathe.logistic %b : tensor<?x?x?x2xf32>
  return %image, %mask : tensor<?x?x?x3xf32>, tensor<?x?x?x2xf32>
}

func.func private @logits(%image: tensor<?x?x?x3xf32> {lathe.dims = #lathe.dims<N, H, W>}) -> tensor<?x?x?x2xf32> {
  %first.w = lathe.read @first.w : tensor<3x3x3x8xf32>
  %first.b = lathe.read @first.b : tensor<8xf32>
  %first.sum = lathe.conv %image, %first.w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x?x?x3xf32>, tensor<3x3x3x8xf32>
  %first.z = lathe.add %first.sum, %first.b : tensor<?x?x?x8xf32>, tensor<8xf32>
  %first = lathe.std.silu %first.z : tensor<?x?x?x8xf32>

  %down.w = lathe.read @down.w : tensor<3x3x8x12xf32>
  %down.b = lathe.read @down.b : tensor<12xf32>
  %down.sum = lathe.conv %first, %down.w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x?x?x8xf32>, tensor<3x3x8x12xf32>
  %down.z = lathe.add %down.sum, %down.b : tensor<?x?x?x12xf32>, tensor<12xf32>
  %down = lathe.std.silu %down.z : tensor<?x?x?x12xf32>

  // A pooling that leaves out the odd row and column; up again, these are zeros.
  %pool = lathe.reduce_window sum %down window [1, 2, 2, 1] stride [1, 2, 2, 1] : tensor<?x?x?x12xf32>
  %middle.w = lathe.read @middle.w : tensor<3x3x12x16xf32>
  %middle.sum = lathe.conv %pool, %middle.w stride [1, 1] pad [[2, 2], [2, 2]] dilation [2, 2] : tensor<?x?x?x12xf32>, tensor<3x3x12x16xf32>
  %middle = lathe.tanh %middle.sum : tensor<?x?x?x16xf32>
  %up.w = lathe.read @up.w : tensor<2x2x12x16xf32>
  %up.even = lathe.conv_input_grad %middle, %up.w input [2 * floor_div(ceil_div(H, 2), 2), 2 * floor_div(ceil_div(W, 2), 2)] stride [2, 2] pad [[0, 0], [0, 0]] : tensor<?x?x?x16xf32>, tensor<2x2x12x16xf32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %up = lathe.pad %up.even, %zero low [0, 0, 0, 0] high [0, ceil_div(H, 2) - 2 * floor_div(ceil_div(H, 2), 2), ceil_div(W, 2) - 2 * floor_div(ceil_div(W, 2), 2), 0] : tensor<?x?x?x12xf32>, tensor<f32>

  %both = lathe.concatenate %down, %up dim 3 : tensor<?x?x?x12xf32>, tensor<?x?x?x12xf32>
  %joined.w = lathe.read @joined.w : tensor<3x3x24x12xf32>
  %joined.b = lathe.read @joined.b : tensor<12xf32>
  %joined.sum = lathe.conv %both, %joined.w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x?x?x24xf32>, tensor<3x3x24x12xf32>
  %joined.z = lathe.add %joined.sum, %joined.b : tensor<?x?x?x12xf32>, tensor<12xf32>
  %joined = lathe.std.silu %joined.z : tensor<?x?x?x12xf32>

  // A transposed convolution that gives the image's own size, odd or even.
  %top.w = lathe.read @top.w : tensor<3x3x8x12xf32>
  %top = lathe.conv_input_grad %joined, %top.w input [H, W] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x?x?x12xf32>, tensor<3x3x8x12xf32>
  %all = lathe.concatenate %first, %top dim 3 : tensor<?x?x?x8xf32>, tensor<?x?x?x8xf32>
  %last.w = lathe.read @last.w : tensor<1x1x16x2xf32>
  %last.b = lathe.read @last.b : tensor<2xf32>
  %last = lathe.conv %all, %last.w stride [1, 1] pad valid : tensor<?x?x?x16xf32>, tensor<1x1x16x2xf32>
  %logits = lathe.add %last, %last.b : tensor<?x?x?x2xf32>, tensor<2xf32>
  return %logits : tensor<?x?x?x2xf32>
}

func.func private @loss(%image: tensor<?x?x?x3xf32> {lathe.dims = #lathe.dims<N, H, W>}, %mask: tensor<?x?x?x2xf32> {lathe.dims = #lathe.dims<N, H, W>}) -> tensor<f32> {
  %logits = func.call @logits(%image) : (tensor<?x?x?x3xf32>) -> tensor<?x?x?x2xf32>
  %loss = lathe.std.binary_cross_entropy_with_logits %logits, %mask : tensor<?x?x?x2xf32>, tensor<?x?x?x2xf32>
  return %loss : tensor<f32>
}

func.func @train(%image: tensor<?x?x?x3xf32> {lathe.dims = #lathe.dims<N, H, W>}, %mask: tensor<?x?x?x2xf32> {lathe.dims = #lathe.dims<N, H, W>})
    -> (tensor<f32> {lathe.name = "loss1"}, tensor<f32> {lathe.name = "loss2"}, tensor<f32> {lathe.name = "loss3"}) {
  %1 = lathe.minimize @loss(%image, %mask) with adam<learning_rate = 1.0e-2> : (tensor<?x?x?x3xf32>, tensor<?x?x?x2xf32>) -> tensor<f32>
  %2 = lathe.minimize @loss(%image, %mask) with adam<learning_rate = 1.0e-2> : (tensor<?x?x?x3xf32>, tensor<?x?x?x2xf32>) -> tensor<f32>
  %3 = lathe.minimize @loss(%image, %mask) with adam<learning_rate = 1.0e-2> : (tensor<?x?x?x3xf32>, tensor<?x?x?x2xf32>) -> tensor<f32>
  return %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>
}

// The length of the image's gradient, of which differences give the second order.
func.func @second(%image: tensor<?x?x?x3xf32> {lathe.dims = #lathe.dims<N, H, W>}, %mask: tensor<?x?x?x2xf32> {lathe.dims = #lathe.dims<N, H, W>}) -> tensor<f32> {
  %loss, %slope = lathe.value_and_grad @loss(%image, %mask) wrt [0] : (tensor<?x?x?x3xf32>, tensor<?x?x?x2xf32>) -> (tensor<f32>, tensor<?x?x?x3xf32>)
  %square = lathe.mul %slope, %slope : tensor<?x?x?x3xf32>
  %length = lathe.reduce sum %square dims [0, 1, 2, 3] : tensor<?x?x?x3xf32>
  return %length : tensor<f32>
}
