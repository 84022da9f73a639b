// RUN: lathe-opt %s --split-input-file --verify-diagnostics --lathe-verify-schedules-cpu=target=x86-64-v3
// Schedules that no code obeys, or that would change the order of a sum.

func.func @missing(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has no schedule for 'x86-64-v3'; lathe-schedule-cpu chooses one}}
  %0 = lathe.kernel(%a = %x : tensor<8xf32>) -> tensor<8xf32> {
    %1 = lathe.neg %a : tensor<8xf32>
    lathe.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @unknown_form(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{kernels for a CPU have no form 'fourier'; their forms are row_passes, items, concatenation, transpose, scatter, update_slice, sort, scan, triangular_solve, cholesky, byte_product, amx_product, bf16_product, winograd, winograd_gradient, depthwise_lines, depthwise_planes, convolution, open_convolution, depthwise_filter_gradient, filter_gradient, strips, contraction, column_reduction, loops}}
  %0 = lathe.kernel(%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" fourier>]} {
    %1 = lathe.neg %a : tensor<8xf32>
    lathe.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @wrong_form(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{form 'contraction' has no code for the ops of this kernel}}
  %0 = lathe.kernel(%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" contraction {block_depth = 0, block_tiles = 1, lanes = 8, packs_lhs = false, rows = 6, vectors = 2}>]} {
    %1 = lathe.neg %a : tensor<8xf32>
    lathe.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @parameters(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+4 {{schedule of form 'loops' for 'x86-64-v3': parameter 'steps' is missing; expected an integer from 1 to 8}}
  // expected-error @+3 {{schedule of form 'loops' for 'x86-64-v3': parameter 'lanes' is "wide"; expected an integer from 1 to 64}}
  // expected-error @+2 {{schedule of form 'loops' for 'x86-64-v3': parameter 'vectors' is 9 : i64; expected an integer from 1 to 8}}
  // expected-error @+1 {{schedule of form 'loops' for 'x86-64-v3' has no parameter 'tile'; its parameters are vector_loop, lanes, vectors, steps, piece, fetch, row_loop, rows, parts, keep}}
  %0 = lathe.kernel(%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = wide, parts = -1, piece = 4096, row_loop = -1, rows = 1, tile = 3, vector_loop = 0, vectors = 9}>]} {
    %1 = lathe.neg %a : tensor<8xf32>
    lathe.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @items(%x: tensor<64x2xf32>) -> tensor<64x2xf32> {
  // expected-error @+1 {{a schedule with 'lanes' 6; expected a power of two}}
  %0 = lathe.kernel(%a = %x : tensor<64x2xf32>) -> tensor<64x2xf32> attributes {lathe.items, schedules = [#lathe.schedule<"x86-64-v3" items {lanes = 6}>]} {
    %1 = lathe.neg %a : tensor<64x2xf32>
    lathe.yield %1 : tensor<64x2xf32>
  }
  return %0 : tensor<64x2xf32>
}

// -----

func.func @tile(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{a tile of 12 rows leaves rows that no smaller tile has; expected a power of two, 6, or a divisor of the number of rows, 64}}
  %0 = lathe.kernel(%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" contraction {block_depth = 0, block_tiles = 1, lanes = 8, packs_lhs = false, rows = 12, vectors = 1}>]} {
    %1 = lathe.dot_general %a, %a contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
    lathe.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @tiles_that_wait_for_other_chains(%x: tensor<1x40x40x8xf32>, %w: tensor<17x16x1x8xf32>) -> tensor<1x24x25x8xf32> {
  // expected-error @+1 {{a schedule with 'pixels_at_once' 0; expected whole tiles, since sums of named extents or of several chains wait on the stack}}
  %0 = lathe.kernel(%a = %x : tensor<1x40x40x8xf32>, %b = %w : tensor<17x16x1x8xf32>) -> tensor<1x24x25x8xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" depthwise_lines {lanes = 8, pixels_at_once = 0, rows = 5, shares_inputs = false, vectors = 1}>]} {
    %1 = lathe.conv %a, %b stride [1, 1] pad [[0, 0], [0, 0]] groups 8 : tensor<1x40x40x8xf32>, tensor<17x16x1x8xf32>
    lathe.yield %1 : tensor<1x24x25x8xf32>
  }
  return %0 : tensor<1x24x25x8xf32>
}

// -----

func.func @no_blocks_to_copy_for(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{a schedule with 'packs_lhs'; expected blocks of the right operand for several tiles, one matrix, and a left operand whose rows are adjacent, at known distances from one product to the next}}
  %0 = lathe.kernel(%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" contraction {block_depth = 0, block_tiles = 1, lanes = 8, packs_lhs = true, rows = 4, vectors = 1}>]} {
    %1 = lathe.dot_general %a, %a contract [0] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
    lathe.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @rows_that_are_not_adjacent(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{a schedule with 'packs_lhs'; expected blocks of the right operand for several tiles, one matrix, and a left operand whose rows are adjacent, at known distances from one product to the next}}
  %0 = lathe.kernel(%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" contraction {block_depth = 16, block_tiles = 8, lanes = 8, packs_lhs = true, rows = 4, vectors = 1}>]} {
    %1 = lathe.dot_general %a, %a contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
    lathe.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

func.func @lanes(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @+1 {{a tile of 16 lanes does not fit vectors of 'x86-64-v3'; expected a power of two up to 8}}
  %0 = lathe.kernel(%a = %x : tensor<64x64xf32>) -> tensor<64x64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" contraction {block_depth = 0, block_tiles = 1, lanes = 16, packs_lhs = false, rows = 4, vectors = 1}>]} {
    %1 = lathe.dot_general %a, %a contract [1] x [0] : tensor<64x64xf32>, tensor<64x64xf32>
    lathe.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// Lanes of a sum: four registers of its element.
func.func @order_of_lanes(%x: tensor<64x1000xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{a schedule that adds up rows of 1000 elements in 16 lanes; expected 32 for sums of 32 bits on 'x86-64-v3': the order of a sum depends only on types and positions}}
  %0 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 1, vectors = 2}>]} {
    %1 = lathe.reduce sum %a dims [1] : tensor<64x1000xf32>
    lathe.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// Along rows where lanes are to go along the sum.
func.func @order_of_loops(%x: tensor<64x1000xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{a schedule with 'vector_loop' 0 for a sum that goes along loop 1: the order of a sum depends only on types and positions}}
  %0 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 0, vectors = 4}>]} {
    %1 = lathe.reduce sum %a dims [1] : tensor<64x1000xf32>
    lathe.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

func.func @order_of_columns(%x: tensor<1000x64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{a schedule with 'vector_loop' 1 for a sum that does not go along lanes: the order of a sum depends only on types and positions}}
  %0 = lathe.kernel(%a = %x : tensor<1000x64xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.reduce sum %a dims [0] : tensor<1000x64xf32>
    lathe.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// A maximum is the same in any order, so its loops may be any.
func.func @any_order(%x: tensor<64x1000xf32>) -> tensor<64xf32> {
  %0 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 4, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 0, vectors = 2}>]} {
    %1 = lathe.reduce max %a dims [1] : tensor<64x1000xf32>
    lathe.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// Rows with several passes follow the same rule, pass by pass.
func.func @order_of_rows(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{a schedule that adds up rows of 1000 elements in 8 lanes; expected 32 for sums of 32 bits on 'x86-64-v3'}}
  %0 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> tensor<64x1000xf32> attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = false, in_turn = false, keep = [], keep_in = [], reduce_in = [0], rows = 1, store_in = [1], vectors = [1, 4]}>]} {
    %1 = lathe.reduce sum %a dims [1] : tensor<64x1000xf32>
    %2 = lathe.broadcast %1 dims [0] to [64, 1000] : tensor<64xf32>
    %3 = lathe.sub %a, %2 : tensor<64x1000xf32>
    lathe.yield %3 : tensor<64x1000xf32>
  }
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @too_long_for_registers(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{a schedule with 'in_registers' for rows of 1000 elements, which the registers of 'x86-64-v3' do not hold}}
  %0 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> tensor<64x1000xf32> attributes {lathe.rows, schedules = [#lathe.schedule<"x86-64-v3" row_passes {in_registers = true, in_turn = false, keep = [], keep_in = [], reduce_in = [0], rows = 1, store_in = [1], vectors = [4, 4]}>]} {
    %1 = lathe.reduce sum %a dims [1] : tensor<64x1000xf32>
    %2 = lathe.broadcast %1 dims [0] to [64, 1000] : tensor<64xf32>
    %3 = lathe.sub %a, %2 : tensor<64x1000xf32>
    lathe.yield %3 : tensor<64x1000xf32>
  }
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @network(%x: tensor<?xf32, #lathe.dims<N>>) -> tensor<?xf32, #lathe.dims<N>> {
  %0:2 = lathe.kernel(%a = %x : tensor<?xf32, #lathe.dims<N>>) -> (tensor<?xf32, #lathe.dims<N>>, tensor<?xi64, #lathe.dims<2 * N>>) attributes {schedules = [#lathe.schedule<"x86-64-v3" sort {digit_bits = 8, method = network}>]} {
    // expected-error @+1 {{a schedule with 'method' network: a network sorts contiguous lines of a known length up to 32768, keys of 32 or 64 bits}}
    %1 = lathe.sort %a dim 0 : tensor<?xf32, #lathe.dims<N>>
    %2 = lathe.scratch : tensor<?xi64, #lathe.dims<2 * N>>
    lathe.yield %1, %2 : tensor<?xf32, #lathe.dims<N>>, tensor<?xi64, #lathe.dims<2 * N>>
  }
  return %0#0 : tensor<?xf32, #lathe.dims<N>>
}

// -----

func.func @column_loop(%x: tensor<100x100xf32>) -> tensor<100xf32> {
  // expected-error @+1 {{a schedule with 'column_loop' 1; the kernel has 1 parallel loops}}
  %0 = lathe.kernel(%a = %x : tensor<100x100xf32>) -> tensor<100xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" column_reduction {column_loop = 1, columns = 128, fetch = 0, lanes = 8, piece = 256, terms = 4, vectors = 4}>]} {
    %1 = lathe.reduce sum %a dims [0] : tensor<100x100xf32>
    lathe.yield %1 : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}

// -----

func.func @column_lanes(%x: tensor<100x100xf32>) -> tensor<100xf32> {
  // expected-error @+1 {{a schedule with 'lanes' 8 and 'vectors' 3; expected powers of two}}
  %0 = lathe.kernel(%a = %x : tensor<100x100xf32>) -> tensor<100xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" column_reduction {column_loop = 0, columns = 120, fetch = 0, lanes = 8, piece = 256, terms = 4, vectors = 3}>]} {
    %1 = lathe.reduce sum %a dims [0] : tensor<100x100xf32>
    lathe.yield %1 : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}

// -----

// Two accumulators and one sum of groups of 4 bytes for each column: 196,608 bytes hold 16,384 columns.
func.func @column_block(%x: tensor<100x100xf32>) -> tensor<100xf32> {
  // expected-error @+1 {{a schedule with 'columns' 100; expected a multiple of 32, and at most 16384, whose sums a thread's stack holds}}
  %0 = lathe.kernel(%a = %x : tensor<100x100xf32>) -> tensor<100xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" column_reduction {column_loop = 0, columns = 100, fetch = 0, lanes = 8, piece = 256, terms = 4, vectors = 4}>]} {
    %1 = lathe.reduce sum %a dims [0] : tensor<100x100xf32>
    lathe.yield %1 : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}

// -----

// A sum along contiguous terms has lanes along them.
func.func @not_columns(%x: tensor<100x100xf32>) -> tensor<100xf32> {
  // expected-error @+1 {{form 'column_reduction' has no code for the ops of this kernel}}
  %0 = lathe.kernel(%a = %x : tensor<100x100xf32>) -> tensor<100xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" column_reduction {column_loop = 0, columns = 128, fetch = 0, lanes = 8, piece = 256, terms = 4, vectors = 4}>]} {
    %1 = lathe.reduce sum %a dims [1] : tensor<100x100xf32>
    lathe.yield %1 : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}

// -----

func.func @bytes(%x: tensor<9x64xui8>, %w: tensor<64x48xi8>) -> tensor<9x48xi32> {
  // expected-error @+1 {{a tile of 24 columns is neither a part nor a multiple of the panels of 16 in which bytes are stored}}
  %0 = lathe.kernel(%a = %x : tensor<9x64xui8>, %b = %w : tensor<64x48xi8>) -> tensor<9x48xi32> attributes {schedules = [#lathe.schedule<"x86-64-v3" byte_product {block_rows = 9, lanes = 8, method = "pairs", rows = 2, vectors = 3}>]} {
    %1 = lathe.convert %a to i32 : tensor<9x64xui8>
    %2 = lathe.convert %b to i32 : tensor<64x48xi8>
    %3 = lathe.dot_general %1, %2 contract [1] x [0] : tensor<9x64xi32>, tensor<64x48xi32>
    lathe.yield %3 : tensor<9x48xi32>
  }
  return %0 : tensor<9x48xi32>
}

// -----

func.func @byte_lanes(%x: tensor<9x64xui8>, %w: tensor<64x48xi8>) -> tensor<9x48xi32> {
  // expected-error @+1 {{a tile of 2 lanes has no instructions for bytes; expected 4 to 16}}
  %0 = lathe.kernel(%a = %x : tensor<9x64xui8>, %b = %w : tensor<64x48xi8>) -> tensor<9x48xi32> attributes {schedules = [#lathe.schedule<"x86-64-v3" byte_product {block_rows = 9, lanes = 2, method = "pairs", rows = 2, vectors = 1}>]} {
    %1 = lathe.convert %a to i32 : tensor<9x64xui8>
    %2 = lathe.convert %b to i32 : tensor<64x48xi8>
    %3 = lathe.dot_general %1, %2 contract [1] x [0] : tensor<9x64xi32>, tensor<64x48xi32>
    lathe.yield %3 : tensor<9x48xi32>
  }
  return %0 : tensor<9x48xi32>
}

// -----

func.func @byte_dots(%x: tensor<9x64xui8>, %w: tensor<64x48xi8>) -> tensor<9x48xi32> {
  // expected-error @+1 {{'x86-64-v3' has no dot products of bytes; expected 'method' pairs or mixed}}
  %0 = lathe.kernel(%a = %x : tensor<9x64xui8>, %b = %w : tensor<64x48xi8>) -> tensor<9x48xi32> attributes {schedules = [#lathe.schedule<"x86-64-v3" byte_product {block_rows = 9, lanes = 8, method = "dots", rows = 2, vectors = 1}>]} {
    %1 = lathe.convert %a to i32 : tensor<9x64xui8>
    %2 = lathe.convert %b to i32 : tensor<64x48xi8>
    %3 = lathe.dot_general %1, %2 contract [1] x [0] : tensor<9x64xi32>, tensor<64x48xi32>
    lathe.yield %3 : tensor<9x48xi32>
  }
  return %0 : tensor<9x48xi32>
}

// -----

func.func @byte_stack(%x: tensor<900x5000xui8>, %w: tensor<5000x48xi8>) -> tensor<900x48xi32> {
  // expected-error @+1 {{a schedule with 'block_rows' 64 takes 723008 bytes of a thread's stack; expected at most 262144}}
  %0 = lathe.kernel(%a = %x : tensor<900x5000xui8>, %b = %w : tensor<5000x48xi8>) -> tensor<900x48xi32> attributes {schedules = [#lathe.schedule<"x86-64-v3" byte_product {block_rows = 64, lanes = 8, method = "pairs", rows = 6, vectors = 1}>]} {
    %1 = lathe.convert %a to i32 : tensor<900x5000xui8>
    %2 = lathe.convert %b to i32 : tensor<5000x48xi8>
    %3 = lathe.dot_general %1, %2 contract [1] x [0] : tensor<900x5000xi32>, tensor<5000x48xi32>
    lathe.yield %3 : tensor<900x48xi32>
  }
  return %0 : tensor<900x48xi32>
}

// -----

func.func @byte_words(%x: tensor<9x64xui8>, %w: tensor<64x48xi8>) -> tensor<9x48xi32> {
  // expected-error @+1 {{'method' mixed needs a constant in panels and a tile of whole vectors of 32 bytes or more on x86-64}}
  %0 = lathe.kernel(%a = %x : tensor<9x64xui8>, %b = %w : tensor<64x48xi8>) -> tensor<9x48xi32> attributes {schedules = [#lathe.schedule<"x86-64-v3" byte_product {block_rows = 9, lanes = 8, method = "mixed", rows = 2, vectors = 1}>]} {
    %1 = lathe.convert %a to i32 : tensor<9x64xui8>
    %2 = lathe.convert %b to i32 : tensor<64x48xi8>
    %3 = lathe.dot_general %1, %2 contract [1] x [0] : tensor<9x64xi32>, tensor<64x48xi32>
    lathe.yield %3 : tensor<9x48xi32>
  }
  return %0 : tensor<9x48xi32>
}

// -----

func.func @byte_table(%x: tensor<9x64xui8>) -> tensor<9x48xi32> {
  %w = lathe.constant dense<1> : tensor<64x48xi8>
  // expected-error @+1 {{'method' mixed reads the table of one panel; expected a tile of up to 16 columns}}
  %0 = lathe.kernel(%a = %x : tensor<9x64xui8>, %b = %w : tensor<64x48xi8>) -> tensor<9x48xi32> attributes {lathe.panels = array<i64: 0, 16>, schedules = [#lathe.schedule<"x86-64-v3" byte_product {block_rows = 9, lanes = 8, method = "mixed", rows = 2, vectors = 4}>]} {
    %1 = lathe.convert %a to i32 : tensor<9x64xui8>
    %2 = lathe.convert %b to i32 : tensor<64x48xi8>
    %3 = lathe.dot_general %1, %2 contract [1] x [0] : tensor<9x64xi32>, tensor<64x48xi32>
    lathe.yield %3 : tensor<9x48xi32>
  }
  return %0 : tensor<9x48xi32>
}

// -----

func.func @byte_panels(%x: tensor<9x64xui8>, %w: tensor<64x48xi8>) -> tensor<9x48xi32> {
  // expected-error @+1 {{operand 1 is in panels, but it is not a constant}}
  %0 = lathe.kernel(%a = %x : tensor<9x64xui8>, %b = %w : tensor<64x48xi8>) -> tensor<9x48xi32> attributes {lathe.panels = array<i64: 0, 16>, schedules = [#lathe.schedule<"x86-64-v3" byte_product {block_rows = 9, lanes = 8, method = "mixed", rows = 2, vectors = 1}>]} {
    %1 = lathe.convert %a to i32 : tensor<9x64xui8>
    %2 = lathe.convert %b to i32 : tensor<64x48xi8>
    %3 = lathe.dot_general %1, %2 contract [1] x [0] : tensor<9x64xi32>, tensor<64x48xi32>
    lathe.yield %3 : tensor<9x48xi32>
  }
  return %0 : tensor<9x48xi32>
}

// -----

func.func @winograd_filters(%x: tensor<1x12x12x32xf32>, %w: tensor<3x3x32x32xf32>) -> tensor<1x12x12x32xf32> {
  // expected-error @+1 {{a schedule with 'filters' 24; expected a divisor of the 32 filters and a multiple of the tile's 16 columns}}
  %0 = lathe.kernel(%a = %x : tensor<1x12x12x32xf32>, %b = %w : tensor<3x3x32x32xf32>) -> tensor<1x12x12x32xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" winograd {channels = 32, filters = 24, product_lanes = 8, product_rows = 6, product_vectors = 2, squares = 9}>]} {
    %1 = lathe.conv %a, %b stride [1, 1] pad [[1, 1], [1, 1]] {lathe.winograd = 4} : tensor<1x12x12x32xf32>, tensor<3x3x32x32xf32>
    lathe.yield %1 : tensor<1x12x12x32xf32>
  }
  return %0 : tensor<1x12x12x32xf32>
}

// -----

func.func @winograd_channels(%x: tensor<1x12x12x32xf32>, %w: tensor<3x3x32x32xf32>) -> tensor<1x12x12x32xf32> {
  // expected-error @+1 {{a schedule with 'channels' 12 for 32 channels; expected multiples of the tile's 8 lanes}}
  %0 = lathe.kernel(%a = %x : tensor<1x12x12x32xf32>, %b = %w : tensor<3x3x32x32xf32>) -> tensor<1x12x12x32xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" winograd {channels = 12, filters = 32, product_lanes = 8, product_rows = 6, product_vectors = 2, squares = 9}>]} {
    %1 = lathe.conv %a, %b stride [1, 1] pad [[1, 1], [1, 1]] {lathe.winograd = 4} : tensor<1x12x12x32xf32>, tensor<3x3x32x32xf32>
    lathe.yield %1 : tensor<1x12x12x32xf32>
  }
  return %0 : tensor<1x12x12x32xf32>
}

// -----

func.func @winograd_stack(%x: tensor<1x12x12x32xf32>, %w: tensor<3x3x32x32xf32>) -> tensor<1x12x12x32xf32> {
  // expected-error @+1 {{a schedule with 'squares' 256, 'filters' 32 and 'channels' 32 takes 2446592 bytes of a thread's stack; expected at most 524288}}
  %0 = lathe.kernel(%a = %x : tensor<1x12x12x32xf32>, %b = %w : tensor<3x3x32x32xf32>) -> tensor<1x12x12x32xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" winograd {channels = 32, filters = 32, product_lanes = 8, product_rows = 6, product_vectors = 2, squares = 256}>]} {
    %1 = lathe.conv %a, %b stride [1, 1] pad [[1, 1], [1, 1]] {lathe.winograd = 4} : tensor<1x12x12x32xf32>, tensor<3x3x32x32xf32>
    lathe.yield %1 : tensor<1x12x12x32xf32>
  }
  return %0 : tensor<1x12x12x32xf32>
}

// -----

func.func @winograd_gradient_filters(%x: tensor<2x12x12x32xf32>, %dy: tensor<2x12x12x1024xf32>) -> tensor<3x3x32x1024xf32> {
  // expected-error @+1 {{a schedule with 'filters' 24; expected a divisor of the 1024 filters and a multiple of the tile's 16 columns}}
  %0 = lathe.kernel(%a = %x : tensor<2x12x12x32xf32>, %b = %dy : tensor<2x12x12x1024xf32>) -> tensor<3x3x32x1024xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" winograd_gradient {channels = 32, filters = 24, product_lanes = 8, product_rows = 6, product_vectors = 2}>]} {
    %1 = lathe.conv_filter_grad %a, %b filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] {lathe.winograd = 4} : tensor<2x12x12x32xf32>, tensor<2x12x12x1024xf32>
    lathe.yield %1 : tensor<3x3x32x1024xf32>
  }
  return %0 : tensor<3x3x32x1024xf32>
}

// -----

func.func @winograd_gradient_channels(%x: tensor<2x12x12x32xf32>, %dy: tensor<2x12x12x1024xf32>) -> tensor<3x3x32x1024xf32> {
  // expected-error @+1 {{a schedule with 'channels' 12 for 32 channels; expected multiples of the tile's 8 lanes}}
  %0 = lathe.kernel(%a = %x : tensor<2x12x12x32xf32>, %b = %dy : tensor<2x12x12x1024xf32>) -> tensor<3x3x32x1024xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" winograd_gradient {channels = 12, filters = 32, product_lanes = 8, product_rows = 6, product_vectors = 2}>]} {
    %1 = lathe.conv_filter_grad %a, %b filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] {lathe.winograd = 4} : tensor<2x12x12x32xf32>, tensor<2x12x12x1024xf32>
    lathe.yield %1 : tensor<3x3x32x1024xf32>
  }
  return %0 : tensor<3x3x32x1024xf32>
}

// -----

func.func @winograd_gradient_stack(%x: tensor<2x12x12x32xf32>, %dy: tensor<2x12x12x1024xf32>) -> tensor<3x3x32x1024xf32> {
  // expected-error @+1 {{a schedule with 'channels' 32 and 'filters' 1024 takes 4952896 bytes of a thread's stack; expected at most 524288}}
  %0 = lathe.kernel(%a = %x : tensor<2x12x12x32xf32>, %b = %dy : tensor<2x12x12x1024xf32>) -> tensor<3x3x32x1024xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" winograd_gradient {channels = 32, filters = 1024, product_lanes = 8, product_rows = 6, product_vectors = 2}>]} {
    %1 = lathe.conv_filter_grad %a, %b filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] {lathe.winograd = 4} : tensor<2x12x12x32xf32>, tensor<2x12x12x1024xf32>
    lathe.yield %1 : tensor<3x3x32x1024xf32>
  }
  return %0 : tensor<3x3x32x1024xf32>
}

