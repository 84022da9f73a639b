// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=x86-64-v4 -o - | FileCheck %s --check-prefixes=CHECK,V4,KB32
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=x86-64-v3 -o - | FileCheck %s --check-prefixes=CHECK,V3
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=x86-64-v2 -o - | FileCheck %s --check-prefixes=CHECK,V2
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=aarch64-linux-gnu -o - | FileCheck %s --check-prefixes=CHECK,ARM
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=x86_64-linux-gnu:znver4 -o - | FileCheck %s --check-prefixes=CHECK,V4,KB32
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=x86_64-linux-gnu:znver5 -o - | FileCheck %s --check-prefixes=CHECK,V4,KB48
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=x86_64-linux-gnu:haswell -o - | FileCheck %s --check-prefixes=CHECK,V3
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=x86_64-linux-gnu:znver4:-avx512f -o - | FileCheck %s --check-prefixes=CHECK,V3
// RUN: lathec %s --emit=mlir --emit-stage=schedule --target=aarch64-linux-gnu:neoverse-v2 -o - | FileCheck %s --check-prefixes=CHECK,ARM
// The choices of the cost models, on any machine, by level of x86-64 or by the features of a model: 32 registers of 64 bytes (AVX-512), 16 of 32 bytes (AVX2), 16 of 16 bytes without
// fused multiply-add, and 32 of 16 bytes (Neon).

// 512 columns fill whole vectors, two or three of which make a tile. 1,024 products of 512 columns lie 2 KB apart: blocks of 16 KB
// are copied for as many tiles as 128 rows have, and 256 products, a chain of a sum, are cut into equal parts.
// CHECK-LABEL: func.func @product
// V4: #lathe.schedule<"{{x86-64-v4|znver4|znver5}}" contraction {block_depth = 128, block_tiles = 16, lanes = 16, packs_lhs = false, rows = 8, vectors = 2}>
// V3: #lathe.schedule<"{{x86-64-v3|haswell|znver4}}" contraction {block_depth = 256, block_tiles = 21, lanes = 8, packs_lhs = false, rows = 6, vectors = 2}>
// V2: #lathe.schedule<"x86-64-v2" contraction {block_depth = 256, block_tiles = 32, lanes = 4, packs_lhs = false, rows = 4, vectors = 2}>
// ARM: #lathe.schedule<"aarch64-linux-gnu:{{generic|neoverse-v2}}" contraction {block_depth = 256, block_tiles = 16, lanes = 4, packs_lhs = false, rows = 8, vectors = 2}>
func.func @product(%x: tensor<128x1024xf32>, %w: tensor<1024x512xf32>) -> tensor<128x512xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<128x1024xf32>, tensor<1024x512xf32>
  return %0 : tensor<128x512xf32>
}

// Columns of 96 whole vectors have tiles of three, of only four rows where there are 16 registers; these have blocks too.
// CHECK-LABEL: func.func @narrow_tile
// V4: contraction {block_depth = 64, block_tiles = 16, lanes = 16, packs_lhs = false, rows = 8, vectors = 3}
// V3: contraction {block_depth = 128, block_tiles = 32, lanes = 8, packs_lhs = false, rows = 4, vectors = 3}
func.func @narrow_tile(%x: tensor<128x768xf32>, %w: tensor<768x768xf32>) -> tensor<128x768xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<128x768xf32>, tensor<768x768xf32>
  return %0 : tensor<128x768xf32>
}

// Two rows are the whole tile, and what they lack in sums it has in width.
// CHECK-LABEL: func.func @few_rows
// V4: contraction {block_depth = 0, block_tiles = 1, lanes = 16, packs_lhs = false, rows = 2, vectors = 8}
// V3: contraction {block_depth = 0, block_tiles = 1, lanes = 8, packs_lhs = false, rows = 2, vectors = 4}
func.func @few_rows(%x: tensor<2x64xf32>, %w: tensor<64x512xf32>) -> tensor<2x512xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<2x64xf32>, tensor<64x512xf32>
  return %0 : tensor<2x512xf32>
}

