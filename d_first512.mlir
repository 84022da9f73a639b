func.func @f(%x: tensor<?x256xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<256xf32> {
  %y = lathe.reduce sum %x dims [0] : tensor<?x256xf32>
  return %y : tensor<256xf32>
}
