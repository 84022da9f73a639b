// RUN: lathe-run %s f32 --interpret | FileCheck %s --check-prefix=F32
// RUN: lathe-run %s f64 --interpret | FileCheck %s --check-prefix=F64
// RUN: lathe-run %s rounding --interpret | FileCheck %s --check-prefix=ROUND
// RUN: lathe-run %s f32 --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s f64 --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s rounding --bisect --rtol 1e-6 --atol 0

!x = tensor<4xf32>
func.func @f32() -> (!x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x) {
  %x = lathe.constant dense<[0.5, 1.0, -1.0, 0.0]> : !x
  // F32: exp: {{.*}}: 1.6487212 2.7182817 0.36787945 1
  %exp = lathe.exp %x : !x
  // F32: expm1: {{.*}}: 0.6487213 1.7182819 -0.63212055 0
  %expm1 = lathe.expm1 %x : !x
  // F32: log: {{.*}}: -0.6931472 0 {{-?}}nan -inf
  %log = lathe.log %x : !x
  // F32: log1p: {{.*}}: 0.4054651 0.6931472 -inf 0
  %log1p = lathe.log1p %x : !x
  // F32: sqrt: {{.*}}: 0.70710677 1 {{-?}}nan 0
  %sqrt = lathe.sqrt %x : !x
  // F32: rsqrt: {{.*}}: 1.4142135 1 {{-?}}nan inf
  %rsqrt = lathe.rsqrt %x : !x
  // F32: sin: {{.*}}: 0.47942555 0.84147096 -0.84147096 0
  %sin = lathe.sin %x : !x
  // F32: cos: {{.*}}: 0.87758255 0.5403023 0.5403023 1
  %cos = lathe.cos %x : !x
  // F32: tanh: {{.*}}: 0.46211717 0.7615942 -0.7615942 0
  %tanh = lathe.tanh %x : !x
  // F32: logistic: {{.*}}: 0.62245935 0.7310586 0.26894143 0.5
  %logistic = lathe.logistic %x : !x
  // F32: erf: {{.*}}: 0.5204999 0.8427008 -0.8427008 0
  %erf = lathe.erf %x : !x
  // F32: pow: {{.*}}: 0.35355338 1 {{-?}}nan 0
  %three_halves = lathe.constant dense<1.5> : tensor<f32>
  %pow = lathe.pow %x, %three_halves : !x, tensor<f32>
  // F32: neg: {{.*}}: -0.5 -1 1 -0
  %neg = lathe.neg %x : !x
  // F32: same: {{.*}}: 0.5 1 -1 0
  %same = lathe.stop_gradient %x : !x
  return %exp, %expm1, %log, %log1p, %sqrt, %rsqrt, %sin, %cos, %tanh, %logistic, %erf, %pow, %neg, %same
    : !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x
}

!y = tensor<2xf64>
func.func @f64() -> (!y, !y, !y, !y) {
  %x = lathe.constant dense<[0.5, 3.0]> : !y
  // F64: exp: {{.*}}: 1.6487212707001282 20.085536923187668
  %exp = lathe.exp %x : !y
  // F64: rsqrt: {{.*}}: 1.4142135623730951 0.5773502691896257
  %rsqrt = lathe.rsqrt %x : !y
  // F64: logistic: {{.*}}: 0.6224593312018546 0.9525741268224333
  %logistic = lathe.logistic %x : !y
  // F64: pow: {{.*}}: 0.7071067811865476 27
  %pow = lathe.pow %x, %x : !y
  return %exp, %rsqrt, %logistic, %pow : !y, !y, !y, !y
}

!z = tensor<8xf32>
func.func @rounding() -> (!z, !z, !z, !z, !z) {
  %x = lathe.constant dense<[0.5, 1.5, 2.5, -0.5, -1.5, 2.25, -0.0, 0x7FC00000]> : !z
  // ROUND: floor: {{.*}}: 0 1 2 -1 -2 2 -0 nan
  %floor = lathe.floor %x : !z
  // ROUND: ceil: {{.*}}: 1 2 3 -0 -1 3 -0 nan
  %ceil = lathe.ceil %x : !z
  // Ties go to the even neighbour.
  // ROUND: round: {{.*}}: 0 2 2 -0 -2 2 -0 nan
  %round = lathe.round %x : !z
  // ROUND: sign: {{.*}}: 1 1 1 -1 -1 1 -0 nan
  %sign = lathe.sign %x : !z
  // ROUND: abs: {{.*}}: 0.5 1.5 2.5 0.5 1.5 2.25 0 nan
  %abs = lathe.abs %x : !z
  return %floor, %ceil, %round, %sign, %abs : !z, !z, !z, !z, !z
}
