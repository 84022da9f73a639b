// Compiled code against the interpreter: elementary and bit-wise ops, at sizes below and above a vector, at each level and at -O0.
// RUN: lathe-run %s floats --random --dim N=7 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s floats --random --dim N=131 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s floats --random --dim N=131 --target x86-64-v3 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s floats --random --dim N=131 --target x86-64-v2 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s floats --random --dim N=37 -O 0 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s doubles --random --dim N=7 --check --rtol 1e-13 --atol 1e-14
// RUN: lathe-run %s doubles --random --dim N=131 --check --rtol 1e-13 --atol 1e-14
// RUN: lathe-run %s doubles --random --dim N=131 --target x86-64-v3 --check --rtol 1e-13 --atol 1e-14
// RUN: lathe-run %s doubles --random --dim N=131 --target x86-64-v2 --check --rtol 1e-13 --atol 1e-14
// RUN: lathe-run %s doubles --random --dim N=37 -O 0 --check --rtol 1e-13 --atol 1e-14
// RUN: lathe-run %s ints --random --dim N=7 --check --rtol 0 --atol 0
// RUN: lathe-run %s ints --random --dim N=131 --check --rtol 0 --atol 0
// RUN: lathe-run %s ints --random --dim N=131 --target x86-64-v3 --check --rtol 0 --atol 0
// RUN: lathe-run %s ints --random --dim N=131 --target x86-64-v2 --check --rtol 0 --atol 0
// RUN: lathe-run %s ints --random --dim N=37 -O 0 --check --rtol 0 --atol 0
// RUN: lathe-run %s longs --random --dim N=7 --check --rtol 0 --atol 0
// RUN: lathe-run %s longs --random --dim N=131 --check --rtol 0 --atol 0
// RUN: lathe-run %s longs --random --dim N=131 --target x86-64-v3 --check --rtol 0 --atol 0
// RUN: lathe-run %s longs --random --dim N=131 --target x86-64-v2 --check --rtol 0 --atol 0
// RUN: lathe-run %s longs --random --dim N=37 -O 0 --check --rtol 0 --atol 0
// No level calls a library.
// RUN: lathec %s --target=x86-64-v2,x86-64-v3,x86-64-v4 --threads=off -o %t.o && llvm-nm --undefined-only %t.o | count 0

func.func @floats(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %n: tensor<?xi32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?xf32>) {
  %three = lathe.constant dense<3.5> : tensor<f32>
  %big = lathe.mul %x, %three : tensor<?xf32>, tensor<f32>
  %positive = lathe.abs %big : tensor<?xf32>
  %above = lathe.exp %positive : tensor<?xf32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %root = lathe.sqrt %x : tensor<?xf32>
  %exp2 = lathe.exp2 %big : tensor<?xf32>
  %cbrt = lathe.cbrt %big : tensor<?xf32>
  %tan = lathe.tan %big : tensor<?xf32>
  %atan = lathe.atan %big : tensor<?xf32>
  %sinh = lathe.sinh %big : tensor<?xf32>
  %cosh = lathe.cosh %big : tensor<?xf32>
  %asinh = lathe.asinh %big : tensor<?xf32>
  %erfc = lathe.erfc %big : tensor<?xf32>
  %trunc = lathe.trunc %big : tensor<?xf32>
  %round_half_away = lathe.round_half_away %big : tensor<?xf32>
  %log2 = lathe.log2 %above : tensor<?xf32>
  %log10 = lathe.log10 %above : tensor<?xf32>
  %acosh = lathe.acosh %above : tensor<?xf32>
  %asin = lathe.asin %x : tensor<?xf32>
  %acos = lathe.acos %x : tensor<?xf32>
  %atanh = lathe.atanh %x : tensor<?xf32>
  %floor_div = lathe.floor_div %big, %y : tensor<?xf32>
  %floor_mod = lathe.floor_mod %big, %y : tensor<?xf32>
  %atan2 = lathe.atan2 %big, %y : tensor<?xf32>
  %hypot = lathe.hypot %big, %y : tensor<?xf32>
  %copysign = lathe.copysign %big, %y : tensor<?xf32>
  %nextafter = lathe.nextafter %big, %y : tensor<?xf32>
  %is_nan = lathe.is_nan %root : tensor<?xf32>
  %is_inf = lathe.is_inf %root : tensor<?xf32>
  %is_finite = lathe.is_finite %root : tensor<?xf32>
  %fma = lathe.fma %x, %y, %big : tensor<?xf32>
  %clamp = lathe.clamp %zero, %x, %y : tensor<f32>, tensor<?xf32>, tensor<?xf32>
  %ldexp = lathe.ldexp %x, %n : tensor<?xf32>, tensor<?xi32>
  %bits = lathe.bitcast %x to i32 : tensor<?xf32>
  %erf_inv = lathe.erf_inv %x : tensor<?xf32>
  return %exp2, %cbrt, %tan, %atan, %sinh, %cosh, %asinh, %erfc, %trunc, %round_half_away, %log2, %log10, %acosh, %asin, %acos, %atanh, %floor_div, %floor_mod, %atan2, %hypot, %copysign, %nextafter, %is_nan, %is_inf, %is_finite, %fma, %clamp, %ldexp, %bits, %erf_inv
      : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?xf32>
}

