// Kernels over items: the interpreter's values, for numbers of items around those of a vector, on each level and on threads.
// RUN: lathec %s --emit=mlir --emit-stage=fusion -o - | FileCheck %s
// RUN: lathe-run %s moves --random --dim N=0 --check --rtol 0 --atol 0
// RUN: lathe-run %s moves --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s moves --random --dim N=37 --check --rtol 0 --atol 0
// RUN: lathe-run %s moves --random --dim N=37 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s moves --random --dim N=37 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s moves --random --dim N=70001 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s reductions --random --dim N=21 --check --rtol 1e-6 --atol 1e-7
// RUN: lathe-run %s reductions --random --dim N=21 --check --rtol 1e-6 --atol 1e-7 --target x86-64-v2
// RUN: lathe-run %s tables --random --dim N=6 --dim P=43 --check --rtol 0 --atol 0
// RUN: lathe-run %s tables --random --dim N=6 --dim P=43 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s types --random --dim N=43 --check --rtol 0 --atol 0
// RUN: lathe-run %s types --random --dim N=43 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s types --random --dim N=43 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s functions --random --dim N=43 --check --rtol 1e-6 --atol 1e-6
// RUN: lathe-run %s memory --random --dim N=43 --check --rtol 0 --atol 0
// RUN: lathe-run %s functions --gradcheck --random --dim N=3

// A version for a known number of items, too few for lanes, has other kernels, whose sums have the same bits; so have other
// levels of the CPU and several threads.
// RUN: lathe-run %s sums --random --dim N=9 --save %t
// RUN: lathe-run %s sums --random --dim N=9 --specialize N=9 --expect a=@%t/out-a.npy --expect b=@%t/out-b.npy --expect c=@%t/out-c.npy --expect d=@%t/out-d.npy --expect e=@%t/out-e.npy --rtol 0 --atol 0
// RUN: lathe-run %s sums --random --dim N=9 --target x86-64-v3 --expect a=@%t/out-a.npy --expect b=@%t/out-b.npy --expect c=@%t/out-c.npy --expect d=@%t/out-d.npy --expect e=@%t/out-e.npy --rtol 0 --atol 0
// RUN: lathe-run %s sums --random --dim N=9 --threads 2 --expect a=@%t/out-a.npy --expect b=@%t/out-b.npy --expect c=@%t/out-c.npy --expect d=@%t/out-d.npy --expect e=@%t/out-e.npy --rtol 0 --atol 0

// RUN: lathe-run %s long_sums --random --save %t
// RUN: lathe-run %s long_sums --random -O 0 --expect a=@%t/out-a.npy --expect b=@%t/out-b.npy --expect c=@%t/out-c.npy --rtol 0 --atol 0
// RUN: lathe-run %s long_sums --random --check --rtol 1e-6 --atol 1e-6 --threads 2 --target x86-64-v3

// CHECK-LABEL: func.func @moves
// CHECK-COUNT-1: lathe.items
// CHECK-LABEL: func.func @reductions
// CHECK-COUNT-1: lathe.items
// CHECK-LABEL: func.func @tables
// CHECK-COUNT-1: lathe.items
// CHECK-LABEL: func.func @types
// CHECK-COUNT-1: lathe.items
// CHECK-LABEL: func.func @functions
// CHECK-COUNT-1: lathe.items
// CHECK-LABEL: func.func @memory
// CHECK-COUNT-1: lathe.items
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-1: lathe.items
// CHECK-LABEL: func.func @long_sums
// CHECK-COUNT-2: lathe.items

