// RUN: lathe-opt %s --lathe-partition=axes=model=2 | FileCheck %s
// Products: a free or a batch dimension that is divided stays divided; a contracted one leaves sums, which are added up.

// CHECK-LABEL: func.func @column(
// CHECK-SAME: %{{.*}}: tensor<?x4xf32, #lathe.dims<N>>, %[[W:.*]]: tensor<4x3xf32>) -> tensor<?x3xf32, #lathe.dims<N>>
// CHECK-NEXT: %[[Y:.*]] = lathe.dot_general %{{.*}}, %[[W]] contract [1] x [0]
// CHECK-NEXT: return %[[Y]]
func.func @column(%x: tensor<?x4xf32, #lathe.dims<N>>, %w: tensor<4x6xf32> {lathe.shard = ["", "model"]})
    -> (tensor<?x6xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]}) {
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x4xf32, #lathe.dims<N>>, tensor<4x6xf32>
  return %y : tensor<?x6xf32, #lathe.dims<N>>
}

// CHECK-LABEL: func.func @row(
// CHECK: %[[Y:.*]] = lathe.dot_general %{{.*}}, %{{.*}} contract [1] x [0] : tensor<?x3xf32, #lathe.dims<N>>, tensor<3x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = lathe.all_reduce sum %[[Y]] over model = 2
// CHECK-NEXT: return %[[SUM]]
func.func @row(%x: tensor<?x6xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]}, %w: tensor<6x4xf32> {lathe.shard = ["model", ""]})
    -> tensor<?x4xf32, #lathe.dims<N>> {
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x6xf32, #lathe.dims<N>>, tensor<6x4xf32>
  return %y : tensor<?x4xf32, #lathe.dims<N>>
}

// A whole operand is cut: nothing is sent.
// CHECK-LABEL: func.func @cut(
// CHECK: %[[INDEX:.*]] = lathe.axis_index over model = 2
// CHECK: %[[START:.*]] = lathe.mul %[[INDEX]]
// CHECK: %[[ROWS:.*]] = lathe.dynamic_slice %{{.*}}[%[[START]], %{{.*}}] size [3, 4]
// CHECK: %[[Y:.*]] = lathe.dot_general %{{.*}}, %[[ROWS]]
// CHECK: lathe.all_reduce sum %[[Y]] over model = 2
func.func @cut(%x: tensor<?x6xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]}, %w: tensor<6x4xf32>)
    -> tensor<?x4xf32, #lathe.dims<N>> {
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x6xf32, #lathe.dims<N>>, tensor<6x4xf32>
  return %y : tensor<?x4xf32, #lathe.dims<N>>
}

// A sum for each rank's part of a divided dimension.
// CHECK-LABEL: func.func @scattered(
// CHECK: %[[Y:.*]] = lathe.dot_general
// CHECK-NEXT: lathe.reduce_scatter sum %[[Y]] dim 1 over model = 2
func.func @scattered(%x: tensor<?x6xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]}, %w: tensor<6x4xf32>)
    -> (tensor<?x4xf32, #lathe.dims<N>> {lathe.shard = ["", "model"]}) {
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x6xf32, #lathe.dims<N>>, tensor<6x4xf32>
  return %y : tensor<?x4xf32, #lathe.dims<N>>
}

// CHECK-LABEL: func.func @batch(
// CHECK: lathe.dot_general %{{.*}}, %{{.*}} contract [2] x [2] batch [0] x [0] : tensor<2x5x3xf32>, tensor<2x7x3xf32>
// CHECK-NOT: lathe.all
// CHECK: return
func.func @batch(%q: tensor<4x5x3xf32> {lathe.shard = ["model", "", ""]}, %k: tensor<4x7x3xf32> {lathe.shard = ["model", "", ""]})
    -> (tensor<4x5x7xf32> {lathe.shard = ["model", "", ""]}) {
  %y = lathe.dot_general %q, %k contract [2] x [2] batch [0] x [0] : tensor<4x5x3xf32>, tensor<4x7x3xf32>
  return %y : tensor<4x5x7xf32>
}

// Both free dimensions cannot be divided over one axis: the smaller operand is gathered.
// CHECK-LABEL: func.func @both(
// CHECK-SAME: %[[A:.*]]: tensor<3x4xf32>, %[[B:.*]]: tensor<4x40xf32>
// CHECK: %[[ALL:.*]] = lathe.all_gather %[[A]] dim 0 over model = 2
// CHECK: lathe.dot_general %[[ALL]], %[[B]]
func.func @both(%a: tensor<6x4xf32> {lathe.shard = ["model", ""]}, %b: tensor<4x80xf32> {lathe.shard = ["", "model"]})
    -> (tensor<6x80xf32> {lathe.shard = ["", "model"]}) {
  %y = lathe.dot_general %a, %b contract [1] x [0] : tensor<6x4xf32>, tensor<4x80xf32>
  return %y : tensor<6x80xf32>
}

