// Cumulative sums and their gradients keep their digits: compiled code against sums of the interpreter in f64, of random terms and
// of equal ones. Additions one after the other are off by 2e-5 to 1e-2 here, of f64 by 1e-13.
// RUN: lathe-run %s lines --random --input c=1.1 --dim N=700000 --check --rtol 4e-7 --atol 0
// RUN: lathe-run %s lines --random --input c=1.1 --dim N=70001 --check --rtol 4e-7 --atol 0 --target x86-64-v3
// RUN: lathe-run %s lines --random --input c=1.1 --dim N=70001 --check --rtol 4e-7 --atol 0 --target x86-64-v2
// RUN: lathe-run %s lines --random --input c=1.1 --dim N=70001 --check --rtol 4e-7 --atol 0 -O 0
// RUN: lathe-run %s columns --random --input c=1.1 --dim N=300000 --check --rtol 4e-7 --atol 0
// RUN: lathe-run %s columns --random --input c=1.1 --dim N=70001 --check --rtol 4e-7 --atol 0 --target x86-64-v2 --threads 2
// RUN: lathe-run %s doubles --random --input c=1.1 --dim N=300000 --check --rtol 1e-15 --atol 0
// RUN: lathe-run %s halves --random --input c=1.1 --dim N=70001 --check --rtol 8e-3 --atol 0
// RUN: lathe-run %s limits --check --rtol 0 --atol 0
// RUN: lathe-run %s limits | FileCheck %s

func.func private @sums_of_lines(%x: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  %forth = lathe.cumulative sum %x dim 1 : tensor<2x?xf32>
  %back = lathe.cumulative sum %x dim 1 reverse : tensor<2x?xf32>
  return %forth, %back : tensor<2x?xf32>, tensor<2x?xf32>
}
func.func @lines(%x: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>) {
  %size = lathe.abs %x : tensor<2x?xf32>
  %some = lathe.add %size, %c : tensor<2x?xf32>, tensor<f32>
  %same = lathe.broadcast %c dims [] to [2, N] : tensor<f32>
  %0, %1 = func.call @sums_of_lines(%some) : (tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  %2, %3 = func.call @sums_of_lines(%same) : (tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  return %0, %1, %2, %3 : tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>, tensor<2x?xf32>
}

// The cotangent of a running sum is one from the other end.
func.func private @sum_of_columns(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x3xf32> {
  %y = lathe.cumulative sum %x dim 0 : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
func.func @columns(%x: tensor<?x3xf32> {lathe.dims = #lathe.dims<N>}, %c: tensor<f32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x?x5xf32>) {
  %size = lathe.abs %x : tensor<?x3xf32>
  %some = lathe.add %size, %c : tensor<?x3xf32>, tensor<f32>
  %same = lathe.broadcast %c dims [] to [N, 3] : tensor<f32>
  %sums, %slopes = lathe.vjp @sum_of_columns(%some) cotangents(%same) wrt [0] : (tensor<?x3xf32>), (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  %blocks = lathe.broadcast %c dims [] to [2, N, 5] : tensor<f32>
  %middle = lathe.cumulative sum %blocks dim 1 reverse : tensor<2x?x5xf32>
  return %sums, %slopes, %middle : tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x?x5xf32>
}

func.func @doubles(%x: tensor<2x?xf64> {lathe.dims = #lathe.dims<N>}, %c: tensor<f64>) -> (tensor<2x?xf64>, tensor<2x?xf64>, tensor<?x3xf64>) {
  %size = lathe.abs %x : tensor<2x?xf64>
  %some = lathe.add %size, %c : tensor<2x?xf64>, tensor<f64>
  %same = lathe.broadcast %c dims [] to [2, N] : tensor<f64>
  %0 = lathe.cumulative sum %some dim 1 : tensor<2x?xf64>
  %1 = lathe.cumulative sum %same dim 1 reverse : tensor<2x?xf64>
  %rows = lathe.broadcast %c dims [] to [N, 3] : tensor<f64>
  %2 = lathe.cumulative sum %rows dim 0 : tensor<?x3xf64>
  return %0, %1, %2 : tensor<2x?xf64>, tensor<2x?xf64>, tensor<?x3xf64>
}

// In f32, rounded once.
func.func @halves(%x: tensor<2x?xbf16> {lathe.dims = #lathe.dims<N>}, %c: tensor<bf16>) -> tensor<2x?xbf16> {
  %size = lathe.abs %x : tensor<2x?xbf16>
  %some = lathe.add %size, %c : tensor<2x?xbf16>, tensor<bf16>
  %sums = lathe.cumulative sum %some dim 1 : tensor<2x?xbf16>
  return %sums : tensor<2x?xbf16>
}

// An infinity stays; its rounding error would be NaN.
func.func @limits() -> (tensor<3xf32>, tensor<3xf64>, tensor<3x1xf32>, tensor<3x1xf64>) {
  %one = lathe.constant dense<1.0> : tensor<500xf32>
  %infinity = lathe.constant dense<0x7F800000> : tensor<1xf32>
  %x = lathe.concatenate %one, %infinity, %one dim 0 : tensor<500xf32>, tensor<1xf32>, tensor<500xf32>
  %y = lathe.convert %x to f64 : tensor<1001xf32>
  %columns = lathe.reshape %x to [1001, 1] : tensor<1001xf32>
  %doubles = lathe.reshape %y to [1001, 1] : tensor<1001xf64>
  %a = lathe.cumulative sum %x dim 0 : tensor<1001xf32>
  %b = lathe.cumulative sum %y dim 0 : tensor<1001xf64>
  %c = lathe.cumulative sum %columns dim 0 : tensor<1001x1xf32>
  %d = lathe.cumulative sum %doubles dim 0 : tensor<1001x1xf64>
  // CHECK: line: {{.*}}: 500 inf inf
  // CHECK: line_of_doubles: {{.*}}: 500 inf inf
  // CHECK: column: {{.*}}: 500 inf inf
  // CHECK: column_of_doubles: {{.*}}: 500 inf inf
  %line = lathe.slice %a from [499] to [1001] step [250] : tensor<1001xf32>
  %line_of_doubles = lathe.slice %b from [499] to [1001] step [250] : tensor<1001xf64>
  %column = lathe.slice %c from [499, 0] to [1001, 1] step [250, 1] : tensor<1001x1xf32>
  %column_of_doubles = lathe.slice %d from [499, 0] to [1001, 1] step [250, 1] : tensor<1001x1xf64>
  return %line, %line_of_doubles, %column, %column_of_doubles : tensor<3xf32>, tensor<3xf64>, tensor<3x1xf32>, tensor<3x1xf64>
}
