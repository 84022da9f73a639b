// Elementwise ops over a concatenation: loops over the parts, in place of a choice at each vector of points. The results are bit for
// bit those of the choice, on any number of threads and any level, and those of the interpreter.
// RUN: lathec %s --target=x86-64-v3 --emit=mlir --emit-stage=schedule -o - | FileCheck %s
// RUN: rm -rf %t.* && lathec %s --target=x86-64-v3 --explain --emit=none 2>&1 | grep -o 'kernel_[a-z_]*_[0-9a-f]* for x86-64-v3: loops' | sed 's/ for.*/ #lathe.schedule<"x86-64-v3" loops {parts = -1}>/' > %t.schedules
// RUN: lathec %s --target=x86-64-v3 --emit=shared -o %t.so
// RUN: lathec %s --target=x86-64-v3 --schedule=%t.schedules --emit=shared -o %t.whole.so
// RUN: lathe-run %t.so main --random --dim N=5 --dim W=37 --save %t.one
// RUN: lathe-run %t.whole.so main --random --dim N=5 --dim W=37 --save %t.whole && diff -r %t.one %t.whole
// RUN: lathe-run %t.so main --random --dim N=5 --dim W=37 --threads=3 --save %t.three && diff -r %t.one %t.three
// RUN: lathe-run %s main --random --dim N=5 --dim W=37 --check --rtol 0 --atol 0 --target=x86-64-v2
// RUN: lathe-run %s main --random --dim N=1 --dim W=0 --check --rtol 0 --atol 0
// RUN: lathe-run %t.so rows --random --dim N=37 --save %t.rows && lathe-run %t.whole.so rows --random --dim N=37 --save %t.row && diff -r %t.rows %t.row
// RUN: lathe-run %t.so rows --random --dim N=37 --threads=3 --save %t.shared && diff -r %t.rows %t.shared
// RUN: lathe-run %s rows --random --dim N=0 --check --rtol 0 --atol 0 --threads=2
// RUN: lathe-run %t.so line --random --save %t.line && lathe-run %t.whole.so line --random --save %t.lines && diff -r %t.line %t.lines
// RUN: lathe-run %t.so line --random --threads=3 --save %t.pieces && diff -r %t.line %t.pieces
// RUN: lathe-run %s line --random --check --rtol 0 --atol 0

