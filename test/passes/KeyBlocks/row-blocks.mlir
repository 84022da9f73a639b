// Derivatives of attention become loops over blocks of rows.
// RUN: lathe-opt %s --lathe-block-rows="rows=16 least=0" --split-input-file | FileCheck %s
// RUN: lathe-opt %s --lathe-block-rows="rows=16 tall=16 columns=32 least=0" --split-input-file | FileCheck %s --check-prefix=COLUMNS
// By default only matrices of many bytes do.
// RUN: lathe-opt %s --lathe-block-rows --split-input-file | FileCheck %s --check-prefix=FEW --implicit-check-not=lathe.scan
// FEW: lathe.dot_general

// Two heads, two blocks of 16 queries, and the last 9. The weights are computed again from the queries and the softmax's sums, which
// the result needs as well. The sums along rows of weights times cotangents come from the result.
// The second list: two blocks of 40 keys, inside of which the gradients of keys and values are sums. Those of the queries are sums over
// the blocks of keys.
// CHECK-LABEL: func.func @softmax
// CHECK: [[M:%.*]] = lathe.reduce max
// CHECK: [[T:%.*]] = lathe.reduce sum
// CHECK: [[Y:%.*]] = lathe.dot_general {{.*}} : tensor<2x41x80xf32>, tensor<2x80x1xf32>
// CHECK: lathe.mul {{.*}}[[Y]] : tensor<2x41x1xf32>
// CHECK: lathe.reduce sum {{.*}} dims [2] : tensor<2x41x1xf32>
// CHECK: lathe.scan
// CHECK-SAME: tensor<2x1x41x1xf32>
// CHECK: lathe.scan
// CHECK-SAME: carry(
// CHECK: lathe.dot_general {{.*}} : tensor<1x16x1xf32>, tensor<1x80x1xf32>
// CHECK: lathe.exp {{.*}} : tensor<1x16x80xf32>
// CHECK-NOT: lathe.reduce
// CHECK: lathe.yield carry(
// CHECK-SAME: collect(
// CHECK: lathe.slice {{.*}} from [0, 32, 0] to [1, 41, 1]
// CHECK: lathe.exp {{.*}} : tensor<1x9x80xf32>
// CHECK: lathe.concatenate
// CHECK: lathe.yield collect(
// CHECK-NOT: tensor<2x41x80xf32>
// CHECK: return
// COLUMNS-LABEL: func.func @softmax
// COLUMNS: lathe.scan over(
// COLUMNS: lathe.scan carry({{.*}} : tensor<1x41x1xf32>) over({{.*}} : tensor<2x1x40x1xf32>
// COLUMNS: lathe.scan carry({{.*}} : tensor<1x40x1xf32>, {{.*}} : tensor<1x40x1xf32>) over({{.*}} : tensor<2x1x16x1xf32>
// COLUMNS: lathe.exp {{.*}} : tensor<1x16x40xf32>
// COLUMNS: lathe.yield carry({{.*}} : tensor<1x40x1xf32>, {{.*}} : tensor<1x40x1xf32>) collect({{.*}} : tensor<1x16x1xf32>)
// COLUMNS: lathe.exp {{.*}} : tensor<1x9x40xf32>
// COLUMNS: lathe.yield carry({{.*}} : tensor<1x41x1xf32>) collect({{.*}} : tensor<1x40x1xf32>, {{.*}} : tensor<1x40x1xf32>)
// COLUMNS: return
func.func @softmax(%q: tensor<2x41x1xf32>, %k: tensor<2x80x1xf32>, %v: tensor<2x80x1xf32>)
    -> (tensor<2x41x1xf32>, tensor<2x41x1xf32>, tensor<2x80x1xf32>, tensor<2x80x1xf32>) {
  %scores = lathe.dot_general %q, %k contract [2] x [2] batch [0] x [0] : tensor<2x41x1xf32>, tensor<2x80x1xf32>
  %largest = lathe.reduce max %scores dims [2] : tensor<2x41x80xf32>
  %offsets = lathe.broadcast %largest dims [0, 1] to [2, 41, 80] : tensor<2x41xf32>
  %shifted = lathe.sub %scores, %offsets : tensor<2x41x80xf32>
  %exp = lathe.exp %shifted : tensor<2x41x80xf32>
  %total = lathe.reduce sum %exp dims [2] : tensor<2x41x80xf32>
  %totals = lathe.broadcast %total dims [0, 1] to [2, 41, 80] : tensor<2x41xf32>
  %weights = lathe.div %exp, %totals : tensor<2x41x80xf32>
  %y = lathe.dot_general %weights, %v contract [2] x [1] batch [0] x [0] : tensor<2x41x80xf32>, tensor<2x80x1xf32>
  %dy = lathe.add %y, %y : tensor<2x41x1xf32>
  %dv = lathe.dot_general %weights, %dy contract [1] x [1] batch [0] x [0] : tensor<2x41x80xf32>, tensor<2x41x1xf32>
  %dweights = lathe.dot_general %dy, %v contract [2] x [2] batch [0] x [0] : tensor<2x41x1xf32>, tensor<2x80x1xf32>
  %both = lathe.mul %weights, %dweights : tensor<2x41x80xf32>
  %mean = lathe.reduce sum %both dims [2] : tensor<2x41x80xf32>
  %means = lathe.broadcast %mean dims [0, 1] to [2, 41, 80] : tensor<2x41xf32>
  %less = lathe.sub %dweights, %means : tensor<2x41x80xf32>
  %dscores = lathe.mul %weights, %less : tensor<2x41x80xf32>
  %dq = lathe.dot_general %dscores, %k contract [2] x [1] batch [0] x [0] : tensor<2x41x80xf32>, tensor<2x80x1xf32>
  %dk = lathe.dot_general %dscores, %q contract [1] x [1] batch [0] x [0] : tensor<2x41x80xf32>, tensor<2x41x1xf32>
  return %y, %dq, %dk, %dv : tensor<2x41x1xf32>, tensor<2x41x1xf32>, tensor<2x80x1xf32>, tensor<2x80x1xf32>
}

