// RUN: lathe-opt %s | lathe-opt | FileCheck %s

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<?x4xf32, #lathe.dims<N>>, %i: tensor<4xi1>) {
  // CHECK: lathe.neg %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %0 = lathe.neg %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.abs %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %1 = lathe.abs %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.sign %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %2 = lathe.sign %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.exp %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %3 = lathe.exp %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.expm1 %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %4 = lathe.expm1 %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.log %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %5 = lathe.log %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.log1p %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %6 = lathe.log1p %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.sqrt %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %7 = lathe.sqrt %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.rsqrt %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %8 = lathe.rsqrt %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.sin %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %9 = lathe.sin %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.cos %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %10 = lathe.cos %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.tanh %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %11 = lathe.tanh %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.logistic %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %12 = lathe.logistic %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.erf %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %13 = lathe.erf %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.floor %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %14 = lathe.floor %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.ceil %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %15 = lathe.ceil %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.round %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %16 = lathe.round %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.stop_gradient %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %17 = lathe.stop_gradient %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.not %arg1 : tensor<4xi1>
  %not = lathe.not %i : tensor<4xi1>
  // CHECK: lathe.convert %arg0 to f64 : tensor<?x4xf32, #lathe.dims<N>>
  %c = lathe.convert %x to f64 : tensor<?x4xf32, #lathe.dims<N>>
  return
}

// CHECK-LABEL: @binary
func.func @binary(%a: tensor<4xf32>, %b: tensor<f32>, %i: tensor<4xi32>, %j: tensor<4xi32>) {
  // CHECK: lathe.add %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %0 = lathe.add %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.sub %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %1 = lathe.sub %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.mul %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %2 = lathe.mul %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.div %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %3 = lathe.div %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.rem %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %4 = lathe.rem %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.max %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %5 = lathe.max %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.min %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %6 = lathe.min %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.pow %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %7 = lathe.pow %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.and %arg2, %arg3 : tensor<4xi32>
  %i0 = lathe.and %i, %j : tensor<4xi32>
  // CHECK: lathe.or %arg2, %arg3 : tensor<4xi32>
  %i1 = lathe.or %i, %j : tensor<4xi32>
  // CHECK: lathe.xor %arg2, %arg3 : tensor<4xi32>
  %i2 = lathe.xor %i, %j : tensor<4xi32>
  // CHECK: lathe.shift_left %arg2, %arg3 : tensor<4xi32>
  %i3 = lathe.shift_left %i, %j : tensor<4xi32>
  // CHECK: lathe.shift_right %arg2, %arg3 : tensor<4xi32>
  %i4 = lathe.shift_right %i, %j : tensor<4xi32>
  // CHECK: lathe.compare eq %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %eq = lathe.compare eq %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.compare ne %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %ne = lathe.compare ne %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.compare lt %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %lt = lathe.compare lt %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.compare le %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %le = lathe.compare le %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.compare gt %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %gt = lathe.compare gt %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.compare ge %arg0, %arg1 : tensor<4xf32>, tensor<f32>
  %ge = lathe.compare ge %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.select %{{.*}}, %arg0, %arg1 : tensor<4xi1>, tensor<4xf32>, tensor<f32>
  %s = lathe.select %gt, %a, %b : tensor<4xi1>, tensor<4xf32>, tensor<f32>
  return
}

