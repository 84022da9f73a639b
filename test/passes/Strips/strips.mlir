// Products whose left operand is computed row by row from another product run in strips, with what is between them.
// RUN: lathe-opt %s --lathe-fuse --lathe-cut-strips="least=0" | FileCheck %s
// RUN: lathe-opt %s --lathe-fuse --lathe-cut-strips="least=0 height=32" | FileCheck %s --check-prefix=LOW
// RUN: lathe-opt %s --lathe-fuse --lathe-cut-strips="least=8388608" | FileCheck %s --check-prefix=LEAST
// What is written can be read again.
// RUN: lathe-opt %s --lathe-fuse --lathe-cut-strips="least=0" | lathe-opt | FileCheck %s

// Queries [2, 512, 8], keys [2, 8, 64], values [2, 64, 4].
// CHECK-LABEL: func.func @attention
// CHECK: lathe.kernel({{.*}}) -> (tensor<2x512x4xf32>, tensor<196608xi8>)
// CHECK: lathe.strips({{.*}}: tensor<2x512x8xf32>, {{.*}}: tensor<2x8x64xf32>, {{.*}}: tensor<2x64x4xf32>) -> tensor<2x512x4xf32>
// CHECK-SAME: extents = #lathe.shape<[2, 512]>, height = 48 : i64
// CHECK-SAME: places = [array<i64: 0, 1>, array<i64: 0>, array<i64: 0>], rows = "strip"
// CHECK: lathe.dot_general {{.*}} contract [1] x [0] : tensor<?x8xf32, #lathe.dims<strip>>, tensor<8x64xf32>
// CHECK: lathe.kernel{{.*}} attributes {lathe.rows}
// CHECK: lathe.reduce max {{.*}} dims [1] : tensor<?x64xf32, #lathe.dims<strip>>
// CHECK: lathe.dot_general {{.*}} contract [1] x [0] : tensor<?x64xf32, #lathe.dims<strip>>, tensor<64x4xf32>
// CHECK: lathe.scratch : tensor<196608xi8>
// CHECK-NOT: tensor<2x512x64xf32>
// LOW: lathe.strips
// LOW-SAME: height = 32
// LEAST-LABEL: func.func @attention
// LEAST-NOT: lathe.strips
// LEAST: return
func.func @attention(%q: tensor<2x512x8xf32>, %k: tensor<2x8x64xf32>, %v: tensor<2x64x4xf32>) -> tensor<2x512x4xf32> {
  %scores = lathe.dot_general %q, %k contract [2] x [1] batch [0] x [0] : tensor<2x512x8xf32>, tensor<2x8x64xf32>
  %max = lathe.reduce max %scores dims [2] : tensor<2x512x64xf32>
  %top = lathe.broadcast %max dims [0, 1] to [2, 512, 64] : tensor<2x512xf32> -> tensor<2x512x64xf32>
  %less = lathe.sub %scores, %top : tensor<2x512x64xf32>
  %exp = lathe.exp %less : tensor<2x512x64xf32>
  %sum = lathe.reduce sum %exp dims [2] : tensor<2x512x64xf32>
  %all = lathe.broadcast %sum dims [0, 1] to [2, 512, 64] : tensor<2x512xf32> -> tensor<2x512x64xf32>
  %weights = lathe.div %exp, %all : tensor<2x512x64xf32>
  %y = lathe.dot_general %weights, %v contract [2] x [1] batch [0] x [0] : tensor<2x512x64xf32>, tensor<2x64x4xf32>
  return %y : tensor<2x512x4xf32>
}

