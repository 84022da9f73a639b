// The elementary and bit-wise ops at ordinary numbers and at the ends, as the interpreter has them, and compiled code as well.
// RUN: lathe-run %s values --interpret | FileCheck %s --check-prefix=VALUE
// RUN: lathe-run %s values --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s values --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s values --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s ends --interpret | FileCheck %s --check-prefix=END
// RUN: lathe-run %s ends --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s ends --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s ends --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s rounding --interpret | FileCheck %s --check-prefix=ROUND
// RUN: lathe-run %s rounding --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s rounding --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s rounding --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s pairs --interpret | FileCheck %s --check-prefix=PAIR
// RUN: lathe-run %s pairs --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s pairs --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s pairs --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s division --interpret | FileCheck %s --check-prefix=DIVIDE
// RUN: lathe-run %s division --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s division --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s division --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s integers --interpret | FileCheck %s --check-prefix=INT
// RUN: lathe-run %s integers --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s integers --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s integers --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s longs --interpret | FileCheck %s --check-prefix=LONG
// RUN: lathe-run %s longs --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s longs --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s longs --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s scaling --interpret | FileCheck %s --check-prefix=SCALE
// RUN: lathe-run %s scaling --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s scaling --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s scaling --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s three --interpret | FileCheck %s --check-prefix=THREE
// RUN: lathe-run %s three --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s three --check --rtol 1e-6 --atol 0 --target x86-64-v2
// RUN: lathe-run %s three --bisect --rtol 1e-6 --atol 0
// RUN: lathe-run %s exact --interpret | FileCheck %s --check-prefix=EXACT
// RUN: lathe-run %s exact --check --rtol 0 --atol 0
// RUN: lathe-run %s exact --check --rtol 0 --atol 0 --target x86-64-v2

func.func @values() -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %x = lathe.constant dense<[0.5, 1.0, -0.75, 3.0]> : tensor<4xf64>
  // VALUE: exp2: {{.*}}: 1.4142135623730951 2 0.5946035575013605 8{{$}}
  %exp2 = lathe.exp2 %x : tensor<4xf64>
  // VALUE: log2: {{.*}}: -1 0 {{-?}}nan 1.584962500721156{{$}}
  %log2 = lathe.log2 %x : tensor<4xf64>
  // VALUE: log10: {{.*}}: -0.3010299956639812 0 {{-?}}nan 0.47712125471966244{{$}}
  %log10 = lathe.log10 %x : tensor<4xf64>
  // VALUE: cbrt: {{.*}}: 0.7937005259840998 1 -0.9085602964160697 1.4422495703074083{{$}}
  %cbrt = lathe.cbrt %x : tensor<4xf64>
  // VALUE: tan: {{.*}}: 0.5463024898437905 1.5574077246549023 -0.9315964599440725 -0.1425465430742778{{$}}
  %tan = lathe.tan %x : tensor<4xf64>
  // VALUE: asin: {{.*}}: 0.5235987755982989 1.5707963267948966 -0.848062078981481 {{-?}}nan{{$}}
  %asin = lathe.asin %x : tensor<4xf64>
  // VALUE: acos: {{.*}}: 1.0471975511965979 0 2.4188584057763776 {{-?}}nan{{$}}
  %acos = lathe.acos %x : tensor<4xf64>
  // VALUE: atan: {{.*}}: 0.4636476090008061 0.7853981633974483 -0.6435011087932844 1.2490457723982544{{$}}
  %atan = lathe.atan %x : tensor<4xf64>
  // VALUE: sinh: {{.*}}: 0.5210953054937474 1.1752011936438014 -0.82231673193583 10.017874927409903{{$}}
  %sinh = lathe.sinh %x : tensor<4xf64>
  // VALUE: cosh: {{.*}}: 1.1276259652063807 1.5430806348152437 1.2946832846768448 10.067661995777765{{$}}
  %cosh = lathe.cosh %x : tensor<4xf64>
  // VALUE: asinh: {{.*}}: 0.48121182505960347 0.881373587019543 -0.6931471805599453 1.8184464592320668{{$}}
  %asinh = lathe.asinh %x : tensor<4xf64>
  // VALUE: acosh: {{.*}}: {{-?}}nan 0 {{-?}}nan 1.762747174039086{{$}}
  %acosh = lathe.acosh %x : tensor<4xf64>
  // VALUE: atanh: {{.*}}: 0.5493061443340548 inf -0.9729550745276566 {{-?}}nan{{$}}
  %atanh = lathe.atanh %x : tensor<4xf64>
  // VALUE: erfc: {{.*}}: 0.4795001221869535 0.15729920705028513 1.7111556336535152 2.2090496998585438e-05{{$}}
  %erfc = lathe.erfc %x : tensor<4xf64>
  // VALUE: erf_inv: {{.*}}: 0.4769362762044699 inf -0.8134198475976185 {{-?}}nan{{$}}
  %erf_inv = lathe.erf_inv %x : tensor<4xf64>
  return %exp2, %log2, %log10, %cbrt, %tan, %asin, %acos, %atan, %sinh, %cosh, %asinh, %acosh, %atanh, %erfc, %erf_inv
    : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}

