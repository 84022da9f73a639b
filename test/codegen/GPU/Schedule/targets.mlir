// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=cuda:sm_80 -o - | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=cuda:sm_86 -o - | FileCheck %s --check-prefixes=CHECK,SM86
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=cuda:sm_90a -o - | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=cuda:sm_90a --math=fast -o - | FileCheck %s --check-prefix=FAST
// The choices of the cost models for several architectures, on any machine: sm_80 has 164 KB of shared memory for the blocks of a
// multiprocessor, sm_86 has 100 KB, and sm_90a has warp groups beside 228 KB.

// Large products of halves: tiles of 128 x 128 by four warps, or by the two warp groups of sm_90a that multiply.
// CHECK-LABEL: func.func @halves
// SM80: #lathe.schedule<"cuda:sm_80" tensor_cores {columns = 128, depth = 32, parts = 1, rows = 128, stages = 4, warps_across = 2, warps_down = 2}>
// SM86: #lathe.schedule<"cuda:sm_86" tensor_cores {columns = 128, depth = 32, parts = 1, rows = 128, stages = 3, warps_across = 2, warps_down = 2}>
// SM90: #lathe.schedule<"cuda:sm_90a" warp_groups {columns = 256, depth_box = [64], grid_columns = 128, grid_rows = 128, left_box = [128], parts = 1, right_box = [256], stages = 4}>
func.func @halves(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<4096x4096xbf16>, tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}

// A product of f32 as three of tf32: its words are twice as many, so that tiles are narrower; with --math=fast they are not.
// CHECK-LABEL: func.func @singles
// SM80: tensor_cores {columns = 64, depth = 16, parts = 1, rows = 128, stages = 4, warps_across = 2, warps_down = 2}
// SM86: tensor_cores {columns = 64, depth = 16, parts = 1, rows = 128, stages = 4, warps_across = 2, warps_down = 2}
// SM90: warp_groups {columns = 128,
// FAST-LABEL: func.func @singles
// FAST: warp_groups {columns = 256,
func.func @singles(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<4096x4096xf32>, tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// Four tiles and a long depth: 32 blocks share each.
// CHECK-LABEL: func.func @deep
// SM80: tensor_cores {columns = 64, depth = 16, parts = 32, rows = 64,
// SM86: tensor_cores {columns = 64, depth = 16, parts = 32, rows = 64,
// SM90: warp_groups {{.*}}, grid_columns = 64, grid_rows = 64, {{.*}}parts = 32,
func.func @deep(%x: tensor<128x65536xf32>, %w: tensor<65536x128xf32>) -> tensor<128x128xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<128x65536xf32>, tensor<65536x128xf32>
  return %0 : tensor<128x128xf32>
}

// Two lines of 64 points are a tile of 128 rows on sm_90a; a piece of the depth has 64 channels of one tap.
// CHECK-LABEL: func.func @image
// SM80: tensor_cores
// SM90: warp_groups {{.*}}depth_box = [1, 1, 64], {{.*}}left_box = [1, 2, 64]
func.func @image(%x: tensor<32x64x64x128xf16>, %w: tensor<3x3x128x256xf16>) -> tensor<32x64x64x256xf16> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<32x64x64x128xf16>, tensor<3x3x128x256xf16>
  return %0 : tensor<32x64x64x256xf16>
}

// A row of 1000 is 250 vectors of four elements: eight for each thread of a warp. A row of 16 is four threads' vectors.
// CHECK-LABEL: func.func @rows
// CHECK: #lathe.schedule<"cuda:{{[a-z0-9_]+}}" row_passes {keep = [], keep_in = [], lanes = 4, reduce_in = [0, 1], steps = 8, store_in = [2], threads = 128, threads_per_row = 32}>
// CHECK: #lathe.schedule<"cuda:{{[a-z0-9_]+}}" row_passes {keep = [], keep_in = [], lanes = 4, reduce_in = [0, 1], steps = 1, store_in = [2], threads = 128, threads_per_row = 4}>
func.func @rows(%x: tensor<4096x1000xf32>, %y: tensor<4096x16xf32>) -> (tensor<4096x1000xf32>, tensor<4096x16xf32>) {
  %0 = lathe.std.softmax %x dim 1 : tensor<4096x1000xf32>
  %1 = lathe.std.softmax %y dim 1 : tensor<4096x16xf32>
  return %0, %1 : tensor<4096x1000xf32>, tensor<4096x16xf32>
}