// A mask that all batches share, with dimensions of one index; row numbers, which become an input of the strips; and a factor for
// each batch.
// CHECK-LABEL: func.func @masked
// CHECK: %[[MASK:.*]] = lathe.reshape {{.*}} to [512, 64] : tensor<1x512x64xf32>
// CHECK: %[[ROWS:.*]] = lathe.kernel() -> tensor<512xi32>
// CHECK: lathe.iota dim 0 to [512] : i32
// CHECK: lathe.strips(
// CHECK-SAME: places = [array<i64: 0, 1>, array<i64: 0>, array<i64: 0>, array<i64: 1>, array<i64: 1>, array<i64: 0>]
// CHECK-DAG: lathe.broadcast {{.*}} dims [0] to [strip, 64] : tensor<?xi32, #lathe.dims<strip>>
// CHECK-DAG: lathe.iota dim 1 to [strip, 64] : i32
func.func @masked(%q: tensor<2x512x8xf32>, %k: tensor<2x8x64xf32>, %v: tensor<2x64x4xf32>, %mask: tensor<1x512x64xf32>,
                  %scale: tensor<2xf32>) -> tensor<2x512x4xf32> {
  %scores = lathe.dot_general %q, %k contract [2] x [1] batch [0] x [0] : tensor<2x512x8xf32>, tensor<2x8x64xf32>
  %each = lathe.broadcast %mask dims [0, 1, 2] to [2, 512, 64] : tensor<1x512x64xf32> -> tensor<2x512x64xf32>
  %factor = lathe.broadcast %scale dims [0] to [2, 512, 64] : tensor<2xf32> -> tensor<2x512x64xf32>
  %scaled = lathe.mul %scores, %factor : tensor<2x512x64xf32>
  %added = lathe.add %scaled, %each : tensor<2x512x64xf32>
  %row = lathe.iota dim 1 to [2, 512, 64] : i32 -> tensor<2x512x64xi32>
  %column = lathe.iota dim 2 to [2, 512, 64] : i32 -> tensor<2x512x64xi32>
  %isBefore = lathe.compare le %column, %row : tensor<2x512x64xi32>
  %zero = lathe.constant dense<0.0> : tensor<2x512x64xf32>
  %kept = lathe.select %isBefore, %added, %zero : tensor<2x512x64xi1>, tensor<2x512x64xf32>
  %y = lathe.dot_general %kept, %v contract [2] x [1] batch [0] x [0] : tensor<2x512x64xf32>, tensor<2x64x4xf32>
  return %y : tensor<2x512x4xf32>
}

// Named sizes; the name of a strip's rows is a new one.
// CHECK-LABEL: func.func @named
// CHECK: lathe.strips(
// CHECK-SAME: extents = #lathe.shape<[B, strip]>
// CHECK-SAME: rows = "strip2"
func.func @named(%q: tensor<?x?x8xf32, #lathe.dims<B, strip>>, %k: tensor<?x8x?xf32, #lathe.dims<B, T>>,
                 %v: tensor<?x?x4xf32, #lathe.dims<B, T>>) -> tensor<?x?x4xf32, #lathe.dims<B, strip>> {
  %scores = lathe.dot_general %q, %k contract [2] x [1] batch [0] x [0] : tensor<?x?x8xf32, #lathe.dims<B, strip>>, tensor<?x8x?xf32, #lathe.dims<B, T>>
  %exp = lathe.exp %scores : tensor<?x?x?xf32, #lathe.dims<B, strip, T>>
  %y = lathe.dot_general %exp, %v contract [2] x [1] batch [0] x [0] : tensor<?x?x?xf32, #lathe.dims<B, strip, T>>, tensor<?x?x4xf32, #lathe.dims<B, T>>
  return %y : tensor<?x?x4xf32, #lathe.dims<B, strip>>
}

// The scores are a result: they must be stored.
// CHECK-LABEL: func.func @stored
// CHECK-NOT: lathe.strips
// CHECK: return
func.func @stored(%q: tensor<1024x8xf32>, %k: tensor<8x64xf32>, %v: tensor<64x4xf32>) -> (tensor<1024x4xf32>, tensor<1024x64xf32>) {
  %scores = lathe.dot_general %q, %k contract [1] x [0] : tensor<1024x8xf32>, tensor<8x64xf32>
  %y = lathe.dot_general %scores, %v contract [1] x [0] : tensor<1024x64xf32>, tensor<64x4xf32>
  return %y, %scores : tensor<1024x4xf32>, tensor<1024x64xf32>
}

// Sums of the rows are read in the strip and behind it.
// CHECK-LABEL: func.func @sums
// CHECK: [[S:%.*]]:3 = lathe.kernel({{.*}}) -> (tensor<1024xf32>, tensor<1024x4xf32>, tensor<{{[0-9]+}}xi8>)
// CHECK: lathe.strips({{.*}}) -> (tensor<1024xf32>, tensor<1024x4xf32>)
// CHECK: [[R:%.*]]:2 = lathe.kernel({{.*}}) -> (tensor<?x64xf32, #lathe.dims<strip>>, tensor<?xf32, #lathe.dims<strip>>)
// CHECK: [[Y:%.*]] = lathe.kernel(
// CHECK: lathe.yield [[R]]#1, [[Y]]
// CHECK: lathe.kernel(%{{.*}} = [[S]]#0
func.func @sums(%q: tensor<1024x8xf32>, %k: tensor<8x64xf32>, %v: tensor<64x4xf32>) -> (tensor<1024x4xf32>, tensor<1024xf32>) {
  %scores = lathe.dot_general %q, %k contract [1] x [0] : tensor<1024x8xf32>, tensor<8x64xf32>
  %max = lathe.reduce max %scores dims [1] : tensor<1024x64xf32>
  %top = lathe.broadcast %max dims [0] to [1024, 64] : tensor<1024xf32>
  %less = lathe.sub %scores, %top : tensor<1024x64xf32>
  %exp = lathe.exp %less : tensor<1024x64xf32>
  %sum = lathe.reduce sum %exp dims [1] : tensor<1024x64xf32>
  %mean = lathe.dot_general %exp, %v contract [1] x [0] : tensor<1024x64xf32>, tensor<64x4xf32>
  %sums = lathe.broadcast %sum dims [0] to [1024, 4] : tensor<1024xf32>
  %y = lathe.div %mean, %sums : tensor<1024x4xf32>
  %turned = lathe.reverse %sum dims [0] : tensor<1024xf32>
  return %y, %turned : tensor<1024x4xf32>, tensor<1024xf32>
}

