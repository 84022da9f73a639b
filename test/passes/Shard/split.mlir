// RUN: lathec %s --shard=step:N --shard=by_hand:N --shard=micro:M --emit=mlir --emit-stage=state -o - | FileCheck %s
// RUN: lathec %s --shard=micro:M@data --shard=micro:M --emit=mlir --emit-stage=state -o - | FileCheck %s --check-prefix=BOTH
lathe.dim @N, 1 to 64
lathe.variable @w : tensor<3xf32> init #lathe.zeros
lathe.variable @mean : tensor<f32> init #lathe.zeros

func.func private @loss(%x: tensor<?x3xf32>, %scale: tensor<f32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<3xf32>
  %0 = lathe.mul %x, %w : tensor<?x3xf32>, tensor<3xf32>
  %1 = lathe.std.mean %0 dims [0, 1] : tensor<?x3xf32>
  lathe.write @mean, %1 : tensor<f32>
  %2 = lathe.mul %1, %scale : tensor<f32>
  return %2 : tensor<f32>
}

// The entry stays as it is, and tells of its parts.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: lathe.shard = [@step_gradients, @step_update, "N"]
// CHECK: lathe.value_and_grad

// Ops before the cut belong to the gradients, which only read the state. An assertion occurs once.
// CHECK-LABEL: func.func @step_gradients(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32, #lathe.dims<N>> {lathe.name = "x"}, %[[S:.*]]: tensor<f32> {lathe.name = "scale"}, %[[W:.*]]: tensor<3xf32> {lathe.state = @w}) ->
// CHECK-SAME: (tensor<f32> {lathe.name = "value_"}, tensor<f32> {lathe.name = "value_1"}, tensor<3xf32> {lathe.name = "gradient_w"})
// CHECK: lathe.assert
// CHECK: %[[HALF:.*]] = lathe.mul %[[X]]
// CHECK: %[[G:.*]]:3 = lathe.value_and_grad @loss(%[[HALF]], %[[S]], %[[W]]) wrt [2]
// CHECK-NEXT: return %[[G]]#0, %[[G]]#1, %[[G]]#2

// The update knows nothing of the batch.
// CHECK-LABEL: func.func @step_update(
// CHECK-SAME: %[[R:.*]]: tensor<f32> {lathe.name = "rate"}, %[[S:.*]]: tensor<f32> {lathe.name = "scale"}, %[[W:.*]]: tensor<3xf32> {lathe.state = @w}, %[[V:.*]]: tensor<f32> {lathe.name = "value_"}, %[[MEAN:.*]]: tensor<f32> {lathe.name = "value_1"}, %[[G:.*]]: tensor<3xf32> {lathe.name = "gradient_w"}) ->
// CHECK-SAME: (tensor<f32> {lathe.name = "value"}, tensor<f32> {lathe.name = "scaled"}, tensor<3xf32> {lathe.state = @w}, tensor<f32> {lathe.state = @mean})
// CHECK-NOT: lathe.assert
// CHECK-NOT: value_and_grad
// CHECK: %[[SCALED:.*]] = lathe.mul %[[V]], %[[S]]
// CHECK: return %[[V]], %[[SCALED]], %{{.*}}, %[[MEAN]]
func.func @step(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %rate: tensor<f32>, %scale: tensor<f32>)
    -> (tensor<f32> {lathe.name = "value"}, tensor<f32> {lathe.name = "scaled"}) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %ok = lathe.compare gt %scale, %zero : tensor<f32>
  lathe.assert %ok, "a scale is positive" : tensor<i1>
  %c = lathe.constant dense<0.5> : tensor<f32>
  %half = lathe.mul %x, %c : tensor<?x3xf32>, tensor<f32>
  %0 = lathe.minimize @loss(%half, %scale) with sgd<> learning_rate %rate : tensor<f32>
      : (tensor<?x3xf32>, tensor<f32>) -> tensor<f32>
  %1 = lathe.mul %0, %scale : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// An optimiser of one's own is one too.
