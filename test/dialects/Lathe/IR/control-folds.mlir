// Branches and loops without what nobody needs.
// RUN: lathe-opt %s --lathe-infer-dims --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @known(
// CHECK-NOT: lathe.if
// CHECK: lathe.exp
// CHECK-NOT: lathe.neg
func.func @known(%x: tensor<4xf32>) -> tensor<4xf32> {
  %true = lathe.constant dense<true> : tensor<i1>
  %y = lathe.if %true -> tensor<4xf32> {
    %e = lathe.exp %x : tensor<4xf32>
    lathe.yield %e : tensor<4xf32>
  } else {
    %n = lathe.neg %x : tensor<4xf32>
    lathe.yield %n : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// A result that nobody reads takes what only it needs along.
// CHECK-LABEL: @halfDeadIf(
// CHECK-SAME: %[[P:.*]]: tensor<i1>, %[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
// CHECK: lathe.if %[[P]] -> tensor<4xf32> {
// CHECK-NEXT: lathe.exp %[[X]]
// CHECK-NEXT: lathe.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: lathe.yield %[[X]]
func.func @halfDeadIf(%p: tensor<i1>, %x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %y, %dead = lathe.if %p -> (tensor<4xf32>, tensor<4xf32>) {
    %e = lathe.exp %x : tensor<4xf32>
    %n = lathe.neg %z : tensor<4xf32>
    lathe.yield %e, %n : tensor<4xf32>, tensor<4xf32>
  } else {
    lathe.yield %x, %z : tensor<4xf32>, tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// %b lives only for itself; %c lives for %a. The stack, what it is made of and one of the sequences go.
// CHECK-LABEL: @carries(
// CHECK-SAME: %[[XS:[^:]*]]: tensor<3x4xf32>, %{{.*}}: tensor<3x4xf32>, %[[A:.*]]: tensor<4xf32>)
// CHECK: lathe.scan carry(%[[CA:.*]] = %[[A]] : tensor<4xf32>, %[[CC:.*]] = %[[A]] : tensor<4xf32>) over(%[[X:.*]] = %[[XS]] : tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %[[NA:.*]] = lathe.add %[[CA]], %[[CC]]
// CHECK-NEXT: %[[NC:.*]] = lathe.mul %[[CC]], %[[X]]
// CHECK-NEXT: lathe.yield carry(%[[NA]] : tensor<4xf32>, %[[NC]] : tensor<4xf32>)
// CHECK-NEXT: }
func.func @carries(%xs: tensor<3x4xf32>, %zs: tensor<3x4xf32>, %h: tensor<4xf32>) -> tensor<4xf32> {
  %ra, %rb, %rc, %ys = lathe.scan carry(%a = %h : tensor<4xf32>, %b = %h : tensor<4xf32>, %c = %h : tensor<4xf32>)
      over(%x = %xs : tensor<3x4xf32>, %z = %zs : tensor<3x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>) {
    %na = lathe.add %a, %c : tensor<4xf32>
    %nb = lathe.add %b, %a : tensor<4xf32>
    %nc = lathe.mul %c, %x : tensor<4xf32>
    %y = lathe.exp %z : tensor<4xf32>
    lathe.yield carry(%na : tensor<4xf32>, %nb : tensor<4xf32>, %nc : tensor<4xf32>) collect(%y : tensor<4xf32>)
  }
  return %ra : tensor<4xf32>
}

// The number of steps stays when nothing is left that has it.
// CHECK-LABEL: @steps(
// CHECK: lathe.scan carry(%{{.*}}) trip N -> tensor<f32>
func.func @steps(%xs: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %h: tensor<f32>) -> tensor<f32> {
  %s, %ys = lathe.scan carry(%s = %h : tensor<f32>) over(%x = %xs : tensor<?x4xf32>) -> (tensor<f32>, tensor<?x4xf32>) {
    %next = lathe.sin %s : tensor<f32>
    lathe.yield carry(%next : tensor<f32>) collect(%x : tensor<4xf32>)
  }
  return %s : tensor<f32>
}

// A carry that is passed on as it is, is what it began as; constants of one value stand where they are used.
// CHECK-LABEL: @unchanged(
// CHECK-SAME: %[[H:.*]]: tensor<4xf32>, %[[K:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.*]] = lathe.scan carry(%[[A:.*]] = %[[H]] : tensor<4xf32>) trip 3 -> tensor<4xf32> {
// CHECK-DAG: %[[TWO:.*]] = lathe.constant dense<2.000000e+00>
// CHECK: lathe.mul %[[A]], %[[K]]
// CHECK: lathe.add %{{.*}}, %[[TWO]]
// CHECK: return %[[R]], %[[K]]
func.func @unchanged(%h: tensor<4xf32>, %k: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = lathe.constant dense<2.0> : tensor<4xf32>
  %r, %same = lathe.scan carry(%a = %h : tensor<4xf32>, %b = %k : tensor<4xf32>) trip 3 -> (tensor<4xf32>, tensor<4xf32>) {
    %m = lathe.mul %a, %b : tensor<4xf32>
    %next = lathe.add %m, %two : tensor<4xf32>
    lathe.yield carry(%next : tensor<4xf32>, %b : tensor<4xf32>)
  }
  return %r, %same : tensor<4xf32>, tensor<4xf32>
}

// So is one that is also what another carry becomes.
// CHECK-LABEL: @passed_on(
// CHECK-SAME: %[[H:.*]]: tensor<4xf32>, %[[K:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[R:.*]] = lathe.scan carry(%{{[^,]*}} = %[[K]] : tensor<4xf32>) trip 3 -> tensor<4xf32> {
// CHECK-NEXT: lathe.yield carry(%[[H]] : tensor<4xf32>)
// CHECK: return %[[R]]
func.func @passed_on(%h: tensor<4xf32>, %k: tensor<4xf32>) -> tensor<4xf32> {
  %same, %r = lathe.scan carry(%a = %h : tensor<4xf32>, %b = %k : tensor<4xf32>) trip 3 -> (tensor<4xf32>, tensor<4xf32>) {
    lathe.yield carry(%a : tensor<4xf32>, %a : tensor<4xf32>)
  }
  return %r : tensor<4xf32>
}

// The condition keeps its carry alive. A loop with a bound may fail: it stays, without results that are read.
// CHECK-LABEL: @loops(
// CHECK-SAME: %[[V:.*]]: tensor<f32>, %[[L:.*]]: tensor<f32>)
// CHECK-NEXT: lathe.while carry(%[[I:.*]] = %[[V]] : tensor<f32>) bound 10 {
// CHECK-NEXT: lathe.compare lt %[[I]], %[[L]]
// CHECK-NEXT: lathe.condition
// CHECK-NEXT: } do {
// CHECK-NEXT: lathe.add %[[I]], %[[L]]
// CHECK-NEXT: lathe.yield carry(%{{[^,]*}} : tensor<f32>)
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @loops(%v: tensor<f32>, %limit: tensor<f32>) {
  %r, %s = lathe.while carry(%i = %v : tensor<f32>, %j = %v : tensor<f32>) bound 10 {
    %go = lathe.compare lt %i, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %next = lathe.add %i, %limit : tensor<f32>
    %other = lathe.mul %i, %j : tensor<f32>
    lathe.yield carry(%next : tensor<f32>, %other : tensor<f32>)
  }
  return
}

// In a branch that must stay: its own results go, it does not.
// CHECK-LABEL: @inside(
// CHECK: lathe.if %{{.*}} {
// CHECK: lathe.while
// CHECK: } else {
// CHECK-NEXT: lathe.yield
// CHECK-NEXT: }
func.func @inside(%p: tensor<i1>, %v: tensor<f32>, %limit: tensor<f32>) {
  %r = lathe.if %p -> tensor<f32> {
    %s = lathe.while carry(%i = %v : tensor<f32>) bound 10 {
      %go = lathe.compare lt %i, %limit : tensor<f32>
      lathe.condition %go : tensor<i1>
    } do {
      %next = lathe.add %i, %limit : tensor<f32>
      lathe.yield carry(%next : tensor<f32>)
    }
    lathe.yield %s : tensor<f32>
  } else {
    lathe.yield %v : tensor<f32>
  }
  return
}

// Where the first of two equal loops ends in time, so does the second. One of another bound is another loop.
// CHECK-LABEL: @equal(
// CHECK: %[[A:.*]] = lathe.while {{.*}} bound 10
// CHECK: %[[B:.*]] = lathe.while {{.*}} bound 11
// CHECK-NOT: lathe.while
// CHECK: return %[[A]], %[[A]], %[[B]]
func.func @equal(%v: tensor<f32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %r = lathe.while carry(%i = %v : tensor<f32>) bound 10 {
    %go = lathe.compare lt %i, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %next = lathe.add %i, %limit : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  %s = lathe.while carry(%i = %v : tensor<f32>) bound 10 {
    %go = lathe.compare lt %i, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %next = lathe.add %i, %limit : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  %t = lathe.while carry(%i = %v : tensor<f32>) bound 11 {
    %go = lathe.compare lt %i, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %next = lathe.add %i, %limit : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %r, %s, %t : tensor<f32>, tensor<f32>, tensor<f32>
}

// Each of them prints.
// CHECK-LABEL: @telling(
// CHECK-COUNT-2: lathe.while
func.func @telling(%v: tensor<f32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r = lathe.while carry(%i = %v : tensor<f32>) bound 10 {
    %go = lathe.compare lt %i, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    lathe.print %i "i" : tensor<f32>
    %next = lathe.add %i, %limit : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  %s = lathe.while carry(%i = %v : tensor<f32>) bound 10 {
    %go = lathe.compare lt %i, %limit : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    lathe.print %i "i" : tensor<f32>
    %next = lathe.add %i, %limit : tensor<f32>
    lathe.yield carry(%next : tensor<f32>)
  }
  return %r, %s : tensor<f32>, tensor<f32>
}
