// RUN: lathe-opt %s --lathe-layout | FileCheck %s
// A device's tiles take operands whichever way they lie: no product gets a transposed copy.

module attributes {lathe.on_device} {
  // CHECK-LABEL: @nt(
  // CHECK-NOT: lathe.transpose
  // CHECK: lathe.dot_general %arg0, %arg1 contract [1] x [1]
  func.func @nt(%a: tensor<64x64xf32>, %b: tensor<128x64xf32>) -> tensor<64x128xf32> {
    %0 = lathe.dot_general %a, %b contract [1] x [1] : tensor<64x64xf32>, tensor<128x64xf32>
    return %0 : tensor<64x128xf32>
  }

  // CHECK-LABEL: @deep(
  // CHECK-NOT: lathe.transpose
  func.func @deep(%a: tensor<4096x64xf32>, %b: tensor<4096x64xf32>) -> tensor<64x64xf32> {
    %0 = lathe.dot_general %a, %b contract [0] x [0] : tensor<4096x64xf32>, tensor<4096x64xf32>
    return %0 : tensor<64x64xf32>
  }
}