// Sums of several products are added before they are sent.
// CHECK-LABEL: func.func @several(
// CHECK-COUNT-2: lathe.dot_general
// CHECK: %[[BOTH:.*]] = lathe.add
// CHECK-NEXT: %[[SUM:.*]] = lathe.all_reduce sum %[[BOTH]]
// CHECK-NEXT: return %[[SUM]]
func.func @several(%x: tensor<5x6xf32> {lathe.shard = ["", "model"]}, %w: tensor<6x4xf32> {lathe.shard = ["model", ""]},
                   %v: tensor<6x4xf32> {lathe.shard = ["model", ""]}) -> tensor<4x5xf32> {
  %a = lathe.dot_general %x, %w contract [1] x [0] : tensor<5x6xf32>, tensor<6x4xf32>
  %b = lathe.dot_general %x, %v contract [1] x [0] : tensor<5x6xf32>, tensor<6x4xf32>
  %t = lathe.transpose %a [1, 0] : tensor<5x4xf32>
  %u = lathe.transpose %b [1, 0] : tensor<5x4xf32>
  %y = lathe.add %t, %u : tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// A sum with two readers is added up once.
// CHECK-LABEL: func.func @twice(
// CHECK: %[[SUM:.*]] = lathe.all_reduce sum
// CHECK-NOT: lathe.all_reduce
// CHECK: lathe.exp %[[SUM]]
// CHECK: lathe.neg %[[SUM]]
func.func @twice(%x: tensor<5x6xf32> {lathe.shard = ["", "model"]}, %w: tensor<6x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<5x6xf32>, tensor<6x4xf32>
  %a = lathe.exp %y : tensor<5x4xf32>
  %b = lathe.neg %y : tensor<5x4xf32>
  return %a, %b : tensor<5x4xf32>, tensor<5x4xf32>
}

// Filters of a convolution, then its channels.
// CHECK-LABEL: func.func @conv(
// CHECK: %[[F:.*]] = lathe.conv %{{.*}} : tensor<?x8x8x3xf32, #lathe.dims<N>>, tensor<3x3x3x8xf32>
// CHECK: %[[Y:.*]] = lathe.conv %[[F]], %{{.*}} : tensor<?x6x6x8xf32, #lathe.dims<N>>, tensor<1x1x8x5xf32>
// CHECK-NEXT: lathe.all_reduce sum %[[Y]] over model = 2
func.func @conv(%x: tensor<?x8x8x3xf32, #lathe.dims<N>>, %a: tensor<3x3x3x16xf32> {lathe.shard = ["", "", "", "model"]},
                %b: tensor<1x1x16x5xf32> {lathe.shard = ["", "", "model", ""]}) -> tensor<?x6x6x5xf32, #lathe.dims<N>> {
  %f = lathe.conv %x, %a stride [1, 1] pad valid : tensor<?x8x8x3xf32, #lathe.dims<N>>, tensor<3x3x3x16xf32>
  %y = lathe.conv %f, %b stride [1, 1] pad valid : tensor<?x6x6x16xf32, #lathe.dims<N>>, tensor<1x1x16x5xf32>
  return %y : tensor<?x6x6x5xf32, #lathe.dims<N>>
}

// The cotangents of the input and the filter.
// CHECK-LABEL: func.func @conv_grads(
// CHECK: %[[DX:.*]] = lathe.conv_input_grad %{{.*}} : tensor<2x6x6x8xf32>, tensor<3x3x3x8xf32>
// CHECK-DAG: %[[SUM:.*]] = lathe.all_reduce sum %[[DX]]
// CHECK-DAG: %[[DW:.*]] = lathe.conv_filter_grad %{{.*}} : tensor<2x8x8x3xf32>, tensor<2x6x6x8xf32>
// CHECK: return %[[SUM]], %[[DW]] : tensor<2x8x8x3xf32>, tensor<3x3x3x8xf32>
func.func @conv_grads(%x: tensor<2x8x8x3xf32>, %dy: tensor<2x6x6x16xf32> {lathe.shard = ["", "", "", "model"]},
                      %w: tensor<3x3x3x16xf32> {lathe.shard = ["", "", "", "model"]})
    -> (tensor<2x8x8x3xf32>, tensor<3x3x3x16xf32> {lathe.shard = ["", "", "", "model"]}) {
  %dx = lathe.conv_input_grad %dy, %w input [8, 8] stride [1, 1] pad [[0, 0], [0, 0]] : tensor<2x6x6x16xf32>, tensor<3x3x3x16xf32>
  %dw = lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[0, 0], [0, 0]] : tensor<2x8x8x3xf32>, tensor<2x6x6x16xf32>
  return %dx, %dw : tensor<2x8x8x3xf32>, tensor<3x3x3x16xf32>
}

// Numbers that are added to a sum wait for it: one exchange for the norm of all gradients.
// CHECK-LABEL: func.func @norm(
// CHECK: %[[B:.*]] = lathe.select %{{.*}}, %arg1, %{{.*}}
// CHECK: %[[A:.*]] = lathe.reduce sum %{{.*}} dims [0] : tensor<3xf32>
// CHECK: %[[AB:.*]] = lathe.add %[[A]], %[[B]]
// CHECK: %[[C:.*]] = lathe.reduce sum %{{.*}} dims [0] : tensor<2xf32>
// CHECK: %[[ABC:.*]] = lathe.add %[[AB]], %[[C]]
// CHECK-NEXT: %[[SUM:.*]] = lathe.all_reduce sum %[[ABC]] over model = 2 : tensor<f32>
// CHECK-NEXT: lathe.sqrt %[[SUM]]
func.func @norm(%x: tensor<6xf32> {lathe.shard = ["model"]}, %b: tensor<f32>, %y: tensor<4xf32> {lathe.shard = ["model"]}) -> tensor<f32> {
  %a = lathe.reduce sum %x dims [0] : tensor<6xf32>
  %ab = lathe.add %a, %b : tensor<f32>
  %c = lathe.reduce sum %y dims [0] : tensor<4xf32>
  %abc = lathe.add %ab, %c : tensor<f32>
  %z = lathe.sqrt %abc : tensor<f32>
  return %z : tensor<f32>
}
