// Attention over long rows of keys in blocks: against the interpreter, and the bits of several threads, of named sizes and a
// version for known ones, and of other heights of strips. Some keys fill no block.
// RUN: lathec %s --emit=mlir --emit-stage=schedule -o - | FileCheck %s
// RUN: lathe-run %s plain --random --save %t.plain --check
// RUN: lathe-run %s plain --random --threads 3 --expect y=@%t.plain/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s plain --random --target x86-64-v2 --check
// RUN: lathe-run %s plain --random -O 0 --expect y=@%t.plain/out-y.npy --rtol 1e-5 --atol 1e-7
// RUN: lathe-run %s masked --random --save %t.masked --check
// RUN: lathe-run %s masked --random --threads 3 --expect y=@%t.masked/out-y.npy --rtol 0 --atol 0
// RUN: lathe-run %s doubles --random --check
// RUN: lathe-run %s halves --random --check --rtol 1e-2
// RUN: lathe-run %s special --random --check
// RUN: lathe-run %s lowest --random --check
// RUN: lathe-run %s large --random --check
// RUN: lathe-run %s open --input q=@%t.plain/in-q.npy --input k=@%t.plain/in-k.npy --input v=@%t.plain/in-v.npy --save %t.open --check
// RUN: lathe-run %s open --input q=@%t.plain/in-q.npy --input k=@%t.plain/in-k.npy --input v=@%t.plain/in-v.npy --specialize S=400 --threads 3 --expect y=@%t.open/out-y.npy --rtol 0 --atol 0

// The sums of the loop are updated in place, in the kernel that multiplies by the values.
// CHECK-LABEL: func.func @plain
// CHECK: lathe.scan carry({{.*}}, %[[A:[a-z0-9]+]] = %{{[0-9]+}} : tensor<2x400x20xf32>) {{.*}}lathe.spares = [#lathe.buffer<{{[^,]*}}>, unit, unit]
// CHECK: lathe.kernel({{.*}} = %[[A]] : tensor<2x400x20xf32>) -> (tensor<2x400xf32>, tensor<2x400xf32>, tensor<2x400x20xf32>, tensor<{{.*}}xi8>)
// CHECK: lathe.strips
// CHECK: lathe.yield carry

lathe.dim @B, 0 to 64
lathe.dim @S, 0 to 4096

func.func @plain(%q: tensor<2x400x24xf32>, %k: tensor<2x4200x24xf32>, %v: tensor<2x4200x20xf32>) -> (tensor<2x400x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v : tensor<2x400x24xf32>, tensor<2x4200x24xf32>, tensor<2x4200x20xf32>
  return %y : tensor<2x400x20xf32>
}

// A mask for each pair, a bias that the heads share, and the triangle of earlier keys: most rows have no key in most blocks.
func.func @masked(%q: tensor<2x2x210x24xf32>, %k: tensor<2x2x4096x24xf32>, %v: tensor<2x2x4096x20xf32>, %m: tensor<210x4096xi1>,
                  %b: tensor<2x1x1x4096xf32>) -> (tensor<2x2x210x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v mask %m bias %b causal : tensor<2x2x210x24xf32>, tensor<2x2x4096x24xf32>, tensor<2x2x4096x20xf32>, tensor<210x4096xi1>, tensor<2x1x1x4096xf32>
  return %y : tensor<2x2x210x20xf32>
}

func.func @doubles(%q: tensor<800x24xf64>, %k: tensor<4097x24xf64>, %v: tensor<4097x20xf64>) -> (tensor<800x20xf64> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v : tensor<800x24xf64>, tensor<4097x24xf64>, tensor<4097x20xf64>
  return %y : tensor<800x20xf64>
}

func.func @halves(%q: tensor<800x24xbf16>, %k: tensor<4096x24xbf16>, %v: tensor<4096x20xbf16>) -> (tensor<800x20xbf16> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v : tensor<800x24xbf16>, tensor<4096x24xbf16>, tensor<4096x20xbf16>
  return %y : tensor<800x20xbf16>
}