// -----

func.func @winograd_gradient_unmarked(%x: tensor<2x12x12x32xf32>, %dy: tensor<2x12x12x1024xf32>) -> tensor<3x3x32x1024xf32> {
  // expected-error @+1 {{form 'winograd_gradient' has no code for the ops of this kernel}}
  %0 = lathe.kernel(%a = %x : tensor<2x12x12x32xf32>, %b = %dy : tensor<2x12x12x1024xf32>) -> tensor<3x3x32x1024xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" winograd_gradient {channels = 16, filters = 32, product_lanes = 8, product_rows = 6, product_vectors = 2}>]} {
    %1 = lathe.conv_filter_grad %a, %b filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x12x12x32xf32>, tensor<2x12x12x1024xf32>
    lathe.yield %1 : tensor<3x3x32x1024xf32>
  }
  return %0 : tensor<3x3x32x1024xf32>
}

// -----

func.func @winograd_unmarked(%x: tensor<1x12x12x32xf32>, %w: tensor<3x3x32x32xf32>) -> tensor<1x12x12x32xf32> {
  // expected-error @+1 {{form 'winograd' has no code for the ops of this kernel}}
  %0 = lathe.kernel(%a = %x : tensor<1x12x12x32xf32>, %b = %w : tensor<3x3x32x32xf32>) -> tensor<1x12x12x32xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" winograd {channels = 32, filters = 32, product_lanes = 8, product_rows = 6, product_vectors = 2, squares = 9}>]} {
    %1 = lathe.conv %a, %b stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x12x12x32xf32>, tensor<3x3x32x32xf32>
    lathe.yield %1 : tensor<1x12x12x32xf32>
  }
  return %0 : tensor<1x12x12x32xf32>
}

