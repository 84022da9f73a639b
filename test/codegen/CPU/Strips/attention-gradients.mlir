// Derivatives of attention in blocks of queries and keys: against the interpreter, and the bits of several threads. The last block of queries
// is not full.
// RUN: lathec %s --emit=mlir --emit-stage=schedule -o - | FileCheck %s
// RUN: lathe-run %s plain --random --save %t.plain --check --rtol 1e-4 --atol 1e-6
// RUN: lathe-run %s plain --random --threads 3 --expect loss=@%t.plain/out-loss.npy --expect dq=@%t.plain/out-dq.npy --expect dk=@%t.plain/out-dk.npy --expect dv=@%t.plain/out-dv.npy --rtol 0 --atol 0
// RUN: lathe-run %s plain --random -O 0 --expect loss=@%t.plain/out-loss.npy --expect dq=@%t.plain/out-dq.npy --expect dk=@%t.plain/out-dk.npy --expect dv=@%t.plain/out-dv.npy --rtol 1e-4 --atol 1e-6
// RUN: lathe-run %s plain --random --target x86-64-v2 --check --rtol 1e-4 --atol 1e-6
// RUN: lathe-run %s masked --random --save %t.masked --check --rtol 1e-4 --atol 1e-6
// RUN: lathe-run %s masked --random --threads 3 --expect loss=@%t.masked/out-loss.npy --expect dq=@%t.masked/out-dq.npy --expect dk=@%t.masked/out-dk.npy --expect dv=@%t.masked/out-dv.npy --rtol 0 --atol 0
// RUN: lathe-run %s long --random --check --rtol 1e-4 --atol 1e-6
// RUN: lathe-run %s doubles --random --gradcheck
// RUN: lathe-run %s halves --random --check --rtol 1e-2 --atol 1e-6
// RUN: lathe-run %s brains --random --check --rtol 2e-2 --atol 1e-6

// The loop's sums are updated in place, in the kernels of their products. The result is computed in strips.
// CHECK-LABEL: func.func @plain
// CHECK: lathe.strips
// CHECK: lathe.scan over(
// CHECK: lathe.scan carry({{.*}} lathe.spares = [unit, unit]
// CHECK-NOT: tensor<2x2099x2060x
// CHECK: return
// CHECK-LABEL: func.func @masked
// CHECK: lathe.scan carry(
// CHECK-LABEL: func.func @long
// CHECK: lathe.scan carry({{.*}} : tensor<2099xf32>
// CHECK: lathe.scan carry({{.*}} : tensor<2099x8xf32>
// CHECK: lathe.scan carry({{.*}} : tensor<205x{{[58]}}xf32>, {{.*}} : tensor<205x{{[58]}}xf32>)

// The workspace grows with the length, not with its square: a matrix of weights takes 64 MiB and 256 MiB.
// CHECK-LABEL: func.func @short
// CHECK-SAME: lathe.workspace = #lathe.dim<{{[0-9]{7}>}}
// CHECK-LABEL: func.func @twice
// CHECK-SAME: lathe.workspace = #lathe.dim<{{[0-9]{7}>}}

func.func private @plain_loss(%q: tensor<2x2099x8xf32>, %k: tensor<2x2060x8xf32>, %v: tensor<2x2060x5xf32>) -> tensor<f32> {
  %y = lathe.std.attention %q, %k, %v : tensor<2x2099x8xf32>, tensor<2x2060x8xf32>, tensor<2x2060x5xf32>
  %squares = lathe.mul %y, %y : tensor<2x2099x5xf32>
  %loss = lathe.reduce sum %squares dims [0, 1, 2] : tensor<2x2099x5xf32>
  return %loss : tensor<f32>
}
func.func @plain(%q: tensor<2x2099x8xf32>, %k: tensor<2x2060x8xf32>, %v: tensor<2x2060x5xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<2x2099x8xf32> {lathe.name = "dq"}, tensor<2x2060x8xf32> {lathe.name = "dk"}, tensor<2x2060x5xf32> {lathe.name = "dv"}) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @plain_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<2x2099x8xf32>, tensor<2x2060x8xf32>, tensor<2x2060x5xf32>) -> (tensor<f32>, tensor<2x2099x8xf32>, tensor<2x2060x8xf32>, tensor<2x2060x5xf32>)
  return %loss, %dq, %dk, %dv : tensor<f32>, tensor<2x2099x8xf32>, tensor<2x2060x8xf32>, tensor<2x2060x5xf32>
}

