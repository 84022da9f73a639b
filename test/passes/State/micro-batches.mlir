// A minimize over micro-batches is a scan that sums up losses and gradients; what the loss writes is carried from one to the next.
// RUN: lathec %s --emit=mlir --emit-stage=state -o - | FileCheck %s
// RUN: %npy %t.npy "<f4" 2x2 1 3 5 7
// RUN: lathe-run %s train --input x=@%t.npy --input bias=2 --expect loss=2 --expect w=-0.5 --expect seen=7
// RUN: lathe-run %s open --random --dim M=5 --dim N=3 --check --rtol 1e-5
// RUN: lathe-run %s halves --input x=3.75 --expect loss=3.75 --expect h=-3.75
// The derivative of the first micro-batch's loss is checked.
// RUN: lathe-run %s train --gradcheck --input x=@%t.npy --input bias=2 | FileCheck %s --check-prefix=GRADCHECK
// GRADCHECK: w []: {{.*}} largest error 0.0e+00

lathe.variable @w : tensor<f32> init #lathe.fill<1.0>
lathe.variable @seen : tensor<f32> init #lathe.zeros
lathe.variable @h : tensor<bf16> init #lathe.zeros

// The mean of w x plus the bias; `seen` is its last input's sum.
func.func private @loss(%x: tensor<?xf32>, %bias: tensor<f32>) -> tensor<f32> {
  %w = lathe.read @w : tensor<f32>
  %before = lathe.read @seen : tensor<f32>
  %sum = lathe.reduce sum %x dims [0] : tensor<?xf32>
  %half = lathe.constant dense<0.5> : tensor<f32>
  %old = lathe.mul %before, %half : tensor<f32>
  %now = lathe.mul %sum, %half : tensor<f32>
  %next = lathe.add %old, %now : tensor<f32>
  lathe.write @seen, %next : tensor<f32>
  %scaled = lathe.mul %x, %w : tensor<?xf32>, tensor<f32>
  %mean = lathe.std.mean %scaled : tensor<?xf32>
  %y = lathe.sub %mean, %bias : tensor<f32>
  return %y : tensor<f32>
}

// The means of 1 and 3, and of 5 and 7, without the bias: the loss is (0 + 4) / 2, the gradient (2 + 6) / 2, and w becomes
// 1 - 0.375 * 4. `seen` is 4 / 2, then 2 / 2 + 12 / 2.
// CHECK-LABEL: func.func @train(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x2xf32> {{.*}}, %[[BIAS:[^:]*]]: tensor<f32> {{.*}}, %[[W:.*]]: tensor<f32> {lathe.state = @w}, %[[SEEN:.*]]: tensor<f32> {lathe.state = @seen}
// CHECK: %[[SUMS:.*]]:3 = lathe.scan
// CHECK-SAME: carry(%[[S:.*]] = %[[SEEN]] : tensor<f32>, %[[LOSS:.*]] = %{{[^ ]*}} : tensor<f32>, %[[G:.*]] = %{{[^ ]*}} : tensor<f32>) over(%[[SLICE:.*]] = %[[X]] : tensor<2x2xf32>)
// CHECK: %[[ONE:.*]]:3 = lathe.value_and_grad @{{.*}}(%[[SLICE]], %[[BIAS]], %[[W]], %[[S]]) wrt [2]
// CHECK: %[[L1:.*]] = lathe.add %[[LOSS]], %[[ONE]]#0
// CHECK: %[[G1:.*]] = lathe.add %[[G]], %[[ONE]]#2
// CHECK: lathe.yield carry(%[[ONE]]#1 : tensor<f32>, %[[L1]] : tensor<f32>, %[[G1]] : tensor<f32>)
// CHECK: %[[COUNT:.*]] = lathe.constant dense<2.000000e+00> : tensor<f32>
// CHECK: lathe.div %[[SUMS]]#1, %[[COUNT]]
// CHECK: %[[MEAN:.*]] = lathe.div %[[SUMS]]#2, %[[COUNT]]
// CHECK: %[[STEP:.*]] = lathe.mul %[[MEAN]]
// CHECK: lathe.sub %[[W]], %[[STEP]]
func.func @train(%x: tensor<2x2xf32>, %bias: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %loss = lathe.minimize @loss(%x, %bias) with sgd<learning_rate = 0.375> micro_batches [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
  %w = lathe.read @w : tensor<f32>
  %seen = lathe.read @seen : tensor<f32>
  return %loss, %w, %seen : tensor<f32>, tensor<f32>, tensor<f32>
}

// Their number may have a name.
// CHECK-LABEL: func.func @open(
// CHECK: lathe.dim_size %{{.*}} dim 0
func.func @open(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<M, N>}, %bias: tensor<f32>) -> tensor<f32> {
  %loss = lathe.minimize @loss(%x, %bias) with sgd<> micro_batches [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

func.func private @half_loss(%x: tensor<2xbf16>) -> tensor<bf16> {
  %h = lathe.read @h : tensor<bf16>
  %one = lathe.constant dense<1.0> : tensor<bf16>
  %more = lathe.add %h, %one : tensor<bf16>
  %scaled = lathe.mul %x, %more : tensor<2xbf16>, tensor<bf16>
  %mean = lathe.std.mean %scaled : tensor<2xbf16>
  return %mean : tensor<bf16>
}

// Sums of halves are f32.
// CHECK-LABEL: func.func @halves(
// CHECK: lathe.scan
// CHECK: lathe.yield carry(%{{.*}} : tensor<f32>, %{{.*}} : tensor<f32>)
// CHECK: lathe.convert %{{.*}} to bf16 : tensor<f32>
func.func @halves(%x: tensor<2x2xbf16>) -> (tensor<bf16>, tensor<bf16>) {
  %loss = lathe.minimize @half_loss(%x) with sgd<learning_rate = 1.0> micro_batches [0] : (tensor<2x2xbf16>) -> tensor<bf16>
  %h = lathe.read @h : tensor<bf16>
  return %loss, %h : tensor<bf16>, tensor<bf16>
}
