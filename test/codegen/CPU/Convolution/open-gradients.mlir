// Gradients over images of named sizes: the same bits as of fixed sizes, from specialised versions, several threads and another
// level with FMA. Strides, dilations of both sides, groups, depthwise; one to three dimensions; lines of more than one chain.
// RUN: rm -rf %t.* && lathe-run %s images --random --dim N=3 --dim H=13 --dim W=16 --check --rtol 1e-4 --atol 1e-3 --save %t.fixed
// RUN: lathe-run %s images --input x=@%t.fixed/in-x.npy --random --save %t.open && diff -r %t.fixed %t.open
// RUN: lathe-run %s images --input x=@%t.fixed/in-x.npy --random --threads 3 --save %t.threads && diff -r %t.fixed %t.threads
// RUN: lathe-run %s images --input x=@%t.fixed/in-x.npy --random --specialize N=3 --specialize H=13 --specialize W=16 --save %t.special && diff -r %t.fixed %t.special
// RUN: lathe-run %s images --input x=@%t.fixed/in-x.npy --random --specialize H=13 --threads 2 --save %t.height && diff -r %t.fixed %t.height
// RUN: %if x86-64-v4 %{ lathe-run %s images --input x=@%t.fixed/in-x.npy --random --target x86-64-v3 --save %t.level && diff -r %t.fixed %t.level %}
// RUN: lathe-run %s images --random --dim N=1 --dim H=3 --dim W=530 --save %t.wide
// RUN: lathe-run %s images --input x=@%t.wide/in-x.npy --random --threads 2 --save %t.open-wide && diff -r %t.wide %t.open-wide
// RUN: lathe-run %s images --random --dim N=2 --dim H=2 --dim W=3 --save %t.small
// RUN: lathe-run %s images --input x=@%t.small/in-x.npy --random --check --rtol 1e-4 --atol 1e-4 --save %t.open-small && diff -r %t.small %t.open-small
// RUN: lathe-run %s images --input x=@%t.small/in-x.npy --random --check --rtol 1e-4 --atol 1e-4 --target x86-64-v2 -O 0
// RUN: lathe-run %s images --random --dim N=1 --dim H=31 --dim W=27 --save %t.tall
// RUN: lathe-run %s images --input x=@%t.tall/in-x.npy --random --save %t.open-tall && diff -r %t.tall %t.open-tall
// RUN: lathe-run %s images --input x=@%t.tall/in-x.npy --random --threads 3 --save %t.tall-threads && diff -r %t.tall %t.tall-threads
// RUN: lathe-run %s rest --random --dim N=5 --dim D=4 --dim H=5 --dim T=600 --check --rtol 1e-4 --atol 1e-3 --save %t.rest
// RUN: lathe-run %s rest --input x=@%t.rest/in-x.npy --input s=@%t.rest/in-s.npy --random --threads 2 --save %t.open-rest && diff -r %t.rest %t.open-rest
// RUN: lathe-run %s images --random --dim N=0 --dim H=5 --dim W=4 --check --rtol 0 --atol 0

