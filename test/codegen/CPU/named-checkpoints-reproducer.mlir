// lathec 0.1.0 named-checkpoints.mlir --specialize N=5 -o /tmp/x.o
// Checkpoints over a named number of steps: every number of them, dividing or not, gives what no checkpoint does. What is carried
// is so bit by bit; the gradient of a captured value is summed up by segments.
// RUN: lathe-run %s none --random --seed 3 --dim N=3 --dim T=1 --input length=0 > %t.none
// RUN: lathe-run %s sqrt --random --seed 3 --dim N=3 --dim T=1 --input length=0 > %t.sqrt
// RUN: diff %t.none %t.sqrt
// RUN: lathe-run %s every --random --seed 3 --dim N=3 --dim T=1 --input length=0 > %t.every
// RUN: diff %t.none %t.every
// RUN: lathe-run %s none --random --seed 3 --dim N=3 --dim T=2 --input length=0 > %t.none
// RUN: lathe-run %s sqrt --random --seed 3 --dim N=3 --dim T=2 --input length=0 > %t.sqrt
// RUN: diff %t.none %t.sqrt
// RUN: lathe-run %s every --random --seed 3 --dim N=3 --dim T=2 --input length=0 > %t.every
// RUN: diff %t.none %t.every
// RUN: lathe-run %s none --random --seed 3 --dim N=3 --dim T=3 --input length=1 > %t.none
// RUN: lathe-run %s sqrt --random --seed 3 --dim N=3 --dim T=3 --input length=1 > %t.sqrt
// RUN: diff %t.none %t.sqrt
// RUN: lathe-run %s every --random --seed 3 --dim N=3 --dim T=3 --input length=1 > %t.every
// RUN: diff %t.none %t.every
// RUN: lathe-run %s none --random --seed 3 --dim N=3 --dim T=8 --input length=6 > %t.none
// RUN: lathe-run %s sqrt --random --seed 3 --dim N=3 --dim T=8 --input length=6 > %t.sqrt
// RUN: diff %t.none %t.sqrt
// RUN: lathe-run %s every --random --seed 3 --dim N=3 --dim T=8 --input length=6 > %t.every
// RUN: diff %t.none %t.every
// RUN: lathe-run %s none --random --seed 3 --dim N=3 --dim T=9 --input length=7 > %t.none
// RUN: lathe-run %s sqrt --random --seed 3 --dim N=3 --dim T=9 --input length=7 > %t.sqrt
// RUN: diff %t.none %t.sqrt
// RUN: lathe-run %s every --random --seed 3 --dim N=3 --dim T=9 --input length=7 > %t.every
// RUN: diff %t.none %t.every
// RUN: lathe-run %s none --random --seed 3 --dim N=3 --dim T=10 --input length=8 > %t.none
// RUN: lathe-run %s sqrt --random --seed 3 --dim N=3 --dim T=10 --input length=8 > %t.sqrt
// RUN: diff %t.none %t.sqrt
// RUN: lathe-run %s every --random --seed 3 --dim N=3 --dim T=10 --input length=8 > %t.every
// RUN: diff %t.none %t.every
// RUN: lathe-run %s none --random --seed 3 --dim N=3 --dim T=50 --input length=48 > %t.none
// RUN: lathe-run %s sqrt --random --seed 3 --dim N=3 --dim T=50 --input length=48 > %t.sqrt
// RUN: diff %t.none %t.sqrt
// RUN: lathe-run %s every --random --seed 3 --dim N=3 --dim T=50 --input length=48 > %t.every
// RUN: diff %t.none %t.every
// RUN: lathe-run %s captured --random --dim N=3 --dim T=7 --input length=5 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s captured --random --dim N=3 --dim T=7 --input length=5 --gradcheck
// RUN: lathe-run %s capturedEvery --random --dim N=3 --dim T=7 --input length=7 --gradcheck
// RUN: lathe-run %s captured --random --dim N=5 --dim T=26 --input length=99 --check --rtol 1e-4 --atol 1e-5 -O 0
// RUN: lathe-run %s captured --random --dim N=5 --dim T=26 --input length=99 --check --rtol 1e-4 --atol 1e-5 -O 3 --threads 2
// RUN: lathe-run %s captured --random --dim N=5 --dim T=26 --input length=20 --check --rtol 1e-4 --atol 1e-5 --specialize T=26
// RUN: lathe-run %s capturedEvery --random --dim N=17 --dim T=26 --input length=20 --check --rtol 1e-4 --atol 1e-5 --specialize T=26 --specialize N=17

!xs = tensor<?x?x6xf32>
!h = tensor<?x6xf32>

