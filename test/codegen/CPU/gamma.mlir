// Compiled code against the interpreter: lgamma and its derivatives in all float types, at sizes below and above a vector.
// RUN: lathe-run %s of_f64 --random --dim N=131 --check --rtol 1e-12 --atol 1e-13
// RUN: lathe-run %s of_f64 --random --dim N=131 --target x86-64-v3 --check --rtol 1e-12 --atol 1e-13
// RUN: lathe-run %s of_f64 --random --dim N=131 --target x86-64-v2 --check --rtol 1e-12 --atol 1e-13
// RUN: lathe-run %s of_f64 --random --dim N=37 -O 0 --check --rtol 1e-12 --atol 1e-13
// RUN: lathe-run %s of_f32 --random --dim N=131 --check --rtol 1e-6 --atol 1e-6
// RUN: lathe-run %s of_f32 --random --dim N=131 --target x86-64-v3 --check --rtol 1e-6 --atol 1e-6
// RUN: lathe-run %s of_f32 --random --dim N=131 --target x86-64-v2 --check --rtol 1e-6 --atol 1e-6
// RUN: lathe-run %s of_f32 --random --dim N=37 -O 0 --check --rtol 1e-6 --atol 1e-6
// RUN: lathe-run %s of_f16 --random --dim N=131 --check --rtol 2e-3 --atol 1e-3
// RUN: lathe-run %s of_f16 --random --dim N=131 --target x86-64-v2 --check --rtol 2e-3 --atol 1e-3
// RUN: lathe-run %s of_bf16 --random --dim N=131 --check --rtol 1e-2 --atol 1e-2
// RUN: lathe-run %s of_bf16 --random --dim N=131 --target x86-64-v2 --check --rtol 1e-2 --atol 1e-2
// No level calls a library.
// RUN: lathec %s --target=x86-64-v2,x86-64-v3,x86-64-v4 --threads=off -o %t.o && llvm-nm --undefined-only %t.o | count 0

// From -7 to 7, on both sides of the poles.
func.func @of_f64(%x: tensor<?xf64> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %seven = lathe.constant dense<7.0> : tensor<f64>
  %wide = lathe.mul %x, %seven : tensor<?xf64>, tensor<f64>
  %lgamma = lathe.lgamma %wide : tensor<?xf64>
  %digamma = lathe.digamma %wide : tensor<?xf64>
  %trigamma = lathe.polygamma %wide order 1 : tensor<?xf64>
  %tetragamma = lathe.polygamma %wide order 2 : tensor<?xf64>
  return %lgamma, %digamma, %trigamma, %tetragamma : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

// From -7 to 7, on both sides of the poles.
func.func @of_f32(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %seven = lathe.constant dense<7.0> : tensor<f32>
  %wide = lathe.mul %x, %seven : tensor<?xf32>, tensor<f32>
  %lgamma = lathe.lgamma %wide : tensor<?xf32>
  %digamma = lathe.digamma %wide : tensor<?xf32>
  %trigamma = lathe.polygamma %wide order 1 : tensor<?xf32>
  %tetragamma = lathe.polygamma %wide order 2 : tensor<?xf32>
  return %lgamma, %digamma, %trigamma, %tetragamma : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// From -7 to 7, on both sides of the poles.
func.func @of_f16(%x: tensor<?xf16> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<?xf16>) {
  %seven = lathe.constant dense<7.0> : tensor<f16>
  %wide = lathe.mul %x, %seven : tensor<?xf16>, tensor<f16>
  %lgamma = lathe.lgamma %wide : tensor<?xf16>
  %digamma = lathe.digamma %wide : tensor<?xf16>
  %trigamma = lathe.polygamma %wide order 1 : tensor<?xf16>
  %tetragamma = lathe.polygamma %wide order 2 : tensor<?xf16>
  return %lgamma, %digamma, %trigamma, %tetragamma : tensor<?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<?xf16>
}

// From -7 to 7, on both sides of the poles.
func.func @of_bf16(%x: tensor<?xbf16> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>) {
  %seven = lathe.constant dense<7.0> : tensor<bf16>
  %wide = lathe.mul %x, %seven : tensor<?xbf16>, tensor<bf16>
  %lgamma = lathe.lgamma %wide : tensor<?xbf16>
  %digamma = lathe.digamma %wide : tensor<?xbf16>
  %trigamma = lathe.polygamma %wide order 1 : tensor<?xbf16>
  %tetragamma = lathe.polygamma %wide order 2 : tensor<?xbf16>
  return %lgamma, %digamma, %trigamma, %tetragamma : tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>
}