// Channels: parts of a known and of a named width, one of them twice, none of 0 elements, and the concatenation is stored, too.
// CHECK-LABEL: func.func @main
// CHECK: loops {{{.*}}, parts = 0, {{.*}}, vector_loop = 2,
// The vectorised loop is inside the concatenated dimension.
// CHECK: loops {{{.*}}, parts = 0, {{.*}}, vector_loop = 3,
// Bytes, halves and bits.
// CHECK: loops {{{.*}}, parts = 0, {{.*}}, vector_loop = 1,
// CHECK: loops {{{.*}}, parts = 0, {{.*}}, vector_loop = 1,
// CHECK: loops {{{.*}}, parts = 0, {{.*}}, vector_loop = 1,
// Short parts and ops that read other points than their own keep the choice.
// CHECK: loops {{{.*}}, parts = -1,
// CHECK: loops {{{.*}}, parts = -1,
func.func @main(%a: tensor<?x7x32xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x7x?xf32> {lathe.dims = #lathe.dims<N, W>},
                %e: tensor<?x7x0xf32> {lathe.dims = #lathe.dims<N>}, %scale: tensor<?xf32> {lathe.dims = #lathe.dims<2 * W + 43>},
                %c: tensor<?x7x11xf32> {lathe.dims = #lathe.dims<N>},
                %p: tensor<?x3x5x70xf32> {lathe.dims = #lathe.dims<N>}, %q: tensor<?x4x5x70xf32> {lathe.dims = #lathe.dims<N>},
                %i: tensor<9x100xi8>, %j: tensor<9x65xi8>, %h: tensor<9x100xbf16>, %k: tensor<9x65xbf16>, %m: tensor<9x100xi1>, %n: tensor<9x65xi1>,
                %x: tensor<300x1xf32>, %y: tensor<300x2xf32>, %u: tensor<40x64xf32>, %v: tensor<40x64xf32>)
    -> (tensor<?x7x?xf32> {lathe.dims = #lathe.dims<N, 2 * W + 43>}, tensor<?x7x?xf32> {lathe.dims = #lathe.dims<N, 2 * W + 43>}, tensor<?x7x5x70xf32>, tensor<9x165xi8>,
        tensor<9x165xbf16>, tensor<9x165xi1>, tensor<300x3xf32>, tensor<40x128xf32>) {
  %0 = lathe.concatenate %b, %a, %e, %b, %c dim 2 : tensor<?x7x?xf32>, tensor<?x7x32xf32>, tensor<?x7x0xf32>, tensor<?x7x?xf32>, tensor<?x7x11xf32>
  %1 = lathe.broadcast %scale dims [2] to [N, 7, 2 * W + 43] : tensor<?xf32>
  %2 = lathe.mul %0, %1 : tensor<?x7x?xf32>
  %3 = lathe.concatenate %p, %q dim 1 : tensor<?x3x5x70xf32>, tensor<?x4x5x70xf32>
  %4 = lathe.neg %3 : tensor<?x7x5x70xf32>
  %5 = lathe.concatenate %i, %j dim 1 : tensor<9x100xi8>, tensor<9x65xi8>
  %6 = lathe.neg %5 : tensor<9x165xi8>
  %7 = lathe.concatenate %h, %k dim 1 : tensor<9x100xbf16>, tensor<9x65xbf16>
  %8 = lathe.neg %7 : tensor<9x165xbf16>
  %9 = lathe.concatenate %m, %n dim 1 : tensor<9x100xi1>, tensor<9x65xi1>
  %10 = lathe.not %9 : tensor<9x165xi1>
  %11 = lathe.concatenate %x, %y dim 1 : tensor<300x1xf32>, tensor<300x2xf32>
  %12 = lathe.neg %11 : tensor<300x3xf32>
  %13 = lathe.concatenate %u, %v dim 1 : tensor<40x64xf32>, tensor<40x64xf32>
  %14 = lathe.reverse %13 dims [1] : tensor<40x128xf32>
  %15 = lathe.neg %14 : tensor<40x128xf32>
  return %0, %2, %4, %6, %8, %10, %12, %15 : tensor<?x7x?xf32>, tensor<?x7x?xf32>, tensor<?x7x5x70xf32>, tensor<9x165xi8>, tensor<9x165xbf16>, tensor<9x165xi1>, tensor<300x3xf32>, tensor<40x128xf32>
}

// Threads share the concatenated dimension: each work item finds its part.
// CHECK-LABEL: func.func @rows
// CHECK: loops {{{.*}}, parts = 0, {{.*}}, vector_loop = 1,
// CHECK: loops {{{.*}}, parts = 0, {{.*}}, vector_loop = 1,
func.func @rows(%a: tensor<100x70xf32>, %b: tensor<?x70xf32> {lathe.dims = #lathe.dims<N>}, %e: tensor<0x70xf32>, %c: tensor<900x70xf32>) -> (tensor<?x70xf32> {lathe.dims = #lathe.dims<N + 1000>}, tensor<1000x70xf32>) {
  %0 = lathe.concatenate %a, %e, %b, %c dim 0 : tensor<100x70xf32>, tensor<0x70xf32>, tensor<?x70xf32>, tensor<900x70xf32>
  %1 = lathe.neg %0 : tensor<?x70xf32>
  %2 = lathe.concatenate %a, %c dim 0 : tensor<100x70xf32>, tensor<900x70xf32>
  return %1, %2 : tensor<?x70xf32>, tensor<1000x70xf32>
}

// A single line: threads share pieces, each of which may have several parts.
// CHECK-LABEL: func.func @line
// CHECK: loops {{{.*}}, parts = 0, {{.*}}, vector_loop = 0,
func.func @line(%a: tensor<10001xf32>, %b: tensor<77xf32>, %c: tensor<9000xf32>) -> tensor<19078xf32> {
  %0 = lathe.concatenate %a, %b, %c dim 0 : tensor<10001xf32>, tensor<77xf32>, tensor<9000xf32>
  %1 = lathe.neg %0 : tensor<19078xf32>
  return %1 : tensor<19078xf32>
}
