// Least squares of a polynomial: half the sum over N abscissae t of (sign(t) - sum over j < M of x_j t^j)^2, and its gradient by x.
// A loop over the coefficients carries what is left of each sign, and the power of each t.

func.func private @residue(%x: tensor<?xf64>, %t: tensor<?xf64>) -> tensor<f64> {
  %sign = lathe.sign %t : tensor<?xf64>
  %one = lathe.constant dense<1.0> : tensor<f64>
  %ones = lathe.broadcast %one dims [] to [N] : tensor<f64>
  %off, %beyond = lathe.scan carry(%o = %sign : tensor<?xf64>, %p = %ones : tensor<?xf64>) over(%c = %x : tensor<?xf64>)
      -> (tensor<?xf64>, tensor<?xf64>) {
    %term = lathe.mul %p, %c : tensor<?xf64>, tensor<f64>
    %less = lathe.sub %o, %term : tensor<?xf64>
    %next = lathe.mul %p, %t : tensor<?xf64>
    lathe.yield carry(%less : tensor<?xf64>, %next : tensor<?xf64>)
  }
  %squares = lathe.mul %off, %off : tensor<?xf64>
  %sum = lathe.reduce sum %squares dims [0] : tensor<?xf64>
  %half = lathe.constant dense<0.5> : tensor<f64>
  %value = lathe.mul %sum, %half : tensor<f64>
  return %value : tensor<f64>
}

func.func @derivative(%x: tensor<?xf64> {lathe.dims = #lathe.dims<M>}, %t: tensor<?xf64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf64> {lathe.name = "by_x"}) {
  %value, %by_x = lathe.value_and_grad @residue(%x, %t) wrt [0] : (tensor<?xf64>, tensor<?xf64>) -> (tensor<f64>, tensor<?xf64>)
  return %by_x : tensor<?xf64>
}