func.func @ends() -> (tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>) {
  %x = lathe.constant dense<[0.0, -0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 4.9e-324, 1.7976931348623157e308]> : tensor<7xf64>
  // END: exp2: {{.*}}: 1 1 inf 0 {{-?}}nan 1 inf{{$}}
  %exp2 = lathe.exp2 %x : tensor<7xf64>
  // END: log2: {{.*}}: -inf -inf inf {{-?}}nan {{-?}}nan -1074 1024{{$}}
  %log2 = lathe.log2 %x : tensor<7xf64>
  // END: log10: {{.*}}: -inf -inf inf {{-?}}nan {{-?}}nan -323.3062153431158 308.25471555991675{{$}}
  %log10 = lathe.log10 %x : tensor<7xf64>
  // END: cbrt: {{.*}}: 0 -0 inf -inf {{-?}}nan 1.7031839360032601e-108 5.643803094122362e+102{{$}}
  %cbrt = lathe.cbrt %x : tensor<7xf64>
  // END: tan: {{.*}}: 0 -0 {{-?}}nan {{-?}}nan {{-?}}nan 5e-324 -0.004962015874444895{{$}}
  %tan = lathe.tan %x : tensor<7xf64>
  // END: asin: {{.*}}: 0 -0 {{-?}}nan {{-?}}nan {{-?}}nan 5e-324 {{-?}}nan{{$}}
  %asin = lathe.asin %x : tensor<7xf64>
  // END: acos: {{.*}}: 1.5707963267948966 1.5707963267948966 {{-?}}nan {{-?}}nan {{-?}}nan 1.5707963267948966 {{-?}}nan{{$}}
  %acos = lathe.acos %x : tensor<7xf64>
  // END: atan: {{.*}}: 0 -0 1.5707963267948966 -1.5707963267948966 {{-?}}nan 5e-324 1.5707963267948966{{$}}
  %atan = lathe.atan %x : tensor<7xf64>
  // END: sinh: {{.*}}: 0 -0 inf -inf {{-?}}nan 5e-324 inf{{$}}
  %sinh = lathe.sinh %x : tensor<7xf64>
  // END: cosh: {{.*}}: 1 1 inf inf {{-?}}nan 1 inf{{$}}
  %cosh = lathe.cosh %x : tensor<7xf64>
  // END: asinh: {{.*}}: 0 -0 inf -inf {{-?}}nan 5e-324 710.4758600739439{{$}}
  %asinh = lathe.asinh %x : tensor<7xf64>
  // END: acosh: {{.*}}: {{-?}}nan {{-?}}nan inf {{-?}}nan {{-?}}nan {{-?}}nan 710.4758600739439{{$}}
  %acosh = lathe.acosh %x : tensor<7xf64>
  // END: atanh: {{.*}}: 0 -0 {{-?}}nan {{-?}}nan {{-?}}nan 5e-324 {{-?}}nan{{$}}
  %atanh = lathe.atanh %x : tensor<7xf64>
  // END: erfc: {{.*}}: 1 1 0 2 {{-?}}nan 1 0{{$}}
  %erfc = lathe.erfc %x : tensor<7xf64>
  // END: erf_inv: {{.*}}: 0 -0 {{-?}}nan {{-?}}nan {{-?}}nan 5e-324 {{-?}}nan{{$}}
  %erf_inv = lathe.erf_inv %x : tensor<7xf64>
  return %exp2, %log2, %log10, %cbrt, %tan, %asin, %acos, %atan, %sinh, %cosh, %asinh, %acosh, %atanh, %erfc, %erf_inv
    : tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>, tensor<7xf64>
}

