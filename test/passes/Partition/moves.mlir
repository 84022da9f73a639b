// RUN: lathe-opt %s --lathe-partition=axes=model=2 | FileCheck %s
// Elementwise ops, reductions and ops that move elements.

// A whole operand is cut where it takes the least work: a broadcast is made smaller, and a constant too.
// CHECK-LABEL: func.func @elements(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32, #lathe.dims<N>>, %[[B:.*]]: tensor<6xf32>
// CHECK-DAG: %[[PART:.*]] = lathe.dynamic_slice %[[B]][%{{.*}}] size [3]
// CHECK-DAG: %[[WIDE:.*]] = lathe.broadcast %[[PART]] dims [1] to [N, 3]
// CHECK-DAG: %[[HALF:.*]] = lathe.constant dense<5.000000e-01> : tensor<3xf32>
// CHECK: lathe.add %[[X]], %[[WIDE]] : tensor<?x3xf32, #lathe.dims<N>>
// CHECK: lathe.select %{{.*}} : tensor<?x3xi1, #lathe.dims<N>>, tensor<?x3xf32, #lathe.dims<N>>
// CHECK: lathe.convert %{{.*}} to f64 : tensor<?x3xf32, #lathe.dims<N>>
// CHECK-NOT: lathe.all
func.func @elements(%x: tensor<?x6xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]}, %b: tensor<6xf32>)
    -> (tensor<?x6xf64, #lathe.dims<N>> {lathe.shard = ["", "model"]}) {
  %bias = lathe.broadcast %b dims [1] to [N, 6] : tensor<6xf32> -> tensor<?x6xf32, #lathe.dims<N>>
  %half = lathe.constant dense<0.5> : tensor<6xf32>
  %halves = lathe.broadcast %half dims [1] to [N, 6] : tensor<6xf32> -> tensor<?x6xf32, #lathe.dims<N>>
  %y = lathe.add %x, %bias : tensor<?x6xf32, #lathe.dims<N>>
  %p = lathe.compare gt %y, %halves : tensor<?x6xf32, #lathe.dims<N>>
  %z = lathe.select %p, %y, %halves : tensor<?x6xi1, #lathe.dims<N>>, tensor<?x6xf32, #lathe.dims<N>>
  %d = lathe.convert %z to f64 : tensor<?x6xf32, #lathe.dims<N>>
  return %d : tensor<?x6xf64, #lathe.dims<N>>
}

// Two dimensions over one axis: the smaller value moves to the other's dimension.
// CHECK-LABEL: func.func @moved(
// CHECK: %[[B:.*]] = lathe.all_to_all %{{.*}} split 0 concat 1 over model = 2
// CHECK: lathe.add %{{.*}}, %[[B]] : tensor<2x6xf32>
func.func @moved(%a: tensor<4x6xf32> {lathe.shard = ["model", ""]}, %b: tensor<4x6xf32> {lathe.shard = ["", "model"]})
    -> (tensor<4x6xf32> {lathe.shard = ["model", ""]}) {
  %y = lathe.add %a, %b : tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @softmax(
// CHECK: %[[MOST:.*]] = lathe.reduce max %[[X:.*]] dims [1] : tensor<?x3xf32, #lathe.dims<N>>
// CHECK-NEXT: %[[MAX:.*]] = lathe.all_reduce max %[[MOST]] over model = 2
// CHECK: lathe.broadcast %[[MAX]] dims [0] to [N, 3]
// CHECK: %[[PART:.*]] = lathe.reduce sum %[[E:.*]] dims [1]
// CHECK-NEXT: lathe.all_reduce sum %[[PART]] over model = 2
// CHECK: lathe.div %[[E]], %{{.*}} : tensor<?x3xf32, #lathe.dims<N>>
func.func @softmax(%x: tensor<?x6xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]})
    -> (tensor<?x6xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]}) {
  %most = lathe.reduce max %x dims [1] : tensor<?x6xf32, #lathe.dims<N>>
  %mosts = lathe.broadcast %most dims [0] to [N, 6] : tensor<?xf32, #lathe.dims<N>> -> tensor<?x6xf32, #lathe.dims<N>>
  %less = lathe.sub %x, %mosts : tensor<?x6xf32, #lathe.dims<N>>
  %e = lathe.exp %less : tensor<?x6xf32, #lathe.dims<N>>
  %sum = lathe.reduce sum %e dims [1] : tensor<?x6xf32, #lathe.dims<N>>
  %sums = lathe.broadcast %sum dims [0] to [N, 6] : tensor<?xf32, #lathe.dims<N>> -> tensor<?x6xf32, #lathe.dims<N>>
  %y = lathe.div %e, %sums : tensor<?x6xf32, #lathe.dims<N>>
  return %y : tensor<?x6xf32, #lathe.dims<N>>
}

// A reduction of other dimensions, and one without a combination over ranks.
// CHECK-LABEL: func.func @reductions(
// CHECK-DAG: lathe.reduce product %{{.*}} dims [0] : tensor<4x3xf32>
// CHECK-DAG: %[[ALL:.*]] = lathe.all_gather %{{.*}} dim 1 over model = 2
// CHECK: lathe.reduce product %[[ALL]] dims [1] : tensor<4x6xf32>
func.func @reductions(%x: tensor<4x6xf32> {lathe.shard = ["", "model"]}) -> (tensor<6xf32> {lathe.shard = ["model"]}, tensor<4xf32>) {
  %a = lathe.reduce product %x dims [0] : tensor<4x6xf32>
  %b = lathe.reduce product %x dims [1] : tensor<4x6xf32>
  return %a, %b : tensor<6xf32>, tensor<4xf32>
}

