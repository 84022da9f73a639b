// A text recogniser's training with a named batch and width: convolutions, an LSTM along the width, CTC. Derivatives to the second order
// by differences; three steps have the losses and variables of fixed sizes bit by bit, in the general version, in specialised
// ones, and on two threads. A batch of fewer than four rows, known while compiling, has other products in the LSTM.
// RUN: rm -rf %t.* && mkdir -p %t.fixed %t.open %t.threads %t.special && lathe-run %s data --random --dim N=5 --dim W=19 --output image=@%t.image.npy --output text=@%t.text.npy
// RUN: lathe-run %s train --input image=@%t.image.npy --input text=@%t.text.npy --dim N=5 --dim W=19 --save %t.fixed --save-state %t.fixed/state
// RUN: lathe-run %s train --input image=@%t.image.npy --input text=@%t.text.npy --save %t.open --save-state %t.open/state && diff -r %t.fixed %t.open
// RUN: lathe-run %s train --input image=@%t.image.npy --input text=@%t.text.npy --threads 2 --save %t.threads --save-state %t.threads/state && diff -r %t.fixed %t.threads
// RUN: lathe-run %s train --input image=@%t.image.npy --input text=@%t.text.npy --specialize N=5 --specialize W=19 --threads 2 --save %t.special --save-state %t.special/state && diff -r %t.fixed %t.special
// RUN: lathe-run %s train --input image=@%t.image.npy --input text=@%t.text.npy --check --rtol 1e-3 --atol 1e-5
// RUN: lathe-run %s data --random --dim N=2 --dim W=8 --output text=@%t.text2.npy
// RUN: lathe-run %s train --random --dim N=2 --dim W=12 --input text=@%t.text2.npy --gradcheck
// RUN: lathe-run %s second --random --dim N=2 --dim W=8 --input text=@%t.text2.npy --gradcheck

lathe.variable @first.w : tensor<3x3x1x6xf32> init #lathe.glorot_uniform
lathe.variable @first.b : tensor<6xf32> init #lathe.zeros
lathe.variable @depth.w : tensor<3x3x1x6xf32> init #lathe.normal<0.0, 0.5>
lathe.variable @point.w : tensor<1x1x6x8xf32> init #lathe.glorot_uniform
lathe.variable @point.b : tensor<8xf32> init #lathe.zeros
lathe.variable @lstm.w : tensor<40x16xf32> init #lathe.uniform<-0.3, 0.3>
lathe.variable @lstm.r : tensor<40x10xf32> init #lathe.uniform<-0.3, 0.3>
lathe.variable @lstm.b : tensor<40xf32> init #lathe.zeros
lathe.variable @out.w : tensor<10x5xf32> init #lathe.glorot_uniform
lathe.variable @out.b : tensor<5xf32> init #lathe.zeros

