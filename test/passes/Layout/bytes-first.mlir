// RUN: lathe-opt %s --split-input-file --lathe-layout | FileCheck %s
// Operands of integer products are brought into the form that kernels of bytes read.

// Bytes are moved before they are widened, with a zero point of one number.
// CHECK-LABEL: @moved(
// CHECK: %[[X:.*]] = lathe.transpose %arg0 [1, 0] : tensor<6x4xui8>
// CHECK: %[[WIDE:.*]] = lathe.convert %[[X]] to i32 : tensor<4x6xui8>
// CHECK: %[[ZERO:.*]] = lathe.broadcast %{{.*}} dims [] to [4, 6] : tensor<i32>
// CHECK: lathe.sub %[[WIDE]], %[[ZERO]] : tensor<4x6xi32>
func.func @moved(%x: tensor<6x4xui8>, %zero: tensor<i32>) -> tensor<4x6xi32> {
  %0 = lathe.convert %x to i32 : tensor<6x4xui8>
  %1 = lathe.broadcast %zero dims [] to [6, 4] : tensor<i32>
  %2 = lathe.sub %0, %1 : tensor<6x4xi32>
  %3 = lathe.transpose %2 [1, 0] : tensor<6x4xi32>
  return %3 : tensor<4x6xi32>
}

// -----

// Constants that fit i8 once their zero points, one for each column, are subtracted: 255 - 128, 3 - 2; 0 - 128, 1 - 2.
// CHECK-LABEL: @narrow(
// CHECK: %[[W:.*]] = lathe.constant dense<{{\[\[}}127, 1], [-128, -1]]> : tensor<2x2xi8>
// CHECK: %[[WIDE:.*]] = lathe.convert %[[W]] to i32 : tensor<2x2xi8>
// CHECK: return %[[WIDE]]
func.func @narrow() -> tensor<2x2xi32> {
  %w = lathe.constant dense<[[255, 3], [0, 1]]> : tensor<2x2xui8>
  %z = lathe.constant dense<[128, 2]> : tensor<2xui8>
  %0 = lathe.convert %w to i32 : tensor<2x2xui8>
  %1 = lathe.convert %z to i32 : tensor<2xui8>
  %2 = lathe.broadcast %1 dims [1] to [2, 2] : tensor<2xi32>
  %3 = lathe.sub %0, %2 : tensor<2x2xi32>
  return %3 : tensor<2x2xi32>
}

// -----

// Others are i8 and a number for each column: 255 = 127 + 128, and 255 - 100 = 127 + 28.
// CHECK-LABEL: @split(
// CHECK-DAG: %[[W:.*]] = lathe.constant dense<{{\[\[}}127, 127], [-128, -128]]> : tensor<2x2xi8>
// CHECK-DAG: %[[REST:.*]] = lathe.constant dense<[128, 28]> : tensor<2xi32>
// CHECK: %[[X:.*]] = lathe.convert %arg0 to i32 : tensor<?x2xui8, #lathe.dims<N>>
// CHECK: %[[WIDE:.*]] = lathe.convert %[[W]] to i32 : tensor<2x2xi8>
// CHECK: %[[PRODUCTS:.*]] = lathe.dot_general %[[X]], %[[WIDE]] contract [1] x [0]
// CHECK: %[[SUMS:.*]] = lathe.reduce sum %[[X]] dims [1]
// CHECK: %[[ROWS:.*]] = lathe.broadcast %[[SUMS]] dims [0] to [N, 2]
// CHECK: %[[COLUMNS:.*]] = lathe.broadcast %[[REST]] dims [1] to [N, 2]
// CHECK: %[[BOTH:.*]] = lathe.mul %[[ROWS]], %[[COLUMNS]]
// CHECK: lathe.add %[[PRODUCTS]], %[[BOTH]]
func.func @split(%x: tensor<?x2xui8, #lathe.dims<N>>) -> tensor<?x2xi32, #lathe.dims<N>> {
  %w = lathe.constant dense<[[255, 255], [0, 0]]> : tensor<2x2xui8>
  %z = lathe.constant dense<[0, 100]> : tensor<2xi32>
  %0 = lathe.convert %x to i32 : tensor<?x2xui8, #lathe.dims<N>>
  %1 = lathe.convert %w to i32 : tensor<2x2xui8>
  %2 = lathe.broadcast %z dims [1] to [2, 2] : tensor<2xi32>
  %3 = lathe.sub %1, %2 : tensor<2x2xi32>
  %4 = lathe.dot_general %0, %3 contract [1] x [0] : tensor<?x2xi32, #lathe.dims<N>>, tensor<2x2xi32>
  return %4 : tensor<?x2xi32, #lathe.dims<N>>
}

// -----

// Filters likewise, as they are or in another order: 255 - 100 = 127 + 28 times the sum of each window.
// CHECK-LABEL: @filter(
// CHECK-DAG: %[[W:.*]] = lathe.constant dense<{{.*}}127, -125{{.*}}-128, -124{{.*}}-127, -123{{.*}}-126, -122{{.*}}> : tensor<2x2x1x2xi8>
// CHECK-DAG: %[[REST:.*]] = lathe.constant dense<28> : tensor<2xi32>
// CHECK-DAG: %[[ONES:.*]] = lathe.constant dense<1> : tensor<2x2x1x1xi32>
// CHECK: %[[WIDE:.*]] = lathe.convert %[[W]] to i32
// CHECK: %[[PRODUCTS:.*]] = lathe.conv %[[X:.*]], %[[WIDE]] stride [2, 1] pad {{\[\[}}1, 0], [0, 1]] : {{.*}}tensor<2x2x1x2xi32>
// CHECK: %[[CHANNELS:.*]] = lathe.reduce sum %[[X]] dims [3]
// CHECK: %[[IMAGE:.*]] = lathe.reshape %[[CHANNELS]] to [N, 4, 5, 1]
// CHECK: %[[WINDOWS:.*]] = lathe.conv %[[IMAGE]], %[[ONES]] stride [2, 1] pad {{\[\[}}1, 0], [0, 1]]
// CHECK: %[[SUMS:.*]] = lathe.reshape %[[WINDOWS]] to [N, 2, 5]
// CHECK: lathe.broadcast %[[SUMS]] dims [0, 1, 2] to [N, 2, 5, 2]
// CHECK: lathe.broadcast %[[REST]] dims [3]
// CHECK: lathe.add %[[PRODUCTS]]
func.func @filter(%x: tensor<?x4x5x1xui8, #lathe.dims<N>>) -> tensor<?x2x5x2xi32, #lathe.dims<N>> {
  %w = lathe.constant dense<[[[[255, 0], [1, 2]]], [[[3, 4], [5, 6]]]]> : tensor<2x1x2x2xui8>
  %z = lathe.constant dense<100> : tensor<i32>
  %t = lathe.transpose %w [2, 3, 1, 0] : tensor<2x1x2x2xui8>
  %0 = lathe.convert %x to i32 : tensor<?x4x5x1xui8, #lathe.dims<N>>
  %1 = lathe.convert %t to i32 : tensor<2x2x1x2xui8>
  %2 = lathe.broadcast %z dims [] to [2, 2, 1, 2] : tensor<i32>
  %3 = lathe.sub %1, %2 : tensor<2x2x1x2xi32>
  %4 = lathe.conv %0, %3 stride [2, 1] pad [[1, 0], [0, 1]] : tensor<?x4x5x1xi32, #lathe.dims<N>>, tensor<2x2x1x2xi32>
  return %4 : tensor<?x2x5x2xi32, #lathe.dims<N>>
}
