// Compiled code against the interpreter: convolutions that run as plain loop nests, those with groups.
// RUN: lathe-run %s grouped --random --dim N=1 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s grouped --random --dim N=5 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s grouped --random --dim N=5 --check --rtol 1e-4 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s line --random --check --rtol 1e-4 --atol 1e-5

func.func @grouped(%x: tensor<?x9x8x4xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x2x2x6xf32>, %y: tensor<?x5x9x6xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x5x9x6xf32>, tensor<?x9x8x4xf32>, tensor<3x2x2x6xf32>) {
  %0 = lathe.conv %x, %w stride [2, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<?x9x8x4xf32>, tensor<3x2x2x6xf32>
  %1 = lathe.conv_input_grad %y, %w input [9, 8] stride [2, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<?x5x9x6xf32>, tensor<3x2x2x6xf32>
  %2 = lathe.conv_filter_grad %x, %y filter [3, 2] stride [2, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<?x9x8x4xf32>, tensor<?x5x9x6xf32>
  return %0, %1, %2 : tensor<?x5x9x6xf32>, tensor<?x9x8x4xf32>, tensor<3x2x2x6xf32>
}

func.func @line(%x: tensor<2x12x3xf64>, %w: tensor<5x1x6xf64>) -> tensor<2x16x6xf64> {
  %0 = lathe.conv %x, %w stride [1] pad [[6, 6]] dilation [2] groups 3 : tensor<2x12x3xf64>, tensor<5x1x6xf64>
  return %0 : tensor<2x16x6xf64>
}
