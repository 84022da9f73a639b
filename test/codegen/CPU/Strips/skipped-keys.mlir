// Strips that stop at the last key that one of their rows sees: the bits of code that computes all keys (-O0), of several threads,
// and of versions; against the interpreter, with the code of other CPUs.
// RUN: lathec %s --emit=mlir --emit-stage=schedule -o - | FileCheck %s
// RUN: lathe-run %s causal --random --save %t.causal --check
// RUN: lathe-run %s causal --random -O 0 --expect y=@%t.causal/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s causal --random --threads 3 --expect y=@%t.causal/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s causal --random --target x86-64-v2 --check
// RUN: lathe-run %s tall --random --save %t.tall --check
// RUN: lathe-run %s tall --random -O 0 --expect y=@%t.tall/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s wide --random --save %t.wide --check
// RUN: lathe-run %s wide --random -O 0 --expect y=@%t.wide/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s masks --random --save %t.masks --check
// RUN: lathe-run %s masks --random -O 0 --expect y=@%t.masks/out-y.npy --expect z=@%t.masks/out-z.npy --rtol 0 --atol 0
// RUN: lathe-run %s special --random --save %t.special --check
// RUN: lathe-run %s special --random -O 0 --expect y=@%t.special/out-y.npy --expect z=@%t.special/out-z.npy --rtol 0 --atol 0
// RUN: lathe-run %s doubles --random --save %t.doubles --check
// RUN: lathe-run %s doubles --random -O 0 --expect y=@%t.doubles/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s halves --random --check --rtol 1e-2
// RUN: lathe-run %s blocks --random --save %t.blocks --check
// RUN: lathe-run %s blocks --random --threads 3 --expect y=@%t.blocks/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s open --random --dim B=2 --dim S=500 --dim T=700 --save %t.open --check
// RUN: lathe-run %s open --random --dim B=2 --dim S=500 --dim T=700 -O 0 --expect y=@%t.open/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s open --input q=@%t.open/in-q.npy --input k=@%t.open/in-k.npy --input v=@%t.open/in-v.npy --specialize S=500 --specialize T=700 --threads 3 --expect y=@%t.open/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s open --random --dim B=2 --dim S=500 --dim T=0 --check
// RUN: lathe-run %s open --random --dim B=2 --dim S=60 --dim T=1 --check
// RUN: lathe-run %s scores --random --check

lathe.dim @B, 0 to 64
lathe.dim @S, 0 to 4096
lathe.dim @T, 0 to 4096

// The kernels of a strip read a number of keys, which is the largest of its rows' last keys and of the last value that is not finite.
// CHECK-LABEL: func.func @causal
// CHECK: lathe.reduce max {{.*}} dims [1] : tensor<520x520xi32>
// CHECK: lathe.compare lt {{.*}} : tensor<3x520x20xf32>
// CHECK: lathe.strips
// CHECK: %[[COUNT:.*]] = lathe.kernel({{.*}}: tensor<?xi32, #lathe.dims<strip>>, {{.*}}: tensor<i32>) -> tensor<i32>
// CHECK: lathe.kernel({{.*}} = %[[COUNT]] : tensor<i32>) -> tensor<?x520xf32, {{.*}} lathe.skips = "columns"
// CHECK: lathe.kernel({{.*}} = %[[COUNT]] : tensor<i32>) -> tensor<?x520xf32, {{.*}} lathe.skips = "elements"
// CHECK: lathe.kernel({{.*}} = %[[COUNT]] : tensor<i32>) -> tensor<?x20xf32, {{.*}} lathe.skips = "depth"
func.func @causal(%q: tensor<3x520x24xf32>, %k: tensor<3x520x24xf32>, %v: tensor<3x520x20xf32>) -> (tensor<3x520x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v causal : tensor<3x520x24xf32>, tensor<3x520x24xf32>, tensor<3x520x20xf32>
  return %y : tensor<3x520x20xf32>
}

// More queries than keys, and the reverse.
func.func @tall(%q: tensor<1001x24xf32>, %k: tensor<333x24xf32>, %v: tensor<333x20xf32>) -> (tensor<1001x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v causal : tensor<1001x24xf32>, tensor<333x24xf32>, tensor<333x20xf32>
  return %y : tensor<1001x20xf32>
}
func.func @wide(%q: tensor<4x210x24xf32>, %k: tensor<4x1111x24xf32>, %v: tensor<4x1111x20xf32>) -> (tensor<4x210x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v causal : tensor<4x210x24xf32>, tensor<4x1111x24xf32>, tensor<4x1111x20xf32>
  return %y : tensor<4x210x20xf32>
}

