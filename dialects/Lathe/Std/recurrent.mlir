// Recurrent layers over sequences [T, N, in] of T steps and N rows, or [N, T, in] with `time 1`. The product of all steps with
// the input weights is one, before the loop. Gates are blocks of H rows of the weights and of H entries of the biases, in the
// order that `gates` says. Rows have their own numbers of steps with %lengths [N]: a step past a row's length leaves its state
// as it is and gives zeros, in either direction. States begin with zeros where they are not given. Results are the outputs of
// all steps, [T, N, H] or [N, T, H], then the last states [N, H]. A layer of both directions is two layers, one of them with
// `reverse`, and a lathe.concatenate of their outputs.

/// A layer's function by its name: `sigmoid` is 1 / (1 + exp(-x)); the others have their own entries and their defaults.
template @activation(%x: float, function: one_of(tanh, sigmoid, relu, leaky_relu, elu, softplus, softsign, hard_sigmoid, none)) {
  if function == tanh {
    %y = lathe.tanh %x
  } else if function == sigmoid {
    %y = lathe.logistic %x
  } else if function == none {
    %zero = lathe.constant dense<-0.0> : tensor<${element(%x)}>
    %y = lathe.add %x, %zero
  } else {
    %y = lathe.std.$function %x
  }
  return %y
}

/// Which steps of which rows count, as `[T, N, 1]` of i1, or `[N, T, 1]` with `dim 1`: those below the row's length.
template @within(%x: any, %lengths: index, dim: dim = 0) moves {
  if rank(%lengths) != 1 {
    fail "operand 1 'lengths' has rank ${rank(%lengths)}; expected 1, a number of steps for each row"
  }
  if dim > 1 {
    fail "'dim' is $dim; expected 0 or 1"
  }
  %step = lathe.iota dim $dim to [${replaced([1, 1, 1], dim, extent(%x, dim))}] : ${element(%lengths)}
  %limit = lathe.reshape %lengths to [${replaced([1, 1, 1], 1 - dim, extent(%lengths, 0))}]
  %y = lathe.compare lt %step, %limit
  return %y
}

/// h' = tanh(x W^T + b + h R^T + r), or with another `activation` (Elman 1990): weights [H, in], recurrent weights [H, H],
/// biases [H]. As torch.nn.RNN and ONNX's RNN have it.
template @rnn(%x: float, %weights: float, %recurrent: float, %bias?: float, %recurrent_bias?: float, %h0?: float,
              %lengths?: index, activation: one_of(tanh, sigmoid, relu, leaky_relu, elu, softplus, softsign, hard_sigmoid, none) = tanh,
              time: dim = 0, reverse: flag, checkpoint: checkpoint) {
  if rank(%x) != 3 {
    fail "operand 0 'x' has rank ${rank(%x)}; expected 3, steps, rows and features"
  }
  if time == 2 {
    fail "'time' is 2, the features; expected 0 or 1"
  }
  if rank(%recurrent) != 2 {
    fail "operand 2 'recurrent' has rank ${rank(%recurrent)}; expected [H, H]"
  }
  %drive = lathe.dot_general %x, %weights contract [2] x [1]
  if bias {
    %drive = lathe.add %drive, %bias
  }
  if recurrent_bias {
    %drive = lathe.add %drive, %recurrent_bias
  }
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  if not h0 {
    %h0 = lathe.broadcast %zero dims [] to [${extent(%x, 1 - time)}, ${extent(%recurrent, 1)}]
  }
  if lengths {
    %within = lathe.std.within %x, %lengths dim $time
  }
  %turned = lathe.transpose %recurrent [1, 0]
  %last, %ys = lathe.scan carry(%h = %h0) over(%in = %drive${when(lengths, ", %runs = %within")}) dim $time ${when(reverse, "reverse")} $checkpoint {
    %own = lathe.dot_general %h, %turned contract [1] x [0]
    %sum = lathe.add %in, %own
    %next = lathe.std.activation %sum function $activation
    if lengths {
      %out = lathe.select %runs, %next, %zero
      %kept = lathe.select %runs, %next, %h
      lathe.yield carry(%kept) collect(%out)
    } else {
      lathe.yield carry(%next) collect(%next)
    }
  }
  return %ys, %last
}