// One row by rows of 4096 bytes, which share a set of the first cache, goes over these as they lie, unless tiles are 1 KB wide.
// CHECK-LABEL: func.func @one_row
// V4: contraction {{.*}}rows = 1, vectors = 16}
// V3: column_reduction {column_loop = 1, {{.*}}terms = 4, vectors = 4}
// V2: column_reduction {column_loop = 1, {{.*}}terms = 4, vectors = 4}
// ARM: column_reduction {column_loop = 1, {{.*}}terms = 4, vectors = 4}
// CHECK: contraction {{.*}}rows = 1
func.func @one_row(%x: tensor<1x256xf32>, %w: tensor<256x1024xf32>, %u: tensor<256x1000xf32>) -> (tensor<1x1024xf32>, tensor<1x1000xf32>) {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<1x256xf32>, tensor<256x1024xf32>
  %1 = lathe.dot_general %x, %u contract [1] x [0] : tensor<1x256xf32>, tensor<256x1000xf32>
  return %0, %1 : tensor<1x1024xf32>, tensor<1x1000xf32>
}

// One image: rows of tiles are pixels, as many as the registers hold sums for. A block of lines has sums of half of the first cache,
// which is 48 KB on Zen 5 and 32 KB on Zen 4, or fewer lines if two threads have as many blocks each then.
// CHECK-LABEL: func.func @image
// KB32: convolution {block_lines = 2, block_places = 28, by_images = false, image_lanes = 16, image_rows = 8, image_vectors = 3, packs_filter = false, pixel_lanes = 16, pixel_panels = 1, pixel_rows = 9, pixel_vectors = 3}
// KB48: convolution {block_lines = 2, block_places = 28, by_images = false, image_lanes = 16, image_rows = 8, image_vectors = 3, packs_filter = false, pixel_lanes = 16, pixel_panels = 1, pixel_rows = 9, pixel_vectors = 3}
// V3: convolution {block_lines = 7, block_places = 28, by_images = false, image_lanes = 8, image_rows = 4, image_vectors = 3, packs_filter = false, pixel_lanes = 8, pixel_panels = 1, pixel_rows = 6, pixel_vectors = 2}
// V2: convolution {block_lines = 14, block_places = 28, by_images = false, image_lanes = 4, image_rows = 4, image_vectors = 2, packs_filter = false, pixel_lanes = 4, pixel_panels = 2, pixel_rows = 5, pixel_vectors = 2}
// ARM: convolution {block_lines = {{[0-9]+}}, block_places = 28, by_images = false, image_lanes = 4, image_rows = 8, image_vectors = 3, packs_filter = false, pixel_lanes = 4, pixel_panels = 2, pixel_rows = 14, pixel_vectors = 2}
func.func @image(%x: tensor<1x28x28x64xf32>, %w: tensor<3x3x64x48xf32>) -> tensor<1x28x28x48xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x28x28x64xf32>, tensor<3x3x64x48xf32>
  return %0 : tensor<1x28x28x48xf32>
}

// Four panels of 16 columns are a work item, so that tiles of one pixel, as in the corners of the image, are 64 columns wide. A line
// of 2,000 outputs is cut into blocks. Three vectors are one panel, and one vector has tiles of eight pixels.
// CHECK-LABEL: func.func @lines
// V3: convolution {block_lines = 4, block_places = 56, {{.*}}pixel_lanes = 8, pixel_panels = 4, pixel_rows = 6, pixel_vectors = 2}
// V3: convolution {block_lines = 7, block_places = 7, {{.*}}pixel_lanes = 8, pixel_panels = 4, pixel_rows = 6, pixel_vectors = 2}
// V3: convolution {block_lines = 1, block_places = 170, {{.*}}pixel_lanes = 8, pixel_panels = 1, pixel_rows = 4, pixel_vectors = 3}
// V3: convolution {block_lines = 1, block_places = 512, {{.*}}pixel_lanes = 8, pixel_panels = 1, pixel_rows = 8, pixel_vectors = 1}
func.func @lines(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32>, %y: tensor<1x7x7x512xf32>, %u: tensor<3x3x512x512xf32>,
                 %z: tensor<1x2000x9xf32>, %v: tensor<3x9x24xf32>, %s: tensor<3x9x8xf32>)
    -> (tensor<1x56x56x64xf32>, tensor<1x7x7x512xf32>, tensor<1x2000x24xf32>, tensor<1x2000x8xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>
  %1 = lathe.conv %y, %u stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x7x7x512xf32>, tensor<3x3x512x512xf32>
  %2 = lathe.conv %z, %v stride [1] pad [[1, 1]] : tensor<1x2000x9xf32>, tensor<3x9x24xf32>
  %3 = lathe.conv %z, %s stride [1] pad [[1, 1]] : tensor<1x2000x9xf32>, tensor<3x9x8xf32>
  return %0, %1, %2, %3 : tensor<1x56x56x64xf32>, tensor<1x7x7x512xf32>, tensor<1x2000x24xf32>, tensor<1x2000x8xf32>
}