// -----

// The sums of six images, 6 x 56 x 56 x 16 numbers, and 256 x 16 of the filter.
func.func @packed_filter(%x: tensor<16x56x56x64xf32>, %f: tensor<3x3x64x64xf32>) -> tensor<16x56x56x64xf32> {
  // expected-error @+1 {{a schedule with 'packs_filter' takes 1220608 bytes of a thread's stack for 3136 outputs of an image; expected at most 262144}}
  %0 = lathe.kernel(%a = %x : tensor<16x56x56x64xf32>, %b = %f : tensor<3x3x64x64xf32>) -> tensor<16x56x56x64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" convolution {block_lines = 4, block_places = 56, by_images = true, image_lanes = 8, image_rows = 6, image_vectors = 2, packs_filter = true, pixel_lanes = 8, pixel_panels = 1, pixel_rows = 6, pixel_vectors = 2}>]} {
    %1 = lathe.conv %a, %b stride [1, 1] pad [[1, 1], [1, 1]] : tensor<16x56x56x64xf32>, tensor<3x3x64x64xf32>
    lathe.yield %1 : tensor<16x56x56x64xf32>
  }
  return %0 : tensor<16x56x56x64xf32>
}

// -----

func.func @one_lane(%x: tensor<100xf32>) -> tensor<100xf32> {
  // expected-error @+1 {{a schedule with 1 of 'lanes' along loop 0; expected several lanes, or 'vector_loop' -1}}
  %0 = lathe.kernel(%a = %x : tensor<100xf32>) -> tensor<100xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 1, parts = -1, piece = 256, row_loop = -1, rows = 1, steps = 1, vector_loop = 0, vectors = 1}>]} {
    %1 = lathe.neg %a : tensor<100xf32>
    lathe.yield %1 : tensor<100xf32>
  }
  return %0 : tensor<100xf32>
}