/// Long short-term memory (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000): z = x W^T + b + h R^T + r
/// in four gates, c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c'). Weights are [4 H, in], recurrent weights
/// [4 H, H], biases [4 H]. `gates ifgo` is the order of torch.nn.LSTM and Keras: input, forget, cell, output; `gates iofc` is
/// ONNX's: input, output, forget, cell. %peepholes [3 H], in that order without the cell, see c in i and f, and c' in o.
/// `activation`, `cell_activation` and `hidden_activation` are ONNX's f, g and h.
template @lstm(%x: float, %weights: float, %recurrent: float, %bias?: float, %recurrent_bias?: float, %peepholes?: float,
               %h0?: float, %c0?: float, %lengths?: index, gates: one_of(ifgo, iofc) = ifgo,
               activation: one_of(tanh, sigmoid, relu, leaky_relu, elu, softplus, softsign, hard_sigmoid, none) = sigmoid,
               cell_activation: one_of(tanh, sigmoid, relu, leaky_relu, elu, softplus, softsign, hard_sigmoid, none) = tanh,
               hidden_activation: one_of(tanh, sigmoid, relu, leaky_relu, elu, softplus, softsign, hard_sigmoid, none) = tanh,
               time: dim = 0, reverse: flag, checkpoint: checkpoint) {
  if rank(%x) != 3 {
    fail "operand 0 'x' has rank ${rank(%x)}; expected 3, steps, rows and features"
  }
  if time == 2 {
    fail "'time' is 2, the features; expected 0 or 1"
  }
  if rank(%recurrent) != 2 {
    fail "operand 2 'recurrent' has rank ${rank(%recurrent)}; expected [4 H, H]"
  }
  if extent(%recurrent, 0) != extent(%recurrent, 1) * 4 {
    fail "operand 2 'recurrent' is [${shape(%recurrent)}]; expected [4 H, H]"
  }
  %drive = lathe.dot_general %x, %weights contract [2] x [1]
  if bias {
    %drive = lathe.add %drive, %bias
  }
  if recurrent_bias {
    %drive = lathe.add %drive, %recurrent_bias
  }
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  if not h0 {
    %h0 = lathe.broadcast %zero dims [] to [${extent(%x, 1 - time)}, ${extent(%recurrent, 1)}]
  }
  if not c0 {
    %c0 = lathe.broadcast %zero dims [] to [${extent(%x, 1 - time)}, ${extent(%recurrent, 1)}]
  }
  if lengths {
    %within = lathe.std.within %x, %lengths dim $time
  }
  if peepholes {
    %peep_i = lathe.std.part %peepholes index 0 of 3
    if gates == ifgo {
      %peep_f = lathe.std.part %peepholes index 1 of 3
      %peep_o = lathe.std.part %peepholes index 2 of 3
    } else {
      %peep_o = lathe.std.part %peepholes index 1 of 3
      %peep_f = lathe.std.part %peepholes index 2 of 3
    }
  }
  %turned = lathe.transpose %recurrent [1, 0]
  %h_last, %c_last, %ys = lathe.scan carry(%h = %h0, %c = %c0) over(%in = %drive${when(lengths, ", %runs = %within")}) dim $time ${when(reverse, "reverse")} $checkpoint {
    %own = lathe.dot_general %h, %turned contract [1] x [0]
    %z = lathe.add %in, %own
    %z_i = lathe.std.part %z index 0 of 4
    if gates == ifgo {
      %z_f = lathe.std.part %z index 1 of 4
      %z_g = lathe.std.part %z index 2 of 4
      %z_o = lathe.std.part %z index 3 of 4
    } else {
      %z_o = lathe.std.part %z index 1 of 4
      %z_f = lathe.std.part %z index 2 of 4
      %z_g = lathe.std.part %z index 3 of 4
    }
    if peepholes {
      %seen_i = lathe.mul %c, %peep_i
      %z_i = lathe.add %z_i, %seen_i
      %seen_f = lathe.mul %c, %peep_f
      %z_f = lathe.add %z_f, %seen_f
    }
    %i = lathe.std.activation %z_i function $activation
    %f = lathe.std.activation %z_f function $activation
    %g = lathe.std.activation %z_g function $cell_activation
    %kept = lathe.mul %f, %c
    %added = lathe.mul %i, %g
    %c_next = lathe.add %kept, %added
    if peepholes {
      %seen_o = lathe.mul %c_next, %peep_o
      %z_o = lathe.add %z_o, %seen_o
    }
    %o = lathe.std.activation %z_o function $activation
    %shown = lathe.std.activation %c_next function $hidden_activation
    %h_next = lathe.mul %o, %shown
    if lengths {
      %out = lathe.select %runs, %h_next, %zero
      %h_kept = lathe.select %runs, %h_next, %h
      %c_kept = lathe.select %runs, %c_next, %c
      lathe.yield carry(%h_kept, %c_kept) collect(%out)
    } else {
      lathe.yield carry(%h_next, %c_next) collect(%h_next)
    }
  }
  return %ys, %h_last, %c_last
}