// A sum along contiguous elements is shared by the threads of a block, one over rows by 8 threads of each of 32 columns.
// CHECK-LABEL: func.func @sums
// CHECK: loops {group_columns = 1, group_rows = 256, lanes = 4, parts = 1, steps = 4}
// CHECK: loops {group_columns = 32, group_rows = 8, lanes = 1, parts = {{[0-9]+}}, steps = {{[0-9]+}}}
func.func @sums(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %0 = lathe.reduce sum %x dims [1] : tensor<4096x4096xf32>
  %1 = lathe.reduce sum %y dims [0] : tensor<4096x4096xf32>
  return %0, %1 : tensor<4096xf32>, tensor<4096xf32>
}

// CHECK-LABEL: func.func @points
// CHECK: loops {group_columns = 1, group_rows = 1, lanes = 4, parts = 1, steps = 4}
// CHECK: transposed_tiles>
func.func @points(%x: tensor<4096x4096xf32>) -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  %0 = lathe.tanh %x : tensor<4096x4096xf32>
  %1 = lathe.transpose %x [1, 0] : tensor<4096x4096xf32>
  %2 = lathe.exp %1 : tensor<4096x4096xf32>
  return %0, %2 : tensor<4096x4096xf32>, tensor<4096x4096xf32>
}

// Sums of floats that go along a few long lines are divided among blocks, products are not; integers are scattered by atomics.
// CHECK-LABEL: func.func @lines
// CHECK: scan {lines = 1, method = groups, parts = 66, threads_per_line = 256, width = 0}
// CHECK: scan {lines = 1, method = ordered, parts = 1, threads_per_line = 1, width = 1024}
// CHECK: scatter {columns = 1, method = atomics, parts = 1}
// CHECK: scatter {columns = 64, method = owners, parts = 64}
// CHECK: sort>
// CHECK: cholesky {method = registers}
// CHECK: cholesky {method = tiles}
func.func @lines(%x: tensor<4x1048576xf32>, %t: tensor<1000x64xi32>, %u: tensor<5000x64xi32>, %i: tensor<5000xi32>,
                 %a: tensor<64x64xf32>, %b: tensor<5000x64xf32>, %m: tensor<100x8x8xf32>, %n: tensor<100x64x64xf32>)
    -> (tensor<4x1048576xf32>, tensor<4x1048576xf32>, tensor<1000x64xi32>, tensor<64x64xf32>, tensor<4x1048576xf32>,
        tensor<100x8x8xf32>, tensor<100x64x64xf32>) {
  %0 = lathe.cumulative sum %x dim 1 : tensor<4x1048576xf32>
  %1 = lathe.cumulative product %x dim 1 : tensor<4x1048576xf32>
  %2 = lathe.scatter add %t, %i, %u axis 0 : tensor<1000x64xi32>, tensor<5000xi32>, tensor<5000x64xi32>
  %3 = lathe.scatter add %a, %i, %b axis 0 : tensor<64x64xf32>, tensor<5000xi32>, tensor<5000x64xf32>
  %4 = lathe.sort %x dim 1 : tensor<4x1048576xf32>
  %5 = lathe.cholesky %m : tensor<100x8x8xf32>
  %6 = lathe.cholesky %n : tensor<100x64x64xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4x1048576xf32>, tensor<4x1048576xf32>, tensor<1000x64xi32>, tensor<64x64xf32>,
      tensor<4x1048576xf32>, tensor<100x8x8xf32>, tensor<100x64x64xf32>
}
