func.func @swing(%x: tensor<4xf64>, %s: tensor<f64>) -> (tensor<4xf64>, tensor<f64>) {
  %v, %t = lathe.scan carry(%h = %x : tensor<4xf64>, %g = %s : tensor<f64>) trip 7 -> (tensor<4xf64>, tensor<f64>) {
    %grown = lathe.add %g, %s : tensor<f64>
    %next = lathe.div %h, %grown : tensor<4xf64>, tensor<f64>
    lathe.yield carry(%next : tensor<4xf64>, %grown : tensor<f64>)
  }
  return %v, %t : tensor<4xf64>, tensor<f64>
}
