// RUN: lathe-opt %s --lathe-fuse | FileCheck %s
// Tensor cores of a device take halves: what a kernel makes for products is stored as halves, of f16 too. Other readers have it
// in f32 as before.

module attributes {lathe.on_device} {
  // CHECK-LABEL: func.func @layers
  // CHECK: %[[H:.*]]:2 = lathe.kernel(%{{.*}} = %arg0 : tensor<4x8xf16>, %{{.*}} = %arg1 : tensor<8x8xf16>) -> (tensor<4x8xf16>, tensor<4x8xf32>)
  // CHECK: lathe.tanh
  // CHECK: to f16
  // CHECK: lathe.kernel(%{{.*}} = %[[H]]#0 : tensor<4x8xf16>, %{{.*}} = %arg1 : tensor<8x8xf16>) -> tensor<4x8xf32>
  // CHECK: lathe.dot_general
  // CHECK: lathe.kernel(%{{.*}} = %[[H]]#1 : tensor<4x8xf32>)
  // CHECK: lathe.reduce
  func.func @layers(%x: tensor<4x8xf16>, %w: tensor<8x8xf16>) -> (tensor<4x8xf32>, tensor<4xf32>) {
    %a = lathe.convert %x to f32 : tensor<4x8xf16>
    %b = lathe.convert %w to f32 : tensor<8x8xf16>
    %c = lathe.dot_general %a, %b contract [1] x [0] : tensor<4x8xf32>, tensor<8x8xf32>
    %d = lathe.tanh %c : tensor<4x8xf32>
    %h = lathe.convert %d to f16 : tensor<4x8xf32>
    %e = lathe.convert %h to f32 : tensor<4x8xf16>
    %f = lathe.dot_general %e, %b contract [1] x [0] : tensor<4x8xf32>, tensor<8x8xf32>
    %g = lathe.reduce sum %e dims [1] : tensor<4x8xf32>
    return %f, %g : tensor<4x8xf32>, tensor<4xf32>
  }
}
