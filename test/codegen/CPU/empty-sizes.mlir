// A named dimension of 0: results along it are empty, and what is reduced over it is what docs/ops.md says of nothing.
// The version for another size leaves N open in the general one, which is what runs.
// RUN: lathe-run %s nothing --dim N=0 --random --specialize N=5 > %t.txt && FileCheck %s < %t.txt
// RUN: lathe-run %s nothing --dim N=0 --random --specialize N=5 -O 0 | diff - %t.txt
// RUN: lathe-run %s nothing --dim N=0 --random --specialize N=5 --threads 3 | diff - %t.txt
// RUN: lathe-run %s nothing --dim N=0 --random --specialize N=0 | diff - %t.txt
// RUN: lathe-run %s nothing --dim N=0 --random | diff - %t.txt
// RUN: lathe-run %s nothing --dim N=0 --random --interpret | diff - %t.txt
// RUN: lathe-run %s batch --dim N=0 --random --specialize N=5 --check --rtol 0 --atol 0
// RUN: lathe-run %s batch --dim N=5 --random --check
// RUN: lathe-run %s step --dim N=0 --random --specialize N=5 | FileCheck %s --check-prefix=STEP
// RUN: not lathe-run %s last --dim K=0 --random --specialize K=5 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not lathe-run %s declared --dim D=0 --random 2>&1 | FileCheck %s --check-prefix=DECLARED

// CHECK: sum: f32[2]{{.*}}: 0 0
// CHECK: product: f32[2]{{.*}}: 1 1
// CHECK: most: f32[2]{{.*}}: -inf -inf
// CHECK: least: i32[2]{{.*}}: 2147483647 2147483647
// CHECK: place: i32[2]{{.*}}: 0 0
// CHECK: mean: f32[2]{{.*}}: nan nan
// CHECK: dot: f32[2][3]{{.*}}: 0 0 0 0 0 0
// CHECK: grad: f32[3][3][1][2] min 0 max 0 mean 0
// CHECK: last: f32[2]{{.*}}: 7 7
// CHECK: front: f32[0][2] empty
func.func @nothing(%x: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}, %i: tensor<2x?xi32> {lathe.dims = #lathe.dims<N>},
                   %y: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %image: tensor<?x8x8x1xf32> {lathe.dims = #lathe.dims<N>},
                   %out: tensor<?x8x8x2xf32> {lathe.dims = #lathe.dims<N>}, %xs: tensor<?x2xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<2xf32> {lathe.name = "sum"}, tensor<2xf32> {lathe.name = "product"}, tensor<2xf32> {lathe.name = "most"},
        tensor<2xi32> {lathe.name = "least"}, tensor<2xi32> {lathe.name = "place"}, tensor<2xf32> {lathe.name = "mean"},
        tensor<2x3xf32> {lathe.name = "dot"}, tensor<3x3x1x2xf32> {lathe.name = "grad"}, tensor<2xf32> {lathe.name = "last"},
        tensor<?x2xf32> {lathe.name = "front"}) {
  %sum = lathe.reduce sum %x dims [1] : tensor<2x?xf32>
  %product = lathe.reduce product %x dims [1] : tensor<2x?xf32>
  %most = lathe.reduce max %x dims [1] : tensor<2x?xf32>
  %least = lathe.reduce min %i dims [1] : tensor<2x?xi32>
  %place = lathe.argmax %x dim 1 : tensor<2x?xf32>
  %mean = lathe.std.mean %x dims [1] : tensor<2x?xf32>
  %dot = lathe.dot_general %x, %y contract [1] x [0] : tensor<2x?xf32>, tensor<?x3xf32>
  %grad = lathe.conv_filter_grad %image, %out filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x8x8x1xf32>, tensor<?x8x8x2xf32>
  %seven = lathe.constant dense<7.0> : tensor<2xf32>
  %last, %front = lathe.scan carry(%c = %seven : tensor<2xf32>) over(%each = %xs : tensor<?x2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
    %next = lathe.add %c, %each : tensor<2xf32>
    lathe.yield carry(%next : tensor<2xf32>) collect(%c : tensor<2xf32>)
  }
  return %sum, %product, %most, %least, %place, %mean, %dot, %grad, %last, %front : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>, tensor<2x3xf32>, tensor<3x3x1x2xf32>, tensor<2xf32>, tensor<?x2xf32>
}

// All that is left of an empty batch is empty.
func.func private @one(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %soft = lathe.std.softmax %x dim 0 : tensor<4xf32>
  %order = lathe.argsort %x dim 0 : tensor<4xf32>
  return %soft, %order : tensor<4xf32>, tensor<4xi32>
}
func.func @batch(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %image: tensor<?x8x8x1xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<3x3x1x2xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xi32>, tensor<?x4x4x2xf32>, tensor<?x?xf32>) {
  %soft, %order = lathe.vmap @one(%x) in [0] : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi32>)
  %conv = lathe.conv %image, %w stride [2, 2] pad [[1, 1], [1, 1]] : tensor<?x8x8x1xf32>, tensor<3x3x1x2xf32>
  %both = lathe.dot_general %x, %x contract [1] x [1] : tensor<?x4xf32>, tensor<?x4xf32>
  return %soft, %order, %conv, %both : tensor<?x4xf32>, tensor<?x4xi32>, tensor<?x4x4x2xf32>, tensor<?x?xf32>
}

// The sum over no examples is 0 and has no slope.
func.func private @loss(%w: tensor<3xf32>, %x: tensor<?x3xf32>) -> tensor<f32> {
  %y = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x3xf32>, tensor<3xf32>
  %square = lathe.mul %y, %y : tensor<?xf32>
  %sum = lathe.reduce sum %square dims [0] : tensor<?xf32>
  return %sum : tensor<f32>
}
// STEP: loss = 0
// STEP: slope: f32[3]{{.*}}: 0 0 0
func.func @step(%w: tensor<3xf32>, %x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<f32> {lathe.name = "loss"}, tensor<3xf32> {lathe.name = "slope"}) {
  %loss, %slope = lathe.value_and_grad @loss(%w, %x) wrt [0] : (tensor<3xf32>, tensor<?x3xf32>) -> (tensor<f32>, tensor<3xf32>)
  return %loss, %slope : tensor<f32>, tensor<3xf32>
}

// LAST: error: last: dimension 'K' is 0; lathe.slice allows at least 1
func.func @last(%x: tensor<?xf32> {lathe.dims = #lathe.dims<K>}) -> tensor<1xf32> {
  %y = lathe.slice %x from [K -1] to [K] : tensor<?xf32>
  return %y : tensor<1xf32>
}

// DECLARED: dimension 'D' cannot be 0: expected 1 to 8
lathe.dim @D, 1 to 8
func.func @declared(%x: tensor<?xf32> {lathe.dims = #lathe.dims<D>}) -> tensor<?xf32> {
  %y = lathe.neg %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
