// --explain: each decision at its line; nothing without it.
// RUN: lathec %s --explain --specialize=N=4 --target=x86-64-v3 --emit=none 2> %t && FileCheck %s --implicit-check-not=error < %t
// RUN: lathec %s --explain --target=x86-64-v3 --emit=none 2>&1 | FileCheck %s --check-prefix=GENERAL
// RUN: lathec %s --emit=none 2>&1 | count 0

lathe.dim @N, 1 to 64
// CHECK-DAG: explain.mlir:[[#@LINE+1]]:1: remark: [plan] @init: result 1 is a copy: the returned value is an argument, a view, a constant
lathe.variable @w : tensor<8x8xf32> init #lathe.zeros
lathe.variable @v : tensor<8x8xf32> init #lathe.zeros

// CHECK-DAG: explain.mlir:[[#@LINE+3]]:1: remark: [specialize] @step: specialised version for N=4, selected by the entry; other sizes use the general version
// CHECK-DAG: explain.mlir:[[#@LINE+2]]:1: remark: [plan] @step.N=4: 3 buffers, 416 bytes in total, share a workspace of 256 bytes
// GENERAL: explain.mlir:[[#@LINE+1]]:1: remark: [specialize] @step: every N uses the general version; --specialize=N=SIZE,... adds faster ones
func.func @step(%x: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x8xf32> {
  %w = lathe.read @w : tensor<8x8xf32>
  %v = lathe.read @v : tensor<8x8xf32>
  // CHECK-DAG: explain.mlir:[[#@LINE+3]]:8: remark: [fusion] @step: one kernel of dot_general, tanh, 1 value stored
  // CHECK-DAG: explain.mlir:[[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{[0-9a-f]+}} for x86-64-v3: vectors of 16 f32, on the calling thread: too little work to share
  // CHECK-DAG: explain.mlir:[[#@LINE+1]]:8: remark: [kernels] kernel_dot_general_{{[0-9a-f]+}} for x86-64-v3: vectors of 16 f32, parallel over ceil_div(N, 8) chunks if the work is large enough
  %p = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x8xf32>, tensor<8x8xf32>
  %t = lathe.tanh %p : tensor<?x8xf32>
  // CHECK-DAG: explain.mlir:[[#@LINE+2]]:8: remark: [fusion] @step: reduce apart from tanh in line [[#@LINE-1]]: both contain a reduction, product or convolution
  // CHECK-DAG: explain.mlir:[[#@LINE+1]]:8: remark: [kernels] kernel_reduce_{{[0-9a-f]+}} for x86-64-v3: vectors of 8 f32, on the calling thread: one chunk
  %s = lathe.reduce sum %t dims [0] : tensor<?x8xf32>
  // CHECK-DAG: explain.mlir:[[#@LINE+2]]:8: remark: [fusion] @step: a kernel of sub, 1 value stored
  // CHECK-DAG: explain.mlir:[[#@LINE+1]]:8: remark: [plan] @step: the result reuses the buffer of a value whose live range ends here
  %c = lathe.sub %t, %s : tensor<?x8xf32>, tensor<8xf32>
  %y = lathe.dot_general %c, %w contract [1] x [0] : tensor<?x8xf32>, tensor<8x8xf32>
  // CHECK-DAG: explain.mlir:[[#@LINE+1]]:8: remark: [plan] @step: @v is updated in place
  %n = lathe.mul %v, %v : tensor<8x8xf32>, tensor<8x8xf32>
  lathe.write @v, %n : tensor<8x8xf32>
  // CHECK-DAG: explain.mlir:[[#@LINE+1]]:8: remark: [plan] @step: @w is updated by a copy at the end: its old value is still read
  %m = lathe.dot_general %w, %w contract [1] x [0] : tensor<8x8xf32>, tensor<8x8xf32>
  lathe.write @w, %m : tensor<8x8xf32>
  return %y : tensor<?x8xf32>
}
