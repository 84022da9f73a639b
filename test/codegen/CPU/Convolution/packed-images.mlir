// Convolutions of small images whose tiles have images as rows and read copies of a chain's rows of the filter: one chain and many,
// strides, doubles, images that leave parts of tiles and blocks, levels and threads.
// RUN: lathec %s --explain --emit=none --target=x86-64-v3 2>&1 | FileCheck %s
// CHECK-COUNT-5: convolution {{{.*}}by_images = true{{.*}}packs_filter = true
// CHECK: convolution {{{.*}}packs_filter = false
// RUN: lathe-run %s --random --dim N=1 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s --random --dim N=5 --check --rtol 1e-4 --atol 1e-4 --threads 2
// RUN: lathe-run %s --random --dim N=64 --check --rtol 1e-4 --atol 1e-4 --threads 3 --target=x86-64-v3
// RUN: lathe-run %s --random --dim N=39 --check --rtol 1e-4 --atol 1e-4 --target=x86-64-v2

// Copies do not change a bit, nor do threads and versions for a known number of images.
// RUN: rm -rf %t.copied %t.read %t.threads %t.version
// RUN: lathe-run %s --random --dim N=39 --save %t.copied --target=x86-64-v3 > %t.log
// RUN: lathec %s --dim=N=39 --explain --emit=none --target=x86-64-v3 2>&1 | grep -o 'kernel_conv_[0-9a-z_]* for .*' | grep 'v3: convolution' | sed 's/ for x86-64-v3: convolution/ #lathe.schedule<"x86-64-v3" convolution/; s/packs_filter = true/packs_filter = false/; s/$/>/' > %t.schedules
// RUN: grep -c 'packs_filter = false' %t.schedules | grep -x 6
// RUN: lathe-run %s --random --dim N=39 --save %t.read --target=x86-64-v3 --schedule=%t.schedules > %t.log && diff -r %t.copied %t.read
// RUN: lathe-run %s --random --dim N=39 --save %t.threads --target=x86-64-v3 --threads 3 > %t.log && diff -r %t.copied %t.threads
// RUN: lathe-run %s --random --dim N=39 --specialize N=39 --save %t.version --target=x86-64-v3 > %t.log && diff -r %t.copied %t.version

lathe.dim @N, 1 to 64
func.func @f(%x: tensor<?x4x3x40xf32> {lathe.dims = #lathe.dims<N>}, %f: tensor<3x3x40x36xf32>, %z: tensor<?x2x2x512xf32> {lathe.dims = #lathe.dims<N>},
             %g: tensor<3x3x512x40xf32>, %one: tensor<1x1x40x36xf32>, %d: tensor<?x3x3x20xf64> {lathe.dims = #lathe.dims<N>}, %h: tensor<3x3x20x24xf64>,
             %i: tensor<?x3x3x40xi32> {lathe.dims = #lathe.dims<N>}, %k: tensor<3x3x40x36xi32>)
    -> (tensor<?x4x3x36xf32>, tensor<?x2x2x40xf32>, tensor<?x2x2x36xf32>, tensor<?x2x2x36xf32>, tensor<?x3x3x24xf64>, tensor<?x3x3x36xi32>) {
  %0 = lathe.conv %x, %f stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x4x3x40xf32>, tensor<3x3x40x36xf32>
  %1 = lathe.conv %z, %g stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x2x2x512xf32>, tensor<3x3x512x40xf32>
  %2 = lathe.conv %x, %f stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x4x3x40xf32>, tensor<3x3x40x36xf32>
  %3 = lathe.conv %x, %one stride [2, 2] pad [[0, 0], [0, 0]] : tensor<?x4x3x40xf32>, tensor<1x1x40x36xf32>
  %4 = lathe.conv %d, %h stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x3x3x20xf64>, tensor<3x3x20x24xf64>
  %5 = lathe.conv %i, %k stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x3x3x40xi32>, tensor<3x3x40x36xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<?x4x3x36xf32>, tensor<?x2x2x40xf32>, tensor<?x2x2x36xf32>, tensor<?x2x2x36xf32>, tensor<?x3x3x24xf64>, tensor<?x3x3x36xi32>
}
