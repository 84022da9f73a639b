// A softmax over many keys times values becomes a loop over blocks of keys.
// RUN: lathe-opt %s --lathe-block-keys="block=32 least=64 rows=16" | FileCheck %s
// By default only rows of thousands of keys do.
// RUN: lathe-opt %s --lathe-block-keys | FileCheck %s --check-prefix=FEW --implicit-check-not=lathe.scan
// FEW: lathe.dot_general

// Two blocks in the loop, and four keys after it. A row whose scores all are -inf has zeros as its weights.
// CHECK-LABEL: func.func @attention
// CHECK: [[KS:%.*]] = lathe.slice %{{.*}} from [0, 0, 0] to [2, 64, 8]
// CHECK: lathe.reshape [[KS]] to [2, 2, 32, 8]
// CHECK: [[K:%.*]] = lathe.transpose {{.*}} [1, 0, 2, 3]
// CHECK: [[V:%.*]] = lathe.transpose {{.*}} [1, 0, 2, 3] : tensor<2x2x32x4xf32>
// CHECK: [[L:%.*]]:3 = lathe.scan carry([[M:%.*]] = {{.*}} : tensor<2x16xf32>, [[T:%.*]] = {{.*}} : tensor<2x16xf32>, [[A:%.*]] = {{.*}} : tensor<2x16x4xf32>) over(%{{.*}} = [[K]] : {{.*}}, %{{.*}} = [[V]] : {{.*}}, %{{.*}} = %{{.*}} : tensor<2xi32>)
// CHECK: [[S:%.*]] = lathe.mul {{.*}} : tensor<2x16x32xf32>
// CHECK: [[B:%.*]] = lathe.reduce max [[S]] dims [2]
// CHECK: [[N:%.*]] = lathe.max [[M]], [[B]]
// CHECK: lathe.exp {{.*}} : tensor<2x16x32xf32>
// CHECK: lathe.sub [[M]], [[N]]
// CHECK: lathe.yield carry([[N]]
// CHECK: lathe.slice %{{.*}} from [0, 64, 0] to [2, 68, 8]
// CHECK: lathe.max [[L]]#0
// CHECK: [[BLIND:%.*]] = lathe.compare eq
// CHECK: lathe.select [[BLIND]]
// CHECK: lathe.div {{.*}} : tensor<2x16x4xf32>
func.func @attention(%q: tensor<2x16x8xf32>, %k: tensor<2x68x8xf32>, %v: tensor<2x68x4xf32>) -> tensor<2x16x4xf32> {
  %scale = lathe.constant dense<0.5> : tensor<2x16x68xf32>
  %never = lathe.constant dense<0xFF800000> : tensor<2x16xf32>
  %zero = lathe.constant dense<0.0> : tensor<2x16xf32>
  %one = lathe.constant dense<1.0> : tensor<2x16xf32>
  %products = lathe.dot_general %q, %k contract [2] x [2] batch [0] x [0] : tensor<2x16x8xf32>, tensor<2x68x8xf32>
  %scores = lathe.mul %products, %scale : tensor<2x16x68xf32>
  %largest = lathe.reduce max %scores dims [2] : tensor<2x16x68xf32>
  %blind = lathe.compare eq %largest, %never : tensor<2x16xf32>
  %offset = lathe.select %blind, %zero, %largest : tensor<2x16xi1>, tensor<2x16xf32>
  %offsets = lathe.broadcast %offset dims [0, 1] to [2, 16, 68] : tensor<2x16xf32>
  %shifted = lathe.sub %scores, %offsets : tensor<2x16x68xf32>
  %exp = lathe.exp %shifted : tensor<2x16x68xf32>
  %total = lathe.reduce sum %exp dims [2] : tensor<2x16x68xf32>
  %divisor = lathe.select %blind, %one, %total : tensor<2x16xi1>, tensor<2x16xf32>
  %divisors = lathe.broadcast %divisor dims [0, 1] to [2, 16, 68] : tensor<2x16xf32>
  %weights = lathe.div %exp, %divisors : tensor<2x16x68xf32>
  %y = lathe.dot_general %weights, %v contract [2] x [1] batch [0] x [0] : tensor<2x16x68xf32>, tensor<2x68x4xf32>
  return %y : tensor<2x16x4xf32>
}

