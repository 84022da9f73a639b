// The step of Newton's method for k-means: the sum over N points of the squared distance to the nearest of K centroids, its gradient
// by the centroids over the diagonal of its Hessian. The Hessian is diagonal, so that it times a vector of ones is its diagonal.

func.func private @cost(%centroids: tensor<?x?xf64>, %points: tensor<?x?xf64>) -> tensor<f64> {
  %p = lathe.broadcast %points dims [0, 2] to [N, K, D] : tensor<?x?xf64>
  %c = lathe.broadcast %centroids dims [1, 2] to [N, K, D] : tensor<?x?xf64>
  %off = lathe.sub %p, %c : tensor<?x?x?xf64>
  %squares = lathe.mul %off, %off : tensor<?x?x?xf64>
  %distances = lathe.reduce sum %squares dims [2] : tensor<?x?x?xf64>
  %nearest = lathe.reduce min %distances dims [1] : tensor<?x?xf64>
  %cost = lathe.reduce sum %nearest dims [0] : tensor<?xf64>
  return %cost : tensor<f64>
}

func.func private @slope(%centroids: tensor<?x?xf64>, %points: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %cost, %slope = lathe.value_and_grad @cost(%centroids, %points) wrt [0]
      : (tensor<?x?xf64>, tensor<?x?xf64>) -> (tensor<f64>, tensor<?x?xf64>)
  return %slope : tensor<?x?xf64>
}

func.func @derivative(%centroids: tensor<?x?xf64> {lathe.dims = #lathe.dims<K, D>}, %points: tensor<?x?xf64> {lathe.dims = #lathe.dims<N, D>})
    -> (tensor<?x?xf64> {lathe.name = "step"}) {
  %one = lathe.constant dense<1.0> : tensor<f64>
  %ones = lathe.broadcast %one dims [] to [K, D] : tensor<f64>
  %slope, %diagonal = lathe.jvp @slope(%centroids, %points) tangents(%ones) wrt [0]
      : (tensor<?x?xf64>, tensor<?x?xf64>), (tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>)
  %step = lathe.div %slope, %diagonal : tensor<?x?xf64>
  return %step : tensor<?x?xf64>
}
