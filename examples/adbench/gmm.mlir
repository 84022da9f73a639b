// The log-posterior of a Gaussian mixture with a Wishart prior, and its gradient; Srajer, Kukelova, Fitzgibbon, "A Benchmark of
// Selected Algorithmic Differentiation Tools" (2018), as ADBench computes it:
//   sum over points i of logsumexp over k of (alpha_k + sum(q_k) - 1/2 |Q_k (x_i - mean_k)|^2) - N (logsumexp(alpha) + D/2 log(2 pi))
//   + sum over k of (gamma^2 / 2 (|exp(q_k)|^2 + |l_k|^2) - m sum(q_k)) - K c(gamma, m, D).
// Q_k has exp(q_k) on its diagonal and l_k below it, column by column. N points, K components, D > 1 dimensions, T = D (D - 1) / 2.

// Q of all components. Index of row i, column j < i of l: j D - j (j + 1) / 2 + i - j - 1; one that is outside gives zero.
func.func private @factors(%q: tensor<?x?xf64>, %l: tensor<?x?xf64>) -> tensor<?x?x?xf64> {
  %i = lathe.iota dim 0 to [D, D] : i64
  %j = lathe.iota dim 1 to [D, D] : i64
  %one = lathe.constant dense<1> : tensor<i64>
  %two = lathe.constant dense<2> : tensor<i64>
  %d = lathe.dim_size %q dim 1 : tensor<?x?xf64>
  %before = lathe.mul %j, %d : tensor<?x?xi64>, tensor<i64>
  %j1 = lathe.add %j, %one : tensor<?x?xi64>, tensor<i64>
  %corner = lathe.mul %j, %j1 : tensor<?x?xi64>
  %above = lathe.floor_div %corner, %two : tensor<?x?xi64>, tensor<i64>
  %column = lathe.sub %before, %above : tensor<?x?xi64>
  %down = lathe.sub %i, %j1 : tensor<?x?xi64>
  %place = lathe.add %column, %down : tensor<?x?xi64>
  %below = lathe.compare gt %i, %j : tensor<?x?xi64>
  %minus = lathe.constant dense<-1> : tensor<i64>
  %index = lathe.select %below, %place, %minus : tensor<?x?xi1>, tensor<?x?xi64>, tensor<i64>
  %lower = lathe.gather %l, %index axis 1 : tensor<?x?xf64>, tensor<?x?xi64>
  %exp = lathe.exp %q : tensor<?x?xf64>
  %rows = lathe.broadcast %exp dims [0, 1] to [K, D, D] : tensor<?x?xf64>
  %diagonal = lathe.compare eq %i, %j : tensor<?x?xi64>
  %factors = lathe.select %diagonal, %rows, %lower : tensor<?x?xi1>, tensor<?x?x?xf64>, tensor<?x?x?xf64>
  return %factors : tensor<?x?x?xf64>
}

// c = p (n log(gamma / sqrt(2))) - log of the multivariate gamma function of n / 2, n = p + m + 1, p dimensions.
func.func private @constant(%like: tensor<?x?xf64>, %gamma: tensor<f64>, %m: tensor<f64>) -> tensor<f64> {
  %size = lathe.dim_size %like dim 1 : tensor<?x?xf64>
  %p = lathe.convert %size to f64 : tensor<i64>
  %half = lathe.constant dense<0.5> : tensor<f64>
  %one = lathe.constant dense<1.0> : tensor<f64>
  %log2 = lathe.constant dense<0.69314718055994530942> : tensor<f64>
  %logpi = lathe.constant dense<1.14472988584940017414> : tensor<f64>
  %pm = lathe.add %p, %m : tensor<f64>
  %n = lathe.add %pm, %one : tensor<f64>
  %log = lathe.log %gamma : tensor<f64>
  %root = lathe.mul %half, %log2 : tensor<f64>
  %scale = lathe.sub %log, %root : tensor<f64>
  %np = lathe.mul %n, %p : tensor<f64>
  %first = lathe.mul %np, %scale : tensor<f64>
  // p (p - 1) / 4 log(pi) + the sum over j < p of lgamma((n - j) / 2)
  %j = lathe.iota dim 0 to [D] : f64
  %nj = lathe.sub %n, %j : tensor<f64>, tensor<?xf64>
  %a = lathe.mul %half, %nj : tensor<f64>, tensor<?xf64>
  %lgamma = lathe.lgamma %a : tensor<?xf64>
  %sum = lathe.reduce sum %lgamma dims [0] : tensor<?xf64>
  %p1 = lathe.sub %p, %one : tensor<f64>
  %pp = lathe.mul %p, %p1 : tensor<f64>
  %quarter = lathe.constant dense<0.25> : tensor<f64>
  %pp4 = lathe.mul %quarter, %pp : tensor<f64>
  %pi = lathe.mul %pp4, %logpi : tensor<f64>
  %second = lathe.add %pi, %sum : tensor<f64>
  %c = lathe.sub %first, %second : tensor<f64>
  return %c : tensor<f64>
}

