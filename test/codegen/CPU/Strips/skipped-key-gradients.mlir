// Gradients in blocks of queries and keys whose steps stop at the last key that a query sees, which may be none of a block: the bits of code that computes all keys (an
// infinite bias, which is not skipped) and of several threads; against the interpreter, with inputs for which a step computes all.
// RUN: lathec %s --emit=mlir --emit-stage=schedule -o - | FileCheck %s
// RUN: lathe-run %s causal --random --save %t.causal --check --rtol 1e-4 --atol 1e-6
// RUN: lathe-run %s biased --random --expect loss=@%t.causal/out-loss.npy --expect dq=@%t.causal/out-dq.npy --expect dk=@%t.causal/out-dk.npy --expect dv=@%t.causal/out-dv.npy --rtol 0 --atol 0
// RUN: lathe-run %s causal --random --threads 3 --expect loss=@%t.causal/out-loss.npy --expect dq=@%t.causal/out-dq.npy --expect dk=@%t.causal/out-dk.npy --expect dv=@%t.causal/out-dv.npy --rtol 0 --atol 0
// RUN: lathe-run %s causal --random --target x86-64-v2 --check --rtol 1e-4 --atol 1e-6
// RUN: lathe-run %s unseeing --random --check --rtol 1e-4 --atol 1e-6
// RUN: lathe-run %s infinite --random --check --rtol 1e-4 --atol 1e-6

// CHECK-LABEL: func.func @causal
// CHECK: lathe.strips
// CHECK-COUNT-3: lathe.skips
// CHECK: lathe.scan carry({{.*}} : tensor<1x300x8xf32>, {{.*}} : tensor<1x300x5xf32>)
// CHECK-DAG: lathe.skips = "columns"
// CHECK-DAG: lathe.skips = "depth"
// CHECK-DAG: lathe.skips = "rows"
// CHECK: return
func.func private @causal_loss(%q: tensor<2x2100x8xf32>, %k: tensor<2x2100x8xf32>, %v: tensor<2x2100x5xf32>) -> tensor<f32> {
  %y = lathe.std.attention %q, %k, %v causal : tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>
  %squares = lathe.mul %y, %y : tensor<2x2100x5xf32>
  %loss = lathe.reduce sum %squares dims [0, 1, 2] : tensor<2x2100x5xf32>
  return %loss : tensor<f32>
}
func.func @causal(%q: tensor<2x2100x8xf32>, %k: tensor<2x2100x8xf32>, %v: tensor<2x2100x5xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<2x2100x8xf32> {lathe.name = "dq"}, tensor<2x2100x8xf32> {lathe.name = "dk"}, tensor<2x2100x5xf32> {lathe.name = "dv"}) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @causal_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>) -> (tensor<f32>, tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>)
  return %loss, %dq, %dk, %dv : tensor<f32>, tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>
}

// CHECK-LABEL: func.func @biased
// CHECK-NOT: lathe.skips
// CHECK: return
func.func private @biased_loss(%q: tensor<2x2100x8xf32>, %k: tensor<2x2100x8xf32>, %v: tensor<2x2100x5xf32>) -> tensor<f32> {
  %query = lathe.iota dim 0 to [2100, 2100] : i32 -> tensor<2100x2100xi32>
  %key = lathe.iota dim 1 to [2100, 2100] : i32 -> tensor<2100x2100xi32>
  %isSeen = lathe.compare le %key, %query : tensor<2100x2100xi32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %never = lathe.constant dense<0xFF800000> : tensor<f32>
  %all = lathe.broadcast %zero dims [] to [2100, 2100] : tensor<f32> -> tensor<2100x2100xf32>
  %bias = lathe.select %isSeen, %all, %never : tensor<2100x2100xi1>, tensor<2100x2100xf32>, tensor<f32>
  %y = lathe.std.attention %q, %k, %v bias %bias : tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>, tensor<2100x2100xf32>
  %squares = lathe.mul %y, %y : tensor<2x2100x5xf32>
  %loss = lathe.reduce sum %squares dims [0, 1, 2] : tensor<2x2100x5xf32>
  return %loss : tensor<f32>
}
func.func @biased(%q: tensor<2x2100x8xf32>, %k: tensor<2x2100x8xf32>, %v: tensor<2x2100x5xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<2x2100x8xf32> {lathe.name = "dq"}, tensor<2x2100x8xf32> {lathe.name = "dk"}, tensor<2x2100x5xf32> {lathe.name = "dv"}) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @biased_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>) -> (tensor<f32>, tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>)
  return %loss, %dq, %dk, %dv : tensor<f32>, tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>
}