func.func @images(%x: tensor<?x?x?x12xf32> {lathe.dims = #lathe.dims<N, H, W>}, %strided: tensor<3x3x12x20xf32>,
                  %dilated: tensor<2x5x12x9xf32>,
                  %spread: tensor<3x4x12x10xf32>,
                  %grouped: tensor<3x3x4x24xf32>,
                  %depthwise: tensor<3x5x1x12xf32>,
                  %deepspread: tensor<3x3x1x12xf32>,
                  %plain: tensor<1x1x12x16xf32>)
    -> (tensor<?x?x?x20xf32>, tensor<?x?x?x12xf32>, tensor<3x3x12x20xf32>, tensor<?x?x?x9xf32>, tensor<?x?x?x12xf32>, tensor<2x5x12x9xf32>, tensor<?x?x?x10xf32>, tensor<?x?x?x12xf32>, tensor<3x4x12x10xf32>, tensor<?x?x?x24xf32>, tensor<?x?x?x12xf32>, tensor<3x3x4x24xf32>, tensor<?x?x?x12xf32>, tensor<?x?x?x12xf32>, tensor<3x5x1x12xf32>, tensor<?x?x?x12xf32>, tensor<?x?x?x12xf32>, tensor<3x3x1x12xf32>, tensor<?x?x?x16xf32>, tensor<?x?x?x12xf32>, tensor<1x1x12x16xf32>) {
  %strided_y = lathe.conv %x, %strided stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x?x?x12xf32>, tensor<3x3x12x20xf32>
  %strided_dx = lathe.conv_input_grad %strided_y, %strided input [H, W] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x?x?x20xf32>, tensor<3x3x12x20xf32>
  %strided_dw = lathe.conv_filter_grad %x, %strided_y filter [3, 3] stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x?x?x12xf32>, tensor<?x?x?x20xf32>
  %dilated_y = lathe.conv %x, %dilated stride [3, 1] pad [[0, 1], [4, 4]] dilation [1, 2] : tensor<?x?x?x12xf32>, tensor<2x5x12x9xf32>
  %dilated_dx = lathe.conv_input_grad %dilated_y, %dilated input [H, W] stride [3, 1] pad [[0, 1], [4, 4]] dilation [1, 2] : tensor<?x?x?x9xf32>, tensor<2x5x12x9xf32>
  %dilated_dw = lathe.conv_filter_grad %x, %dilated_y filter [2, 5] stride [3, 1] pad [[0, 1], [4, 4]] dilation [1, 2] : tensor<?x?x?x12xf32>, tensor<?x?x?x9xf32>
  %spread_y = lathe.conv %x, %spread stride [2, 3] pad [[2, 3], [3, 2]] dilation [2, 1] input_dilation [3, 2] : tensor<?x?x?x12xf32>, tensor<3x4x12x10xf32>
  %spread_dx = lathe.conv_input_grad %spread_y, %spread input [H, W] stride [2, 3] pad [[2, 3], [3, 2]] dilation [2, 1] input_dilation [3, 2] : tensor<?x?x?x10xf32>, tensor<3x4x12x10xf32>
  %spread_dw = lathe.conv_filter_grad %x, %spread_y filter [3, 4] stride [2, 3] pad [[2, 3], [3, 2]] dilation [2, 1] input_dilation [3, 2] : tensor<?x?x?x12xf32>, tensor<?x?x?x10xf32>
  %grouped_y = lathe.conv %x, %grouped stride [2, 1] pad [[1, 1], [1, 1]] groups 3 : tensor<?x?x?x12xf32>, tensor<3x3x4x24xf32>
  %grouped_dx = lathe.conv_input_grad %grouped_y, %grouped input [H, W] stride [2, 1] pad [[1, 1], [1, 1]] groups 3 : tensor<?x?x?x24xf32>, tensor<3x3x4x24xf32>
  %grouped_dw = lathe.conv_filter_grad %x, %grouped_y filter [3, 3] stride [2, 1] pad [[1, 1], [1, 1]] groups 3 : tensor<?x?x?x12xf32>, tensor<?x?x?x24xf32>
  %depthwise_y = lathe.conv %x, %depthwise stride [2, 2] pad [[1, 1], [2, 2]] groups 12 : tensor<?x?x?x12xf32>, tensor<3x5x1x12xf32>
  %depthwise_dx = lathe.conv_input_grad %depthwise_y, %depthwise input [H, W] stride [2, 2] pad [[1, 1], [2, 2]] groups 12 : tensor<?x?x?x12xf32>, tensor<3x5x1x12xf32>
  %depthwise_dw = lathe.conv_filter_grad %x, %depthwise_y filter [3, 5] stride [2, 2] pad [[1, 1], [2, 2]] groups 12 : tensor<?x?x?x12xf32>, tensor<?x?x?x12xf32>
  %deepspread_y = lathe.conv %x, %deepspread stride [2, 3] pad [[2, 2], [3, 3]] dilation [1, 2] input_dilation [3, 2] groups 12 : tensor<?x?x?x12xf32>, tensor<3x3x1x12xf32>
  %deepspread_dx = lathe.conv_input_grad %deepspread_y, %deepspread input [H, W] stride [2, 3] pad [[2, 2], [3, 3]] dilation [1, 2] input_dilation [3, 2] groups 12 : tensor<?x?x?x12xf32>, tensor<3x3x1x12xf32>
  %deepspread_dw = lathe.conv_filter_grad %x, %deepspread_y filter [3, 3] stride [2, 3] pad [[2, 2], [3, 3]] dilation [1, 2] input_dilation [3, 2] groups 12 : tensor<?x?x?x12xf32>, tensor<?x?x?x12xf32>
  %plain_y = lathe.conv %x, %plain stride [1, 1] pad [[0, 0], [0, 0]] : tensor<?x?x?x12xf32>, tensor<1x1x12x16xf32>
  %plain_dx = lathe.conv_input_grad %plain_y, %plain input [H, W] stride [1, 1] pad [[0, 0], [0, 0]] : tensor<?x?x?x16xf32>, tensor<1x1x12x16xf32>
  %plain_dw = lathe.conv_filter_grad %x, %plain_y filter [1, 1] stride [1, 1] pad [[0, 0], [0, 0]] : tensor<?x?x?x12xf32>, tensor<?x?x?x16xf32>
  return %strided_y, %strided_dx, %strided_dw, %dilated_y, %dilated_dx, %dilated_dw, %spread_y, %spread_dx, %spread_dw, %grouped_y, %grouped_dx, %grouped_dw, %depthwise_y, %depthwise_dx, %depthwise_dw, %deepspread_y, %deepspread_dx, %deepspread_dw, %plain_y, %plain_dx, %plain_dw
    : tensor<?x?x?x20xf32>, tensor<?x?x?x12xf32>, tensor<3x3x12x20xf32>, tensor<?x?x?x9xf32>, tensor<?x?x?x12xf32>, tensor<2x5x12x9xf32>, tensor<?x?x?x10xf32>, tensor<?x?x?x12xf32>, tensor<3x4x12x10xf32>, tensor<?x?x?x24xf32>, tensor<?x?x?x12xf32>, tensor<3x3x4x24xf32>, tensor<?x?x?x12xf32>, tensor<?x?x?x12xf32>, tensor<3x5x1x12xf32>, tensor<?x?x?x12xf32>, tensor<?x?x?x12xf32>, tensor<3x3x1x12xf32>, tensor<?x?x?x16xf32>, tensor<?x?x?x12xf32>, tensor<1x1x12x16xf32>
}

// Volumes, and series of f64.
func.func @rest(%x: tensor<?x?x?x5x6xf32> {lathe.dims = #lathe.dims<N, D, H>}, %w: tensor<3x2x3x6x8xf32>, %s: tensor<?x?x5xf64> {lathe.dims = #lathe.dims<N, T>}, %v: tensor<4x5x7xf64>)
    -> (tensor<?x?x?x5x6xf32>, tensor<3x2x3x6x8xf32>, tensor<?x?x5xf64>, tensor<4x5x7xf64>) {
  %y = lathe.conv %x, %w stride [1, 2, 2] pad [[1, 1], [0, 1], [1, 1]] : tensor<?x?x?x5x6xf32>, tensor<3x2x3x6x8xf32>
  %dx = lathe.conv_input_grad %y, %w input [D, H, 5] stride [1, 2, 2] pad [[1, 1], [0, 1], [1, 1]] : tensor<?x?x?x3x8xf32>, tensor<3x2x3x6x8xf32>
  %dw = lathe.conv_filter_grad %x, %y filter [3, 2, 3] stride [1, 2, 2] pad [[1, 1], [0, 1], [1, 1]] : tensor<?x?x?x5x6xf32>, tensor<?x?x?x3x8xf32>
  %z = lathe.conv %s, %v stride [2] pad [[1, 3]] : tensor<?x?x5xf64>, tensor<4x5x7xf64>
  %ds = lathe.conv_input_grad %z, %v input [T] stride [2] pad [[1, 3]] : tensor<?x?x7xf64>, tensor<4x5x7xf64>
  %dv = lathe.conv_filter_grad %s, %z filter [4] stride [2] pad [[1, 3]] : tensor<?x?x5xf64>, tensor<?x?x7xf64>
  return %dx, %dw, %ds, %dv : tensor<?x?x?x5x6xf32>, tensor<3x2x3x6x8xf32>, tensor<?x?x5xf64>, tensor<4x5x7xf64>
}
