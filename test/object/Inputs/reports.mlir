// What a run says about itself. Each entry has an op that may be at fault, and others in front of it and behind it.
lathe.variable @count : tensor<f32> init #lathe.zeros

func.func @straight(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %limit: tensor<f32>) -> tensor<?x3xf32> {
  %count = lathe.read @count : tensor<f32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %more = lathe.add %count, %one : tensor<f32>
  lathe.write @count, %more : tensor<f32>
  %y = lathe.mul %x, %x : tensor<?x3xf32>
  %below = lathe.compare lt %y, %limit : tensor<?x3xf32>, tensor<f32>
  lathe.assert %below, "squares stay \"small\"" : tensor<?x3xi1>
  %z = lathe.add %y, %y : tensor<?x3xf32>
  return %z : tensor<?x3xf32>
}

func.func @loops(%x: tensor<4xf32>, %limit: tensor<f32>) -> tensor<4xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %y = lathe.scan carry(%s = %x : tensor<4xf32>) trip 3 -> tensor<4xf32> {
    %large = lathe.reduce max %s dims [0] : tensor<4xf32>
    %positive = lathe.compare gt %large, %zero : tensor<f32>
    %next = lathe.if %positive -> tensor<4xf32> {
      %two = lathe.constant dense<2.0> : tensor<f32>
      %twice = lathe.mul %s, %two : tensor<4xf32>, tensor<f32>
      %below = lathe.compare lt %twice, %limit : tensor<4xf32>, tensor<f32>
      lathe.print %large "largest" : tensor<f32>
      lathe.assert %below, "doubling ends" : tensor<4xi1>
      lathe.yield %twice : tensor<4xf32>
    } else {
      lathe.yield %s : tensor<4xf32>
    }
    lathe.yield carry(%next : tensor<4xf32>)
  }
  lathe.print %y "sum" : tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @cost(%x: tensor<4xf32>, %limit: tensor<f32>) -> tensor<f32> {
  %y = lathe.mul %x, %x : tensor<4xf32>
  %sum = lathe.scan carry(%s = %y : tensor<4xf32>) trip 4 checkpoint every 2 -> tensor<4xf32> {
    %next = lathe.mul %s, %y : tensor<4xf32>
    lathe.print %next "power" : tensor<4xf32>
    %below = lathe.compare lt %next, %limit : tensor<4xf32>, tensor<f32>
    lathe.assert %below, "powers stay small" : tensor<4xi1>
    lathe.yield carry(%next : tensor<4xf32>)
  }
  %cost = lathe.reduce sum %sum dims [0] : tensor<4xf32>
  lathe.print %cost : tensor<f32>
  return %cost : tensor<f32>
}
func.func @slopes(%x: tensor<4xf32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %cost, %slope = lathe.value_and_grad @cost(%x, %limit) wrt [0] : (tensor<4xf32>, tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
  return %cost, %slope : tensor<f32>, tensor<4xf32>
}

func.func private @one(%x: tensor<3xf32>, %limit: tensor<f32>) -> tensor<3xf32> {
  %sum = lathe.reduce sum %x dims [0] : tensor<3xf32>
  %small = lathe.compare lt %sum, %limit : tensor<f32>
  %y = lathe.if %small -> tensor<3xf32> {
    lathe.print %x "small" : tensor<3xf32>
    %z = lathe.neg %x : tensor<3xf32>
    lathe.yield %z : tensor<3xf32>
  } else {
    %zero = lathe.constant dense<0.0> : tensor<f32>
    %positive = lathe.compare ge %x, %zero : tensor<3xf32>, tensor<f32>
    lathe.assert %positive, "large ones are positive" : tensor<3xi1>
    lathe.yield %x : tensor<3xf32>
  }
  return %y : tensor<3xf32>
}
func.func @batch(%x: tensor<4x3xf32>, %limit: tensor<f32>) -> tensor<4x3xf32> {
  %y = lathe.vmap @one(%x, %limit) in [0, none] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
