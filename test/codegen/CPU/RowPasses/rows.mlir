// Compiled code against the interpreter: kernels of several passes over rows.
// RUN: lathe-run %s rows --random --dim N=1 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s rows --random --dim N=7 --check --rtol 1e-5 --atol 1e-6 --threads 2
// RUN: lathe-run %s rows --random --dim N=7 --check --rtol 1e-5 --atol 1e-6 --target x86-64-v3
// RUN: lathe-run %s rows --random --dim N=7 --check --rtol 1e-5 --atol 1e-6 --target x86-64-v2
// RUN: lathe-run %s nothing --random --check --rtol 0 --atol 0
// RUN: lathe-run %s lengths --random --dim N=5 --dim M=1 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s lengths --random --dim N=5 --dim M=64 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s lengths --random --dim N=5 --dim M=333 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s lengths --random --dim N=5 --dim M=333 --check --rtol 1e-5 --atol 1e-6 --target x86-64-v2
// RUN: lathe-run %s lengths --random --dim N=5 --specialize M=77 --dim M=77 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s picked --input index=@%S/Inputs/index.npy --random --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s inner --random --dim N=3 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s inner --random --dim N=3 --check --rtol 1e-5 --atol 1e-6 --target x86-64-v3
// RUN: lathe-run %s entropy --random --dim N=9 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s entropy --random --dim N=9 --check --rtol 1e-4 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s exact --random --dim N=9 --check --rtol 0 --atol 0
// RUN: lathe-run %s strange --random --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s strange --random --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s halves --random --dim N=9 --check --rtol 1e-2 --atol 1e-3
// RUN: lathe-run %s halves --random --dim N=9 --check --rtol 1e-2 --atol 1e-3 --target x86-64-v2
// The code that runs is one kernel with vectors.
// RUN: lathec %s --emit=none --explain --target=x86-64-v4 2>&1 | FileCheck %s --implicit-check-not="no vectors"

