// A loop that runs no step passes nothing back to what its steps compute of values from outside, even where that has no finite
// derivative: the square root of -2 here, that of 0 in the second derivative.
// RUN: lathe-run %s while --input x=-2 --input n=1 --input dy=3 | FileCheck %s --check-prefix=NONE
// RUN: lathe-run %s while --input x=-2 --input n=1 --input dy=3 --interpret | FileCheck %s --check-prefix=NONE
// RUN: lathe-run %s while --input x=4 --input n=-1 --input dy=3 --check | FileCheck %s --check-prefix=TWO
// NONE: dx = 3
// TWO: dx = 0.75

// RUN: lathe-run %s segments --input x=-2 --input n=1 --input dy=3 --check | FileCheck %s --check-prefix=NONE
// RUN: lathe-run %s segments --input x=4 --input n=-1 --input dy=3 --check | FileCheck %s --check-prefix=TWO

// RUN: lathe-run %s scan --dim T=0 --input x=-2 --input dy=3 --check | FileCheck %s --check-prefix=NONE
// RUN: lathe-run %s scan --dim T=2 --input x=4 --input dy=3 --check | FileCheck %s --check-prefix=TWO

// The second derivative of x^2 without steps, and of sqrt(x) with one: -1/4 x^(-3/2).
// RUN: lathe-run %s second --input x=0 --input n=1 --input dy=3 --check | FileCheck %s --check-prefix=SQUARE
// RUN: lathe-run %s second --input x=4 --input n=0 --input dy=3 --check | FileCheck %s --check-prefix=ROOT
// SQUARE: ddx = 6
// ROOT: ddx = -0.09375

func.func private @while_of(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %y:2 = lathe.while carry(%c = %x : tensor<f32>, %i = %n : tensor<i32>) bound 7 {
    %one = lathe.constant dense<1> : tensor<i32>
    %go = lathe.compare lt %i, %one : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %root = lathe.sqrt %x : tensor<f32>
    %one = lathe.constant dense<1> : tensor<i32>
    %next = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%root : tensor<f32>, %next : tensor<i32>)
  }
  return %y#0 : tensor<f32>
}
func.func @while(%x: tensor<f32>, %n: tensor<i32>, %dy: tensor<f32>) -> (tensor<f32> {lathe.name = "y"}, tensor<f32> {lathe.name = "dx"}) {
  %y, %dx = lathe.vjp @while_of(%x, %n) cotangents(%dy) wrt [0] : (tensor<f32>, tensor<i32>), (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %y, %dx : tensor<f32>, tensor<f32>
}

func.func private @segments_of(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %y:2 = lathe.while carry(%c = %x : tensor<f32>, %i = %n : tensor<i32>) bound 7 checkpoint sqrt {
    %one = lathe.constant dense<1> : tensor<i32>
    %go = lathe.compare lt %i, %one : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %root = lathe.sqrt %x : tensor<f32>
    %one = lathe.constant dense<1> : tensor<i32>
    %next = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%root : tensor<f32>, %next : tensor<i32>)
  }
  return %y#0 : tensor<f32>
}
func.func @segments(%x: tensor<f32>, %n: tensor<i32>, %dy: tensor<f32>) -> (tensor<f32> {lathe.name = "y"}, tensor<f32> {lathe.name = "dx"}) {
  %y, %dx = lathe.vjp @segments_of(%x, %n) cotangents(%dy) wrt [0] : (tensor<f32>, tensor<i32>), (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %y, %dx : tensor<f32>, tensor<f32>
}

lathe.dim @T, 0 to 100
func.func private @scan_of(%x: tensor<f32>) -> tensor<f32> {
  %y = lathe.scan carry(%c = %x : tensor<f32>) trip T -> tensor<f32> {
    %root = lathe.sqrt %x : tensor<f32>
    lathe.yield carry(%root : tensor<f32>)
  }
  return %y : tensor<f32>
}
func.func @scan(%x: tensor<f32>, %dy: tensor<f32>) -> (tensor<f32> {lathe.name = "y"}, tensor<f32> {lathe.name = "dx"}) {
  %y, %dx = lathe.vjp @scan_of(%x) cotangents(%dy) wrt [0] : (tensor<f32>), (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %y, %dx : tensor<f32>, tensor<f32>
}

func.func private @second_of(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %square = lathe.mul %x, %x : tensor<f32>
  %y:2 = lathe.while carry(%c = %square : tensor<f32>, %i = %n : tensor<i32>) bound 7 {
    %one = lathe.constant dense<1> : tensor<i32>
    %go = lathe.compare lt %i, %one : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %root = lathe.sqrt %x : tensor<f32>
    %one = lathe.constant dense<1> : tensor<i32>
    %next = lathe.add %i, %one : tensor<i32>
    lathe.yield carry(%root : tensor<f32>, %next : tensor<i32>)
  }
  return %y#0 : tensor<f32>
}
func.func private @first_of(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %one = lathe.constant dense<1.0> : tensor<f32>
  %y, %dx = lathe.vjp @second_of(%x, %n) cotangents(%one) wrt [0] : (tensor<f32>, tensor<i32>), (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %dx : tensor<f32>
}
func.func @second(%x: tensor<f32>, %n: tensor<i32>, %dy: tensor<f32>) -> (tensor<f32> {lathe.name = "dx"}, tensor<f32> {lathe.name = "ddx"}) {
  %dx, %ddx = lathe.vjp @first_of(%x, %n) cotangents(%dy) wrt [0] : (tensor<f32>, tensor<i32>), (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %dx, %ddx : tensor<f32>, tensor<f32>
}
