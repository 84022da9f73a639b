func.func @f(%x: tensor<?x?x?x64xf32> {lathe.dims = #lathe.dims<N, H, W>}) -> tensor<?x64xf32> {
  %y = lathe.reduce sum %x dims [1,2] : tensor<?x?x?x64xf32>
  return %y : tensor<?x64xf32>
}
