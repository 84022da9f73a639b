// Attention in strips: against the interpreter, and the bits of one thread without strips (-O0), of several threads, of versions for
// known sizes, and of other CPUs' code. Numbers of rows are above and below those of a strip, and leave strips that are not full.
// RUN: lathec %s --emit=mlir --emit-stage=schedule -o - | FileCheck %s
// RUN: lathe-run %s plain --random --save %t.plain --check
// RUN: lathe-run %s plain --random -O 0 --expect y=@%t.plain/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s plain --random --threads 3 --expect y=@%t.plain/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s plain --random --target x86-64-v2 --check
// RUN: lathe-run %s masked --random --save %t.masked --check
// RUN: lathe-run %s masked --random -O 0 --expect y=@%t.masked/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s masked --random --threads 3 --expect y=@%t.masked/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s doubles --random --save %t.doubles --check
// RUN: lathe-run %s doubles --random --threads 3 --expect y=@%t.doubles/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s halves --random --check --rtol 1e-2
// RUN: lathe-run %s open --random --dim B=3 --dim S=100 --dim T=77 --save %t.open --check
// RUN: lathe-run %s open --random --dim B=3 --dim S=100 --dim T=77 -O 0 --expect y=@%t.open/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s open --input q=@%t.open/in-q.npy --input k=@%t.open/in-k.npy --input v=@%t.open/in-v.npy --specialize S=100 --specialize T=77 --expect y=@%t.open/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s open --random --dim B=20 --dim S=1 --dim T=1 --threads 3 --check
// RUN: lathe-run %s open --random --dim B=20 --dim S=48 --dim T=65 --threads 3 --check
// RUN: lathe-run %s open --random --dim B=20 --dim S=97 --dim T=2 --threads 3 --check
// RUN: lathe-run %s open --random --dim B=0 --dim S=49 --dim T=2 | FileCheck %s --check-prefix=EMPTY
// RUN: lathe-run %s open --random --dim B=2 --dim S=0 --dim T=2 | FileCheck %s --check-prefix=EMPTY
// RUN: lathe-run %s open --random --dim B=2 --dim S=5 --dim T=0 --check
// RUN: lathe-run %s chain --random --check
// EMPTY: empty

// CHECK-LABEL: func.func @plain
// CHECK: schedules = [#lathe.schedule<"{{[^"]*}}" strips>]
// CHECK: lathe.strips
// CHECK: #lathe.schedule<"{{[^"]*}}" contraction
// CHECK: #lathe.schedule<"{{[^"]*}}" row_passes
// CHECK: #lathe.schedule<"{{[^"]*}}" contraction
// CHECK-LABEL: func.func @masked
// CHECK: lathe.strips
// CHECK-LABEL: func.func @doubles
// CHECK: lathe.strips
// CHECK-LABEL: func.func @halves
// CHECK: lathe.strips
// CHECK-LABEL: func.func @open
// CHECK: lathe.strips
// CHECK-LABEL: func.func @chain
// CHECK: lathe.strips

lathe.dim @B, 0 to 64
lathe.dim @S, 0 to 4096
lathe.dim @T, 0 to 4096

func.func @plain(%q: tensor<3x333x24xf32>, %k: tensor<3x77x24xf32>, %v: tensor<3x77x20xf32>) -> (tensor<3x333x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v : tensor<3x333x24xf32>, tensor<3x77x24xf32>, tensor<3x77x20xf32>
  return %y : tensor<3x333x20xf32>
}

// A mask for each pair, a bias that the heads share, and the triangle of earlier keys.
func.func @masked(%q: tensor<2x2x210x24xf32>, %k: tensor<2x2x100x24xf32>, %v: tensor<2x2x100x20xf32>, %m: tensor<210x100xi1>,
                  %b: tensor<2x1x1x100xf32>) -> (tensor<2x2x210x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v mask %m bias %b causal : tensor<2x2x210x24xf32>, tensor<2x2x100x24xf32>, tensor<2x2x100x20xf32>, tensor<210x100xi1>, tensor<2x1x1x100xf32>
  return %y : tensor<2x2x210x20xf32>
}

func.func @doubles(%q: tensor<1000x24xf64>, %k: tensor<77x24xf64>, %v: tensor<77x20xf64>) -> (tensor<1000x20xf64> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v : tensor<1000x24xf64>, tensor<77x24xf64>, tensor<77x20xf64>
  return %y : tensor<1000x20xf64>
}

func.func @halves(%q: tensor<1000x24xbf16>, %k: tensor<77x24xbf16>, %v: tensor<77x20xbf16>) -> (tensor<1000x20xbf16> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v : tensor<1000x24xbf16>, tensor<77x24xbf16>, tensor<77x20xbf16>
  return %y : tensor<1000x20xbf16>
}

func.func @open(%q: tensor<?x?x24xf32> {lathe.dims = #lathe.dims<B, S>}, %k: tensor<?x?x24xf32> {lathe.dims = #lathe.dims<B, T>},
                %v: tensor<?x?x20xf32> {lathe.dims = #lathe.dims<B, T>}) -> (tensor<?x?x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v causal : tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x20xf32>
  return %y : tensor<?x?x20xf32>
}

// Two layers of a network without a softmax: rows of the hidden layer never leave the cache.
func.func @chain(%x: tensor<1001x16xf32>, %w: tensor<16x200xf32>, %u: tensor<200x8xf32>) -> tensor<1001x8xf32> {
  %hidden = lathe.dot_general %x, %w contract [1] x [0] : tensor<1001x16xf32>, tensor<16x200xf32>
  %tanh = lathe.tanh %hidden : tensor<1001x200xf32>
  %y = lathe.dot_general %tanh, %u contract [1] x [0] : tensor<1001x200xf32>, tensor<200x8xf32>
  return %y : tensor<1001x8xf32>
}