// Classes 1 to 4, of which 0 is the blank.
func.func @data(%a: tensor<?x8x?x1xf32> {lathe.dims = #lathe.dims<N, W>}) -> (tensor<?x8x?x1xf32> {lathe.name = "image"}, tensor<?x3xi32> {lathe.name = "text"}) {
  %image = lathe.neg %a : tensor<?x8x?x1xf32>
  %letters = lathe.constant dense<[1, 3, 2]> : tensor<3xi32>
  %text = lathe.broadcast %letters dims [1] to [N, 3] : tensor<3xi32>
  return %image, %text : tensor<?x8x?x1xf32>, tensor<?x3xi32>
}

func.func private @loss(%image: tensor<?x8x?x1xf32> {lathe.dims = #lathe.dims<N, W>}, %text: tensor<?x3xi32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %first.w = lathe.read @first.w : tensor<3x3x1x6xf32>
  %first.b = lathe.read @first.b : tensor<6xf32>
  %first.sum = lathe.conv %image, %first.w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x8x?x1xf32>, tensor<3x3x1x6xf32>
  %first.z = lathe.add %first.sum, %first.b : tensor<?x4x?x6xf32>, tensor<6xf32>
  %first = lathe.std.silu %first.z : tensor<?x4x?x6xf32>
  %depth.w = lathe.read @depth.w : tensor<3x3x1x6xf32>
  %depth = lathe.conv %first, %depth.w stride [2, 1] pad [[1, 1], [1, 1]] groups 6 : tensor<?x4x?x6xf32>, tensor<3x3x1x6xf32>
  %point.w = lathe.read @point.w : tensor<1x1x6x8xf32>
  %point.b = lathe.read @point.b : tensor<8xf32>
  %point.sum = lathe.conv %depth, %point.w stride [1, 1] pad valid : tensor<?x2x?x6xf32>, tensor<1x1x6x8xf32>
  %point.z = lathe.add %point.sum, %point.b : tensor<?x2x?x8xf32>, tensor<8xf32>
  %point = lathe.std.silu %point.z : tensor<?x2x?x8xf32>

  // Columns of the image are steps.
  %columns = lathe.transpose %point [2, 0, 1, 3] : tensor<?x2x?x8xf32>
  %steps = lathe.reshape %columns to [ceil_div(W, 2), N, 16] : tensor<?x?x2x8xf32>
  %lstm.w = lathe.read @lstm.w : tensor<40x16xf32>
  %lstm.r = lathe.read @lstm.r : tensor<40x10xf32>
  %lstm.b = lathe.read @lstm.b : tensor<40xf32>
  %hidden, %h, %c = lathe.std.lstm %steps, %lstm.w, %lstm.r bias %lstm.b : tensor<?x?x16xf32>, tensor<40x16xf32>, tensor<40x10xf32>, tensor<40xf32>
  %out.w = lathe.read @out.w : tensor<10x5xf32>
  %out.b = lathe.read @out.b : tensor<5xf32>
  %product = lathe.dot_general %hidden, %out.w contract [2] x [0] : tensor<?x?x10xf32>, tensor<10x5xf32>
  %logits = lathe.add %product, %out.b : tensor<?x?x5xf32>, tensor<5xf32>
  %logs = lathe.std.log_softmax %logits : tensor<?x?x5xf32>
  %loss = lathe.std.ctc_loss %logs, %text : tensor<?x?x5xf32>, tensor<?x3xi32>
  return %loss : tensor<f32>
}

func.func @train(%image: tensor<?x8x?x1xf32> {lathe.dims = #lathe.dims<N, W>}, %text: tensor<?x3xi32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<f32> {lathe.name = "loss1"}, tensor<f32> {lathe.name = "loss2"}, tensor<f32> {lathe.name = "loss3"}) {
  %1 = lathe.minimize @loss(%image, %text) with adam<learning_rate = 1.0e-2> : (tensor<?x8x?x1xf32>, tensor<?x3xi32>) -> tensor<f32>
  %2 = lathe.minimize @loss(%image, %text) with adam<learning_rate = 1.0e-2> : (tensor<?x8x?x1xf32>, tensor<?x3xi32>) -> tensor<f32>
  %3 = lathe.minimize @loss(%image, %text) with adam<learning_rate = 1.0e-2> : (tensor<?x8x?x1xf32>, tensor<?x3xi32>) -> tensor<f32>
  return %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>
}

// The length of the image's gradient, of which differences give the second order.
func.func @second(%image: tensor<?x8x?x1xf32> {lathe.dims = #lathe.dims<N, W>}, %text: tensor<?x3xi32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %loss, %slope = lathe.value_and_grad @loss(%image, %text) wrt [0] : (tensor<?x8x?x1xf32>, tensor<?x3xi32>) -> (tensor<f32>, tensor<?x8x?x1xf32>)
  %square = lathe.mul %slope, %slope : tensor<?x8x?x1xf32>
  %length = lathe.reduce sum %square dims [0, 1, 2, 3] : tensor<?x8x?x1xf32>
  return %length : tensor<f32>
}
