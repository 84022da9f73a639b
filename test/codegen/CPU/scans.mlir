// Compiled code against the interpreter: running results along the last dimension, along others, of few and of many lines.
// RUN: lathe-run %s rows --random --dim N=1 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s rows --random --dim N=19 --check --rtol 1e-5 --atol 1e-5 --threads 2
// RUN: lathe-run %s rows --random --dim N=19 --check --rtol 1e-5 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s rows --random --dim N=19 --check --rtol 1e-5 --atol 1e-5 -O 0
// RUN: lathe-run %s columns --random --dim N=1 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s columns --random --dim N=333 --check --rtol 1e-5 --atol 1e-5 --threads 2
// RUN: lathe-run %s columns --random --dim N=333 --check --rtol 1e-5 --atol 1e-5 --target x86-64-v3
// RUN: lathe-run %s exact --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s exact --random --dim N=15 --check --rtol 0 --atol 0
// RUN: lathe-run %s exact --random --dim N=16 --check --rtol 0 --atol 0
// RUN: lathe-run %s exact --random --dim N=200 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s exact --random --dim N=200 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s order --interpret | FileCheck %s
// RUN: lathe-run %s order --check --rtol 0 --atol 0
// RUN: lathe-run %s first --dim N=3 --input x=inf --input t=2 --check --rtol 0 --atol 0
// RUN: lathe-run %s first --dim N=3 --input x=inf --input t=2 | FileCheck %s --check-prefix=FIRST
// RUN: lathe-run %s first --dim N=1 --input x=inf --input t=2 --specialize N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s first --dim N=1 --input x=inf --input t=2 | FileCheck %s --check-prefix=SLOPE
// RUN: lathe-run %s empty --random --check --rtol 0 --atol 0

func.func @rows(%x: tensor<?x77xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x77xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>) {
  %sum = lathe.cumulative sum %x dim 1 : tensor<?x77xf32>
  %back = lathe.cumulative sum %x dim 1 reverse : tensor<?x77xf32>
  %product = lathe.cumulative product %x dim 1 : tensor<?x77xf32>
  %logs = lathe.cumulative logsumexp %x dim 1 : tensor<?x77xf32>
  %logs_back = lathe.cumulative logsumexp %x dim 1 reverse : tensor<?x77xf32>
  %recurrence = lathe.linear_recurrence %x, %y dim 1 : tensor<?x77xf32>
  %recurrence_back = lathe.linear_recurrence %x, %y dim 1 reverse : tensor<?x77xf32>
  return %sum, %back, %product, %logs, %logs_back, %recurrence, %recurrence_back
    : tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>, tensor<?x77xf32>
}

func.func @columns(%x: tensor<9x?xf64> {lathe.dims = #lathe.dims<N>}, %y: tensor<3x7x?xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<9x?xf64>, tensor<9x?xf64>, tensor<3x7x?xf32>, tensor<3x7x?xf32>, tensor<9x?xf64>, tensor<3x7x?xf32>) {
  %sum = lathe.cumulative sum %x dim 0 : tensor<9x?xf64>
  %product = lathe.cumulative product %x dim 0 reverse : tensor<9x?xf64>
  %max = lathe.cumulative max %y dim 1 : tensor<3x7x?xf32>
  %logs = lathe.cumulative logsumexp %y dim 1 reverse : tensor<3x7x?xf32>
  %recurrence = lathe.linear_recurrence %x, %sum dim 0 : tensor<9x?xf64>
  %other = lathe.linear_recurrence %y, %max dim 0 reverse : tensor<3x7x?xf32>
  return %sum, %product, %max, %logs, %recurrence, %other
    : tensor<9x?xf64>, tensor<9x?xf64>, tensor<3x7x?xf32>, tensor<3x7x?xf32>, tensor<9x?xf64>, tensor<3x7x?xf32>
}

func.func @exact(%n: tensor<3x?xi32> {lathe.dims = #lathe.dims<N>}, %m: tensor<3x?xi64> {lathe.dims = #lathe.dims<N>}, %x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<3x?xi32>, tensor<3x?xi64>, tensor<3x?xi32>, tensor<3x?xf32>, tensor<3x?xf32>, tensor<3x?xi64>) {
  %sum = lathe.cumulative sum %n dim 1 : tensor<3x?xi32>
  %back = lathe.cumulative sum %m dim 1 reverse : tensor<3x?xi64>
  %product = lathe.cumulative product %n dim 1 : tensor<3x?xi32>
  %max = lathe.cumulative max %x dim 1 reverse : tensor<3x?xf32>
  %min = lathe.cumulative min %x dim 1 : tensor<3x?xf32>
  %least = lathe.cumulative min %m dim 0 : tensor<3x?xi64>
  return %sum, %back, %product, %max, %min, %least
    : tensor<3x?xi32>, tensor<3x?xi64>, tensor<3x?xi32>, tensor<3x?xf32>, tensor<3x?xf32>, tensor<3x?xi64>
}

// A product that meets its zero first stays zero, though the others overflow.
func.func @order() -> tensor<5xf32> {
  %x = lathe.constant dense<[0.0, 1.0e30, 1.0e30, -1.0e30, 1.0e30]> : tensor<5xf32>
  // CHECK: zeros: {{.*}}: 0 0 0 -0 -0
  %zeros = lathe.cumulative product %x dim 0 : tensor<5xf32>
  return %zeros : tensor<5xf32>
}

// Lines of no elements lie at one place.
func.func @empty(%x: tensor<0xf64>, %y: tensor<3x0xf32>) -> (tensor<0xf64>, tensor<0xf64>, tensor<3x0xf32>) {
  %product = lathe.cumulative product %x dim 0 reverse : tensor<0xf64>
  %recurrence = lathe.linear_recurrence %x, %x dim 0 : tensor<0xf64>, tensor<0xf64>
  %lines = lathe.linear_recurrence %y, %y dim 1 : tensor<3x0xf32>, tensor<3x0xf32>
  return %product, %recurrence, %lines : tensor<0xf64>, tensor<0xf64>, tensor<3x0xf32>
}

// The first factor is not used, so that an infinite one makes no NaN; nor does the slope of a product by its only element.
func.func private @product(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %y = lathe.cumulative product %x dim 0 : tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @first(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %t: tensor<?xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<?xf32>) {
  %factor = lathe.constant dense<[0x7F800000, 2.0]> : tensor<2xf32>
  %back = lathe.constant dense<[2.0, 0x7F800000]> : tensor<2xf32>
  %term = lathe.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %factors = lathe.broadcast %factor dims [0] to [2, 2] : tensor<2xf32>
  %terms = lathe.broadcast %term dims [0] to [2, 2] : tensor<2xf32>
  // FIRST: line: {{.*}}: 1 5
  // FIRST: columns: {{.*}}: 1 1 5 5
  // FIRST: reverse: {{.*}}: 7 3
  %line = lathe.linear_recurrence %factor, %term dim 0 : tensor<2xf32>
  %columns = lathe.linear_recurrence %factors, %terms dim 0 : tensor<2x2xf32>
  %reverse = lathe.linear_recurrence %back, %term dim 0 reverse : tensor<2xf32>
  // SLOPE: slope: {{.*}}: 2
  %y, %slope = lathe.jvp @product(%x) tangents(%t) wrt [0] : (tensor<?xf32>), (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %line, %columns, %reverse, %slope : tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<?xf32>
}