// A mask, a bias that the heads share, and the triangle of earlier keys. Queries without any key have zeros as their result.
func.func private @masked_loss(%q: tensor<2x2x1499x8xf32>, %k: tensor<2x2x1450x8xf32>, %v: tensor<2x2x1450x5xf32>, %m: tensor<1499x1450xi1>, %b: tensor<2x1x1x1450xf32>) -> tensor<f32> {
  %y = lathe.std.attention %q, %k, %v mask %m bias %b causal : tensor<2x2x1499x8xf32>, tensor<2x2x1450x8xf32>, tensor<2x2x1450x5xf32>, tensor<1499x1450xi1>, tensor<2x1x1x1450xf32>
  %squares = lathe.mul %y, %y : tensor<2x2x1499x5xf32>
  %loss = lathe.reduce sum %squares dims [0, 1, 2, 3] : tensor<2x2x1499x5xf32>
  return %loss : tensor<f32>
}
func.func @masked(%q: tensor<2x2x1499x8xf32>, %k: tensor<2x2x1450x8xf32>, %v: tensor<2x2x1450x5xf32>, %m: tensor<1499x1450xi1>, %b: tensor<2x1x1x1450xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<2x2x1499x8xf32> {lathe.name = "dq"}, tensor<2x2x1450x8xf32> {lathe.name = "dk"}, tensor<2x2x1450x5xf32> {lathe.name = "dv"}) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @masked_loss(%q, %k, %v, %m, %b) wrt [0, 1, 2] : (tensor<2x2x1499x8xf32>, tensor<2x2x1450x8xf32>, tensor<2x2x1450x5xf32>, tensor<1499x1450xi1>, tensor<2x1x1x1450xf32>) -> (tensor<f32>, tensor<2x2x1499x8xf32>, tensor<2x2x1450x8xf32>, tensor<2x2x1450x5xf32>)
  return %loss, %dq, %dk, %dv : tensor<f32>, tensor<2x2x1499x8xf32>, tensor<2x2x1450x8xf32>, tensor<2x2x1450x5xf32>
}

// The result comes from a loop over blocks of keys, and the gradients from one over blocks of queries inside of one over blocks of keys.
func.func private @long_loss(%q: tensor<2099x8xf32>, %k: tensor<4100x8xf32>, %v: tensor<4100x5xf32>) -> tensor<f32> {
  %y = lathe.std.attention %q, %k, %v : tensor<2099x8xf32>, tensor<4100x8xf32>, tensor<4100x5xf32>
  %squares = lathe.mul %y, %y : tensor<2099x5xf32>
  %loss = lathe.reduce sum %squares dims [0, 1] : tensor<2099x5xf32>
  return %loss : tensor<f32>
}
func.func @long(%q: tensor<2099x8xf32>, %k: tensor<4100x8xf32>, %v: tensor<4100x5xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<2099x8xf32> {lathe.name = "dq"}, tensor<4100x8xf32> {lathe.name = "dk"}, tensor<4100x5xf32> {lathe.name = "dv"}) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @long_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<2099x8xf32>, tensor<4100x8xf32>, tensor<4100x5xf32>) -> (tensor<f32>, tensor<2099x8xf32>, tensor<4100x8xf32>, tensor<4100x5xf32>)
  return %loss, %dq, %dk, %dv : tensor<f32>, tensor<2099x8xf32>, tensor<4100x8xf32>, tensor<4100x5xf32>
}

// For a check of the derivatives by finite differences.
func.func @doubles(%q: tensor<2099x4xf64>, %k: tensor<2060x4xf64>, %v: tensor<2060x3xf64>) -> (tensor<f64> {lathe.name = "loss"}) {
  %y = lathe.std.attention %q, %k, %v : tensor<2099x4xf64>, tensor<2060x4xf64>, tensor<2060x3xf64>
  %squares = lathe.mul %y, %y : tensor<2099x3xf64>
  %loss = lathe.reduce sum %squares dims [0, 1] : tensor<2099x3xf64>
  return %loss : tensor<f64>
}

func.func private @short_loss(%q: tensor<4096x8xf32>, %k: tensor<4096x8xf32>, %v: tensor<4096x8xf32>) -> tensor<f32> {
  %y = lathe.std.attention %q, %k, %v : tensor<4096x8xf32>, tensor<4096x8xf32>, tensor<4096x8xf32>
  %squares = lathe.mul %y, %y : tensor<4096x8xf32>
  %loss = lathe.reduce sum %squares dims [0, 1] : tensor<4096x8xf32>
  return %loss : tensor<f32>
}
func.func @short(%q: tensor<4096x8xf32>, %k: tensor<4096x8xf32>, %v: tensor<4096x8xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<4096x8xf32> {lathe.name = "dq"}, tensor<4096x8xf32> {lathe.name = "dk"}, tensor<4096x8xf32> {lathe.name = "dv"}) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @short_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<4096x8xf32>, tensor<4096x8xf32>, tensor<4096x8xf32>) -> (tensor<f32>, tensor<4096x8xf32>, tensor<4096x8xf32>, tensor<4096x8xf32>)
  return %loss, %dq, %dk, %dv : tensor<f32>, tensor<4096x8xf32>, tensor<4096x8xf32>, tensor<4096x8xf32>
}

