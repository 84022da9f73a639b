// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of asserts, prints and checks, as numbered in DebugOps.td and KernelOps.td.

// assert_c1
func.func @assert_c1(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %y = lathe.while carry(%v = %x : tensor<f32>) {
    %q = lathe.if %p -> tensor<i1> {
      // expected-error @+1 {{'lathe.assert' op is in the condition of a lathe.while, which may be evaluated more often than the loop has steps; move it into the body}}
      lathe.assert %p, "inside" : tensor<i1>
      lathe.yield %p : tensor<i1>
    } else {
      lathe.yield %p : tensor<i1>
    }
    lathe.condition %q : tensor<i1>
  } do {
    lathe.assert %p, "the body may" : tensor<i1>
    lathe.yield carry(%v : tensor<f32>)
  }
  return %y : tensor<f32>
}

// -----

// print_c1
func.func @print_c1(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %y = lathe.while carry(%v = %x : tensor<f32>) {
    // expected-error @+1 {{'lathe.print' op is in the condition of a lathe.while}}
    lathe.print %v : tensor<f32>
    lathe.condition %p : tensor<i1>
  } do {
    lathe.yield carry(%v : tensor<f32>)
  }
  return %y : tensor<f32>
}

// -----

// print_c2
func.func @print_c2(%x: tensor<4x3xf32>, %m: tensor<3xi1>) {
  // expected-error @+1 {{'where' has the shape [3], expected the leading dimensions of the value's shape [4, 3]}}
  lathe.print %x where %m : tensor<4x3xf32>, tensor<3xi1>
  return
}

// -----

// print_c2_rank
func.func @print_c2_rank(%x: tensor<4xf32>, %m: tensor<4x1xi1>) {
  // expected-error @+1 {{'where' has the shape [4, 1], expected the leading dimensions of the value's shape [4]}}
  lathe.print %x where %m : tensor<4xf32>, tensor<4x1xi1>
  return
}

// -----

// check_c1
func.func @check_c1(%x: tensor<4xi32>) {
  // expected-error @+1 {{'finite' needs a floating-point tensor and no 'below', got 'tensor<4xi32>'}}
  lathe.check finite %x of "lathe.add" : tensor<4xi32>
  return
}

// -----

// check_c1_below
func.func @check_c1_below(%x: tensor<4xf32>) {
  // expected-error @+1 {{'finite' needs a floating-point tensor and no 'below'}}
  lathe.check finite %x below [4] of "lathe.add" : tensor<4xf32>
  return
}

// -----

// check_c2
func.func @check_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'inside' needs an i32 or i64 tensor and exactly one dimension in 'below', got 'tensor<4xf32>'}}
  lathe.check inside %x below [4] of "lathe.gather" : tensor<4xf32>
  return
}

// -----

// check_c2_below
func.func @check_c2_below(%x: tensor<4xi32>) {
  // expected-error @+1 {{'inside' needs an i32 or i64 tensor and exactly one dimension in 'below'}}
  lathe.check inside %x below [4, 5] of "lathe.gather" : tensor<4xi32>
  return
}

// -----

// check_c2_sources
func.func @check_c2_sources(%x: tensor<4xi32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'inside' needs an i32 or i64 tensor and exactly one dimension in 'below'}}
  lathe.check inside %x from(%y) below [4] of "lathe.gather" : tensor<4xi32>, tensor<4xf32>
  return
}
