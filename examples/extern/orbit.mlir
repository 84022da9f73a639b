// An orbit's eccentricity from sightings. Kepler's equation E - e sin(E) = M has no closed solution: a C function iterates.
lathe.variable @eccentricity : tensor<f64> init #lathe.fill<0.1>

func.func private @misfit(%mean: tensor<?xf64> {lathe.dims = #lathe.dims<N>}, %seen: tensor<?xf64>) -> tensor<f64> {
  %e = lathe.read @eccentricity : tensor<f64>
  %anomaly = lathe.extern @kepler(%mean, %e) dims [N] gradient [@kepler_gradient]
      : (tensor<?xf64>, tensor<f64>) -> tensor<?xf64>
  %off = lathe.sub %anomaly, %seen : tensor<?xf64>
  %square = lathe.mul %off, %off : tensor<?xf64>
  %sum = lathe.reduce sum %square dims [0] : tensor<?xf64>
  return %sum : tensor<f64>
}

// One step of descent; gives the sum of squares before it.
func.func @fit(%mean: tensor<?xf64> {lathe.dims = #lathe.dims<N>}, %seen: tensor<?xf64> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %misfit = lathe.minimize @misfit(%mean, %seen) with sgd<learning_rate = 0.02> : (tensor<?xf64>, tensor<?xf64>) -> tensor<f64>
  return %misfit : tensor<f64>
}
