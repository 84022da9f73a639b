// The residuals of loops: never more than there are steps, and refused if no memory could hold them.
// RUN: lathe-opt %s --lathe-import --lathe-lower-state --lathe-expand-derivatives --split-input-file --verify-diagnostics | FileCheck %s

// A segment is no longer than the loop.
// CHECK-LABEL: func.func @all_in_one
// CHECK: tensor<1x10xf32>
// CHECK-NOT: 9223372036854775807
func.func private @f(%xs: tensor<10xf32>, %h0: tensor<f32>) -> tensor<f32> {
  %h = lathe.scan carry(%h = %h0 : tensor<f32>) over(%x = %xs : tensor<10xf32>) checkpoint every 9223372036854775807 -> tensor<f32> {
    %n = lathe.mul %h, %x : tensor<f32>
    %m = lathe.tanh %n : tensor<f32>
    lathe.yield carry(%m : tensor<f32>)
  }
  return %h : tensor<f32>
}
func.func @all_in_one(%xs: tensor<10xf32>, %h0: tensor<f32>) -> tensor<f32> {
  %v, %g = lathe.value_and_grad @f(%xs, %h0) wrt [1] : (tensor<10xf32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %g : tensor<f32>
}

// -----

// A policy matters only where a derivative passes: here it does not, and the number of segments need not be known.
// CHECK-LABEL: func.func @beside
// CHECK: lathe.scan
// CHECK: lathe.cos
func.func private @f(%x: tensor<f32>, %ys: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %h = lathe.scan carry(%h = %zero : tensor<f32>) over(%y = %ys : tensor<?xf32>) checkpoint sqrt -> tensor<f32> {
    %m = lathe.add %h, %y : tensor<f32>
    lathe.yield carry(%m : tensor<f32>)
  }
  %z = lathe.sin %x : tensor<f32>
  %r = lathe.add %z, %h : tensor<f32>
  return %r : tensor<f32>
}
func.func @beside(%x: tensor<f32>, %ys: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<f32>, tensor<f32>) {
  %v, %g = lathe.value_and_grad @f(%x, %ys) wrt [0] : (tensor<f32>, tensor<?xf32>) -> (tensor<f32>, tensor<f32>)
  return %v, %g : tensor<f32>, tensor<f32>
}

// -----

// Steps are counted in 64 bits where 32 are too few.
// CHECK-LABEL: func.func @many
// CHECK: lathe.constant dense<4000000000> : tensor<i64>
// CHECK-NOT: dense<-294967296>
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %limit = lathe.constant dense<100.0> : tensor<f32>
  %v = lathe.while carry(%v = %x : tensor<f32>) bound 4000000000 checkpoint sqrt {
    %go = lathe.compare lt %v, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %n = lathe.mul %v, %v : tensor<f32>
    lathe.yield carry(%n : tensor<f32>)
  }
  return %v : tensor<f32>
}
func.func @many(%x: tensor<f32>) -> tensor<f32> {
  %v, %g = lathe.value_and_grad @f(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %g : tensor<f32>
}

// -----

func.func private @f(%x: tensor<8xf32>) -> tensor<f32> {
  // expected-error @+1 {{has more than 2^63 - 1 bytes; for a loop, use `checkpoint`, or a smaller 'bound' or 'trip'}}
  %v = lathe.scan carry(%v = %x : tensor<8xf32>) trip 4611686018427387904 -> tensor<8xf32> {
    %n = lathe.sin %v : tensor<8xf32>
    lathe.yield carry(%n : tensor<8xf32>)
  }
  %s = lathe.reduce sum %v dims [0] : tensor<8xf32>
  return %s : tensor<f32>
}
func.func @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  %v, %g = lathe.value_and_grad @f(%x) wrt [0] : (tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>)
  return %g : tensor<8xf32>
}

// -----

func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %limit = lathe.constant dense<100.0> : tensor<f32>
  // expected-error @+1 {{a residual of the derivative, a tensor of type 'tensor<4000000000000000000xf32>' has more than 2^63 - 1 bytes; for a loop, use `checkpoint`, or a smaller 'bound' or 'trip'}}
  %v = lathe.while carry(%v = %x : tensor<f32>) bound 4000000000000000000 {
    %go = lathe.compare lt %v, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %n = lathe.mul %v, %v : tensor<f32>
    lathe.yield carry(%n : tensor<f32>)
  }
  return %v : tensor<f32>
}
func.func @g(%x: tensor<f32>) -> tensor<f32> {
  %v, %g = lathe.value_and_grad @f(%x) wrt [0] : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %g : tensor<f32>
}
