// RUN: lathe-run %s main --check | FileCheck %s
// RUN: lathec %s --emit=mlir --emit-stage=import -o - | FileCheck %s --check-prefix=OPS
// Sorts by one key, by several, and by a comparator of another form.

// CHECK: result0: f32[4] {{.*}}: -1 0 2 3
// Descending, and the other operand goes along.
// CHECK: result1: i32[4] {{.*}}: 9 5 5 1
// CHECK: result2: f32[4] {{.*}}: 3 2 -1 0
// By the first key ascending, then by the second one.
// CHECK: result3: i32[4] {{.*}}: 1 5 5 9
// CHECK: result4: f32[4] {{.*}}: 0 -1 2 3
// By distance from 5, or the value if that is the same.
// CHECK: result5: i32[4] {{.*}}: 5 5 1 9
// CHECK: result6: f32[2] {{.*}}: 3 2
// CHECK: result7: i32[2] {{.*}}: 0 1
// OPS: lathe.sort
// OPS: lathe.argsort {{.*}} descending
func.func public @main() -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>, tensor<2xf32>, tensor<2xi32>) {
  %x = stablehlo.constant dense<[3.0, 2.0, 0.0, -1.0]> : tensor<4xf32>
  %n = stablehlo.constant dense<[9, 5, 1, 5]> : tensor<4xi32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1:2 = "stablehlo.sort"(%n, %x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %v: tensor<f32>, %w: tensor<f32>):
    %c = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xi32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>)
  %2:2 = "stablehlo.sort"(%n, %x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %v: tensor<f32>, %w: tensor<f32>):
    %second = stablehlo.compare LT, %v, %w, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %first = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %same = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = stablehlo.and %same, %second : tensor<i1>
    %c = stablehlo.or %first, %both : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xi32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xf32>)
  %3 = "stablehlo.sort"(%n) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %five = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.subtract %a, %five : tensor<i32>
    %q = stablehlo.subtract %b, %five : tensor<i32>
    %r = stablehlo.abs %p : tensor<i32>
    %s = stablehlo.abs %q : tensor<i32>
    %near = stablehlo.compare LT, %r, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %equal = stablehlo.compare EQ, %r, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = stablehlo.select %equal, %less, %near : tensor<i1>, tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xi32>) -> tensor<4xi32>
  %values, %indices = chlo.top_k(%x, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %0, %1#0, %1#1, %2#0, %2#1, %3, %values, %indices : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>,
      tensor<2xf32>, tensor<2xi32>
}