// -----

// Nothing else needs the weights, so that the result comes from the loop, too. The number of the first row of a block is added to
// the numbers of its rows.
// CHECK-LABEL: func.func @causal
// CHECK: [[L:%.*]]:2 = lathe.scan carry(%{{.*}} : tensor<64x1xf32>) over({{.*}} : tensor<4x16x1xf32>, {{.*}}[[FIRST:%[a-z0-9]+]] = %{{[0-9]+}} : tensor<4xi32>)
// CHECK: [[ROWS:%.*]] = lathe.iota dim 0 to [16, 64] : i32
// CHECK: [[START:%.*]] = lathe.broadcast [[FIRST]] dims [] to [16, 64]
// CHECK: lathe.add [[ROWS]], [[START]]
// CHECK: lathe.yield carry({{.*}}) collect(
// CHECK: lathe.reshape [[L]]#1 to [64, 1]
// CHECK: return
func.func @causal(%q: tensor<64x1xf32>, %k: tensor<64x1xf32>, %v: tensor<64x1xf32>, %c: tensor<64x1xf32>) -> (tensor<64x1xf32>, tensor<64x1xf32>) {
  %row = lathe.iota dim 0 to [64, 64] : i32 -> tensor<64x64xi32>
  %column = lathe.iota dim 1 to [64, 64] : i32 -> tensor<64x64xi32>
  %seen = lathe.compare le %column, %row : tensor<64x64xi32>
  %zero = lathe.constant dense<0.0> : tensor<64x64xf32>
  %products = lathe.dot_general %q, %k contract [1] x [1] : tensor<64x1xf32>, tensor<64x1xf32>
  %weights = lathe.select %seen, %products, %zero : tensor<64x64xi1>, tensor<64x64xf32>
  %y = lathe.dot_general %weights, %v contract [1] x [0] : tensor<64x64xf32>, tensor<64x1xf32>
  %dv = lathe.dot_general %weights, %c contract [0] x [0] : tensor<64x64xf32>, tensor<64x1xf32>
  return %y, %dv : tensor<64x1xf32>, tensor<64x1xf32>
}

// -----

