// What dimensions' names alone tell, and a name that C has not: the passes behind the verifier.
func.func @f(%x: tensor<?x8xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x8xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x8xf32> {
  %a = lathe.add %x, %y : tensor<?x8xf32>
  %b = lathe.sub %y, %x : tensor<?x8xf32>
  return %a : tensor<?x8xf32>
}
