// As kmeans.mlir, with |p - c|^2 multiplied out to |p|^2 + |c|^2 - 2 p c, as GradBench's programs for array languages have it: the sum over N points of the squared distance to the nearest of K centroids, its gradient
// by the centroids over the diagonal of its Hessian. The Hessian is diagonal, so that it times a vector of ones is its diagonal.

func.func private @cost(%centroids: tensor<?x?xf64>, %points: tensor<?x?xf64>) -> tensor<f64> {
  %two = lathe.constant dense<2.0> : tensor<f64>
  %pp = lathe.mul %points, %points : tensor<?x?xf64>
  %cc = lathe.mul %centroids, %centroids : tensor<?x?xf64>
  %p2 = lathe.reduce sum %pp dims [1] : tensor<?x?xf64>
  %c2 = lathe.reduce sum %cc dims [1] : tensor<?x?xf64>
  %pc = lathe.dot_general %points, %centroids contract [1] x [1] : tensor<?x?xf64>, tensor<?x?xf64>
  %both = lathe.mul %pc, %two : tensor<?x?xf64>, tensor<f64>
  %column = lathe.broadcast %p2 dims [0] to [N, K] : tensor<?xf64>
  %sum = lathe.add %column, %c2 : tensor<?x?xf64>, tensor<?xf64>
  %distances = lathe.sub %sum, %both : tensor<?x?xf64>
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
