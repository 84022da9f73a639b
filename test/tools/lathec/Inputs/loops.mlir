// Training steps whose gradients are loops that read what other loops kept of each step.
lathe.variable @w : tensor<6x32x32xf32> init #lathe.glorot_uniform
lathe.variable @wide : tensor<6x32x64xf32> init #lathe.glorot_uniform
lathe.variable @narrow : tensor<6x64x32xf32> init #lathe.glorot_uniform
lathe.variable @in : tensor<16x128xf32> init #lathe.glorot_uniform
lathe.variable @recurrent : tensor<32x128xf32> init #lathe.glorot_uniform
lathe.variable @mix : tensor<32x32xf32> init #lathe.glorot_uniform

// Six layers. A step of the loop reads its weights in slices.
func.func private @layers_loss(%x: tensor<40x32xf32>, %y: tensor<40x32xf32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<6x32x32xf32>
  %wide = lathe.read @wide : tensor<6x32x64xf32>
  %narrow = lathe.read @narrow : tensor<6x64x32xf32>
  %last = lathe.scan carry(%h = %x : tensor<40x32xf32>)
      over(%a = %w : tensor<6x32x32xf32>, %b = %wide : tensor<6x32x64xf32>, %c = %narrow : tensor<6x64x32xf32>) -> tensor<40x32xf32> {
    %p = lathe.dot_general %h, %a contract [1] x [0] : tensor<40x32xf32>, tensor<32x32xf32>
    %s = lathe.std.softmax %p : tensor<40x32xf32>
    %q = lathe.dot_general %s, %b contract [1] x [0] : tensor<40x32xf32>, tensor<32x64xf32>
    %g = lathe.std.gelu %q approximation tanh : tensor<40x64xf32>
    %r = lathe.dot_general %g, %c contract [1] x [0] : tensor<40x64xf32>, tensor<64x32xf32>
    %next = lathe.add %h, %r : tensor<40x32xf32>
    lathe.yield carry(%next : tensor<40x32xf32>)
  }
  %loss = lathe.std.mse %last, %y : tensor<40x32xf32>
  return %loss : tensor<f32>
}

func.func @layers(%x: tensor<40x32xf32>, %y: tensor<40x32xf32>) -> tensor<f32> {
  %loss = lathe.minimize @layers_loss(%x, %y) with adam<> : (tensor<40x32xf32>, tensor<40x32xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// An LSTM, of which `length` steps run.
func.func private @cells_loss(%xs: tensor<50x8x16xf32>, %length: tensor<i32>, %y: tensor<50x8x32xf32>) -> tensor<f32> {
  %in = lathe.read @in : tensor<16x128xf32>
  %recurrent = lathe.read @recurrent : tensor<32x128xf32>
  %zero = lathe.constant dense<0.0> : tensor<8x32xf32>
  %zs = lathe.dot_general %xs, %in contract [2] x [0] : tensor<50x8x16xf32>, tensor<16x128xf32>
  %h, %c, %hs = lathe.scan carry(%h = %zero : tensor<8x32xf32>, %c = %zero : tensor<8x32xf32>) over(%z = %zs : tensor<50x8x128xf32>)
      length %length -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<50x8x32xf32>) {
    %from_h = lathe.dot_general %h, %recurrent contract [1] x [0] : tensor<8x32xf32>, tensor<32x128xf32>
    %sum = lathe.add %z, %from_h : tensor<8x128xf32>
    %zi = lathe.slice %sum from [0, 0] to [8, 32] : tensor<8x128xf32>
    %zf = lathe.slice %sum from [0, 32] to [8, 64] : tensor<8x128xf32>
    %zo = lathe.slice %sum from [0, 64] to [8, 96] : tensor<8x128xf32>
    %zg = lathe.slice %sum from [0, 96] to [8, 128] : tensor<8x128xf32>
    %i = lathe.logistic %zi : tensor<8x32xf32>
    %f = lathe.logistic %zf : tensor<8x32xf32>
    %o = lathe.logistic %zo : tensor<8x32xf32>
    %g = lathe.tanh %zg : tensor<8x32xf32>
    %kept = lathe.mul %f, %c : tensor<8x32xf32>
    %new = lathe.mul %i, %g : tensor<8x32xf32>
    %c1 = lathe.add %kept, %new : tensor<8x32xf32>
    %tanh = lathe.tanh %c1 : tensor<8x32xf32>
    %h1 = lathe.mul %o, %tanh : tensor<8x32xf32>
    lathe.yield carry(%h1 : tensor<8x32xf32>, %c1 : tensor<8x32xf32>) collect(%h1 : tensor<8x32xf32>)
  }
  %loss = lathe.std.mse %hs, %y : tensor<50x8x32xf32>
  return %loss : tensor<f32>
}

func.func @cells(%xs: tensor<50x8x16xf32>, %length: tensor<i32>, %y: tensor<50x8x32xf32>) -> tensor<f32> {
  %loss = lathe.minimize @cells_loss(%xs, %length, %y) with sgd<learning_rate = 0.1> : (tensor<50x8x16xf32>, tensor<i32>, tensor<50x8x32xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// A loop in a loop that runs backwards. The inner one is a loop again where it is computed again.
func.func private @nested_loss(%x: tensor<24x32xf32>, %ys: tensor<5x24x32xf32>) -> tensor<f32> {
  %mix = lathe.read @mix : tensor<32x32xf32>
  %last = lathe.scan carry(%h = %x : tensor<24x32xf32>) over(%y = %ys : tensor<5x24x32xf32>) reverse -> tensor<24x32xf32> {
    %in = lathe.add %h, %y : tensor<24x32xf32>
    %out = lathe.scan carry(%v = %in : tensor<24x32xf32>) trip 4 -> tensor<24x32xf32> {
      %p = lathe.dot_general %v, %mix contract [1] x [0] : tensor<24x32xf32>, tensor<32x32xf32>
      %t = lathe.tanh %p : tensor<24x32xf32>
      %e = lathe.std.silu %t : tensor<24x32xf32>
      lathe.yield carry(%e : tensor<24x32xf32>)
    }
    %s = lathe.logistic %out : tensor<24x32xf32>
    %next = lathe.mul %s, %h : tensor<24x32xf32>
    lathe.yield carry(%next : tensor<24x32xf32>)
  }
  %squares = lathe.mul %last, %last : tensor<24x32xf32>
  %loss = lathe.reduce sum %squares dims [0, 1] : tensor<24x32xf32>
  return %loss : tensor<f32>
}

func.func @nested(%x: tensor<24x32xf32>, %ys: tensor<5x24x32xf32>) -> tensor<f32> {
  %loss = lathe.minimize @nested_loss(%x, %ys) with sgd<learning_rate = 0.01, momentum = 0.9> : (tensor<24x32xf32>, tensor<5x24x32xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
