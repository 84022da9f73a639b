// RUN: lathe-opt %s --lathe-verify-schedules-gpu=target=cuda:sm_90a --split-input-file --verify-diagnostics
// Schedules for warp groups that no code obeys.

func.func @right(%x: tensor<256x256xf16>) -> tensor<256x256xf16> {
  %0 = lathe.kernel(%a = %x : tensor<256x256xf16>) -> tensor<256x256xf16> attributes {schedules = [#lathe.schedule<"cuda:sm_90a" warp_groups {columns = 128, depth_box = [64], grid_columns = 64, grid_rows = 64, left_box = [128], parts = 1, right_box = [128], stages = 3}>]} {
    %1 = lathe.convert %a to f32 : tensor<256x256xf16>
    %2 = lathe.dot_general %1, %1 contract [1] x [0] : tensor<256x256xf32>, tensor<256x256xf32>
    %3 = lathe.convert %2 to f16 : tensor<256x256xf32>
    lathe.yield %3 : tensor<256x256xf16>
  }
  return %0 : tensor<256x256xf16>
}

// -----

func.func @columns(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  // expected-error @+1 {{a schedule with 'columns' 256; expected a power of two up to 128}}
  %0 = lathe.kernel(%a = %x : tensor<256x256xf32>) -> tensor<256x256xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_90a" warp_groups {columns = 256, depth_box = [32], grid_columns = 64, grid_rows = 64, left_box = [128], parts = 1, right_box = [256], stages = 2}>]} {
    %1 = lathe.dot_general %a, %a contract [1] x [0] : tensor<256x256xf32>, tensor<256x256xf32>
    lathe.yield %1 : tensor<256x256xf32>
  }
  return %0 : tensor<256x256xf32>
}

// -----

func.func @boxes(%x: tensor<256x256xf16>) -> tensor<256x256xf16> {
  // expected-error @+1 {{a schedule with boxes that TMA cannot copy, or that do not make up tiles of 128 and 64; expected powers of two with these products}}
  %0 = lathe.kernel(%a = %x : tensor<256x256xf16>) -> tensor<256x256xf16> attributes {schedules = [#lathe.schedule<"cuda:sm_90a" warp_groups {columns = 64, depth_box = [64], grid_columns = 64, grid_rows = 64, left_box = [128], parts = 1, right_box = [128], stages = 3}>]} {
    %1 = lathe.convert %a to f32 : tensor<256x256xf16>
    %2 = lathe.dot_general %1, %1 contract [1] x [0] : tensor<256x256xf32>, tensor<256x256xf32>
    %3 = lathe.convert %2 to f16 : tensor<256x256xf32>
    lathe.yield %3 : tensor<256x256xf16>
  }
  return %0 : tensor<256x256xf16>
}

// -----

// A stage of 128 x 64 and 256 x 64 halves is 48 KB, of which a block's memory holds four.
func.func @stages(%x: tensor<256x256xf16>) -> tensor<256x256xf16> {
  // expected-error @+1 {{a schedule with 'stages' 5; expected at most 4, which fit shared memory}}
  %0 = lathe.kernel(%a = %x : tensor<256x256xf16>) -> tensor<256x256xf16> attributes {schedules = [#lathe.schedule<"cuda:sm_90a" warp_groups {columns = 256, depth_box = [64], grid_columns = 64, grid_rows = 64, left_box = [128], parts = 1, right_box = [256], stages = 5}>]} {
    %1 = lathe.convert %a to f32 : tensor<256x256xf16>
    %2 = lathe.dot_general %1, %1 contract [1] x [0] : tensor<256x256xf32>, tensor<256x256xf32>
    %3 = lathe.convert %2 to f16 : tensor<256x256xf32>
    lathe.yield %3 : tensor<256x256xf16>
  }
  return %0 : tensor<256x256xf16>
}

// -----

// The order of an image's sum is that of its boxes.
func.func @order_of_boxes(%x: tensor<32x64x64x128xf16>, %w: tensor<3x3x128x256xf16>) -> tensor<32x64x64x256xf16> {
  // expected-error @+1 {{a schedule with 'depth_box' [1, 2, 32]; expected [1, 1, 64]: the order of a sum depends only on types and positions}}
  %0 = lathe.kernel(%a = %x : tensor<32x64x64x128xf16>, %b = %w : tensor<3x3x128x256xf16>) -> tensor<32x64x64x256xf16> attributes {schedules = [#lathe.schedule<"cuda:sm_90a" warp_groups {columns = 256, depth_box = [1, 2, 32], grid_columns = 128, grid_rows = 128, left_box = [1, 2, 64], parts = 1, right_box = [256], stages = 4}>]} {
    %1 = lathe.convert %a to f32 : tensor<32x64x64x128xf16>
    %2 = lathe.convert %b to f32 : tensor<3x3x128x256xf16>
    %3 = lathe.conv %1, %2 stride [1, 1] pad [[1, 1], [1, 1]] : tensor<32x64x64x128xf32>, tensor<3x3x128x256xf32>
    %4 = lathe.convert %3 to f16 : tensor<32x64x64x256xf32>
    lathe.yield %4 : tensor<32x64x64x256xf16>
  }
  return %0 : tensor<32x64x64x256xf16>
}