func.func @doubles(%x: tensor<?xf64> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf64> {lathe.dims = #lathe.dims<N>}, %n: tensor<?xi32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xi64>, tensor<?xf64>) {
  %three = lathe.constant dense<3.5> : tensor<f64>
  %big = lathe.mul %x, %three : tensor<?xf64>, tensor<f64>
  %positive = lathe.abs %big : tensor<?xf64>
  %above = lathe.exp %positive : tensor<?xf64>
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %root = lathe.sqrt %x : tensor<?xf64>
  %exp2 = lathe.exp2 %big : tensor<?xf64>
  %cbrt = lathe.cbrt %big : tensor<?xf64>
  %tan = lathe.tan %big : tensor<?xf64>
  %atan = lathe.atan %big : tensor<?xf64>
  %sinh = lathe.sinh %big : tensor<?xf64>
  %cosh = lathe.cosh %big : tensor<?xf64>
  %asinh = lathe.asinh %big : tensor<?xf64>
  %erfc = lathe.erfc %big : tensor<?xf64>
  %trunc = lathe.trunc %big : tensor<?xf64>
  %round_half_away = lathe.round_half_away %big : tensor<?xf64>
  %log2 = lathe.log2 %above : tensor<?xf64>
  %log10 = lathe.log10 %above : tensor<?xf64>
  %acosh = lathe.acosh %above : tensor<?xf64>
  %asin = lathe.asin %x : tensor<?xf64>
  %acos = lathe.acos %x : tensor<?xf64>
  %atanh = lathe.atanh %x : tensor<?xf64>
  %floor_div = lathe.floor_div %big, %y : tensor<?xf64>
  %floor_mod = lathe.floor_mod %big, %y : tensor<?xf64>
  %atan2 = lathe.atan2 %big, %y : tensor<?xf64>
  %hypot = lathe.hypot %big, %y : tensor<?xf64>
  %copysign = lathe.copysign %big, %y : tensor<?xf64>
  %nextafter = lathe.nextafter %big, %y : tensor<?xf64>
  %is_nan = lathe.is_nan %root : tensor<?xf64>
  %is_inf = lathe.is_inf %root : tensor<?xf64>
  %is_finite = lathe.is_finite %root : tensor<?xf64>
  %fma = lathe.fma %x, %y, %big : tensor<?xf64>
  %clamp = lathe.clamp %zero, %x, %y : tensor<f64>, tensor<?xf64>, tensor<?xf64>
  %ldexp = lathe.ldexp %x, %n : tensor<?xf64>, tensor<?xi32>
  %bits = lathe.bitcast %x to i64 : tensor<?xf64>
  %erf_inv = lathe.erf_inv %x : tensor<?xf64>
  return %exp2, %cbrt, %tan, %atan, %sinh, %cosh, %asinh, %erfc, %trunc, %round_half_away, %log2, %log10, %acosh, %asin, %acos, %atanh, %floor_div, %floor_mod, %atan2, %hypot, %copysign, %nextafter, %is_nan, %is_inf, %is_finite, %fma, %clamp, %ldexp, %bits, %erf_inv
      : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xi64>, tensor<?xf64>
}

func.func @ints(%x: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xi32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %five = lathe.constant dense<5> : tensor<i32>
  %a = lathe.sub %x, %five : tensor<?xi32>, tensor<i32>
  %b = lathe.sub %y, %five : tensor<?xi32>, tensor<i32>
  %floor_div = lathe.floor_div %a, %b : tensor<?xi32>
  %floor_mod = lathe.floor_mod %a, %b : tensor<?xi32>
  %pow = lathe.pow %a, %b : tensor<?xi32>
  %shift_right_arithmetic = lathe.shift_right_arithmetic %a, %b : tensor<?xi32>
  %popcount = lathe.popcount %a : tensor<?xi32>
  %count_leading_zeros = lathe.count_leading_zeros %a : tensor<?xi32>
  %count_trailing_zeros = lathe.count_trailing_zeros %a : tensor<?xi32>
  %clamp = lathe.clamp %five, %x, %b : tensor<i32>, tensor<?xi32>, tensor<?xi32>
  return %floor_div, %floor_mod, %pow, %shift_right_arithmetic, %popcount, %count_leading_zeros, %count_trailing_zeros, %clamp
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

func.func @longs(%x: tensor<?xi64> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xi64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %five = lathe.constant dense<5> : tensor<i64>
  %a = lathe.sub %x, %five : tensor<?xi64>, tensor<i64>
  %b = lathe.sub %y, %five : tensor<?xi64>, tensor<i64>
  %floor_div = lathe.floor_div %a, %b : tensor<?xi64>
  %floor_mod = lathe.floor_mod %a, %b : tensor<?xi64>
  %pow = lathe.pow %a, %b : tensor<?xi64>
  %shift_right_arithmetic = lathe.shift_right_arithmetic %a, %b : tensor<?xi64>
  %popcount = lathe.popcount %a : tensor<?xi64>
  %count_leading_zeros = lathe.count_leading_zeros %a : tensor<?xi64>
  %count_trailing_zeros = lathe.count_trailing_zeros %a : tensor<?xi64>
  %clamp = lathe.clamp %five, %x, %b : tensor<i64>, tensor<?xi64>, tensor<?xi64>
  return %floor_div, %floor_mod, %pow, %shift_right_arithmetic, %popcount, %count_leading_zeros, %count_trailing_zeros, %clamp
      : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
