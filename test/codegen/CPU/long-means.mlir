// Sums that other ops are made of keep their digits, in kernels over rows and in kernels of their own: the largest relative error
// against the same computation in f64, of random values and of equal ones (but for the largest, of those that go through exp). With running sums they are off by up to 4e-3 here.
// RUN: lathe-run %s softmax --random --input c=1.1 --dim N=700000 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s logsumexp --random --input c=1.1 --dim N=700000 --expect random=0 --expect equal=0 --atol 2e-7
// RUN: lathe-run %s mean --random --input c=1.1 --dim N=9000 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s norm --random --input c=1.1 --dim N=700000 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s rows_of_images --random --input c=1.1 --dim N=150 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s pooled --random --input c=1.1 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s behind_convolution --random --input c=1.1 --dim N=2 --expect equal=0 --atol 6e-7
// RUN: lathe-run %s bias_gradient --random --input c=1.1 --dim N=40 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s variance --random --input c=1.1 --dim N=700000 --expect random=0 --atol 4e-7
// RUN: lathe-run %s layer_norm --random --input c=1.1 --dim N=70000 --expect random=0 --expect equal=0 --atol 8e-7

func.func private @error_of_softmax(%x: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %single = lathe.std.softmax %x : tensor<2x?xf32>
  %double = lathe.convert %x to f64 : tensor<2x?xf32>
  %exact = lathe.std.softmax %double : tensor<2x?xf64>
  %rounded = lathe.convert %single to f64 : tensor<2x?xf32>
  %off = lathe.sub %rounded, %exact : tensor<2x?xf64>
  %quotient = lathe.div %off, %exact : tensor<2x?xf64>
  %relative = lathe.abs %quotient : tensor<2x?xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<2x?xf64>
  return %worst : tensor<f64>
}
func.func @softmax(%x: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<2x?xf32>
  %tenth = lathe.constant dense<0.1> : tensor<f32>
  %some = lathe.add %size, %tenth : tensor<2x?xf32>, tensor<f32>
  %random = func.call @error_of_softmax(%some) : (tensor<2x?xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<2x?xf32>, tensor<f32>
  %same = lathe.add %zeros, %c : tensor<2x?xf32>, tensor<f32>
  %place = lathe.iota dim 1 to [2, N] : i32
  %none = lathe.constant dense<0> : tensor<i32>
  %is_first = lathe.compare eq %place, %none : tensor<2x?xi32>, tensor<i32>
  %peak = lathe.constant dense<1.45> : tensor<f32>
  %values = lathe.select %is_first, %peak, %same : tensor<2x?xi1>, tensor<f32>, tensor<2x?xf32>
  %equal = func.call @error_of_softmax(%values) : (tensor<2x?xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_logsumexp(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %single = lathe.std.logsumexp %x dims [1] : tensor<3x?xf32>
  %double = lathe.convert %x to f64 : tensor<3x?xf32>
  %exact = lathe.std.logsumexp %double dims [1] : tensor<3x?xf64>
  %rounded = lathe.convert %single to f64 : tensor<3xf32>
  %off = lathe.sub %rounded, %exact : tensor<3xf64>
  %quotient = lathe.div %off, %exact : tensor<3xf64>
  %relative = lathe.abs %quotient : tensor<3xf64>
  %worst = lathe.reduce max %relative dims [0] : tensor<3xf64>
  return %worst : tensor<f64>
}
func.func @logsumexp(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<3x?xf32>
  %tenth = lathe.constant dense<0.1> : tensor<f32>
  %some = lathe.add %size, %tenth : tensor<3x?xf32>, tensor<f32>
  %random = func.call @error_of_logsumexp(%some) : (tensor<3x?xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<3x?xf32>, tensor<f32>
  %same = lathe.add %zeros, %c : tensor<3x?xf32>, tensor<f32>
  %place = lathe.iota dim 1 to [3, N] : i32
  %none = lathe.constant dense<0> : tensor<i32>
  %is_first = lathe.compare eq %place, %none : tensor<3x?xi32>, tensor<i32>
  %peak = lathe.constant dense<1.45> : tensor<f32>
  %values = lathe.select %is_first, %peak, %same : tensor<3x?xi1>, tensor<f32>, tensor<3x?xf32>
  %equal = func.call @error_of_logsumexp(%values) : (tensor<3x?xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_mean(%x: tensor<?x80x3xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %single = lathe.std.mean %x dims [0, 1] : tensor<?x80x3xf32>
  %double = lathe.convert %x to f64 : tensor<?x80x3xf32>
  %exact = lathe.std.mean %double dims [0, 1] : tensor<?x80x3xf64>
  %rounded = lathe.convert %single to f64 : tensor<3xf32>
  %off = lathe.sub %rounded, %exact : tensor<3xf64>
  %quotient = lathe.div %off, %exact : tensor<3xf64>
  %relative = lathe.abs %quotient : tensor<3xf64>
  %worst = lathe.reduce max %relative dims [0] : tensor<3xf64>
  return %worst : tensor<f64>
}
func.func @mean(%x: tensor<?x80x3xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<?x80x3xf32>
  %tenth = lathe.constant dense<0.1> : tensor<f32>
  %some = lathe.add %size, %tenth : tensor<?x80x3xf32>, tensor<f32>
  %random = func.call @error_of_mean(%some) : (tensor<?x80x3xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<?x80x3xf32>, tensor<f32>
  %values = lathe.add %zeros, %c : tensor<?x80x3xf32>, tensor<f32>
  %equal = func.call @error_of_mean(%values) : (tensor<?x80x3xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_norm(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %single = lathe.std.rms_norm %x : tensor<3x?xf32>
  %double = lathe.convert %x to f64 : tensor<3x?xf32>
  %exact = lathe.std.rms_norm %double : tensor<3x?xf64>
  %rounded = lathe.convert %single to f64 : tensor<3x?xf32>
  %off = lathe.sub %rounded, %exact : tensor<3x?xf64>
  %quotient = lathe.div %off, %exact : tensor<3x?xf64>
  %relative = lathe.abs %quotient : tensor<3x?xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<3x?xf64>
  return %worst : tensor<f64>
}
func.func @norm(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<3x?xf32>
  %tenth = lathe.constant dense<0.1> : tensor<f32>
  %some = lathe.add %size, %tenth : tensor<3x?xf32>, tensor<f32>
  %random = func.call @error_of_norm(%some) : (tensor<3x?xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<3x?xf32>, tensor<f32>
  %values = lathe.add %zeros, %c : tensor<3x?xf32>, tensor<f32>
  %equal = func.call @error_of_norm(%values) : (tensor<3x?xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_rows_of_images(%x: tensor<2x?x90x50xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %single = lathe.std.l2_normalize %x dims [1, 2, 3] : tensor<2x?x90x50xf32>
  %double = lathe.convert %x to f64 : tensor<2x?x90x50xf32>
  %exact = lathe.std.l2_normalize %double dims [1, 2, 3] : tensor<2x?x90x50xf64>
  %rounded = lathe.convert %single to f64 : tensor<2x?x90x50xf32>
  %off = lathe.sub %rounded, %exact : tensor<2x?x90x50xf64>
  %quotient = lathe.div %off, %exact : tensor<2x?x90x50xf64>
  %relative = lathe.abs %quotient : tensor<2x?x90x50xf64>
  %worst = lathe.reduce max %relative dims [0, 1, 2, 3] : tensor<2x?x90x50xf64>
  return %worst : tensor<f64>
}
func.func @rows_of_images(%x: tensor<2x?x90x50xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<2x?x90x50xf32>
  %tenth = lathe.constant dense<0.1> : tensor<f32>
  %some = lathe.add %size, %tenth : tensor<2x?x90x50xf32>, tensor<f32>
  %random = func.call @error_of_rows_of_images(%some) : (tensor<2x?x90x50xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<2x?x90x50xf32>, tensor<f32>
  %values = lathe.add %zeros, %c : tensor<2x?x90x50xf32>, tensor<f32>
  %equal = func.call @error_of_rows_of_images(%values) : (tensor<2x?x90x50xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_pooled(%x: tensor<1x270x250x4xf32>) -> tensor<f64> {
  %single = lathe.std.average_pool %x window [240, 240] stride [10, 10] : tensor<1x270x250x4xf32>
  %double = lathe.convert %x to f64 : tensor<1x270x250x4xf32>
  %exact = lathe.std.average_pool %double window [240, 240] stride [10, 10] : tensor<1x270x250x4xf64>
  %rounded = lathe.convert %single to f64 : tensor<1x4x2x4xf32>
  %off = lathe.sub %rounded, %exact : tensor<1x4x2x4xf64>
  %quotient = lathe.div %off, %exact : tensor<1x4x2x4xf64>
  %relative = lathe.abs %quotient : tensor<1x4x2x4xf64>
  %worst = lathe.reduce max %relative dims [0, 1, 2, 3] : tensor<1x4x2x4xf64>
  return %worst : tensor<f64>
}
func.func @pooled(%x: tensor<1x270x250x4xf32>, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<1x270x250x4xf32>
  %tenth = lathe.constant dense<0.1> : tensor<f32>
  %some = lathe.add %size, %tenth : tensor<1x270x250x4xf32>, tensor<f32>
  %random = func.call @error_of_pooled(%some) : (tensor<1x270x250x4xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<1x270x250x4xf32>, tensor<f32>
  %values = lathe.add %zeros, %c : tensor<1x270x250x4xf32>, tensor<f32>
  %equal = func.call @error_of_pooled(%values) : (tensor<1x270x250x4xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

// A convolution, a rectifier and the mean of the image.
func.func @behind_convolution(%x: tensor<?x300x301x3xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<1x1x3x8xf32>, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "equal"}) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<?x300x301x3xf32>, tensor<f32>
  %page = lathe.add %zx, %c : tensor<?x300x301x3xf32>, tensor<f32>
  %size = lathe.abs %w : tensor<1x1x3x8xf32>
  %maps = lathe.conv %page, %size stride [1, 1] pad same : tensor<?x300x301x3xf32>, tensor<1x1x3x8xf32>
  %rectified = lathe.std.relu %maps : tensor<?x300x301x8xf32>
  %sum = lathe.reduce sum %rectified dims [1, 2] : tensor<?x300x301x8xf32>
  %double = lathe.convert %rectified to f64 : tensor<?x300x301x8xf32>
  %exact = lathe.reduce sum %double dims [1, 2] : tensor<?x300x301x8xf64>
  %rounded = lathe.convert %sum to f64 : tensor<?x8xf32>
  %off = lathe.sub %rounded, %exact : tensor<?x8xf64>
  %quotient = lathe.div %off, %exact : tensor<?x8xf64>
  %relative = lathe.abs %quotient : tensor<?x8xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<?x8xf64>
  return %worst : tensor<f64>
}

// The cotangent of a bias is the sum of those of all it is added to.
func.func private @biased(%bias: tensor<7xf32>, %x: tensor<?x90x90x7xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x90x90x7xf32> {
  %y = lathe.add %x, %bias : tensor<?x90x90x7xf32>, tensor<7xf32>
  return %y : tensor<?x90x90x7xf32>
}
func.func @bias_gradient(%x: tensor<?x90x90x7xf32> {lathe.dims = #lathe.dims<N>}, %bias: tensor<7xf32>, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "equal"}) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<?x90x90x7xf32>, tensor<f32>
  %dy = lathe.add %zx, %c : tensor<?x90x90x7xf32>, tensor<f32>
  %y, %gradient = lathe.vjp @biased(%bias, %x) cotangents(%dy) wrt [0]
    : (tensor<7xf32>, tensor<?x90x90x7xf32>), (tensor<?x90x90x7xf32>) -> (tensor<?x90x90x7xf32>, tensor<7xf32>)
  %double = lathe.convert %dy to f64 : tensor<?x90x90x7xf32>
  %exact = lathe.reduce sum %double dims [0, 1, 2] : tensor<?x90x90x7xf64>
  %rounded = lathe.convert %gradient to f64 : tensor<7xf32>
  %off = lathe.sub %rounded, %exact : tensor<7xf64>
  %quotient = lathe.div %off, %exact : tensor<7xf64>
  %relative = lathe.abs %quotient : tensor<7xf64>
  %worst = lathe.reduce max %relative dims [0] : tensor<7xf64>
  return %worst : tensor<f64>
}

// The square of the distance from the mean, of values that are large beside it.
func.func @variance(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}) {
  %values = lathe.add %x, %c : tensor<3x?xf32>, tensor<f32>
  %single = lathe.std.variance %values dims [1] : tensor<3x?xf32>
  %double = lathe.convert %values to f64 : tensor<3x?xf32>
  %exact = lathe.std.variance %double dims [1] : tensor<3x?xf64>
  %rounded = lathe.convert %single to f64 : tensor<3xf32>
  %off = lathe.sub %rounded, %exact : tensor<3xf64>
  %quotient = lathe.div %off, %exact : tensor<3xf64>
  %relative = lathe.abs %quotient : tensor<3xf64>
  %worst = lathe.reduce max %relative dims [0] : tensor<3xf64>
  return %worst : tensor<f64>
}

// Values around 1.275, 0.175 away from it: an error of the mean counts seven times.
func.func private @error_of_layer_norm(%x: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %single = lathe.std.layer_norm %x : tensor<2x?xf32>
  %double = lathe.convert %x to f64 : tensor<2x?xf32>
  %exact = lathe.std.layer_norm %double : tensor<2x?xf64>
  %rounded = lathe.convert %single to f64 : tensor<2x?xf32>
  %off = lathe.sub %rounded, %exact : tensor<2x?xf64>
  %distance = lathe.abs %off : tensor<2x?xf64>
  %worst = lathe.reduce max %distance dims [0, 1] : tensor<2x?xf64>
  %size = lathe.abs %exact : tensor<2x?xf64>
  %largest = lathe.reduce max %size dims [0, 1] : tensor<2x?xf64>
  %relative = lathe.div %worst, %largest : tensor<f64>
  return %relative : tensor<f64>
}
func.func @layer_norm(%x: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<2x?xf32>
  %tenth = lathe.constant dense<0.1> : tensor<f32>
  %some = lathe.add %size, %tenth : tensor<2x?xf32>, tensor<f32>
  %random = func.call @error_of_layer_norm(%some) : (tensor<2x?xf32>) -> tensor<f64>
  %place = lathe.iota dim 1 to [2, N] : i32
  %one = lathe.constant dense<1> : tensor<i32>
  %odd = lathe.and %place, %one : tensor<2x?xi32>, tensor<i32>
  %is_odd = lathe.compare eq %odd, %one : tensor<2x?xi32>, tensor<i32>
  %other = lathe.constant dense<1.45> : tensor<f32>
  %values = lathe.select %is_odd, %c, %other : tensor<2x?xi1>, tensor<f32>, tensor<f32>
  %equal = func.call @error_of_layer_norm(%values) : (tensor<2x?xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}
