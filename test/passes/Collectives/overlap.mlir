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

// An update needs the result of its exchange and the state: it waits until the last exchange has begun.
// CHECK-LABEL: func.func @updates(
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>, %[[W:.*]]: tensor<32xf32>, %[[V:.*]]: tensor<32xf32>
// CHECK: %[[S:.*]] = lathe.kernel
// CHECK: lathe.reduce_scatter {{.*}} {lathe.starts}
// CHECK: lathe.exp
// CHECK: %[[T:.*]] = lathe.kernel
// CHECK: lathe.reduce_scatter
// CHECK-NOT: lathe.starts
// CHECK: lathe.kernel({{.*}} = %[[S]]
// CHECK: lathe.collective_wait
// CHECK: lathe.kernel({{.*}} = %[[W]]
// CHECK: lathe.sub
// CHECK: lathe.kernel({{.*}} = %[[V]]
// CHECK: lathe.sub
func.func @updates(%x: tensor<64xf32>, %w: tensor<32xf32>, %v: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %s = lathe.kernel(%a = %x : tensor<64xf32>) -> tensor<32xf32> {
    %r = lathe.reduce_scatter sum %a dim 0 over data = 2 : tensor<64xf32>
    lathe.yield %r : tensor<32xf32>
  }
  %u = lathe.kernel(%a = %w : tensor<32xf32>, %b = %s : tensor<32xf32>) -> tensor<32xf32> {
    %r = lathe.sub %a, %b : tensor<32xf32>
    lathe.yield %r : tensor<32xf32>
  }
  %e = lathe.kernel(%a = %x : tensor<64xf32>) -> tensor<64xf32> {
    %r = lathe.exp %a : tensor<64xf32>
    lathe.yield %r : tensor<64xf32>
  }
  %t = lathe.kernel(%a = %e : tensor<64xf32>) -> tensor<32xf32> {
    %r = lathe.reduce_scatter sum %a dim 0 over data = 2 : tensor<64xf32>
    lathe.yield %r : tensor<32xf32>
  }
  %y = lathe.kernel(%a = %v : tensor<32xf32>, %b = %t : tensor<32xf32>) -> tensor<32xf32> {
    %r = lathe.sub %a, %b : tensor<32xf32>
    lathe.yield %r : tensor<32xf32>
  }
  return %u, %y : tensor<32xf32>, tensor<32xf32>
}

// New parameters are gathered: the updates wait for the last reduction, and each gather runs while the next update does.
// CHECK-LABEL: func.func @gathered(
// CHECK: lathe.reduce_scatter {{.*}} {lathe.starts}
// CHECK: lathe.exp
// CHECK: lathe.reduce_scatter
// CHECK-NOT: lathe.all_gather
// CHECK: lathe.sub
// CHECK: lathe.all_gather {{.*}} {lathe.starts}
// CHECK: lathe.sub
// CHECK: lathe.all_gather
func.func @gathered(%x: tensor<64xf32>, %w: tensor<32xf32>, %v: tensor<32xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %s = lathe.kernel(%a = %x : tensor<64xf32>) -> tensor<32xf32> {
    %r = lathe.reduce_scatter sum %a dim 0 over data = 2 : tensor<64xf32>
    lathe.yield %r : tensor<32xf32>
  }
  %u = lathe.kernel(%a = %w : tensor<32xf32>, %b = %s : tensor<32xf32>) -> tensor<32xf32> {
    %r = lathe.sub %a, %b : tensor<32xf32>
    lathe.yield %r : tensor<32xf32>
  }
  %g = lathe.kernel(%a = %u : tensor<32xf32>) -> tensor<64xf32> {
    %r = lathe.all_gather %a dim 0 over data = 2 : tensor<32xf32>
    lathe.yield %r : tensor<64xf32>
  }
  %e = lathe.kernel(%a = %x : tensor<64xf32>) -> tensor<64xf32> {
    %r = lathe.exp %a : tensor<64xf32>
    lathe.yield %r : tensor<64xf32>
  }
  %t = lathe.kernel(%a = %e : tensor<64xf32>) -> tensor<32xf32> {
    %r = lathe.reduce_scatter sum %a dim 0 over data = 2 : tensor<64xf32>
    lathe.yield %r : tensor<32xf32>
  }
  %y = lathe.kernel(%a = %v : tensor<32xf32>, %b = %t : tensor<32xf32>) -> tensor<32xf32> {
    %r = lathe.sub %a, %b : tensor<32xf32>
    lathe.yield %r : tensor<32xf32>
  }
  %h = lathe.kernel(%a = %y : tensor<32xf32>) -> tensor<64xf32> {
    %r = lathe.all_gather %a dim 0 over data = 2 : tensor<32xf32>
    lathe.yield %r : tensor<64xf32>
  }
  return %g, %h : tensor<64xf32>, tensor<64xf32>
}

// What reads another value of the workspace as well stays, since that would have to be kept: a gradient that is made of an exchanged
// one.
// CHECK-LABEL: func.func @products(
// CHECK: lathe.all_reduce
// CHECK: lathe.mul
// CHECK: lathe.exp
// CHECK: lathe.all_reduce
func.func @products(%x: tensor<96xf32>) -> (tensor<96xf32>, tensor<96xf32>) {
  %h = lathe.kernel(%a = %x : tensor<96xf32>) -> tensor<96xf32> {
    %r = lathe.sin %a : tensor<96xf32>
    lathe.yield %r : tensor<96xf32>
  }
  %s = lathe.kernel(%a = %x : tensor<96xf32>) -> tensor<96xf32> {
    %r = lathe.all_reduce sum %a over data = 2 : tensor<96xf32>
    lathe.yield %r : tensor<96xf32>
  }
  %g = lathe.kernel(%a = %h : tensor<96xf32>, %b = %s : tensor<96xf32>) -> tensor<96xf32> {
    %r = lathe.mul %a, %b : tensor<96xf32>
    lathe.yield %r : tensor<96xf32>
  }
  %e = lathe.kernel(%a = %x : tensor<96xf32>) -> tensor<96xf32> {
    %r = lathe.exp %a : tensor<96xf32>
    lathe.yield %r : tensor<96xf32>
  }
  %t = lathe.kernel(%a = %e : tensor<96xf32>) -> tensor<96xf32> {
    %r = lathe.all_reduce sum %a over data = 2 : tensor<96xf32>
    lathe.yield %r : tensor<96xf32>
  }
  return %g, %t : tensor<96xf32>, tensor<96xf32>
}
