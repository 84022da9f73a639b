// RUN: lathe-run %s main --check | FileCheck %s
// Hurwitz's zeta function: pi^2 / 6, pi^4 / 90, pi^2 / 2, infinite at 1, NaN below 1, a pole, and -1/2 like 1/2 plus 4.
// CHECK: result0: f32[7] {{.*}}: 1.64493{{[0-9]*}} 1.08232{{[0-9]*}} 4.9348{{[0-9]*}} inf nan inf 8.9348{{[0-9]*}}
// exp(-|x|) I1(x), from tables of I1(1) = 0.565159104 and I1(10) = 2670.988303701, and from its limit 1 / sqrt(2 pi x).
// CHECK: result1: f64[5] {{.*}}: 0.207910415{{[0-9]*}} -0.207910415{{[0-9]*}} 0.121262681{{[0-9]*}} 0 0.000398942{{[0-9]*}}
// digamma(1), its derivatives pi^2 / 6 and -2 zeta(3), and NaN for an order that is none.
// CHECK: result2: f32[4] {{.*}}: -0.57721{{[0-9]*}} 1.64493{{[0-9]*}} -2.4041{{[0-9]*}} nan
func.func public @main() -> (tensor<7xf32>, tensor<5xf64>, tensor<4xf32>) {
  %s = stablehlo.constant dense<[2.0, 4.0, 2.0, 1.0, 0.5, 2.0, 2.0]> : tensor<7xf32>
  %q = stablehlo.constant dense<[1.0, 1.0, 0.5, 1.0, 1.0, -3.0, -0.5]> : tensor<7xf32>
  %0 = chlo.zeta %s, %q : tensor<7xf32>, tensor<7xf32> -> tensor<7xf32>
  %x = stablehlo.constant dense<[1.0, -1.0, 10.0, 0.0, 1.0e6]> : tensor<5xf64>
  %1 = chlo.bessel_i1e %x : tensor<5xf64> -> tensor<5xf64>
  %n = stablehlo.constant dense<[0.0, 1.0, 2.0, 1.5]> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %2 = chlo.polygamma %n, %one : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2 : tensor<7xf32>, tensor<5xf64>, tensor<4xf32>
}
