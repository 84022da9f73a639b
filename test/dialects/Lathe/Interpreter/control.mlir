// The meaning of branches and loops.
// RUN: lathe-run %s scans --interpret | FileCheck %s --check-prefix=SCANS
// RUN: lathe-run %s scans --check --rtol 0 --atol 0
// RUN: lathe-run %s lengths --interpret --input length=2 | FileCheck %s --check-prefix=TWO
// RUN: lathe-run %s lengths --interpret --input length=-1 | FileCheck %s --check-prefix=NONE
// RUN: lathe-run %s longest --interpret | FileCheck %s --check-prefix=LONG
// RUN: lathe-run %s longest --check
// RUN: lathe-run %s lengths --interpret --input length=9 | FileCheck %s --check-prefix=ALL
// RUN: lathe-run %s choose --interpret --input x=3 | FileCheck %s --check-prefix=POSITIVE
// RUN: lathe-run %s choose --interpret --input x=-3 | FileCheck %s --check-prefix=NEGATIVE
// RUN: lathe-run %s halve --interpret --input x=100 | FileCheck %s --check-prefix=HALVED
// RUN: lathe-run %s halve --interpret --input x=0.5 | FileCheck %s --check-prefix=ATONCE
// RUN: lathe-run %s halve --interpret --input x=128 | FileCheck %s --check-prefix=BOUND
// RUN: sh -c 'lathe-run %s halve --interpret --input x=129; test $? = 4' 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: sh -c 'lathe-run %s halve --input x=129; test $? = 4' 2>&1 | FileCheck %s --check-prefix=TOLD

func.func @scans() -> (tensor<2xi32>, tensor<3x2xi32>, tensor<2xi32>, tensor<3x2xi32>, tensor<2x2xi32>, tensor<i32>, tensor<4xi32>) {
  %xs = lathe.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %zero = lathe.constant dense<0> : tensor<2xi32>
  // SCANS: sum: {{.*}}: 9 12
  // SCANS: before: {{.*}}: 0 0 1 2 4 6
  %sum, %before = lathe.scan carry(%s = %zero : tensor<2xi32>) over(%x = %xs : tensor<3x2xi32>) -> (tensor<2xi32>, tensor<3x2xi32>) {
    %next = lathe.add %s, %x : tensor<2xi32>
    lathe.yield carry(%next : tensor<2xi32>) collect(%s : tensor<2xi32>)
  }
  // From the last: 5 - 0, 3 + 5, 1 + 8.
  // SCANS: back: {{.*}}: -9 -12
  // SCANS: behind: {{.*}}: 9 12 8 10 5 6
  %back, %behind = lathe.scan carry(%s = %zero : tensor<2xi32>) over(%x = %xs : tensor<3x2xi32>) reverse -> (tensor<2xi32>, tensor<3x2xi32>) {
    %next = lathe.sub %x, %s : tensor<2xi32>
    %less = lathe.neg %next : tensor<2xi32>
    lathe.yield carry(%less : tensor<2xi32>) collect(%next : tensor<2xi32>)
  }
  // Along the second dimension, stacked along it.
  // SCANS: columns: {{.*}}: 9 12 -9 -12
  %columns = lathe.scan over(%x = %xs : tensor<3x2xi32>) dim 1 -> tensor<2x2xi32> {
    %total = lathe.reduce sum %x dims [0] : tensor<3xi32>
    %less = lathe.neg %total : tensor<i32>
    %first = lathe.reshape %total to [1] : tensor<i32>
    %second = lathe.reshape %less to [1] : tensor<i32>
    %pair = lathe.concatenate %first, %second dim 0 : tensor<1xi32>, tensor<1xi32>
    lathe.yield collect(%pair : tensor<2xi32>)
  }
  // SCANS: doubled = 16
  // SCANS: powers: {{.*}}: 1 2 4 8
  %one = lathe.constant dense<1> : tensor<i32>
  %doubled, %powers = lathe.scan carry(%k = %one : tensor<i32>) trip 4 -> (tensor<i32>, tensor<4xi32>) {
    %twice = lathe.add %k, %k : tensor<i32>
    lathe.yield carry(%twice : tensor<i32>) collect(%k : tensor<i32>)
  }
  return %sum, %before, %back, %behind, %columns, %doubled, %powers
    : tensor<2xi32>, tensor<3x2xi32>, tensor<2xi32>, tensor<3x2xi32>, tensor<2x2xi32>, tensor<i32>, tensor<4xi32>
}

