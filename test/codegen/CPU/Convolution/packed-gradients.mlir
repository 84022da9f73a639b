// Gradients of filters that copy what a chain reads: strides, dilations, one dimension, few lines of many images, chains over
// several images, groups, channels and filters that leave parts of tiles, doubles, named numbers of images, levels and threads.
// RUN: lathec %s --explain --emit=none --target=x86-64-v3 2>&1 | FileCheck %s
// CHECK-COUNT-8: filter_gradient {{{.*}}packs = true
// CHECK: filter_gradient {{{.*}}packs = false
// RUN: lathe-run %s --random --dim N=1 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s --random --dim N=19 --check --rtol 1e-4 --atol 1e-4 --threads 3
// RUN: lathe-run %s --random --dim N=5 --check --rtol 1e-4 --atol 1e-4 --target=x86-64-v2

// Copies do not change a bit, nor do threads and versions for a known number of images.
// RUN: rm -rf %t.copied %t.read %t.threads %t.version
// RUN: lathe-run %s --random --dim N=19 --save %t.copied --target=x86-64-v3 > %t.log
// RUN: lathec %s --dim=N=19 --explain --emit=none --target=x86-64-v3 2>&1 | grep -o 'kernel_conv_filter_grad[0-9a-z_]* for .*' | grep 'v3: filter_gradient' | sed 's/ for x86-64-v3: filter_gradient/ #lathe.schedule<"x86-64-v3" filter_gradient/; s/packs = true/packs = false/; s/$/>/' > %t.schedules
// RUN: grep -c 'packs = false' %t.schedules | grep -x 9
// RUN: lathe-run %s --random --dim N=19 --save %t.read --target=x86-64-v3 --schedule=%t.schedules > %t.log && diff -r %t.copied %t.read
// RUN: lathe-run %s --random --dim N=19 --save %t.threads --target=x86-64-v3 --threads 3 > %t.log && diff -r %t.copied %t.threads
// RUN: lathe-run %s --random --dim N=19 --specialize N=19 --save %t.version --target=x86-64-v3 > %t.log && diff -r %t.copied %t.version

lathe.dim @N, 1 to 64
func.func @f(%x: tensor<?x9x11x40xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x9x11x36xf32> {lathe.dims = #lathe.dims<N>},
             %half: tensor<?x5x6x36xf32> {lathe.dims = #lathe.dims<N>}, %apart: tensor<?x7x9x36xf32> {lathe.dims = #lathe.dims<N>},
             %small: tensor<?x2x3x64xf32> {lathe.dims = #lathe.dims<N>}, %line: tensor<?x130x32xf32> {lathe.dims = #lathe.dims<N>},
             %lines: tensor<?x126x17xf32> {lathe.dims = #lathe.dims<N>}, %d: tensor<?x6x5x20xf64> {lathe.dims = #lathe.dims<N>},
             %wide: tensor<1x3x300x32xf32>)
    -> (tensor<3x3x40x36xf32>, tensor<3x3x40x36xf32>, tensor<3x3x40x36xf32>, tensor<3x3x64x64xf32>, tensor<5x32x17xf32>,
        tensor<5x3x20x20xf64>, tensor<3x3x20x36xf32>, tensor<4x2x40x36xf32>, tensor<3x3x32x32xf32>) {
  %0 = lathe.conv_filter_grad %x, %y filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x9x11x40xf32>, tensor<?x9x11x36xf32>
  %1 = lathe.conv_filter_grad %x, %half filter [3, 3] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x9x11x40xf32>, tensor<?x5x6x36xf32>
  %2 = lathe.conv_filter_grad %x, %apart filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] dilation [2, 2] : tensor<?x9x11x40xf32>, tensor<?x7x9x36xf32>
  %3 = lathe.conv_filter_grad %small, %small filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x2x3x64xf32>, tensor<?x2x3x64xf32>
  %4 = lathe.conv_filter_grad %line, %lines filter [5] stride [1] pad [[0, 0]] : tensor<?x130x32xf32>, tensor<?x126x17xf32>
  %5 = lathe.conv_filter_grad %d, %d filter [5, 3] stride [1, 1] pad [[2, 2], [1, 1]] : tensor<?x6x5x20xf64>, tensor<?x6x5x20xf64>
  %6 = lathe.conv_filter_grad %x, %y filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 2 : tensor<?x9x11x40xf32>, tensor<?x9x11x36xf32>
  %7 = lathe.conv_filter_grad %x, %y filter [4, 2] stride [1, 1] pad [[3, 0], [0, 1]] : tensor<?x9x11x40xf32>, tensor<?x9x11x36xf32>
  %8 = lathe.conv_filter_grad %wide, %wide filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<1x3x300x32xf32>, tensor<1x3x300x32xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<3x3x40x36xf32>, tensor<3x3x40x36xf32>, tensor<3x3x40x36xf32>, tensor<3x3x64x64xf32>, tensor<5x32x17xf32>, tensor<5x3x20x20xf64>, tensor<3x3x20x36xf32>, tensor<4x2x40x36xf32>, tensor<3x3x32x32xf32>
}