// Depthwise: sums, the three taps of a row of the filter and an input are in registers, and a pixel has vectors for a whole line
// of a cache, where these leave four pixels: one of 64 bytes, two of 32, four of 16 with 32 registers, and two of 16 with 16.
// CHECK-LABEL: func.func @depthwise
// V4: depthwise_lines {lanes = 16, pixels_at_once = 0, rows = 7, shares_inputs = true, vectors = 3}
// V3: depthwise_lines {lanes = 8, pixels_at_once = 0, rows = 5, shares_inputs = true, vectors = 2}
// V2: depthwise_lines {lanes = 4, pixels_at_once = 0, rows = 5, shares_inputs = true, vectors = 2}
// ARM: depthwise_lines {lanes = 4, pixels_at_once = 0, rows = 6, shares_inputs = true, vectors = 4}
func.func @depthwise(%x: tensor<1x28x28x192xf32>, %w: tensor<3x3x1x192xf32>) -> tensor<1x28x28x192xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 192 : tensor<1x28x28x192xf32>, tensor<3x3x1x192xf32>
  return %0 : tensor<1x28x28x192xf32>
}

// Planes: eight vectors of sums in one or two columns of vectors, of which a line has whole numbers: 7 of 64 bytes, 14 of 32.
// CHECK-LABEL: func.func @planes
// V4: depthwise_planes {lanes = 16, rows = 8, vectors = 1}
// V3: depthwise_planes {lanes = 8, rows = 4, vectors = 2}
// V2: depthwise_planes {lanes = 4, rows = 4, vectors = 2}
// ARM: depthwise_planes {lanes = 4, rows = {{4|8}}, vectors = 2}
func.func @planes(%x: tensor<1x96x112x112xf32>, %w: tensor<3x3x1x96xf32>) -> tensor<1x96x112x112xf32> {
  %0 = lathe.transpose %x [0, 2, 3, 1] : tensor<1x96x112x112xf32>
  %1 = lathe.conv %0, %w stride [1, 1] pad [[1, 1], [1, 1]] groups 96 : tensor<1x112x112x96xf32>, tensor<3x3x1x96xf32>
  %2 = lathe.transpose %1 [0, 3, 1, 2] : tensor<1x112x112x96xf32>
  return %2 : tensor<1x96x112x112xf32>
}

