func.func @f(%x: tensor<?x?x?x512xf32> {lathe.dims = #lathe.dims<N, H, W>}) -> tensor<?x512xf32> {
  %y = lathe.reduce sum %x dims [1,2] : tensor<?x?x?x512xf32>
  return %y : tensor<?x512xf32>
}
