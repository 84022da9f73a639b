// Compiled code against the interpreter: elementwise ops, at sizes below, at and above a vector, at each level and at -O0.
// RUN: lathe-run %s floats --random --dim N=1 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s floats --random --dim N=7 --check --rtol 1e-5 --atol 1e-6 --target x86-64-v3
// RUN: lathe-run %s floats --random --dim N=7 --check --rtol 1e-5 --atol 1e-6 --target x86-64-v2
// RUN: lathe-run %s floats --random --dim N=131 --check --rtol 1e-5 --atol 1e-6
// RUN: lathe-run %s floats --random --dim N=131 --check --rtol 1e-5 --atol 1e-6 -O 0
// RUN: lathe-run %s doubles --random --dim N=37 --check --rtol 1e-12 --atol 1e-13
// RUN: lathe-run %s doubles --random --dim N=37 --check --rtol 1e-12 --atol 1e-13 --target x86-64-v2
// RUN: lathe-run %s integers --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s integers --random --dim N=131 --check --rtol 0 --atol 0
// RUN: lathe-run %s integers --random --dim N=131 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s converts --random --dim N=131 --check --rtol 0 --atol 0

func.func @floats(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>,
        tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %two = lathe.constant dense<2.5> : tensor<f32>
  %big = lathe.mul %x, %two : tensor<?x3xf32>, tensor<f32>
  %positive = lathe.abs %big : tensor<?x3xf32>
  %exp = lathe.exp %big : tensor<?x3xf32>
  %expm1 = lathe.expm1 %x : tensor<?x3xf32>
  %log = lathe.log %positive : tensor<?x3xf32>
  %log1p = lathe.log1p %positive : tensor<?x3xf32>
  %sin = lathe.sin %big : tensor<?x3xf32>
  %cos = lathe.cos %big : tensor<?x3xf32>
  %tanh = lathe.tanh %big : tensor<?x3xf32>
  %logistic = lathe.logistic %big : tensor<?x3xf32>
  %erf = lathe.erf %big : tensor<?x3xf32>
  %root = lathe.sqrt %positive : tensor<?x3xf32>
  %inverse = lathe.rsqrt %positive : tensor<?x3xf32>
  %pow = lathe.pow %positive, %y : tensor<?x3xf32>
  %rem = lathe.rem %big, %y : tensor<?x3xf32>
  return %exp, %expm1, %log, %log1p, %sin, %cos, %tanh, %logistic, %erf, %root, %inverse, %pow, %rem
      : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>,
        tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

func.func @doubles(%x: tensor<?xf64> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xf64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>) {
  %positive = lathe.abs %x : tensor<?xf64>
  %exp = lathe.exp %x : tensor<?xf64>
  %log = lathe.log %positive : tensor<?xf64>
  %sin = lathe.sin %x : tensor<?xf64>
  %tanh = lathe.tanh %x : tensor<?xf64>
  %erf = lathe.erf %x : tensor<?xf64>
  %pow = lathe.pow %positive, %y : tensor<?xf64>
  %quotient = lathe.div %x, %y : tensor<?xf64>
  %largest = lathe.max %x, %y : tensor<?xf64>
  return %exp, %log, %sin, %tanh, %erf, %pow, %quotient, %largest
      : tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>, tensor<?xf64>
}

func.func @integers(%x: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?xi64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi64>, tensor<?xi32>, tensor<?xi1>, tensor<?xi64>, tensor<?xi32>, tensor<?xi64>) {
  %five = lathe.constant dense<5> : tensor<i32>
  %shifted = lathe.sub %x, %five : tensor<?xi32>, tensor<i32>
  %quotient = lathe.div %five, %shifted : tensor<i32>, tensor<?xi32>
  %remainder = lathe.rem %five, %shifted : tensor<i32>, tensor<?xi32>
  %wide = lathe.convert %shifted to i64 : tensor<?xi32>
  %product = lathe.mul %wide, %y : tensor<?xi64>
  %left = lathe.shift_left %x, %shifted : tensor<?xi32>
  %less = lathe.compare lt %wide, %y : tensor<?xi64>
  %picked = lathe.select %less, %wide, %y : tensor<?xi1>, tensor<?xi64>
  %sign = lathe.sign %shifted : tensor<?xi32>
  %bits = lathe.xor %wide, %y : tensor<?xi64>
  return %quotient, %remainder, %product, %left, %less, %picked, %sign, %bits
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi64>, tensor<?xi32>, tensor<?xi1>, tensor<?xi64>, tensor<?xi32>, tensor<?xi64>
}

func.func @converts(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xi32>, tensor<?xi64>, tensor<?xi1>, tensor<?xf64>, tensor<?xf32>) {
  %scale = lathe.constant dense<5.0e9> : tensor<f32>
  %large = lathe.mul %x, %scale : tensor<?xf32>, tensor<f32>
  %whole = lathe.convert %large to i32 : tensor<?xf32>
  %wide = lathe.convert %large to i64 : tensor<?xf32>
  %nonzero = lathe.convert %x to i1 : tensor<?xf32>
  %precise = lathe.convert %x to f64 : tensor<?xf32>
  %rounded = lathe.round %large : tensor<?xf32>
  return %whole, %wide, %nonzero, %precise, %rounded : tensor<?xi32>, tensor<?xi64>, tensor<?xi1>, tensor<?xf64>, tensor<?xf32>
}
