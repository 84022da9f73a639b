// RUN: lathe-opt %s --lathe-import --lathe-explicit-broadcast --lathe-fuse | FileCheck %s
// RUN: lathe-run %s short --random --check --rtol 1e-12 --threads 2
// RUN: lathe-run %s long --random --check --rtol 1e-12
// A kernel over rows computes a number for each row as a scalar. Beside rows of three elements, a sine has a kernel of its own.

// CHECK-LABEL: func.func @short
// CHECK: lathe.kernel({{.*}}) -> tensor<100xf64>
// CHECK: lathe.sin
// CHECK: lathe.kernel
// CHECK: lathe.mul {{.*}} : tensor<100x3xf64>
func.func @short(%x: tensor<100x3xf64>) -> tensor<100x3xf64> {
  %sum = lathe.reduce sum %x dims [1] : tensor<100x3xf64>
  %sin = lathe.sin %sum : tensor<100xf64>
  %rows = lathe.broadcast %sin dims [0] to [100, 3] : tensor<100xf64>
  %y = lathe.mul %x, %rows : tensor<100x3xf64>
  return %y : tensor<100x3xf64>
}

// CHECK-LABEL: func.func @long
// CHECK: lathe.kernel({{.*}}) -> tensor<100x30xf64>
// CHECK: lathe.sin
// CHECK: lathe.mul
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @long(%x: tensor<100x30xf64>) -> tensor<100x30xf64> {
  %sum = lathe.reduce sum %x dims [1] : tensor<100x30xf64>
  %sin = lathe.sin %sum : tensor<100xf64>
  %rows = lathe.broadcast %sin dims [0] to [100, 30] : tensor<100xf64>
  %y = lathe.mul %x, %rows : tensor<100x30xf64>
  return %y : tensor<100x30xf64>
}
