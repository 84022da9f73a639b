// The forms of dynamic_update_slice, concatenate and scatter: compiled code against the interpreter, exactly but for sums, for
// every form and at the edges of each; twins.py runs these lines on a GPU.
// RUN: lathe-run %s blocks --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s blocks --random --dim N=33 --check --rtol 0 --atol 0
// RUN: lathe-run %s append --random --check --rtol 1e-6 --atol 2e-6
// RUN: lathe-run %s decode --random --check --rtol 0 --atol 0
// RUN: lathe-run %s rows --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s rows --random --dim N=1024 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s rows --random --dim N=1025 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s named --random --dim N=1 --dim M=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s named --random --dim N=3 --dim M=33 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s named --random --dim N=40 --dim M=31 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s counts --random --dim N=2100 --check --rtol 0 --atol 0
// RUN: lathe-run %s columns --random --check --rtol 1e-6 --atol 2e-6
// RUN: lathe-run %s bits --random --dim N=300 --check --rtol 1e-3 --atol 1e-3
// RUN: lathe-run %s exact_rows --random --dim N=1024 --check --rtol 0 --atol 0
// RUN: lathe-run %s exact_rows --random --dim N=1025 --check --rtol 0 --atol 0
// RUN: lathe-run %s exact_named --random --dim N=3 --dim M=33 --check --rtol 0 --atol 0
// RUN: lathe-run %s exact_named --random --dim N=40 --dim M=31 --check --rtol 0 --atol 0
// RUN: lathe-run %s exact_bits --random --dim N=300 --check --rtol 0 --atol 0
// RUN: lathe-run %s join --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s join --random --dim N=45 --check --rtol 0 --atol 0
// RUN: lathe-run %s empty --random --check --rtol 0 --atol 0
// RUN: lathec %s --target=cuda:sm_90 --emit=none --explain 2>&1 | FileCheck %s
// RUN: lathec %s --target=cuda:sm_90 --entry append --entry decode --entry named --entry counts --entry join --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// Whole rows behind the ones that are replaced; a part of a row, whose vectors it may divide.
// CHECK: [[#@LINE+5]]:{{.*}} kernel_dynamic_update_slice_{{.*}} for sm_90: a thread for each 4 contiguous elements,
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a thread for each 8 contiguous elements,
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a thread for each point,
func.func @blocks(%x: tensor<?x5x24xf32> {lathe.dims = #lathe.dims<N>}, %u: tensor<?x2x24xf32> {lathe.dims = #lathe.dims<N>}, %h: tensor<3x40xbf16>, %v: tensor<2x13xbf16>,
                  %z: tensor<7x9xf64>, %w: tensor<7x3xf64>, %i: tensor<i64>, %j: tensor<i32>) -> (tensor<?x5x24xf32>, tensor<3x40xbf16>, tensor<7x9xf64>) {
  %0 = lathe.dynamic_update_slice %x, %u [%i, %j, %i] : tensor<?x5x24xf32>, tensor<?x2x24xf32>, (tensor<i64>, tensor<i32>, tensor<i64>)
  %1 = lathe.dynamic_update_slice %h, %v [%j, %i] : tensor<3x40xbf16>, tensor<2x13xbf16>, (tensor<i32>, tensor<i64>)
  %2 = lathe.dynamic_update_slice %z, %w [%j, %i] : tensor<7x9xf64>, tensor<7x3xf64>, (tensor<i32>, tensor<i64>)
  return %0, %1, %2 : tensor<?x5x24xf32>, tensor<3x40xbf16>, tensor<7x9xf64>
}

// A state is updated in place: threads compute only the new rows.
// CHECK: [[#@LINE+11]]:{{.*}} for sm_90: a thread for each 4 contiguous elements of the block,
// CHECK: [[#@LINE+13]]:{{.*}} for sm_90: a block for the rows of each of 300 parts of a line, blocks
// PTX-LABEL: .visible .entry kernel_dynamic_update_slice_
// PTX: ld.global.v4.b32
// PTX: st.global.v4.b32
// PTX-NOT: ld.global.v4
// PTX: ret;
lathe.variable @cache : tensor<2x300x16xf32> init #lathe.uniform<-1.0, 1.0>
lathe.variable @sums : tensor<300xf32> init #lathe.uniform<-1.0, 1.0>
func.func @append(%next: tensor<2x1x16xf32>, %zero: tensor<i32>, %j: tensor<i64>, %places: tensor<9xi32>, %some: tensor<9xf32>) -> (tensor<2x300x16xf32>, tensor<300xf32>) {
  %old = lathe.read @cache : tensor<2x300x16xf32>
  %cache = lathe.dynamic_update_slice %old, %next [%zero, %j, %zero] : tensor<2x300x16xf32>, tensor<2x1x16xf32>, (tensor<i32>, tensor<i64>, tensor<i32>)
  lathe.write @cache, %cache : tensor<2x300x16xf32>
  %seen = lathe.read @sums : tensor<300xf32>
  %sums = lathe.scatter add %seen, %places, %some axis 0 : tensor<300xf32>, tensor<9xi32>, tensor<9xf32>
  lathe.write @sums, %sums : tensor<300xf32>
  %shown = lathe.neg %cache : tensor<2x300x16xf32>
  %total = lathe.neg %sums : tensor<300xf32>
  return %shown, %total : tensor<2x300x16xf32>, tensor<300xf32>
}

// A carry that each step updates where it is.
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a thread for each 4 contiguous elements of the block,
func.func @decode(%rows: tensor<6x1x8xf32>, %start: tensor<10x8xf32>) -> tensor<10x8xf32> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %n, %last = lathe.scan carry(%i = %zero : tensor<i32>, %s = %start : tensor<10x8xf32>) over(%row = %rows : tensor<6x1x8xf32>) -> (tensor<i32>, tensor<10x8xf32>) {
    %t = lathe.dynamic_update_slice %s, %row [%i, %zero] : tensor<10x8xf32>, tensor<1x8xf32>, (tensor<i32>, tensor<i32>)
    %k = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%k : tensor<i32>, %t : tensor<10x8xf32>)
  }
  return %last : tensor<10x8xf32>
}