// CHECK-LABEL: @functions
func.func @functions(%x: tensor<?x4xf32, #lathe.dims<N>>, %i: tensor<4xi32>, %a: tensor<4xf32>, %b: tensor<f32>) {
  // CHECK: lathe.exp2 %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %0 = lathe.exp2 %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.log2 %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %1 = lathe.log2 %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.log10 %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %2 = lathe.log10 %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.cbrt %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %3 = lathe.cbrt %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.tan %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %4 = lathe.tan %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.asin %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %5 = lathe.asin %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.acos %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %6 = lathe.acos %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.atan %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %7 = lathe.atan %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.sinh %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %8 = lathe.sinh %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.cosh %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %9 = lathe.cosh %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.asinh %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %10 = lathe.asinh %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.acosh %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %11 = lathe.acosh %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.atanh %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %12 = lathe.atanh %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.erfc %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %13 = lathe.erfc %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.erf_inv %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %erf_inv = lathe.erf_inv %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.lgamma %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %lgamma = lathe.lgamma %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.digamma %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %digamma = lathe.digamma %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.polygamma %arg0 order 2 : tensor<?x4xf32, #lathe.dims<N>>
  %polygamma = lathe.polygamma %x order 2 : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.trunc %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %14 = lathe.trunc %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.round_half_away %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %15 = lathe.round_half_away %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.is_nan %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %16 = lathe.is_nan %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.is_inf %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %17 = lathe.is_inf %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.is_finite %arg0 : tensor<?x4xf32, #lathe.dims<N>>
  %18 = lathe.is_finite %x : tensor<?x4xf32, #lathe.dims<N>>
  // CHECK: lathe.popcount %arg1 : tensor<4xi32>
  %19 = lathe.popcount %i : tensor<4xi32>
  // CHECK: lathe.count_leading_zeros %arg1 : tensor<4xi32>
  %20 = lathe.count_leading_zeros %i : tensor<4xi32>
  // CHECK: lathe.count_trailing_zeros %arg1 : tensor<4xi32>
  %21 = lathe.count_trailing_zeros %i : tensor<4xi32>
  // CHECK: lathe.floor_div %arg2, %arg3 : tensor<4xf32>, tensor<f32>
  %22 = lathe.floor_div %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.floor_mod %arg2, %arg3 : tensor<4xf32>, tensor<f32>
  %23 = lathe.floor_mod %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.atan2 %arg2, %arg3 : tensor<4xf32>, tensor<f32>
  %24 = lathe.atan2 %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.hypot %arg2, %arg3 : tensor<4xf32>, tensor<f32>
  %25 = lathe.hypot %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.copysign %arg2, %arg3 : tensor<4xf32>, tensor<f32>
  %26 = lathe.copysign %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.nextafter %arg2, %arg3 : tensor<4xf32>, tensor<f32>
  %27 = lathe.nextafter %a, %b : tensor<4xf32>, tensor<f32>
  // CHECK: lathe.shift_right_arithmetic %arg1, %arg1 : tensor<4xi32>
  %28 = lathe.shift_right_arithmetic %i, %i : tensor<4xi32>
  // CHECK: lathe.pow %arg1, %arg1 : tensor<4xi32>
  %29 = lathe.pow %i, %i : tensor<4xi32>
  // CHECK: lathe.ldexp %arg2, %arg1 : tensor<4xf32>, tensor<4xi32>
  %30 = lathe.ldexp %a, %i : tensor<4xf32>, tensor<4xi32>
  // CHECK: lathe.fma %arg2, %arg2, %arg2 : tensor<4xf32>
  %31 = lathe.fma %a, %a, %a : tensor<4xf32>
  // CHECK: lathe.fma %arg2, %arg3, %arg2 : tensor<4xf32>, tensor<f32>, tensor<4xf32>
  %32 = lathe.fma %a, %b, %a : tensor<4xf32>, tensor<f32>, tensor<4xf32>
  // CHECK: lathe.clamp %arg3, %arg2, %arg3 : tensor<f32>, tensor<4xf32>, tensor<f32>
  %33 = lathe.clamp %b, %a, %b : tensor<f32>, tensor<4xf32>, tensor<f32>
  // CHECK: lathe.bitcast %arg2 to i32 : tensor<4xf32>
  %34 = lathe.bitcast %a to i32 : tensor<4xf32>
  return
}

// Results: NumPy's broadcasting; the names of dimensions go along; unnamed ones take a name from the other side.
// CHECK-LABEL: @inference
func.func @inference(%a: tensor<?x1x4xf32, #lathe.dims<N>>, %b: tensor<3x1xf32>, %c: tensor<?xf32>, %d: tensor<?xf32, #lathe.dims<2 * N>>)
    -> (tensor<?x3x4xf32, #lathe.dims<N>>, tensor<?x3x4xi1, #lathe.dims<N>>, tensor<?xf32, #lathe.dims<2 * N>>) {
  %0 = lathe.add %a, %b : tensor<?x1x4xf32, #lathe.dims<N>>, tensor<3x1xf32>
  %1 = lathe.compare lt %a, %b : tensor<?x1x4xf32, #lathe.dims<N>>, tensor<3x1xf32>
  %2 = lathe.mul %c, %d : tensor<?xf32>, tensor<?xf32, #lathe.dims<2 * N>>
  return %0, %1, %2 : tensor<?x3x4xf32, #lathe.dims<N>>, tensor<?x3x4xi1, #lathe.dims<N>>, tensor<?xf32, #lathe.dims<2 * N>>
}

// CHECK-LABEL: @inference_of_functions
func.func @inference_of_functions(%a: tensor<?x1xf32, #lathe.dims<N>>, %b: tensor<3xf32>, %c: tensor<f32>, %n: tensor<3xi64>)
    -> (tensor<?x3xf32, #lathe.dims<N>>, tensor<?x3xf32, #lathe.dims<N>>, tensor<?x3xf32, #lathe.dims<N>>, tensor<?x1xi1, #lathe.dims<N>>,
        tensor<?x1xi32, #lathe.dims<N>>) {
  %0 = lathe.clamp %c, %a, %b : tensor<f32>, tensor<?x1xf32, #lathe.dims<N>>, tensor<3xf32>
  %1 = lathe.fma %a, %b, %c : tensor<?x1xf32, #lathe.dims<N>>, tensor<3xf32>, tensor<f32>
  %2 = lathe.ldexp %a, %n : tensor<?x1xf32, #lathe.dims<N>>, tensor<3xi64>
  %3 = lathe.is_nan %a : tensor<?x1xf32, #lathe.dims<N>>
  %4 = lathe.bitcast %a to i32 : tensor<?x1xf32, #lathe.dims<N>>
  return %0, %1, %2, %3, %4 : tensor<?x3xf32, #lathe.dims<N>>, tensor<?x3xf32, #lathe.dims<N>>, tensor<?x3xf32, #lathe.dims<N>>,
    tensor<?x1xi1, #lathe.dims<N>>, tensor<?x1xi32, #lathe.dims<N>>
}
