// RUN: lathe-opt %s --lathe-fuse | FileCheck %s
// Halves in memory are widened by each kernel that reads them: no copy in f32 is made. A convolution's generator takes its operands
// from memory, so it gets one.

// CHECK-LABEL: func.func @product
// CHECK: lathe.kernel(%{{.*}} = %arg0 : tensor<4x8xbf16>, %{{.*}} = %arg1 : tensor<8x16xbf16>) -> tensor<4x16xbf16>
// CHECK-COUNT-2: to f32
// CHECK: lathe.dot_general
// CHECK-NEXT: to bf16
// CHECK-NOT: lathe.kernel
func.func @product(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>) -> tensor<4x16xbf16> {
  %a = lathe.convert %x to f32 : tensor<4x8xbf16>
  %b = lathe.convert %w to f32 : tensor<8x16xbf16>
  %c = lathe.dot_general %a, %b contract [1] x [0] : tensor<4x8xf32>, tensor<8x16xf32>
  %d = lathe.convert %c to bf16 : tensor<4x16xf32>
  return %d : tensor<4x16xbf16>
}

// CHECK-LABEL: func.func @convolution
// CHECK: lathe.kernel({{.*}}) -> tensor<1x8x8x2xf32>
// CHECK: lathe.kernel({{.*}}tensor<1x8x8x2xf32>
func.func @convolution(%x: tensor<1x8x8x2xf16>, %w: tensor<3x3x2x4xf32>) -> tensor<1x8x8x4xf32> {
  %a = lathe.convert %x to f32 : tensor<1x8x8x2xf16>
  %c = lathe.conv %a, %w stride [1, 1] pad same : tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>
  return %c : tensor<1x8x8x4xf32>
}

// The left operand of a product with columns goes to the tile one element at a time: an f16 is widened once, in a copy. The right
// one comes in vectors.
// CHECK-LABEL: func.func @left_of_product
// CHECK: %[[COPY:.*]] = lathe.kernel(%{{.*}} = %arg0 : tensor<4x8xf16>) -> tensor<4x8xf32>
// CHECK: lathe.kernel(%{{.*}} = %[[COPY]] : tensor<4x8xf32>, %{{.*}} = %arg1 : tensor<8x16xf16>) -> tensor<4x16xf16>
// CHECK-COUNT-1: to f32
// CHECK: lathe.dot_general
func.func @left_of_product(%x: tensor<4x8xf16>, %w: tensor<8x16xf16>) -> tensor<4x16xf16> {
  %a = lathe.convert %x to f32 : tensor<4x8xf16>
  %b = lathe.convert %w to f32 : tensor<8x16xf16>
  %c = lathe.dot_general %a, %b contract [1] x [0] : tensor<4x8xf32>, tensor<8x16xf32>
  %d = lathe.convert %c to f16 : tensor<4x16xf32>
  return %d : tensor<4x16xf16>
}

// A matrix by a vector reads each element once.
// CHECK-LABEL: func.func @by_vector
// CHECK: lathe.kernel(%{{.*}} = %arg0 : tensor<4x8xf16>, %{{.*}} = %arg1 : tensor<8xf16>) -> tensor<4xf32>
// CHECK-NOT: lathe.kernel
func.func @by_vector(%x: tensor<4x8xf16>, %w: tensor<8xf16>) -> tensor<4xf32> {
  %a = lathe.convert %x to f32 : tensor<4x8xf16>
  %b = lathe.convert %w to f32 : tensor<8xf16>
  %c = lathe.dot_general %a, %b contract [1] x [0] : tensor<4x8xf32>, tensor<8xf32>
  return %c : tensor<4xf32>
}