// -----

// Loops go over the parts of a concatenation that is read at its own points.
func.func @parts_of_negation(%x: tensor<64x500xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{a schedule with 'parts' of value 1: it is not a concatenation}}
  %0 = lathe.kernel(%a = %x : tensor<64x500xf32>) -> tensor<64x1000xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 8, parts = 1, piece = 4096, row_loop = -1, rows = 1, steps = 1, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.concatenate %a, %a dim 1 : tensor<64x500xf32>, tensor<64x500xf32>
    %2 = lathe.neg %1 : tensor<64x1000xf32>
    lathe.yield %2 : tensor<64x1000xf32>
  }
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @parts_of_nothing(%x: tensor<64x500xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{a schedule with 'parts' of value 7: the kernel has no such value}}
  %0 = lathe.kernel(%a = %x : tensor<64x500xf32>) -> tensor<64x1000xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 8, parts = 7, piece = 4096, row_loop = -1, rows = 1, steps = 1, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.concatenate %a, %a dim 1 : tensor<64x500xf32>, tensor<64x500xf32>
    %2 = lathe.neg %1 : tensor<64x1000xf32>
    lathe.yield %2 : tensor<64x1000xf32>
  }
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @parts_and_stages(%x: tensor<64x500xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{a schedule with 'parts' of value 0: values are kept, too}}
  %0 = lathe.kernel(%a = %x : tensor<64x500xf32>) -> tensor<64x1000xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [0], lanes = 8, parts = 0, piece = 4096, row_loop = -1, rows = 1, steps = 1, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.concatenate %a, %a dim 1 : tensor<64x500xf32>, tensor<64x500xf32>
    %2 = lathe.neg %1 : tensor<64x1000xf32>
    lathe.yield %2 : tensor<64x1000xf32>
  }
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @parts_inside_vectors(%x: tensor<64x500xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{a schedule with 'parts' of value 0: the vectorised loop is further out than the concatenated dimension}}
  %0 = lathe.kernel(%a = %x : tensor<64x500xf32>) -> tensor<64x1000xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 8, parts = 0, piece = 4096, row_loop = -1, rows = 1, steps = 1, vector_loop = 0, vectors = 4}>]} {
    %1 = lathe.concatenate %a, %a dim 1 : tensor<64x500xf32>, tensor<64x500xf32>
    %2 = lathe.neg %1 : tensor<64x1000xf32>
    lathe.yield %2 : tensor<64x1000xf32>
  }
  return %0 : tensor<64x1000xf32>
}

