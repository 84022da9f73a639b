// RUN: lathe-opt %s --lathe-import --lathe-fuse --split-input-file | FileCheck %s
// RUN: lathe-opt %s --lathe-import --lathe-fuse=items=false --split-input-file | FileCheck %s --check-prefix=OFF
// OFF-NOT: lathe.items
// Ops over items: which become one kernel.

// Slices, concatenations, reshapes, gathers by numbers and sums within items, and elementwise ops between them. The numbers are no
// operand of the kernel.
// CHECK-LABEL: func.func @within
// CHECK: lathe.kernel(%{{[a-z0-9]+}} = %{{[a-z0-9]+}} : tensor<?x3xf64, #lathe.dims<N>>) -> (tensor<?xf64, #lathe.dims<N>>, tensor<?x3xf64, #lathe.dims<N>>) attributes {lathe.items} {
// CHECK-COUNT-3: lathe.slice
// CHECK: lathe.concatenate
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @within(%x: tensor<?x3xf64> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf64>, tensor<?x3xf64>) {
  %next = lathe.constant dense<[1, 2, 0]> : tensor<3xi32>
  %turned = lathe.gather %x, %next axis 1 : tensor<?x3xf64>, tensor<3xi32>
  %product = lathe.mul %turned, %x : tensor<?x3xf64>
  %square = lathe.mul %product, %product : tensor<?x3xf64>
  %sum = lathe.reduce sum %square dims [1] : tensor<?x3xf64>
  %root = lathe.sqrt %sum : tensor<?xf64>
  %side = lathe.reshape %root to [N, 1] : tensor<?xf64>
  %two = lathe.slice %product from [0, 0] to [N, 2] : tensor<?x3xf64>
  %three = lathe.concatenate %side, %two dim 1 : tensor<?x1xf64>, tensor<?x2xf64>
  %y = lathe.add %three, %x : tensor<?x3xf64>
  return %root, %y : tensor<?xf64>, tensor<?x3xf64>
}

// -----