func.func @rounding() -> (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xi32>) {
  %x = lathe.constant dense<[0.5, 1.5, 2.5, -0.5, -1.5, 0x3EFFFFFF, 8388609.0, -0.0, 0x7F800000, 0x7FC00000]> : tensor<10xf32>
  // ROUND: trunc: {{.*}}: 0 1 2 -0 -1 0 8388609 -0 inf {{-?}}nan{{$}}
  %trunc = lathe.trunc %x : tensor<10xf32>
  // ROUND: round: {{.*}}: 0 2 2 -0 -2 0 8388609 -0 inf {{-?}}nan{{$}}
  %round = lathe.round %x : tensor<10xf32>
  // ROUND: round_half_away: {{.*}}: 1 2 3 -1 -2 0 8388609 -0 inf {{-?}}nan{{$}}
  %round_half_away = lathe.round_half_away %x : tensor<10xf32>
  // ROUND: is_nan: {{.*}}: false false false false false false false false false true{{$}}
  %is_nan = lathe.is_nan %x : tensor<10xf32>
  // ROUND: is_inf: {{.*}}: false false false false false false false false true false{{$}}
  %is_inf = lathe.is_inf %x : tensor<10xf32>
  // ROUND: is_finite: {{.*}}: true true true true true true true true false false{{$}}
  %is_finite = lathe.is_finite %x : tensor<10xf32>
  // ROUND: bits: {{.*}}: 1056964608 1069547520 1075838976 -1090519040 -1077936128 1056964607 1258291201 -2147483648 2139095040 2143289344{{$}}
  %bits = lathe.bitcast %x to i32 : tensor<10xf32>
  return %trunc, %round, %round_half_away, %is_nan, %is_inf, %is_finite, %bits
    : tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xi1>, tensor<10xi1>, tensor<10xi1>, tensor<10xi32>
}

func.func @pairs() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %x = lathe.constant dense<[1.0, -1.0, 0.0, -0.0, 3.0, 0x7F800000, 0x7F800000, 0x7FC00000]> : tensor<8xf32>
  %y = lathe.constant dense<[2.0, -0.0, -1.0, -0.0, 4.0, 0xFF800000, 0x7FC00000, 1.0]> : tensor<8xf32>
  // PAIR: atan2: {{.*}}: 0.4636476 -1.5707964 3.1415927 -3.1415927 0.6435011 2.3561945 {{-?}}nan {{-?}}nan{{$}}
  %atan2 = lathe.atan2 %x, %y : tensor<8xf32>
  // PAIR: hypot: {{.*}}: 2.236068 1 1 0 5 inf inf {{-?}}nan{{$}}
  %hypot = lathe.hypot %x, %y : tensor<8xf32>
  // PAIR: copysign: {{.*}}: 1 -1 -0 -0 3 -inf inf {{-?}}nan{{$}}
  %copysign = lathe.copysign %x, %y : tensor<8xf32>
  // PAIR: nextafter: {{.*}}: 1.0000001 -0.99999994 -1e-45 -0 3.0000002 3.4028235e+38 {{-?}}nan {{-?}}nan{{$}}
  %nextafter = lathe.nextafter %x, %y : tensor<8xf32>
  return %atan2, %hypot, %copysign, %nextafter
    : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

func.func @division() -> (tensor<10xf32>, tensor<10xf32>, tensor<10xi32>, tensor<10xi32>) {
  %x = lathe.constant dense<[7.0, -7.0, 7.0, -7.0, 6.0, -6.0, 5.0, -0.0, 0x7F800000, -1.0]> : tensor<10xf32>
  %y = lathe.constant dense<[2.0, 2.0, -2.0, -2.0, -3.0, 3.0, 0.0, 2.0, 2.0, 0x7F800000]> : tensor<10xf32>
  %i = lathe.constant dense<[7, -7, 7, -7, 6, -6, 5, 0, -2147483648, -1]> : tensor<10xi32>
  %j = lathe.constant dense<[2, 2, -2, -2, -3, 3, 0, 2, -1, 2147483647]> : tensor<10xi32>
  // DIVIDE: div: {{.*}}: 3 -4 -4 3 -2 -2 inf -0 {{-?}}nan -1{{$}}
  %div = lathe.floor_div %x, %y : tensor<10xf32>
  // DIVIDE: mod: {{.*}}: 1 1 -1 -1 -0 0 {{-?}}nan 0 {{-?}}nan inf{{$}}
  %mod = lathe.floor_mod %x, %y : tensor<10xf32>
  // DIVIDE: idiv: {{.*}}: 3 -4 -4 3 -2 -2 -1 0 -2147483648 -1{{$}}
  %idiv = lathe.floor_div %i, %j : tensor<10xi32>
  // DIVIDE: imod: {{.*}}: 1 1 -1 -1 0 0 5 0 0 2147483646{{$}}
  %imod = lathe.floor_mod %i, %j : tensor<10xi32>
  return %div, %mod, %idiv, %imod
    : tensor<10xf32>, tensor<10xf32>, tensor<10xi32>, tensor<10xi32>
}

