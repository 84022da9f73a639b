// One function for each number of codegen/CPU/Tuning.h that decides a schedule: the sizes are where the choice changes, or
// typical ones. benchmarks/tuning/run measures the other schedules of each.

// kFewRows: four rows have a tile of all of them.
func.func @rows_4(%x: tensor<4x512xf32>, %w: tensor<512x512xf32>) -> tensor<4x512xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<4x512xf32>, tensor<512x512xf32>
  return %0 : tensor<4x512xf32>
}

// kFewRows: six rows have an ordinary tile.
func.func @rows_6(%x: tensor<6x512xf32>, %w: tensor<512x512xf32>) -> tensor<6x512xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<6x512xf32>, tensor<512x512xf32>
  return %0 : tensor<6x512xf32>
}

// kPackedBytes, kPackedRows: a right operand that is packed in blocks.
func.func @packed(%x: tensor<128x768xf32>, %w: tensor<768x768xf32>) -> tensor<128x768xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<128x768xf32>, tensor<768x768xf32>
  return %0 : tensor<128x768xf32>
}

// kFarApart: rows of the right operand in few cache sets.
func.func @columns_far(%x: tensor<96x512xf32>, %w: tensor<512x1024xf32>) -> tensor<96x1024xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<96x512xf32>, tensor<512x1024xf32>
  return %0 : tensor<96x1024xf32>
}

// kLeastColumnDepth: one row, and rows of the right operand at a crowding distance.
func.func @one_row(%x: tensor<1x256xf32>, %w: tensor<256x1024xf32>) -> tensor<1x1024xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<1x256xf32>, tensor<256x1024xf32>
  return %0 : tensor<1x1024xf32>
}

// kPieceElements: a short loop over elements.
func.func @short_body(%x: tensor<1048576xf32>, %y: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %0 = lathe.add %x, %y : tensor<1048576xf32>, tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}

// kLongBody: operations that fill the execution units.
func.func @long_body(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %0 = lathe.tanh %x : tensor<1048576xf32>
  %1 = lathe.exp %0 : tensor<1048576xf32>
  %2 = lathe.sin %1 : tensor<1048576xf32>
  return %2 : tensor<1048576xf32>
}

// kTermsAtOnce, kPieceTerms, kLeastPieceBytes: sums over the first dimension.
func.func @sum_of_columns(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %0 = lathe.reduce sum %x dims [0] : tensor<1024x1024xf32>
  return %0 : tensor<1024xf32>
}

// kShortBody, kStepsAtOnce: sums over the last dimension.
func.func @sum_of_rows(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %0 = lathe.reduce sum %x dims [1] : tensor<1024x1024xf32>
  return %0 : tensor<1024xf32>
}

// kShortRow, kRowStackBytes: rows of 128.
func.func @softmax_128(%x: tensor<4096x128xf32>) -> tensor<4096x128xf32> {
  %0 = lathe.std.softmax %x : tensor<4096x128xf32>
  return %0 : tensor<4096x128xf32>
}

// kShortRow, kRowStackBytes: rows of 1024.
func.func @softmax_1024(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = lathe.std.softmax %x : tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}

// kShortRow, kRowStackBytes: rows of 2048.
func.func @softmax_2048(%x: tensor<256x2048xf32>) -> tensor<256x2048xf32> {
  %0 = lathe.std.softmax %x : tensor<256x2048xf32>
  return %0 : tensor<256x2048xf32>
}

// kShortRow, kRowStackBytes: rows of 4096.
func.func @softmax_4096(%x: tensor<128x4096xf32>) -> tensor<128x4096xf32> {
  %0 = lathe.std.softmax %x : tensor<128x4096xf32>
  return %0 : tensor<128x4096xf32>
}

// kFewImages: three images have tiles of pixels.
func.func @images_3(%x: tensor<3x14x14x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<3x14x14x64xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<3x14x14x64xf32>, tensor<3x3x64x64xf32>
  return %0 : tensor<3x14x14x64xf32>
}

// kFewImages: four images have tiles of images.
func.func @images_4(%x: tensor<4x14x14x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<4x14x14x64xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<4x14x14x64xf32>, tensor<3x3x64x64xf32>
  return %0 : tensor<4x14x14x64xf32>
}

// kMostLineVectors, kMostLinePixels, kLeastLinePixels: a depthwise convolution.
func.func @depthwise(%x: tensor<1x56x56x96xf32>, %w: tensor<3x3x1x96xf32>) -> tensor<1x56x56x96xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad same groups 96 : tensor<1x56x56x96xf32>, tensor<3x3x1x96xf32>
  return %0 : tensor<1x56x56x96xf32>
}

// kPixelsAtOnce, kMostGradientBytes: the gradient of a depthwise filter.
func.func @depthwise_gradient(%x: tensor<4x28x28x96xf32>, %dy: tensor<4x28x28x96xf32>) -> tensor<3x3x1x96xf32> {
  %0 = lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 96 : tensor<4x28x28x96xf32>, tensor<4x28x28x96xf32>
  return %0 : tensor<3x3x1x96xf32>
}

// kTransposedLines, kMostTransposedLines: a transpose.
func.func @transposed(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = lathe.transpose %x [1, 0] : tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// kPieceColumns: running sums of columns.
func.func @cumulative(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = lathe.cumulative sum %x dim 0 : tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// kMatrixRows: a factorisation.
func.func @factors(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = lathe.iota dim 0 to [64, 64] : i32
  %f = lathe.iota dim 1 to [64, 64] : i32
  %g = lathe.compare eq %e, %f : tensor<64x64xi32>, tensor<64x64xi32>
  %h = lathe.convert %g to f32 : tensor<64x64xi1>
  %k = lathe.constant dense<64.0> : tensor<f32>
  %d = lathe.mul %h, %k : tensor<64x64xf32>, tensor<f32>
  %s = lathe.dot_general %x, %x contract [1] x [1] : tensor<64x64xf32>, tensor<64x64xf32>
  %a = lathe.add %s, %d : tensor<64x64xf32>, tensor<64x64xf32>
  %0 = lathe.cholesky %a : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// kCounted, kNetworked, kLongLine: lines of 64.
func.func @sort_64(%x: tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  %0 = lathe.sort %x dim 1 : tensor<1024x64xf32>
  return %0 : tensor<1024x64xf32>
}

// kCounted, kNetworked, kLongLine: lines of 128.
func.func @sort_128(%x: tensor<512x128xf32>) -> tensor<512x128xf32> {
  %0 = lathe.sort %x dim 1 : tensor<512x128xf32>
  return %0 : tensor<512x128xf32>
}

// kCounted, kNetworked, kLongLine: lines of 32768.
func.func @sort_32768(%x: tensor<2x32768xf32>) -> tensor<2x32768xf32> {
  %0 = lathe.sort %x dim 1 : tensor<2x32768xf32>
  return %0 : tensor<2x32768xf32>
}

// kCounted, kNetworked, kLongLine: lines of 65536.
func.func @sort_65536(%x: tensor<1x65536xf32>) -> tensor<1x65536xf32> {
  %0 = lathe.sort %x dim 1 : tensor<1x65536xf32>
  return %0 : tensor<1x65536xf32>
}
