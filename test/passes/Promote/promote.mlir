// RUN: lathe-opt %s --lathe-promote --split-input-file | FileCheck %s
// Halves: what computes does so in f32, once around the op; what moves stays.

// CHECK-LABEL: func.func @computes
func.func @computes(%x: tensor<4x8xf16>, %y: tensor<4x8xf16>) -> (tensor<4xf16>, tensor<4x8xf16>) {
  // CHECK: %[[x:.*]] = lathe.convert %arg0 to f32 : tensor<4x8xf16>
  // CHECK: %[[y:.*]] = lathe.convert %arg1 to f32 : tensor<4x8xf16>
  // CHECK: %[[z:.*]] = lathe.mul %[[x]], %[[y]] : tensor<4x8xf32>
  // CHECK: %[[h:.*]] = lathe.convert %[[z]] to f16 : tensor<4x8xf32>
  %z = lathe.mul %x, %y : tensor<4x8xf16>
  // CHECK: %[[w:.*]] = lathe.convert %[[h]] to f32
  // CHECK: lathe.reduce sum %[[w]] dims [1] : tensor<4x8xf32>
  // CHECK: lathe.convert %{{.*}} to f16 : tensor<4xf32>
  %s = lathe.reduce sum %z dims [1] : tensor<4x8xf16>
  // CHECK: lathe.iota dim 1 to [4, 8] : f32
  // CHECK: lathe.convert %{{.*}} to f16 : tensor<4x8xf32>
  %i = lathe.iota dim 1 to [4, 8] : f16
  return %s, %i : tensor<4xf16>, tensor<4x8xf16>
}

// CHECK-LABEL: func.func @moves
// CHECK-NOT: convert
// CHECK: return
func.func @moves(%x: tensor<4x8xbf16>, %p: tensor<8x4xi1>, %z: tensor<bf16>) -> tensor<9x4xbf16> {
  %t = lathe.transpose %x [1, 0] : tensor<4x8xbf16>
  %s = lathe.select %p, %t, %z : tensor<8x4xi1>, tensor<8x4xbf16>, tensor<bf16>
  %q = lathe.pad %s, %z low [0, 0] high [1, 0] : tensor<8x4xbf16>, tensor<bf16>
  return %q : tensor<9x4xbf16>
}

// CHECK-LABEL: func.func @converts
func.func @converts(%x: tensor<4xf16>, %n: tensor<4xi32>, %d: tensor<4xf64>) -> (tensor<4xi8>, tensor<4xbf16>, tensor<4xbf16>) {
  // CHECK: %[[a:.*]] = lathe.convert %arg0 to f32 : tensor<4xf16>
  // CHECK: lathe.convert %[[a]] to i8 : tensor<4xf32>
  %a = lathe.convert %x to i8 : tensor<4xf16>
  // CHECK: %[[b:.*]] = lathe.convert %arg1 to f32 : tensor<4xi32>
  // CHECK: lathe.convert %[[b]] to bf16 : tensor<4xf32>
  %b = lathe.convert %n to bf16 : tensor<4xi32>
  // CHECK: lathe.convert %arg2 to bf16 : tensor<4xf64>
  %c = lathe.convert %d to bf16 : tensor<4xf64>
  return %a, %b, %c : tensor<4xi8>, tensor<4xbf16>, tensor<4xbf16>
}

// -----
// Unsigned integers: ordered as signed ones with their top bit inverted; sums and elementwise comparisons need nothing.

// CHECK-LABEL: func.func @ordered
func.func @ordered(%x: tensor<4x8xui8>, %y: tensor<4x8xui8>) -> (tensor<4xui8>, tensor<4xui8>, tensor<4x8xi1>) {
  // CHECK: %[[s:.*]] = lathe.convert %arg0 to i8
  // CHECK: %[[f:.*]] = lathe.xor %[[s]]
  // CHECK: %[[m:.*]] = lathe.reduce max %[[f]] dims [1] : tensor<4x8xi8>
  // CHECK: %[[b:.*]] = lathe.xor %[[m]]
  // CHECK: lathe.convert %[[b]] to ui8 : tensor<4xi8>
  %m = lathe.reduce max %x dims [1] : tensor<4x8xui8>
  // CHECK: lathe.reduce sum %arg0 dims [1] : tensor<4x8xui8>
  %n = lathe.reduce sum %x dims [1] : tensor<4x8xui8>
  // CHECK: lathe.compare lt %arg0, %arg1 : tensor<4x8xui8>
  %c = lathe.compare lt %x, %y : tensor<4x8xui8>
  return %m, %n, %c : tensor<4xui8>, tensor<4xui8>, tensor<4x8xi1>
}