func.func @integers() -> (tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>) {
  %x = lathe.constant dense<[3, -3, 0, 0, 0, -1, -1, 1, 2, 2, -2147483648]> : tensor<11xi32>
  %n = lathe.constant dense<[5, 3, 0, 2, -1, -3, -2, -7, -1, 31, -1]> : tensor<11xi32>
  // INT: pow: {{.*}}: 243 -27 1 0 -1 -1 1 1 0 -2147483648 0{{$}}
  %pow = lathe.pow %x, %n : tensor<11xi32>
  // INT: ones: {{.*}}: 2 31 0 0 0 32 32 1 1 1 1{{$}}
  %ones = lathe.popcount %x : tensor<11xi32>
  // INT: above: {{.*}}: 30 0 32 32 32 0 0 31 30 30 0{{$}}
  %above = lathe.count_leading_zeros %x : tensor<11xi32>
  // INT: below: {{.*}}: 0 0 32 32 32 0 0 0 1 1 31{{$}}
  %below = lathe.count_trailing_zeros %x : tensor<11xi32>
  // INT: shift: {{.*}}: 0 -1 0 0 0 -1 -1 0 0 0 -1{{$}}
  %shift = lathe.shift_right_arithmetic %x, %n : tensor<11xi32>
  return %pow, %ones, %above, %below, %shift
    : tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>, tensor<11xi32>
}

func.func @longs() -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) {
  %x = lathe.constant dense<[3, -3, 0, -9223372036854775808]> : tensor<4xi64>
  %n = lathe.constant dense<[40, 41, 0, 64]> : tensor<4xi64>
  // LONG: pow: {{.*}}: -6289078614652622815 420491770248316829 1 0{{$}}
  %pow = lathe.pow %x, %n : tensor<4xi64>
  // LONG: ones: {{.*}}: 2 63 0 1{{$}}
  %ones = lathe.popcount %x : tensor<4xi64>
  // LONG: above: {{.*}}: 62 0 64 0{{$}}
  %above = lathe.count_leading_zeros %x : tensor<4xi64>
  // LONG: below: {{.*}}: 0 0 64 63{{$}}
  %below = lathe.count_trailing_zeros %x : tensor<4xi64>
  // LONG: shift: {{.*}}: 0 -1 0 -1{{$}}
  %shift = lathe.shift_right_arithmetic %x, %n : tensor<4xi64>
  // LONG: mod: {{.*}}: 3 38 0 0{{$}}
  %mod = lathe.floor_mod %x, %n : tensor<4xi64>
  return %pow, %ones, %above, %below, %shift, %mod
    : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
}

func.func @scaling() -> (tensor<9xf32>, tensor<9xf64>, tensor<9xf64>) {
  %x = lathe.constant dense<[1.5, -1.5, 1.0, 0x00000003, 1.5, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x3FFFFFFF]> : tensor<9xf32>
  %n = lathe.constant dense<[3, -3, -149, 100, -150, -276, -2147483648, 5, -140]> : tensor<9xi32>
  // SCALE: f32: {{.*}}: 12 -0.1875 1e-45 5.3290705e-15 1e-45 3e-45 inf {{-?}}nan 1.435e-42{{$}}
  %f32 = lathe.ldexp %x, %n : tensor<9xf32>, tensor<9xi32>
  // SCALE: scaled: {{.*}}: 1.5 -1.5 1 4.203895392974451e-45 1.5 3.4028234663852886e+38 inf {{-?}}nan 1.9999998807907104{{$}}
  %scaled = lathe.convert %x to f64 : tensor<9xf32>
  // SCALE: f64: {{.*}}: 12 -0.1875 1.401298464324817e-45 5.329070518200751e-15 1.0509738482436128e-45 2.8025967616018398e-45 inf {{-?}}nan 1.434929541940142e-42{{$}}
  %f64 = lathe.ldexp %scaled, %n : tensor<9xf64>, tensor<9xi32>
  return %f32, %scaled, %f64
    : tensor<9xf32>, tensor<9xf64>, tensor<9xf64>
}

