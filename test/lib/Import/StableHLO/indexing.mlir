// RUN: lathe-run %s main --check | FileCheck %s
// Gathers clamp their starts, and scatters drop updates that are out of bounds.

// Row 9 is clamped to the last one.
// CHECK: result0: f32[2][3] {{.*}}: 1 2 3 4 5 6
// Windows of 2 columns from [0, 1] and [1, 5], which is clamped to [1, 1].
// CHECK: result1: f32[2][2] {{.*}}: 2 3 5 6
// Element [i, i] of each pair.
// CHECK: result2: f32[2] {{.*}}: 1 5
// Row 1 gets 10 twice; row 9 does not exist.
// CHECK: result3: f32[2][3] {{.*}}: 1 2 3 24 25 26
// The body halves the difference: 1 + (9 - 1) / 2 is 5, then 5 + (1 - 5) / 2 is 3.
// CHECK: result4: f32[2] {{.*}}: 3 2
// CHECK: result5: i1[3] {{.*}}: true false true
// One slice: rows 1 to 1, columns 1 to 2.
// CHECK: result6: f32[2] {{.*}}: 5 6
// Each row by its own index.
// CHECK: result7: f32[2] {{.*}}: 3 5
func.func public @main() -> (tensor<2x3xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<3xi1>, tensor<2xf32>,
                             tensor<2xf32>) {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %rows = stablehlo.constant dense<[0, 9]> : tensor<2xi32>
  %0 = "stablehlo.gather"(%x, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
      index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %starts = stablehlo.constant dense<[[0, 1], [1, 5]]> : tensor<2x2xi64>
  %1 = "stablehlo.gather"(%x, %starts) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1],
      index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  // The vectors are along dimension 0 here.
  %diagonal = stablehlo.constant dense<[[0, 1], [0, 1]]> : tensor<2x2xui8>
  %2 = "stablehlo.gather"(%x, %diagonal) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1],
      index_vector_dim = 0>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<2x2xui8>) -> tensor<2xf32>
  %into = stablehlo.constant dense<[[1], [1], [9]]> : tensor<3x1xi32>
  %ten = stablehlo.constant dense<10.0> : tensor<3x3xf32>
  %3 = "stablehlo.scatter"(%x, %into, %ten) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<3x1xi32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %pair = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %twice = stablehlo.constant dense<[[0], [0], [-1]]> : tensor<3x1xi32>
  %ends = stablehlo.constant dense<[9.0, 1.0, 50.0]> : tensor<3xf32>
  %4 = "stablehlo.scatter"(%pair, %twice, %ends) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %d = stablehlo.subtract %b, %a : tensor<f32>
    %h = stablehlo.multiply %d, %half : tensor<f32>
    %s = stablehlo.add %a, %h : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<2xf32>
  %none = stablehlo.constant dense<false> : tensor<3xi1>
  %two = stablehlo.constant dense<[[0], [2]]> : tensor<2x1xi32>
  %true = stablehlo.constant dense<true> : tensor<2xi1>
  %5 = "stablehlo.scatter"(%none, %two, %true) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.or %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<3xi1>, tensor<2x1xi32>, tensor<2xi1>) -> tensor<3xi1>
  %start = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %6 = "stablehlo.gather"(%x, %start) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>,
      slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2xf32>
  %each = stablehlo.constant dense<[[2], [1]]> : tensor<2x1xi32>
  %7 = "stablehlo.gather"(%x, %each) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0],
      start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}>
      : (tensor<2x3xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2x3xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<3xi1>, tensor<2xf32>,
      tensor<2xf32>
}
