// Convolutions in which each channel has a filter of its own, against the interpreter: line by line with what each pixel meets known,
// or by the table; all element types; and the same bits from versions, threads and the levels that have FMA.
// RUN: lathe-run %s same --random --dim N=1 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s same --random --dim N=7 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %s same --random --dim N=4 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v3
// RUN: lathe-run %s strided --random --dim N=3 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s strided --random --dim N=2 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %s dilated --random --dim N=3 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s dilated --random --dim N=1 --check --rtol 1e-4 --atol 1e-4 --target x86-64-v3
// RUN: lathe-run %s cropped --random --dim N=2 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s wide --random --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s wide --random --check --rtol 1e-4 --atol 1e-4 --target x86-64-v3 --threads 2
// RUN: lathe-run %s endless --random --check --rtol 1e-3 --atol 1e-3
// RUN: lathe-run %s long --random --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s long --random --check --rtol 1e-4 --atol 1e-4 --target x86-64-v3
// RUN: lathe-run %s tall --random --check --rtol 1e-3 --atol 1e-3 --threads 4
// RUN: lathe-run %s ranks --random --check --rtol 1e-10 --atol 1e-10
// RUN: lathe-run %s ranks --random --check --rtol 1e-10 --atol 1e-10 --target x86-64-v2
// RUN: lathe-run %s integers --random --check --rtol 0 --atol 0
// RUN: lathe-run %s integers --random --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s halves --random --check --rtol 2e-2 --atol 2e-2
// RUN: lathe-run %s data --random --dim N=6 --output x=@%t.x.npy --output dy=@%t.dy.npy --output w=@%t.w.npy --output bias=@%t.b.npy
// RUN: lathe-run %s layer --input x=@%t.x.npy --input dy=@%t.dy.npy --input w=@%t.w.npy --input b=@%t.b.npy --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s layer --input x=@%t.x.npy --input dy=@%t.dy.npy --input w=@%t.w.npy --input b=@%t.b.npy --output y=@%t.y.npy --output p=@%t.p.npy --output dx=@%t.dx.npy --output dw=@%t.dw.npy
// RUN: lathe-run %s layer --input x=@%t.x.npy --input dy=@%t.dy.npy --input w=@%t.w.npy --input b=@%t.b.npy --specialize N=6 --expect y=@%t.y.npy --expect p=@%t.p.npy --expect dx=@%t.dx.npy --expect dw=@%t.dw.npy --rtol 0 --atol 0
// RUN: lathe-run %s layer --input x=@%t.x.npy --input dy=@%t.dy.npy --input w=@%t.w.npy --input b=@%t.b.npy --threads 3 --expect y=@%t.y.npy --expect p=@%t.p.npy --expect dx=@%t.dx.npy --expect dw=@%t.dw.npy --rtol 0 --atol 0
// RUN: lathec %s --entry=wide --explain --emit=none 2>&1 | FileCheck %s

func.func @same(%x: tensor<?x9x19x20xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x1x20xf32>)
    -> (tensor<?x9x19x20xf32>, tensor<?x9x19x20xf32>, tensor<3x3x1x20xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad same groups 20 : tensor<?x9x19x20xf32>, tensor<3x3x1x20xf32>
  %1 = lathe.conv_input_grad %x, %w input [9, 19] stride [1, 1] pad [[1, 1], [1, 1]] groups 20 : tensor<?x9x19x20xf32>, tensor<3x3x1x20xf32>
  %2 = lathe.conv_filter_grad %x, %0 filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 20 : tensor<?x9x19x20xf32>, tensor<?x9x19x20xf32>
  return %0, %1, %2 : tensor<?x9x19x20xf32>, tensor<?x9x19x20xf32>, tensor<3x3x1x20xf32>
}

// Several panels, the last one partial; strides 3 and 2, trailing padding only.
func.func @strided(%x: tensor<?x10x37x150xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<2x5x1x150xf32>, %y: tensor<?x3x18x150xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x3x18x150xf32>, tensor<?x10x37x150xf32>, tensor<2x5x1x150xf32>) {
  %0 = lathe.conv %x, %w stride [3, 2] pad [[0, 0], [0, 2]] groups 150 : tensor<?x10x37x150xf32>, tensor<2x5x1x150xf32>
  %1 = lathe.conv_input_grad %y, %w input [10, 37] stride [3, 2] pad [[0, 0], [0, 2]] groups 150 : tensor<?x3x18x150xf32>, tensor<2x5x1x150xf32>
  %2 = lathe.conv_filter_grad %x, %y filter [2, 5] stride [3, 2] pad [[0, 0], [0, 2]] groups 150 : tensor<?x10x37x150xf32>, tensor<?x3x18x150xf32>
  return %0, %1, %2 : tensor<?x3x18x150xf32>, tensor<?x10x37x150xf32>, tensor<2x5x1x150xf32>
}