// -----

func.func @parts_of_reversed(%x: tensor<64x500xf32>) -> tensor<64x1000xf32> {
  // expected-error @+1 {{a schedule with 'parts' of value 0: an op reads it at other points than its own}}
  %0 = lathe.kernel(%a = %x : tensor<64x500xf32>) -> tensor<64x1000xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [], lanes = 8, parts = 0, piece = 4096, row_loop = -1, rows = 1, steps = 1, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.concatenate %a, %a dim 1 : tensor<64x500xf32>, tensor<64x500xf32>
    %2 = lathe.reverse %1 dims [0] : tensor<64x1000xf32>
    lathe.yield %2 : tensor<64x1000xf32>
  }
  return %0 : tensor<64x1000xf32>
}

// -----

// A stage keeps a value for later ones, which read it at their own points only.
func.func @stage_of_columns(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  // expected-error @+1 {{a schedule with 'keep' of value 0: an op reads it at other points than its own}}
  %0 = lathe.kernel(%a = %x : tensor<512x512xf32>) -> tensor<512x512xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [0], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 1, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.tanh %a : tensor<512x512xf32>
    %2 = lathe.transpose %1 [1, 0] : tensor<512x512xf32>
    %3 = lathe.exp %2 : tensor<512x512xf32>
    lathe.yield %3 : tensor<512x512xf32>
  }
  return %0 : tensor<512x512xf32>
}