// A softmax that multiplies by the reciprocal of the sum. The keys are columns of a matrix, and their indices go on from block to
// block. The queries, which do not depend on keys, are read as a whole.
// CHECK-LABEL: func.func @columns
// CHECK: lathe.scan carry({{.*}}) over({{.*}}tensor<3x8x32xf32>{{.*}}tensor<3x32x4xf32>, [[FIRST:%.*]] = %{{[0-9]+}} : tensor<3xi32>)
// CHECK: [[COLUMNS:%.*]] = lathe.iota dim 1 to [16, 32]
// CHECK: [[START:%.*]] = lathe.broadcast [[FIRST]] dims [] to [16, 32]
// CHECK: lathe.add [[COLUMNS]], [[START]]
// CHECK: lathe.dot_general %{{.*}}tensor<16x8xf32>, tensor<8x32xf32>
// CHECK: lathe.yield carry
// CHECK-NOT: lathe.select
// CHECK: lathe.div
func.func @columns(%q: tensor<16x8xf32>, %k: tensor<8x96xf32>, %v: tensor<96x4xf32>) -> tensor<16x4xf32> {
  %row = lathe.iota dim 0 to [16, 96] : i32 -> tensor<16x96xi32>
  %column = lathe.iota dim 1 to [16, 96] : i32 -> tensor<16x96xi32>
  %seen = lathe.compare le %column, %row : tensor<16x96xi32>
  %least = lathe.constant dense<-1.0e30> : tensor<16x96xf32>
  %one = lathe.constant dense<1.0> : tensor<16xf32>
  %products = lathe.dot_general %q, %k contract [1] x [0] : tensor<16x8xf32>, tensor<8x96xf32>
  %scores = lathe.select %seen, %products, %least : tensor<16x96xi1>, tensor<16x96xf32>
  %largest = lathe.reduce max %scores dims [1] : tensor<16x96xf32>
  %offsets = lathe.broadcast %largest dims [0] to [16, 96] : tensor<16xf32>
  %shifted = lathe.sub %scores, %offsets : tensor<16x96xf32>
  %exp = lathe.exp %shifted : tensor<16x96xf32>
  %total = lathe.reduce sum %exp dims [1] : tensor<16x96xf32>
  %share = lathe.div %one, %total : tensor<16xf32>
  %shares = lathe.broadcast %share dims [0] to [16, 96] : tensor<16xf32>
  %weights = lathe.mul %exp, %shares : tensor<16x96xf32>
  %y = lathe.dot_general %weights, %v contract [1] x [0] : tensor<16x96xf32>, tensor<96x4xf32>
  return %y : tensor<16x4xf32>
}

// Other ops that read the largest scores and the sums get those of the loop, and move after it. Its exponentials are 1/64 of those
// that were there.
// CHECK-LABEL: func.func @sums
// CHECK: [[L:%.*]]:3 = lathe.scan
// CHECK: [[C:%.*]] = lathe.constant dense<6.400000e+01>
// CHECK: [[S:%.*]] = lathe.broadcast [[C]]
// CHECK: [[T:%.*]] = lathe.mul [[L]]#1, [[S]]
// CHECK: [[LOG:%.*]] = lathe.log [[T]]
// CHECK: [[SUM:%.*]] = lathe.add [[L]]#0, [[LOG]]
// CHECK-NOT: lathe.reduce
// CHECK: return %{{.*}}, [[SUM]]
func.func @sums(%q: tensor<16x8xf32>, %k: tensor<64x8xf32>, %v: tensor<64x4xf32>) -> (tensor<16x4xf32>, tensor<16xf32>) {
  %scores = lathe.dot_general %q, %k contract [1] x [1] : tensor<16x8xf32>, tensor<64x8xf32>
  %largest = lathe.reduce max %scores dims [1] : tensor<16x64xf32>
  %offsets = lathe.broadcast %largest dims [0] to [16, 64] : tensor<16xf32>
  %shifted = lathe.sub %scores, %offsets : tensor<16x64xf32>
  %exp = lathe.exp %shifted : tensor<16x64xf32>
  %total = lathe.reduce sum %exp dims [1] : tensor<16x64xf32>
  %log = lathe.log %total : tensor<16xf32>
  %sum = lathe.add %largest, %log : tensor<16xf32>
  %divisors = lathe.broadcast %total dims [0] to [16, 64] : tensor<16xf32>
  %weights = lathe.div %exp, %divisors : tensor<16x64xf32>
  %y = lathe.dot_general %weights, %v contract [1] x [0] : tensor<16x64xf32>, tensor<64x4xf32>
  return %y, %sum : tensor<16x4xf32>, tensor<16xf32>
}