// TWO: kept = 3
// TWO: stack: {{.*}}: 1 2 0 0
// TWO: turned = 1
// TWO: slots: {{.*}}: -2 -10 0 0
// NONE: kept = 10
// NONE: stack: {{.*}}: 0 0 0 0
// NONE: turned = 10
// NONE: slots: {{.*}}: 0 0 0 0
// ALL: kept = 7
// ALL: stack: {{.*}}: 1 2 3 4
// ALL: turned = 1
// ALL: slots: {{.*}}: -2 -3 -4 -10
func.func @lengths(%length: tensor<i32>) -> (tensor<i32>, tensor<4xi32>, tensor<i32>, tensor<4xi32>) {
  %xs = lathe.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %ten = lathe.constant dense<10> : tensor<i32>
  %zero = lathe.constant dense<0> : tensor<i32>
  // The sum of the last two; 10 and 0 before the first step.
  %kept, %last, %stack = lathe.scan carry(%k = %ten : tensor<i32>, %l = %zero : tensor<i32>) over(%x = %xs : tensor<4xi32>) length %length
      -> (tensor<i32>, tensor<i32>, tensor<4xi32>) {
    %next = lathe.add %x, %l : tensor<i32>
    lathe.yield carry(%next : tensor<i32>, %x : tensor<i32>) collect(%x : tensor<i32>)
  }
  %turned, %slots = lathe.scan carry(%c = %ten : tensor<i32>) over(%x = %xs : tensor<4xi32>) reverse length %length
      -> (tensor<i32>, tensor<4xi32>) {
    %less = lathe.neg %c : tensor<i32>
    lathe.yield carry(%x : tensor<i32>) collect(%less : tensor<i32>)
  }
  return %kept, %stack, %turned, %slots : tensor<i32>, tensor<4xi32>, tensor<i32>, tensor<4xi32>
}

// The largest number of steps that an operand can ask for: all.
// LONG: sum = 10
func.func @longest() -> tensor<i32> {
  %xs = lathe.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %zero = lathe.constant dense<0> : tensor<i32>
  %length = lathe.constant dense<9223372036854775807> : tensor<i64>
  %sum = lathe.scan carry(%s = %zero : tensor<i32>) over(%x = %xs : tensor<4xi32>) length %length : tensor<i64> -> tensor<i32> {
    %next = lathe.add %x, %s : tensor<i32>
    lathe.yield carry(%next : tensor<i32>)
  }
  return %sum : tensor<i32>
}

// POSITIVE: y = 6
// POSITIVE: z = 3
// NEGATIVE: y = 9
// NEGATIVE: z = 1
func.func @choose(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %p = lathe.compare gt %x, %zero : tensor<f32>
  %y, %z = lathe.if %p -> (tensor<f32>, tensor<f32>) {
    %twice = lathe.add %x, %x : tensor<f32>
    lathe.yield %twice, %x : tensor<f32>, tensor<f32>
  } else {
    %square = lathe.mul %x, %x : tensor<f32>
    %one = lathe.constant dense<1.0> : tensor<f32>
    lathe.yield %square, %one : tensor<f32>, tensor<f32>
  }
  return %y, %z : tensor<f32>, tensor<f32>
}

// HALVED: v = 0.78125
// HALVED: steps = 7
// ATONCE: v = 0.5
// ATONCE: steps = 0
// BOUND: v = 1
// BOUND: steps = 7
func.func @halve(%x: tensor<f32>) -> (tensor<f32>, tensor<i32>) {
  %zero = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  // TOLD: control.mlir:[[#@LINE+2]]:{{[0-9]+}}: error: halve: lathe.while exceeds its bound of 7 steps
  // BEYOND: control.mlir:[[#@LINE+1]]:{{.*}} error: lathe.while exceeds its bound of 7 steps
  %v, %steps = lathe.while carry(%v = %x : tensor<f32>, %i = %zero : tensor<i32>) bound 7 {
    %go = lathe.compare gt %v, %one : tensor<f32>
    lathe.condition %go : tensor<i1>
  } do {
    %half = lathe.constant dense<0.5> : tensor<f32>
    %next = lathe.mul %v, %half : tensor<f32>
    %step = lathe.constant dense<1> : tensor<i32>
    %j = lathe.add %i, %step : tensor<i32>
    lathe.yield carry(%next : tensor<f32>, %j : tensor<i32>)
  }
  return %v, %steps : tensor<f32>, tensor<i32>
}