// Rows of a length that fills registers, of one element, of more than registers hold.
// CHECK-DAG: [fusion] @rows: one kernel over rows of reduce, sub, exp, reduce, div, 1 value stored
func.func @rows(%x: tensor<?x11xf32> {lathe.dims = #lathe.dims<N>}, %one: tensor<?x1xf32> {lathe.dims = #lathe.dims<N>},
                %lengthy: tensor<?x600xf64> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x11xf32>, tensor<?x1xf32>, tensor<?x600xf64>, tensor<?xf64>) {
  %largest = lathe.reduce max %x dims [1] : tensor<?x11xf32>
  %wide = lathe.broadcast %largest dims [0] to [N, 11] : tensor<?xf32>
  %shifted = lathe.sub %x, %wide : tensor<?x11xf32>
  %exp = lathe.exp %shifted : tensor<?x11xf32>
  %sum = lathe.reduce sum %exp dims [1] : tensor<?x11xf32>
  %total = lathe.broadcast %sum dims [0] to [N, 11] : tensor<?xf32>
  %y = lathe.div %exp, %total : tensor<?x11xf32>

  %only = lathe.reduce sum %one dims [1] : tensor<?x1xf32>
  %onlys = lathe.broadcast %only dims [0] to [N, 1] : tensor<?xf32>
  %z = lathe.add %one, %onlys : tensor<?x1xf32>

  // Its result is also what holds the exponentials, which are one of three values stored.
  %e = lathe.exp %lengthy : tensor<?x600xf64>
  %s = lathe.reduce sum %e dims [1] : tensor<?x600xf64>
  %sw = lathe.broadcast %s dims [0] to [N, 600] : tensor<?xf64>
  %p = lathe.div %e, %sw : tensor<?x600xf64>
  %l = lathe.log %s : tensor<?xf64>
  return %y, %z, %p, %l : tensor<?x11xf32>, tensor<?x1xf32>, tensor<?x600xf64>, tensor<?xf64>
}

// Lengths that only the call knows; mean and variance; exponentials among the results.
// CHECK-DAG: [fusion] @lengths: one kernel over rows of exp, reduce, div, sub, mul, reduce, {{.*}} 3 values stored
func.func @lengths(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}, %scale: tensor<?xf32> {lathe.dims = #lathe.dims<M>})
    -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) {
  %count = lathe.constant dense<3.0> : tensor<f32>
  %e = lathe.exp %x : tensor<?x?xf32>
  %sum = lathe.reduce sum %e dims [1] : tensor<?x?xf32>
  %mean = lathe.div %sum, %count : tensor<?xf32>, tensor<f32>
  %means = lathe.broadcast %mean dims [0] to [N, M] : tensor<?xf32>
  %centred = lathe.sub %e, %means : tensor<?x?xf32>
  %square = lathe.mul %centred, %centred : tensor<?x?xf32>
  %squares = lathe.reduce sum %square dims [1] : tensor<?x?xf32>
  %root = lathe.sqrt %squares : tensor<?xf32>
  %roots = lathe.broadcast %root dims [0] to [N, M] : tensor<?xf32>
  %normal = lathe.div %centred, %roots : tensor<?x?xf32>
  %y = lathe.mul %normal, %scale : tensor<?x?xf32>, tensor<?xf32>
  return %y, %e, %squares : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>
}

// One element of each row, by an index that may be outside, and the place of the largest.
// CHECK-DAG: [fusion] @picked: one kernel over rows of reduce, sub, gather, argmax, exp, {{.*}} 4 values stored
func.func @picked(%x: tensor<5x40xf32>, %index: tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5x40xf32>) {
  %largest = lathe.reduce max %x dims [1] : tensor<5x40xf32>
  %wide = lathe.broadcast %largest dims [0] to [5, 40] : tensor<5xf32>
  %shifted = lathe.sub %x, %wide : tensor<5x40xf32>
  %right = lathe.gather %shifted, %index axis 1 batch 1 : tensor<5x40xf32>, tensor<5xi32>
  %where = lathe.argmax %shifted dim 1 : tensor<5x40xf32>
  %exp = lathe.exp %shifted : tensor<5x40xf32>
  %total = lathe.reduce sum %exp dims [1] : tensor<5x40xf32>
  %log = lathe.log %total : tensor<5xf32>
  %loss = lathe.sub %log, %right : tensor<5xf32>
  %logs = lathe.broadcast %log dims [0] to [5, 40] : tensor<5xf32>
  %y = lathe.sub %shifted, %logs : tensor<5x40xf32>
  return %right, %where, %loss, %y : tensor<5xf32>, tensor<5xi32>, tensor<5xf32>, tensor<5x40xf32>
}

// Rows of several dimensions, whose elements have several; a pass that only stores, and sums of two sizes of elements.
func.func @inner(%x: tensor<?x2x5x70xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x2xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x2x5x70xf32>, tensor<?x2xf64>, tensor<?x2xf32>) {
  %biased = lathe.broadcast %b dims [0, 1] to [N, 2, 5, 70] : tensor<?x2xf32>
  %moved = lathe.add %x, %biased : tensor<?x2x5x70xf32>
  %sum = lathe.reduce sum %moved dims [2, 3] : tensor<?x2x5x70xf32>
  %double = lathe.convert %moved to f64 : tensor<?x2x5x70xf32>
  %square = lathe.mul %double, %double : tensor<?x2x5x70xf64>
  %squares = lathe.reduce sum %square dims [2, 3] : tensor<?x2x5x70xf64>
  %part = lathe.convert %squares to f32 : tensor<?x2xf64>
  %both = lathe.add %sum, %part : tensor<?x2xf32>
  %wide = lathe.broadcast %both dims [0, 1] to [N, 2, 5, 70] : tensor<?x2xf32>
  %y = lathe.mul %moved, %wide : tensor<?x2x5x70xf32>
  return %y, %squares, %sum : tensor<?x2x5x70xf32>, tensor<?x2xf64>, tensor<?x2xf32>
}

// Exponentials that three passes need and no result has room for: on the stack, and made again where that is too small.
// CHECK-DAG: [fusion] @entropy: one kernel over rows of exp, reduce, div, log, mul, reduce, 1 value stored
func.func @entropy(%x: tensor<?x300xf32> {lathe.dims = #lathe.dims<N>}, %lengthy: tensor<?x5000xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %e = lathe.exp %x : tensor<?x300xf32>
  %sum = lathe.reduce sum %e dims [1] : tensor<?x300xf32>
  %sums = lathe.broadcast %sum dims [0] to [N, 300] : tensor<?xf32>
  %p = lathe.div %e, %sums : tensor<?x300xf32>
  %log = lathe.log %p : tensor<?x300xf32>
  %product = lathe.mul %p, %log : tensor<?x300xf32>
  %entropy = lathe.reduce sum %product dims [1] : tensor<?x300xf32>
  %el = lathe.exp %lengthy : tensor<?x5000xf32>
  %suml = lathe.reduce sum %el dims [1] : tensor<?x5000xf32>
  %sumsl = lathe.broadcast %suml dims [0] to [N, 5000] : tensor<?xf32>
  %pl = lathe.div %el, %sumsl : tensor<?x5000xf32>
  %largest = lathe.reduce max %pl dims [1] : tensor<?x5000xf32>
  return %entropy, %largest : tensor<?xf32>, tensor<?xf32>
}

// Integers, truth values, extrema: to the bit.
func.func @exact(%x: tensor<?x37xi32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x37xi1>, tensor<?xi1>, tensor<?xi32>, tensor<?x37xi32>) {
  %most = lathe.reduce max %x dims [1] : tensor<?x37xi32>
  %wide = lathe.broadcast %most dims [0] to [N, 37] : tensor<?xi32>
  %is = lathe.compare eq %x, %wide : tensor<?x37xi32>
  %all = lathe.reduce and %is dims [1] : tensor<?x37xi1>
  %down = lathe.sub %wide, %x : tensor<?x37xi32>
  %sum = lathe.reduce sum %down dims [1] : tensor<?x37xi32>
  %sums = lathe.broadcast %sum dims [0] to [N, 37] : tensor<?xi32>
  %y = lathe.add %down, %sums : tensor<?x37xi32>
  return %is, %all, %sum, %y : tensor<?x37xi1>, tensor<?xi1>, tensor<?xi32>, tensor<?x37xi32>
}

// Rows with NaN, with infinities, with only infinities, with zeros of both signs.
func.func @strange(%unused: tensor<f32>) -> (tensor<5x4xf32>, tensor<5xf32>, tensor<5xf32>) {
  %x = lathe.constant dense<[[1.0, 0x7FC00000, 2.0, 3.0], [1.0, 0x7F800000, -2.0, 0.5], [0xFF800000, 1.0, 0xFF800000, 2.0],
                             [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000], [-0.0, -0.0, 0.0, -0.0]]> : tensor<5x4xf32>
  %largest = lathe.reduce max %x dims [1] : tensor<5x4xf32>
  %wide = lathe.broadcast %largest dims [0] to [5, 4] : tensor<5xf32>
  %shifted = lathe.sub %x, %wide : tensor<5x4xf32>
  %exp = lathe.exp %shifted : tensor<5x4xf32>
  %sum = lathe.reduce sum %exp dims [1] : tensor<5x4xf32>
  %total = lathe.broadcast %sum dims [0] to [5, 4] : tensor<5xf32>
  %y = lathe.div %exp, %total : tensor<5x4xf32>
  return %y, %largest, %sum : tensor<5x4xf32>, tensor<5xf32>, tensor<5xf32>
}

// CHECK-DAG: [fusion] @halves: one kernel over rows of reduce, convert, convert, sub, {{.*}} div, convert, 1 value stored
func.func @halves(%x: tensor<?x130xbf16> {lathe.dims = #lathe.dims<N>}, %h: tensor<?x70xf16> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x130xbf16>, tensor<?x70xf16>) {
  %largest = lathe.reduce max %x dims [1] : tensor<?x130xbf16>
  %wide = lathe.broadcast %largest dims [0] to [N, 130] : tensor<?xbf16>
  %shifted = lathe.sub %x, %wide : tensor<?x130xbf16>
  %exp = lathe.exp %shifted : tensor<?x130xbf16>
  %sum = lathe.reduce sum %exp dims [1] : tensor<?x130xbf16>
  %total = lathe.broadcast %sum dims [0] to [N, 130] : tensor<?xbf16>
  %y = lathe.div %exp, %total : tensor<?x130xbf16>
  %most = lathe.reduce max %h dims [1] : tensor<?x70xf16>
  %mosts = lathe.broadcast %most dims [0] to [N, 70] : tensor<?xf16>
  %z = lathe.sub %h, %mosts : tensor<?x70xf16>
  return %y, %z : tensor<?x130xbf16>, tensor<?x70xf16>
}

// No rows, and rows of nothing.
func.func @nothing(%x: tensor<3x0xf32>, %y: tensor<0x3xf32>) -> (tensor<3x0xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0x3xf32>) {
  %largest = lathe.reduce max %x dims [1] : tensor<3x0xf32>
  %wide = lathe.broadcast %largest dims [0] to [3, 0] : tensor<3xf32>
  %shifted = lathe.sub %x, %wide : tensor<3x0xf32>
  %exp = lathe.exp %shifted : tensor<3x0xf32>
  %sum = lathe.reduce sum %exp dims [1] : tensor<3x0xf32>
  %none = lathe.reduce sum %y dims [1] : tensor<0x3xf32>
  %nones = lathe.broadcast %none dims [0] to [0, 3] : tensor<0xf32>
  %z = lathe.sub %y, %nones : tensor<0x3xf32>
  return %exp, %largest, %sum, %z : tensor<3x0xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0x3xf32>
}
