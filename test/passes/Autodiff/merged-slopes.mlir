// RUN: lathe-opt %s --lathe-import --lathe-expand-derivatives --canonicalize --cse | FileCheck %s
// RUN: lathe-run %s of_gelu --random --gradcheck
// RUN: lathe-run %s of_steps --random --gradcheck
// RUN: lathe-run %s of_two_ends --random --gradcheck
// RUN: lathe-run %s of_nested --random --gradcheck
// RUN: lathe-run %s of_guarded --random | FileCheck %s --check-prefix=GUARDED
// A chain of elementwise ops that would store several values stores its slope.

func.func private @gelu(%x: tensor<4xf64>) -> tensor<4xf64> {
  %root = lathe.constant dense<1.4142135623730951> : tensor<4xf64>
  %one = lathe.constant dense<1.0> : tensor<4xf64>
  %half = lathe.constant dense<0.5> : tensor<4xf64>
  %z = lathe.div %x, %root : tensor<4xf64>
  %e = lathe.erf %z : tensor<4xf64>
  %f = lathe.add %e, %one : tensor<4xf64>
  %p = lathe.mul %x, %f : tensor<4xf64>
  %y = lathe.mul %p, %half : tensor<4xf64>
  return %y : tensor<4xf64>
}
// The cotangent meets one product.
// CHECK-LABEL: func.func @of_gelu(
// CHECK-SAME: %{{[^:]*}}: tensor<4xf64>, %[[T:[^:]*]]: tensor<4xf64>
// CHECK-NOT: %[[T]]
// CHECK: %[[D:.*]] = lathe.mul %[[T]], %{{.*}}
// CHECK-NEXT: return %{{.*}}, %[[D]]
func.func @of_gelu(%x: tensor<4xf64>, %t: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %squared = lathe.mul %x, %x : tensor<4xf64>
  %y, %dx = lathe.vjp @gelu(%squared) cotangents(%t) wrt [0] : (tensor<4xf64>), (tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %y, %dx : tensor<4xf64>, tensor<4xf64>
}

// A loop stacks one value of a step. Before, it stacked the step's argument and its logistic.
func.func private @steps(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = lathe.scan carry(%v = %x : tensor<4xf64>) trip 5 -> tensor<4xf64> {
    %w = lathe.cos %v : tensor<4xf64>
    %s = lathe.logistic %w : tensor<4xf64>
    %p = lathe.mul %w, %s : tensor<4xf64>
    lathe.yield carry(%p : tensor<4xf64>)
  }
  return %y : tensor<4xf64>
}
// CHECK-LABEL: func.func @of_steps(
// CHECK: lathe.scan {{.*}} trip 5 -> (tensor<4xf64>, tensor<5x4xf64>) {
// CHECK: lathe.scan {{.*}} reverse
// CHECK: lathe.mul
// CHECK-NOT: lathe.mul
// CHECK: return
func.func @of_steps(%x: tensor<4xf64>, %t: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %y, %dx = lathe.vjp @steps(%x) cotangents(%t) wrt [0] : (tensor<4xf64>), (tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %y, %dx : tensor<4xf64>, tensor<4xf64>
}

// Two results with slopes of their own, and a quotient, a difference and a negative slope in a chain.
func.func private @two_ends(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %one = lathe.constant dense<1.0> : tensor<4xf64>
  %v = lathe.exp %x : tensor<4xf64>
  %a = lathe.sin %v : tensor<4xf64>
  %b = lathe.tanh %v : tensor<4xf64>
  %c = lathe.add %v, %one : tensor<4xf64>
  %d = lathe.log %c : tensor<4xf64>
  %n = lathe.neg %a : tensor<4xf64>
  %p = lathe.mul %n, %b : tensor<4xf64>
  %q = lathe.sub %p, %d : tensor<4xf64>
  %r = lathe.div %q, %c : tensor<4xf64>
  return %q, %r : tensor<4xf64>, tensor<4xf64>
}
func.func @of_two_ends(%x: tensor<4xf64>) -> tensor<4xf64> {
  %t = lathe.constant dense<[1.0, 2.0, -0.5, 0.25]> : tensor<4xf64>
  %u = lathe.constant dense<[0.5, -1.0, 3.0, 0.125]> : tensor<4xf64>
  %q, %r, %dx = lathe.vjp @two_ends(%x) cotangents(%t, %u) wrt [0] : (tensor<4xf64>), (tensor<4xf64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  return %dx : tensor<4xf64>
}

// A merged slope has derivatives like any other value.
func.func private @first(%x: tensor<4xf64>, %t: tensor<4xf64>) -> tensor<4xf64> {
  %y, %dx = lathe.vjp @gelu(%x) cotangents(%t) wrt [0] : (tensor<4xf64>), (tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %dx : tensor<4xf64>
}
func.func @of_nested(%x: tensor<4xf64>, %t: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %y, %dx, %dt = lathe.vjp @first(%x, %t) cotangents(%t) wrt [0, 1] : (tensor<4xf64>, tensor<4xf64>), (tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>)
  return %y, %dx, %dt : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

// A select ends a chain: the infinite slope of what it leaves out does not meet the cotangent 0.
// GUARDED-NOT: nan
func.func private @guarded(%x: tensor<4xf64>) -> tensor<4xf64> {
  %zero = lathe.constant dense<0.0> : tensor<4xf64>
  %one = lathe.constant dense<1.0> : tensor<4xf64>
  %positive = lathe.compare gt %x, %zero : tensor<4xf64>
  %safe = lathe.select %positive, %x, %one : tensor<4xi1>, tensor<4xf64>
  %r = lathe.log %safe : tensor<4xf64>
  %w = lathe.tanh %r : tensor<4xf64>
  %p = lathe.mul %r, %w : tensor<4xf64>
  %y = lathe.div %p, %safe : tensor<4xf64>
  %kept = lathe.select %positive, %y, %zero : tensor<4xi1>, tensor<4xf64>
  return %kept : tensor<4xf64>
}
func.func @of_guarded(%given: tensor<4xf64>) -> tensor<4xf64> {
  %x = lathe.constant dense<[1.0, 0.0, 2.0, -1.0]> : tensor<4xf64>
  %t = lathe.constant dense<1.0> : tensor<4xf64>
  %y, %dx = lathe.vjp @guarded(%x) cotangents(%t) wrt [0] : (tensor<4xf64>), (tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %dx : tensor<4xf64>
}
