// Convolutions whose tiles of images read copies of the filter share tiles of filters, not positions, where there are many of them:
// each thread copies its own part of the filter. The bits are those of one thread, and of tiles that copy nothing.
// RUN: lathec %s --target=x86-64-v3 --emit=none --explain 2>&1 | FileCheck %s
// RUN: rm -rf %t && mkdir %t
// RUN: lathe-run %s --random --check --rtol 1e-4 --atol 1e-4 --save %t/one --target=x86-64-v3 > %t/log
// RUN: lathe-run %s --random --threads 3 --save %t/three --target=x86-64-v3 > %t/log
// RUN: diff -r %t/one %t/three
// RUN: lathec %s --explain --emit=none --target=x86-64-v3 2>&1 | grep -o 'kernel_conv_[0-9a-z_]* for .*' | grep 'v3: convolution' | sed 's/ for x86-64-v3: convolution/ #lathe.schedule<"x86-64-v3" convolution/; s/packs_filter = true/packs_filter = false/; s/$/>/' > %t/schedules
// RUN: grep -c 'packs_filter = false' %t/schedules | grep -x 3
// RUN: lathe-run %s --random --save %t/read --target=x86-64-v3 --schedule=%t/schedules > %t/log && diff -r %t/one %t/read

// CHECK: [[MANY:kernel_conv_[0-9a-f]+]] for x86-64-v3: convolution {{.*}}image_lanes = 8, image_rows = {{[0-9]+}}, image_vectors = 2, packs_filter = true,
// CHECK: [[STRIDE:kernel_conv_[0-9a-f]+]] for x86-64-v3: convolution {{.*}}image_lanes = 8, image_rows = {{[0-9]+}}, image_vectors = 2, packs_filter = true,
// CHECK: [[FEW:kernel_conv_[0-9a-f]+]] for x86-64-v3: convolution {{.*}}packs_filter = true,
// CHECK: [[MANY]] for x86-64-v3: {{.*}}parallel over 32 chunks
// CHECK: [[STRIDE]] for x86-64-v3: {{.*}}parallel over 16 chunks
// CHECK: [[FEW]] for x86-64-v3: {{.*}}parallel over 4 chunks

func.func @f(%x: tensor<24x2x2x64xf32>, %f: tensor<3x3x64x512xf32>, %y: tensor<16x6x6x40xf32>, %g: tensor<3x3x40x256xf32>,
             %h: tensor<3x3x64x128xf32>) -> (tensor<24x2x2x512xf32>, tensor<16x3x3x256xf32>, tensor<24x2x2x128xf32>) {
  %0 = lathe.conv %x, %f stride [1, 1] pad [[1, 1], [1, 1]] : tensor<24x2x2x64xf32>, tensor<3x3x64x512xf32>
  %1 = lathe.conv %y, %g stride [2, 2] pad [[1, 1], [1, 1]] : tensor<16x6x6x40xf32>, tensor<3x3x40x256xf32>
  %2 = lathe.conv %x, %h stride [1, 1] pad [[1, 1], [1, 1]] : tensor<24x2x2x64xf32>, tensor<3x3x64x128xf32>
  return %0, %1, %2 : tensor<24x2x2x512xf32>, tensor<16x3x3x256xf32>, tensor<24x2x2x128xf32>
}