// A mask for each row of a batch, below a sum of indices, and one that is true where a key is hidden. Row 5 of y sees no key.
// CHECK-LABEL: func.func @masks
// CHECK-COUNT-6: lathe.skips
func.func @masks(%q: tensor<2x2x500x8xf32>, %k: tensor<2x2x600x8xf32>, %v: tensor<2x2x600x5xf32>)
    -> (tensor<2x2x500x5xf32> {lathe.name = "y"}, tensor<2x2x500x5xf32> {lathe.name = "z"}) {
  %batch = lathe.iota dim 0 to [2, 1, 500, 600] : i32 -> tensor<2x1x500x600xi32>
  %row = lathe.iota dim 2 to [2, 1, 500, 600] : i32 -> tensor<2x1x500x600xi32>
  %key = lathe.iota dim 3 to [2, 1, 500, 600] : i32 -> tensor<2x1x500x600xi32>
  %hundred = lathe.constant dense<100> : tensor<i32>
  %five = lathe.constant dense<5> : tensor<i32>
  %shift = lathe.mul %batch, %hundred : tensor<2x1x500x600xi32>, tensor<i32>
  %last = lathe.add %row, %shift : tensor<2x1x500x600xi32>
  %isSeen = lathe.compare le %key, %last : tensor<2x1x500x600xi32>
  %isOther = lathe.compare ne %row, %five : tensor<2x1x500x600xi32>, tensor<i32>
  %mask = lathe.and %isSeen, %isOther : tensor<2x1x500x600xi1>
  %y = lathe.std.attention %q, %k, %v mask %mask : tensor<2x2x500x8xf32>, tensor<2x2x600x8xf32>, tensor<2x2x600x5xf32>, tensor<2x1x500x600xi1>
  %hidden = lathe.compare gt %key, %last : tensor<2x1x500x600xi32>
  %others = lathe.neg %k : tensor<2x2x600x8xf32>
  %p = lathe.dot_general %q, %others contract [3] x [3] batch [0, 1] x [0, 1] : tensor<2x2x500x8xf32>, tensor<2x2x600x8xf32>
  %never = lathe.constant dense<0xFF800000> : tensor<f32>
  %s = lathe.select %hidden, %never, %p : tensor<2x1x500x600xi1>, tensor<f32>, tensor<2x2x500x600xf32>
  %w = lathe.std.softmax %s dim 3 : tensor<2x2x500x600xf32>
  %z = lathe.dot_general %w, %v contract [3] x [2] batch [0, 1] x [0, 1] : tensor<2x2x500x600xf32>, tensor<2x2x600x5xf32>
  return %y, %z : tensor<2x2x500x5xf32>, tensor<2x2x500x5xf32>
}

// Rows without keys, NaN and infinite scores, and an infinite value at key 400 of batch 1, where the weights of earlier rows are 0.
// CHECK-LABEL: func.func @special
// CHECK-COUNT-6: lathe.skips
func.func @special(%q: tensor<2x600x8xf32>, %k: tensor<2x600x8xf32>, %v: tensor<2x600x5xf32>)
    -> (tensor<2x600x5xf32> {lathe.name = "y"}, tensor<2x600x5xf32> {lathe.name = "z"}) {
  %row = lathe.iota dim 1 to [2, 600, 8] : i32 -> tensor<2x600x8xi32>
  %seven = lathe.constant dense<7> : tensor<i32>
  %nine = lathe.constant dense<9> : tensor<i32>
  %nan = lathe.constant dense<0x7FC00000> : tensor<f32>
  %infinity = lathe.constant dense<0x7F800000> : tensor<f32>
  %never = lathe.constant dense<0xFF800000> : tensor<f32>
  %is7 = lathe.compare eq %row, %seven : tensor<2x600x8xi32>, tensor<i32>
  %is9 = lathe.compare eq %row, %nine : tensor<2x600x8xi32>, tensor<i32>
  %q7 = lathe.select %is7, %nan, %q : tensor<2x600x8xi1>, tensor<f32>, tensor<2x600x8xf32>
  %q9 = lathe.select %is9, %infinity, %q7 : tensor<2x600x8xi1>, tensor<f32>, tensor<2x600x8xf32>
  %batch = lathe.iota dim 0 to [2, 600, 5] : i32 -> tensor<2x600x5xi32>
  %place = lathe.iota dim 1 to [2, 600, 5] : i32 -> tensor<2x600x5xi32>
  %one = lathe.constant dense<1> : tensor<i32>
  %at = lathe.constant dense<400> : tensor<i32>
  %isBatch = lathe.compare eq %batch, %one : tensor<2x600x5xi32>, tensor<i32>
  %isPlace = lathe.compare eq %place, %at : tensor<2x600x5xi32>, tensor<i32>
  %isInfinite = lathe.and %isBatch, %isPlace : tensor<2x600x5xi1>
  %values = lathe.select %isInfinite, %infinity, %v : tensor<2x600x5xi1>, tensor<f32>, tensor<2x600x5xf32>
  %query = lathe.iota dim 0 to [600, 600] : i32 -> tensor<600x600xi32>
  %key = lathe.iota dim 1 to [600, 600] : i32 -> tensor<600x600xi32>
  %isSeen = lathe.compare lt %key, %query : tensor<600x600xi32>
  %p = lathe.dot_general %q9, %k contract [2] x [2] batch [0] x [0] : tensor<2x600x8xf32>, tensor<2x600x8xf32>
  %s = lathe.select %isSeen, %p, %never : tensor<600x600xi1>, tensor<2x600x600xf32>, tensor<f32>
  %w = lathe.std.softmax %s dim 2 : tensor<2x600x600xf32>
  %y = lathe.dot_general %w, %values contract [2] x [1] batch [0] x [0] : tensor<2x600x600xf32>, tensor<2x600x5xf32>
  %others = lathe.neg %k : tensor<2x600x8xf32>
  %z = lathe.std.attention %q9, %others, %values mask %isSeen : tensor<2x600x8xf32>, tensor<2x600x8xf32>, tensor<2x600x5xf32>, tensor<600x600xi1>
  return %y, %z : tensor<2x600x5xf32>, tensor<2x600x5xf32>
}