// The weights are a result, so they are stored anyway.
// CHECK-LABEL: func.func @stored
// CHECK-NOT: lathe.scan
// CHECK: return
func.func @stored(%q: tensor<16x8xf32>, %k: tensor<8x96xf32>, %v: tensor<96x4xf32>) -> (tensor<16x4xf32>, tensor<16x96xf32>) {
  %scores = lathe.dot_general %q, %k contract [1] x [0] : tensor<16x8xf32>, tensor<8x96xf32>
  %largest = lathe.reduce max %scores dims [1] : tensor<16x96xf32>
  %offsets = lathe.broadcast %largest dims [0] to [16, 96] : tensor<16xf32>
  %shifted = lathe.sub %scores, %offsets : tensor<16x96xf32>
  %exp = lathe.exp %shifted : tensor<16x96xf32>
  %total = lathe.reduce sum %exp dims [1] : tensor<16x96xf32>
  %divisors = lathe.broadcast %total dims [0] to [16, 96] : tensor<16xf32>
  %weights = lathe.div %exp, %divisors : tensor<16x96xf32>
  %y = lathe.dot_general %weights, %v contract [1] x [0] : tensor<16x96xf32>, tensor<96x4xf32>
  return %y, %weights : tensor<16x4xf32>, tensor<16x96xf32>
}

// The divisor is the sum of another row.
// CHECK-LABEL: func.func @others
// CHECK-NOT: lathe.scan
// CHECK: return
func.func @others(%q: tensor<16x8xf32>, %k: tensor<8x96xf32>, %v: tensor<96x4xf32>) -> tensor<16x4xf32> {
  %scores = lathe.dot_general %q, %k contract [1] x [0] : tensor<16x8xf32>, tensor<8x96xf32>
  %largest = lathe.reduce max %scores dims [1] : tensor<16x96xf32>
  %offsets = lathe.broadcast %largest dims [0] to [16, 96] : tensor<16xf32>
  %shifted = lathe.sub %scores, %offsets : tensor<16x96xf32>
  %exp = lathe.exp %shifted : tensor<16x96xf32>
  %total = lathe.reduce sum %exp dims [1] : tensor<16x96xf32>
  %turned = lathe.reverse %total dims [0] : tensor<16xf32>
  %divisors = lathe.broadcast %turned dims [0] to [16, 96] : tensor<16xf32>
  %weights = lathe.div %exp, %divisors : tensor<16x96xf32>
  %y = lathe.dot_general %weights, %v contract [1] x [0] : tensor<16x96xf32>, tensor<96x4xf32>
  return %y : tensor<16x4xf32>
}

// A named number of keys: versions for known ones would add up in another order.
// CHECK-LABEL: func.func @named
// CHECK-NOT: lathe.scan
// CHECK: return
func.func @named(%q: tensor<16x8xf32>, %k: tensor<8x?xf32, #lathe.dims<T>>, %v: tensor<?x4xf32, #lathe.dims<T>>) -> tensor<16x4xf32> {
  %scores = lathe.dot_general %q, %k contract [1] x [0] : tensor<16x8xf32>, tensor<8x?xf32, #lathe.dims<T>>
  %largest = lathe.reduce max %scores dims [1] : tensor<16x?xf32, #lathe.dims<T>>
  %offsets = lathe.broadcast %largest dims [0] to [16, T] : tensor<16xf32> -> tensor<16x?xf32, #lathe.dims<T>>
  %shifted = lathe.sub %scores, %offsets : tensor<16x?xf32, #lathe.dims<T>>
  %exp = lathe.exp %shifted : tensor<16x?xf32, #lathe.dims<T>>
  %total = lathe.reduce sum %exp dims [1] : tensor<16x?xf32, #lathe.dims<T>>
  %divisors = lathe.broadcast %total dims [0] to [16, T] : tensor<16xf32> -> tensor<16x?xf32, #lathe.dims<T>>
  %weights = lathe.div %exp, %divisors : tensor<16x?xf32, #lathe.dims<T>>
  %y = lathe.dot_general %weights, %v contract [1] x [0] : tensor<16x?xf32, #lathe.dims<T>>, tensor<?x4xf32, #lathe.dims<T>>
  return %y : tensor<16x4xf32>
}
