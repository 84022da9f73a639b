// An f32 that is immediately rounded to a half, and every f32 with --math=fast, is computed with the approximations of 2^x and 1 / x that GPUs
// have. Of all halves functions are off by at most 0.501 units in the last place, quotients are rounded once. Of f32 with
// --math=fast exp is off by at most 4 units, quotients by 2, logistic by 6, tanh by 3, erf by 2 and erfc by 10.
// RUN: lathec %s --target=cuda:sm_90 --entry=tanh_bf16 --emit=ptx -o - | FileCheck --check-prefix=HALF %s
// RUN: lathec %s --target=cuda:sm_90 --entry=tanh_f32 --emit=ptx -o - | FileCheck --check-prefix=STRICT %s
// RUN: lathec %s --target=cuda:sm_90 --entry=read_as_it_is --emit=ptx -o - | FileCheck --check-prefix=STRICT %s
// RUN: lathec %s --target=cuda:sm_90 --entry=rounded_twice --emit=ptx -o - | FileCheck --check-prefix=STRICT %s
// RUN: lathec %s --target=cuda:sm_90 --entry=div_f32 --emit=ptx -o - | FileCheck --check-prefix=DIV %s
// RUN: lathec %s --target=cuda:sm_90 --math=fast --entry=div_f32 --emit=ptx -o - | FileCheck --check-prefix=FAST %s
// RUN: sh -c 'for f in exp logistic tanh erf erfc; do for h in bf16 f16; do %cuda lathe-run %s ${f}_$h --input start=0 --target=cuda:sm_90 --check --rtol 8e-3 --atol 1e-7 || exit 1; done; done' | FileCheck --check-prefix=HALVES %s
// RUN: sh -c 'for s in 0 1 77 12345 30001; do for h in bf16 f16; do %cuda lathe-run %s div_$h --input start=$s --target=cuda:sm_90 --check --rtol 0 --atol 0 || exit 1; done; done'
// RUN: sh -c 'for f in div_bf16 div_f16 floors normal; do %cuda lathe-run %s $f --input start=77 --target=cuda:sm_90 --math=fast --check --rtol 0 --atol 0 || exit 1; done'
// RUN: sh -c 'for f in exp logistic tanh erf erfc; do %cuda lathe-run %s ${f}_values --input start=0 --target=cuda:sm_90 --math=fast --check --rtol 1e-6 --atol 1e-44 > /dev/null && %cuda lathe-run %s ${f}_f32 --input start=0 --target=cuda:sm_90 --math=fast || exit 1; done' | FileCheck --check-prefix=SINGLES %s

// HALVES-COUNT-10: {{^}}e = 0.{{500|49}}
// SINGLES: {{^}}e = 3.
// SINGLES: {{^}}e = 5.
// SINGLES: {{^}}e = 2.
// SINGLES: {{^}}e = 1.
// SINGLES: {{^}}e = 7.

// HALF: ex2.approx.ftz.f32
// HALF: rcp.approx.ftz.f32
// STRICT-NOT: .approx.
// STRICT: ret;
// DIV: div.rn.f32
// FAST: div.full.f32

// The largest error in units of the last place of what was found, zeros, infinities and NaN left aside.
func.func private @worst_bf16(%found: tensor<65536xbf16>, %exact: tensor<65536xf64>) -> tensor<f64> {
  %bits = lathe.bitcast %found to i16 : tensor<65536xbf16>
  %one = lathe.constant dense<1> : tensor<i16>
  %next = lathe.add %bits, %one : tensor<65536xi16>, tensor<i16>
  %neighbor = lathe.bitcast %next to bf16 : tensor<65536xi16>
  %near = lathe.convert %neighbor to f64 : tensor<65536xbf16>
  %value = lathe.convert %found to f64 : tensor<65536xbf16>
  %ulp = lathe.sub %near, %value : tensor<65536xf64>
  %off = lathe.sub %value, %exact : tensor<65536xf64>
  %ratio = lathe.div %off, %ulp : tensor<65536xf64>
  %size = lathe.abs %ratio : tensor<65536xf64>
  %isNumber = lathe.compare eq %size, %size : tensor<65536xf64>
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %error = lathe.select %isNumber, %size, %zero : tensor<65536xi1>, tensor<65536xf64>, tensor<f64>
  %r = lathe.reduce max %error dims [0] : tensor<65536xf64>
  return %r : tensor<f64>
}