// The keys are shared by all heads, so that their gradient is the sum over the heads as well.
// CHECK-LABEL: func.func @shared
// CHECK: lathe.scan carry(%{{.*}} : tensor<80x1xf32>)
// CHECK: lathe.scan carry(%{{.*}} : tensor<80x1xf32>)
// CHECK: lathe.dot_general {{.*}} contract [0, 1] x [0, 1] : tensor<1x16x80xf32>, tensor<1x16x1xf32>
// CHECK: return
func.func @shared(%q: tensor<2x64x1xf32>, %k: tensor<80x1xf32>, %c: tensor<2x64x1xf32>) -> tensor<80x1xf32> {
  %scores = lathe.dot_general %q, %k contract [2] x [1] : tensor<2x64x1xf32>, tensor<80x1xf32>
  %weights = lathe.exp %scores : tensor<2x64x80xf32>
  %dv = lathe.dot_general %weights, %c contract [0, 1] x [0, 1] : tensor<2x64x80xf32>, tensor<2x64x1xf32>
  return %dv : tensor<80x1xf32>
}

// -----

// A sum along rows that only the matrices give: blocks have whole rows.
// CHECK-LABEL: func.func @norms
// CHECK: lathe.scan
// CHECK: lathe.reduce sum {{.*}} : tensor<16x80xf32>
// CHECK: return
// COLUMNS-LABEL: func.func @norms
// COLUMNS: lathe.scan
// COLUMNS: lathe.reduce sum {{.*}} : tensor<16x80xf32>
// COLUMNS: return
func.func @norms(%q: tensor<64x1xf32>, %k: tensor<80x1xf32>, %c: tensor<64x1xf32>) -> tensor<80x1xf32> {
  %scores = lathe.dot_general %q, %k contract [1] x [1] : tensor<64x1xf32>, tensor<80x1xf32>
  %squares = lathe.mul %scores, %scores : tensor<64x80xf32>
  %norm = lathe.reduce sum %squares dims [1] : tensor<64x80xf32>
  %norms = lathe.broadcast %norm dims [0] to [64, 80] : tensor<64xf32>
  %weights = lathe.div %scores, %norms : tensor<64x80xf32>
  %dv = lathe.dot_general %weights, %c contract [0] x [0] : tensor<64x80xf32>, tensor<64x1xf32>
  return %dv : tensor<80x1xf32>
}

// -----

// The derivative of a quotient: the weights are the factor in place of the exponentials and the quotients.
// CHECK-LABEL: func.func @quotient
// CHECK: [[Y:%.*]] = lathe.scan
// CHECK: [[BOTH:%.*]] = lathe.mul {{.*}}[[Y]] : tensor<64x1xf32>
// CHECK: [[SUM:%.*]] = lathe.reduce sum [[BOTH]] dims [1] : tensor<64x1xf32>
// CHECK: [[PART:%.*]] = lathe.div [[SUM]], [[T:%.*]] : tensor<64xf32>
// CHECK: [[LESS:%.*]] = lathe.neg [[PART]]
// CHECK: lathe.mul [[LESS]], [[T]] : tensor<64xf32>
// CHECK: lathe.scan
// CHECK: lathe.div {{.*}} : tensor<16x80xf32>
// CHECK-NOT: lathe.div
// CHECK-NOT: lathe.reduce
// CHECK: return
func.func @quotient(%q: tensor<64x1xf32>, %k: tensor<80x1xf32>, %v: tensor<80x1xf32>, %t: tensor<64xf32>, %dy: tensor<64x1xf32>)
    -> (tensor<64x1xf32>, tensor<80x1xf32>, tensor<80x1xf32>) {
  %scores = lathe.dot_general %q, %k contract [1] x [1] : tensor<64x1xf32>, tensor<80x1xf32>
  %e = lathe.exp %scores : tensor<64x80xf32>
  %totals = lathe.broadcast %t dims [0] to [64, 80] : tensor<64xf32>
  %weights = lathe.div %e, %totals : tensor<64x80xf32>
  %y = lathe.dot_general %weights, %v contract [1] x [0] : tensor<64x80xf32>, tensor<80x1xf32>
  %dv = lathe.dot_general %weights, %dy contract [0] x [0] : tensor<64x80xf32>, tensor<64x1xf32>
  %dweights = lathe.dot_general %dy, %v contract [1] x [1] : tensor<64x1xf32>, tensor<80x1xf32>
  %shares = lathe.div %weights, %totals : tensor<64x80xf32>
  %negative = lathe.neg %shares : tensor<64x80xf32>
  %both = lathe.mul %dweights, %negative : tensor<64x80xf32>
  %sum = lathe.reduce sum %both dims [1] : tensor<64x80xf32>
  %sums = lathe.broadcast %sum dims [0] to [64, 80] : tensor<64xf32>
  %parts = lathe.div %dweights, %totals : tensor<64x80xf32>
  %de = lathe.add %parts, %sums : tensor<64x80xf32>
  %dscores = lathe.mul %de, %e : tensor<64x80xf32>
  %dk = lathe.dot_general %dscores, %q contract [0] x [0] : tensor<64x80xf32>, tensor<64x1xf32>
  return %y, %dk, %dv : tensor<64x1xf32>, tensor<80x1xf32>, tensor<80x1xf32>
}

