// Convolutions by Winograd's filtering against the interpreter: squares over borders, paddings of all kinds, images of any size,
// blocks of channels and groups of filters, epilogues, gradients, levels and threads. The largest results, near
// 45, are sums of 1800 products, and off by 2.4e-5.
// RUN: lathec %s --math=fast --emit=none --explain --target=x86-64-v3 2>&1 | FileCheck %s
// CHECK-COUNT-11: by Winograd's F(
// RUN: lathe-run %s main --random --math=fast --dim N=1 --dim H=4 --check --rtol 0 --atol 6e-5
// RUN: lathe-run %s main --random --math=fast --dim N=3 --dim H=9 --check --rtol 0 --atol 6e-5 --threads 3
// RUN: lathe-run %s main --random --math=fast --dim N=5 --dim H=1 --check --rtol 0 --atol 6e-5 --target=x86-64-v3 --threads 2
// RUN: lathe-run %s main --random --math=fast --dim N=2 --dim H=7 --check --rtol 0 --atol 6e-5 --target=x86-64-v2
// RUN: lathe-run %s main --random --math=fast --dim N=0 --dim H=7 --check --rtol 0 --atol 6e-5
// RUN: lathec %s --math=fast --target=x86-64-v4 --emit=obj -o %t.o
// RUN: lathe-run %s step --random --math=fast --check --rtol 0 --atol 2e-4 --threads 2
// RUN: lathe-run %s step --random --math=fast --gradcheck

// The same bits on any number of threads, and in versions for known and named sizes.
// RUN: rm -rf %t.one %t.threads %t.version
// RUN: lathe-run %s main --random --math=fast --dim N=3 --dim H=10 --save %t.one > %t.log
// RUN: lathe-run %s main --random --math=fast --dim N=3 --dim H=10 --threads 3 --save %t.threads > %t.log
// RUN: lathe-run %s main --random --math=fast --input x=@%t.one/in-x.npy --specialize N=3 --specialize H=10 --save %t.version > %t.log
// RUN: lathe-run %s main --random --math=fast --input x=@%t.one/in-x.npy --save %t.open > %t.log
// RUN: diff -r %t.one %t.threads && diff -r %t.open %t.version

func.func @main(%x: tensor<?x?x9x24xf32> {lathe.dims = #lathe.dims<N, H>, lathe.name = "x"}, %w: tensor<3x3x24x48xf32>,
                %deep: tensor<2x7x6x200xf32>, %dw: tensor<3x3x200x16xf32>, %image: tensor<1x13x15x16xf32>, %iw: tensor<3x3x16x160xf32>,
                %many: tensor<9x8x8x32xf32>, %mw: tensor<3x3x32x32xf32>, %b: tensor<160xf32>)
    -> (tensor<?x?x9x48xf32>, tensor<?x?x9x48xf32>, tensor<2x7x6x16xf32>, tensor<1x13x15x160xf32>, tensor<1x13x15x160xf32>, tensor<1x11x13x160xf32>,
        tensor<1x12x16x160xf32>, tensor<1x17x19x160xf32>, tensor<9x6x6x32xf32>, tensor<9x8x8x32xf32>) {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x?x9x24xf32>, tensor<3x3x24x48xf32>
  %tanh = lathe.tanh %0 : tensor<?x?x9x48xf32>
  %1 = lathe.conv %deep, %dw stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x7x6x200xf32>, tensor<3x3x200x16xf32>
  %2 = lathe.conv %image, %iw stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x13x15x16xf32>, tensor<3x3x16x160xf32>
  %biased = lathe.add %2, %b : tensor<1x13x15x160xf32>, tensor<160xf32>
  %half = lathe.mul %2, %b : tensor<1x13x15x160xf32>, tensor<160xf32>
  %bounded = lathe.tanh %half : tensor<1x13x15x160xf32>
  %3 = lathe.conv %image, %iw stride [1, 1] pad [[0, 0], [0, 0]] : tensor<1x13x15x16xf32>, tensor<3x3x16x160xf32>
  %4 = lathe.conv %image, %iw stride [1, 1] pad [[0, 1], [3, 0]] : tensor<1x13x15x16xf32>, tensor<3x3x16x160xf32>
  %5 = lathe.conv %image, %iw stride [1, 1] pad [[3, 3], [2, 4]] : tensor<1x13x15x16xf32>, tensor<3x3x16x160xf32>
  %6 = lathe.conv %many, %mw stride [1, 1] pad [[0, 0], [0, 0]] : tensor<9x8x8x32xf32>, tensor<3x3x32x32xf32>
  %7 = lathe.conv %many, %mw stride [1, 1] pad [[1, 1], [1, 1]] : tensor<9x8x8x32xf32>, tensor<3x3x32x32xf32>
  %sum = lathe.add %7, %many : tensor<9x8x8x32xf32>, tensor<9x8x8x32xf32>
  return %0, %tanh, %1, %biased, %bounded, %3, %4, %5, %6, %sum
    : tensor<?x?x9x48xf32>, tensor<?x?x9x48xf32>, tensor<2x7x6x16xf32>, tensor<1x13x15x160xf32>, tensor<1x13x15x160xf32>, tensor<1x11x13x160xf32>,
      tensor<1x12x16x160xf32>, tensor<1x17x19x160xf32>, tensor<9x6x6x32xf32>, tensor<9x8x8x32xf32>
}

// The gradient by the images is a convolution by the turned filter, which is computed at run time.
func.func @loss(%w: tensor<3x3x32x16xf32>, %v: tensor<3x3x16x16xf32>, %x: tensor<4x12x12x32xf32>) -> tensor<f32> {
  %0 = lathe.conv %x, %w stride [1, 1] pad [[1, 1], [1, 1]] : tensor<4x12x12x32xf32>, tensor<3x3x32x16xf32>
  %1 = lathe.tanh %0 : tensor<4x12x12x16xf32>
  %2 = lathe.conv %1, %v stride [1, 1] pad [[1, 1], [1, 1]] : tensor<4x12x12x16xf32>, tensor<3x3x16x16xf32>
  %3 = lathe.tanh %2 : tensor<4x12x12x16xf32>
  %4 = lathe.std.mean %3 dims [0, 1, 2, 3] : tensor<4x12x12x16xf32>
  return %4 : tensor<f32>
}
func.func @step(%w: tensor<3x3x32x16xf32>, %v: tensor<3x3x16x16xf32>, %x: tensor<4x12x12x32xf32>)
    -> (tensor<f32>, tensor<3x3x32x16xf32>, tensor<3x3x16x16xf32>) {
  %value, %dw, %dv = lathe.value_and_grad @loss(%w, %v, %x) wrt [0, 1] : (tensor<3x3x32x16xf32>, tensor<3x3x16x16xf32>, tensor<4x12x12x32xf32>)
    -> (tensor<f32>, tensor<3x3x32x16xf32>, tensor<3x3x16x16xf32>)
  return %value, %dw, %dv : tensor<f32>, tensor<3x3x32x16xf32>, tensor<3x3x16x16xf32>
}