// Passes over rows move nothing within items, and fill vectors as they are.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: lathe.items
// CHECK: lathe.rows
func.func @rows(%x: tensor<?x10xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x10xf32> {
  %most = lathe.reduce max %x dims [1] : tensor<?x10xf32>
  %mosts = lathe.broadcast %most dims [0] to [N, 10] : tensor<?xf32> -> tensor<?x10xf32>
  %below = lathe.sub %x, %mosts : tensor<?x10xf32>
  %exp = lathe.exp %below : tensor<?x10xf32>
  %sum = lathe.reduce sum %exp dims [1] : tensor<?x10xf32>
  %sums = lathe.broadcast %sum dims [0] to [N, 10] : tensor<?xf32> -> tensor<?x10xf32>
  %y = lathe.div %exp, %sums : tensor<?x10xf32>
  %z = lathe.add %y, %y : tensor<?x10xf32>
  %u = lathe.mul %z, %x : tensor<?x10xf32>
  return %u : tensor<?x10xf32>
}

// -----

// Few items that are known: other forms fill vectors with their elements.
// CHECK-LABEL: func.func @few
// CHECK-NOT: lathe.items
// CHECK: return
func.func @few(%x: tensor<8x4xf64>) -> tensor<8x4xf64> {
  %0 = lathe.slice %x from [0, 0] to [8, 2] : tensor<8x4xf64>
  %1 = lathe.slice %x from [0, 2] to [8, 4] : tensor<8x4xf64>
  %2 = lathe.mul %0, %1 : tensor<8x2xf64>
  %3 = lathe.add %0, %1 : tensor<8x2xf64>
  %4 = lathe.concatenate %2, %3 dim 1 : tensor<8x2xf64>, tensor<8x2xf64>
  %5 = lathe.mul %4, %x : tensor<8x4xf64>
  %6 = lathe.slice %5 from [0, 1] to [8, 3] : tensor<8x4xf64>
  %7 = lathe.sub %6, %0 : tensor<8x2xf64>
  %8 = lathe.concatenate %7, %2 dim 1 : tensor<8x2xf64>, tensor<8x2xf64>
  return %8 : tensor<8x4xf64>
}

// -----

// A recurrent cell of a named number of images, which may be one: gates fill vectors of their own.
// CHECK-LABEL: func.func @cell
// CHECK-NOT: lathe.items
// CHECK: return
func.func @cell(%gates: tensor<?x64xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<?x16xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %0 = lathe.slice %gates from [0, 0] to [N, 16] : tensor<?x64xf32>
  %1 = lathe.slice %gates from [0, 16] to [N, 32] : tensor<?x64xf32>
  %2 = lathe.slice %gates from [0, 32] to [N, 48] : tensor<?x64xf32>
  %3 = lathe.slice %gates from [0, 48] to [N, 64] : tensor<?x64xf32>
  %4 = lathe.logistic %0 : tensor<?x16xf32>
  %5 = lathe.logistic %1 : tensor<?x16xf32>
  %6 = lathe.tanh %2 : tensor<?x16xf32>
  %7 = lathe.logistic %3 : tensor<?x16xf32>
  %8 = lathe.mul %5, %c : tensor<?x16xf32>
  %9 = lathe.mul %4, %6 : tensor<?x16xf32>
  %10 = lathe.add %8, %9 : tensor<?x16xf32>
  %11 = lathe.tanh %10 : tensor<?x16xf32>
  %12 = lathe.mul %7, %11 : tensor<?x16xf32>
  return %12, %10 : tensor<?x16xf32>, tensor<?x16xf32>
}

// -----

// Long values fill vectors of their own.
// CHECK-LABEL: func.func @long
// CHECK-NOT: lathe.items
// CHECK: return
func.func @long(%x: tensor<?x256xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x256xf32> {
  %0 = lathe.slice %x from [0, 0] to [N, 128] : tensor<?x256xf32>
  %1 = lathe.slice %x from [0, 128] to [N, 256] : tensor<?x256xf32>
  %2 = lathe.mul %0, %1 : tensor<?x128xf32>
  %3 = lathe.add %0, %1 : tensor<?x128xf32>
  %4 = lathe.concatenate %2, %3 dim 1 : tensor<?x128xf32>, tensor<?x128xf32>
  %5 = lathe.mul %4, %x : tensor<?x256xf32>
  %6 = lathe.slice %5 from [0, 1] to [N, 129] : tensor<?x256xf32>
  %7 = lathe.sub %6, %0 : tensor<?x128xf32>
  %8 = lathe.concatenate %7, %2 dim 1 : tensor<?x128xf32>, tensor<?x128xf32>
  return %8 : tensor<?x256xf32>
}

// -----

// What reads other items ends a kernel: a gather of rows of a value of items, and a broadcast of such a value to the elements of
// each item. Both read values from memory, and the second kernel begins behind them.
// CHECK-LABEL: func.func @others
// CHECK: %[[FIRST:.*]] = lathe.kernel({{.*}}) -> tensor<64x4xf64> attributes {lathe.items}
// CHECK: lathe.gather
// CHECK-NOT: lathe.gather
// CHECK: return
func.func @others(%x: tensor<64x4xf64>, %at: tensor<64xi32>) -> (tensor<64x4xf64>, tensor<64x64xf64>) {
  %0 = lathe.slice %x from [0, 0] to [64, 2] : tensor<64x4xf64>
  %1 = lathe.slice %x from [0, 2] to [64, 4] : tensor<64x4xf64>
  %2 = lathe.mul %0, %1 : tensor<64x2xf64>
  %3 = lathe.add %0, %1 : tensor<64x2xf64>
  %4 = lathe.concatenate %2, %3 dim 1 : tensor<64x2xf64>, tensor<64x2xf64>
  %5 = lathe.mul %4, %x : tensor<64x4xf64>
  %6 = lathe.exp %5 : tensor<64x4xf64>
  %7 = lathe.add %6, %x : tensor<64x4xf64>
  %8 = lathe.gather %7, %at axis 0 : tensor<64x4xf64>, tensor<64xi32>
  %9 = lathe.add %8, %x : tensor<64x4xf64>
  %10 = lathe.reduce sum %9 dims [1] : tensor<64x4xf64>
  %11 = lathe.broadcast %10 dims [1] to [64, 64] : tensor<64xf64> -> tensor<64x64xf64>
  %12 = lathe.broadcast %10 dims [0] to [64, 64] : tensor<64xf64> -> tensor<64x64xf64>
  %13 = lathe.sub %11, %12 : tensor<64x64xf64>
  return %9, %13 : tensor<64x4xf64>, tensor<64x64xf64>
}

// -----

// A value that an op of another kind needs in between: the ops behind it have a kernel of their own, since one kernel would depend
// on itself.
// CHECK-LABEL: func.func @between
// CHECK-COUNT-2: attributes {lathe.items}
// CHECK-NOT: lathe.items
// CHECK: return
func.func @between(%x: tensor<?x4xf64> {lathe.dims = #lathe.dims<N>}) -> tensor<?x4xf64> {
  %0 = lathe.slice %x from [0, 0] to [N, 2] : tensor<?x4xf64>
  %1 = lathe.slice %x from [0, 2] to [N, 4] : tensor<?x4xf64>
  %2 = lathe.mul %0, %1 : tensor<?x2xf64>
  %3 = lathe.add %0, %1 : tensor<?x2xf64>
  %4 = lathe.concatenate %2, %3 dim 1 : tensor<?x2xf64>, tensor<?x2xf64>
  %5 = lathe.mul %4, %x : tensor<?x4xf64>
  %6 = lathe.exp %5 : tensor<?x4xf64>
  %7 = lathe.add %6, %x : tensor<?x4xf64>
  %8 = lathe.sort %7 dim 1 : tensor<?x4xf64>
  %9 = lathe.slice %8 from [0, 0] to [N, 2] : tensor<?x4xf64>
  %10 = lathe.slice %8 from [0, 2] to [N, 4] : tensor<?x4xf64>
  %11 = lathe.sub %9, %10 : tensor<?x2xf64>
  %12 = lathe.add %9, %2 : tensor<?x2xf64>
  %13 = lathe.mul %11, %12 : tensor<?x2xf64>
  %14 = lathe.concatenate %13, %11 dim 1 : tensor<?x2xf64>, tensor<?x2xf64>
  %15 = lathe.mul %14, %7 : tensor<?x4xf64>
  %16 = lathe.exp %15 : tensor<?x4xf64>
  return %16 : tensor<?x4xf64>
}