/// The gated recurrent unit (Cho et al. 2014): reset r and update z, h' = (1 - z) n + z h. `reset after`, which torch.nn.GRU has
/// and ONNX's linear_before_reset, is n = tanh(x Wn^T + bn + r * (h Rn^T + rn)); `reset before`, ONNX's default, is
/// n = tanh(x Wn^T + bn + (r * h) Rn^T + rn). Weights are [3 H, in], recurrent weights [3 H, H], biases [3 H]. `gates rzn` is
/// PyTorch's order: reset, update, new; `gates zrn` is ONNX's and Keras's. `activation` and `new_activation` are ONNX's f and g.
template @gru(%x: float, %weights: float, %recurrent: float, %bias?: float, %recurrent_bias?: float, %h0?: float,
              %lengths?: index, gates: one_of(rzn, zrn) = rzn, reset: one_of(after, before) = after,
              activation: one_of(tanh, sigmoid, relu, leaky_relu, elu, softplus, softsign, hard_sigmoid, none) = sigmoid,
              new_activation: one_of(tanh, sigmoid, relu, leaky_relu, elu, softplus, softsign, hard_sigmoid, none) = tanh,
              time: dim = 0, reverse: flag, checkpoint: checkpoint) {
  if rank(%x) != 3 {
    fail "operand 0 'x' has rank ${rank(%x)}; expected 3, steps, rows and features"
  }
  if time == 2 {
    fail "'time' is 2, the features; expected 0 or 1"
  }
  if rank(%recurrent) != 2 {
    fail "operand 2 'recurrent' has rank ${rank(%recurrent)}; expected [3 H, H]"
  }
  if extent(%recurrent, 0) != extent(%recurrent, 1) * 3 {
    fail "operand 2 'recurrent' is [${shape(%recurrent)}]; expected [3 H, H]"
  }
  %drive = lathe.dot_general %x, %weights contract [2] x [1]
  if bias {
    %drive = lathe.add %drive, %bias
  }
  if recurrent_bias {
    if reset == before {
      %drive = lathe.add %drive, %recurrent_bias
    }
  }
  %zero = lathe.constant dense<0.0> : tensor<${element(%x)}>
  if not h0 {
    %h0 = lathe.broadcast %zero dims [] to [${extent(%x, 1 - time)}, ${extent(%recurrent, 1)}]
  }
  if lengths {
    %within = lathe.std.within %x, %lengths dim $time
  }
  %turned = lathe.transpose %recurrent [1, 0]
  if reset == before {
    %gates = lathe.slice %turned from [0, 0] to [${extent(%recurrent, 1)}, ${extent(%recurrent, 1) * 2}]
    %new = lathe.std.part %turned index 2 of 3
  }
  %last, %ys = lathe.scan carry(%h = %h0) over(%in = %drive${when(lengths, ", %runs = %within")}) dim $time ${when(reverse, "reverse")} $checkpoint {
    %in_0 = lathe.std.part %in index 0 of 3
    %in_1 = lathe.std.part %in index 1 of 3
    %in_n = lathe.std.part %in index 2 of 3
    if reset == after {
      %own = lathe.dot_general %h, %turned contract [1] x [0]
      if recurrent_bias {
        %own = lathe.add %own, %recurrent_bias
      }
      %own_0 = lathe.std.part %own index 0 of 3
      %own_1 = lathe.std.part %own index 1 of 3
      %own_n = lathe.std.part %own index 2 of 3
    } else {
      %own = lathe.dot_general %h, %gates contract [1] x [0]
      %own_0 = lathe.std.part %own index 0 of 2
      %own_1 = lathe.std.part %own index 1 of 2
    }
    %sum_0 = lathe.add %in_0, %own_0
    %sum_1 = lathe.add %in_1, %own_1
    if gates == rzn {
      %r = lathe.std.activation %sum_0 function $activation
      %z = lathe.std.activation %sum_1 function $activation
    } else {
      %z = lathe.std.activation %sum_0 function $activation
      %r = lathe.std.activation %sum_1 function $activation
    }
    if reset == after {
      %own_n = lathe.mul %r, %own_n
    } else {
      %reset = lathe.mul %r, %h
      %own_n = lathe.dot_general %reset, %new contract [1] x [0]
    }
    %sum_n = lathe.add %in_n, %own_n
    %n = lathe.std.activation %sum_n function $new_activation
    %difference = lathe.sub %h, %n
    %share = lathe.mul %z, %difference
    %next = lathe.add %n, %share
    if lengths {
      %out = lathe.select %runs, %next, %zero
      %kept = lathe.select %runs, %next, %h
      lathe.yield carry(%kept) collect(%out)
    } else {
      lathe.yield carry(%next) collect(%next)
    }
  }
  return %ys, %last
}