// Blocks of a transpose: a line of the operand where the first-level cache keeps one of each of its rows, or where the rows of the
// result meet few sets of the cache, which 2,048 bytes do; else four lines. A named distance tells neither: two lines.
// CHECK-LABEL: func.func @transposes
// V4: transpose {block = 16, line = 16, tile = 16}
// V4: transpose {block = 16, line = 16, tile = 16}
// V4: transpose {block = 64, line = 16, tile = 16}
// V4: transpose {block = 32, line = 8, tile = 8}
// V4: transpose {block = 32, line = 16, tile = 16}
// V3: transpose {block = 16, line = 16, tile = 8}
// V3: transpose {block = 16, line = 16, tile = 8}
// V3: transpose {block = 64, line = 16, tile = 8}
// V3: transpose {block = 32, line = 8, tile = 4}
// V3: transpose {block = 32, line = 16, tile = 8}
func.func @transposes(%a: tensor<64x3136xf32>, %b: tensor<512x1024xf32>, %c: tensor<1000x256xf32>, %d: tensor<1000x256xf64>,
                      %e: tensor<64x?xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<3136x64xf32>, tensor<1024x512xf32>, tensor<256x1000xf32>, tensor<256x1000xf64>, tensor<?x64xf32>) {
  %0 = lathe.transpose %a [1, 0] : tensor<64x3136xf32>
  %1 = lathe.transpose %b [1, 0] : tensor<512x1024xf32>
  %2 = lathe.transpose %c [1, 0] : tensor<1000x256xf32>
  %3 = lathe.transpose %d [1, 0] : tensor<1000x256xf64>
  %4 = lathe.transpose %e [1, 0] : tensor<64x?xf32>
  return %0, %1, %2, %3, %4
    : tensor<3136x64xf32>, tensor<1024x512xf32>, tensor<256x1000xf32>, tensor<256x1000xf64>, tensor<?x64xf32>
}

// Rows of eight vectors are in registers too, two in turn; of six vectors, four in lockstep.
// CHECK-LABEL: func.func @medium_softmax
// V4: row_passes {in_registers = true, in_turn = false, {{.*}}rows = 4, store_in = [2], vectors = [4, 4, 4]}
// V4: row_passes {in_registers = true, in_turn = true, {{.*}}rows = 2, store_in = [2], vectors = [4, 4, 4]}
func.func @medium_softmax(%x: tensor<100x96xf32>, %y: tensor<100x128xf32>) -> (tensor<100x96xf32>, tensor<100x128xf32>) {
  %0 = lathe.std.softmax %x dim 1 : tensor<100x96xf32>
  %1 = lathe.std.softmax %y dim 1 : tensor<100x128xf32>
  return %0, %1 : tensor<100x96xf32>, tensor<100x128xf32>
}

// 16 elements fit the registers of a row on AVX-512, and four rows at once; the sum has one register of lanes.
// CHECK-LABEL: func.func @softmax
// V4: row_passes {in_registers = true, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 1], rows = 4, store_in = [2], vectors = [1, 1, 1]}
// V3: row_passes {in_registers = true, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 1], rows = 4, store_in = [2], vectors = [2, 2, 2]}
// V2: row_passes {in_registers = true, in_turn = false, keep = [], keep_in = [], reduce_in = [0, 1], rows = 4, store_in = [2], vectors = [4, 4, 4]}
func.func @softmax(%x: tensor<100x16xf32>) -> tensor<100x16xf32> {
  %0 = lathe.std.softmax %x dim 1 : tensor<100x16xf32>
  return %0 : tensor<100x16xf32>
}

// Three passes over a longer row: the second one keeps the exponentials in the memory of the result, which the third one
// writes. The sum of a loss has none to offer, so its exponentials are kept on the stack. Rows of named extents have no stack:
// both passes compute the values.
// CHECK-LABEL: func.func @long_softmax
// CHECK: row_passes {in_registers = false, in_turn = {{true|false}}, keep = [3], keep_in = [0], reduce_in = [0, 1], rows = 2, store_in = [2], vectors = [4, 4, 4]}
func.func @long_softmax(%x: tensor<100x900xf32>) -> tensor<100x900xf32> {
  %0 = lathe.std.softmax %x dim 1 : tensor<100x900xf32>
  return %0 : tensor<100x900xf32>
}

// CHECK-LABEL: func.func @spread
// CHECK: row_passes {in_registers = false, in_turn = {{true|false}}, keep = [0], keep_in = [-1], reduce_in = [0, 1], rows = 2, store_in = [-1], vectors = [4, 4]}
func.func @spread(%x: tensor<100x900xf32>) -> tensor<100xf32> {
  %0 = lathe.exp %x : tensor<100x900xf32>
  %1 = lathe.reduce max %0 dims [1] : tensor<100x900xf32>
  %2 = lathe.broadcast %1 dims [0] to [100, 900] : tensor<100xf32>
  %3 = lathe.sub %2, %0 : tensor<100x900xf32>
  %4 = lathe.reduce sum %3 dims [1] : tensor<100x900xf32>
  return %4 : tensor<100xf32>
}

