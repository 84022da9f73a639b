lathe.dim @N, 1 to 4096
lathe.variable @w : tensor<19xTYPE> init #lathe.uniform<-1.0, 1.0>
lathe.variable @f : tensor<3x3x2x5xTYPE> init #lathe.normal<0.0, 0.5>

func.func @elementwise(%x: tensor<?x19xTYPE> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x19xTYPE> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>,
        tensor<?x19xTYPE>, tensor<?x19xTYPE>) {
  %a = lathe.add %x, %y : tensor<?x19xTYPE>
  %b = lathe.mul %a, %y : tensor<?x19xTYPE>
  %c = lathe.div %x, %y : tensor<?x19xTYPE>
  %d = lathe.max %x, %y : tensor<?x19xTYPE>
  %e = lathe.sub %d, %a : tensor<?x19xTYPE>
  %f = lathe.abs %e : tensor<?x19xTYPE>
  %g = lathe.sqrt %f : tensor<?x19xTYPE>
  %p = lathe.compare lt %x, %y : tensor<?x19xTYPE>
  %h = lathe.select %p, %x, %b : tensor<?x19xi1>, tensor<?x19xTYPE>
  return %a, %b, %c, %d, %e, %f, %g, %h : tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>,
      tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>
}

func.func @sums(%x: tensor<?x19xTYPE> {lathe.dims = #lathe.dims<N>}, %m: tensor<19x33xTYPE>,
                %i: tensor<?x8x8x2xTYPE> {lathe.dims = #lathe.dims<N>}, %k: tensor<3x3x2x5xTYPE>)
    -> (tensor<19xTYPE>, tensor<?xTYPE>, tensor<TYPE>, tensor<?xTYPE>, tensor<?xi32>, tensor<?x33xTYPE>, tensor<?x8x8x5xTYPE>) {
  %a = lathe.reduce sum %x dims [0] : tensor<?x19xTYPE>
  %b = lathe.reduce sum %x dims [1] : tensor<?x19xTYPE>
  %c = lathe.reduce product %x dims [0, 1] : tensor<?x19xTYPE>
  %d = lathe.reduce max %x dims [1] : tensor<?x19xTYPE>
  %e = lathe.argmax %x dim 1 : tensor<?x19xTYPE>
  %f = lathe.dot_general %x, %m contract [1] x [0] : tensor<?x19xTYPE>, tensor<19x33xTYPE>
  %g = lathe.conv %i, %k stride [1, 1] pad same : tensor<?x8x8x2xTYPE>, tensor<3x3x2x5xTYPE>
  return %a, %b, %c, %d, %e, %f, %g
      : tensor<19xTYPE>, tensor<?xTYPE>, tensor<TYPE>, tensor<?xTYPE>, tensor<?xi32>, tensor<?x33xTYPE>, tensor<?x8x8x5xTYPE>
}

func.func @functions(%x: tensor<?x19xTYPE> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>) {
  %a = lathe.exp %x : tensor<?x19xTYPE>
  %b = lathe.tanh %x : tensor<?x19xTYPE>
  %c = lathe.logistic %x : tensor<?x19xTYPE>
  %d = lathe.erf %x : tensor<?x19xTYPE>
  return %a, %b, %c, %d : tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>, tensor<?x19xTYPE>
}

func.func private @loss(%x: tensor<?x19xTYPE>) -> tensor<TYPE> {
  %w = lathe.read @w : tensor<19xTYPE>
  %a = lathe.mul %x, %w : tensor<?x19xTYPE>, tensor<19xTYPE>
  %b = lathe.tanh %a : tensor<?x19xTYPE>
  %c = lathe.reduce sum %b dims [0, 1] : tensor<?x19xTYPE>
  return %c : tensor<TYPE>
}
func.func @step(%x: tensor<?x19xTYPE> {lathe.dims = #lathe.dims<N>}) -> (tensor<TYPE>, tensor<19xTYPE>) {
  %loss = lathe.minimize @loss(%x) with adam<learning_rate = 1.0e-1> : (tensor<?x19xTYPE>) -> tensor<TYPE>
  %after = lathe.read @w : tensor<19xTYPE>
  return %loss, %after : tensor<TYPE>, tensor<19xTYPE>
}
