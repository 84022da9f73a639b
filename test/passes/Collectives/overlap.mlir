// RUN: lathe-opt %s --lathe-overlap | FileCheck %s
// An exchange begins when its operand is complete, and ends where its result is needed; all have ended where the last one was.

// CHECK-LABEL: func.func @two(
// CHECK: %[[A:.*]] = lathe.kernel
// CHECK: lathe.exp
// CHECK: %[[C:.*]] = lathe.kernel({{.*}} = %[[A]]
// CHECK: lathe.all_reduce sum {{.*}} {lathe.starts}
// CHECK: %[[B:.*]] = lathe.kernel
// CHECK: lathe.sin
// CHECK: %[[D:.*]] = lathe.kernel({{.*}} = %[[B]]
// CHECK: lathe.all_reduce
// CHECK-NOT: lathe.starts
// CHECK: %[[W:.*]] = lathe.kernel({{.*}} = %[[C]]{{.*}}, {{.*}} = %[[A]]
// CHECK: lathe.collective_wait
// CHECK: return %[[W]], %[[D]]
func.func @two(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = lathe.kernel(%v = %x : tensor<64xf32>) -> tensor<64xf32> {
    %e = lathe.exp %v : tensor<64xf32>
    lathe.yield %e : tensor<64xf32>
  }
  %b = lathe.kernel(%v = %y : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.sin %v : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  %c = lathe.kernel(%v = %a : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce sum %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  %d = lathe.kernel(%v = %b : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce sum %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  return %c, %d : tensor<64xf32>, tensor<64xf32>
}

// A result that the next kernel needs is waited for at once.
// CHECK-LABEL: func.func @chain(
// CHECK-NOT: lathe.starts
// CHECK-NOT: lathe.collective_wait
func.func @chain(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c = lathe.kernel(%v = %x : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce sum %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  %d = lathe.kernel(%v = %c : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce max %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  return %d : tensor<64xf32>
}

// An assertion may end the entry; no exchange is left behind then.
// CHECK-LABEL: func.func @asserted(
// CHECK-NOT: lathe.starts
// CHECK: return
func.func @asserted(%x: tensor<64xf32>, %p: tensor<i1>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c = lathe.kernel(%v = %x : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce sum %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  lathe.kernel(%q = %p : tensor<i1>) -> () {
    lathe.assert %q, "it holds" : tensor<i1>
    lathe.yield
  }
  %d = lathe.kernel(%v = %x : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce max %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  return %c, %d : tensor<64xf32>, tensor<64xf32>
}

// The index along an axis is known without an exchange, and keeps none from running beside kernels.
// CHECK-LABEL: func.func @indexed(
// CHECK: lathe.all_reduce sum {{.*}} {lathe.starts}
// CHECK: lathe.axis_index
// CHECK: lathe.exp
// CHECK: lathe.collective_wait
func.func @indexed(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<i64>, tensor<64xf32>) {
  %c = lathe.kernel(%v = %x : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce sum %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  %i = lathe.kernel() -> tensor<i64> {
    %n = lathe.axis_index over data = 2 : tensor<i64>
    lathe.yield %n : tensor<i64>
  }
  %e = lathe.kernel(%v = %x : tensor<64xf32>) -> tensor<64xf32> {
    %a = lathe.exp %v : tensor<64xf32>
    lathe.yield %a : tensor<64xf32>
  }
  %d = lathe.kernel(%v = %e : tensor<64xf32>) -> tensor<64xf32> {
    %s = lathe.all_reduce max %v over data = 2 : tensor<64xf32>
    lathe.yield %s : tensor<64xf32>
  }
  return %c, %i, %d : tensor<64xf32>, tensor<i64>, tensor<64xf32>
}
