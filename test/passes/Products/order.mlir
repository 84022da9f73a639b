// RUN: lathe-opt %s --lathe-import --lathe-order-products | FileCheck %s
// RUN: lathe-run %s skinned --random --check --rtol 1e-12 --threads 2
// RUN: lathe-run %s turned --random --check --rtol 1e-12
// RUN: lathe-run %s vector --random --dim N=3 --check --rtol 1e-12
// RUN: lathe-run %s vector --random --dim N=300 --check --rtol 1e-12
// RUN: lathe-run %s left --random --check --rtol 1e-12
// RUN: lathe-run %s all_batched --random --check --rtol 1e-12
// RUN: lathe-run %s narrow --random --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s skinned --random --gradcheck

// Each of 100 points is moved by 22 bones, and the places weighted: of the three factors the weights and the places share the points,
// so that they are multiplied first, one by one, and what is left is one product of matrices.
// CHECK-LABEL: func.func @skinned
// CHECK-DAG: [[W:%.*]] = lathe.broadcast %arg0 dims [0, 1] to [100, 22, 4] : tensor<100x22xf64>
// CHECK-DAG: [[P:%.*]] = lathe.broadcast %arg1 dims [0, 2] to [100, 22, 4] : tensor<100x4xf64>
// CHECK: [[WP:%.*]] = lathe.mul [[W]], [[P]] : tensor<100x22x4xf64>
// CHECK: [[S:%.*]] = lathe.dot_general [[WP]], %arg2 contract [1, 2] x [1, 3]
// CHECK: return [[S]] : tensor<100x26x3xf64>
func.func @skinned(%weights: tensor<100x22xf64>, %places: tensor<100x4xf64>, %bones: tensor<26x22x3x4xf64>) -> tensor<100x26x3xf64> {
  %moved = lathe.dot_general %places, %bones contract [1] x [3] : tensor<100x4xf64>, tensor<26x22x3x4xf64>
  %skin = lathe.dot_general %weights, %moved contract [1] x [2] batch [0] x [0] : tensor<100x22xf64>, tensor<100x26x22x3xf64>
  return %skin : tensor<100x26x3xf64>
}

// A transpose between the two belongs to the relation.
// CHECK-LABEL: func.func @turned
// CHECK-NOT: tensor<26x100x22x3xf64>
// CHECK: [[S:%.*]] = lathe.dot_general {{%.*}}, %arg2 contract [1, 2] x [1, 3]
// CHECK: return [[S]] : tensor<100x26x3xf64>
func.func @turned(%weights: tensor<100x22xf64>, %places: tensor<100x4xf64>, %bones: tensor<26x22x3x4xf64>) -> tensor<100x26x3xf64> {
  %moved = lathe.dot_general %places, %bones contract [1] x [3] : tensor<100x4xf64>, tensor<26x22x3x4xf64>
  %by_bone = lathe.transpose %moved [1, 0, 2, 3] : tensor<100x26x22x3xf64>
  %skin = lathe.dot_general %weights, %by_bone contract [1] x [2] batch [0] x [1] : tensor<100x22xf64>, tensor<26x100x22x3xf64>
  return %skin : tensor<100x26x3xf64>
}

