// Sums of a million terms and more keep their digits, whichever dimensions they go along: the largest relative error against sums
// in f64, of random terms, and of equal terms, whose rounding errors all point one way. One running sum is off by 2e-6 to 1e-2 here.
// RUN: lathe-run %s first --random --input c=1.1 --dim N=300000 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s first_vectors --random --input c=1.1 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s middle --random --input c=1.1 --dim N=40000 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s last --random --input c=1.1 --dim N=700000 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s image --random --input c=1.1 --dim N=300 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s image_narrow --random --input c=1.1 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s all --random --input c=1.1 --dim N=97 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s all_narrow --random --input c=1.1 --expect random=0 --expect equal=0 --atol 4e-7
// RUN: lathe-run %s around --random --input c=1.1 --dim N=31 --expect random=0 --expect equal=0 --atol 4e-7

func.func private @error_of_first(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %sum = lathe.reduce sum %x dims [0] : tensor<?x4xf32>
  %double = lathe.convert %x to f64 : tensor<?x4xf32>
  %exact = lathe.reduce sum %double dims [0] : tensor<?x4xf64>
  %rounded = lathe.convert %sum to f64 : tensor<4xf32>
  %off = lathe.sub %rounded, %exact : tensor<4xf64>
  %quotient = lathe.div %off, %exact : tensor<4xf64>
  %relative = lathe.abs %quotient : tensor<4xf64>
  %worst = lathe.reduce max %relative dims [0] : tensor<4xf64>
  return %worst : tensor<f64>
}
func.func @first(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<?x4xf32>
  %random = func.call @error_of_first(%size) : (tensor<?x4xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<?x4xf32>, tensor<f32>
  %terms = lathe.add %zeros, %c : tensor<?x4xf32>, tensor<f32>
  %equal = func.call @error_of_first(%terms) : (tensor<?x4xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_first_vectors(%x: tensor<30000x80xf32>) -> tensor<f64> {
  %sum = lathe.reduce sum %x dims [0] : tensor<30000x80xf32>
  %double = lathe.convert %x to f64 : tensor<30000x80xf32>
  %exact = lathe.reduce sum %double dims [0] : tensor<30000x80xf64>
  %rounded = lathe.convert %sum to f64 : tensor<80xf32>
  %off = lathe.sub %rounded, %exact : tensor<80xf64>
  %quotient = lathe.div %off, %exact : tensor<80xf64>
  %relative = lathe.abs %quotient : tensor<80xf64>
  %worst = lathe.reduce max %relative dims [0] : tensor<80xf64>
  return %worst : tensor<f64>
}
func.func @first_vectors(%x: tensor<30000x80xf32>, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<30000x80xf32>
  %random = func.call @error_of_first_vectors(%size) : (tensor<30000x80xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<30000x80xf32>, tensor<f32>
  %terms = lathe.add %zeros, %c : tensor<30000x80xf32>, tensor<f32>
  %equal = func.call @error_of_first_vectors(%terms) : (tensor<30000x80xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_middle(%x: tensor<3x?x20xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %sum = lathe.reduce sum %x dims [1] : tensor<3x?x20xf32>
  %double = lathe.convert %x to f64 : tensor<3x?x20xf32>
  %exact = lathe.reduce sum %double dims [1] : tensor<3x?x20xf64>
  %rounded = lathe.convert %sum to f64 : tensor<3x20xf32>
  %off = lathe.sub %rounded, %exact : tensor<3x20xf64>
  %quotient = lathe.div %off, %exact : tensor<3x20xf64>
  %relative = lathe.abs %quotient : tensor<3x20xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<3x20xf64>
  return %worst : tensor<f64>
}
func.func @middle(%x: tensor<3x?x20xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<3x?x20xf32>
  %random = func.call @error_of_middle(%size) : (tensor<3x?x20xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<3x?x20xf32>, tensor<f32>
  %terms = lathe.add %zeros, %c : tensor<3x?x20xf32>, tensor<f32>
  %equal = func.call @error_of_middle(%terms) : (tensor<3x?x20xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_last(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %sum = lathe.reduce sum %x dims [1] : tensor<3x?xf32>
  %double = lathe.convert %x to f64 : tensor<3x?xf32>
  %exact = lathe.reduce sum %double dims [1] : tensor<3x?xf64>
  %rounded = lathe.convert %sum to f64 : tensor<3xf32>
  %off = lathe.sub %rounded, %exact : tensor<3xf64>
  %quotient = lathe.div %off, %exact : tensor<3xf64>
  %relative = lathe.abs %quotient : tensor<3xf64>
  %worst = lathe.reduce max %relative dims [0] : tensor<3xf64>
  return %worst : tensor<f64>
}
func.func @last(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<3x?xf32>
  %random = func.call @error_of_last(%size) : (tensor<3x?xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<3x?xf32>, tensor<f32>
  %terms = lathe.add %zeros, %c : tensor<3x?xf32>, tensor<f32>
  %equal = func.call @error_of_last(%terms) : (tensor<3x?xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_image(%x: tensor<2x?x150x5xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %sum = lathe.reduce sum %x dims [1, 2] : tensor<2x?x150x5xf32>
  %double = lathe.convert %x to f64 : tensor<2x?x150x5xf32>
  %exact = lathe.reduce sum %double dims [1, 2] : tensor<2x?x150x5xf64>
  %rounded = lathe.convert %sum to f64 : tensor<2x5xf32>
  %off = lathe.sub %rounded, %exact : tensor<2x5xf64>
  %quotient = lathe.div %off, %exact : tensor<2x5xf64>
  %relative = lathe.abs %quotient : tensor<2x5xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<2x5xf64>
  return %worst : tensor<f64>
}
func.func @image(%x: tensor<2x?x150x5xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<2x?x150x5xf32>
  %random = func.call @error_of_image(%size) : (tensor<2x?x150x5xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<2x?x150x5xf32>, tensor<f32>
  %terms = lathe.add %zeros, %c : tensor<2x?x150x5xf32>, tensor<f32>
  %equal = func.call @error_of_image(%terms) : (tensor<2x?x150x5xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_image_narrow(%x: tensor<2x40000x7x5xf32>) -> tensor<f64> {
  %sum = lathe.reduce sum %x dims [1, 2] : tensor<2x40000x7x5xf32>
  %double = lathe.convert %x to f64 : tensor<2x40000x7x5xf32>
  %exact = lathe.reduce sum %double dims [1, 2] : tensor<2x40000x7x5xf64>
  %rounded = lathe.convert %sum to f64 : tensor<2x5xf32>
  %off = lathe.sub %rounded, %exact : tensor<2x5xf64>
  %quotient = lathe.div %off, %exact : tensor<2x5xf64>
  %relative = lathe.abs %quotient : tensor<2x5xf64>
  %worst = lathe.reduce max %relative dims [0, 1] : tensor<2x5xf64>
  return %worst : tensor<f64>
}
func.func @image_narrow(%x: tensor<2x40000x7x5xf32>, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<2x40000x7x5xf32>
  %random = func.call @error_of_image_narrow(%size) : (tensor<2x40000x7x5xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<2x40000x7x5xf32>, tensor<f32>
  %terms = lathe.add %zeros, %c : tensor<2x40000x7x5xf32>, tensor<f32>
  %equal = func.call @error_of_image_narrow(%terms) : (tensor<2x40000x7x5xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_all(%x: tensor<?x100x100xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %sum = lathe.reduce sum %x dims [0, 1, 2] : tensor<?x100x100xf32>
  %double = lathe.convert %x to f64 : tensor<?x100x100xf32>
  %exact = lathe.reduce sum %double dims [0, 1, 2] : tensor<?x100x100xf64>
  %rounded = lathe.convert %sum to f64 : tensor<f32>
  %off = lathe.sub %rounded, %exact : tensor<f64>
  %quotient = lathe.div %off, %exact : tensor<f64>
  %relative = lathe.abs %quotient : tensor<f64>
  return %relative : tensor<f64>
}
func.func @all(%x: tensor<?x100x100xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<?x100x100xf32>
  %random = func.call @error_of_all(%size) : (tensor<?x100x100xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<?x100x100xf32>, tensor<f32>
  %terms = lathe.add %zeros, %c : tensor<?x100x100xf32>, tensor<f32>
  %equal = func.call @error_of_all(%terms) : (tensor<?x100x100xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_all_narrow(%x: tensor<100000x10xf32>) -> tensor<f64> {
  %sum = lathe.reduce sum %x dims [0, 1] : tensor<100000x10xf32>
  %double = lathe.convert %x to f64 : tensor<100000x10xf32>
  %exact = lathe.reduce sum %double dims [0, 1] : tensor<100000x10xf64>
  %rounded = lathe.convert %sum to f64 : tensor<f32>
  %off = lathe.sub %rounded, %exact : tensor<f64>
  %quotient = lathe.div %off, %exact : tensor<f64>
  %relative = lathe.abs %quotient : tensor<f64>
  return %relative : tensor<f64>
}
func.func @all_narrow(%x: tensor<100000x10xf32>, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<100000x10xf32>
  %random = func.call @error_of_all_narrow(%size) : (tensor<100000x10xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<100000x10xf32>, tensor<f32>
  %terms = lathe.add %zeros, %c : tensor<100000x10xf32>, tensor<f32>
  %equal = func.call @error_of_all_narrow(%terms) : (tensor<100000x10xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}

func.func private @error_of_around(%x: tensor<70x?x9x70xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<f64> {
  %sum = lathe.reduce sum %x dims [0, 1, 3] : tensor<70x?x9x70xf32>
  %double = lathe.convert %x to f64 : tensor<70x?x9x70xf32>
  %exact = lathe.reduce sum %double dims [0, 1, 3] : tensor<70x?x9x70xf64>
  %rounded = lathe.convert %sum to f64 : tensor<9xf32>
  %off = lathe.sub %rounded, %exact : tensor<9xf64>
  %quotient = lathe.div %off, %exact : tensor<9xf64>
  %relative = lathe.abs %quotient : tensor<9xf64>
  %worst = lathe.reduce max %relative dims [0] : tensor<9xf64>
  return %worst : tensor<f64>
}
func.func @around(%x: tensor<70x?x9x70xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<f64> {lathe.name = "random"}, tensor<f64> {lathe.name = "equal"}) {
  %size = lathe.abs %x : tensor<70x?x9x70xf32>
  %random = func.call @error_of_around(%size) : (tensor<70x?x9x70xf32>) -> tensor<f64>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %x, %zero : tensor<70x?x9x70xf32>, tensor<f32>
  %terms = lathe.add %zeros, %c : tensor<70x?x9x70xf32>, tensor<f32>
  %equal = func.call @error_of_around(%terms) : (tensor<70x?x9x70xf32>) -> tensor<f64>
  return %random, %equal : tensor<f64>, tensor<f64>
}