func.func private @posterior(%alphas: tensor<?xf64>, %means: tensor<?x?xf64>, %q: tensor<?x?xf64>, %l: tensor<?x?xf64>,
                             %x: tensor<?x?xf64>, %gamma: tensor<f64>, %m: tensor<f64>) -> tensor<f64> {
  %factors = func.call @factors(%q, %l) : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?x?xf64>
  %half = lathe.constant dense<0.5> : tensor<f64>
  %points = lathe.broadcast %x dims [1, 2] to [K, N, D] : tensor<?x?xf64>
  %centres = lathe.broadcast %means dims [0, 2] to [K, N, D] : tensor<?x?xf64>
  %off = lathe.sub %points, %centres : tensor<?x?x?xf64>
  %scaled = lathe.dot_general %off, %factors contract [2] x [2] batch [0] x [0] : tensor<?x?x?xf64>, tensor<?x?x?xf64>
  %squares = lathe.mul %scaled, %scaled : tensor<?x?x?xf64>
  %distance = lathe.reduce sum %squares dims [2] : tensor<?x?x?xf64>
  %halves = lathe.mul %half, %distance : tensor<f64>, tensor<?x?xf64>
  %sums = lathe.reduce sum %q dims [1] : tensor<?x?xf64>
  %height = lathe.add %alphas, %sums : tensor<?xf64>
  %tops = lathe.broadcast %height dims [0] to [K, N] : tensor<?xf64>
  %terms = lathe.sub %tops, %halves : tensor<?x?xf64>
  %each = lathe.std.logsumexp %terms dims [0] : tensor<?x?xf64>
  %fit = lathe.reduce sum %each dims [0] : tensor<?xf64>

  %weights = lathe.std.logsumexp %alphas : tensor<?xf64>
  %count = lathe.dim_size %x dim 0 : tensor<?x?xf64>
  %size = lathe.dim_size %x dim 1 : tensor<?x?xf64>
  %n = lathe.convert %count to f64 : tensor<i64>
  %d = lathe.convert %size to f64 : tensor<i64>
  %log2pi = lathe.constant dense<1.83787706640934548356> : tensor<f64>
  %hd = lathe.mul %half, %d : tensor<f64>
  %norm = lathe.mul %hd, %log2pi : tensor<f64>
  %per = lathe.add %weights, %norm : tensor<f64>
  %all = lathe.mul %n, %per : tensor<f64>
  %likelihood = lathe.sub %fit, %all : tensor<f64>

  %exp = lathe.exp %q : tensor<?x?xf64>
  %exp2 = lathe.mul %exp, %exp : tensor<?x?xf64>
  %l2 = lathe.mul %l, %l : tensor<?x?xf64>
  %de = lathe.reduce sum %exp2 dims [0, 1] : tensor<?x?xf64>
  %dl = lathe.reduce sum %l2 dims [0, 1] : tensor<?x?xf64>
  %frobenius = lathe.add %de, %dl : tensor<f64>
  %gamma2 = lathe.mul %gamma, %gamma : tensor<f64>
  %hg = lathe.mul %half, %gamma2 : tensor<f64>
  %spread = lathe.mul %hg, %frobenius : tensor<f64>
  %qs = lathe.reduce sum %sums dims [0] : tensor<?xf64>
  %logs = lathe.mul %m, %qs : tensor<f64>
  %shape = lathe.sub %spread, %logs : tensor<f64>
  %c = func.call @constant(%q, %gamma, %m) : (tensor<?x?xf64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  %components = lathe.dim_size %alphas dim 0 : tensor<?xf64>
  %k = lathe.convert %components to f64 : tensor<i64>
  %kc = lathe.mul %k, %c : tensor<f64>
  %prior = lathe.sub %shape, %kc : tensor<f64>
  %posterior = lathe.add %likelihood, %prior : tensor<f64>
  return %posterior : tensor<f64>
}

func.func @objective(%alphas: tensor<?xf64> {lathe.dims = #lathe.dims<K>}, %means: tensor<?x?xf64> {lathe.dims = #lathe.dims<K, D>},
                     %q: tensor<?x?xf64> {lathe.dims = #lathe.dims<K, D>}, %l: tensor<?x?xf64> {lathe.dims = #lathe.dims<K, T>},
                     %x: tensor<?x?xf64> {lathe.dims = #lathe.dims<N, D>}, %gamma: tensor<f64>, %m: tensor<f64>) -> (tensor<f64> {lathe.name = "value"}) {
  %value = func.call @posterior(%alphas, %means, %q, %l, %x, %gamma, %m)
      : (tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %value : tensor<f64>
}

func.func @gradient(%alphas: tensor<?xf64> {lathe.dims = #lathe.dims<K>}, %means: tensor<?x?xf64> {lathe.dims = #lathe.dims<K, D>},
                    %q: tensor<?x?xf64> {lathe.dims = #lathe.dims<K, D>}, %l: tensor<?x?xf64> {lathe.dims = #lathe.dims<K, T>},
                    %x: tensor<?x?xf64> {lathe.dims = #lathe.dims<N, D>}, %gamma: tensor<f64>, %m: tensor<f64>)
    -> (tensor<f64> {lathe.name = "value"}, tensor<?xf64> {lathe.name = "by_alphas"}, tensor<?x?xf64> {lathe.name = "by_means"},
        tensor<?x?xf64> {lathe.name = "by_q"}, tensor<?x?xf64> {lathe.name = "by_l"}) {
  %value, %by_alphas, %by_means, %by_q, %by_l = lathe.value_and_grad @posterior(%alphas, %means, %q, %l, %x, %gamma, %m) wrt [0, 1, 2, 3]
      : (tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<f64>, tensor<f64>)
      -> (tensor<f64>, tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>)
  return %value, %by_alphas, %by_means, %by_q, %by_l : tensor<f64>, tensor<?xf64>, tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>
}
