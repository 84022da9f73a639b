// RUN: lathe-run %s floats --interpret | FileCheck %s --check-prefix=FLOATS
// RUN: lathe-run %s integers --interpret | FileCheck %s --check-prefix=INTS
// RUN: lathe-run %s bits --interpret | FileCheck %s --check-prefix=BITS
// RUN: lathe-run %s rounds_once --interpret | FileCheck %s --check-prefix=ONCE
// RUN: lathe-run %s floats --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s integers --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s bits --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s rounds_once --bisect --rtol 1e-6 --atol 0

!f = tensor<6xf32>
func.func @floats() -> (!f, !f, !f, !f, !f, !f, !f) {
  %a = lathe.constant dense<[1.0, -7.5, 0.0, 0x7F800000, 0x7FC00000, -0.0]> : !f
  %b = lathe.constant dense<[2.0, 2.0, -0.0, 0x7F800000, 1.0, 0.0]> : !f
  // FLOATS: add: {{.*}}: 3 -5.5 0 inf nan 0
  %add = lathe.add %a, %b : !f
  // FLOATS: sub: {{.*}}: -1 -9.5 0 {{-?}}nan nan -0
  %sub = lathe.sub %a, %b : !f
  // FLOATS: mul: {{.*}}: 2 -15 -0 inf nan -0
  %mul = lathe.mul %a, %b : !f
  // FLOATS: div: {{.*}}: 0.5 -3.75 {{-?}}nan {{-?}}nan nan {{-?}}nan
  %div = lathe.div %a, %b : !f
  // The sign of lhs.
  // FLOATS: rem: {{.*}}: 1 -1.5 {{-?}}nan {{-?}}nan nan {{-?}}nan
  %rem = lathe.rem %a, %b : !f
  // A NaN on either side is the result; a zero with a plus is the larger one.
  // FLOATS: max: {{.*}}: 2 2 0 inf nan 0
  %max = lathe.max %a, %b : !f
  // FLOATS: min: {{.*}}: 1 -7.5 -0 inf nan -0
  %min = lathe.min %a, %b : !f
  return %add, %sub, %mul, %div, %rem, %max, %min : !f, !f, !f, !f, !f, !f, !f
}

!i = tensor<6xi32>
func.func @integers() -> (!i, !i, !i, !i, !i, !i, !i, !i, !i, !i) {
  %a = lathe.constant dense<[7, -7, 2147483647, -2147483648, -2147483648, 5]> : !i
  %b = lathe.constant dense<[2, 2, 1, -1, 1, 0]> : !i
  // INTS: add: {{.*}}: 9 -5 -2147483648 2147483647 -2147483647 5
  %add = lathe.add %a, %b : !i
  // INTS: sub: {{.*}}: 5 -9 2147483646 -2147483647 2147483647 5
  %sub = lathe.sub %a, %b : !i
  // INTS: mul: {{.*}}: 14 -14 2147483647 -2147483648 -2147483648 0
  %mul = lathe.mul %a, %b : !i
  // Towards zero; the smallest by -1 is itself; by zero -1.
  // INTS: div: {{.*}}: 3 -3 2147483647 -2147483648 -2147483648 -1
  %div = lathe.div %a, %b : !i
  // INTS: rem: {{.*}}: 1 -1 0 0 0 5
  %rem = lathe.rem %a, %b : !i
  // INTS: max: {{.*}}: 7 2 2147483647 -1 1 5
  %max = lathe.max %a, %b : !i
  // INTS: min: {{.*}}: 2 -7 1 -2147483648 -2147483648 0
  %min = lathe.min %a, %b : !i
  // INTS: neg: {{.*}}: -7 7 -2147483647 -2147483648 -2147483648 -5
  %neg = lathe.neg %a : !i
  // INTS: abs: {{.*}}: 7 7 2147483647 -2147483648 -2147483648 5
  %abs = lathe.abs %a : !i
  // INTS: sign: {{.*}}: 1 1 1 -1 1 0
  %sign = lathe.sign %b : !i
  return %add, %sub, %mul, %div, %rem, %max, %min, %neg, %abs, %sign : !i, !i, !i, !i, !i, !i, !i, !i, !i, !i
}

!j = tensor<5xi32>
!p = tensor<4xi1>
func.func @bits() -> (!j, !j, !j, !j, !j, !j, !p, !p, !p, !p) {
  %a = lathe.constant dense<[12, -1, -2147483648, 1, 1]> : !j
  %b = lathe.constant dense<[2, 31, 31, 32, -1]> : !j
  // BITS: band: {{.*}}: 0 31 0 0 1
  %band = lathe.and %a, %b : !j
  // BITS: bor: {{.*}}: 14 -1 -2147483617 33 -1
  %bor = lathe.or %a, %b : !j
  // BITS: bxor: {{.*}}: 14 -32 -2147483617 33 -2
  %bxor = lathe.xor %a, %b : !j
  // BITS: bnot: {{.*}}: -13 0 2147483647 -2 -2
  %bnot = lathe.not %a : !j
  // An amount outside of the width gives 0.
  // BITS: left: {{.*}}: 48 -2147483648 0 0 0
  %left = lathe.shift_left %a, %b : !j
  // Zeros come from the top.
  // BITS: right: {{.*}}: 3 1 1 0 0
  %right = lathe.shift_right %a, %b : !j
  %p = lathe.constant dense<[true, true, false, false]> : !p
  %q = lathe.constant dense<[true, false, true, false]> : !p
  // BITS: pand: {{.*}}: true false false false
  %pand = lathe.and %p, %q : !p
  // BITS: por: {{.*}}: true true true false
  %por = lathe.or %p, %q : !p
  // BITS: pxor: {{.*}}: false true true false
  %pxor = lathe.xor %p, %q : !p
  // BITS: pnot: {{.*}}: false false true true
  %pnot = lathe.not %p : !p
  return %band, %bor, %bxor, %bnot, %left, %right, %pand, %por, %pxor, %pnot : !j, !j, !j, !j, !j, !j, !p, !p, !p, !p
}

// 1 + 2^-12 squared is 1 + 2^-11 + 2^-24, which rounds to 1 + 2^-11 before anything is taken away.
func.func @rounds_once() -> tensor<f32> {
  %x = lathe.constant dense<1.000244140625> : tensor<f32>
  %y = lathe.constant dense<1.00048828125> : tensor<f32>
  %xx = lathe.mul %x, %x : tensor<f32>
  // ONCE: rest = 0
  %rest = lathe.sub %xx, %y : tensor<f32>
  return %rest : tensor<f32>
}