// -----

// The weights are a result, so they are stored anyway.
// CHECK-LABEL: func.func @stored
// CHECK-NOT: lathe.scan
// CHECK: return
func.func @stored(%q: tensor<64x1xf32>, %k: tensor<64x1xf32>, %c: tensor<64x1xf32>) -> (tensor<64x64xf32>, tensor<64x1xf32>) {
  %scores = lathe.dot_general %q, %k contract [1] x [1] : tensor<64x1xf32>, tensor<64x1xf32>
  %weights = lathe.exp %scores : tensor<64x64xf32>
  %dv = lathe.dot_general %weights, %c contract [0] x [0] : tensor<64x64xf32>, tensor<64x1xf32>
  return %weights, %dv : tensor<64x64xf32>, tensor<64x1xf32>
}

// -----

// A row of the weights depends on all rows of scores.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: lathe.scan
// CHECK: return
func.func @columns(%q: tensor<64x1xf32>, %k: tensor<64x1xf32>, %c: tensor<64x1xf32>) -> tensor<64x1xf32> {
  %scores = lathe.dot_general %q, %k contract [1] x [1] : tensor<64x1xf32>, tensor<64x1xf32>
  %sum = lathe.reduce sum %scores dims [0] : tensor<64x64xf32>
  %sums = lathe.broadcast %sum dims [1] to [64, 64] : tensor<64xf32>
  %weights = lathe.sub %scores, %sums : tensor<64x64xf32>
  %dv = lathe.dot_general %weights, %c contract [0] x [0] : tensor<64x64xf32>, tensor<64x1xf32>
  return %dv : tensor<64x1xf32>
}

// -----

// A hidden layer: its inputs and weights take a half of the matrix.
// CHECK-LABEL: func.func @hidden
// CHECK-NOT: lathe.scan
// CHECK: return
func.func @hidden(%x: tensor<64x8xf32>, %w: tensor<8x64xf32>, %c: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %products = lathe.dot_general %x, %w contract [1] x [0] : tensor<64x8xf32>, tensor<8x64xf32>
  %hidden = lathe.tanh %products : tensor<64x64xf32>
  %dw = lathe.dot_general %hidden, %c contract [0] x [0] : tensor<64x64xf32>, tensor<64x8xf32>
  return %dw : tensor<64x8xf32>
}

// -----

// The cotangent of the second result is computed after a use of the first one, which moves after the loop.
// CHECK-LABEL: func.func @order
// CHECK: [[SIN:%.*]] = lathe.sin
// CHECK: [[L:%.*]]:2 = lathe.scan
// CHECK-NOT: lathe.cos
// CHECK: lathe.yield carry
// CHECK: lathe.cos [[L]]#
// CHECK: return
func.func @order(%q: tensor<64x1xf32>, %k: tensor<64x1xf32>, %c: tensor<64x1xf32>) -> (tensor<64x1xf32>, tensor<64x1xf32>) {
  %scores = lathe.dot_general %q, %k contract [1] x [1] : tensor<64x1xf32>, tensor<64x1xf32>
  %weights = lathe.exp %scores : tensor<64x64xf32>
  %first = lathe.dot_general %weights, %c contract [0] x [0] : tensor<64x64xf32>, tensor<64x1xf32>
  %cos = lathe.cos %first : tensor<64x1xf32>
  %sin = lathe.sin %c : tensor<64x1xf32>
  %second = lathe.dot_general %weights, %sin contract [0] x [0] : tensor<64x64xf32>, tensor<64x1xf32>
  return %cos, %second : tensor<64x1xf32>, tensor<64x1xf32>
}