// Dilations of the filter and of the input, which share a factor with the stride in one dimension and none in the other.
func.func @dilated(%x: tensor<?x5x13x6xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x4x1x6xf32>, %y: tensor<?x4x12x6xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x4x12x6xf32>, tensor<?x5x13x6xf32>, tensor<3x4x1x6xf32>) {
  %0 = lathe.conv %x, %w stride [4, 3] pad [[3, 5], [5, 8]] dilation [2, 1] input_dilation [2, 2] groups 6 : tensor<?x5x13x6xf32>, tensor<3x4x1x6xf32>
  %1 = lathe.conv_input_grad %y, %w input [5, 13] stride [4, 3] pad [[3, 5], [5, 8]] dilation [2, 1] input_dilation [2, 2] groups 6 : tensor<?x4x12x6xf32>, tensor<3x4x1x6xf32>
  %2 = lathe.conv_filter_grad %x, %y filter [3, 4] stride [4, 3] pad [[3, 5], [5, 8]] dilation [2, 1] input_dilation [2, 2] groups 6 : tensor<?x5x13x6xf32>, tensor<?x4x12x6xf32>
  return %0, %1, %2 : tensor<?x4x12x6xf32>, tensor<?x5x13x6xf32>, tensor<3x4x1x6xf32>
}

// Negative padding cuts the image; padding wider than the filter leaves outputs without any tap.
func.func @cropped(%x: tensor<?x7x7x16xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<2x3x1x16xf32>, %y: tensor<?x4x12x16xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x4x12x16xf32>, tensor<?x7x7x16xf32>, tensor<2x3x1x16xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[-1, -1], [4, 3]] groups 16 : tensor<?x7x7x16xf32>, tensor<2x3x1x16xf32>
  %1 = lathe.conv_input_grad %y, %w input [7, 7] stride [1, 1] pad [[-1, -1], [4, 3]] groups 16 : tensor<?x4x12x16xf32>, tensor<2x3x1x16xf32>
  %2 = lathe.conv_filter_grad %x, %y filter [2, 3] stride [1, 1] pad [[-1, -1], [4, 3]] groups 16 : tensor<?x7x7x16xf32>, tensor<?x4x12x16xf32>
  return %0, %1, %2 : tensor<?x4x12x16xf32>, tensor<?x7x7x16xf32>, tensor<2x3x1x16xf32>
}

// More taps than registers; so many borders that no two tiles are alike, and the table has them. A line that is all of an image.
// CHECK: kernel_conv_{{.*}}: depthwise_lines {
// CHECK: kernel_conv_{{.*}}: convolution {
func.func @wide(%x: tensor<2x50x40xf32>, %w: tensor<31x1x40xf32>, %a: tensor<3x200x20xf32>, %u: tensor<15x1x20xf32>)
    -> (tensor<2x50x40xf32>, tensor<31x1x40xf32>, tensor<3x200x20xf32>, tensor<15x1x20xf32>) {
  %0 = lathe.conv %x, %w stride [1] pad same groups 40 : tensor<2x50x40xf32>, tensor<31x1x40xf32>
  %1 = lathe.conv_filter_grad %x, %0 filter [31] stride [1] pad [[15, 15]] groups 40 : tensor<2x50x40xf32>, tensor<2x50x40xf32>
  %2 = lathe.conv %a, %u stride [1] pad same dilation [9] groups 20 : tensor<3x200x20xf32>, tensor<15x1x20xf32>
  %3 = lathe.conv_filter_grad %a, %2 filter [15] stride [1] pad [[63, 63]] dilation [9] groups 20 : tensor<3x200x20xf32>, tensor<3x200x20xf32>
  return %0, %1, %2, %3 : tensor<2x50x40xf32>, tensor<31x1x40xf32>, tensor<3x200x20xf32>, tensor<15x1x20xf32>
}

