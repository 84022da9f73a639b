// 'pad same' with a stride over named sizes: a lathe.pad by those sizes, and the numbers and bits of known sizes.
// RUN: lathec %s --emit=mlir --emit-stage=import -o - | FileCheck %s
// RUN: lathec %s --emit=mlir --emit-stage=import --dim H=7 --dim W=8 -o - | FileCheck %s --check-prefix=KNOWN

// Odd and even sizes, the smallest, and more than a tile; three threads; the interpreter at known sizes; derivatives.
// RUN: rm -rf %t.* && lathe-run %s images --random --dim H=7 --dim W=8 --check --rtol 1e-4 --atol 1e-4 --save %t.odd
// RUN: lathe-run %s images --random --input x=@%t.odd/in-x.npy --check --rtol 1e-4 --atol 1e-4 --save %t.open-odd && diff -r %t.odd %t.open-odd
// RUN: lathe-run %s images --random --dim H=8 --dim W=9 --save %t.even
// RUN: lathe-run %s images --random --input x=@%t.even/in-x.npy --threads 3 --save %t.open-even && diff -r %t.even %t.open-even
// RUN: lathe-run %s images --random --dim H=1 --dim W=1 --save %t.least
// RUN: lathe-run %s images --random --input x=@%t.least/in-x.npy --save %t.open-least && diff -r %t.least %t.open-least
// RUN: lathe-run %s images --random --dim H=30 --dim W=43 --save %t.large
// RUN: lathe-run %s images --random --input x=@%t.large/in-x.npy --save %t.open-large && diff -r %t.large %t.open-large
// RUN: lathe-run %s images --random --dim H=6 --dim W=5 --interpret --save %t.meant
// RUN: lathe-run %s images --random --input x=@%t.meant/in-x.npy --interpret --save %t.open-meant && diff -r %t.meant %t.open-meant
// RUN: lathe-run %s loss --random --gradcheck --dim H=6 --dim W=7

// Three places every two of H: one of padding behind if H is even, one on each side if it is odd. Five every three of W. One every
// two of H needs none, two every three leave out what no window reads.
// CHECK-LABEL: func.func @images
// CHECK: lathe.pad %arg0, {{.*}} low [0, H - 2 * floor_div(H, 2),
// CHECK: lathe.conv {{.*}} stride [2, 3] pad {{\[\[}}0, 0], [0, 0]] : tensor<2x?x?x3xf32, #lathe.dims<2 * ceil_div(H, 2) + 1, 3 * ceil_div(W, 3) + 2>>
// CHECK: lathe.conv {{.*}} stride [2, 1] pad {{\[\[}}0, 0], [1, 2]] dilation [1, 3] : tensor<2x?x?x3xf32, #lathe.dims<H, W>>
// CHECK: lathe.conv {{.*}} : tensor<2x?x?x3xf32, #lathe.dims<3 * ceil_div(H, 3), W>>
// CHECK: lathe.conv_input_grad {{.*}} input [2 * ceil_div(H, 2) + 1, 3 * ceil_div(W, 3) + 2] stride [2, 3] pad {{\[\[}}0, 0], [0, 0]]
// CHECK: lathe.slice {{.*}} from [0, H - 2 * floor_div(H, 2),

// KNOWN-NOT: lathe.pad
// KNOWN: lathe.conv {{.*}} stride [2, 3] pad {{\[\[}}1, 1], [1, 2]]
// KNOWN: lathe.conv {{.*}} stride [2, 1] pad {{\[\[}}0, 0], [1, 2]] dilation [1, 3]
// KNOWN: lathe.conv {{.*}} stride [3, 1] pad {{\[\[}}0, 1], [0, 0]]
// KNOWN: lathe.conv_input_grad {{.*}} input [7, 8] stride [2, 3] pad {{\[\[}}1, 1], [1, 2]]
// KNOWN: lathe.conv_filter_grad {{.*}} pad {{\[\[}}1, 1], [1, 2]]
// KNOWN-NOT: lathe.slice
func.func @images(%x: tensor<2x?x?x3xf32> {lathe.dims = #lathe.dims<H, W>}, %w: tensor<3x5x3x4xf32>, %u: tensor<1x2x3x4xf32>,
                  %v: tensor<2x1x3x4xf32>)
    -> (tensor<2x?x?x4xf32>, tensor<2x?x?x4xf32>, tensor<2x?x?x4xf32>, tensor<2x?x?x3xf32>, tensor<3x5x3x4xf32>) {
  %0 = lathe.conv %x, %w stride [2, 3] pad same : tensor<2x?x?x3xf32>, tensor<3x5x3x4xf32>
  %1 = lathe.conv %x, %u stride [2, 1] pad same dilation [1, 3] : tensor<2x?x?x3xf32>, tensor<1x2x3x4xf32>
  %2 = lathe.conv %x, %v stride [3, 1] pad same : tensor<2x?x?x3xf32>, tensor<2x1x3x4xf32>
  %3 = lathe.conv_input_grad %0, %w input [H, W] stride [2, 3] pad same : tensor<2x?x?x4xf32>, tensor<3x5x3x4xf32>
  %4 = lathe.conv_filter_grad %x, %0 filter [3, 5] stride [2, 3] pad same : tensor<2x?x?x3xf32>, tensor<2x?x?x4xf32>
  return %0, %1, %2, %3, %4 : tensor<2x?x?x4xf32>, tensor<2x?x?x4xf32>, tensor<2x?x?x4xf32>, tensor<2x?x?x3xf32>, tensor<3x5x3x4xf32>
}

// A private function's sizes are those of its calls: H, and 9, where the padding is a number.
// CHECK-LABEL: func.func @loss
// CHECK: lathe.conv {{.*}} pad {{\[\[}}0, 0], [0, 0]] : tensor<2x?x?x3xf32, #lathe.dims<2 * ceil_div(H, 2) + 1, 2 * ceil_div(W, 2) + 1>>
// CHECK: lathe.conv {{.*}} pad {{\[\[}}1, 1], [1, 1]] : tensor<2x9x9x3xf32>
func.func private @half(%x: tensor<2x?x?x3xf32>, %w: tensor<?x?x3x1xf32>) -> tensor<2x?x?x1xf32> {
  %0 = lathe.conv %x, %w stride [2, 2] pad same : tensor<2x?x?x3xf32>, tensor<?x?x3x1xf32>
  return %0 : tensor<2x?x?x1xf32>
}
func.func @loss(%x: tensor<2x?x?x3xf32> {lathe.dims = #lathe.dims<H, W>}, %y: tensor<2x9x9x3xf32>, %w: tensor<3x3x3x1xf32>) -> tensor<f32> {
  %0 = call @half(%x, %w) : (tensor<2x?x?x3xf32>, tensor<3x3x3x1xf32>) -> tensor<2x?x?x1xf32>
  %1 = call @half(%y, %w) : (tensor<2x9x9x3xf32>, tensor<3x3x3x1xf32>) -> tensor<2x?x?x1xf32>
  %2 = lathe.mul %0, %0 : tensor<2x?x?x1xf32>
  %3 = lathe.reduce sum %2 dims [0, 1, 2, 3] : tensor<2x?x?x1xf32>
  %4 = lathe.reduce sum %1 dims [0, 1, 2, 3] : tensor<2x?x?x1xf32>
  %5 = lathe.add %3, %4 : tensor<f32>
  return %5 : tensor<f32>
}