// CHECK-LABEL: func.func @open_spread
// CHECK: row_passes {in_registers = false, in_turn = {{true|false}}, keep = [], keep_in = [], reduce_in = [0, 1], rows = 2, store_in = [-1], vectors = [4, 4]}
func.func @open_spread(%x: tensor<100x?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<100xf32> {
  %0 = lathe.exp %x : tensor<100x?xf32>
  %1 = lathe.reduce max %0 dims [1] : tensor<100x?xf32>
  %2 = lathe.broadcast %1 dims [0] to [100, N] : tensor<100xf32>
  %3 = lathe.sub %2, %0 : tensor<100x?xf32>
  %4 = lathe.reduce sum %3 dims [1] : tensor<100x?xf32>
  return %4 : tensor<100xf32>
}

// Where an image is padded is the same for all channels of a place, and takes no part in the choice of lanes.
// CHECK-LABEL: func.func @padded
// V4: loops {{.*}}lanes = 16,{{.*}}vector_loop = 3
// V3: loops {{.*}}lanes = 8,{{.*}}vector_loop = 3
// V2: loops {{.*}}lanes = 4,{{.*}}vector_loop = 3
// ARM: loops {{.*}}lanes = 4,{{.*}}vector_loop = 3
func.func @padded(%x: tensor<1x28x28x64xf32>) -> tensor<1x30x30x64xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %0 = lathe.pad %x, %zero low [0, 1, 1, 0] high [0, 1, 1, 0] : tensor<1x28x28x64xf32>, tensor<f32>
  return %0 : tensor<1x30x30x64xf32>
}

// An item in each lane of the widest type that its values have.
// CHECK-LABEL: func.func @items
// V4: items {lanes = 8}
// V3: items {lanes = 4}
// V2: items {lanes = 2}
// ARM: items {lanes = 2}
func.func @items(%x: tensor<200x4xf64>) -> tensor<200x4xf64> {
  %0 = lathe.slice %x from [0, 0] to [200, 2] : tensor<200x4xf64>
  %1 = lathe.slice %x from [0, 2] to [200, 4] : tensor<200x4xf64>
  %2 = lathe.mul %0, %1 : tensor<200x2xf64>
  %3 = lathe.add %0, %1 : tensor<200x2xf64>
  %4 = lathe.concatenate %2, %3 dim 1 : tensor<200x2xf64>, tensor<200x2xf64>
  %5 = lathe.mul %4, %x : tensor<200x4xf64>
  %6 = lathe.exp %5 : tensor<200x4xf64>
  %7 = lathe.add %6, %x : tensor<200x4xf64>
  return %7 : tensor<200x4xf64>
}

// A sum of f64 goes along four registers of f64; a sum over 64 columns has them all in four registers of
// AVX-512, and takes eight steps at a time. Where they do not fit, it adds four rows at a time to sums in the first cache.
// CHECK-LABEL: func.func @sums
// V4: loops {fetch = 0, keep = [], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 1, vectors = 4}
// V4: loops {fetch = 0, keep = [], lanes = 16, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 0, vectors = 4}
// V3: loops {fetch = {{0|1024}}, keep = [], lanes = 4, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 1, vectors = 4}
// V3: column_reduction {column_loop = 0, columns = 64, fetch = 0, lanes = 8, piece = 256, terms = 4, vectors = 4}
func.func @sums(%x: tensor<64x1000xf64>, %y: tensor<1000x64xf32>) -> (tensor<64xf64>, tensor<64xf32>) {
  %0 = lathe.reduce sum %x dims [1] : tensor<64x1000xf64>
  %1 = lathe.reduce sum %y dims [0] : tensor<1000x64xf32>
  return %0, %1 : tensor<64xf64>, tensor<64xf32>
}