// Results of one, two, three, five, eight and 21 elements for an item, and one that has the memory of an input.
func.func @moves(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x2x4xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x2xf32>)
    -> (tensor<?xf32>, tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x5xf32>, tensor<?x2x4xf32>, tensor<?x3x7xf32>) {
  %next = lathe.constant dense<[1, 2, 0]> : tensor<3xi32>
  %twice = lathe.constant dense<[3, 0, 3, 1, 2]> : tensor<5xi64>
  %turned = lathe.gather %x, %next axis 1 : tensor<?x3xf32>, tensor<3xi32>
  %product = lathe.mul %turned, %x : tensor<?x3xf32>
  %ends = lathe.slice %product from [0, 0] to [N, 3] step [1, 2] : tensor<?x3xf32>
  %one = lathe.slice %product from [0, 1] to [N, 2] : tensor<?x3xf32>
  %alone = lathe.reshape %one to [N] : tensor<?x1xf32>
  %five = lathe.concatenate %ends, %x dim 1 : tensor<?x2xf32>, tensor<?x3xf32>
  %taken = lathe.gather %y, %twice axis 2 : tensor<?x2x4xf32>, tensor<5xi64>
  %halves = lathe.reshape %y to [N, 4, 2] : tensor<?x2x4xf32>
  %left = lathe.slice %halves from [0, 1, 0] to [N, 4, 1] : tensor<?x4x2xf32>
  %lefts = lathe.broadcast %left dims [0, 1, 2] to [N, 3, 2] : tensor<?x3x1xf32> -> tensor<?x3x2xf32>
  %matrix = lathe.broadcast %w dims [1, 2] to [N, 3, 2] : tensor<3x2xf32> -> tensor<?x3x2xf32>
  %scaled = lathe.mul %lefts, %matrix : tensor<?x3x2xf32>
  %rows = lathe.broadcast %five dims [0, 2] to [N, 3, 5] : tensor<?x5xf32> -> tensor<?x3x5xf32>
  %wide = lathe.concatenate %scaled, %rows dim 2 : tensor<?x3x2xf32>, tensor<?x3x5xf32>
  %firsts = lathe.slice %taken from [0, 0, 0] to [N, 1, 5] : tensor<?x2x5xf32>
  %first = lathe.reshape %firsts to [N, 5] : tensor<?x1x5xf32>
  %sum = lathe.add %five, %first : tensor<?x5xf32>
  %kept = lathe.neg %y : tensor<?x2x4xf32>
  %last = lathe.sub %kept, %y : tensor<?x2x4xf32>
  return %alone, %ends, %product, %sum, %last, %wide : tensor<?xf32>, tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x5xf32>, tensor<?x2x4xf32>, tensor<?x3x7xf32>
}

