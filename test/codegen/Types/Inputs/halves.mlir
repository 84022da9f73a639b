lathe.dim @N, 1 to 1000000
func.func @round(%narrow: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %wide: tensor<?xf64> {lathe.dims = #lathe.dims<M>})
    -> (tensor<?xf16>, tensor<?xbf16>, tensor<?xf16>, tensor<?xbf16>) {
  %a = lathe.convert %narrow to f16 : tensor<?xf32>
  %b = lathe.convert %narrow to bf16 : tensor<?xf32>
  %c = lathe.convert %wide to f16 : tensor<?xf64>
  %d = lathe.convert %wide to bf16 : tensor<?xf64>
  return %a, %b, %c, %d : tensor<?xf16>, tensor<?xbf16>, tensor<?xf16>, tensor<?xbf16>
}
func.func @widen(%half: tensor<?xf16> {lathe.dims = #lathe.dims<N>}, %brain: tensor<?xbf16> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %e = lathe.convert %half to f32 : tensor<?xf16>
  %f = lathe.convert %brain to f32 : tensor<?xbf16>
  return %e, %f : tensor<?xf32>, tensor<?xf32>
}
