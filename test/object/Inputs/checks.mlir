// A step of gradient descent whose rate is too large, and reads at places that are given.
func.func private @cost(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<f32> {
  %p = lathe.mul %w, %x : tensor<4xf32>
  %e = lathe.exp %p : tensor<4xf32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %l = lathe.log %e : tensor<4xf32>
  %q = lathe.mul %l, %e : tensor<4xf32>
  %cost = lathe.reduce sum %q dims [0] : tensor<4xf32>
  return %cost : tensor<f32>
}
func.func @train(%w: tensor<4xf32>, %x: tensor<4xf32>, %rate: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %next, %cost = lathe.scan carry(%w1 = %w : tensor<4xf32>) trip 5 -> (tensor<4xf32>, tensor<5xf32>) {
    %c, %slope = lathe.value_and_grad @cost(%w1, %x) wrt [0] : (tensor<4xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
    %change = lathe.mul %slope, %rate : tensor<4xf32>, tensor<f32>
    %w2 = lathe.sub %w1, %change : tensor<4xf32>
    lathe.yield carry(%w2 : tensor<4xf32>) collect(%c : tensor<f32>)
  }
  %last = lathe.reduce max %cost dims [0] : tensor<5xf32>
  return %next, %last : tensor<4xf32>, tensor<f32>
}
func.func @halves(%x: tensor<2x3xf16>, %y: tensor<2x3xbf16>) -> (tensor<2x3xf16>, tensor<2x3xbf16>) {
  %a = lathe.mul %x, %x : tensor<2x3xf16>
  %b = lathe.sqrt %y : tensor<2x3xbf16>
  return %a, %b : tensor<2x3xf16>, tensor<2x3xbf16>
}
func.func @masked(%x: tensor<4xf64>, %keep: tensor<4xi1>) -> tensor<4xf64> {
  %none = lathe.constant dense<0xFFF0000000000000> : tensor<f64>
  %scores = lathe.select %keep, %x, %none : tensor<4xi1>, tensor<4xf64>, tensor<f64>
  %p = lathe.std.softmax %scores dim 0 : tensor<4xf64>
  return %p : tensor<4xf64>
}
func.func @places(%table: tensor<?x2xf32> {lathe.dims = #lathe.dims<N>}, %i: tensor<3xi32>, %at: tensor<i64>, %up: tensor<2x2xf32>)
    -> (tensor<3x2xf32>, tensor<2x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %zero = lathe.constant dense<0> : tensor<i64>
  %rows = lathe.gather %table, %i axis 0 : tensor<?x2xf32>, tensor<3xi32>
  %slice = lathe.dynamic_slice %table [%at, %zero] size [2, 2] : tensor<?x2xf32>, (tensor<i64>, tensor<i64>)
  %filled = lathe.dynamic_update_slice %table, %up [%at, %zero] : tensor<?x2xf32>, tensor<2x2xf32>, (tensor<i64>, tensor<i64>)
  %more = lathe.scatter add %filled, %i, %rows axis 0 : tensor<?x2xf32>, tensor<3xi32>, tensor<3x2xf32>
  return %rows, %slice, %filled, %more : tensor<3x2xf32>, tensor<2x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
func.func @long(%x: tensor<150xf32>, %h: tensor<150xf16>, %d: tensor<150xf64>, %i: tensor<150xi32>, %j: tensor<150xi64>, %t: tensor<5xf32>)
    -> (tensor<150xf32>, tensor<150xf16>, tensor<150xf64>, tensor<150xf32>, tensor<150xf32>) {
  %two = lathe.constant dense<2.0> : tensor<f32>
  %small = lathe.compare lt %x, %two : tensor<150xf32>, tensor<f32>
  lathe.assert %small, "all are small" : tensor<150xi1>
  %a = lathe.sqrt %x : tensor<150xf32>
  %b = lathe.sqrt %h : tensor<150xf16>
  %c = lathe.sqrt %d : tensor<150xf64>
  %e = lathe.gather %t, %i axis 0 : tensor<5xf32>, tensor<150xi32>
  %f = lathe.gather %t, %j axis 0 : tensor<5xf32>, tensor<150xi64>
  return %a, %b, %c, %e, %f : tensor<150xf32>, tensor<150xf16>, tensor<150xf64>, tensor<150xf32>, tensor<150xf32>
}
func.func @steps(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %start = lathe.constant dense<0.0> : tensor<f32>
  %i, %sum = lathe.while carry(%i = %zero : tensor<i32>, %s = %start : tensor<f32>) {
    %go = lathe.compare lt %i, %n : tensor<i32>
    lathe.condition %go : tensor<i1>
  } do {
    %one = lathe.constant dense<1> : tensor<i32>
    %next = lathe.add %i, %one : tensor<i32>
    %l = lathe.log %x : tensor<f32>
    %t = lathe.add %s, %l : tensor<f32>
    lathe.yield carry(%next : tensor<i32>, %t : tensor<f32>)
  }
  return %sum : tensor<f32>
}
