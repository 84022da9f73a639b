// RUN: lathe-opt %s --lathe-infer-dims | FileCheck %s
// Named sizes under strides, dilations, windows, steps and pads that are sizes themselves.

// CHECK-LABEL: @conv(
func.func @conv(%x: tensor<1x?x?x4xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<3x3x4x6xf32>) -> (tensor<1x?x?x6xf32>, tensor<1x?x?x6xf32>, tensor<1x?x?x6xf32>) {
  // CHECK: lathe.conv %{{.*}} stride [2, 4] pad
  // CHECK: lathe.conv %{{.*}} input_dilation [3, 1]
  %0 = lathe.conv %x, %w stride [2, 4] pad [[1, 1], [0, 0]] : tensor<1x?x?x4xf32>, tensor<3x3x4x6xf32>
  %1 = lathe.conv %x, %w stride [2, 1] pad [[1, 0], [1, 1]] input_dilation [3, 1] : tensor<1x?x?x4xf32>, tensor<3x3x4x6xf32>
  %2 = lathe.conv %x, %w stride [1, 2] pad [[0, 0], [0, 1]] : tensor<1x?x?x4xf32>, tensor<3x3x4x6xf32>
  // CHECK: return {{.*}} : tensor<1x?x?x6xf32, #lathe.dims<ceil_div(H, 2), floor_div(W + 1, 4)>>,
  // CHECK-SAME: tensor<1x?x?x6xf32, #lathe.dims<max(H + floor_div(H, 2) - 1, 0), W>>, tensor<1x?x?x6xf32, #lathe.dims<H - 2, floor_div(W, 2)>>
  return %0, %1, %2 : tensor<1x?x?x6xf32>, tensor<1x?x?x6xf32>, tensor<1x?x?x6xf32>
}

// The gradients take sizes that follow from the same geometry.
// CHECK-LABEL: @gradients(
func.func @gradients(%x: tensor<1x?x8x4xf32> {lathe.dims = #lathe.dims<H>}, %y: tensor<1x?x4x6xf32> {lathe.dims = #lathe.dims<ceil_div(H, 2)>}, %w: tensor<3x3x4x6xf32>) -> (tensor<1x?x8x4xf32>, tensor<3x3x4x6xf32>) {
  %0 = lathe.conv_input_grad %y, %w input [H, 8] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x?x4x6xf32>, tensor<3x3x4x6xf32>
  %1 = lathe.conv_filter_grad %x, %y filter [3, 3] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<1x?x8x4xf32>, tensor<1x?x4x6xf32>
  // CHECK: return {{.*}} : tensor<1x?x8x4xf32, #lathe.dims<H>>, tensor<3x3x4x6xf32>
  return %0, %1 : tensor<1x?x8x4xf32>, tensor<3x3x4x6xf32>
}

// CHECK-LABEL: @windows(
func.func @windows(%x: tensor<?x6xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x6xf32>, tensor<?x6xi32>, tensor<?x6xf32>) {
  %0 = lathe.reduce_window max %x window [3, 1] stride [2, 1] pad [[1, 0], [0, 0]] : tensor<?x6xf32>
  %1 = lathe.window_index max %x window [2, 1] base_dilation [2, 1] : tensor<?x6xf32>
  %2 = lathe.window_gather %x, %1 window [2, 1] base_dilation [2, 1] : tensor<?x6xf32>, tensor<?x6xi32>
  // CHECK: return {{.*}} : tensor<?x6xf32, #lathe.dims<floor_div(N, 2)>>, tensor<?x6xi32, #lathe.dims<max(2 * N - 1, 0) - 1>>, tensor<?x6xf32, #lathe.dims<max(2 * N - 1, 0) - 1>>
  return %0, %1, %2 : tensor<?x6xf32>, tensor<?x6xi32>, tensor<?x6xf32>
}

// CHECK-LABEL: @places(
func.func @places(%x: tensor<?x6xf32> {lathe.dims = #lathe.dims<N>}, %zero: tensor<f32>) -> (tensor<?x3xf32>, tensor<?x6xf32>, tensor<?x6xf32>) {
  // CHECK: lathe.slice %arg0 from [1, 0] to [N, 6] step [3, 2]
  %0 = lathe.slice %x from [1, 0] to [N, 6] step [3, 2] : tensor<?x6xf32>
  // CHECK: lathe.slice %arg0 from [floor_div(N, 2), 0] to [N, 6]
  %1 = lathe.slice %x from [floor_div(N, 2), 0] to [N, 6] : tensor<?x6xf32>
  // CHECK: lathe.pad %arg0, %arg1 low [0, 0] high [-1 * N + 8 * ceil_div(N, 8), 0]
  %2 = lathe.pad %x, %zero low [0, 0] high [8 * ceil_div(N, 8) -1 * N, 0] : tensor<?x6xf32>, tensor<f32>
  // CHECK: return {{.*}} : tensor<?x3xf32, #lathe.dims<floor_div(N + 1, 3)>>, tensor<?x6xf32, #lathe.dims<ceil_div(N, 2)>>, tensor<?x6xf32, #lathe.dims<8 * ceil_div(N, 8)>>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<?x6xf32>, tensor<?x6xf32>
}

// A skip connection: the sizes are equal where H is even, and the sum is of H rows.
// CHECK-LABEL: @skip(
func.func @skip(%x: tensor<?xf32> {lathe.dims = #lathe.dims<H>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<2 * floor_div(H, 2)>}) -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: %[[CHECKED:.*]] = lathe.reshape %arg1 checked each to [H] {lathe.needed_by = "lathe.add"} : tensor<?xf32, #lathe.dims<2 * floor_div(H, 2)>>
  // CHECK: lathe.add %arg0, %[[CHECKED]] : tensor<?xf32, #lathe.dims<H>>
  %0 = lathe.add %x, %y : tensor<?xf32>
  // CHECK: %[[PAIRS:.*]] = lathe.reshape %arg0 checked to [floor_div(H, 2), 2] : tensor<?xf32, #lathe.dims<H>>
  %1 = lathe.reshape %x checked to [floor_div(H, 2), 2] : tensor<?xf32>
  %2 = lathe.reduce sum %1 dims [1] : tensor<?x2xf32>
  return %0, %2 : tensor<?xf32>, tensor<?xf32>
}
