// Compiled gradients through branches and loops against the interpreter. Checkpoints change no bit of what is carried; what is
// summed up over steps, the gradient of a captured value, is summed up by segments.
// RUN: lathe-run %s cell --random --dim N=3 --dim T=5 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s cell --random --dim N=1 --dim T=1 --check --rtol 1e-4 --atol 1e-5 -O 0
// RUN: lathe-run %s cell --random --dim N=17 --dim T=9 --check --rtol 1e-4 --atol 1e-5 -O 3 --threads 2
// RUN: lathe-run %s cell --random --dim N=17 --dim T=9 --check --rtol 1e-4 --atol 1e-5 --specialize N=17 --specialize T=9
// RUN: lathe-run %s cell --random --dim N=4 --dim T=7 --bisect --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s cell --random --dim N=3 --dim T=5 --gradcheck
// RUN: lathe-run %s cut --random --input length=0 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s cut --random --input length=11 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s cut --random --input length=40 --check --rtol 1e-4 --atol 1e-5 -O 0
// RUN: lathe-run %s newton --random --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s newton --random --check --rtol 1e-4 --atol 1e-5 -O 0
// RUN: lathe-run %s each --random --dim N=5 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s kept --random --seed 3 > %t.kept
// RUN: lathe-run %s again --random --seed 3 > %t.again
// RUN: diff %t.kept %t.again
// RUN: sh -c 'lathe-run %s endless --input x=0.5; test $? = 4' 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: sh -c 'lathe-run %s endless --input x=0.5 --interpret; test $? = 4' 2>&1 | FileCheck %s --check-prefix=ENDLESS

!c = tensor<?x8xf32>
!xs = tensor<?x?x6xf32>
!ys = tensor<?x?x8xf32>

// A recurrent cell with a mean over time as loss.
func.func private @loss(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: !c {lathe.dims = #lathe.dims<N>}, %w: tensor<6x8xf32>, %u: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<f32> {
  %h, %ys = lathe.scan carry(%h = %h0 : !c) over(%x = %xs : !xs) -> (!c, !ys) {
    %xw = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x6xf32>, tensor<6x8xf32>
    %hu = lathe.dot_general %h, %u contract [1] x [0] : !c, tensor<8x8xf32>
    %sum = lathe.add %xw, %hu : !c
    %shifted = lathe.add %sum, %b : !c, tensor<8xf32>
    %next = lathe.tanh %shifted : !c
    lathe.yield carry(%next : !c) collect(%next : !c)
  }
  %sq = lathe.mul %ys, %ys : !ys
  %r = lathe.reduce sum %sq dims [0, 1, 2] : !ys
  return %r : tensor<f32>
}
func.func @cell(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>},
                %w: tensor<6x8xf32>, %u: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<f32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %l, %dw, %du, %db = lathe.value_and_grad @loss(%xs, %h0, %w, %u, %b) wrt [2, 3, 4]
      : (tensor<?x?x6xf32>, tensor<?x8xf32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> (tensor<f32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<8xf32>)
  return %l, %dw, %du, %db : tensor<f32>, tensor<6x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}

// In segments, up to a length that no segment divides.
func.func private @upTo(%xs: tensor<20x5xf32>, %h0: tensor<5xf32>, %length: tensor<i32>) -> tensor<f32> {
  %h = lathe.scan carry(%h = %h0 : tensor<5xf32>) over(%x = %xs : tensor<20x5xf32>) length %length checkpoint every 3 -> tensor<5xf32> {
    %0 = lathe.mul %h, %x : tensor<5xf32>
    %next = lathe.sin %0 : tensor<5xf32>
    lathe.yield carry(%next : tensor<5xf32>)
  }
  %r = lathe.reduce sum %h dims [0] : tensor<5xf32>
  return %r : tensor<f32>
}
func.func @cut(%xs: tensor<20x5xf32>, %h0: tensor<5xf32>, %length: tensor<i32>) -> (tensor<20x5xf32>, tensor<5xf32>) {
  %l, %dxs, %dh = lathe.value_and_grad @upTo(%xs, %h0, %length) wrt [0, 1] : (tensor<20x5xf32>, tensor<5xf32>, tensor<i32>) -> (tensor<f32>, tensor<20x5xf32>, tensor<5xf32>)
  return %dxs, %dh : tensor<20x5xf32>, tensor<5xf32>
}

// Newton's method until it is close, in a branch of its own for numbers below zero.
func.func private @root(%a: tensor<f32>) -> tensor<f32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %p = lathe.compare gt %a, %zero : tensor<f32>
  %r = lathe.if %p -> tensor<f32> {
    %x = lathe.while carry(%x = %a : tensor<f32>) bound 60 checkpoint every 4 {
      %square = lathe.mul %x, %x : tensor<f32>
      %off = lathe.sub %square, %a : tensor<f32>
      %distance = lathe.abs %off : tensor<f32>
      %close = lathe.constant dense<1.0e-4> : tensor<f32>
      %allowed = lathe.mul %close, %a : tensor<f32>
      %go = lathe.compare gt %distance, %allowed : tensor<f32>
      lathe.condition %go : tensor<i1>
    } do {
      %quotient = lathe.div %a, %x : tensor<f32>
      %sum = lathe.add %x, %quotient : tensor<f32>
      %half = lathe.constant dense<0.5> : tensor<f32>
      %next = lathe.mul %sum, %half : tensor<f32>
      lathe.yield carry(%next : tensor<f32>)
    }
    lathe.yield %x : tensor<f32>
  } else {
    %n = lathe.mul %a, %a : tensor<f32>
    lathe.yield %n : tensor<f32>
  }
  return %r : tensor<f32>
}
func.func @newton(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %v, %g = lathe.value_and_grad @root(%a) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %v, %g : tensor<f32>, tensor<f32>
}

