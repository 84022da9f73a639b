// RUN: lathe-opt %s --lathe-partition=axes=model=2 | FileCheck %s
// Gathers, scatters and slices at indices that are data.

// With a part of the rows, a rank looks up those that it has; the others are zeros, and the ranks' results are added up.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[TABLE:.*]]: tensor<5x4xf32>, %[[I:.*]]: tensor<?xi32, #lathe.dims<N>>
// CHECK-DAG: %[[INDEX:.*]] = lathe.axis_index over model = 2
// CHECK-DAG: %[[FIVE:.*]] = lathe.constant dense<5> : tensor<i64>
// CHECK: %[[START:.*]] = lathe.mul %[[INDEX]], %[[FIVE]]
// CHECK: lathe.convert %[[START]] to i32
// CHECK: %[[OWN:.*]] = lathe.sub %[[I]], %{{.*}} : tensor<?xi32, #lathe.dims<N>>
// CHECK: %[[PART:.*]] = lathe.gather %[[TABLE]], %[[OWN]] axis 0
// CHECK-NEXT: lathe.all_reduce sum %[[PART]] over model = 2
func.func @rows(%table: tensor<10x4xf32> {lathe.shard = ["model", ""]}, %i: tensor<?xi32, #lathe.dims<N>>)
    -> tensor<?x4xf32, #lathe.dims<N>> {
  %y = lathe.gather %table, %i axis 0 : tensor<10x4xf32>, tensor<?xi32, #lathe.dims<N>>
  return %y : tensor<?x4xf32, #lathe.dims<N>>
}

// CHECK-LABEL: func.func @columns(
// CHECK: lathe.gather %{{.*}}, %{{.*}} axis 0 : tensor<10x2xf32>, tensor<?xi32, #lathe.dims<N>>
// CHECK-NOT: lathe.all
// CHECK: return
func.func @columns(%table: tensor<10x4xf32> {lathe.shard = ["", "model"]}, %i: tensor<?xi32, #lathe.dims<N>>)
    -> (tensor<?x4xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]}) {
  %y = lathe.gather %table, %i axis 0 : tensor<10x4xf32>, tensor<?xi32, #lathe.dims<N>>
  return %y : tensor<?x4xf32, #lathe.dims<N>>
}

// The label's element of each row of divided logits.
// CHECK-LABEL: func.func @labels(
// CHECK: %[[OWN:.*]] = lathe.sub
// CHECK: %[[PART:.*]] = lathe.gather %{{.*}}, %[[OWN]] axis 1 batch 1 : tensor<?x5xf32, #lathe.dims<N>>
// CHECK-NEXT: lathe.all_reduce sum %[[PART]]
func.func @labels(%logits: tensor<?x10xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]}, %i: tensor<?xi32, #lathe.dims<N>>)
    -> tensor<?xf32, #lathe.dims<N>> {
  %y = lathe.gather %logits, %i axis 1 batch 1 : tensor<?x10xf32, #lathe.dims<N>>, tensor<?xi32, #lathe.dims<N>>
  return %y : tensor<?xf32, #lathe.dims<N>>
}

// Updates of other ranks' rows are dropped.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[INTO:.*]]: tensor<5x4xf32>, %[[I:.*]]: tensor<7xi32>, %[[U:.*]]: tensor<7x4xf32>
// CHECK: %[[OWN:.*]] = lathe.sub %[[I]]
// CHECK: lathe.scatter add %[[INTO]], %[[OWN]], %[[U]] axis 0
// CHECK-NOT: lathe.all
// CHECK: return
func.func @scatter(%into: tensor<10x4xf32> {lathe.shard = ["model", ""]}, %i: tensor<7xi32>, %u: tensor<7x4xf32>)
    -> (tensor<10x4xf32> {lathe.shard = ["model", ""]}) {
  %y = lathe.scatter add %into, %i, %u axis 0 : tensor<10x4xf32>, tensor<7xi32>, tensor<7x4xf32>
  return %y : tensor<10x4xf32>
}

// Keys and values of earlier places, by heads.
// CHECK-LABEL: func.func @cache(
// CHECK: %[[NEW:.*]] = lathe.dynamic_update_slice %{{.*}} : tensor<2x9x3xf32>, tensor<2x1x3xf32>
// CHECK: lathe.dynamic_slice %[[NEW]]{{.*}} size [2, 4, 3]
// CHECK-NOT: lathe.all
// CHECK: return
func.func @cache(%keys: tensor<4x9x3xf32> {lathe.shard = ["model", "", ""]}, %key: tensor<4x1x3xf32>, %i: tensor<i64>)
    -> (tensor<4x4x3xf32> {lathe.shard = ["model", "", ""]}) {
  %zero = lathe.constant dense<0> : tensor<i64>
  %new = lathe.dynamic_update_slice %keys, %key [%zero, %i, %zero] : tensor<4x9x3xf32>, tensor<4x1x3xf32>, (tensor<i64>, tensor<i64>, tensor<i64>)
  %y = lathe.dynamic_slice %new [%zero, %i, %zero] size [4, 4, 3] : tensor<4x9x3xf32>, (tensor<i64>, tensor<i64>, tensor<i64>)
  return %y : tensor<4x4x3xf32>
}
