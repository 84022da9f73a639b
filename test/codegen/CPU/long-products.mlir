// Products over a long depth, convolutions with many taps and the gradients of their filters keep their digits: the largest relative
// error against sums in f64, of random factors, and of equal ones, whose rounding errors all point one way. One running sum is off
// by 4e-6 to 1e-3 here.
// RUN: lathe-run %s rows --random --input c=1.1 --dim M=70 --dim K=9000 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s rows --random --input c=1.1 --dim M=3 --dim K=70000 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s rows --random --input c=1.1 --dim M=33 --dim K=9000 --target x86-64-v3 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s rows --random --input c=1.1 --dim M=2 --dim K=9000 --target x86-64-v2 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s columns --random --input c=1.1 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s turned --random --input c=1.1 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s vector --random --input c=1.1 --dim K=200000 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s inner --random --input c=1.1 --dim K=5000 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s several --random --input c=1.1 --dim K=20000 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s taps --random --input c=1.1 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s taps_of_named --random --input c=1.1 --dim H=4 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s filter --random --input c=1.1 --dim N=9 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s filter_of_wide --random --input c=1.1 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s depthwise_filter --random --input c=1.1 --dim N=9 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s depthwise_filter_of_wide --random --input c=1.1 --expect random=0 --expect equal=0 --atol 2e-6
// RUN: lathe-run %s depthwise_taps --random --input c=1.1 --expect random=0 --expect equal=0 --atol 2e-6