// Two functions of the last product: both results come from the strips.
// CHECK-LABEL: func.func @several
// CHECK: lathe.strips({{.*}}) -> (tensor<1024x4xf32>, tensor<1024x4xf32>)
// CHECK: [[R:%.*]]:2 = lathe.kernel({{.*}}) -> (tensor<?x4xf32, #lathe.dims<strip>>, tensor<?x4xf32, #lathe.dims<strip>>)
// CHECK: lathe.yield [[R]]#0, [[R]]#1
func.func @several(%q: tensor<1024x8xf32>, %k: tensor<8x64xf32>, %v: tensor<64x4xf32>) -> (tensor<1024x4xf32>, tensor<1024x4xf32>) {
  %scores = lathe.dot_general %q, %k contract [1] x [0] : tensor<1024x8xf32>, tensor<8x64xf32>
  %exp = lathe.exp %scores : tensor<1024x64xf32>
  %mean = lathe.dot_general %exp, %v contract [1] x [0] : tensor<1024x64xf32>, tensor<64x4xf32>
  %sin = lathe.sin %mean : tensor<1024x4xf32>
  %cos = lathe.cos %mean : tensor<1024x4xf32>
  return %sin, %cos : tensor<1024x4xf32>, tensor<1024x4xf32>
}

// A row of the weights depends on all rows of scores.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: lathe.strips
// CHECK: return
func.func @columns(%q: tensor<1024x8xf32>, %k: tensor<8x64xf32>, %v: tensor<64x4xf32>) -> tensor<1024x4xf32> {
  %scores = lathe.dot_general %q, %k contract [1] x [0] : tensor<1024x8xf32>, tensor<8x64xf32>
  %sum = lathe.reduce sum %scores dims [0] : tensor<1024x64xf32>
  %all = lathe.broadcast %sum dims [1] to [1024, 64] : tensor<64xf32> -> tensor<1024x64xf32>
  %less = lathe.sub %scores, %all : tensor<1024x64xf32>
  %y = lathe.dot_general %less, %v contract [1] x [0] : tensor<1024x64xf32>, tensor<64x4xf32>
  return %y : tensor<1024x4xf32>
}

// The strips of 16 areas would take as much memory as the matrix.
// CHECK-LABEL: func.func @few
// CHECK-NOT: lathe.strips
// CHECK: return
func.func @few(%q: tensor<768x8xf32>, %k: tensor<8x64xf32>, %v: tensor<64x4xf32>) -> tensor<768x4xf32> {
  %scores = lathe.dot_general %q, %k contract [1] x [0] : tensor<768x8xf32>, tensor<8x64xf32>
  %y = lathe.dot_general %scores, %v contract [1] x [0] : tensor<768x64xf32>, tensor<64x4xf32>
  return %y : tensor<768x4xf32>
}

// Each strip would read the weights again, which take more than the matrix of hidden values.
// CHECK-LABEL: func.func @large
// CHECK-NOT: lathe.strips
// CHECK: return
func.func @large(%x: tensor<4096x512xf32>, %w: tensor<512x1024xf32>, %u: tensor<1024x512xf32>) -> tensor<4096x512xf32> {
  %hidden = lathe.dot_general %x, %w contract [1] x [0] : tensor<4096x512xf32>, tensor<512x1024xf32>
  %exp = lathe.exp %hidden : tensor<4096x1024xf32>
  %y = lathe.dot_general %exp, %u contract [1] x [0] : tensor<4096x1024xf32>, tensor<1024x512xf32>
  return %y : tensor<4096x512xf32>
}

// Constant weights stay in the order that the product reads.
// CHECK-LABEL: func.func @constant
// CHECK-NOT: lathe.strips
// CHECK: return
func.func @constant(%x: tensor<4096x8xf32>, %w: tensor<8x64xf32>) -> tensor<4096x4xf32> {
  %hidden = lathe.dot_general %x, %w contract [1] x [0] : tensor<4096x8xf32>, tensor<8x64xf32>
  %c = lathe.constant dense_resource<weights> : tensor<64x4xf32>
  %y = lathe.dot_general %hidden, %c contract [1] x [0] : tensor<4096x64xf32>, tensor<64x4xf32>
  return %y : tensor<4096x4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F00000040"
    }
  }
#-}
