// S steps of the Runge-Kutta method of order four for y_0' = x_0, y_i' = x_i y_(i-1), y(0) = 0; the gradient of the last component
// at the end by x.

func.func private @flow(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %one = lathe.constant dense<1.0> : tensor<1xf64>
  %before = lathe.slice %y from [0] to [N - 1] : tensor<?xf64>
  %driven = lathe.concatenate %one, %before dim 0 : tensor<1xf64>, tensor<?xf64>
  %slope = lathe.mul %x, %driven : tensor<?xf64>
  return %slope : tensor<?xf64>
}

func.func private @at_end(%x: tensor<?xf64>, %lengths: tensor<?xf64>) -> tensor<f64> {
  %two = lathe.constant dense<2.0> : tensor<f64>
  %half = lathe.constant dense<0.5> : tensor<f64>
  %six = lathe.constant dense<6.0> : tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f64>
  %start = lathe.broadcast %zero dims [] to [N] : tensor<f64>
  %end = lathe.scan carry(%y = %start : tensor<?xf64>) over(%h = %lengths : tensor<?xf64>) -> tensor<?xf64> {
    %h2 = lathe.mul %h, %half : tensor<f64>
    %h6 = lathe.div %h, %six : tensor<f64>
    %k1 = func.call @flow(%x, %y) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %d1 = lathe.mul %k1, %h2 : tensor<?xf64>, tensor<f64>
    %y1 = lathe.add %y, %d1 : tensor<?xf64>
    %k2 = func.call @flow(%x, %y1) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %d2 = lathe.mul %k2, %h2 : tensor<?xf64>, tensor<f64>
    %y2 = lathe.add %y, %d2 : tensor<?xf64>
    %k3 = func.call @flow(%x, %y2) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %d3 = lathe.mul %k3, %h : tensor<?xf64>, tensor<f64>
    %y3 = lathe.add %y, %d3 : tensor<?xf64>
    %k4 = func.call @flow(%x, %y3) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %k23 = lathe.add %k2, %k3 : tensor<?xf64>
    %twice = lathe.mul %k23, %two : tensor<?xf64>, tensor<f64>
    %k14 = lathe.add %k1, %k4 : tensor<?xf64>
    %k = lathe.add %k14, %twice : tensor<?xf64>
    %d = lathe.mul %k, %h6 : tensor<?xf64>, tensor<f64>
    %next = lathe.add %y, %d : tensor<?xf64>
    lathe.yield carry(%next : tensor<?xf64>)
  }
  %last = lathe.slice %end from [N - 1] to [N] : tensor<?xf64>
  %value = lathe.reshape %last to [] : tensor<1xf64>
  return %value : tensor<f64>
}

func.func @derivative(%x: tensor<?xf64> {lathe.dims = #lathe.dims<N>}, %lengths: tensor<?xf64> {lathe.dims = #lathe.dims<S>}) -> (tensor<?xf64> {lathe.name = "by_x"}) {
  %value, %by_x = lathe.value_and_grad @at_end(%x, %lengths) wrt [0] : (tensor<?xf64>, tensor<?xf64>) -> (tensor<f64>, tensor<?xf64>)
  return %by_x : tensor<?xf64>
}