// Rows by their remainder by 8: 0 has no keys, 1 none in the first two blocks, 2 none but in the first, 3 a NaN as a score, 4 an
// infinite score, 5 larger scores in later blocks, 6 smaller ones. Column 3 of the values is infinite at a key of the second block.
func.func @special(%q: tensor<800x8xf32>, %k: tensor<4100x8xf32>, %v: tensor<4100x5xf32>) -> (tensor<800x5xf32> {lathe.name = "y"}, tensor<800x5xf32> {lathe.name = "z"}) {
  %row = lathe.iota dim 0 to [800, 4100] : i32 -> tensor<800x4100xi32>
  %key = lathe.iota dim 1 to [800, 4100] : i32 -> tensor<800x4100xi32>
  %eight = lathe.constant dense<8> : tensor<i32>
  %kind = lathe.rem %row, %eight : tensor<800x4100xi32>, tensor<i32>
  %zero = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1> : tensor<i32>
  %two = lathe.constant dense<2> : tensor<i32>
  %three = lathe.constant dense<3> : tensor<i32>
  %four = lathe.constant dense<4> : tensor<i32>
  %five = lathe.constant dense<5> : tensor<i32>
  %six = lathe.constant dense<6> : tensor<i32>
  %early = lathe.constant dense<1024> : tensor<i32>
  %first = lathe.constant dense<512> : tensor<i32>
  %place = lathe.constant dense<700> : tensor<i32>
  %never = lathe.constant dense<0xFF800000> : tensor<f32>
  %nan = lathe.constant dense<0x7FC00000> : tensor<f32>
  %infinity = lathe.constant dense<0x7F800000> : tensor<f32>
  %nothing = lathe.constant dense<0.0> : tensor<f32>
  %step = lathe.constant dense<0.01> : tensor<f32>
  %is0 = lathe.compare eq %kind, %zero : tensor<800x4100xi32>, tensor<i32>
  %is1 = lathe.compare eq %kind, %one : tensor<800x4100xi32>, tensor<i32>
  %is2 = lathe.compare eq %kind, %two : tensor<800x4100xi32>, tensor<i32>
  %is3 = lathe.compare eq %kind, %three : tensor<800x4100xi32>, tensor<i32>
  %is4 = lathe.compare eq %kind, %four : tensor<800x4100xi32>, tensor<i32>
  %is5 = lathe.compare eq %kind, %five : tensor<800x4100xi32>, tensor<i32>
  %is6 = lathe.compare eq %kind, %six : tensor<800x4100xi32>, tensor<i32>
  %isEarly = lathe.compare lt %key, %early : tensor<800x4100xi32>, tensor<i32>
  %isLate = lathe.compare ge %key, %first : tensor<800x4100xi32>, tensor<i32>
  %isThere = lathe.compare eq %key, %place : tensor<800x4100xi32>, tensor<i32>
  %number = lathe.convert %key to f32 : tensor<800x4100xi32>
  %up = lathe.mul %number, %step : tensor<800x4100xf32>, tensor<f32>
  %down = lathe.neg %up : tensor<800x4100xf32>
  %none1 = lathe.and %is1, %isEarly : tensor<800x4100xi1>
  %none2 = lathe.and %is2, %isLate : tensor<800x4100xi1>
  %nan3 = lathe.and %is3, %isThere : tensor<800x4100xi1>
  %inf4 = lathe.and %is4, %isThere : tensor<800x4100xi1>
  %b0 = lathe.select %is0, %never, %nothing : tensor<800x4100xi1>, tensor<f32>
  %b1 = lathe.select %none1, %never, %b0 : tensor<800x4100xi1>, tensor<f32>, tensor<800x4100xf32>
  %b2 = lathe.select %none2, %never, %b1 : tensor<800x4100xi1>, tensor<f32>, tensor<800x4100xf32>
  %b3 = lathe.select %nan3, %nan, %b2 : tensor<800x4100xi1>, tensor<f32>, tensor<800x4100xf32>
  %b4 = lathe.select %inf4, %infinity, %b3 : tensor<800x4100xi1>, tensor<f32>, tensor<800x4100xf32>
  %b5 = lathe.select %is5, %up, %b4 : tensor<800x4100xi1>, tensor<800x4100xf32>
  %bias = lathe.select %is6, %down, %b5 : tensor<800x4100xi1>, tensor<800x4100xf32>
  %at = lathe.iota dim 0 to [4100, 5] : i32 -> tensor<4100x5xi32>
  %column = lathe.iota dim 1 to [4100, 5] : i32 -> tensor<4100x5xi32>
  %isAt = lathe.compare eq %at, %place : tensor<4100x5xi32>, tensor<i32>
  %isColumn = lathe.compare eq %column, %three : tensor<4100x5xi32>, tensor<i32>
  %isInfinite = lathe.and %isAt, %isColumn : tensor<4100x5xi1>
  %values = lathe.select %isInfinite, %infinity, %v : tensor<4100x5xi1>, tensor<f32>, tensor<4100x5xf32>
  %y = lathe.std.attention %q, %k, %values bias %bias : tensor<800x8xf32>, tensor<4100x8xf32>, tensor<4100x5xf32>, tensor<800x4100xf32>
  %p = lathe.dot_general %q, %k contract [1] x [1] : tensor<800x8xf32>, tensor<4100x8xf32>
  %s = lathe.add %p, %bias : tensor<800x4100xf32>
  %w = lathe.std.softmax %s dim 1 : tensor<800x4100xf32>
  %z = lathe.dot_general %w, %values contract [1] x [0] : tensor<800x4100xf32>, tensor<4100x5xf32>
  return %y, %z : tensor<800x5xf32>, tensor<800x5xf32>
}

