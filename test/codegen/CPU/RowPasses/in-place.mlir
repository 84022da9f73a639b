// Compiled code against the interpreter: a kernel over rows whose result takes the place of what it reads.
// RUN: lathe-run %s attention --random --dim B=2 --dim S=5 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s attention --random --dim B=3 --dim S=70 --check --rtol 1e-4 --atol 1e-5 --threads 2
// RUN: lathe-run %s attention --random --dim B=2 --dim S=33 --check --rtol 1e-4 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s again --random --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s again --random --check --rtol 1e-4 --atol 1e-5 --target x86-64-v3
// RUN: lathe-run %s again_of_any --random --dim N=9 --dim M=99 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s loop --random --input n=0 --check --rtol 1e-12 --atol 0
// RUN: lathe-run %s loop --random --input n=2 --check --rtol 1e-12 --atol 0
// RUN: lathe-run %s loop --random --input n=2 --check --rtol 1e-12 --atol 0 --target x86-64-v2
// RUN: lathe-run %s doubled --random --check --rtol 0 --atol 0
// RUN: lathec %s --emit=none --explain 2>&1 | FileCheck %s

// Scores with a scale and a mask are one kernel with their product, and weights take their place. The product after them goes along
// the rows: with those along the columns, as in attention, it would be a kernel of strips.
// CHECK-DAG: [fusion] @attention: one kernel of dot_general, mul, add, 1 value stored
// CHECK-DAG: in-place.mlir:[[#@LINE+7]]:14: remark: [plan] @attention: the result reuses the buffer of a value whose live range ends here
func.func @attention(%q: tensor<?x?x8xf32> {lathe.dims = #lathe.dims<B, S>}, %k: tensor<?x?x8xf32> {lathe.dims = #lathe.dims<B, S>},
                     %v: tensor<?x?x8xf32> {lathe.dims = #lathe.dims<B, S>}, %mask: tensor<?x?xf32> {lathe.dims = #lathe.dims<S, S>}) -> tensor<?x?x8xf32> {
  %scale = lathe.constant dense<0.35> : tensor<f32>
  %product = lathe.dot_general %q, %k contract [2] x [2] batch [0] x [0] : tensor<?x?x8xf32>, tensor<?x?x8xf32>
  %scaled = lathe.mul %product, %scale : tensor<?x?x?xf32>, tensor<f32>
  %x = lathe.add %scaled, %mask : tensor<?x?x?xf32>, tensor<?x?xf32>
  %largest = lathe.reduce max %x dims [2] : tensor<?x?x?xf32>
  %wide = lathe.broadcast %largest dims [0, 1] to [B, S, S] : tensor<?x?xf32>
  %shifted = lathe.sub %x, %wide : tensor<?x?x?xf32>
  %exp = lathe.exp %shifted : tensor<?x?x?xf32>
  %sum = lathe.reduce sum %exp dims [2] : tensor<?x?x?xf32>
  %total = lathe.broadcast %sum dims [0, 1] to [B, S, S] : tensor<?x?xf32>
  %weights = lathe.div %exp, %total : tensor<?x?x?xf32>
  %y = lathe.dot_general %weights, %v contract [1] x [1] batch [0] x [0] : tensor<?x?x?xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// The last pass reads the operand again: exponentials must not overwrite it.
// CHECK-DAG: [plan] @again: the result reuses the buffer of a value whose live range ends here
func.func @again(%a: tensor<7x16xf32>, %b: tensor<16x300xf32>, %c: tensor<300x3xf32>) -> tensor<7x3xf32> {
  %x = lathe.dot_general %a, %b contract [1] x [0] : tensor<7x16xf32>, tensor<16x300xf32>
  %e = lathe.exp %x : tensor<7x300xf32>
  %sum = lathe.reduce sum %e dims [1] : tensor<7x300xf32>
  %sums = lathe.broadcast %sum dims [0] to [7, 300] : tensor<7xf32>
  %part = lathe.div %e, %sums : tensor<7x300xf32>
  %both = lathe.add %part, %x : tensor<7x300xf32>
  %y = lathe.dot_general %both, %c contract [1] x [0] : tensor<7x300xf32>, tensor<300x3xf32>
  return %y : tensor<7x3xf32>
}

func.func @again_of_any(%a: tensor<?x16xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<16x?xf32> {lathe.dims = #lathe.dims<M>},
                        %c: tensor<?x3xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x3xf32> {
  %x = lathe.dot_general %a, %b contract [1] x [0] : tensor<?x16xf32>, tensor<16x?xf32>
  %t = lathe.tanh %x : tensor<?x?xf32>
  %e = lathe.exp %t : tensor<?x?xf32>
  %sum = lathe.reduce sum %e dims [1] : tensor<?x?xf32>
  %sums = lathe.broadcast %sum dims [0] to [N, M] : tensor<?xf32>
  %part = lathe.div %e, %sums : tensor<?x?xf32>
  %both = lathe.add %part, %t : tensor<?x?xf32>
  %y = lathe.dot_general %both, %c contract [1] x [0] : tensor<?x?xf32>, tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// A loop's kernel in the place of its carry, which the last pass reads after a value that it keeps.
func.func private @steps(%v: tensor<4x3xf64>, %n: tensor<i64>) -> tensor<2x4x3xf64> {
  %last, %all = lathe.scan carry(%c = %v : tensor<4x3xf64>) trip 2 length %n : tensor<i64> -> (tensor<4x3xf64>, tensor<2x4x3xf64>) {
    %r0 = lathe.tanh %c : tensor<4x3xf64>
    %r1 = lathe.neg %r0 : tensor<4x3xf64>
    %r2 = lathe.reduce max %r0 dims [0, 1] : tensor<4x3xf64>
    %r3 = lathe.mul %r1, %r2 : tensor<4x3xf64>, tensor<f64>
    %r4 = lathe.min %r3, %r0 : tensor<4x3xf64>
    lathe.yield carry(%r3 : tensor<4x3xf64>) collect(%r4 : tensor<4x3xf64>)
  }
  return %all : tensor<2x4x3xf64>
}
func.func @loop(%v: tensor<4x3xf64>, %n: tensor<i64>, %t: tensor<4x3xf64>) -> (tensor<2x4x3xf64>, tensor<2x4x3xf64>) {
  %y, %dy = lathe.jvp @steps(%v, %n) tangents(%t) wrt [0] : (tensor<4x3xf64>, tensor<i64>), (tensor<4x3xf64>) -> (tensor<2x4x3xf64>, tensor<2x4x3xf64>)
  return %y, %dy : tensor<2x4x3xf64>, tensor<2x4x3xf64>
}

// Rows of one half, each in the place of what it reads: none is stored over the next one.
func.func private @twice(%v: tensor<1xbf16>) -> tensor<1xbf16> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %r, %n = lathe.while carry(%c = %v : tensor<1xbf16>, %i = %zero : tensor<i32>) bound 7 {
    %three = lathe.constant dense<3> : tensor<i32>
    %go = lathe.compare lt %i, %three : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %max = lathe.reduce max %c dims [0] : tensor<1xbf16>
    %sum = lathe.add %c, %max : tensor<1xbf16>, tensor<bf16>
    %abs = lathe.abs %sum : tensor<1xbf16>
    %one = lathe.constant dense<1> : tensor<i32>
    %next = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%abs : tensor<1xbf16>, %next : tensor<i32>)
  }
  return %r : tensor<1xbf16>
}
func.func @doubled(%v: tensor<1x16xbf16>) -> tensor<16x1xbf16> {
  %r = lathe.vmap @twice(%v) in [1] : (tensor<1x16xbf16>) -> tensor<16x1xbf16>
  return %r : tensor<16x1xbf16>
}