// More taps than there should be code for.
func.func @endless(%x: tensor<1x700x4xf32>, %w: tensor<600x1x4xf32>) -> (tensor<1x700x4xf32>, tensor<600x1x4xf32>) {
  %0 = lathe.conv %x, %w stride [1] pad same groups 4 : tensor<1x700x4xf32>, tensor<600x1x4xf32>
  %1 = lathe.conv_filter_grad %x, %0 filter [600] stride [1] pad [[299, 300]] groups 4 : tensor<1x700x4xf32>, tensor<1x700x4xf32>
  return %0, %1 : tensor<1x700x4xf32>, tensor<600x1x4xf32>
}

// A line whose sums do not fit on the stack.
// A filter of more rows than the stack of a thread has room for their places.
func.func @tall(%x: tensor<1x40000x1x8xf32>, %w: tensor<40000x1x1x8xf32>) -> tensor<1x1x1x8xf32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[0, 0], [0, 0]] groups 8 : tensor<1x40000x1x8xf32>, tensor<40000x1x1x8xf32>
  return %0 : tensor<1x1x1x8xf32>
}
func.func @long(%x: tensor<2x3000x33xf32>, %w: tensor<4x1x33xf32>) -> (tensor<2x3000x33xf32>, tensor<4x1x33xf32>) {
  %0 = lathe.conv %x, %w stride [1] pad [[3, 0]] groups 33 : tensor<2x3000x33xf32>, tensor<4x1x33xf32>
  %1 = lathe.conv_filter_grad %x, %0 filter [4] stride [1] pad [[3, 0]] groups 33 : tensor<2x3000x33xf32>, tensor<2x3000x33xf32>
  return %0, %1 : tensor<2x3000x33xf32>, tensor<4x1x33xf32>
}

func.func @ranks(%a: tensor<9x14x5xf64>, %u: tensor<3x1x5xf64>, %b: tensor<2x4x3x6x9xf64>, %v: tensor<2x3x3x1x9xf64>)
    -> (tensor<9x14x5xf64>, tensor<2x4x3x6x9xf64>, tensor<2x4x3x6x9xf64>, tensor<2x3x3x1x9xf64>) {
  %0 = lathe.conv %a, %u stride [1] pad same groups 5 : tensor<9x14x5xf64>, tensor<3x1x5xf64>
  %1 = lathe.conv %b, %v stride [1, 1, 1] pad same groups 9 : tensor<2x4x3x6x9xf64>, tensor<2x3x3x1x9xf64>
  %2 = lathe.conv_input_grad %b, %v input [4, 3, 6] stride [1, 1, 1] pad [[0, 1], [1, 1], [1, 1]] groups 9 : tensor<2x4x3x6x9xf64>, tensor<2x3x3x1x9xf64>
  %3 = lathe.conv_filter_grad %b, %1 filter [2, 3, 3] stride [1, 1, 1] pad [[0, 1], [1, 1], [1, 1]] groups 9 : tensor<2x4x3x6x9xf64>, tensor<2x4x3x6x9xf64>
  return %0, %1, %2, %3 : tensor<9x14x5xf64>, tensor<2x4x3x6x9xf64>, tensor<2x4x3x6x9xf64>, tensor<2x3x3x1x9xf64>
}

func.func @integers(%a: tensor<2x5x9x18xi32>, %u: tensor<3x3x1x18xi32>, %b: tensor<2x5x9x70xui8>, %v: tensor<3x3x1x70xui8>, %c: tensor<2x9x3xi64>, %w: tensor<2x1x3xi64>)
    -> (tensor<2x5x9x18xi32>, tensor<2x5x9x70xui8>, tensor<2x9x3xi64>, tensor<3x3x1x18xi32>) {
  %0 = lathe.conv %a, %u stride [1, 1] pad same groups 18 : tensor<2x5x9x18xi32>, tensor<3x3x1x18xi32>
  %1 = lathe.conv %b, %v stride [1, 1] pad same groups 70 : tensor<2x5x9x70xui8>, tensor<3x3x1x70xui8>
  %2 = lathe.conv %c, %w stride [1] pad same groups 3 : tensor<2x9x3xi64>, tensor<2x1x3xi64>
  %3 = lathe.conv_filter_grad %a, %0 filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 18 : tensor<2x5x9x18xi32>, tensor<2x5x9x18xi32>
  return %0, %1, %2, %3 : tensor<2x5x9x18xi32>, tensor<2x5x9x70xui8>, tensor<2x9x3xi64>, tensor<3x3x1x18xi32>
}