// Scores that are left out are the lowest finite number, and a row of them has equal weights.
func.func @lowest(%q: tensor<800x8xf32>, %k: tensor<4100x8xf32>, %v: tensor<4100x5xf32>) -> (tensor<800x5xf32> {lathe.name = "y"}) {
  %row = lathe.iota dim 0 to [800, 4100] : i32 -> tensor<800x4100xi32>
  %key = lathe.iota dim 1 to [800, 4100] : i32 -> tensor<800x4100xi32>
  %ten = lathe.constant dense<10> : tensor<i32>
  %late = lathe.constant dense<5000> : tensor<i32>
  %from = lathe.mul %row, %ten : tensor<800x4100xi32>, tensor<i32>
  %isSeen = lathe.compare ge %key, %from : tensor<800x4100xi32>
  %lowest = lathe.constant dense<0xFF7FFFFF> : tensor<f32>
  %p = lathe.dot_general %q, %k contract [1] x [1] : tensor<800x8xf32>, tensor<4100x8xf32>
  %s = lathe.select %isSeen, %p, %lowest : tensor<800x4100xi1>, tensor<800x4100xf32>, tensor<f32>
  %w = lathe.std.softmax %s dim 1 : tensor<800x4100xf32>
  %y = lathe.dot_general %w, %v contract [1] x [0] : tensor<800x4100xf32>, tensor<4100x5xf32>
  return %y : tensor<800x5xf32>
}

// Values near the largest number: the sums of 4,100 of them must not overflow before they are divided.
func.func @large(%q: tensor<800x8xf32>, %k: tensor<4100x8xf32>, %v: tensor<4100x5xf32>) -> (tensor<800x5xf32> {lathe.name = "y"}) {
  %small = lathe.constant dense<0.001> : tensor<f32>
  %most = lathe.constant dense<3.0e38> : tensor<f32>
  %near = lathe.mul %q, %small : tensor<800x8xf32>, tensor<f32>
  %size = lathe.abs %v : tensor<4100x5xf32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %flat = lathe.mul %size, %zero : tensor<4100x5xf32>, tensor<f32>
  %values = lathe.add %flat, %most : tensor<4100x5xf32>, tensor<f32>
  %y = lathe.std.attention %near, %k, %values : tensor<800x8xf32>, tensor<4100x8xf32>, tensor<4100x5xf32>
  return %y : tensor<800x5xf32>
}

func.func @open(%q: tensor<?x?x24xf32> {lathe.dims = #lathe.dims<B, S>}, %k: tensor<?x4200x24xf32> {lathe.dims = #lathe.dims<B>},
                %v: tensor<?x4200x20xf32> {lathe.dims = #lathe.dims<B>}) -> (tensor<?x?x20xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v causal : tensor<?x?x24xf32>, tensor<?x4200x24xf32>, tensor<?x4200x20xf32>
  return %y : tensor<?x?x20xf32>
}