// -----

func.func @stage_of_shape(%x: tensor<4x1024xf32>) -> tensor<4x1000xf32> {
  // expected-error @+1 {{a schedule with 'keep' of value 0: it has another shape than the results}}
  %0 = lathe.kernel(%a = %x : tensor<4x1024xf32>) -> tensor<4x1000xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [0], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 1, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.tanh %a : tensor<4x1024xf32>
    %2 = lathe.slice %1 from [0, 24] to [4, 1024] : tensor<4x1024xf32>
    %3 = lathe.exp %2 : tensor<4x1000xf32>
    lathe.yield %3 : tensor<4x1000xf32>
  }
  return %0 : tensor<4x1000xf32>
}

// -----

func.func @absent_stage(%x: tensor<4x1024xf32>) -> tensor<4x1000xf32> {
  // expected-error @+1 {{a schedule with 'keep' of value 3: the kernel has no such value}}
  %0 = lathe.kernel(%a = %x : tensor<4x1024xf32>) -> tensor<4x1000xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [1, 3], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 1, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.tanh %a : tensor<4x1024xf32>
    %2 = lathe.slice %1 from [0, 24] to [4, 1024] : tensor<4x1024xf32>
    %3 = lathe.exp %2 : tensor<4x1000xf32>
    lathe.yield %3 : tensor<4x1000xf32>
  }
  return %0 : tensor<4x1000xf32>
}