func.func private @twice_loss(%q: tensor<8192x8xf32>, %k: tensor<8192x8xf32>, %v: tensor<8192x8xf32>) -> tensor<f32> {
  %y = lathe.std.attention %q, %k, %v : tensor<8192x8xf32>, tensor<8192x8xf32>, tensor<8192x8xf32>
  %squares = lathe.mul %y, %y : tensor<8192x8xf32>
  %loss = lathe.reduce sum %squares dims [0, 1] : tensor<8192x8xf32>
  return %loss : tensor<f32>
}
func.func @twice(%q: tensor<8192x8xf32>, %k: tensor<8192x8xf32>, %v: tensor<8192x8xf32>)
    -> (tensor<f32> {lathe.name = "loss"}, tensor<8192x8xf32> {lathe.name = "dq"}, tensor<8192x8xf32> {lathe.name = "dk"}, tensor<8192x8xf32> {lathe.name = "dv"}) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @twice_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<8192x8xf32>, tensor<8192x8xf32>, tensor<8192x8xf32>) -> (tensor<f32>, tensor<8192x8xf32>, tensor<8192x8xf32>, tensor<8192x8xf32>)
  return %loss, %dq, %dk, %dv : tensor<f32>, tensor<8192x8xf32>, tensor<8192x8xf32>, tensor<8192x8xf32>
}

// Halves and bfloat16: blocks are computed in f32, as the whole matrices would be.
// CHECK-LABEL: func.func @halves
// CHECK: lathe.scan carry(
// CHECK-LABEL: func.func @brains
// CHECK: lathe.scan carry(
func.func private @halves_loss(%q: tensor<2x2099x8xf16>, %k: tensor<2x2060x8xf16>, %v: tensor<2x2060x5xf16>) -> tensor<f16> {
  %y = lathe.std.attention %q, %k, %v : tensor<2x2099x8xf16>, tensor<2x2060x8xf16>, tensor<2x2060x5xf16>
  %squares = lathe.mul %y, %y : tensor<2x2099x5xf16>
  %loss = lathe.reduce sum %squares dims [0, 1, 2] : tensor<2x2099x5xf16>
  return %loss : tensor<f16>
}
func.func @halves(%q: tensor<2x2099x8xf16>, %k: tensor<2x2060x8xf16>, %v: tensor<2x2060x5xf16>) -> (tensor<f16>, tensor<2x2099x8xf16>, tensor<2x2060x8xf16>, tensor<2x2060x5xf16>) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @halves_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<2x2099x8xf16>, tensor<2x2060x8xf16>, tensor<2x2060x5xf16>) -> (tensor<f16>, tensor<2x2099x8xf16>, tensor<2x2060x8xf16>, tensor<2x2060x5xf16>)
  return %loss, %dq, %dk, %dv : tensor<f16>, tensor<2x2099x8xf16>, tensor<2x2060x8xf16>, tensor<2x2060x5xf16>
}
func.func private @brains_loss(%q: tensor<2x2099x8xbf16>, %k: tensor<2x2060x8xbf16>, %v: tensor<2x2060x5xbf16>) -> tensor<bf16> {
  %y = lathe.std.attention %q, %k, %v : tensor<2x2099x8xbf16>, tensor<2x2060x8xbf16>, tensor<2x2060x5xbf16>
  %squares = lathe.mul %y, %y : tensor<2x2099x5xbf16>
  %loss = lathe.reduce sum %squares dims [0, 1, 2] : tensor<2x2099x5xbf16>
  return %loss : tensor<bf16>
}
func.func @brains(%q: tensor<2x2099x8xbf16>, %k: tensor<2x2060x8xbf16>, %v: tensor<2x2060x5xbf16>) -> (tensor<bf16>, tensor<2x2099x8xbf16>, tensor<2x2060x8xbf16>, tensor<2x2060x5xbf16>) {
  %loss, %dq, %dk, %dv = lathe.value_and_grad @brains_loss(%q, %k, %v) wrt [0, 1, 2] : (tensor<2x2099x8xbf16>, tensor<2x2060x8xbf16>, tensor<2x2060x5xbf16>) -> (tensor<bf16>, tensor<2x2099x8xbf16>, tensor<2x2060x8xbf16>, tensor<2x2060x5xbf16>)
  return %loss, %dq, %dk, %dv : tensor<bf16>, tensor<2x2099x8xbf16>, tensor<2x2060x8xbf16>, tensor<2x2060x5xbf16>
}
