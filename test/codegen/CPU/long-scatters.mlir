// Sums of many updates of one element, and gradients of gathers, keep their digits: compiled code against sums of the interpreter in
// f64, of random updates and of equal ones. Additions one after the other are off by 2e-6 to 2e-3 here, of f64 by 1e-12.
// RUN: lathe-run %s one_row --random --input c=1.1 --dim N=300000 --check --rtol 5e-7 --atol 0
// RUN: lathe-run %s one_row --random --input c=1.1 --dim N=70001 --check --rtol 5e-7 --atol 0 --target x86-64-v2 --threads 2
// RUN: lathe-run %s rows --random --input c=1.1 --dim N=300000 --check --rtol 5e-7 --atol 0
// RUN: lathe-run %s rows --random --input c=1.1 --dim N=70001 --check --rtol 5e-7 --atol 0 --target x86-64-v3
// RUN: lathe-run %s rows --random --input c=1.1 --dim N=70001 --check --rtol 5e-7 --atol 0 -O 0
// RUN: lathe-run %s wide --random --input c=1.1 --dim N=3000 --dim W=270 --check --rtol 5e-7 --atol 0 --threads 2
// RUN: lathe-run %s wide --random --input c=1.1 --dim N=30000 --dim W=5 --check --rtol 5e-7 --atol 0
// RUN: lathe-run %s embedding --random --input c=1.1 --dim N=30000 --check --rtol 5e-7 --atol 0
// RUN: lathe-run %s doubles --random --input c=1.1 --dim N=300000 --check --rtol 1e-15 --atol 0
// RUN: lathe-run %s steps --random --input c=1.1 --dim N=50 --check --rtol 4e-6 --atol 0
// RUN: lathe-run %s steps --random --input c=1.1 --dim N=50 --check --rtol 4e-6 --atol 0 -O 0
// RUN: lathe-run %s limits --random --dim N=70 --check --rtol 0 --atol 0
// RUN: lathe-run %s limits --random --dim N=70 | FileCheck %s

func.func @one_row(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x20xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>)
    -> (tensor<9xf32>, tensor<9x20xf32>, tensor<9x20xf32>) {
  %place = lathe.constant dense<4> : tensor<i32>
  %places = lathe.broadcast %place dims [] to [N] : tensor<i32>
  %size = lathe.abs %x : tensor<?xf32>
  %sizes = lathe.abs %y : tensor<?x20xf32>
  %same = lathe.broadcast %c dims [] to [N, 20] : tensor<f32>
  %line = lathe.broadcast %c dims [] to [9] : tensor<f32>
  %table = lathe.broadcast %c dims [] to [9, 20] : tensor<f32>
  %0 = lathe.scatter add %line, %places, %size axis 0 : tensor<9xf32>, tensor<?xi32>, tensor<?xf32>
  %1 = lathe.scatter add %table, %places, %sizes axis 0 : tensor<9x20xf32>, tensor<?xi32>, tensor<?x20xf32>
  %2 = lathe.scatter add %table, %places, %same axis 0 : tensor<9x20xf32>, tensor<?xi32>, tensor<?x20xf32>
  return %0, %1, %2 : tensor<9xf32>, tensor<9x20xf32>, tensor<9x20xf32>
}

// Several rows, one of which no index picks, some indices out of range, and lines with indices of their own.
func.func @rows(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>)
    -> (tensor<9xf32>, tensor<3x9xf32>, tensor<3x9xf32>, tensor<1700000xf32>, tensor<3x9x4x3xf32>) {
  %eleven = lathe.constant dense<11> : tensor<i32>
  %two = lathe.constant dense<2> : tensor<i32>
  %number = lathe.iota dim 0 to [N] : i32
  %rest = lathe.rem %number, %eleven : tensor<?xi32>, tensor<i32>
  %places = lathe.sub %rest, %two : tensor<?xi32>, tensor<i32>
  %numbers = lathe.iota dim 1 to [3, N] : i32
  %rests = lathe.rem %numbers, %eleven : tensor<3x?xi32>, tensor<i32>
  %own = lathe.sub %rests, %two : tensor<3x?xi32>, tensor<i32>
  %size = lathe.abs %x : tensor<3x?xf32>
  %some = lathe.add %size, %c : tensor<3x?xf32>, tensor<f32>
  %same = lathe.broadcast %c dims [] to [N] : tensor<f32>
  %line = lathe.broadcast %c dims [] to [9] : tensor<f32>
  %lines = lathe.broadcast %c dims [] to [3, 9] : tensor<f32>
  %long = lathe.broadcast %c dims [] to [1700000] : tensor<f32>
  %blocks = lathe.broadcast %c dims [] to [3, 9, 4, 3] : tensor<f32>
  %updates = lathe.broadcast %c dims [] to [3, N, 4, 3] : tensor<f32>
  %0 = lathe.scatter add %line, %places, %same axis 0 : tensor<9xf32>, tensor<?xi32>, tensor<?xf32>
  %1 = lathe.scatter add %lines, %own, %some axis 1 batch 1 : tensor<3x9xf32>, tensor<3x?xi32>, tensor<3x?xf32>
  %2 = lathe.scatter add %lines, %places, %some axis 1 : tensor<3x9xf32>, tensor<?xi32>, tensor<3x?xf32>
  %3 = lathe.scatter add %long, %places, %same axis 0 : tensor<1700000xf32>, tensor<?xi32>, tensor<?xf32>
  %4 = lathe.scatter add %blocks, %places, %updates axis 1 : tensor<3x9x4x3xf32>, tensor<?xi32>, tensor<3x?x4x3xf32>
  return %0, %1, %2, %3, %4 : tensor<9xf32>, tensor<3x9xf32>, tensor<3x9xf32>, tensor<1700000xf32>, tensor<3x9x4x3xf32>
}

