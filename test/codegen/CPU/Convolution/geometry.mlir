// Compiled code against the interpreter: the three members of the family for strides, paddings and dilations of many kinds, channel
// counts around and off the vectors, ranks 1 to 3.
// RUN: lathe-run %s same --random --dim N=1 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s same --random --dim N=15 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s same --random --dim N=7 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %s same --random --dim N=10 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v3
// RUN: lathe-run %s strided --random --dim N=2 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s strided --random --dim N=8 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s strided --random --dim N=3 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %s strided --random --dim N=6 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v3
// RUN: lathe-run %s dilated --random --dim N=4 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s dilated --random --dim N=17 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v3
// RUN: lathe-run %s cropped --random --dim N=9 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s chunks --random --dim N=1 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s chunks --random --dim N=7 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %s chunks --random --dim N=3 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v3
// RUN: lathe-run %s chunks --random --dim N=3 --output y=@%t.y.npy --output dx=@%t.dx.npy
// RUN: lathe-run %s chunks --random --dim N=3 --threads 3 --expect y=@%t.y.npy --expect dx=@%t.dx.npy --rtol 0 --atol 0
// RUN: lathe-run %s ranks --random --check --rtol 1e-10 --atol 1e-10
// RUN: lathe-run %s ranks --random --check --rtol 1e-10 --atol 1e-10 --target x86-64-v2

func.func @same(%x: tensor<?x9x8x3xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x3x20xf32>, %y: tensor<?x9x8x20xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x9x8x20xf32>, tensor<?x9x8x3xf32>, tensor<3x3x3x20xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad same : tensor<?x9x8x3xf32>, tensor<3x3x3x20xf32>
  %1 = lathe.conv_input_grad %y, %w input [9, 8] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x9x8x20xf32>, tensor<3x3x3x20xf32>
  %2 = lathe.conv_filter_grad %x, %y filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x9x8x3xf32>, tensor<?x9x8x20xf32>
  return %0, %1, %2 : tensor<?x9x8x20xf32>, tensor<?x9x8x3xf32>, tensor<3x3x3x20xf32>
}

// A 5x1 filter, strides 2 and 3, trailing padding only; 64 output channels are several panels.
func.func @strided(%x: tensor<?x10x9x20xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<5x1x20x64xf32>, %y: tensor<?x4x3x64xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x4x3x64xf32>, tensor<?x10x9x20xf32>, tensor<5x1x20x64xf32>) {
  %0 = lathe.conv %x, %w stride [2, 3] pad [[0, 2], [0, 0]] : tensor<?x10x9x20xf32>, tensor<5x1x20x64xf32>
  %1 = lathe.conv_input_grad %y, %w input [10, 9] stride [2, 3] pad [[0, 2], [0, 0]] : tensor<?x4x3x64xf32>, tensor<5x1x20x64xf32>
  %2 = lathe.conv_filter_grad %x, %y filter [5, 1] stride [2, 3] pad [[0, 2], [0, 0]] : tensor<?x10x9x20xf32>, tensor<?x4x3x64xf32>
  return %0, %1, %2 : tensor<?x4x3x64xf32>, tensor<?x10x9x20xf32>, tensor<5x1x20x64xf32>
}

// Dilation 2 in one dimension, input dilation 2 under stride 3 in the other.
func.func @dilated(%x: tensor<?x8x5x16xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x16x48xf32>, %y: tensor<?x8x3x48xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x8x3x48xf32>, tensor<?x8x5x16xf32>, tensor<3x3x16x48xf32>) {
  %0 = lathe.conv %x, %w stride [1, 3] pad [[2, 2], [1, 0]] dilation [2, 1] input_dilation [1, 2] : tensor<?x8x5x16xf32>, tensor<3x3x16x48xf32>
  %1 = lathe.conv_input_grad %y, %w input [8, 5] stride [1, 3] pad [[2, 2], [1, 0]] dilation [2, 1] input_dilation [1, 2] : tensor<?x8x3x48xf32>, tensor<3x3x16x48xf32>
  %2 = lathe.conv_filter_grad %x, %y filter [3, 3] stride [1, 3] pad [[2, 2], [1, 0]] dilation [2, 1] input_dilation [1, 2] : tensor<?x8x5x16xf32>, tensor<?x8x3x48xf32>
  return %0, %1, %2 : tensor<?x8x3x48xf32>, tensor<?x8x5x16xf32>, tensor<3x3x16x48xf32>
}

// Negative padding cuts the image; padding wider than the filter leaves outputs without any tap.
func.func @cropped(%x: tensor<?x7x7x1xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<2x3x1x16xf32>, %y: tensor<?x4x12x16xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x4x12x16xf32>, tensor<?x7x7x1xf32>, tensor<2x3x1x16xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[-1, -1], [4, 3]] : tensor<?x7x7x1xf32>, tensor<2x3x1x16xf32>
  %1 = lathe.conv_input_grad %y, %w input [7, 7] stride [1, 1] pad [[-1, -1], [4, 3]] : tensor<?x4x12x16xf32>, tensor<2x3x1x16xf32>
  %2 = lathe.conv_filter_grad %x, %y filter [2, 3] stride [1, 1] pad [[-1, -1], [4, 3]] : tensor<?x7x7x1xf32>, tensor<?x4x12x16xf32>
  return %0, %1, %2 : tensor<?x4x12x16xf32>, tensor<?x7x7x1xf32>, tensor<2x3x1x16xf32>
}

func.func @ranks(%a: tensor<9x14x5xf64>, %u: tensor<3x5x1xf64>, %b: tensor<5x4x3x6x2xf64>, %v: tensor<2x3x3x2x9xf64>, %c: tensor<9x14x1xf64>)
    -> (tensor<9x14x1xf64>, tensor<5x4x3x6x9xf64>, tensor<3x5x1xf64>) {
  %0 = lathe.conv %a, %u stride [1] pad same : tensor<9x14x5xf64>, tensor<3x5x1xf64>
  %1 = lathe.conv %b, %v stride [1, 1, 1] pad same : tensor<5x4x3x6x2xf64>, tensor<2x3x3x2x9xf64>
  %2 = lathe.conv_filter_grad %a, %c filter [3] stride [1] pad [[1, 1]] : tensor<9x14x5xf64>, tensor<9x14x1xf64>
  return %0, %1, %2 : tensor<9x14x1xf64>, tensor<5x4x3x6x9xf64>, tensor<3x5x1xf64>
}

// Filters that the first cache does not hold go by in chunks of their rows, the last one short, which cut taps in the middle;
// with input dilation, blocks of several lines, and a last panel that is partial.
func.func @chunks(%x: tensor<?x9x7x90xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x90x70xf32>, %c: tensor<?x5x4x70xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x5x4x70xf32> {lathe.name = "y"}, tensor<?x9x7x90xf32> {lathe.name = "dx"}) {
  %0 = lathe.conv %x, %w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x9x7x90xf32>, tensor<3x3x90x70xf32>
  %1 = lathe.conv_input_grad %c, %w input [9, 7] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x5x4x70xf32>, tensor<3x3x90x70xf32>
  return %0, %1 : tensor<?x5x4x70xf32>, tensor<?x9x7x90xf32>
}
