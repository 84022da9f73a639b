lathe.dim @N, 1 to 4096
func.func @moves(%x: tensor<?x19xTYPE> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x19xTYPE> {lathe.dims = #lathe.dims<N>},
                 %i: tensor<5xi32>, %at: tensor<i64>)
    -> (tensor<19x?xTYPE>, tensor<?x42xTYPE>, tensor<?x5xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x7xTYPE>,
        tensor<?x19xTYPE>) {
  %r = lathe.transpose %x [1, 0] : tensor<?x19xTYPE>
  %z = lathe.constant dense<NUMBER> : tensor<TYPE>
  %q = lathe.concatenate %x, %y dim 1 : tensor<?x19xTYPE>, tensor<?x19xTYPE>
  %p = lathe.pad %q, %z low [0, 1] high [0, 3] : tensor<?x38xTYPE>, tensor<TYPE>
  %g = lathe.gather %x, %i axis 1 : tensor<?x19xTYPE>, tensor<5xi32>
  %c = lathe.compare lt %x, %y : tensor<?x19xTYPE>
  %s = lathe.select %c, %x, %y : tensor<?x19xi1>, tensor<?x19xTYPE>
  %zero = lathe.constant dense<0> : tensor<i64>
  %k = lathe.iota dim 1 to [N, 19] : TYPE
  %b = lathe.dynamic_slice %x[%zero, %at] size [N, 7] : tensor<?x19xTYPE>, (tensor<i64>, tensor<i64>)
  %u = lathe.scatter add %x, %i, %g axis 1 : tensor<?x19xTYPE>, tensor<5xi32>, tensor<?x5xTYPE>
  return %r, %p, %g, %s, %k, %b, %u : tensor<19x?xTYPE>, tensor<?x42xTYPE>, tensor<?x5xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>,
      tensor<?x7xTYPE>, tensor<?x19xTYPE>
}
func.func @dot(%x: tensor<?x19xTYPE> {lathe.dims = #lathe.dims<N>}, %m: tensor<19x33xTYPE>) -> tensor<?x33xTYPE> {
  %r = lathe.dot_general %x, %m contract [1] x [0] : tensor<?x19xTYPE>, tensor<19x33xTYPE>
  return %r : tensor<?x33xTYPE>
}
