func.func @f(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, H>}) -> tensor<?xf32> {
  %y = lathe.reduce sum %x dims [1] : tensor<?x?xf32>
  return %y : tensor<?xf32>
}