// The gradient of each of a batch, of which each takes its own branch and its own number of steps.
func.func private @gradient(%a: tensor<f32>) -> tensor<f32> {
  %v, %g = lathe.value_and_grad @root(%a) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %g : tensor<f32>
}
func.func @each(%as: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %gs = lathe.vmap @gradient(%as) in [0] : (tensor<?xf32>) -> tensor<?xf32>
  return %gs : tensor<?xf32>
}

func.func private @keeps(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<f32> {
  %h = lathe.scan carry(%h = %x : tensor<8xf32>) trip 50 -> tensor<8xf32> {
    %a = lathe.mul %h, %w : tensor<8xf32>
    %n = lathe.sin %a : tensor<8xf32>
    lathe.yield carry(%n : tensor<8xf32>)
  }
  %r = lathe.reduce sum %h dims [0] : tensor<8xf32>
  return %r : tensor<f32>
}
func.func @kept(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %v, %dx = lathe.value_and_grad @keeps(%x, %w) wrt [0] : (tensor<8xf32>, tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>)
  return %dx : tensor<8xf32>
}
func.func private @repeats(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<f32> {
  %h = lathe.scan carry(%h = %x : tensor<8xf32>) trip 50 checkpoint every 10 -> tensor<8xf32> {
    %a = lathe.mul %h, %w : tensor<8xf32>
    %n = lathe.sin %a : tensor<8xf32>
    lathe.yield carry(%n : tensor<8xf32>)
  }
  %r = lathe.reduce sum %h dims [0] : tensor<8xf32>
  return %r : tensor<f32>
}
func.func @again(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %v, %dx = lathe.value_and_grad @repeats(%x, %w) wrt [0] : (tensor<8xf32>, tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>)
  return %dx : tensor<8xf32>
}

// The compiler chooses its segments; the report names the graph's bound.
func.func private @squares(%x: tensor<f32>) -> tensor<f32> {
  %limit = lathe.constant dense<100.0> : tensor<f32>
  // ENDLESS: control-derivatives.mlir:[[#@LINE+1]]:{{[0-9]+}}: error: {{(endless: )?}}lathe.while exceeds its bound of 100 steps
  %v = lathe.while carry(%v = %x : tensor<f32>) bound 100 checkpoint sqrt {
    %go = lathe.compare lt %v, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %n = lathe.mul %v, %v : tensor<f32>
    lathe.yield carry(%n : tensor<f32>)
  }
  return %v : tensor<f32>
}
func.func @endless(%x: tensor<f32>) -> tensor<f32> {
  %v, %g = lathe.value_and_grad @squares(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %g : tensor<f32>
}