// Terms of rows that the second-level cache cannot hold are fetched ahead.
// CHECK-LABEL: func.func @fetched_rows
// CHECK: loops {fetch = 1024, {{.*}}vector_loop = 1
func.func @fetched_rows(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %0 = lathe.reduce sum %x dims [1] : tensor<1024x1024xf32>
  return %0 : tensor<1024xf32>
}

// Sums of many columns: half of the first cache holds 2,048 sums of chains and 2,048 of groups, or 3,072 of each on Zen 5. With
// 5,000 columns, threads share pieces of 512, and 15 terms are too few. Terms of 2 MB are fetched ahead.
// CHECK-LABEL: func.func @columns
// KB32: column_reduction {column_loop = 0, columns = 2048, fetch = 1024, lanes = 16, piece = 512, terms = 4, vectors = 2}
// KB48: column_reduction {column_loop = 0, columns = 3072, fetch = 1024, lanes = 16, piece = 512, terms = 4, vectors = 2}
// V3: column_reduction {column_loop = 0, columns = 2048, fetch = 1024, lanes = 8, piece = 512, terms = 4, vectors = 4}
// V2: column_reduction {column_loop = 0, columns = 2048, fetch = 1024, lanes = 4, piece = 512, terms = 4, vectors = 4}
// ARM: column_reduction {column_loop = 0, columns = {{2048|4096}}, fetch = 1024, lanes = 4, piece = 512, terms = 4, vectors = 4}
// CHECK: loops {{.*}}vector_loop = 0
func.func @columns(%x: tensor<100x5000xf32>, %y: tensor<15x5000xf32>) -> (tensor<5000xf32>, tensor<5000xf32>) {
  %0 = lathe.reduce sum %x dims [0] : tensor<100x5000xf32>
  %1 = lathe.reduce sum %y dims [0] : tensor<15x5000xf32>
  return %0, %1 : tensor<5000xf32>, tensor<5000xf32>
}

// Short lines are counted, longer ones of a known length go through a network, others through both by length.
// CHECK-LABEL: func.func @sorts
// CHECK: sort {digit_bits = 8, method = counting}
// CHECK: sort {digit_bits = 8, method = network}
// CHECK: sort {digit_bits = 8, method = counting_or_radix}
// CHECK: sort {digit_bits = 11, method = radix}
// CHECK: sort {digit_bits = 8, method = insertion}
func.func @sorts(%a: tensor<8x20xf32>, %b: tensor<8x100xf32>, %c: tensor<?xf32> {lathe.dims = #lathe.dims<N>},
                 %d: tensor<100000xf32>) -> (tensor<8x20xf32>, tensor<8x100xf32>, tensor<?xf32>, tensor<100000xf32>, tensor<8x3xi32>) {
  %0 = lathe.sort %a dim 1 : tensor<8x20xf32>
  %1 = lathe.sort %b dim 1 : tensor<8x100xf32>
  %2 = lathe.sort %c dim 0 : tensor<?xf32>
  %3 = lathe.sort %d dim 0 : tensor<100000xf32>
  %4 = lathe.top_k %a dim 1 count 3 : tensor<8x20xf32>
  return %0, %1, %2, %3, %4 : tensor<8x20xf32>, tensor<8x100xf32>, tensor<?xf32>, tensor<100000xf32>, tensor<8x3xi32>
}

// Steps of one or two vectors leave fewer of the vectors of 24 channels to masked steps than steps of four would.
// CHECK-LABEL: func.func @few_channels
// V4: loops {fetch = 0, keep = [], lanes = 16, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 3, vectors = 1}
// V3: loops {fetch = 0, keep = [], lanes = 8, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 3, vectors = 2}
// V2: loops {fetch = 0, keep = [], lanes = 4, parts = -1, piece = 4096, row_loop = -1, rows = 1, steps = 8, vector_loop = 3, vectors = 2}
func.func @few_channels(%x: tensor<1x8x8x24xf32>) -> tensor<1x7x7x24xf32> {
  %0 = lathe.reduce_window max %x window [1, 2, 2, 1] : tensor<1x8x8x24xf32>
  return %0 : tensor<1x7x7x24xf32>
}
