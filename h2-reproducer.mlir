// lathec 0.1.0 /tmp/q/h2.mlir -O3 -o /tmp/q/h.o
func.func @f0(%v0: tensor<1xf16>) -> (tensor<1xf64>) {
  %v1 = lathe.lgamma %v0 : tensor<1xf16>
  %v2 = lathe.asin %v1 : tensor<1xf16>
  %v3 = lathe.convert %v2 to f64 : tensor<1xf16>
  return %v3 : tensor<1xf64>
}
func.func @f0_jvp(%p0: tensor<1xf16>, %t: tensor<1xf16>) -> (tensor<1xf64>, tensor<1xf64>) {
  %r0, %r1 = lathe.jvp @f0(%p0) tangents(%t) wrt [0] : (tensor<1xf16>), (tensor<1xf16>) -> (tensor<1xf64>, tensor<1xf64>)
  return %r0, %r1 : tensor<1xf64>, tensor<1xf64>
}
func.func @f0_vjp(%p0: tensor<1xf16>, %t: tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf16>) {
  %r0, %r1 = lathe.vjp @f0(%p0) cotangents(%t) wrt [0] : (tensor<1xf16>), (tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf16>)
  return %r0, %r1 : tensor<1xf64>, tensor<1xf16>
}
