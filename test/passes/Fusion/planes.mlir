// RUN: lathe-opt %s --lathe-fuse | FileCheck %s --check-prefixes=CHECK,PLANES
// RUN: lathe-opt %s --lathe-fuse=planes=false | FileCheck %s --check-prefixes=CHECK,APART
// A depthwise convolution between transposes from and to planes is one kernel with them and what is elementwise in between. Any
// other convolution is one kernel with a transpose of its results to planes.

// CHECK-LABEL: @fused(
// PLANES: lathe.kernel
// PLANES-NEXT: lathe.transpose
// PLANES-NEXT: lathe.conv
// PLANES: lathe.add
// PLANES-NEXT: lathe.transpose
// PLANES-NEXT: lathe.yield
// APART-COUNT-3: lathe.kernel
func.func @fused(%x: tensor<1x8x20x20xf32>, %w: tensor<3x3x1x8xf32>, %b: tensor<8xf32>) -> tensor<1x8x20x20xf32> {
  %0 = lathe.transpose %x [0, 2, 3, 1] : tensor<1x8x20x20xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 8 : tensor<1x20x20x8xf32>, tensor<3x3x1x8xf32>
  %2 = lathe.broadcast %b dims [3] to [1, 20, 20, 8] : tensor<8xf32>
  %3 = lathe.add %1, %2 : tensor<1x20x20x8xf32>
  %4 = lathe.transpose %3 [0, 3, 1, 2] : tensor<1x20x20x8xf32>
  return %4 : tensor<1x8x20x20xf32>
}

// The image in channels-last order has another reader.
// CHECK-LABEL: @read_twice(
// CHECK-COUNT-3: lathe.kernel
// CHECK: return
func.func @read_twice(%x: tensor<1x8x20x20xf32>, %w: tensor<3x3x1x8xf32>) -> (tensor<1x8x20x20xf32>, tensor<1x20x20x8xf32>) {
  %0 = lathe.transpose %x [0, 2, 3, 1] : tensor<1x8x20x20xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 8 : tensor<1x20x20x8xf32>, tensor<3x3x1x8xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x20x20x8xf32>
  return %2, %0 : tensor<1x8x20x20xf32>, tensor<1x20x20x8xf32>
}

// A second image is added in channels-last order.
// CHECK-LABEL: @residual(
// CHECK-COUNT-3: lathe.kernel
// CHECK: return
func.func @residual(%x: tensor<1x8x20x20xf32>, %w: tensor<3x3x1x8xf32>, %r: tensor<1x20x20x8xf32>) -> tensor<1x8x20x20xf32> {
  %0 = lathe.transpose %x [0, 2, 3, 1] : tensor<1x8x20x20xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 8 : tensor<1x20x20x8xf32>, tensor<3x3x1x8xf32>
  %2 = lathe.add %1, %r : tensor<1x20x20x8xf32>
  %3 = lathe.transpose %2 [0, 3, 1, 2] : tensor<1x20x20x8xf32>
  return %3 : tensor<1x8x20x20xf32>
}

// Strides along a line, and lines of 15 outputs.
// CHECK-LABEL: @strided(
// CHECK-COUNT-3: lathe.kernel
// CHECK: return
func.func @strided(%x: tensor<1x8x20x40xf32>, %w: tensor<3x3x1x8xf32>) -> tensor<1x8x20x20xf32> {
  %0 = lathe.transpose %x [0, 2, 3, 1] : tensor<1x8x20x40xf32>
  %1 = lathe.conv %0, %w stride [1, 2] pad [[1, 1], [1, 1]] groups 8 : tensor<1x20x40x8xf32>, tensor<3x3x1x8xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x20x20x8xf32>
  return %2 : tensor<1x8x20x20xf32>
}
// CHECK-LABEL: @short(
// CHECK-COUNT-3: lathe.kernel
// CHECK: return
func.func @short(%x: tensor<1x80x20x15xf32>, %w: tensor<3x3x1x80xf32>) -> tensor<1x80x20x15xf32> {
  %0 = lathe.transpose %x [0, 2, 3, 1] : tensor<1x80x20x15xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 80 : tensor<1x20x15x80xf32>, tensor<3x3x1x80xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x20x15x80xf32>
  return %2 : tensor<1x80x20x15xf32>
}