func.func @three() -> (tensor<7xf32>, tensor<7xf32>) {
  %a = lathe.constant dense<[0x3F800001, 1.0e38, 0.0, 5.0, -5.0, 0.5, 0x7FC00000]> : tensor<7xf32>
  %b = lathe.constant dense<[0x3F7FFFFF, 1.0e38, 0x7F800000, 1.0, 1.0, 1.0, 1.0]> : tensor<7xf32>
  %c = lathe.constant dense<[-1.0, 0xFF800000, 1.0, 2.0, 2.0, 2.0, 2.0]> : tensor<7xf32>
  // THREE: fma: {{.*}}: 5.9604638e-08 -inf {{-?}}nan 7 -3 2.5 {{-?}}nan{{$}}
  %fma = lathe.fma %a, %b, %c : tensor<7xf32>
  // THREE: clamp: {{.*}}: -1 -inf 1 2 1 1 {{-?}}nan{{$}}
  %clamp = lathe.clamp %b, %a, %c : tensor<7xf32>
  return %fma, %clamp
    : tensor<7xf32>, tensor<7xf32>
}

// Signs of zeros, and results that two roundings would miss: the bits tell.
func.func @exact() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xi64>) {
  %x = lathe.constant dense<[0.0, -0.0, 6.0, -6.0]> : tensor<4xf32>
  %y = lathe.constant dense<[-0.0, 0.0, -3.0, 3.0]> : tensor<4xf32>
  // EXACT: next_bits: {{.*}}: -2147483648 0 1086324735 -1061158913{{$}}
  %next = lathe.nextafter %x, %y : tensor<4xf32>
  %next_bits = lathe.bitcast %next to i32 : tensor<4xf32>
  // EXACT: sign_bits: {{.*}}: -2147483648 0 -1061158912 1086324736{{$}}
  %sign = lathe.copysign %x, %y : tensor<4xf32>
  %sign_bits = lathe.bitcast %sign to i32 : tensor<4xf32>
  // EXACT: mod_bits: {{.*}}: 0 0 -2147483648 0{{$}}
  %three = lathe.constant dense<[3.0, 3.0, -3.0, 3.0]> : tensor<4xf32>
  %mod = lathe.floor_mod %x, %three : tensor<4xf32>
  %mod_bits = lathe.bitcast %mod to i32 : tensor<4xf32>
  // EXACT: fma_bits: {{.*}}: 1065353219 8388609 -2147483648 0{{$}}
  %a = lathe.constant dense<[0x3F800001, 0x00800001, 0x00000001, 0xBF800000]> : tensor<4xf32>
  %b = lathe.constant dense<[0x3F800001, 0x3F7FFFFF, 0x80000001, 0x3F800000]> : tensor<4xf32>
  %c = lathe.constant dense<[0x33800000, 0x00000001, 0x00000000, 0x3F800000]> : tensor<4xf32>
  %fma = lathe.fma %a, %b, %c : tensor<4xf32>
  %fma_bits = lathe.bitcast %fma to i32 : tensor<4xf32>
  // EXACT: ldexp_bits: {{.*}}: 1048577 1048578{{$}}
  %m = lathe.constant dense<[0x3E80000B, 0x3E80000C]> : tensor<2xf32>
  %n = lathe.constant dense<-127> : tensor<2xi32>
  %ldexp = lathe.ldexp %m, %n : tensor<2xf32>, tensor<2xi32>
  %ldexp_bits = lathe.bitcast %ldexp to i32 : tensor<2xf32>
  // EXACT: ldexp_words: {{.*}}: 562949953421313 562949953421314{{$}}
  %w = lathe.constant dense<[0x3FD000000000000B, 0x3FD000000000000C]> : tensor<2xf64>
  %k = lathe.constant dense<-1023> : tensor<2xi64>
  %scaled = lathe.ldexp %w, %k : tensor<2xf64>, tensor<2xi64>
  %ldexp_words = lathe.bitcast %scaled to i64 : tensor<2xf64>
  return %next_bits, %sign_bits, %mod_bits, %fma_bits, %ldexp_bits, %ldexp_words
    : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<2xi32>, tensor<2xi64>
}
