// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of branches and loops, as numbered in ControlOps.td.

// if_c1
func.func @if_c1(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{body argument 0 is 'tensor<5xf32>', expected 'tensor<4xf32>' of consts}}
  %0 = "lathe.if"(%p, %x) ({
  ^bb0(%a: tensor<5xf32>):
    "lathe.yield"(%a) : (tensor<5xf32>) -> ()
  }, {
  ^bb0(%a: tensor<5xf32>):
    "lathe.yield"(%a) : (tensor<5xf32>) -> ()
  }) : (tensor<i1>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// if_c2
func.func @if_c2(%p: tensor<i1>, %x: tensor<4xf32>) {
  %0 = lathe.if %p -> tensor<4xf32> {
    lathe.yield %x : tensor<4xf32>
  } else {
    %s = lathe.reduce sum %x dims [0] : tensor<4xf32>
    // expected-error @+1 {{value 0 is 'tensor<f32>', expected 'tensor<4xf32>' of results of the lathe.if}}
    lathe.yield %s : tensor<f32>
  }
  return
}

// -----

// if_c2_count
func.func @if_c2_count(%p: tensor<i1>, %x: tensor<4xf32>) {
  %0 = lathe.if %p -> tensor<4xf32> {
    // expected-error @+1 {{value: expected 1, one for each of the results of the lathe.if, got 2}}
    lathe.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  } else {
    lathe.yield %x : tensor<4xf32>
  }
  return
}

// -----

// if_c2_carry
func.func @if_c2_carry(%p: tensor<i1>, %x: tensor<4xf32>) {
  %0 = lathe.if %p -> tensor<4xf32> {
    // expected-error @+1 {{'lathe.yield' of a branch has no 'carry' or 'collect'; expected `lathe.yield %a : T`}}
    lathe.yield carry(%x : tensor<4xf32>)
  } else {
    lathe.yield %x : tensor<4xf32>
  }
  return
}

// -----

// scan_c1
func.func @scan_c1(%h: tensor<4xf32>) {
  // expected-error @+1 {{body argument 0 is 'tensor<4xi32>', expected 'tensor<4xf32>' of consts, carries and slices}}
  %0 = "lathe.scan"(%h) <{dim = 0 : i64, operandSegmentSizes = array<i32: 0, 0, 1, 0>, trip = #lathe.shape<[3]>}> ({
  ^bb0(%a: tensor<4xi32>):
    %b = "lathe.convert"(%a) <{to = f32}> : (tensor<4xi32>) -> tensor<4xf32>
    "lathe.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// scan_c2
func.func @scan_c2(%h: tensor<4xf32>, %xs: tensor<3x5xf32>) {
  %0 = lathe.scan carry(%c = %h : tensor<4xf32>) over(%x = %xs : tensor<3x5xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{value 0 is 'tensor<5xf32>', expected 'tensor<4xf32>' of carries and collected values of the lathe.scan}}
    lathe.yield carry(%x : tensor<5xf32>)
  }
  return
}

// -----

// scan_c2_groups
func.func @scan_c2_groups(%h: tensor<4xf32>, %xs: tensor<3x4xf32>) {
  %0, %1 = lathe.scan carry(%c = %h : tensor<4xf32>) over(%x = %xs : tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
    // expected-error @+1 {{'lathe.yield' has 2 values in 'carry', but the loop has 1 carry}}
    lathe.yield carry(%x : tensor<4xf32>, %c : tensor<4xf32>)
  }
  return
}

// -----

// scan_c2_stack
func.func @scan_c2_stack(%xs: tensor<3x4xf32>) {
  // expected-error @+1 {{stack 0 of the results is 'tensor<5x4xf32>', but there are 3 steps}}
  %0 = lathe.scan over(%x = %xs : tensor<3x4xf32>) -> tensor<5x4xf32> {
    lathe.yield collect(%x : tensor<4xf32>)
  }
  return
}

// -----

// scan_c2_end
func.func @scan_c2_end(%h: tensor<4xf32>) {
  // expected-error @+1 {{a body ends in 'lathe.neg', expected lathe.yield}}
  %0 = lathe.scan carry(%c = %h : tensor<4xf32>) trip 3 -> tensor<4xf32> {
    %n = lathe.neg %c : tensor<4xf32>
  }
  return
}

// -----

// scan_c5_negative
func.func @scan_c5_negative(%h: tensor<4xf32>) {
  // expected-error @+1 {{'trip' is -5, expected 0 or more steps}}
  %0 = lathe.scan carry(%c = %h : tensor<4xf32>) trip -5 -> tensor<4xf32> {
    lathe.yield carry(%c : tensor<4xf32>)
  }
  return
}

// -----

// scan_c3
func.func @scan_c3(%xs: tensor<3x4xf32>) {
  // expected-error @+1 {{'dim' is 2, 0 of 'over' is 'tensor<3x4xf32>'}}
  %0 = lathe.scan over(%x = %xs : tensor<3x4xf32>) dim 2 -> tensor<3x4xf32> {
    lathe.yield collect(%x : tensor<4xf32>)
  }
  return
}

// -----

// scan_c3_stack
func.func @scan_c3_stack(%xs: tensor<3x4xf32>) {
  // expected-error @+1 {{'dim' is 1, but stack 0 of the results has rank 1}}
  %0 = lathe.scan over(%x = %xs : tensor<3x4xf32>) dim 1 -> tensor<4xf32> {
    %s = lathe.reduce sum %x dims [0] : tensor<3xf32>
    lathe.yield collect(%s : tensor<f32>)
  }
  return
}

// -----

// scan_c4
func.func @scan_c4(%xs: tensor<3x4xf32>, %ys: tensor<5x4xf32>) {
  // expected-error @+1 {{operand 0 of 'xs' has 3 slices along dimension 0, but operand 1 has 5}}
  %0 = lathe.scan over(%x = %xs : tensor<3x4xf32>, %y = %ys : tensor<5x4xf32>) -> tensor<3x4xf32> {
    lathe.yield collect(%x : tensor<4xf32>)
  }
  return
}

// -----

// scan_c4_trip
func.func @scan_c4_trip(%xs: tensor<3x4xf32>) {
  // expected-error @+1 {{'trip' is 4, but 'xs' have 3 slices}}
  %0 = lathe.scan over(%x = %xs : tensor<3x4xf32>) trip 4 -> tensor<3x4xf32> {
    lathe.yield collect(%x : tensor<4xf32>)
  }
  return
}

// -----

// scan_c5
func.func @scan_c5(%h: tensor<4xf32>) {
  // expected-error @+1 {{needs 'over' or 'trip' with one dimension to know the number of steps}}
  %0 = lathe.scan carry(%c = %h : tensor<4xf32>) -> tensor<4xf32> {
    lathe.yield carry(%c : tensor<4xf32>)
  }
  return
}

// -----

// scan_c6
func.func @scan_c6(%h: tensor<4xf32>) {
  // expected-error @+1 {{'checkpoint every' is 0, expected a positive number of steps}}
  %0 = lathe.scan carry(%c = %h : tensor<4xf32>) trip 3 checkpoint every 0 -> tensor<4xf32> {
    lathe.yield carry(%c : tensor<4xf32>)
  }
  return
}

// -----

// while_c1
func.func @while_c1(%v: tensor<f32>) {
  // expected-error @+1 {{body argument: expected 1, one for each of the consts and carries, got 0}}
  %0 = "lathe.while"(%v) <{operandSegmentSizes = array<i32: 0, 1>}> ({
    %go = "lathe.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    "lathe.condition"(%go) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>):
    "lathe.yield"(%a) : (tensor<f32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// while_c2
func.func @while_c2(%v: tensor<f32>) {
  // expected-error @+1 {{the condition ends in 'lathe.yield', expected lathe.condition}}
  %0 = lathe.while carry(%a = %v : tensor<f32>) {
    lathe.yield carry(%a : tensor<f32>)
  } do {
    lathe.yield carry(%a : tensor<f32>)
  }
  return
}

// -----

// while_c2_carries
func.func @while_c2_carries(%v: tensor<f32>, %go: tensor<i1>, %w: tensor<3xf32>) {
  %0 = lathe.while carry(%a = %v : tensor<f32>) {
    lathe.condition %go : tensor<i1>
  } do {
    // expected-error @+1 {{value 0 is 'tensor<3xf32>', expected 'tensor<f32>' of carries of the lathe.while}}
    lathe.yield carry(%w : tensor<3xf32>)
  }
  return
}

// -----

// while_c3
func.func @while_c3(%go: tensor<i1>) {
  // expected-error @+1 {{has no carry: its condition would never change}}
  lathe.while {
    lathe.condition %go : tensor<i1>
  } do {
    lathe.yield
  }
  return
}

// -----

// while_c4
func.func @while_c4(%v: tensor<f32>, %go: tensor<i1>) {
  // expected-error @+1 {{'bound' is 0, expected a positive number of steps}}
  %0 = lathe.while carry(%a = %v : tensor<f32>) bound 0 {
    lathe.condition %go : tensor<i1>
  } do {
    lathe.yield carry(%a : tensor<f32>)
  }
  return
}

// -----

// while_c5
func.func @while_c5(%v: tensor<f32>, %go: tensor<i1>) {
  // expected-error @+1 {{'checkpoint every' is -1, expected a positive number of steps}}
  %0 = "lathe.while"(%go, %v) <{checkpoint = -1 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%b: tensor<i1>, %a: tensor<f32>):
    "lathe.condition"(%b) : (tensor<i1>) -> ()
  }, {
  ^bb0(%b: tensor<i1>, %a: tensor<f32>):
    "lathe.yield"(%a) : (tensor<f32>) -> ()
  }) : (tensor<i1>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// A value is not defined before its op.
func.func @order(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{operand #1 does not dominate this use}}
  %0 = lathe.if %p -> tensor<4xf32> {
    lathe.yield %later : tensor<4xf32>
  } else {
    lathe.yield %x : tensor<4xf32>
  }
  // expected-note @+1 {{operand defined here (op in the same block)}}
  %later = lathe.neg %x : tensor<4xf32>
  return
}

// -----

func.func @empty(%p: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{expects a non-empty block}}
  %0 = lathe.if %p -> tensor<4xf32> {
  } else {
    lathe.yield %x : tensor<4xf32>
  }
  return
}

// -----

// checkpoint_c1
func.func @checkpoint_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{body argument 0 is 'tensor<5xf32>', expected 'tensor<4xf32>' of consts}}
  %0 = "lathe.checkpoint"(%x) ({
  ^bb0(%a: tensor<5xf32>):
    "lathe.yield"(%a) : (tensor<5xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// checkpoint_c2
func.func @checkpoint_c2(%x: tensor<4xf32>) {
  %0 = lathe.checkpoint -> tensor<4xf32> {
    %s = lathe.reduce sum %x dims [0] : tensor<4xf32>
    // expected-error @+1 {{value 0 is 'tensor<f32>', expected 'tensor<4xf32>' of results of the lathe.checkpoint}}
    lathe.yield %s : tensor<f32>
  }
  return
}

// -----

func.func @checkpoint_carry(%x: tensor<4xf32>) {
  %0 = lathe.checkpoint -> tensor<4xf32> {
    // expected-error @+1 {{'lathe.yield' of a branch has no 'carry' or 'collect'; expected `lathe.yield %a : T`}}
    lathe.yield carry(%x : tensor<4xf32>)
  }
  return
}