// -----

func.func @stages_in_turn(%x: tensor<4x1024xf32>) -> tensor<4x1000xf32> {
  // expected-error @+1 {{a schedule with 'keep' of value 1: numbers must grow}}
  %0 = lathe.kernel(%a = %x : tensor<4x1024xf32>) -> tensor<4x1000xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [2, 1], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 1, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.tanh %a : tensor<4x1024xf32>
    %2 = lathe.slice %1 from [0, 24] to [4, 1024] : tensor<4x1024xf32>
    %3 = lathe.exp %2 : tensor<4x1000xf32>
    lathe.yield %3 : tensor<4x1000xf32>
  }
  return %0 : tensor<4x1000xf32>
}

// -----

func.func @stages_of_sums(%x: tensor<64x1000xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{a schedule with 'keep' of value 0: the kernel has a reduction}}
  %0 = lathe.kernel(%a = %x : tensor<64x1000xf32>) -> tensor<64xf32> attributes {schedules = [#lathe.schedule<"x86-64-v3" loops {fetch = 0, keep = [0], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 1, vectors = 4}>]} {
    %1 = lathe.exp %a : tensor<64x1000xf32>
    %2 = lathe.reduce sum %1 dims [1] : tensor<64x1000xf32>
    lathe.yield %2 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