// A product of matrices by a vector is two products by vectors, for all sizes.
// CHECK-LABEL: func.func @vector
// CHECK: [[BX:%.*]] = lathe.dot_general %arg1, %arg2 contract [1] x [0]
// CHECK: [[ABX:%.*]] = lathe.dot_general %arg0, [[BX]] contract [1] x [0]
// CHECK: return [[ABX]]
func.func @vector(%a: tensor<?x32xf64> {lathe.dims = #lathe.dims<N>}, %b: tensor<32x40xf64>, %x: tensor<40xf64>) -> tensor<?xf64> {
  %ab = lathe.dot_general %a, %b contract [1] x [0] : tensor<?x32xf64>, tensor<32x40xf64>
  %abx = lathe.dot_general %ab, %x contract [1] x [0] : tensor<?x40xf64>, tensor<40xf64>
  return %abx : tensor<?xf64>
}

// The inner product is the right operand, and the result keeps the order of its dimensions.
// CHECK-LABEL: func.func @left
// CHECK: [[XA:%.*]] = lathe.dot_general %arg0, %arg1 contract [0] x [0]
// CHECK: [[XAB:%.*]] = lathe.dot_general [[XA]], %arg2 contract [0] x [0]
// CHECK: return [[XAB]] : tensor<40xf64>
func.func @left(%x: tensor<64xf64>, %a: tensor<64x32xf64>, %b: tensor<32x40xf64>) -> tensor<40xf64> {
  %ab = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x32xf64>, tensor<32x40xf64>
  %xab = lathe.dot_general %x, %ab contract [0] x [0] : tensor<64xf64>, tensor<64x40xf64>
  return %xab : tensor<40xf64>
}

// A dimension that all three share.
// CHECK-LABEL: func.func @all_batched
// CHECK: [[BX:%.*]] = lathe.dot_general %arg1, %arg2 contract [2] x [1] batch [0] x [0]
// CHECK: [[ABX:%.*]] = lathe.dot_general %arg0, [[BX]] contract [2] x [1] batch [0] x [0]
// CHECK: return [[ABX]] : tensor<5x64xf64>
func.func @all_batched(%a: tensor<5x64x32xf64>, %b: tensor<5x32x40xf64>, %x: tensor<5x40xf64>) -> tensor<5x64xf64> {
  %ab = lathe.dot_general %a, %b contract [2] x [1] batch [0] x [0] : tensor<5x64x32xf64>, tensor<5x32x40xf64>
  %abx = lathe.dot_general %ab, %x contract [2] x [1] batch [0] x [0] : tensor<5x64x40xf64>, tensor<5x40xf64>
  return %abx : tensor<5x64xf64>
}

// Two narrow layers have the cheapest order already.
// CHECK-LABEL: func.func @narrow
// CHECK: [[XA:%.*]] = lathe.dot_general %arg0, %arg1
// CHECK: lathe.dot_general [[XA]], %arg2
func.func @narrow(%x: tensor<64x128xf32>, %a: tensor<128x8xf32>, %b: tensor<8x128xf32>) -> tensor<64x128xf32> {
  %xa = lathe.dot_general %x, %a contract [1] x [0] : tensor<64x128xf32>, tensor<128x8xf32>
  %y = lathe.dot_general %xa, %b contract [1] x [0] : tensor<64x8xf32>, tensor<8x128xf32>
  return %y : tensor<64x128xf32>
}

// With few rows the given order is cheaper, with many the other one: nothing is decided.
// CHECK-LABEL: func.func @depends
// CHECK: [[XA:%.*]] = lathe.dot_general %arg0, %arg1
// CHECK: lathe.dot_general [[XA]], %arg2
func.func @depends(%x: tensor<?x32xf64> {lathe.dims = #lathe.dims<N>}, %a: tensor<32x64xf64>, %b: tensor<64x32xf64>) -> tensor<?x32xf64> {
  %xa = lathe.dot_general %x, %a contract [1] x [0] : tensor<?x32xf64>, tensor<32x64xf64>
  %y = lathe.dot_general %xa, %b contract [1] x [0] : tensor<?x64xf64>, tensor<64x32xf64>
  return %y : tensor<?x32xf64>
}

// A product that is needed itself, constants, which are multiplied while compiling, and halves, which round what is between.
// CHECK-LABEL: func.func @kept
// CHECK: [[K:%.*]] = lathe.constant
// CHECK: [[AB:%.*]] = lathe.dot_general %arg0, %arg1
// CHECK: lathe.dot_general [[AB]], %arg2
// CHECK: [[C:%.*]] = lathe.dot_general [[K]], [[K]]
// CHECK: lathe.dot_general [[C]], %arg3
// CHECK: [[H:%.*]] = lathe.dot_general %arg4, %arg4
// CHECK: lathe.dot_general [[H]], %arg5
func.func @kept(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>, %x: tensor<64xf64>, %y: tensor<64xf64>, %h: tensor<64x64xf16>,
                %z: tensor<64xf16>) -> (tensor<64x64xf64>, tensor<64xf64>, tensor<64xf64>, tensor<64xf16>) {
  %ab = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x64xf64>, tensor<64x64xf64>
  %abx = lathe.dot_general %ab, %x contract [1] x [0] : tensor<64x64xf64>, tensor<64xf64>
  %c = lathe.constant dense<0.5> : tensor<64x64xf64>
  %cc = lathe.dot_general %c, %c contract [1] x [0] : tensor<64x64xf64>, tensor<64x64xf64>
  %ccy = lathe.dot_general %cc, %y contract [1] x [0] : tensor<64x64xf64>, tensor<64xf64>
  %hh = lathe.dot_general %h, %h contract [1] x [0] : tensor<64x64xf16>, tensor<64x64xf16>
  %hhz = lathe.dot_general %hh, %z contract [1] x [0] : tensor<64x64xf16>, tensor<64xf16>
  return %ab, %abx, %ccy, %hhz : tensor<64x64xf64>, tensor<64xf64>, tensor<64xf64>, tensor<64xf16>
}
