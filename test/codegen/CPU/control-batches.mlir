// Batches whose elements part ways, and their derivatives: what an element does not do leaves no trace in its slope, even where
// it would be infinite. Numbers by hand.
// RUN: lathe-run %s nested | FileCheck %s --check-prefix=NESTED
// RUN: lathe-run %s nested --interpret | FileCheck %s --check-prefix=NESTED
// RUN: lathe-run %s roots | FileCheck %s --check-prefix=ROOTS
// RUN: lathe-run %s roots -O 0 | FileCheck %s --check-prefix=ROOTS
// RUN: lathe-run %s roots --interpret | FileCheck %s --check-prefix=ROOTS
// RUN: lathe-run %s again | FileCheck %s --check-prefix=AGAIN
// RUN: lathe-run %s again --interpret | FileCheck %s --check-prefix=AGAIN

// A loop within one that ends at different steps: 3 steps of it for each of the outer one.
// NESTED: 0 3 6 15
func.func private @threes(%n: tensor<i32>) -> tensor<f32> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %start = lathe.constant dense<0.0> : tensor<f32>
  %i, %s = lathe.while carry(%i = %zero : tensor<i32>, %s = %start : tensor<f32>) {
    %go = lathe.compare lt %i, %n : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %unit = lathe.constant dense<1.0> : tensor<f32>
    %three = lathe.constant dense<3> : tensor<i32>
    %k, %v = lathe.while carry(%k = %zero : tensor<i32>, %v = %s : tensor<f32>) {
      %on = lathe.compare lt %k, %three : tensor<i32>
      lathe.condition %on : tensor<i1>
    } do {
      %k1 = lathe.add %k, %one : tensor<i32>
      %v1 = lathe.add %v, %unit : tensor<f32>
      lathe.yield carry(%k1 : tensor<i32>, %v1 : tensor<f32>)
    }
    %j = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%j : tensor<i32>, %v : tensor<f32>)
  }
  return %s : tensor<f32>
}
func.func @nested() -> tensor<4xf32> {
  %n = lathe.constant dense<[0, 1, 2, 5]> : tensor<4xi32>
  %y = lathe.vmap @threes(%n) in [0] : (tensor<4xi32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The slope of sqrt where it is taken, 1 / (2 sqrt(x)): at 4 and at 1; the curvature there -1 / (4 x^1.5).
// ROOTS: slope{{.*}}: 0 0.25 0 0.5
// ROOTS: curvature{{.*}}: 0 -0.03125 0 -0.25
func.func private @root(%x: tensor<f64>) -> tensor<f64> {
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %p = lathe.compare gt %x, %zero : tensor<f64>
  %y = lathe.if %p -> tensor<f64> {
    %r = lathe.sqrt %x : tensor<f64>
    lathe.yield %r : tensor<f64>
  } else {
    lathe.yield %zero : tensor<f64>
  }
  return %y : tensor<f64>
}
func.func private @sum_of_roots(%x: tensor<4xf64>) -> tensor<f64> {
  %y = lathe.vmap @root(%x) in [0] : (tensor<4xf64>) -> tensor<4xf64>
  %s = lathe.reduce sum %y dims [0] : tensor<4xf64>
  return %s : tensor<f64>
}
func.func private @slopes(%x: tensor<4xf64>) -> tensor<4xf64> {
  %v, %g = lathe.value_and_grad @sum_of_roots(%x) wrt [0] : (tensor<4xf64>) -> (tensor<f64>, tensor<4xf64>)
  return %g : tensor<4xf64>
}
func.func @roots() -> (tensor<4xf64> {lathe.name = "slope"}, tensor<4xf64> {lathe.name = "curvature"}) {
  %x = lathe.constant dense<[0.0, 4.0, -1.0, 1.0]> : tensor<4xf64>
  %one = lathe.constant dense<1.0> : tensor<4xf64>
  %slope, %curvature = lathe.vjp @slopes(%x) cotangents(%one) wrt [0] : (tensor<4xf64>), (tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>)
  return %slope, %curvature : tensor<4xf64>, tensor<4xf64>
}

// Roots of roots, n of them: x^(1/2^n), whose slope at 16 for n = 2 is 1/32, at 4 for n = 1 is 1/4, and 1 for n = 0.
// AGAIN: by_while{{.*}}: 1 0.03125 0.25
// AGAIN: by_scan{{.*}}: 1 0.03125 0.25
func.func private @by_while(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %i, %v = lathe.while carry(%i = %zero : tensor<i32>, %v = %x : tensor<f64>) bound 5 {
    %go = lathe.compare lt %i, %n : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %j = lathe.add %i, %one : tensor<i32>
    %r = lathe.sqrt %v : tensor<f64>
    lathe.yield carry(%j : tensor<i32>, %r : tensor<f64>)
  }
  return %v : tensor<f64>
}
func.func private @by_scan(%x: tensor<f64>, %n: tensor<i32>) -> tensor<f64> {
  %v = lathe.scan carry(%v = %x : tensor<f64>) trip 4 length %n : tensor<i32> -> tensor<f64> {
    %r = lathe.sqrt %v : tensor<f64>
    lathe.yield carry(%r : tensor<f64>)
  }
  return %v : tensor<f64>
}
func.func private @sum_while(%x: tensor<3xf64>, %n: tensor<3xi32>) -> tensor<f64> {
  %y = lathe.vmap @by_while(%x, %n) in [0, 0] : (tensor<3xf64>, tensor<3xi32>) -> tensor<3xf64>
  %s = lathe.reduce sum %y dims [0] : tensor<3xf64>
  return %s : tensor<f64>
}
func.func private @sum_scan(%x: tensor<3xf64>, %n: tensor<3xi32>) -> tensor<f64> {
  %y = lathe.vmap @by_scan(%x, %n) in [0, 0] : (tensor<3xf64>, tensor<3xi32>) -> tensor<3xf64>
  %s = lathe.reduce sum %y dims [0] : tensor<3xf64>
  return %s : tensor<f64>
}
func.func @again() -> (tensor<3xf64> {lathe.name = "by_while"}, tensor<3xf64> {lathe.name = "by_scan"}) {
  %x = lathe.constant dense<[0.0, 16.0, 4.0]> : tensor<3xf64>
  %n = lathe.constant dense<[0, 2, 1]> : tensor<3xi32>
  %v, %a = lathe.value_and_grad @sum_while(%x, %n) wrt [0] : (tensor<3xf64>, tensor<3xi32>) -> (tensor<f64>, tensor<3xf64>)
  %w, %b = lathe.value_and_grad @sum_scan(%x, %n) wrt [0] : (tensor<3xf64>, tensor<3xi32>) -> (tensor<f64>, tensor<3xf64>)
  return %a, %b : tensor<3xf64>, tensor<3xf64>
}