// The largest error in units of the last place of what was found, zeros, infinities and NaN left aside.
func.func private @worst_f16(%found: tensor<65536xf16>, %exact: tensor<65536xf64>) -> tensor<f64> {
  %bits = lathe.bitcast %found to i16 : tensor<65536xf16>
  %one = lathe.constant dense<1> : tensor<i16>
  %next = lathe.add %bits, %one : tensor<65536xi16>, tensor<i16>
  %neighbor = lathe.bitcast %next to f16 : tensor<65536xi16>
  %near = lathe.convert %neighbor to f64 : tensor<65536xf16>
  %value = lathe.convert %found to f64 : tensor<65536xf16>
  %ulp = lathe.sub %near, %value : tensor<65536xf64>
  %off = lathe.sub %value, %exact : tensor<65536xf64>
  %ratio = lathe.div %off, %ulp : tensor<65536xf64>
  %size = lathe.abs %ratio : tensor<65536xf64>
  %isNumber = lathe.compare eq %size, %size : tensor<65536xf64>
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %error = lathe.select %isNumber, %size, %zero : tensor<65536xi1>, tensor<65536xf64>, tensor<f64>
  %r = lathe.reduce max %error dims [0] : tensor<65536xf64>
  return %r : tensor<f64>
}

// The largest error in units of the last place of what was found, zeros, infinities and NaN left aside.
func.func private @worst_f32(%found: tensor<65536xf32>, %exact: tensor<65536xf64>) -> tensor<f64> {
  %bits = lathe.bitcast %found to i32 : tensor<65536xf32>
  %one = lathe.constant dense<1> : tensor<i32>
  %next = lathe.add %bits, %one : tensor<65536xi32>, tensor<i32>
  %neighbor = lathe.bitcast %next to f32 : tensor<65536xi32>
  %near = lathe.convert %neighbor to f64 : tensor<65536xf32>
  %value = lathe.convert %found to f64 : tensor<65536xf32>
  %ulp = lathe.sub %near, %value : tensor<65536xf64>
  %off = lathe.sub %value, %exact : tensor<65536xf64>
  %ratio = lathe.div %off, %ulp : tensor<65536xf64>
  %size = lathe.abs %ratio : tensor<65536xf64>
  %isNumber = lathe.compare eq %size, %size : tensor<65536xf64>
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %error = lathe.select %isNumber, %size, %zero : tensor<65536xi1>, tensor<65536xf64>, tensor<f64>
  %r = lathe.reduce max %error dims [0] : tensor<65536xf64>
  return %r : tensor<f64>
}