// A named number of columns.
func.func @wide(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, W>}, %c: tensor<f32>) -> tensor<6x?xf32> {
  %seven = lathe.constant dense<7> : tensor<i32>
  %number = lathe.iota dim 0 to [N] : i32
  %places = lathe.rem %number, %seven : tensor<?xi32>, tensor<i32>
  %size = lathe.abs %x : tensor<?x?xf32>
  %some = lathe.add %size, %c : tensor<?x?xf32>, tensor<f32>
  %table = lathe.broadcast %c dims [] to [6, W] : tensor<f32>
  %sums = lathe.scatter add %table, %places, %some axis 0 : tensor<6x?xf32>, tensor<?xi32>, tensor<?x?xf32>
  return %sums : tensor<6x?xf32>
}

// The gradient of a table by which words are replaced.
func.func private @embed(%table: tensor<50x24xf32>, %words: tensor<?xi32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x24xf32> {
  %y = lathe.gather %table, %words axis 0 : tensor<50x24xf32>, tensor<?xi32>
  return %y : tensor<?x24xf32>
}
func.func @embedding(%table: tensor<50x24xf32>, %words: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> tensor<50x24xf32> {
  %slope = lathe.broadcast %c dims [] to [N, 24] : tensor<f32>
  %y, %gradient = lathe.vjp @embed(%table, %words) cotangents(%slope) wrt [0]
    : (tensor<50x24xf32>, tensor<?xi32>), (tensor<?x24xf32>) -> (tensor<?x24xf32>, tensor<50x24xf32>)
  return %gradient : tensor<50x24xf32>
}

func.func @doubles(%words: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f64>) -> (tensor<9xf64>, tensor<9x20xf64>) {
  %line = lathe.broadcast %c dims [] to [9] : tensor<f64>
  %table = lathe.broadcast %c dims [] to [9, 20] : tensor<f64>
  %same = lathe.broadcast %c dims [] to [N] : tensor<f64>
  %rows = lathe.broadcast %c dims [] to [N, 20] : tensor<f64>
  %0 = lathe.scatter add %line, %words, %same axis 0 : tensor<9xf64>, tensor<?xi32>, tensor<?xf64>
  %1 = lathe.scatter add %table, %words, %rows axis 0 : tensor<9x20xf64>, tensor<?xi32>, tensor<?x20xf64>
  return %0, %1 : tensor<9xf64>, tensor<9x20xf64>
}

// An infinity stays; its rounding error would be NaN.
func.func @limits(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<2xf32>, tensor<2x9xf32>) {
  %one = lathe.constant dense<1.0> : tensor<f32>
  %line = lathe.constant dense<[0x7F800000, 1.0]> : tensor<2xf32>
  %table = lathe.broadcast %line dims [0] to [2, 9] : tensor<2xf32>
  %two = lathe.constant dense<2> : tensor<i32>
  %number = lathe.iota dim 0 to [N] : i32
  %places = lathe.rem %number, %two : tensor<?xi32>, tensor<i32>
  %ones = lathe.broadcast %one dims [] to [N] : tensor<f32>
  %rows = lathe.broadcast %one dims [] to [N, 9] : tensor<f32>
  // CHECK: added: {{.*}}: inf 36
  // CHECK: added_rows: {{.*}}: inf inf inf inf inf inf inf inf inf 36
  %added = lathe.scatter add %line, %places, %ones axis 0 : tensor<2xf32>, tensor<?xi32>, tensor<?xf32>
  %added_rows = lathe.scatter add %table, %places, %rows axis 0 : tensor<2x9xf32>, tensor<?xi32>, tensor<?x9xf32>
  return %added, %added_rows : tensor<2xf32>, tensor<2x9xf32>
}

// In a loop whose carry is updated in place: scratch memory is planned for each step, and small kernels are code of the loop.
func.func @steps(%words: tensor<?x40xi32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<9xf32>, tensor<9x12xf32>, tensor<3x12xf32>) {
  %line = lathe.broadcast %c dims [] to [9] : tensor<f32>
  %table = lathe.broadcast %c dims [] to [9, 12] : tensor<f32>
  %few = lathe.broadcast %c dims [] to [3, 12] : tensor<f32>
  %updates = lathe.broadcast %c dims [] to [40] : tensor<f32>
  %rows = lathe.broadcast %c dims [] to [40, 12] : tensor<f32>
  %0, %1, %2 = lathe.scan carry(%a = %line : tensor<9xf32>, %b = %table : tensor<9x12xf32>, %d = %few : tensor<3x12xf32>)
      over(%w = %words : tensor<?x40xi32>) -> (tensor<9xf32>, tensor<9x12xf32>, tensor<3x12xf32>) {
    %x = lathe.scatter add %a, %w, %updates axis 0 : tensor<9xf32>, tensor<40xi32>, tensor<40xf32>
    %y = lathe.scatter add %b, %w, %rows axis 0 : tensor<9x12xf32>, tensor<40xi32>, tensor<40x12xf32>
    %z = lathe.scatter add %d, %w, %rows axis 0 : tensor<3x12xf32>, tensor<40xi32>, tensor<40x12xf32>
    lathe.yield carry(%x : tensor<9xf32>, %y : tensor<9x12xf32>, %z : tensor<3x12xf32>)
  }
  return %0, %1, %2 : tensor<9xf32>, tensor<9x12xf32>, tensor<3x12xf32>
}
