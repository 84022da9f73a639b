// Compiled code against the interpreter: convolutions of groups, as tiles a group and, where a group has one filter, as nests
// across groups. Threads share pieces in the middle of a group without a change of a bit.
// RUN: lathe-run %s grouped --random --dim N=1 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s grouped --random --dim N=5 --check --rtol 1e-4 --atol 1e-5
// RUN: lathe-run %s grouped --random --dim N=5 --check --rtol 1e-4 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s wide --random --dim N=1 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s wide --random --dim N=9 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %s wide --random --dim N=6 --output y=@%t.y.npy --output dx=@%t.dx.npy --output dw=@%t.dw.npy
// RUN: lathe-run %s wide --random --dim N=6 --threads 3 --expect y=@%t.y.npy --expect dx=@%t.dx.npy --expect dw=@%t.dw.npy --rtol 0 --atol 0
// RUN: lathe-run %s depthwise --random --dim N=3 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s line --random --check --rtol 1e-4 --atol 1e-5

func.func @grouped(%x: tensor<?x9x8x4xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x2x2x6xf32>, %y: tensor<?x5x9x6xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x5x9x6xf32>, tensor<?x9x8x4xf32>, tensor<3x2x2x6xf32>) {
  %0 = lathe.conv %x, %w stride [2, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<?x9x8x4xf32>, tensor<3x2x2x6xf32>
  %1 = lathe.conv_input_grad %y, %w input [9, 8] stride [2, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<?x5x9x6xf32>, tensor<3x2x2x6xf32>
  %2 = lathe.conv_filter_grad %x, %y filter [3, 2] stride [2, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<?x9x8x4xf32>, tensor<?x5x9x6xf32>
  return %0, %1, %2 : tensor<?x5x9x6xf32>, tensor<?x9x8x4xf32>, tensor<3x2x2x6xf32>
}

// Strips and panels of more than one tile, the last ones partial: 18 channels and 35 filters in each of 3 groups.
func.func @wide(%x: tensor<?x6x7x54xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x18x105xf32>, %c: tensor<?x6x7x105xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x6x7x105xf32> {lathe.name = "y"}, tensor<?x6x7x54xf32> {lathe.name = "dx"}, tensor<3x3x18x105xf32> {lathe.name = "dw"}) {
  %0 = lathe.conv %x, %w stride [1, 1] pad same groups 3 : tensor<?x6x7x54xf32>, tensor<3x3x18x105xf32>
  %1 = lathe.conv_input_grad %c, %w input [6, 7] stride [1, 1] pad [[1, 1], [1, 1]] groups 3 : tensor<?x6x7x105xf32>, tensor<3x3x18x105xf32>
  %2 = lathe.conv_filter_grad %x, %c filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 3 : tensor<?x6x7x54xf32>, tensor<?x6x7x105xf32>
  return %0, %1, %2 : tensor<?x6x7x105xf32>, tensor<?x6x7x54xf32>, tensor<3x3x18x105xf32>
}

func.func @depthwise(%x: tensor<?x9x8x20xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x1x20xf32>, %c: tensor<?x5x4x20xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x5x4x20xf32>, tensor<?x9x8x20xf32>, tensor<3x3x1x20xf32>) {
  %0 = lathe.conv %x, %w stride [2, 2] pad [[1, 1], [0, 1]] groups 20 : tensor<?x9x8x20xf32>, tensor<3x3x1x20xf32>
  %1 = lathe.conv_input_grad %c, %w input [9, 8] stride [2, 2] pad [[1, 1], [0, 1]] groups 20 : tensor<?x5x4x20xf32>, tensor<3x3x1x20xf32>
  %2 = lathe.conv_filter_grad %x, %c filter [3, 3] stride [2, 2] pad [[1, 1], [0, 1]] groups 20 : tensor<?x9x8x20xf32>, tensor<?x5x4x20xf32>
  return %0, %1, %2 : tensor<?x5x4x20xf32>, tensor<?x9x8x20xf32>, tensor<3x3x1x20xf32>
}

func.func @line(%x: tensor<2x12x3xf64>, %w: tensor<5x1x6xf64>) -> tensor<2x16x6xf64> {
  %0 = lathe.conv %x, %w stride [1] pad [[6, 6]] dilation [2] groups 3 : tensor<2x12x3xf64>, tensor<5x1x6xf64>
  return %0 : tensor<2x16x6xf64>
}