func.func private @noneLoss(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: !h {lathe.dims = #lathe.dims<N>}, %length: tensor<i32>, %w: tensor<6xf32>) -> tensor<f32> {
  %h, %ys = lathe.scan carry(%h = %h0 : !h) over(%x = %xs : !xs) length %length -> (!h, !xs) {
    %hx = lathe.mul %h, %x : !h
    %hw = lathe.mul %hx, %w : !h, tensor<6xf32>
    %next = lathe.sin %hw : !h
    lathe.yield carry(%next : !h) collect(%hx : !h)
  }
  %back, %zs = lathe.scan carry(%b = %h : !h) over(%x = %ys : !xs) reverse -> (!h, !xs) {
    %sum = lathe.add %b, %x : !h
    %next = lathe.tanh %sum : !h
    lathe.yield carry(%next : !h) collect(%next : !h)
  }
  %squares = lathe.mul %zs, %zs : !xs
  %r = lathe.reduce sum %squares dims [0, 1, 2] : !xs
  return %r : tensor<f32>
}
func.func @none(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: !h {lathe.dims = #lathe.dims<N>}, %length: tensor<i32>, %w: tensor<6xf32>) -> (tensor<f32>, !xs, !h) {
  %l, %d0, %d1 = lathe.value_and_grad @noneLoss(%xs, %h0, %length, %w) wrt [0, 1] : (!xs, !h, tensor<i32>, tensor<6xf32>) -> (tensor<f32>, !xs, !h)
  return %l, %d0, %d1 : tensor<f32>, !xs, !h
}

func.func private @sqrtLoss(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: !h {lathe.dims = #lathe.dims<N>}, %length: tensor<i32>, %w: tensor<6xf32>) -> tensor<f32> {
  %h, %ys = lathe.scan carry(%h = %h0 : !h) over(%x = %xs : !xs) length %length checkpoint sqrt -> (!h, !xs) {
    %hx = lathe.mul %h, %x : !h
    %hw = lathe.mul %hx, %w : !h, tensor<6xf32>
    %next = lathe.sin %hw : !h
    lathe.yield carry(%next : !h) collect(%hx : !h)
  }
  %back, %zs = lathe.scan carry(%b = %h : !h) over(%x = %ys : !xs) reverse checkpoint sqrt -> (!h, !xs) {
    %sum = lathe.add %b, %x : !h
    %next = lathe.tanh %sum : !h
    lathe.yield carry(%next : !h) collect(%next : !h)
  }
  %squares = lathe.mul %zs, %zs : !xs
  %r = lathe.reduce sum %squares dims [0, 1, 2] : !xs
  return %r : tensor<f32>
}
func.func @sqrt(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: !h {lathe.dims = #lathe.dims<N>}, %length: tensor<i32>, %w: tensor<6xf32>) -> (tensor<f32>, !xs, !h) {
  %l, %d0, %d1 = lathe.value_and_grad @sqrtLoss(%xs, %h0, %length, %w) wrt [0, 1] : (!xs, !h, tensor<i32>, tensor<6xf32>) -> (tensor<f32>, !xs, !h)
  return %l, %d0, %d1 : tensor<f32>, !xs, !h
}

func.func private @everyLoss(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: !h {lathe.dims = #lathe.dims<N>}, %length: tensor<i32>, %w: tensor<6xf32>) -> tensor<f32> {
  %h, %ys = lathe.scan carry(%h = %h0 : !h) over(%x = %xs : !xs) length %length checkpoint every 3 -> (!h, !xs) {
    %hx = lathe.mul %h, %x : !h
    %hw = lathe.mul %hx, %w : !h, tensor<6xf32>
    %next = lathe.sin %hw : !h
    lathe.yield carry(%next : !h) collect(%hx : !h)
  }
  %back, %zs = lathe.scan carry(%b = %h : !h) over(%x = %ys : !xs) reverse checkpoint every 3 -> (!h, !xs) {
    %sum = lathe.add %b, %x : !h
    %next = lathe.tanh %sum : !h
    lathe.yield carry(%next : !h) collect(%next : !h)
  }
  %squares = lathe.mul %zs, %zs : !xs
  %r = lathe.reduce sum %squares dims [0, 1, 2] : !xs
  return %r : tensor<f32>
}
func.func @every(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: !h {lathe.dims = #lathe.dims<N>}, %length: tensor<i32>, %w: tensor<6xf32>) -> (tensor<f32>, !xs, !h) {
  %l, %d0, %d1 = lathe.value_and_grad @everyLoss(%xs, %h0, %length, %w) wrt [0, 1] : (!xs, !h, tensor<i32>, tensor<6xf32>) -> (tensor<f32>, !xs, !h)
  return %l, %d0, %d1 : tensor<f32>, !xs, !h
}
func.func @captured(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: !h {lathe.dims = #lathe.dims<N>}, %length: tensor<i32>, %w: tensor<6xf32>) -> (tensor<f32>, tensor<6xf32>) {
  %l, %d3 = lathe.value_and_grad @sqrtLoss(%xs, %h0, %length, %w) wrt [3] : (!xs, !h, tensor<i32>, tensor<6xf32>) -> (tensor<f32>, tensor<6xf32>)
  return %l, %d3 : tensor<f32>, tensor<6xf32>
}
func.func @capturedEvery(%xs: !xs {lathe.dims = #lathe.dims<T, N>}, %h0: !h {lathe.dims = #lathe.dims<N>}, %length: tensor<i32>, %w: tensor<6xf32>) -> (tensor<f32>, tensor<6xf32>) {
  %l, %d3 = lathe.value_and_grad @everyLoss(%xs, %h0, %length, %w) wrt [3] : (!xs, !h, tensor<i32>, tensor<6xf32>) -> (tensor<f32>, tensor<6xf32>)
  return %l, %d3 : tensor<f32>, tensor<6xf32>
}