func.func @exp_bf16(%start: tensor<i32>) -> (tensor<65536xbf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to bf16 : tensor<65536xi16>
  %h = lathe.exp %x : tensor<65536xbf16>
  %wide = lathe.convert %x to f64 : tensor<65536xbf16>
  %exact = lathe.exp %wide : tensor<65536xf64>
  %e = call @worst_bf16(%h, %exact) : (tensor<65536xbf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xbf16>, tensor<f64>
}

func.func @exp_f16(%start: tensor<i32>) -> (tensor<65536xf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to f16 : tensor<65536xi16>
  %h = lathe.exp %x : tensor<65536xf16>
  %wide = lathe.convert %x to f64 : tensor<65536xf16>
  %exact = lathe.exp %wide : tensor<65536xf64>
  %e = call @worst_f16(%h, %exact) : (tensor<65536xf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf16>, tensor<f64>
}

func.func @logistic_bf16(%start: tensor<i32>) -> (tensor<65536xbf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to bf16 : tensor<65536xi16>
  %h = lathe.logistic %x : tensor<65536xbf16>
  %wide = lathe.convert %x to f64 : tensor<65536xbf16>
  %exact = lathe.logistic %wide : tensor<65536xf64>
  %e = call @worst_bf16(%h, %exact) : (tensor<65536xbf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xbf16>, tensor<f64>
}

func.func @logistic_f16(%start: tensor<i32>) -> (tensor<65536xf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to f16 : tensor<65536xi16>
  %h = lathe.logistic %x : tensor<65536xf16>
  %wide = lathe.convert %x to f64 : tensor<65536xf16>
  %exact = lathe.logistic %wide : tensor<65536xf64>
  %e = call @worst_f16(%h, %exact) : (tensor<65536xf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf16>, tensor<f64>
}

func.func @tanh_bf16(%start: tensor<i32>) -> (tensor<65536xbf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to bf16 : tensor<65536xi16>
  %h = lathe.tanh %x : tensor<65536xbf16>
  %wide = lathe.convert %x to f64 : tensor<65536xbf16>
  %exact = lathe.tanh %wide : tensor<65536xf64>
  %e = call @worst_bf16(%h, %exact) : (tensor<65536xbf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xbf16>, tensor<f64>
}

func.func @tanh_f16(%start: tensor<i32>) -> (tensor<65536xf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to f16 : tensor<65536xi16>
  %h = lathe.tanh %x : tensor<65536xf16>
  %wide = lathe.convert %x to f64 : tensor<65536xf16>
  %exact = lathe.tanh %wide : tensor<65536xf64>
  %e = call @worst_f16(%h, %exact) : (tensor<65536xf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf16>, tensor<f64>
}

func.func @erf_bf16(%start: tensor<i32>) -> (tensor<65536xbf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to bf16 : tensor<65536xi16>
  %h = lathe.erf %x : tensor<65536xbf16>
  %wide = lathe.convert %x to f64 : tensor<65536xbf16>
  %exact = lathe.erf %wide : tensor<65536xf64>
  %e = call @worst_bf16(%h, %exact) : (tensor<65536xbf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xbf16>, tensor<f64>
}

func.func @erf_f16(%start: tensor<i32>) -> (tensor<65536xf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to f16 : tensor<65536xi16>
  %h = lathe.erf %x : tensor<65536xf16>
  %wide = lathe.convert %x to f64 : tensor<65536xf16>
  %exact = lathe.erf %wide : tensor<65536xf64>
  %e = call @worst_f16(%h, %exact) : (tensor<65536xf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf16>, tensor<f64>
}

func.func @erfc_bf16(%start: tensor<i32>) -> (tensor<65536xbf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to bf16 : tensor<65536xi16>
  %h = lathe.erfc %x : tensor<65536xbf16>
  %wide = lathe.convert %x to f64 : tensor<65536xbf16>
  %exact = lathe.erfc %wide : tensor<65536xf64>
  %e = call @worst_bf16(%h, %exact) : (tensor<65536xbf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xbf16>, tensor<f64>
}

func.func @erfc_f16(%start: tensor<i32>) -> (tensor<65536xf16>, tensor<f64>) {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %bits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %bits to f16 : tensor<65536xi16>
  %h = lathe.erfc %x : tensor<65536xf16>
  %wide = lathe.convert %x to f64 : tensor<65536xf16>
  %exact = lathe.erfc %wide : tensor<65536xf64>
  %e = call @worst_f16(%h, %exact) : (tensor<65536xf16>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf16>, tensor<f64>
}

// Numbers of all exponents, with any last bits.
func.func private @singles(%start: tensor<i32>) -> tensor<65536xf32> {
  %i = lathe.iota dim 0 to [65536] : i32
  %j = lathe.add %i, %start : tensor<65536xi32>, tensor<i32>
  %factor = lathe.constant dense<106039> : tensor<i32>
  %bits = lathe.mul %j, %factor : tensor<65536xi32>, tensor<i32>
  %x = lathe.bitcast %bits to f32 : tensor<65536xi32>
  return %x : tensor<65536xf32>
}

func.func @exp_f32(%start: tensor<i32>) -> (tensor<65536xf32>, tensor<f64>) {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.exp %x : tensor<65536xf32>
  %wide = lathe.convert %x to f64 : tensor<65536xf32>
  %exact = lathe.exp %wide : tensor<65536xf64>
  %e = call @worst_f32(%h, %exact) : (tensor<65536xf32>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf32>, tensor<f64>
}

func.func @exp_values(%start: tensor<i32>) -> tensor<65536xf32> {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.exp %x : tensor<65536xf32>
  return %h : tensor<65536xf32>
}

func.func @logistic_f32(%start: tensor<i32>) -> (tensor<65536xf32>, tensor<f64>) {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.logistic %x : tensor<65536xf32>
  %wide = lathe.convert %x to f64 : tensor<65536xf32>
  %exact = lathe.logistic %wide : tensor<65536xf64>
  %e = call @worst_f32(%h, %exact) : (tensor<65536xf32>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf32>, tensor<f64>
}

func.func @logistic_values(%start: tensor<i32>) -> tensor<65536xf32> {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.logistic %x : tensor<65536xf32>
  return %h : tensor<65536xf32>
}

func.func @tanh_f32(%start: tensor<i32>) -> (tensor<65536xf32>, tensor<f64>) {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.tanh %x : tensor<65536xf32>
  %wide = lathe.convert %x to f64 : tensor<65536xf32>
  %exact = lathe.tanh %wide : tensor<65536xf64>
  %e = call @worst_f32(%h, %exact) : (tensor<65536xf32>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf32>, tensor<f64>
}

func.func @tanh_values(%start: tensor<i32>) -> tensor<65536xf32> {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.tanh %x : tensor<65536xf32>
  return %h : tensor<65536xf32>
}

func.func @erf_f32(%start: tensor<i32>) -> (tensor<65536xf32>, tensor<f64>) {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.erf %x : tensor<65536xf32>
  %wide = lathe.convert %x to f64 : tensor<65536xf32>
  %exact = lathe.erf %wide : tensor<65536xf64>
  %e = call @worst_f32(%h, %exact) : (tensor<65536xf32>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf32>, tensor<f64>
}

func.func @erf_values(%start: tensor<i32>) -> tensor<65536xf32> {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.erf %x : tensor<65536xf32>
  return %h : tensor<65536xf32>
}

func.func @erfc_f32(%start: tensor<i32>) -> (tensor<65536xf32>, tensor<f64>) {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.erfc %x : tensor<65536xf32>
  %wide = lathe.convert %x to f64 : tensor<65536xf32>
  %exact = lathe.erfc %wide : tensor<65536xf64>
  %e = call @worst_f32(%h, %exact) : (tensor<65536xf32>, tensor<65536xf64>) -> tensor<f64>
  return %h, %e : tensor<65536xf32>, tensor<f64>
}

func.func @erfc_values(%start: tensor<i32>) -> tensor<65536xf32> {
  %x = call @singles(%start) : (tensor<i32>) -> tensor<65536xf32>
  %h = lathe.erfc %x : tensor<65536xf32>
  return %h : tensor<65536xf32>
}

// One user rounds the value, the other reads it unrounded.
func.func @read_as_it_is(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> (tensor<1024xbf16>, tensor<1024xf32>) {
  %t = lathe.tanh %x : tensor<1024xf32>
  %q = lathe.div %t, %y : tensor<1024xf32>
  %h = lathe.convert %t to bf16 : tensor<1024xf32>
  return %h, %q : tensor<1024xbf16>, tensor<1024xf32>
}

// A quotient of f32 that is not a quotient of halves is rounded as f32 first.
func.func @rounded_twice(%x: tensor<1024xbf16>, %y: tensor<1024xf32>) -> tensor<1024xbf16> {
  %w = lathe.convert %x to f32 : tensor<1024xbf16>
  %q = lathe.div %w, %y : tensor<1024xf32>
  %h = lathe.convert %q to bf16 : tensor<1024xf32>
  return %h : tensor<1024xbf16>
}

// Whole numbers are made of a quotient that is rounded once, and random numbers are the same everywhere, with --math=fast too.
func.func @floors(%start: tensor<i32>) -> tensor<65536xf32> {
  %i = lathe.iota dim 0 to [65536] : f32
  %k = lathe.constant dense<131.0> : tensor<f32>
  %j = lathe.mul %i, %k : tensor<65536xf32>, tensor<f32>
  %s = lathe.convert %start to f32 : tensor<i32>
  %t = lathe.constant dense<76.0> : tensor<f32>
  %one = lathe.sub %s, %t : tensor<f32>
  %r = lathe.floor_div %j, %one : tensor<65536xf32>, tensor<f32>
  return %r : tensor<65536xf32>
}
func.func @normal(%start: tensor<i32>) -> (tensor<4096xf32>, tensor<4096xf16>) {
  %key = lathe.convert %start to i64 : tensor<i32>
  %r = lathe.random_normal %key stream 0 to [4096] : f32
  %h = lathe.random_normal %key stream 1 to [4096] : f16
  return %r, %h : tensor<4096xf32>, tensor<4096xf16>
}

func.func @div_bf16(%start: tensor<i32>) -> tensor<65536xbf16> {
  %i = lathe.iota dim 0 to [65536] : i32
  %factor = lathe.constant dense<40503> : tensor<i32>
  %product = lathe.mul %i, %factor : tensor<65536xi32>, tensor<i32>
  %j = lathe.add %product, %start : tensor<65536xi32>, tensor<i32>
  %xbits = lathe.convert %i to i16 : tensor<65536xi32>
  %ybits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %xbits to bf16 : tensor<65536xi16>
  %y = lathe.bitcast %ybits to bf16 : tensor<65536xi16>
  %r = lathe.div %x, %y : tensor<65536xbf16>
  return %r : tensor<65536xbf16>
}

func.func @div_f16(%start: tensor<i32>) -> tensor<65536xf16> {
  %i = lathe.iota dim 0 to [65536] : i32
  %factor = lathe.constant dense<40503> : tensor<i32>
  %product = lathe.mul %i, %factor : tensor<65536xi32>, tensor<i32>
  %j = lathe.add %product, %start : tensor<65536xi32>, tensor<i32>
  %xbits = lathe.convert %i to i16 : tensor<65536xi32>
  %ybits = lathe.convert %j to i16 : tensor<65536xi32>
  %x = lathe.bitcast %xbits to f16 : tensor<65536xi16>
  %y = lathe.bitcast %ybits to f16 : tensor<65536xi16>
  %r = lathe.div %x, %y : tensor<65536xf16>
  return %r : tensor<65536xf16>
}

func.func @div_f32(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> tensor<1024xf32> {
  %r = lathe.div %x, %y : tensor<1024xf32>
  return %r : tensor<1024xf32>
}
