// RUN: lathe-opt %s --lathe-verify-schedules-gpu=target=cuda:sm_80 --split-input-file --verify-diagnostics
// Schedules that no code of a GPU obeys, or that would change the order of a sum.

func.func @none(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has no schedule for 'cuda:sm_80'; lathe-schedule-gpu chooses one}}
  %0 = lathe.kernel(%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %1 = lathe.neg %a : tensor<8xf32>
    lathe.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Warp groups are sm_90a's.
func.func @other_target(%x: tensor<256x256xf16>) -> tensor<256x256xf16> {
  // expected-error @+1 {{form 'warp_groups' has no code for the ops of this kernel}}
  %0 = lathe.kernel(%a = %x : tensor<256x256xf16>) -> tensor<256x256xf16> attributes {schedules = [#lathe.schedule<"cuda:sm_80" warp_groups {columns = 128}>]} {
    %1 = lathe.convert %a to f32 : tensor<256x256xf16>
    %2 = lathe.dot_general %1, %1 contract [1] x [0] : tensor<256x256xf32>, tensor<256x256xf32>
    %3 = lathe.convert %2 to f16 : tensor<256x256xf32>
    lathe.yield %3 : tensor<256x256xf16>
  }
  return %0 : tensor<256x256xf16>
}

// -----

func.func @tile(%x: tensor<256x256xf16>) -> tensor<256x256xf16> {
  // expected-error @+1 {{a schedule with tiles of 64 x 48 x 32 by 4 x 2 warps; expected powers of two, at least 16 rows and columns for each warp, and 16 of the depth}}
  %0 = lathe.kernel(%a = %x : tensor<256x256xf16>) -> tensor<256x256xf16> attributes {schedules = [#lathe.schedule<"cuda:sm_80" tensor_cores {columns = 48, depth = 32, parts = 1, rows = 64, stages = 4, warps_across = 2, warps_down = 4}>]} {
    %1 = lathe.convert %a to f32 : tensor<256x256xf16>
    %2 = lathe.dot_general %1, %1 contract [1] x [0] : tensor<256x256xf32>, tensor<256x256xf32>
    %3 = lathe.convert %2 to f16 : tensor<256x256xf32>
    lathe.yield %3 : tensor<256x256xf16>
  }
  return %0 : tensor<256x256xf16>
}

// -----

func.func @threads(%x: tensor<256x256xf16>) -> tensor<256x256xf16> {
  // expected-error @+1 {{a schedule with 1024 threads; expected at most 512, each of which brings 4 bytes of both operands or more}}
  %0 = lathe.kernel(%a = %x : tensor<256x256xf16>) -> tensor<256x256xf16> attributes {schedules = [#lathe.schedule<"cuda:sm_80" tensor_cores {columns = 128, depth = 32, parts = 1, rows = 128, stages = 4, warps_across = 4, warps_down = 8}>]} {
    %1 = lathe.convert %a to f32 : tensor<256x256xf16>
    %2 = lathe.dot_general %1, %1 contract [1] x [0] : tensor<256x256xf32>, tensor<256x256xf32>
    %3 = lathe.convert %2 to f16 : tensor<256x256xf32>
    lathe.yield %3 : tensor<256x256xf16>
  }
  return %0 : tensor<256x256xf16>
}

// -----

// 256 x 256 x 64 halves are 64 KB a stage, of which 163 KB hold two.
func.func @stages(%x: tensor<256x256xf16>) -> tensor<256x256xf16> {
  // expected-error @+1 {{a schedule with tiles of 256 x 256 x 64, whose stages take 65536 bytes; expected 3 stages to fit a block on 'cuda:sm_80'}}
  %0 = lathe.kernel(%a = %x : tensor<256x256xf16>) -> tensor<256x256xf16> attributes {schedules = [#lathe.schedule<"cuda:sm_80" tensor_cores {columns = 256, depth = 64, parts = 1, rows = 256, stages = 3, warps_across = 4, warps_down = 4}>]} {
    %1 = lathe.convert %a to f32 : tensor<256x256xf16>
    %2 = lathe.dot_general %1, %1 contract [1] x [0] : tensor<256x256xf32>, tensor<256x256xf32>
    %3 = lathe.convert %2 to f16 : tensor<256x256xf32>
    lathe.yield %3 : tensor<256x256xf16>
  }
  return %0 : tensor<256x256xf16>
}

// -----

// The parts of a split depth are added up one after the other.
func.func @order_of_parts(%x: tensor<128x65536xf32>, %y: tensor<65536x128xf32>) -> tensor<128x128xf32> {
  // expected-error @+1 {{a schedule with 'parts' 16; expected 32: the order of a sum depends only on types and positions}}
  %0 = lathe.kernel(%a = %x : tensor<128x65536xf32>, %b = %y : tensor<65536x128xf32>) -> tensor<128x128xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" tensor_cores {columns = 64, depth = 16, parts = 16, rows = 64, stages = 4, warps_across = 2, warps_down = 4}>]} {
    %1 = lathe.dot_general %a, %b contract [1] x [0] : tensor<128x65536xf32>, tensor<65536x128xf32>
    lathe.yield %1 : tensor<128x128xf32>
  }
  return %0 : tensor<128x128xf32>
}

// -----

func.func @order_of_pieces(%x: tensor<128x65536xf32>, %y: tensor<65536x128xf32>) -> tensor<128x128xf32> {
  // expected-error @+1 {{a schedule with 'depth' 32; expected 16: the order of a sum depends only on types and positions}}
  %0 = lathe.kernel(%a = %x : tensor<128x65536xf32>, %b = %y : tensor<65536x128xf32>) -> tensor<128x128xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" tensor_cores {columns = 64, depth = 32, parts = 32, rows = 64, stages = 4, warps_across = 2, warps_down = 4}>]} {
    %1 = lathe.dot_general %a, %b contract [1] x [0] : tensor<128x65536xf32>, tensor<65536x128xf32>
    lathe.yield %1 : tensor<128x128xf32>
  }
  return %0 : tensor<128x128xf32>
}

// -----

// Threads that share a sum each add up a part of it.
func.func @order_of_threads(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{a schedule with 'group_rows' 128; expected 256: the order of a sum depends only on types and positions}}
  %0 = lathe.kernel(%a = %x : tensor<64x4096xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" loops {group_columns = 1, group_rows = 128, lanes = 4, parts = 1, steps = 1}>]} {
    %1 = lathe.reduce sum %a dims [1] : tensor<64x4096xf32>
    lathe.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// A maximum is the same in any order, so that any number of threads may share it.
func.func @any_order(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  %0 = lathe.kernel(%a = %x : tensor<64x4096xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" loops {group_columns = 1, group_rows = 128, lanes = 4, parts = 1, steps = 8}>]} {
    %1 = lathe.reduce max %a dims [1] : tensor<64x4096xf32>
    lathe.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

func.func @group(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{a schedule with 'group_columns' 8 and 'group_rows' 8; expected 1 and 1, or for a reduction powers of two with 32 to 1024 threads, 1 or at least 32 columns}}
  %0 = lathe.kernel(%a = %x : tensor<64x4096xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" loops {group_columns = 8, group_rows = 8, lanes = 1, parts = 1, steps = 1}>]} {
    %1 = lathe.reduce max %a dims [1] : tensor<64x4096xf32>
    lathe.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// 1000 elements are 250 vectors: no whole number of steps of four for each of 128 threads.
func.func @steps(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  // expected-error @+1 {{a schedule with 'steps' 4, of which not every thread has the same number}}
  %0 = lathe.kernel(%a = %x : tensor<1000xf32>) -> tensor<1000xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" loops {group_columns = 1, group_rows = 1, lanes = 4, parts = 1, steps = 4}>]} {
    %1 = lathe.neg %a : tensor<1000xf32>
    lathe.yield %1 : tensor<1000xf32>
  }
  return %0 : tensor<1000xf32>
}

// -----

func.func @lanes(%x: tensor<1002xf32>) -> tensor<1002xf32> {
  // expected-error @+1 {{a schedule with 'lanes' 4; expected 1 or 1, the elements that come as one vector}}
  %0 = lathe.kernel(%a = %x : tensor<1002xf32>) -> tensor<1002xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" loops {group_columns = 1, group_rows = 1, lanes = 4, parts = 1, steps = 1}>]} {
    %1 = lathe.neg %a : tensor<1002xf32>
    lathe.yield %1 : tensor<1002xf32>
  }
  return %0 : tensor<1002xf32>
}

// -----

func.func @order_of_rows(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{a schedule with 'threads_per_row' 64; expected 32: the order of a sum depends only on types and positions}}
  %0 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> tensor<64x1000xf32> attributes {lathe.rows, schedules = [#lathe.schedule<"cuda:sm_80" row_passes {keep = [], keep_in = [], lanes = 4, reduce_in = [0], steps = 8, store_in = [1], threads = 64, threads_per_row = 64}>]} {
    %1 = lathe.reduce sum %a dims [1] : tensor<64x1000xf32>
    %2 = lathe.broadcast %1 dims [0] to [64, 1000] : tensor<64xf32>
    %3 = lathe.sub %a, %2 : tensor<64x1000xf32>
    lathe.yield %3 : tensor<64x1000xf32>
  }
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @block_of_rows(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{a schedule with 'threads_per_row' 64 and 'threads' 128; expected powers of two, which are equal where a row has more than a warp}}
  %0 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> tensor<64x1000xf32> attributes {lathe.rows, schedules = [#lathe.schedule<"cuda:sm_80" row_passes {keep = [], keep_in = [], lanes = 4, reduce_in = [0], steps = 0, store_in = [1], threads = 128, threads_per_row = 64}>]} {
    %1 = lathe.reduce max %a dims [1] : tensor<64x1000xf32>
    %2 = lathe.broadcast %1 dims [0] to [64, 1000] : tensor<64xf32>
    %3 = lathe.sub %a, %2 : tensor<64x1000xf32>
    lathe.yield %3 : tensor<64x1000xf32>
  }
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @order_of_scans(%x: tensor<4x1048576xf32>) -> tensor<4x1048576xf32> {
  %0 = lathe.kernel(%a = %x : tensor<4x1048576xf32>) -> tensor<4x1048576xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" scan {lines = 1, method = groups, parts = 8, threads_per_line = 256, width = 0}>]} {
    // expected-error @+1 {{a schedule with 'parts' 8; expected 66: the order of a sum depends only on types and positions}}
    %1 = lathe.cumulative sum %a dim 1 : tensor<4x1048576xf32>
    lathe.yield %1 : tensor<4x1048576xf32>
  }
  return %0 : tensor<4x1048576xf32>
}

// -----

// Integers may be divided in any way, but no warp has 64 lines in order.
func.func @scan(%x: tensor<100x1000xi32>) -> tensor<100x1000xi32> {
  %0 = lathe.kernel(%a = %x : tensor<100x1000xi32>) -> tensor<100x1000xi32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" scan {lines = 64, method = ordered, parts = 1, threads_per_line = 1, width = 32}>]} {
    // expected-error @+1 {{a schedule that has no code: 'method' ordered has other threads, lines, parts or widths}}
    %1 = lathe.cumulative sum %a dim 1 : tensor<100x1000xi32>
    lathe.yield %1 : tensor<100x1000xi32>
  }
  return %0 : tensor<100x1000xi32>
}

// -----

func.func @atomics(%t: tensor<64x64xf32>, %i: tensor<500xi32>, %u: tensor<500x64xf32>) -> tensor<64x64xf32> {
  %0 = lathe.kernel(%a = %t : tensor<64x64xf32>, %b = %i : tensor<500xi32>, %c = %u : tensor<500x64xf32>) -> tensor<64x64xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" scatter {columns = 1, method = atomics, parts = 1}>]} {
    // expected-error @+1 {{a schedule with 'method' atomics for updates whose order counts}}
    %1 = lathe.scatter add %a, %b, %c axis 0 : tensor<64x64xf32>, tensor<500xi32>, tensor<500x64xf32>
    lathe.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @cholesky(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = lathe.kernel(%a = %x : tensor<16x16xf32>) -> tensor<16x16xf32> attributes {schedules = [#lathe.schedule<"cuda:sm_80" cholesky {method = registers}>]} {
    // expected-error @+1 {{a schedule with 'method' registers: registers hold matrices of a known size up to 8}}
    %1 = lathe.cholesky %a : tensor<16x16xf32>
    lathe.yield %1 : tensor<16x16xf32>
  }
  return %0 : tensor<16x16xf32>
}