// Every kind of reduction, along the last dimension, others, and several.
func.func @reductions(%x: tensor<?x3x4xf32> {lathe.dims = #lathe.dims<N>}, %i: tensor<?x6xi32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x13xf32>, tensor<?x6xi32>) {
  %a = lathe.slice %x from [0, 0, 1] to [N, 3, 4] : tensor<?x3x4xf32>
  %sum = lathe.reduce sum %a dims [2] : tensor<?x3x3xf32>
  %product = lathe.reduce product %a dims [1] : tensor<?x3x3xf32>
  %most = lathe.reduce max %x dims [1, 2] : tensor<?x3x4xf32>
  %least = lathe.reduce min %x dims [2] : tensor<?x3x4xf32>
  %mosts = lathe.reshape %most to [N, 1] : tensor<?xf32>
  %more = lathe.reduce max %x dims [1] : tensor<?x3x4xf32>
  %three = lathe.slice %more from [0, 1] to [N, 4] : tensor<?x4xf32>
  %all = lathe.concatenate %sum, %product, %mosts, %least, %three dim 1 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x1xf32>, tensor<?x3xf32>, tensor<?x3xf32>
  %s = lathe.reduce sum %i dims [1] : tensor<?x6xi32>
  %p = lathe.reduce product %i dims [1] : tensor<?x6xi32>
  %m = lathe.reduce max %i dims [1] : tensor<?x6xi32>
  %and = lathe.reduce and %i dims [1] : tensor<?x6xi32>
  %or = lathe.reduce or %i dims [1] : tensor<?x6xi32>
  %xor = lathe.reduce xor %i dims [1] : tensor<?x6xi32>
  %s1 = lathe.reshape %s to [N, 1] : tensor<?xi32>
  %p1 = lathe.reshape %p to [N, 1] : tensor<?xi32>
  %m1 = lathe.reshape %m to [N, 1] : tensor<?xi32>
  %and1 = lathe.reshape %and to [N, 1] : tensor<?xi32>
  %or1 = lathe.reshape %or to [N, 1] : tensor<?xi32>
  %xor1 = lathe.reshape %xor to [N, 1] : tensor<?xi32>
  %counts = lathe.concatenate %s1, %p1, %m1, %and1, %or1, %xor1 dim 1 : tensor<?x1xi32>, tensor<?x1xi32>, tensor<?x1xi32>, tensor<?x1xi32>, tensor<?x1xi32>, tensor<?x1xi32>
  %order = lathe.constant dense<[5, 4, 3, 2, 1, 0]> : tensor<6xi32>
  %turned = lathe.gather %counts, %order axis 1 : tensor<?x6xi32>, tensor<6xi32>
  return %all, %turned : tensor<?x13xf32>, tensor<?x6xi32>
}

// Rows of a table by indices of which some are outside, and of a table that has as many rows as there are items: of other items.
func.func @tables(%table: tensor<?x5xf64> {lathe.dims = #lathe.dims<N>}, %own: tensor<?x3xf64> {lathe.dims = #lathe.dims<P>}, %at: tensor<?xi32> {lathe.dims = #lathe.dims<P>})
    -> (tensor<?x5xf64>, tensor<?x3xf64>) {
  %three = lathe.constant dense<3> : tensor<i32>
  %i = lathe.sub %at, %three : tensor<?xi32>, tensor<i32>
  %row = lathe.gather %table, %i axis 0 : tensor<?x5xf64>, tensor<?xi32>
  %left = lathe.slice %row from [0, 0] to [P, 2] : tensor<?x5xf64>
  %right = lathe.slice %row from [0, 2] to [P, 5] : tensor<?x5xf64>
  %sum = lathe.add %right, %own : tensor<?x3xf64>
  %joined = lathe.concatenate %sum, %left dim 1 : tensor<?x3xf64>, tensor<?x2xf64>
  %square = lathe.mul %joined, %joined : tensor<?x5xf64>
  %inner = lathe.slice %square from [0, 1] to [P, 4] : tensor<?x5xf64>
  %others = lathe.gather %inner, %at axis 0 : tensor<?x3xf64>, tensor<?xi32>
  %both = lathe.sub %others, %own : tensor<?x3xf64>
  return %square, %both : tensor<?x5xf64>, tensor<?x3xf64>
}

// Bytes, truth values, halves and 64-bit integers.
func.func @types(%x: tensor<?x3xf16> {lathe.dims = #lathe.dims<N>}, %i: tensor<?x3xi64> {lathe.dims = #lathe.dims<N>}, %k: tensor<?x4xi8> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x3xi1>, tensor<?x6xf16>, tensor<?x3xi64>, tensor<?x2xi8>, tensor<?x3xbf16>) {
  %order = lathe.constant dense<[2, 0, 1]> : tensor<3xi32>
  %turned = lathe.gather %x, %order axis 1 : tensor<?x3xf16>, tensor<3xi32>
  %less = lathe.compare lt %x, %turned : tensor<?x3xf16>
  %flipped = lathe.gather %less, %order axis 1 : tensor<?x3xi1>, tensor<3xi32>
  %chosen = lathe.select %flipped, %x, %turned : tensor<?x3xi1>, tensor<?x3xf16>, tensor<?x3xf16>
  %six = lathe.concatenate %chosen, %turned dim 1 : tensor<?x3xf16>, tensor<?x3xf16>
  %whole = lathe.convert %k to i64 : tensor<?x4xi8>
  %three = lathe.slice %whole from [0, 1] to [N, 4] : tensor<?x4xi64>
  %sum = lathe.add %three, %i : tensor<?x3xi64>
  %picked = lathe.select %less, %sum, %i : tensor<?x3xi1>, tensor<?x3xi64>, tensor<?x3xi64>
  %even = lathe.slice %k from [0, 0] to [N, 4] step [1, 2] : tensor<?x4xi8>
  %odd = lathe.slice %k from [0, 1] to [N, 4] step [1, 2] : tensor<?x4xi8>
  %bytes = lathe.sub %even, %odd : tensor<?x2xi8>
  %rounded = lathe.convert %picked to bf16 : tensor<?x3xi64>
  return %flipped, %six, %picked, %bytes, %rounded : tensor<?x3xi1>, tensor<?x6xf16>, tensor<?x3xi64>, tensor<?x2xi8>, tensor<?x3xbf16>
}

// A rotation of each item about its axis, and its length: functions of lanes.
func.func @functions(%x: tensor<?x3xf64> {lathe.dims = #lathe.dims<N>}, %angle: tensor<?xf64> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x3xf64>, tensor<?xf64>) {
  %one = lathe.slice %x from [0, 0] to [N, 1] : tensor<?x3xf64>
  %two = lathe.slice %x from [0, 1] to [N, 2] : tensor<?x3xf64>
  %three = lathe.slice %x from [0, 2] to [N, 3] : tensor<?x3xf64>
  %a = lathe.reshape %angle to [N, 1] : tensor<?xf64>
  %cos = lathe.cos %a : tensor<?x1xf64>
  %sin = lathe.sin %a : tensor<?x1xf64>
  %p = lathe.mul %one, %cos : tensor<?x1xf64>
  %q = lathe.mul %two, %sin : tensor<?x1xf64>
  %u = lathe.sub %p, %q : tensor<?x1xf64>
  %r = lathe.mul %one, %sin : tensor<?x1xf64>
  %s = lathe.mul %two, %cos : tensor<?x1xf64>
  %v = lathe.add %r, %s : tensor<?x1xf64>
  %y = lathe.concatenate %u, %v, %three dim 1 : tensor<?x1xf64>, tensor<?x1xf64>, tensor<?x1xf64>
  %squares = lathe.mul %y, %x : tensor<?x3xf64>
  %square = lathe.reduce sum %squares dims [1] : tensor<?x3xf64>
  %length = lathe.exp %square : tensor<?xf64>
  return %y, %length : tensor<?x3xf64>, tensor<?xf64>
}

// A result that has the memory of an input, whose elements are read in another order too.
func.func @memory(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %y = lathe.sort %x dim 1 : tensor<?x3xf32>
  %one = lathe.slice %y from [0, 0] to [N, 1] : tensor<?x3xf32>
  %rest = lathe.slice %y from [0, 1] to [N, 3] : tensor<?x3xf32>
  %turned = lathe.concatenate %rest, %one dim 1 : tensor<?x2xf32>, tensor<?x1xf32>
  %product = lathe.mul %turned, %y : tensor<?x3xf32>
  %a = lathe.neg %y : tensor<?x3xf32>
  %b = lathe.add %a, %a : tensor<?x3xf32>
  %c = lathe.sub %b, %y : tensor<?x3xf32>
  %d = lathe.mul %c, %y : tensor<?x3xf32>
  %e = lathe.add %d, %product : tensor<?x3xf32>
  %first = lathe.sort %d dim 1 : tensor<?x3xf32>
  %second = lathe.sort %e dim 1 : tensor<?x3xf32>
  return %first, %second : tensor<?x3xf32>, tensor<?x3xf32>
}

func.func @sums(%x: tensor<?x7xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x5x4xf64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf32> {lathe.name = "a"}, tensor<?xf64> {lathe.name = "b"}, tensor<?x5xf64> {lathe.name = "c"}, tensor<?x4xf64> {lathe.name = "d"}, tensor<?x3xf32> {lathe.name = "e"}) {
  %long = lathe.slice %x from [0, 1] to [N, 7] : tensor<?x7xf32>
  %sines = lathe.sin %long : tensor<?x6xf32>
  %a = lathe.reduce sum %sines dims [1] : tensor<?x6xf32>
  %cosines = lathe.cos %y : tensor<?x5x4xf64>
  %b = lathe.reduce sum %cosines dims [1, 2] : tensor<?x5x4xf64>
  %c = lathe.reduce sum %cosines dims [2] : tensor<?x5x4xf64>
  %d = lathe.reduce sum %cosines dims [1] : tensor<?x5x4xf64>
  %three = lathe.slice %sines from [0, 1] to [N, 4] : tensor<?x6xf32>
  %matrix = lathe.reshape %sines to [N, 2, 3] : tensor<?x6xf32>
  %rows = lathe.reduce product %matrix dims [1] : tensor<?x2x3xf32>
  %f = lathe.add %three, %rows : tensor<?x3xf32>
  %e = lathe.mul %f, %three : tensor<?x3xf32>
  return %a, %b, %c, %d, %e : tensor<?xf32>, tensor<?xf64>, tensor<?x5xf64>, tensor<?x4xf64>, tensor<?x3xf32>
}

// Long lines of a known number of items.
func.func @long_sums(%x: tensor<100x43xf32>, %y: tensor<100x21xf64>) -> (tensor<100xf32> {lathe.name = "a"}, tensor<100x3xf64> {lathe.name = "b"}, tensor<100x7xf64> {lathe.name = "c"}) {
  %long = lathe.slice %x from [0, 1] to [100, 42] : tensor<100x43xf32>
  %other = lathe.slice %x from [0, 0] to [100, 41] : tensor<100x43xf32>
  %0 = lathe.sin %long : tensor<100x41xf32>
  %1 = lathe.mul %0, %other : tensor<100x41xf32>
  %2 = lathe.sub %1, %long : tensor<100x41xf32>
  %3 = lathe.mul %2, %0 : tensor<100x41xf32>
  %4 = lathe.reduce sum %3 dims [1] : tensor<100x41xf32>
  %a = lathe.neg %4 : tensor<100xf32>
  %some = lathe.slice %y from [0, 0] to [100, 20] : tensor<100x21xf64>
  %first = lathe.slice %y from [0, 1] to [100, 2] : tensor<100x21xf64>
  %joined = lathe.concatenate %some, %first dim 1 : tensor<100x20xf64>, tensor<100x1xf64>
  %cosines = lathe.cos %joined : tensor<100x21xf64>
  %matrix = lathe.reshape %cosines to [100, 3, 7] : tensor<100x21xf64>
  %b = lathe.reduce sum %matrix dims [2] : tensor<100x3x7xf64>
  %d = lathe.reduce sum %matrix dims [1] : tensor<100x3x7xf64>
  %c = lathe.neg %d : tensor<100x7xf64>
  return %a, %b, %c : tensor<100xf32>, tensor<100x3xf64>, tensor<100x7xf64>
}
