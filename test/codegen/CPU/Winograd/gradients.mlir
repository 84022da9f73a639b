// Gradients of filters by Winograd's filtering against the interpreter: squares over borders, paddings of all kinds, images of any
// size, strips of channels and blocks of filters, more squares than a group, epilogues, levels and threads. The largest results are
// near 20, and off by 2e-5.
// RUN: lathec %s --entry=main --math=fast --emit=none --explain --target=x86-64-v3 2>&1 | FileCheck %s
// CHECK-COUNT-7: gradient of the filter is computed by Winograd's F(
// RUN: lathe-run %s main --random --math=fast --dim N=1 --dim H=4 --check --rtol 0 --atol 6e-5
// RUN: lathe-run %s main --random --math=fast --dim N=3 --dim H=9 --check --rtol 0 --atol 6e-5 --threads 3
// RUN: lathe-run %s main --random --math=fast --dim N=5 --dim H=1 --check --rtol 0 --atol 6e-5 --target=x86-64-v3 --threads 2
// RUN: lathe-run %s main --random --math=fast --dim N=2 --dim H=7 --check --rtol 0 --atol 6e-5 --target=x86-64-v2
// RUN: lathe-run %s main --random --math=fast --dim N=0 --dim H=7 --check --rtol 0 --atol 6e-5
// RUN: lathec %s --math=fast --target=x86-64-v4 --emit=obj -o %t.o

// Channels that a strip does not divide, and both squares. The same bits on any number of threads, with other schedules, and in versions
// for known and named sizes.
// RUN: rm -rf %t.*
// RUN: lathec %s --entry=main --math=fast --target=x86-64-v3 --explain --emit=none 2>&1 | grep -o 'kernel_[a-z_]*_[0-9a-f]* for x86-64-v3: winograd_gradient' | sed 's/ for.*/ #lathe.schedule<"x86-64-v3" winograd_gradient {channels = 8, filters = 16, product_rows = 6, product_vectors = 2}>/' > %t.schedules
// RUN: grep -c winograd_gradient %t.schedules | grep -x 7
// RUN: lathec %s --math=fast --target=x86-64-v3 --emit=shared -o %t.so && lathec %s --math=fast --target=x86-64-v3 --schedule=%t.schedules --emit=shared -o %t.other.so
// RUN: lathe-run %t.so main --random --dim N=3 --dim H=10 --save %t.one > %t.log
// RUN: lathe-run %t.so main --random --dim N=3 --dim H=10 --threads 3 --save %t.threads > %t.log
// RUN: lathe-run %t.other.so main --random --dim N=3 --dim H=10 --save %t.other > %t.log
// RUN: lathe-run %s main --random --math=fast --input x=@%t.one/in-x.npy --input dy=@%t.one/in-dy.npy --specialize N=3 --specialize H=10 --save %t.version > %t.log
// RUN: lathe-run %s main --random --math=fast --input x=@%t.one/in-x.npy --input dy=@%t.one/in-dy.npy --save %t.open > %t.log
// RUN: diff -r %t.one %t.threads && diff -r %t.one %t.other && diff -r %t.open %t.version

func.func @main(%x: tensor<?x?x9x24xf32> {lathe.dims = #lathe.dims<N, H>, lathe.name = "x"}, %dy: tensor<?x?x9x48xf32> {lathe.dims = #lathe.dims<N, H>, lathe.name = "dy"},
                %deep: tensor<2x7x6x200xf32>, %ddeep: tensor<2x7x6x16xf32>, %image: tensor<1x13x15x16xf32>, %d1: tensor<1x11x13x160xf32>,
                %d2: tensor<1x12x16x160xf32>, %d3: tensor<1x17x19x160xf32>, %many: tensor<9x8x8x32xf32>, %d4: tensor<9x6x6x32xf32>, %d5: tensor<9x8x8x32xf32>, %w: tensor<3x3x32x32xf32>)
    -> (tensor<3x3x24x48xf32>, tensor<3x3x200x16xf32>, tensor<3x3x16x160xf32>, tensor<3x3x16x160xf32>, tensor<3x3x16x160xf32>, tensor<3x3x32x32xf32>,
        tensor<3x3x32x32xf32>) {
  %0 = lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x?x9x24xf32>, tensor<?x?x9x48xf32>
  %1 = lathe.conv_filter_grad %deep, %ddeep filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x7x6x200xf32>, tensor<2x7x6x16xf32>
  %2 = lathe.conv_filter_grad %image, %d1 filter [3, 3] stride [1, 1] pad [[0, 0], [0, 0]] : tensor<1x13x15x16xf32>, tensor<1x11x13x160xf32>
  %3 = lathe.conv_filter_grad %image, %d2 filter [3, 3] stride [1, 1] pad [[0, 1], [3, 0]] : tensor<1x13x15x16xf32>, tensor<1x12x16x160xf32>
  %4 = lathe.conv_filter_grad %image, %d3 filter [3, 3] stride [1, 1] pad [[3, 3], [2, 4]] : tensor<1x13x15x16xf32>, tensor<1x17x19x160xf32>
  %5 = lathe.conv_filter_grad %many, %d4 filter [3, 3] stride [1, 1] pad [[0, 0], [0, 0]] : tensor<9x8x8x32xf32>, tensor<9x6x6x32xf32>
  %6 = lathe.conv_filter_grad %many, %d5 filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<9x8x8x32xf32>, tensor<9x8x8x32xf32>
  %rate = lathe.constant dense<0.5> : tensor<3x3x32x32xf32>
  %change = lathe.mul %6, %rate : tensor<3x3x32x32xf32>
  %next = lathe.sub %w, %change : tensor<3x3x32x32xf32>
  return %0, %1, %2, %3, %4, %5, %next
    : tensor<3x3x24x48xf32>, tensor<3x3x200x16xf32>, tensor<3x3x16x160xf32>, tensor<3x3x16x160xf32>, tensor<3x3x16x160xf32>, tensor<3x3x32x32xf32>,
      tensor<3x3x32x32xf32>
}
