// lathec 0.1.0 /tmp/cp.mlir -o /tmp/cp.o -O0
func.func @f(%a: tensor<0xf64>) -> tensor<0xf64> {
  %b = lathe.cumulative product %a dim 0 reverse : tensor<0xf64>
  return %b : tensor<0xf64>
}
