// Examples of docs/passes.md, an input for each pass. The first line of each is the command that shows the pass.

// -----
// lathe-opt --lathe-expand-std
func.func @average(%x: tensor<4xf32>) -> tensor<f32> {
  %mean = lathe.std.mean %x dims [0] : tensor<4xf32>
  return %mean : tensor<f32>
}
// -----
// lathe-opt --lathe-infer-dims
func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = lathe.concatenate %x, %x dim 0 : tensor<?xf32>, tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @four_times(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %two = call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %four = call @twice(%two) : (tensor<?xf32>) -> tensor<?xf32>
  return %four : tensor<?xf32>
}
// -----
// lathe-opt --lathe-fix-dims=sizes=N=8,M=2*k
func.func @sum(%x: tensor<?x?xf32, #lathe.dims<N, M>>) -> tensor<?xf32, #lathe.dims<M>> {
  %y = lathe.reduce sum %x dims [0] : tensor<?x?xf32, #lathe.dims<N, M>>
  return %y : tensor<?xf32, #lathe.dims<M>>
}
// -----
// lathe-opt --lathe-inline
func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lathe.mul %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @fourth_power(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @square(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = call @square(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
// -----
// lathe-opt --lathe-pad-same
func.func @blur(%x: tensor<1x8x3xf32>, %w: tensor<5x3x4xf32>) -> tensor<1x4x4xf32> {
  %y = lathe.conv %x, %w stride [2] pad same : tensor<1x8x3xf32>, tensor<5x3x4xf32>
  return %y : tensor<1x4x4xf32>
}
// -----
// lathe-opt --lathe-expand-random
func.func @drop(%seed: tensor<i64>) -> tensor<16xi1> {
  %kept = lathe.random_bernoulli %seed stream 1 probability 0.75 to [16] : i1
  return %kept : tensor<16xi1>
}
// -----
// lathe-opt --lathe-bound-data-sizes
func.func @sum_of_first(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<f32> {
  %first = lathe.set_dim_size %x dim 0 to %n as k : tensor<8xf32> -> tensor<?xf32, #lathe.dims<k>>
  %sum = lathe.reduce sum %first dims [0] : tensor<?xf32, #lathe.dims<k>>
  return %sum : tensor<f32>
}
// -----
// lathe-opt --lathe-explicit-broadcast
func.func @add_bias(%x: tensor<?x4xf32, #lathe.dims<N>>, %bias: tensor<4xf32>) -> tensor<?x4xf32, #lathe.dims<N>> {
  %y = lathe.add %x, %bias : tensor<?x4xf32, #lathe.dims<N>>, tensor<4xf32>
  return %y : tensor<?x4xf32, #lathe.dims<N>>
}
// -----
// lathe-opt --lathe-scan-first-dim
func.func @running_sums(%xs: tensor<2x5xf32>, %zero: tensor<2xf32>) -> tensor<2x5xf32> {
  %last, %sums = lathe.scan carry(%s = %zero : tensor<2xf32>) over(%x = %xs : tensor<2x5xf32>) dim 1
      -> (tensor<2xf32>, tensor<2x5xf32>) {
    %next = lathe.add %s, %x : tensor<2xf32>
    lathe.yield carry(%next : tensor<2xf32>) collect(%next : tensor<2xf32>)
  }
  return %sums : tensor<2x5xf32>
}
// -----
// lathe-opt --lathe-declare-slots
lathe.variable @w : tensor<3xf32> init #lathe.zeros
func.func private @loss() -> tensor<f32> {
  %w = lathe.read @w : tensor<3xf32>
  %loss = lathe.reduce sum %w dims [0] : tensor<3xf32>
  return %loss : tensor<f32>
}
func.func @train() -> tensor<f32> {
  %loss = lathe.minimize @loss() with adam<> : () -> tensor<f32>
  return %loss : tensor<f32>
}
// -----
// lathe-opt --lathe-lower-state
lathe.variable @count : tensor<i64> init #lathe.zeros
func.func @tick(%step: tensor<i64>) -> tensor<i64> {
  %before = lathe.read @count : tensor<i64>
  %after = lathe.add %before, %step : tensor<i64>
  lathe.write @count, %after : tensor<i64>
  return %before : tensor<i64>
}
// -----
// lathe-opt --lathe-variable-gradients
lathe.variable @w : tensor<3xf32> init #lathe.zeros
func.func @loss(%x: tensor<3xf32>, %w: tensor<3xf32> {lathe.state = @w}) -> tensor<f32> {
  %product = lathe.mul %w, %x : tensor<3xf32>
  %loss = lathe.reduce sum %product dims [0] : tensor<3xf32>
  return %loss : tensor<f32>
}
func.func @loss_grad(%x: tensor<3xf32>, %w: tensor<3xf32> {lathe.state = @w}) -> tensor<f32> attributes {lathe.variable_gradients = [@w]} {
  %loss = lathe.value_and_grad @loss(%x, %w) wrt [] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
// -----
// lathe-opt --lathe-split-steps=steps=step:N
lathe.variable @w : tensor<3xf32> init #lathe.zeros
func.func private @loss(%x: tensor<?x3xf32, #lathe.dims<N>>, %w: tensor<3xf32>) -> tensor<f32> {
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x3xf32, #lathe.dims<N>>, tensor<3xf32>
  %sum = lathe.reduce sum %y dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %sum : tensor<f32>
}
func.func @step(%x: tensor<?x3xf32, #lathe.dims<N>>, %w: tensor<3xf32> {lathe.state = @w})
    -> (tensor<f32>, tensor<3xf32> {lathe.state = @w}) {
  %value, %slope = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?x3xf32, #lathe.dims<N>>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
  %new = lathe.sub %w, %slope : tensor<3xf32>
  return %value, %new : tensor<f32>, tensor<3xf32>
}
// -----
// lathe-opt --lathe-average-gradients=steps=step:N@data
lathe.dim @data, 1 to 1024
lathe.variable @w : tensor<3xf32> init #lathe.zeros
func.func private @loss(%x: tensor<?x3xf32, #lathe.dims<N>>, %w: tensor<3xf32>) -> tensor<f32> {
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x3xf32, #lathe.dims<N>>, tensor<3xf32>
  %sum = lathe.reduce sum %y dims [0] : tensor<?xf32, #lathe.dims<N>>
  return %sum : tensor<f32>
}
func.func @step(%x: tensor<?x3xf32, #lathe.dims<N>>, %w: tensor<3xf32> {lathe.state = @w})
    -> (tensor<f32>, tensor<3xf32> {lathe.state = @w}) {
  %value, %slope = lathe.value_and_grad @loss(%x, %w) wrt [1] : (tensor<?x3xf32, #lathe.dims<N>>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
  %new = lathe.sub %w, %slope : tensor<3xf32>
  return %value, %new : tensor<f32>, tensor<3xf32>
}
// -----
// lathe-opt --lathe-partition=axes=model=2
lathe.variable @wide : tensor<4x6xf32> init #lathe.zeros {lathe.shard = ["", "model"]}
lathe.variable @narrow : tensor<6x2xf32> init #lathe.zeros {lathe.shard = ["model", ""]}
func.func @layers(%x: tensor<5x4xf32>, %wide: tensor<4x6xf32> {lathe.state = @wide}, %narrow: tensor<6x2xf32> {lathe.state = @narrow})
    -> tensor<5x2xf32> {
  %h = lathe.dot_general %x, %wide contract [1] x [0] : tensor<5x4xf32>, tensor<4x6xf32>
  %g = lathe.tanh %h : tensor<5x6xf32>
  %y = lathe.dot_general %g, %narrow contract [1] x [0] : tensor<5x6xf32>, tensor<6x2xf32>
  return %y : tensor<5x2xf32>
}
// -----
// lathe-opt --lathe-shard-state=axis=data=2
lathe.variable @w : tensor<3xf32> init #lathe.zeros
lathe.variable @w.momentum : tensor<3xf32> init #lathe.zeros
func.func @step(%slope: tensor<3xf32>, %w: tensor<3xf32> {lathe.state = @w}, %m: tensor<3xf32> {lathe.state = @w.momentum})
    -> (tensor<3xf32> {lathe.state = @w}, tensor<3xf32> {lathe.state = @w.momentum}) {
  %mean = lathe.all_reduce mean %slope over data = 2 : tensor<3xf32>
  %sum = lathe.add %m, %mean : tensor<3xf32>
  %new = lathe.sub %w, %sum : tensor<3xf32>
  return %new, %sum : tensor<3xf32>, tensor<3xf32>
}
// -----
// lathe-opt --lathe-lower-collectives
func.func @gather(%x: tensor<2x3xf32>) -> tensor<2x12xf32> {
  %y = lathe.all_gather %x dim 1 over data = 4 : tensor<2x3xf32>
  return %y : tensor<2x12xf32>
}
// -----
// lathe-opt --lathe-declare-axes=axes=data
func.func @whole(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = lathe.all_reduce sum %x over data : tensor<2xf32>
  return %y : tensor<2xf32>
}
// -----
// lathe-opt --lathe-expand-derivatives
func.func private @wave(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lathe.sin %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @slope(%x: tensor<4xf32>, %dy: tensor<4xf32>) -> tensor<4xf32> {
  %y, %dx = lathe.vjp @wave(%x) cotangents(%dy) wrt [0]
      : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %dx : tensor<4xf32>
}
// -----
// lathe-opt --lathe-require-extents
func.func @tail(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N - 2>> {
  %y = lathe.slice %x from [2] to [N] : tensor<?xf32, #lathe.dims<N>>
  return %y : tensor<?xf32, #lathe.dims<N - 2>>
}
// -----
// lathe-opt --lathe-insert-checks
func.func @pick(%x: tensor<8xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %log = lathe.log %x : tensor<8xf32>
  %y = lathe.gather %log, %i axis 0 : tensor<8xf32>, tensor<3xi32>
  return %y : tensor<3xf32>
}
// -----
// lathe-opt --lathe-promote
func.func @scale(%x: tensor<8xf16>, %y: tensor<8xf16>) -> tensor<8xf16> {
  %z = lathe.mul %x, %y : tensor<8xf16>
  return %z : tensor<8xf16>
}
// -----
// lathe-opt --lathe-sink-products --canonicalize
func.func @weight_gradient(%xs: tensor<9x1x3xf32>, %dys: tensor<9x1x4xf32>, %zero: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %dw = lathe.scan carry(%sum = %zero : tensor<3x4xf32>) over(%x = %xs : tensor<9x1x3xf32>, %dy = %dys : tensor<9x1x4xf32>)
      -> tensor<3x4xf32> {
    %p = lathe.dot_general %x, %dy contract [0] x [0] : tensor<1x3xf32>, tensor<1x4xf32>
    %next = lathe.add %sum, %p : tensor<3x4xf32>
    lathe.yield carry(%next : tensor<3x4xf32>)
  }
  return %dw : tensor<3x4xf32>
}
// -----
// lathe-opt --lathe-skip-keys
func.func @means(%q: tensor<4x64x8xf32>, %k: tensor<8x256xf32>, %v: tensor<256x4xf32>, %seen: tensor<4x64x256xi1>) -> tensor<4x64x4xf32> {
  %y = lathe.scan over(%rows = %q : tensor<4x64x8xf32>, %mask = %seen : tensor<4x64x256xi1>) -> (tensor<4x64x4xf32>) {
    %scores = lathe.kernel(%a = %rows : tensor<64x8xf32>, %b = %k : tensor<8x256xf32>, %m = %mask : tensor<64x256xi1>) -> tensor<64x256xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x8xf32>, tensor<8x256xf32>
      %never = lathe.constant dense<0xFF800000> : tensor<64x256xf32>
      %s = lathe.select %m, %p, %never : tensor<64x256xi1>, tensor<64x256xf32>
      lathe.yield %s : tensor<64x256xf32>
    }
    %weights = lathe.kernel(%s = %scores : tensor<64x256xf32>) -> tensor<64x256xf32> attributes {lathe.rows} {
      %max = lathe.reduce max %s dims [1] : tensor<64x256xf32>
      %top = lathe.broadcast %max dims [0] to [64, 256] : tensor<64xf32>
      %less = lathe.sub %s, %top : tensor<64x256xf32>
      %e = lathe.exp %less : tensor<64x256xf32>
      lathe.yield %e : tensor<64x256xf32>
    }
    %mean = lathe.kernel(%a = %weights : tensor<64x256xf32>, %b = %v : tensor<256x4xf32>) -> tensor<64x4xf32> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x256xf32>, tensor<256x4xf32>
      lathe.yield %p : tensor<64x4xf32>
    }
    lathe.yield collect(%mean : tensor<64x4xf32>)
  }
  return %y : tensor<4x64x4xf32>
}
// -----
// lathe-opt --lathe-order-products
func.func @skin(%weights: tensor<100x22xf64>, %places: tensor<100x4xf64>, %bones: tensor<22x4x30xf64>) -> tensor<100x30xf64> {
  %moved = lathe.dot_general %places, %bones contract [1] x [1] : tensor<100x4xf64>, tensor<22x4x30xf64>
  %skin = lathe.dot_general %weights, %moved contract [1] x [1] batch [0] x [0] : tensor<100x22xf64>, tensor<100x22x30xf64>
  return %skin : tensor<100x30xf64>
}
// -----
// lathe-opt --lathe-sink-transposes
func.func @between(%x: tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32> {
  %first = lathe.transpose %x [0, 3, 1, 2] : tensor<2x4x4x3xf32>
  %y = lathe.tanh %first : tensor<2x3x4x4xf32>
  %last = lathe.transpose %y [0, 2, 3, 1] : tensor<2x3x4x4xf32>
  return %last : tensor<2x4x4x3xf32>
}
// -----
// lathe-opt '--lathe-block-rows=rows=4 tall=4 columns=8 least=0'
func.func @gradient(%q: tensor<12x1xf32>, %k: tensor<16x1xf32>, %c: tensor<12x1xf32>) -> tensor<16x1xf32> {
  %scores = lathe.dot_general %q, %k contract [1] x [1] : tensor<12x1xf32>, tensor<16x1xf32>
  %weights = lathe.exp %scores : tensor<12x16xf32>
  %dv = lathe.dot_general %weights, %c contract [0] x [0] : tensor<12x16xf32>, tensor<12x1xf32>
  return %dv : tensor<16x1xf32>
}
// -----
// lathe-opt '--lathe-block-keys=block=4 least=8 rows=1'
func.func @attention(%q: tensor<2x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x5xf32>) -> tensor<2x5xf32> {
  %scores = lathe.dot_general %q, %k contract [1] x [1] : tensor<2x3xf32>, tensor<8x3xf32>
  %largest = lathe.reduce max %scores dims [1] : tensor<2x8xf32>
  %offsets = lathe.broadcast %largest dims [0] to [2, 8] : tensor<2xf32>
  %shifted = lathe.sub %scores, %offsets : tensor<2x8xf32>
  %exp = lathe.exp %shifted : tensor<2x8xf32>
  %total = lathe.reduce sum %exp dims [1] : tensor<2x8xf32>
  %divisors = lathe.broadcast %total dims [0] to [2, 8] : tensor<2xf32>
  %weights = lathe.div %exp, %divisors : tensor<2x8xf32>
  %y = lathe.dot_general %weights, %v contract [1] x [0] : tensor<2x8xf32>, tensor<8x5xf32>
  return %y : tensor<2x5xf32>
}
// -----
// lathe-opt --lathe-layout
func.func @project(%x: tensor<16x8xf32>, %w: tensor<4x8xf32>) -> tensor<16x4xf32> {
  %y = lathe.dot_general %x, %w contract [1] x [1] : tensor<16x8xf32>, tensor<4x8xf32>
  return %y : tensor<16x4xf32>
}
// -----
// lathe-opt --lathe-winograd
func.func @block(%x: tensor<?x28x28x64xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x64x64xf32>) -> tensor<?x28x28x64xf32> {
  %y = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x28x28x64xf32>, tensor<3x3x64x64xf32>
  return %y : tensor<?x28x28x64xf32>
}
// -----
// lathe-opt --lathe-patch-products
func.func @downsample(%x: tensor<1x14x14x256xf32>) -> tensor<1x7x7x512xf32> {
  %w = lathe.constant dense<0.5> : tensor<1x1x256x512xf32>
  %y = lathe.conv %x, %w stride [2, 2] pad [[0, 0], [0, 0]] : tensor<1x14x14x256xf32>, tensor<1x1x256x512xf32>
  return %y : tensor<1x7x7x512xf32>
}
// -----
// lathe-opt --lathe-round-products
func.func @layer(%x: tensor<?x96xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<96x64xf32>) -> tensor<?x64xf32> {
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x96xf32>, tensor<96x64xf32>
  return %y : tensor<?x64xf32>
}
// -----
// lathe-opt --lathe-fold-constants
func.func @weights(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = lathe.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %turned = lathe.transpose %w [1, 0] : tensor<3x2xf32>
  %y = lathe.mul %x, %turned : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
// -----
// lathe-opt --lathe-specialize=sizes=N=32
func.func @negate(%x: tensor<?x4xf32, #lathe.dims<N>>) -> tensor<?x4xf32, #lathe.dims<N>> {
  %y = lathe.neg %x : tensor<?x4xf32, #lathe.dims<N>>
  return %y : tensor<?x4xf32, #lathe.dims<N>>
}
// -----
// lathe-opt --lathe-inline-checkpoints
func.func @recompute(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %kept = lathe.exp %x : tensor<4xf32>
  %y = lathe.checkpoint -> tensor<4xf32> {
    %again = lathe.exp %x : tensor<4xf32>
    %sin = lathe.sin %again : tensor<4xf32>
    lathe.yield %sin : tensor<4xf32>
  }
  return %kept, %y : tensor<4xf32>, tensor<4xf32>
}
// -----
// lathe-opt --lathe-fuse
func.func @norm(%x: tensor<64x8xf32>) -> tensor<64xf32> {
  %squares = lathe.mul %x, %x : tensor<64x8xf32>
  %sum = lathe.reduce sum %squares dims [1] : tensor<64x8xf32>
  %norm = lathe.sqrt %sum : tensor<64xf32>
  return %norm : tensor<64xf32>
}
// -----
// lathe-opt --lathe-cut-strips
func.func @mean(%q: tensor<?x8xf32, #lathe.dims<S>>, %k: tensor<8x64xf32>, %v: tensor<64x4xf32>) -> tensor<?x4xf32, #lathe.dims<S>> {
  %weights = lathe.kernel(%a = %q : tensor<?x8xf32, #lathe.dims<S>>, %b = %k : tensor<8x64xf32>) -> tensor<?x64xf32, #lathe.dims<S>> {
    %scores = lathe.dot_general %a, %b contract [1] x [0] : tensor<?x8xf32, #lathe.dims<S>>, tensor<8x64xf32>
    %e = lathe.exp %scores : tensor<?x64xf32, #lathe.dims<S>>
    lathe.yield %e : tensor<?x64xf32, #lathe.dims<S>>
  }
  %mean = lathe.kernel(%a = %weights : tensor<?x64xf32, #lathe.dims<S>>, %b = %v : tensor<64x4xf32>) -> tensor<?x4xf32, #lathe.dims<S>> {
    %m = lathe.dot_general %a, %b contract [1] x [0] : tensor<?x64xf32, #lathe.dims<S>>, tensor<64x4xf32>
    lathe.yield %m : tensor<?x4xf32, #lathe.dims<S>>
  }
  return %mean : tensor<?x4xf32, #lathe.dims<S>>
}
// -----
// lathe-opt '--lathe-pack-loop-weights=targets=x86-64-v2 least-bytes=0'
func.func @steps(%x: tensor<4x6xf64>, %w: tensor<6x6xf64>) -> tensor<4x6xf64> {
  %0 = lathe.scan carry(%s = %x : tensor<4x6xf64>) trip 12 -> (tensor<4x6xf64>) {
    %1 = lathe.kernel(%a = %s : tensor<4x6xf64>, %b = %w : tensor<6x6xf64>) -> tensor<4x6xf64> {
      %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<4x6xf64>, tensor<6x6xf64>
      lathe.yield %p : tensor<4x6xf64>
    }
    lathe.yield carry(%1 : tensor<4x6xf64>)
  }
  return %0 : tensor<4x6xf64>
}
// -----
// lathe-opt --lathe-order
func.func @numbers(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64xf32> {
  %a = lathe.kernel(%l = %x : tensor<64x64xf32>, %r = %y : tensor<64x64xf32>) -> tensor<64x64xf32> {
    %p = lathe.dot_general %l, %r contract [1] x [0] : tensor<64x64xf32>
    lathe.yield %p : tensor<64x64xf32>
  }
  %b = lathe.kernel(%l = %y : tensor<64x64xf32>, %r = %x : tensor<64x64xf32>) -> tensor<64x64xf32> {
    %p = lathe.dot_general %l, %r contract [1] x [0] : tensor<64x64xf32>
    lathe.yield %p : tensor<64x64xf32>
  }
  %c = lathe.kernel(%m = %a : tensor<64x64xf32>) -> tensor<64xf32> {
    %s = lathe.reduce sum %m dims [1] : tensor<64x64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  %d = lathe.kernel(%m = %b : tensor<64x64xf32>, %v = %c : tensor<64xf32>) -> tensor<64xf32> {
    %p = lathe.dot_general %m, %v contract [1] x [0] : tensor<64x64xf32>, tensor<64xf32>
    lathe.yield %p : tensor<64xf32>
  }
  return %d : tensor<64xf32>
}
// -----
// lathe-opt --lathe-recompute=bytes=33024
func.func @late(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = lathe.kernel(%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = lathe.exp %a : tensor<64x64xf32>
    lathe.yield %0 : tensor<64x64xf32>
  }
  %p = lathe.kernel(%a = %e : tensor<64x64xf32>, %b = %y : tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x64xf32>
    lathe.yield %0 : tensor<64x64xf32>
  }
  %q = lathe.kernel(%a = %p : tensor<64x64xf32>, %b = %y : tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x64xf32>
    lathe.yield %0 : tensor<64x64xf32>
  }
  %r = lathe.kernel(%a = %e : tensor<64x64xf32>, %b = %q : tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x64xf32>
    lathe.yield %0 : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
// -----
// lathe-opt --lathe-overlap
func.func @means(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = lathe.kernel(%v = %x : tensor<64xf32>) -> tensor<64xf32> {
    %e = lathe.exp %v : tensor<64xf32>
    lathe.yield %e : tensor<64xf32>
  }
  %b = lathe.kernel(%v = %y : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.sin %v : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  %c = lathe.kernel(%v = %a : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce sum %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  %d = lathe.kernel(%v = %b : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce sum %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  return %c, %d : tensor<64xf32>, tensor<64xf32>
}
// -----
// lathe-opt --lathe-plan
func.func @two_kernels(%x: tensor<?x?xf32, #lathe.dims<N, M>>) -> tensor<?xf32, #lathe.dims<N>> {
  %0 = lathe.kernel(%a = %x : tensor<?x?xf32, #lathe.dims<N, M>>) -> tensor<?xf32, #lathe.dims<M>> {
    %s = lathe.reduce sum %a dims [0] : tensor<?x?xf32, #lathe.dims<N, M>>
    lathe.yield %s : tensor<?xf32, #lathe.dims<M>>
  }
  %1 = lathe.kernel(%a = %x : tensor<?x?xf32, #lathe.dims<N, M>>, %b = %0 : tensor<?xf32, #lathe.dims<M>>) -> tensor<?xf32, #lathe.dims<N>> {
    %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<?x?xf32, #lathe.dims<N, M>>, tensor<?xf32, #lathe.dims<M>>
    lathe.yield %p : tensor<?xf32, #lathe.dims<N>>
  }
  return %1 : tensor<?xf32, #lathe.dims<N>>
}
// -----
// not lathe-opt --lathe-verify-plan --mlir-print-op-on-diagnostic=false
func.func @overlap(%x: tensor<32xf32>) -> tensor<32xf32> attributes {lathe.workspace = #lathe.dim<256>} {
  %0 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <0>>]} {
    %n = lathe.neg %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %1 = lathe.kernel(%a = %x : tensor<32xf32>) -> tensor<32xf32> attributes {lathe.buffers = [#lathe.buffer<arena 0 at <64>>]} {
    %n = lathe.abs %a : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  %2 = lathe.kernel(%a = %0 : tensor<32xf32>, %b = %1 : tensor<32xf32>) -> tensor<32xf32>
      attributes {lathe.buffers = [#lathe.buffer<result 0 at <0>>]} {
    %n = lathe.add %a, %b : tensor<32xf32>
    lathe.yield %n : tensor<32xf32>
  }
  return %2 : tensor<32xf32>
}
// -----
// lathe-opt '--lathe-pack-weights=targets=x86-64-v2 least-bytes=0'
func.func @product(%x: tensor<64x2xf64>) -> tensor<64x8xf64> {
  %w = lathe.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0]]> : tensor<2x8xf64>
  %0 = lathe.kernel(%a = %x : tensor<64x2xf64>, %b = %w : tensor<2x8xf64>) -> tensor<64x8xf64> {
    %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x2xf64>, tensor<2x8xf64>
    lathe.yield %p : tensor<64x8xf64>
  }
  return %0 : tensor<64x8xf64>
}
// -----
// lathe-opt --lathe-schedule-cpu=target=x86-64-v3
func.func @product(%x: tensor<64x256xf32>, %w: tensor<256x512xf32>) -> tensor<64x512xf32> {
  %0 = lathe.kernel(%a = %x : tensor<64x256xf32>, %b = %w : tensor<256x512xf32>) -> tensor<64x512xf32> {
    %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x256xf32>, tensor<256x512xf32>
    lathe.yield %p : tensor<64x512xf32>
  }
  return %0 : tensor<64x512xf32>
}
// -----
// not lathe-opt --lathe-verify-schedules-cpu=target=x86-64-v3 --mlir-print-op-on-diagnostic=false
func.func @sums(%x: tensor<64x1000xf32>) -> tensor<64xf32> {
  %0 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 1, vectors = 2}>]} {
    %s = lathe.reduce sum %a dims [1] : tensor<64x1000xf32>
    lathe.yield %s : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
// -----
// lathe-opt --lathe-schedule-gpu=target=cuda:sm_80
func.func @product(%x: tensor<64x256xf32>, %w: tensor<256x512xf32>) -> tensor<64x512xf32> {
  %0 = lathe.kernel(%a = %x : tensor<64x256xf32>, %b = %w : tensor<256x512xf32>) -> tensor<64x512xf32> {
    %p = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x256xf32>, tensor<256x512xf32>
    lathe.yield %p : tensor<64x512xf32>
  }
  return %0 : tensor<64x512xf32>
}
// -----
// not lathe-opt --lathe-verify-schedules-gpu=target=cuda:sm_80 --mlir-print-op-on-diagnostic=false
func.func @sums(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  %0 = lathe.kernel(%a = %x : tensor<64x4096xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" loops {group_columns = 1, group_rows = 128, lanes = 4, parts = 1, steps = 1}>]} {
    %s = lathe.reduce sum %a dims [1] : tensor<64x4096xf32>
    lathe.yield %s : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
// -----
// lathe-opt --lathe-widen
func.func @tenth(%x: tensor<2xf32>) -> tensor<2xf32> {
  %tenth = lathe.constant dense<0.1> : tensor<2xf32>
  %y = lathe.mul %x, %tenth : tensor<2xf32>
  return %y : tensor<2xf32>
}
// -----
// lathe-opt --lathe-gradcheck-subjects=function=f
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = lathe.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// -----
// lathe-opt --lathe-gradcheck-entries
func.func @f(%x: tensor<4xf64> {lathe.name = "x"}) -> tensor<4xf64> attributes {lathe.gradcheck} {
  %y = lathe.exp %x : tensor<4xf64>
  return %y : tensor<4xf64>
}