// The first query sees no key.
// CHECK-LABEL: func.func @unseeing
// CHECK: lathe.skips
// CHECK: return
func.func private @unseeing_loss(%q: tensor<2x2100x8xf32>, %k: tensor<2x2100x8xf32>, %v: tensor<2x2100x5xf32>) -> tensor<f32> {
  %query = lathe.iota dim 0 to [2100, 2100] : i32 -> tensor<2100x2100xi32>
  %key = lathe.iota dim 1 to [2100, 2100] : i32 -> tensor<2100x2100xi32>
  %isSeen = lathe.compare lt %key, %query : tensor<2100x2100xi32>
  %y = lathe.std.attention %q, %k, %v mask %isSeen : tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>, tensor<2100x2100xi1>
  %squares = lathe.mul %y, %y : tensor<2x2100x5xf32>
  %loss = lathe.reduce sum %squares dims [0, 1, 2] : tensor<2x2100x5xf32>
  return %loss : tensor<f32>
}
func.func @unseeing(%q: tensor<2x2100x8xf32>, %k: tensor<2x2100x8xf32>, %v: tensor<2x2100x5xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<2x2100x8xf32> {lathe.name = "dq"}, tensor<2x2100x8xf32> {lathe.name = "dk"}, tensor<2x2100x5xf32> {lathe.name = "dv"}) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @unseeing_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>) -> (tensor<f32>, tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>)
  return %loss, %dq, %dk, %dv : tensor<f32>, tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>
}

// Value 1900 is infinite: earlier queries have weights of 0 for it.
// CHECK-LABEL: func.func @infinite
// CHECK: lathe.skips
// CHECK: return
func.func private @infinite_loss(%q: tensor<2x2100x8xf32>, %k: tensor<2x2100x8xf32>, %v: tensor<2x2100x5xf32>) -> tensor<f32> {
  %row = lathe.iota dim 1 to [2, 2100, 5] : i32 -> tensor<2x2100x5xi32>
  %at = lathe.constant dense<1900> : tensor<i32>
  %isAt = lathe.compare eq %row, %at : tensor<2x2100x5xi32>, tensor<i32>
  %infinity = lathe.constant dense<0x7F800000> : tensor<f32>
  %values = lathe.select %isAt, %infinity, %v : tensor<2x2100x5xi1>, tensor<f32>, tensor<2x2100x5xf32>
  %y = lathe.std.attention %q, %k, %values causal : tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>
  %squares = lathe.mul %y, %y : tensor<2x2100x5xf32>
  %loss = lathe.reduce sum %squares dims [0, 1, 2] : tensor<2x2100x5xf32>
  return %loss : tensor<f32>
}
func.func @infinite(%q: tensor<2x2100x8xf32>, %k: tensor<2x2100x8xf32>, %v: tensor<2x2100x5xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<2x2100x8xf32> {lathe.name = "dq"}, tensor<2x2100x8xf32> {lathe.name = "dk"}, tensor<2x2100x5xf32> {lathe.name = "dv"}) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @infinite_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>) -> (tensor<f32>, tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>)
  return %loss, %dq, %dk, %dv : tensor<f32>, tensor<2x2100x8xf32>, tensor<2x2100x8xf32>, tensor<2x2100x5xf32>
}