func.func @halves(%a: tensor<2x5x9x18xbf16>, %u: tensor<3x3x1x18xbf16>, %b: tensor<2x5x9x18xf16>, %v: tensor<3x3x1x18xf16>)
    -> (tensor<2x5x9x18xbf16>, tensor<3x3x1x18xbf16>, tensor<2x5x9x18xf16>, tensor<3x3x1x18xf16>) {
  %0 = lathe.conv %a, %u stride [1, 1] pad same groups 18 : tensor<2x5x9x18xbf16>, tensor<3x3x1x18xbf16>
  %1 = lathe.conv_filter_grad %a, %0 filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 18 : tensor<2x5x9x18xbf16>, tensor<2x5x9x18xbf16>
  %2 = lathe.conv %b, %v stride [1, 1] pad same groups 18 : tensor<2x5x9x18xf16>, tensor<3x3x1x18xf16>
  %3 = lathe.conv_filter_grad %b, %2 filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 18 : tensor<2x5x9x18xf16>, tensor<2x5x9x18xf16>
  return %0, %1, %2, %3 : tensor<2x5x9x18xbf16>, tensor<3x3x1x18xbf16>, tensor<2x5x9x18xf16>, tensor<3x3x1x18xf16>
}

func.func @data(%a: tensor<?x12x11x72xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x6x6x72xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<3x3x1x72xf32>, %d: tensor<72xf32>)
    -> (tensor<?x12x11x72xf32> {lathe.name = "x"}, tensor<?x6x6x72xf32> {lathe.name = "dy"}, tensor<3x3x1x72xf32> {lathe.name = "w"}, tensor<72xf32> {lathe.name = "bias"}) {
  %0 = lathe.neg %a : tensor<?x12x11x72xf32>
  %1 = lathe.neg %b : tensor<?x6x6x72xf32>
  %2 = lathe.neg %c : tensor<3x3x1x72xf32>
  %3 = lathe.neg %d : tensor<72xf32>
  return %0, %1, %2, %3 : tensor<?x12x11x72xf32>, tensor<?x6x6x72xf32>, tensor<3x3x1x72xf32>, tensor<72xf32>
}

// An epilogue after the sums: a bias, a select that is a result too, a step.
func.func @layer(%x: tensor<?x12x11x72xf32> {lathe.dims = #lathe.dims<N>}, %dy: tensor<?x6x6x72xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x1x72xf32>, %b: tensor<72xf32>)
    -> (tensor<?x6x6x72xf32> {lathe.name = "y"}, tensor<?x6x6x72xi1> {lathe.name = "p"}, tensor<?x12x11x72xf32> {lathe.name = "dx"}, tensor<3x3x1x72xf32> {lathe.name = "dw"}) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %rate = lathe.constant dense<0.01> : tensor<f32>
  %0 = lathe.conv %x, %w stride [2, 2] pad [[0, 1], [1, 1]] groups 72 : tensor<?x12x11x72xf32>, tensor<3x3x1x72xf32>
  %1 = lathe.add %0, %b : tensor<?x6x6x72xf32>, tensor<72xf32>
  %2 = lathe.compare gt %1, %zero : tensor<?x6x6x72xf32>, tensor<f32>
  %3 = lathe.select %2, %1, %zero : tensor<?x6x6x72xi1>, tensor<?x6x6x72xf32>, tensor<f32>
  %4 = lathe.conv_input_grad %dy, %w input [12, 11] stride [2, 2] pad [[0, 1], [1, 1]] groups 72 : tensor<?x6x6x72xf32>, tensor<3x3x1x72xf32>
  %5 = lathe.conv_filter_grad %x, %dy filter [3, 3] stride [2, 2] pad [[0, 1], [1, 1]] groups 72 : tensor<?x12x11x72xf32>, tensor<?x6x6x72xf32>
  %6 = lathe.mul %5, %rate : tensor<3x3x1x72xf32>, tensor<f32>
  return %3, %2, %4, %6 : tensor<?x6x6x72xf32>, tensor<?x6x6x72xi1>, tensor<?x12x11x72xf32>, tensor<3x3x1x72xf32>
}