func.func private @error_of_rows(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<M, K>}, %y: tensor<?x70xf32> {lathe.dims = #lathe.dims<K>}) -> tensor<f64> {
  %single = lathe.dot_general %x, %y contract [1] x [0] : tensor<?x?xf32>, tensor<?x70xf32>
  %dx = lathe.convert %x to f64 : tensor<?x?xf32>
  %dy = lathe.convert %y to f64 : tensor<?x70xf32>
  %exact = lathe.dot_general %dx, %dy contract [1] x [0] : tensor<?x?xf64>, tensor<?x70xf64>
  %rounded = lathe.convert %single to f64 : tensor<?x70xf32>
  %off = lathe.sub %rounded, %exact : tensor<?x70xf64>
  %quotient = lathe.div %off, %exact : tensor<?x70xf64>
  %relative = lathe.abs %quotient : tensor<?x70xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<?x70xf64>
  return %worst : tensor<f64>
}
func.func @rows(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<M, K>}, %y: tensor<?x70xf32> {lathe.dims = #lathe.dims<K>}, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<?x?xf32>
  %py = lathe.abs %y : tensor<?x70xf32>
  %random = func.call @error_of_rows(%px, %py) : (tensor<?x?xf32>, tensor<?x70xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<?x?xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<?x70xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<?x?xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<?x70xf32>, tensor<f32>
  %equal = func.call @error_of_rows(%ex, %ey) : (tensor<?x?xf32>, tensor<?x70xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_columns(%x: tensor<30000x40xf32>, %y: tensor<30000x72xf32>) -> tensor<f64> {
  %single = lathe.dot_general %x, %y contract [0] x [0] : tensor<30000x40xf32>, tensor<30000x72xf32>
  %dx = lathe.convert %x to f64 : tensor<30000x40xf32>
  %dy = lathe.convert %y to f64 : tensor<30000x72xf32>
  %exact = lathe.dot_general %dx, %dy contract [0] x [0] : tensor<30000x40xf64>, tensor<30000x72xf64>
  %rounded = lathe.convert %single to f64 : tensor<40x72xf32>
  %off = lathe.sub %rounded, %exact : tensor<40x72xf64>
  %quotient = lathe.div %off, %exact : tensor<40x72xf64>
  %relative = lathe.abs %quotient : tensor<40x72xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<40x72xf64>
  return %worst : tensor<f64>
}
func.func @columns(%x: tensor<30000x40xf32>, %y: tensor<30000x72xf32>, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<30000x40xf32>
  %py = lathe.abs %y : tensor<30000x72xf32>
  %random = func.call @error_of_columns(%px, %py) : (tensor<30000x40xf32>, tensor<30000x72xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<30000x40xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<30000x72xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<30000x40xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<30000x72xf32>, tensor<f32>
  %equal = func.call @error_of_columns(%ex, %ey) : (tensor<30000x40xf32>, tensor<30000x72xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_turned(%x: tensor<9x30000xf32>, %y: tensor<20x30000xf32>) -> tensor<f64> {
  %single = lathe.dot_general %x, %y contract [1] x [1] : tensor<9x30000xf32>, tensor<20x30000xf32>
  %dx = lathe.convert %x to f64 : tensor<9x30000xf32>
  %dy = lathe.convert %y to f64 : tensor<20x30000xf32>
  %exact = lathe.dot_general %dx, %dy contract [1] x [1] : tensor<9x30000xf64>, tensor<20x30000xf64>
  %rounded = lathe.convert %single to f64 : tensor<9x20xf32>
  %off = lathe.sub %rounded, %exact : tensor<9x20xf64>
  %quotient = lathe.div %off, %exact : tensor<9x20xf64>
  %relative = lathe.abs %quotient : tensor<9x20xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<9x20xf64>
  return %worst : tensor<f64>
}
func.func @turned(%x: tensor<9x30000xf32>, %y: tensor<20x30000xf32>, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<9x30000xf32>
  %py = lathe.abs %y : tensor<20x30000xf32>
  %random = func.call @error_of_turned(%px, %py) : (tensor<9x30000xf32>, tensor<20x30000xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<9x30000xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<20x30000xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<9x30000xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<20x30000xf32>, tensor<f32>
  %equal = func.call @error_of_turned(%ex, %ey) : (tensor<9x30000xf32>, tensor<20x30000xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_vector(%x: tensor<9x?xf32> {lathe.dims = #lathe.dims<K>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<K>}) -> tensor<f64> {
  %single = lathe.dot_general %x, %y contract [1] x [0] : tensor<9x?xf32>, tensor<?xf32>
  %dx = lathe.convert %x to f64 : tensor<9x?xf32>
  %dy = lathe.convert %y to f64 : tensor<?xf32>
  %exact = lathe.dot_general %dx, %dy contract [1] x [0] : tensor<9x?xf64>, tensor<?xf64>
  %rounded = lathe.convert %single to f64 : tensor<9xf32>
  %off = lathe.sub %rounded, %exact : tensor<9xf64>
  %quotient = lathe.div %off, %exact : tensor<9xf64>
  %relative = lathe.abs %quotient : tensor<9xf64>
  %worst = lathe.reduce max %relative dims [0] : tensor<9xf64>
  return %worst : tensor<f64>
}
func.func @vector(%x: tensor<9x?xf32> {lathe.dims = #lathe.dims<K>}, %y: tensor<?xf32> {lathe.dims = #lathe.dims<K>}, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<9x?xf32>
  %py = lathe.abs %y : tensor<?xf32>
  %random = func.call @error_of_vector(%px, %py) : (tensor<9x?xf32>, tensor<?xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<9x?xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<?xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<9x?xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<?xf32>, tensor<f32>
  %equal = func.call @error_of_vector(%ex, %ey) : (tensor<9x?xf32>, tensor<?xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_inner(%x: tensor<?x100xf32> {lathe.dims = #lathe.dims<K>}, %y: tensor<?x100xf32> {lathe.dims = #lathe.dims<K>}) -> tensor<f64> {
  %single = lathe.dot_general %x, %y contract [0, 1] x [0, 1] : tensor<?x100xf32>, tensor<?x100xf32>
  %dx = lathe.convert %x to f64 : tensor<?x100xf32>
  %dy = lathe.convert %y to f64 : tensor<?x100xf32>
  %exact = lathe.dot_general %dx, %dy contract [0, 1] x [0, 1] : tensor<?x100xf64>, tensor<?x100xf64>
  %rounded = lathe.convert %single to f64 : tensor<f32>
  %off = lathe.sub %rounded, %exact : tensor<f64>
  %quotient = lathe.div %off, %exact : tensor<f64>
  %relative = lathe.abs %quotient : tensor<f64>
  return %relative : tensor<f64>
}
func.func @inner(%x: tensor<?x100xf32> {lathe.dims = #lathe.dims<K>}, %y: tensor<?x100xf32> {lathe.dims = #lathe.dims<K>}, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<?x100xf32>
  %py = lathe.abs %y : tensor<?x100xf32>
  %random = func.call @error_of_inner(%px, %py) : (tensor<?x100xf32>, tensor<?x100xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<?x100xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<?x100xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<?x100xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<?x100xf32>, tensor<f32>
  %equal = func.call @error_of_inner(%ex, %ey) : (tensor<?x100xf32>, tensor<?x100xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_several(%x: tensor<5x?x3xf32> {lathe.dims = #lathe.dims<K>}, %y: tensor<?x3x8xf32> {lathe.dims = #lathe.dims<K>}) -> tensor<f64> {
  %single = lathe.dot_general %x, %y contract [1, 2] x [0, 1] : tensor<5x?x3xf32>, tensor<?x3x8xf32>
  %dx = lathe.convert %x to f64 : tensor<5x?x3xf32>
  %dy = lathe.convert %y to f64 : tensor<?x3x8xf32>
  %exact = lathe.dot_general %dx, %dy contract [1, 2] x [0, 1] : tensor<5x?x3xf64>, tensor<?x3x8xf64>
  %rounded = lathe.convert %single to f64 : tensor<5x8xf32>
  %off = lathe.sub %rounded, %exact : tensor<5x8xf64>
  %quotient = lathe.div %off, %exact : tensor<5x8xf64>
  %relative = lathe.abs %quotient : tensor<5x8xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<5x8xf64>
  return %worst : tensor<f64>
}
func.func @several(%x: tensor<5x?x3xf32> {lathe.dims = #lathe.dims<K>}, %y: tensor<?x3x8xf32> {lathe.dims = #lathe.dims<K>}, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<5x?x3xf32>
  %py = lathe.abs %y : tensor<?x3x8xf32>
  %random = func.call @error_of_several(%px, %py) : (tensor<5x?x3xf32>, tensor<?x3x8xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<5x?x3xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<?x3x8xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<5x?x3xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<?x3x8xf32>, tensor<f32>
  %equal = func.call @error_of_several(%ex, %ey) : (tensor<5x?x3xf32>, tensor<?x3x8xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_taps(%x: tensor<2x9x9x512xf32>, %y: tensor<7x7x512x8xf32>) -> tensor<f64> {
  %single = lathe.conv %x, %y stride [1, 1] pad [[0, 0], [0, 0]] : tensor<2x9x9x512xf32>, tensor<7x7x512x8xf32>
  %dx = lathe.convert %x to f64 : tensor<2x9x9x512xf32>
  %dy = lathe.convert %y to f64 : tensor<7x7x512x8xf32>
  %exact = lathe.conv %dx, %dy stride [1, 1] pad [[0, 0], [0, 0]] : tensor<2x9x9x512xf64>, tensor<7x7x512x8xf64>
  %rounded = lathe.convert %single to f64 : tensor<2x3x3x8xf32>
  %off = lathe.sub %rounded, %exact : tensor<2x3x3x8xf64>
  %quotient = lathe.div %off, %exact : tensor<2x3x3x8xf64>
  %relative = lathe.abs %quotient : tensor<2x3x3x8xf64>
  %worst = lathe.reduce max %relative dims [0, 1, 2, 3] : tensor<2x3x3x8xf64>
  return %worst : tensor<f64>
}
func.func @taps(%x: tensor<2x9x9x512xf32>, %y: tensor<7x7x512x8xf32>, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<2x9x9x512xf32>
  %py = lathe.abs %y : tensor<7x7x512x8xf32>
  %random = func.call @error_of_taps(%px, %py) : (tensor<2x9x9x512xf32>, tensor<7x7x512x8xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<2x9x9x512xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<7x7x512x8xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<2x9x9x512xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<7x7x512x8xf32>, tensor<f32>
  %equal = func.call @error_of_taps(%ex, %ey) : (tensor<2x9x9x512xf32>, tensor<7x7x512x8xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_taps_of_named(%x: tensor<5x?x9x512xf32> {lathe.dims = #lathe.dims<H>}, %y: tensor<7x7x512x8xf32>) -> tensor<f64> {
  %single = lathe.conv %x, %y stride [1, 1] pad [[3, 3], [0, 0]] : tensor<5x?x9x512xf32>, tensor<7x7x512x8xf32>
  %dx = lathe.convert %x to f64 : tensor<5x?x9x512xf32>
  %dy = lathe.convert %y to f64 : tensor<7x7x512x8xf32>
  %exact = lathe.conv %dx, %dy stride [1, 1] pad [[3, 3], [0, 0]] : tensor<5x?x9x512xf64>, tensor<7x7x512x8xf64>
  %rounded = lathe.convert %single to f64 : tensor<5x?x3x8xf32>
  %off = lathe.sub %rounded, %exact : tensor<5x?x3x8xf64>
  %quotient = lathe.div %off, %exact : tensor<5x?x3x8xf64>
  %relative = lathe.abs %quotient : tensor<5x?x3x8xf64>
  %worst = lathe.reduce max %relative dims [0, 1, 2, 3] : tensor<5x?x3x8xf64>
  return %worst : tensor<f64>
}
func.func @taps_of_named(%x: tensor<5x?x9x512xf32> {lathe.dims = #lathe.dims<H>}, %y: tensor<7x7x512x8xf32>, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<5x?x9x512xf32>
  %py = lathe.abs %y : tensor<7x7x512x8xf32>
  %random = func.call @error_of_taps_of_named(%px, %py) : (tensor<5x?x9x512xf32>, tensor<7x7x512x8xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<5x?x9x512xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<7x7x512x8xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<5x?x9x512xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<7x7x512x8xf32>, tensor<f32>
  %equal = func.call @error_of_taps_of_named(%ex, %ey) : (tensor<5x?x9x512xf32>, tensor<7x7x512x8xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_filter(%x: tensor<?x80x70x5xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x80x70x20xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %single = lathe.conv_filter_grad %x, %y filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x80x70x5xf32>, tensor<?x80x70x20xf32>
  %dx = lathe.convert %x to f64 : tensor<?x80x70x5xf32>
  %dy = lathe.convert %y to f64 : tensor<?x80x70x20xf32>
  %exact = lathe.conv_filter_grad %dx, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<?x80x70x5xf64>, tensor<?x80x70x20xf64>
  %rounded = lathe.convert %single to f64 : tensor<3x3x5x20xf32>
  %off = lathe.sub %rounded, %exact : tensor<3x3x5x20xf64>
  %quotient = lathe.div %off, %exact : tensor<3x3x5x20xf64>
  %relative = lathe.abs %quotient : tensor<3x3x5x20xf64>
  %worst = lathe.reduce max %relative dims [0, 1, 2, 3] : tensor<3x3x5x20xf64>
  return %worst : tensor<f64>
}
func.func @filter(%x: tensor<?x80x70x5xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x80x70x20xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<?x80x70x5xf32>
  %py = lathe.abs %y : tensor<?x80x70x20xf32>
  %random = func.call @error_of_filter(%px, %py) : (tensor<?x80x70x5xf32>, tensor<?x80x70x20xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<?x80x70x5xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<?x80x70x20xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<?x80x70x5xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<?x80x70x20xf32>, tensor<f32>
  %equal = func.call @error_of_filter(%ex, %ey) : (tensor<?x80x70x5xf32>, tensor<?x80x70x20xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_filter_of_wide(%x: tensor<2x20x900x5xf32>, %y: tensor<2x20x900x20xf32>) -> tensor<f64> {
  %single = lathe.conv_filter_grad %x, %y filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x20x900x5xf32>, tensor<2x20x900x20xf32>
  %dx = lathe.convert %x to f64 : tensor<2x20x900x5xf32>
  %dy = lathe.convert %y to f64 : tensor<2x20x900x20xf32>
  %exact = lathe.conv_filter_grad %dx, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x20x900x5xf64>, tensor<2x20x900x20xf64>
  %rounded = lathe.convert %single to f64 : tensor<3x3x5x20xf32>
  %off = lathe.sub %rounded, %exact : tensor<3x3x5x20xf64>
  %quotient = lathe.div %off, %exact : tensor<3x3x5x20xf64>
  %relative = lathe.abs %quotient : tensor<3x3x5x20xf64>
  %worst = lathe.reduce max %relative dims [0, 1, 2, 3] : tensor<3x3x5x20xf64>
  return %worst : tensor<f64>
}
func.func @filter_of_wide(%x: tensor<2x20x900x5xf32>, %y: tensor<2x20x900x20xf32>, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<2x20x900x5xf32>
  %py = lathe.abs %y : tensor<2x20x900x20xf32>
  %random = func.call @error_of_filter_of_wide(%px, %py) : (tensor<2x20x900x5xf32>, tensor<2x20x900x20xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<2x20x900x5xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<2x20x900x20xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<2x20x900x5xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<2x20x900x20xf32>, tensor<f32>
  %equal = func.call @error_of_filter_of_wide(%ex, %ey) : (tensor<2x20x900x5xf32>, tensor<2x20x900x20xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_depthwise_filter(%x: tensor<?x80x70x20xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x80x70x20xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %single = lathe.conv_filter_grad %x, %y filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 20 : tensor<?x80x70x20xf32>, tensor<?x80x70x20xf32>
  %dx = lathe.convert %x to f64 : tensor<?x80x70x20xf32>
  %dy = lathe.convert %y to f64 : tensor<?x80x70x20xf32>
  %exact = lathe.conv_filter_grad %dx, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 20 : tensor<?x80x70x20xf64>, tensor<?x80x70x20xf64>
  %rounded = lathe.convert %single to f64 : tensor<3x3x1x20xf32>
  %off = lathe.sub %rounded, %exact : tensor<3x3x1x20xf64>
  %quotient = lathe.div %off, %exact : tensor<3x3x1x20xf64>
  %relative = lathe.abs %quotient : tensor<3x3x1x20xf64>
  %worst = lathe.reduce max %relative dims [0, 1, 2, 3] : tensor<3x3x1x20xf64>
  return %worst : tensor<f64>
}
func.func @depthwise_filter(%x: tensor<?x80x70x20xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x80x70x20xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<?x80x70x20xf32>
  %py = lathe.abs %y : tensor<?x80x70x20xf32>
  %random = func.call @error_of_depthwise_filter(%px, %py) : (tensor<?x80x70x20xf32>, tensor<?x80x70x20xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<?x80x70x20xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<?x80x70x20xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<?x80x70x20xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<?x80x70x20xf32>, tensor<f32>
  %equal = func.call @error_of_depthwise_filter(%ex, %ey) : (tensor<?x80x70x20xf32>, tensor<?x80x70x20xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_depthwise_filter_of_wide(%x: tensor<2x20x900x20xf32>, %y: tensor<2x20x900x20xf32>) -> tensor<f64> {
  %single = lathe.conv_filter_grad %x, %y filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 20 : tensor<2x20x900x20xf32>, tensor<2x20x900x20xf32>
  %dx = lathe.convert %x to f64 : tensor<2x20x900x20xf32>
  %dy = lathe.convert %y to f64 : tensor<2x20x900x20xf32>
  %exact = lathe.conv_filter_grad %dx, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] groups 20 : tensor<2x20x900x20xf64>, tensor<2x20x900x20xf64>
  %rounded = lathe.convert %single to f64 : tensor<3x3x1x20xf32>
  %off = lathe.sub %rounded, %exact : tensor<3x3x1x20xf64>
  %quotient = lathe.div %off, %exact : tensor<3x3x1x20xf64>
  %relative = lathe.abs %quotient : tensor<3x3x1x20xf64>
  %worst = lathe.reduce max %relative dims [0, 1, 2, 3] : tensor<3x3x1x20xf64>
  return %worst : tensor<f64>
}
func.func @depthwise_filter_of_wide(%x: tensor<2x20x900x20xf32>, %y: tensor<2x20x900x20xf32>, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<2x20x900x20xf32>
  %py = lathe.abs %y : tensor<2x20x900x20xf32>
  %random = func.call @error_of_depthwise_filter_of_wide(%px, %py) : (tensor<2x20x900x20xf32>, tensor<2x20x900x20xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<2x20x900x20xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<2x20x900x20xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<2x20x900x20xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<2x20x900x20xf32>, tensor<f32>
  %equal = func.call @error_of_depthwise_filter_of_wide(%ex, %ey) : (tensor<2x20x900x20xf32>, tensor<2x20x900x20xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_depthwise_taps(%x: tensor<1x120x120x4xf32>, %y: tensor<90x90x1x4xf32>) -> tensor<f64> {
  %single = lathe.conv %x, %y stride [1, 1] pad [[0, 0], [0, 0]] groups 4 : tensor<1x120x120x4xf32>, tensor<90x90x1x4xf32>
  %dx = lathe.convert %x to f64 : tensor<1x120x120x4xf32>
  %dy = lathe.convert %y to f64 : tensor<90x90x1x4xf32>
  %exact = lathe.conv %dx, %dy stride [1, 1] pad [[0, 0], [0, 0]] groups 4 : tensor<1x120x120x4xf64>, tensor<90x90x1x4xf64>
  %rounded = lathe.convert %single to f64 : tensor<1x31x31x4xf32>
  %off = lathe.sub %rounded, %exact : tensor<1x31x31x4xf64>
  %quotient = lathe.div %off, %exact : tensor<1x31x31x4xf64>
  %relative = lathe.abs %quotient : tensor<1x31x31x4xf64>
  %worst = lathe.reduce max %relative dims [0, 1, 2, 3] : tensor<1x31x31x4xf64>
  return %worst : tensor<f64>
}
func.func @depthwise_taps(%x: tensor<1x120x120x4xf32>, %y: tensor<90x90x1x4xf32>, %c: tensor<f32>)
    -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %px = lathe.abs %x : tensor<1x120x120x4xf32>
  %py = lathe.abs %y : tensor<90x90x1x4xf32>
  %random = func.call @error_of_depthwise_taps(%px, %py) : (tensor<1x120x120x4xf32>, tensor<90x90x1x4xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zx = lathe.mul %x, %zero : tensor<1x120x120x4xf32>, tensor<f32>
  %zy = lathe.mul %y, %zero : tensor<90x90x1x4xf32>, tensor<f32>
  %ex = lathe.add %zx, %c : tensor<1x120x120x4xf32>, tensor<f32>
  %ey = lathe.add %zy, %c : tensor<90x90x1x4xf32>, tensor<f32>
  %equal = func.call @error_of_depthwise_taps(%ex, %ey) : (tensor<1x120x120x4xf32>, tensor<90x90x1x4xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}
