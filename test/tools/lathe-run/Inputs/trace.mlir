func.func private @half(%x: tensor<2xf32>) -> tensor<2xf32> {
  %two = lathe.constant dense<2.0> : tensor<f32>
  %h = lathe.div %x, %two : tensor<2xf32>, tensor<f32>
  return %h : tensor<2xf32>
}
func.func @f(%x: tensor<2xf32>, %n: tensor<i64>) -> (tensor<2xf32>, tensor<3x2xf32>, tensor<i64>) {
  %y = call @half(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %r:2 = lathe.scan carry(%c = %y : tensor<2xf32>) trip 3 reverse -> (tensor<2xf32>, tensor<3x2xf32>) {
    %d = lathe.add %c, %x : tensor<2xf32>
    lathe.yield carry(%d : tensor<2xf32>) collect(%c : tensor<2xf32>)
  }
  %one = lathe.constant dense<1> : tensor<i64>
  %last = lathe.while carry(%i = %n : tensor<i64>) {
    %zero = lathe.constant dense<0> : tensor<i64>
    %go = lathe.compare gt %i, %zero : tensor<i64>
    lathe.condition %go : tensor<i1>
  } do {
    %s = lathe.scan carry(%inner = %i : tensor<i64>) trip 2 -> tensor<i64> {
      %less = lathe.sub %inner, %one : tensor<i64>
      lathe.yield carry(%less : tensor<i64>)
    }
    lathe.yield carry(%s : tensor<i64>)
  }
  return %r#0, %r#1, %last : tensor<2xf32>, tensor<3x2xf32>, tensor<i64>
}