// CHECK-LABEL: func.func @doubles
// CHECK-COUNT-3: lathe.skips
func.func @doubles(%q: tensor<1000x24xf64>, %k: tensor<777x24xf64>, %v: tensor<777x20xf64>) -> (tensor<1000x20xf64> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v causal : tensor<1000x24xf64>, tensor<777x24xf64>, tensor<777x20xf64>
  return %y : tensor<1000x20xf64>
}

func.func @halves(%q: tensor<1000x24xbf16>, %k: tensor<777x24xbf16>, %v: tensor<777x20xbf16>) -> (tensor<1000x20xbf16> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v causal : tensor<1000x24xbf16>, tensor<777x24xbf16>, tensor<777x20xbf16>
  return %y : tensor<1000x20xbf16>
}

// Blocks of keys: a strip of the loop has few keys in its last block, and one step of them in those behind.
// CHECK-LABEL: func.func @blocks
// CHECK: lathe.scan
// CHECK-COUNT-3: lathe.skips
func.func @blocks(%q: tensor<1500x8xf32>, %k: tensor<4200x8xf32>, %v: tensor<4200x5xf32>) -> (tensor<1500x5xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v causal : tensor<1500x8xf32>, tensor<4200x8xf32>, tensor<4200x5xf32>
  return %y : tensor<1500x5xf32>
}

// CHECK-LABEL: func.func @open
// CHECK-COUNT-3: lathe.skips
func.func @open(%q: tensor<?x?x24xf32> {lathe.dims = #lathe.dims<B, S>}, %k: tensor<?x?x24xf32> {lathe.dims = #lathe.dims<B, T>},
                %v: tensor<?x?x20xf32> {lathe.dims = #lathe.dims<B, T>}) -> (tensor<?x?x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v causal : tensor<?x?x24xf32>, tensor<?x?x24xf32>, tensor<?x?x20xf32>
  return %y : tensor<?x?x20xf32>
}

// Hidden keys count here: a finite score may be the largest.
// CHECK-LABEL: func.func @scores
// CHECK: lathe.strips
// CHECK-NOT: lathe.skips
// CHECK: return
func.func @scores(%q: tensor<2000x8xf32>, %k: tensor<400x8xf32>, %v: tensor<400x5xf32>) -> (tensor<2000x5xf32> {lathe.name = "y"}) {
  %query = lathe.iota dim 0 to [2000, 400] : i32 -> tensor<2000x400xi32>
  %key = lathe.iota dim 1 to [2000, 400] : i32 -> tensor<2000x400xi32>
  %isSeen = lathe.compare le %key, %query : tensor<2000x400xi32>
  %p = lathe.dot_general %q, %k contract [1] x [1] : tensor<2000x8xf32>, tensor<400x8xf32>
  %low = lathe.constant dense<-1.0> : tensor<f32>
  %s = lathe.select %isSeen, %p, %low : tensor<2000x400xi1>, tensor<2000x400xf32>, tensor<f32>
  %w = lathe.std.softmax %s dim 1 : tensor<2000x400xf32>
  %y = lathe.dot_general %w, %v contract [1] x [0] : tensor<2000x400xf32>, tensor<400x5xf32>
  return %y : tensor<2000x5xf32>
}
