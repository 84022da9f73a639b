// Least squares of a polynomial: half the sum over N abscissae t of (sign(t) - sum over j < M of x_j t^j)^2, and its gradient by x.

func.func private @residue(%x: tensor<?xf64>, %t: tensor<?xf64>) -> tensor<f64> {
  %sign = lathe.sign %t : tensor<?xf64>
  %zero = lathe.constant dense<0> : tensor<i32>
  %one = lathe.constant dense<1.0> : tensor<f64>
  %j = lathe.iota dim 1 to [N, M] : i32
  %first = lathe.compare eq %j, %zero : tensor<?x?xi32>, tensor<i32>
  %rows = lathe.broadcast %t dims [0] to [N, M] : tensor<?xf64>
  %factors = lathe.select %first, %one, %rows : tensor<?x?xi1>, tensor<f64>, tensor<?x?xf64>
  %powers = lathe.cumulative product %factors dim 1 : tensor<?x?xf64>
  %polynomial = lathe.dot_general %powers, %x contract [1] x [0] : tensor<?x?xf64>, tensor<?xf64>
  %off = lathe.sub %sign, %polynomial : tensor<?xf64>
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
