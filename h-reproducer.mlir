// lathec 0.1.0 /tmp/q/h.mlir -O3 -o /tmp/q/h.o
func.func @f0(%v0: tensor<1xf16>) -> (tensor<1xf64>) {
  %v1 = lathe.lgamma %v0 : tensor<1xf16>
  %v2 = lathe.asin %v1 : tensor<1xf16>
  %v3 = lathe.convert %v2 to f64 : tensor<1xf16>
  return %v3 : tensor<1xf64>
}