// CHECK-LABEL: func.func @by_hand_gradients(
// CHECK-SAME: tensor<3xf32> {lathe.state = @w}) -> (tensor<3xf32> {lathe.name = "gradient_w"})
// CHECK-LABEL: func.func @by_hand_update(
// CHECK-SAME: %[[W:.*]]: tensor<3xf32> {lathe.state = @w}, %[[G:.*]]: tensor<3xf32> {lathe.name = "gradient_w"}) -> (tensor<3xf32> {lathe.state = @w})
// CHECK-NEXT: %[[NEW:.*]] = lathe.sub %[[W]], %[[G]]
func.func private @plain(%x: tensor<?x3xf32>, %w: tensor<3xf32>) -> tensor<f32> {
  %0 = lathe.mul %x, %w : tensor<?x3xf32>, tensor<3xf32>
  %1 = lathe.std.mean %0 dims [0, 1] : tensor<?x3xf32>
  return %1 : tensor<f32>
}
func.func @by_hand(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}) {
  %w = lathe.read @w : tensor<3xf32>
  %0:2 = lathe.value_and_grad @plain(%x, %w) wrt [1] : (tensor<?x3xf32>, tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>)
  %new = lathe.sub %w, %0#1 : tensor<3xf32>
  lathe.write @w, %new : tensor<3xf32>
  return
}

// A step over micro-batches is cut behind the means over them, of which each context has a part. A variable that the loss writes
// crosses as it is after the last micro-batch.
// CHECK-LABEL: func.func @micro_gradients(
// CHECK-SAME: -> (tensor<f32> {lathe.name = "value_1"}, tensor<f32> {lathe.name = "value"}, tensor<3xf32> {lathe.name = "gradient_w"})
// CHECK: %[[SUMS:.*]]:3 = lathe.scan
// CHECK: %[[COUNT:.*]] = lathe.convert
// CHECK: %[[LOSS:.*]] = lathe.div %[[SUMS]]#1, %[[COUNT]]
// CHECK: %[[GRADIENT:.*]] = lathe.div %[[SUMS]]#2
// CHECK-NEXT: return %[[SUMS]]#0, %[[LOSS]], %[[GRADIENT]]
// CHECK-LABEL: func.func @micro_update(
// CHECK-SAME: %[[MEAN:[^:]*]]: tensor<f32> {lathe.name = "value_1"}, %[[LOSS:[^:]*]]: tensor<f32> {lathe.name = "value"}, %[[GRADIENT:[^:]*]]: tensor<3xf32> {lathe.name = "gradient_w"})
// CHECK-NOT: lathe.scan
// CHECK: return %[[LOSS]], %{{.*}}, %[[MEAN]]
lathe.dim @M, 1 to 64
func.func @micro(%x: tensor<?x4x3xf32> {lathe.dims = #lathe.dims<M>}, %scale: tensor<f32>) -> (tensor<f32> {lathe.name = "loss"}) {
  %0 = lathe.minimize @loss(%x, %scale) with sgd<> micro_batches [0] : (tensor<?x4x3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Where ranks share the micro-batches, too, each context has the mean over its own, and the update exchanges the ranks' means.
// BOTH-LABEL: func.func @micro_gradients(
// BOTH: %[[SUMS:.*]]:3 = lathe.scan
// BOTH: %[[LOSS:.*]] = lathe.div %[[SUMS]]#1
// BOTH: %[[GRADIENT:.*]] = lathe.div %[[SUMS]]#2
// BOTH-NEXT: return %[[SUMS]]#0, %[[LOSS]], %[[GRADIENT]]
// BOTH-LABEL: func.func @micro_update(
// BOTH-SAME: %[[MEAN:[^:]*]]: tensor<f32> {lathe.name = "value_1"}, %[[LOSS:[^:]*]]: tensor<f32> {lathe.name = "value"}, %[[GRADIENT:[^:]*]]: tensor<3xf32> {lathe.name = "gradient_w"})
// BOTH-DAG: lathe.all_reduce mean %[[MEAN]] over data
// BOTH-DAG: lathe.all_reduce mean %[[LOSS]] over data
// BOTH-DAG: lathe.all_reduce mean %[[GRADIENT]] over data
