// RUN: lathe-run %s main --check | FileCheck %s
// RUN: lathec %s --emit=mlir --emit-stage=import -o - | FileCheck %s --check-prefix=OPS
// Loops with other starts and steps than 0 and 1 are scans, whose sequences are what the steps read of an operand.
// OPS-COUNT-4: lathe.scan
// OPS-NOT: lathe.while
// OPS-NOT: lathe.dynamic_
// For i = 1, 2, 3, s += i x[i], which is stored: 2, 8 and 20.
// CHECK: result0: f32[5] {{.*}}: -1 2 8 20 -1
// For i = 4, 2, 0, t = t / 2 + x[i].
// CHECK: result1 = 3.75
// For i = 1, 2, 3, the second differences of squares. The first and the last element stay.
// CHECK: result2: f32[5] {{.*}}: -1 2 2 2 -1
// For i = 0, 1, x[2 i + 1] at 4 - i.
// CHECK: result3: f32[5] {{.*}}: -1 -1 -1 4 2
func.func public @main() -> (tensor<5xf32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>) {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %squares = stablehlo.constant dense<[1.0, 4.0, 9.0, 16.0, 25.0]> : tensor<5xf32>
  %out = stablehlo.constant dense<-1.0> : tensor<5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %0:3 = stablehlo.while(%i = %one, %s = %zero, %o = %out) : tensor<i32>, tensor<f32>, tensor<5xf32>
  cond {
    %end = stablehlo.constant dense<4> : tensor<i32>
    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %part = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %value = stablehlo.reshape %part : (tensor<1xf32>) -> tensor<f32>
    %number = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %product = stablehlo.multiply %value, %number : tensor<f32>
    %sum = stablehlo.add %s, %product : tensor<f32>
    %row = stablehlo.reshape %sum : (tensor<f32>) -> tensor<1xf32>
    %stored = stablehlo.dynamic_update_slice %o, %row, %i : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %sum, %stored : tensor<i32>, tensor<f32>, tensor<5xf32>
  }
  %1:2 = stablehlo.while(%i = %four, %t = %zero) : tensor<i32>, tensor<f32>
  cond {
    %c = stablehlo.compare GE, %i, %none : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %part = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %value = stablehlo.reshape %part : (tensor<1xf32>) -> tensor<f32>
    %less = stablehlo.multiply %t, %half : tensor<f32>
    %sum = stablehlo.add %less, %value : tensor<f32>
    %next = stablehlo.subtract %i, %two : tensor<i32>
    stablehlo.return %next, %sum : tensor<i32>, tensor<f32>
  }
  %2:2 = stablehlo.while(%i = %one, %o = %out) : tensor<i32>, tensor<5xf32>
  cond {
    %c = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %before = stablehlo.subtract %i, %one : tensor<i32>
    %a = stablehlo.dynamic_slice %squares, %before, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %b = stablehlo.dynamic_slice %squares, %i, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %c = stablehlo.dynamic_slice %squares, %next, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %d = stablehlo.subtract %a, %b : tensor<1xf32>
    %e = stablehlo.subtract %c, %b : tensor<1xf32>
    %f = stablehlo.add %d, %e : tensor<1xf32>
    %stored = stablehlo.dynamic_update_slice %o, %f, %i : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    stablehlo.return %next, %stored : tensor<i32>, tensor<5xf32>
  }
  %3:2 = stablehlo.while(%i = %none, %o = %out) : tensor<i32>, tensor<5xf32>
  cond {
    %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %twice = stablehlo.multiply %i, %two : tensor<i32>
    %odd = stablehlo.add %twice, %one : tensor<i32>
    %a = stablehlo.dynamic_slice %x, %odd, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> tensor<1xf32>
    %back = stablehlo.subtract %four, %i : tensor<i32>
    %stored = stablehlo.dynamic_update_slice %o, %a, %back : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> tensor<5xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %stored : tensor<i32>, tensor<5xf32>
  }
  return %0#2, %1#1, %2#1, %3#1 : tensor<5xf32>, tensor<f32>, tensor<5xf32>, tensor<5xf32>
}
