// The sign of a half that was rounded from f64 by way of f32: no level asks for another rounding, which would be a call.
// RUN: lathe-run %s sign_of_half --input x=1.5 --check --rtol 0 --atol 1e-3
// RUN: lathe-run %s --input x=-0.5 --input y=3.0 --target=x86-64-v2 | FileCheck %s
// RUN: lathe-run %s --input x=-0.5 --input y=3.0 --target=x86-64-v3 | FileCheck %s
// RUN: %if x86-64-v4 %{ lathe-run %s --input x=-0.5 --input y=3.0 --target=x86-64-v4 | FileCheck %s %}
// CHECK: minus = -3
// CHECK: other = 3
func.func @f(%x: tensor<f16>, %y: tensor<f16>) -> (tensor<f16> {lathe.name = "minus"}, tensor<bf16> {lathe.name = "other"}) {
  %0 = lathe.polygamma %x order 2 : tensor<f16>
  %minus = lathe.copysign %y, %0 : tensor<f16>, tensor<f16>
  %y1 = lathe.convert %y to bf16 : tensor<f16>
  %x1 = lathe.convert %x to bf16 : tensor<f16>
  %1 = lathe.polygamma %x1 order 3 : tensor<bf16>
  %other = lathe.copysign %y1, %1 : tensor<bf16>, tensor<bf16>
  return %minus, %other : tensor<f16>, tensor<bf16>
}

// One f16 whose sign comes from a function that is computed in f64: no library call on the way to it.
func.func @sign_of_half(%x: tensor<1xf16>) -> (tensor<1xf64> {lathe.name = "y"}) {
  %0 = lathe.lgamma %x : tensor<1xf16>
  %1 = lathe.asin %0 : tensor<1xf16>
  %2 = lathe.convert %1 to f64 : tensor<1xf16>
  return %2 : tensor<1xf64>
}