// Rows of a table for many indices, some of them outside and many of them equal: blocks that own rows.
// CHECK: [[#@LINE+10]]:{{.*}} for sm_90: a block for the rows of each of 512 parts of a line, after a copy,
// CHECK: [[#@LINE+10]]:{{.*}} for sm_90: a block for the rows of each of 512 parts of a line, after a copy,
// CHECK: [[#@LINE+12]]:{{.*}} for sm_90: a block for the rows of each of 5 parts of a line, after a copy,
func.func @rows(%t: tensor<1000x48xf32>, %i: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %u: tensor<?x48xf32> {lathe.dims = #lathe.dims<N>}, %z: tensor<5x300xf64>, %v: tensor<?x300xf64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<1000x48xf32>, tensor<1000x48xf32>, tensor<5x300xf64>) {
  %n = lathe.iota dim 0 to [N] : i32
  %square = lathe.mul %n, %n : tensor<?xi32>
  %sum = lathe.add %square, %i : tensor<?xi32>
  %most = lathe.constant dense<1003> : tensor<i32>
  %picks = lathe.rem %sum, %most : tensor<?xi32>, tensor<i32>
  %add = lathe.scatter add %t, %picks, %u axis 0 : tensor<1000x48xf32>, tensor<?xi32>, tensor<?x48xf32>
  %set = lathe.scatter set %t, %picks, %u axis 0 : tensor<1000x48xf32>, tensor<?xi32>, tensor<?x48xf32>
  %two = lathe.constant dense<2> : tensor<i32>
  %near = lathe.sub %i, %two : tensor<?xi32>, tensor<i32>
  %few = lathe.scatter mul %z, %near, %v axis 0 : tensor<5x300xf64>, tensor<?xi32>, tensor<?x300xf64>
  return %add, %set, %few : tensor<1000x48xf32>, tensor<1000x48xf32>, tensor<5x300xf64>
}

// Lines, rows and columns whose numbers are named; lines that share indices.
// PTX-LABEL: .visible .entry kernel_scatter_{{.*}}_updates
// PTX: vote.sync.ballot.b32
// PTX: bar.sync 0
// CHECK: [[#@LINE+4]]:{{.*}} for sm_90: a block for the rows of each of 11 parts of a line, after a copy,
// CHECK: [[#@LINE+4]]:{{.*}} for sm_90: a block for the rows of each of 16 parts of a line, after a copy,
func.func @named(%x: tensor<?x4x11x?xf32> {lathe.dims = #lathe.dims<N, M>}, %i: tensor<?x30xi64> {lathe.dims = #lathe.dims<N>}, %u: tensor<?x4x30x?xf32> {lathe.dims = #lathe.dims<N, M>},
                 %y: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}, %j: tensor<?xi64> {lathe.dims = #lathe.dims<M>}, %v: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}) -> (tensor<?x4x11x?xf32>, tensor<?x?xf32>) {
  %0 = lathe.scatter max %x, %i, %u axis 2 batch 1 : tensor<?x4x11x?xf32>, tensor<?x30xi64>, tensor<?x4x30x?xf32>
  %1 = lathe.scatter add %y, %j, %v axis 1 : tensor<?x?xf32>, tensor<?xi64>, tensor<?x?xf32>
  return %0, %1 : tensor<?x4x11x?xf32>, tensor<?x?xf32>
}

// Integer updates are the same in any order; products and updates of narrow integers use no atomics.
// PTX: {{atom|red}}.{{.*}}add
// PTX: {{atom|red}}.{{.*}}max.s64
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a thread for each update, by integer atomics, after a copy,
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a thread for each update, by integer atomics, after a copy,
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a block for the rows of each of 9 parts of a line, after a copy,
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a block for the rows of each of 9 parts of a line, after a copy,
func.func @counts(%t: tensor<9xi32>, %i: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %u: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %w: tensor<9xi64>, %v: tensor<?xi64> {lathe.dims = #lathe.dims<N>}, %b: tensor<9xi8>, %c: tensor<?xi8> {lathe.dims = #lathe.dims<N>}) -> (tensor<9xi32>, tensor<9xi64>, tensor<9xi32>, tensor<9xi8>) {
  %0 = lathe.scatter add %t, %i, %u axis 0 : tensor<9xi32>, tensor<?xi32>, tensor<?xi32>
  %1 = lathe.scatter max %w, %i, %v axis 0 : tensor<9xi64>, tensor<?xi32>, tensor<?xi64>
  %2 = lathe.scatter mul %t, %i, %u axis 0 : tensor<9xi32>, tensor<?xi32>, tensor<?xi32>
  %3 = lathe.scatter add %b, %i, %c axis 0 : tensor<9xi8>, tensor<?xi32>, tensor<?xi8>
  return %0, %1, %2, %3 : tensor<9xi32>, tensor<9xi64>, tensor<9xi32>, tensor<9xi8>
}

// Columns enough for all threads, though the updates are many.
// CHECK: [[#@LINE+2]]:{{.*}} for sm_90: a thread for each column of the slices, after a copy,
func.func @columns(%x: tensor<2x3x16384xf32>, %i: tensor<2x9xi32>, %u: tensor<2x9x16384xf32>) -> tensor<2x3x16384xf32> {
  %0 = lathe.scatter add %x, %i, %u axis 1 batch 1 : tensor<2x3x16384xf32>, tensor<2x9xi32>, tensor<2x9x16384xf32>
  return %0 : tensor<2x3x16384xf32>
}

func.func @bits(%x: tensor<8x20xi1>, %i: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %u: tensor<?x20xi1> {lathe.dims = #lathe.dims<N>}, %h: tensor<7xf16>, %v: tensor<?xf16> {lathe.dims = #lathe.dims<N>}) -> (tensor<8x20xi1>, tensor<7xf16>) {
  %0 = lathe.scatter set %x, %i, %u axis 0 : tensor<8x20xi1>, tensor<?xi32>, tensor<?x20xi1>
  %1 = lathe.scatter add %h, %i, %v axis 0 : tensor<7xf16>, tensor<?xi32>, tensor<?xf16>
  return %0, %1 : tensor<8x20xi1>, tensor<7xf16>
}

// Empty copies, gathers and updates.
func.func @empty(%x: tensor<4x6xf32>, %i: tensor<0xi32>, %u: tensor<0x6xf32>, %y: tensor<0x6xf32>, %j: tensor<3xi32>, %v: tensor<3x6xf32>, %w: tensor<2x0xf32>, %k: tensor<i32>) -> (tensor<4x6xf32>, tensor<0x6xf32>, tensor<4x6xf32>) {
  %0 = lathe.scatter add %x, %i, %u axis 0 : tensor<4x6xf32>, tensor<0xi32>, tensor<0x6xf32>
  %1 = lathe.scatter add %y, %j, %v axis 0 : tensor<0x6xf32>, tensor<3xi32>, tensor<3x6xf32>
  %2 = lathe.dynamic_update_slice %x, %w [%k, %k] : tensor<4x6xf32>, tensor<2x0xf32>, (tensor<i32>, tensor<i32>)
  return %0, %1, %2 : tensor<4x6xf32>, tensor<0x6xf32>, tensor<4x6xf32>
}

// Lines that are whole vectors are chosen from once for four elements, those of five are not.
// PTX-LABEL: .visible .entry kernel_concatenate_
// PTX: selp.b64
// PTX: ld.global.v4.b32
// PTX: st.global.v4.b32
// PTX: ret;
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a thread for each 4 contiguous elements,
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a thread for each 2 contiguous elements,
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: a thread for each point,
func.func @join(%x: tensor<?x3x4xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x1x4xf32> {lathe.dims = #lathe.dims<N>}, %z: tensor<?x2x4xf32> {lathe.dims = #lathe.dims<N>}, %a: tensor<?x6xf16> {lathe.dims = #lathe.dims<N>}, %b: tensor<2x6xf16>, %c: tensor<?x5xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x6x4xf32>, tensor<?x6xf16> {lathe.dims = #lathe.dims<N + 2>}, tensor<?x10xf32>) {
  %0 = lathe.concatenate %x, %y, %z dim 1 : tensor<?x3x4xf32>, tensor<?x1x4xf32>, tensor<?x2x4xf32>
  %1 = lathe.concatenate %a, %b dim 0 : tensor<?x6xf16>, tensor<2x6xf16>
  %2 = lathe.concatenate %c, %c dim 1 : tensor<?x5xf32>, tensor<?x5xf32>
  return %0, %1, %2 : tensor<?x6x4xf32>, tensor<?x6xf16>, tensor<?x10xf32>
}

// Scatters that do not add are exact; the functions above have sums beside them.
func.func @exact_rows(%t: tensor<1000x48xf32>, %i: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %u: tensor<?x48xf32> {lathe.dims = #lathe.dims<N>}, %z: tensor<5x300xf64>, %v: tensor<?x300xf64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<1000x48xf32>, tensor<5x300xf64>) {
  %n = lathe.iota dim 0 to [N] : i32
  %square = lathe.mul %n, %n : tensor<?xi32>
  %sum = lathe.add %square, %i : tensor<?xi32>
  %most = lathe.constant dense<1003> : tensor<i32>
  %picks = lathe.rem %sum, %most : tensor<?xi32>, tensor<i32>
  %set = lathe.scatter set %t, %picks, %u axis 0 : tensor<1000x48xf32>, tensor<?xi32>, tensor<?x48xf32>
  %two = lathe.constant dense<2> : tensor<i32>
  %near = lathe.sub %i, %two : tensor<?xi32>, tensor<i32>
  %few = lathe.scatter mul %z, %near, %v axis 0 : tensor<5x300xf64>, tensor<?xi32>, tensor<?x300xf64>
  return %set, %few : tensor<1000x48xf32>, tensor<5x300xf64>
}

func.func @exact_named(%x: tensor<?x4x11x?xf32> {lathe.dims = #lathe.dims<N, M>}, %i: tensor<?x30xi64> {lathe.dims = #lathe.dims<N>}, %u: tensor<?x4x30x?xf32> {lathe.dims = #lathe.dims<N, M>}) -> tensor<?x4x11x?xf32> {
  %0 = lathe.scatter max %x, %i, %u axis 2 batch 1 : tensor<?x4x11x?xf32>, tensor<?x30xi64>, tensor<?x4x30x?xf32>
  return %0 : tensor<?x4x11x?xf32>
}

func.func @exact_bits(%x: tensor<8x20xi1>, %i: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %u: tensor<?x20xi1> {lathe.dims = #lathe.dims<N>}) -> tensor<8x20xi1> {
  %0 = lathe.scatter set %x, %i, %u axis 0 : tensor<8x20xi1>, tensor<?xi32>, tensor<?x20xi1>
  return %0 : tensor<8x20xi1>
}
