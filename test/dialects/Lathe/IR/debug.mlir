// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// RUN: lathe-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT

// CHECK-LABEL: @text
// KEPT-LABEL: @text
func.func @text(%p: tensor<4x3xi1>, %x: tensor<4x3xf32>, %m: tensor<4xi1>, %i: tensor<2xi64>) {
  // CHECK: lathe.assert %{{.*}}, "rows \22of\22 3" : tensor<4x3xi1>
  lathe.assert %p, "rows \"of\" 3" : tensor<4x3xi1>
  // CHECK: lathe.print %{{.*}} : tensor<4x3xf32>
  lathe.print %x : tensor<4x3xf32>
  // CHECK: lathe.print %{{.*}} "x" where %{{.*}} : tensor<4x3xf32>, tensor<4xi1>
  lathe.print %x "x" where %m : tensor<4x3xf32>, tensor<4xi1>
  // CHECK: lathe.check finite %{{.*}} from(%{{.*}}, %{{.*}}) of "lathe.add" : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
  lathe.check finite %x from(%x, %x) of "lathe.add" : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
  // CHECK: lathe.check inside %{{.*}} below [8] of "lathe.gather" : tensor<2xi64>
  lathe.check inside %i below [8] of "lathe.gather" : tensor<2xi64>
  return
}

// No pass merges equal ones, removes them from a loop that computes nothing, or reorders them; their operands stay too.
// KEPT-LABEL: @order
func.func @order(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  // KEPT-COUNT-2: lathe.print %{{.*}} "twice"
  lathe.print %x "twice" : tensor<f32>
  lathe.print %x "twice" : tensor<f32>
  // KEPT: lathe.scan
  // KEPT: lathe.exp
  // KEPT: lathe.print %{{.*}} "in each step"
  // KEPT: lathe.assert %{{.*}}, "in each step"
  %0 = lathe.scan carry(%v = %x : tensor<f32>) trip 3 -> tensor<f32> {
    %e = lathe.exp %v : tensor<f32>
    lathe.print %e "in each step" : tensor<f32>
    lathe.assert %p, "in each step" : tensor<i1>
    %next = lathe.add %v, %v : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  // KEPT: lathe.if
  // KEPT: lathe.print %{{.*}} "taken"
  %1 = lathe.if %p -> tensor<f32> {
    lathe.print %x "taken" : tensor<f32>
    lathe.yield %x : tensor<f32>
  } else {
    lathe.yield %x : tensor<f32>
  }
  // KEPT: lathe.print %{{.*}} "last"
  lathe.print %x "last" : tensor<f32>
  return %x : tensor<f32>
}

// An assertion that always holds is removed.
// KEPT-LABEL: @known
// KEPT-NOT: "holds"
// KEPT: lathe.assert %{{.*}}, "fails"
func.func @known() {
  %t = lathe.constant dense<true> : tensor<2xi1>
  %f = lathe.constant dense<[true, false]> : tensor<2xi1>
  lathe.assert %t, "holds" : tensor<2xi1>
  lathe.assert %f, "fails" : tensor<2xi1>
  return
}