// Heads of attention are the outer part of the features: blocks of them stay together.
// CHECK-LABEL: func.func @heads(
// CHECK: %[[A:.*]] = lathe.reshape %{{.*}} to [N, 5, 2, 3] : tensor<?x5x6xf32, #lathe.dims<N>>
// CHECK: %[[B:.*]] = lathe.transpose %[[A]] [0, 2, 1, 3] : tensor<?x5x2x3xf32, #lathe.dims<N>>
// CHECK: %[[C:.*]] = lathe.transpose %[[B]] [0, 2, 1, 3] : tensor<?x2x5x3xf32, #lathe.dims<N>>
// CHECK: lathe.reshape %[[C]] to [5 * N, 6] : tensor<?x5x2x3xf32, #lathe.dims<N>>
// CHECK-NOT: lathe.all
func.func @heads(%x: tensor<?x5x12xf32, #lathe.dims<N>> {lathe.shard = ["", "", "model"]})
    -> (tensor<?x12xf32, #lathe.dims<5 * N>> {lathe.shard = ["", "model"]}) {
  %a = lathe.reshape %x to [N, 5, 4, 3] : tensor<?x5x12xf32, #lathe.dims<N>>
  %b = lathe.transpose %a [0, 2, 1, 3] : tensor<?x5x4x3xf32, #lathe.dims<N>>
  %c = lathe.transpose %b [0, 2, 1, 3] : tensor<?x4x5x3xf32, #lathe.dims<N>>
  %d = lathe.reshape %c to [5 * N, 12] : tensor<?x5x4x3xf32, #lathe.dims<N>>
  return %d : tensor<?x12xf32, #lathe.dims<5 * N>>
}

// Three parts of the features are no blocks of two ranks.
// CHECK-LABEL: func.func @three(
// CHECK: %[[ALL:.*]] = lathe.all_gather %{{.*}} dim 1 over model = 2
// CHECK: lathe.reshape %[[ALL]] to [5, 3, 4]
func.func @three(%x: tensor<5x12xf32> {lathe.shard = ["", "model"]}) -> tensor<5x3x4xf32> {
  %a = lathe.reshape %x to [5, 3, 4] : tensor<5x12xf32>
  return %a : tensor<5x3x4xf32>
}

// Slices, padding, concatenation and reversal along other dimensions.
// CHECK-LABEL: func.func @beside(
// CHECK: lathe.slice %{{.*}} from [1, 0] to [4, 3] : tensor<5x3xf32>
// CHECK: lathe.pad %{{.*}} low [1, 0] high [0, 0] : tensor<3x3xf32>
// CHECK: lathe.concatenate %{{.*}} dim 0 : tensor<4x3xf32>, tensor<5x3xf32>
// CHECK: lathe.reverse %{{.*}} dims [0] : tensor<9x3xf32>
// CHECK: lathe.cumulative sum %{{.*}} dim 0 : tensor<9x3xf32>
// CHECK: lathe.sort %{{.*}} dim 0 : tensor<9x3xf32>
// CHECK: return %{{.*}} : tensor<9x3xf32>
// CHECK-NOT: lathe.all
func.func @beside(%x: tensor<5x6xf32> {lathe.shard = ["", "model"]}) -> (tensor<9x6xf32> {lathe.shard = ["", "model"]}) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %a = lathe.slice %x from [1, 0] to [4, 6] : tensor<5x6xf32>
  %b = lathe.pad %a, %zero low [1, 0] high [0, 0] : tensor<3x6xf32>, tensor<f32>
  %c = lathe.concatenate %b, %x dim 0 : tensor<4x6xf32>, tensor<5x6xf32>
  %d = lathe.reverse %c dims [0] : tensor<9x6xf32>
  %e = lathe.cumulative sum %d dim 0 : tensor<9x6xf32>
  %f = lathe.sort %e dim 0 : tensor<9x6xf32>
  return %f : tensor<9x6xf32>
}

// Along the divided dimension they take whole values.
// CHECK-LABEL: func.func @along(
// CHECK: %[[ALL:.*]] = lathe.all_gather %{{.*}} dim 1 over model = 2
// CHECK-NOT: lathe.all_gather
// CHECK-DAG: lathe.slice %[[ALL]] from [0, 1] to [5, 4]
// CHECK-DAG: lathe.sort %[[ALL]] dim 1
// CHECK-DAG: lathe.argmax %[[ALL]] dim 1
func.func @along(%x: tensor<5x6xf32> {lathe.shard = ["", "model"]}) -> (tensor<5x3xf32>, tensor<5x6xf32>, tensor<5xi32>) {
  %a = lathe.slice %x from [0, 1] to [5, 4] : tensor<5x6xf32>
  %b = lathe.sort %x dim 1 : tensor<5x6xf32>
  %c = lathe.argmax %x dim 1 : tensor<5x6xf32>
  return %a, %b, %c : tensor<5x3xf32>, tensor<5x6xf32>, tensor<5xi32>
}