// CHECK-LABEL: @to_planes(
// PLANES: lathe.kernel
// PLANES-NEXT: lathe.conv
// PLANES: lathe.add
// PLANES-NEXT: lathe.transpose
// PLANES-NEXT: lathe.yield
// PLANES-NOT: lathe.kernel
// APART-COUNT-2: lathe.kernel
func.func @to_planes(%x: tensor<2x9x10x8xf32>, %w: tensor<3x3x4x24xf32>, %b: tensor<24xf32>) -> tensor<2x24x9x10xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<2x9x10x8xf32>, tensor<3x3x4x24xf32>
  %1 = lathe.broadcast %b dims [3] to [2, 9, 10, 24] : tensor<24xf32>
  %2 = lathe.add %0, %1 : tensor<2x9x10x24xf32>
  %3 = lathe.transpose %2 [0, 3, 1, 2] : tensor<2x9x10x24xf32>
  return %3 : tensor<2x24x9x10xf32>
}

// A value between them has two readers.
// CHECK-LABEL: @two_readers(
// PLANES-COUNT-1: lathe.kernel
// PLANES-NOT: lathe.kernel
// APART-COUNT-2: lathe.kernel
// CHECK: return
func.func @two_readers(%x: tensor<1x9x10x8xf32>, %w: tensor<3x3x8x24xf32>) -> tensor<1x24x9x10xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x9x10x8xf32>, tensor<3x3x8x24xf32>
  %1 = lathe.exp %0 : tensor<1x9x10x24xf32>
  %2 = lathe.mul %0, %1 : tensor<1x9x10x24xf32>
  %3 = lathe.transpose %2 [0, 3, 1, 2] : tensor<1x9x10x24xf32>
  return %3 : tensor<1x24x9x10xf32>
}

// The results have another reader, another order than planes, or are too few; lines are too short; a second image is added.
// CHECK-LABEL: @other_reader(
// CHECK-COUNT-2: lathe.kernel
// CHECK: return
func.func @other_reader(%x: tensor<1x9x10x8xf32>, %w: tensor<3x3x8x24xf32>) -> (tensor<1x24x9x10xf32>, tensor<1x9x10x24xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x9x10x8xf32>, tensor<3x3x8x24xf32>
  %2 = lathe.transpose %0 [0, 3, 1, 2] : tensor<1x9x10x24xf32>
  return %2, %0 : tensor<1x24x9x10xf32>, tensor<1x9x10x24xf32>
}
// CHECK-LABEL: @other_order(
// CHECK-COUNT-2: lathe.kernel
// CHECK: return
func.func @other_order(%x: tensor<1x9x10x8xf32>, %w: tensor<3x3x8x24xf32>) -> tensor<1x24x10x9xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x9x10x8xf32>, tensor<3x3x8x24xf32>
  %2 = lathe.transpose %0 [0, 3, 2, 1] : tensor<1x9x10x24xf32>
  return %2 : tensor<1x24x10x9xf32>
}
// CHECK-LABEL: @few(
// CHECK-COUNT-2: lathe.kernel
// CHECK: return
func.func @few(%x: tensor<1x5x6x8xf32>, %w: tensor<3x3x8x24xf32>) -> tensor<1x24x5x6xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x5x6x8xf32>, tensor<3x3x8x24xf32>
  %2 = lathe.transpose %0 [0, 3, 1, 2] : tensor<1x5x6x24xf32>
  return %2 : tensor<1x24x5x6xf32>
}
// CHECK-LABEL: @short_lines(
// CHECK-COUNT-2: lathe.kernel
// CHECK: return
func.func @short_lines(%x: tensor<1x20x3x8xf32>, %w: tensor<3x3x8x24xf32>) -> tensor<1x24x20x3xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x20x3x8xf32>, tensor<3x3x8x24xf32>
  %2 = lathe.transpose %0 [0, 3, 1, 2] : tensor<1x20x3x24xf32>
  return %2 : tensor<1x24x20x3xf32>
}
// CHECK-LABEL: @second_image(
// CHECK-COUNT-2: lathe.kernel
// CHECK: return
func.func @second_image(%x: tensor<1x9x10x8xf32>, %w: tensor<3x3x8x24xf32>, %r: tensor<1x9x10x24xf32>) -> tensor<1x24x9x10xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x9x10x8xf32>, tensor<3x3x8x24xf32>
  %1 = lathe.add %0, %r : tensor<1x9x10x24xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x9x10x24xf32>
  return %2 : tensor<1x24x9x10xf32>
}
