// Compiled code against the interpreter: blocks at places that are data, scatters of all kinds, reductions of bits. All exact
// but sums, whatever the level and the number of threads.
// RUN: lathe-run %s blocks --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s blocks --random --dim N=37 --check --rtol 0 --atol 0
// RUN: lathe-run %s blocks --random --dim N=37 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s blocks --random --dim N=37 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s rows --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s rows --random --dim N=700 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s sums --random --dim N=700 --check --rtol 1e-6 --atol 4e-6 --threads 2
// RUN: lathe-run %s rows --random --dim N=700 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s sums --random --dim N=700 --check --rtol 1e-6 --atol 4e-6 --target x86-64-v2
// RUN: lathe-run %s rows --random --dim N=700 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s sums --random --dim N=700 --check --rtol 1e-6 --atol 4e-6 -O 0
// RUN: lathe-run %s picks --random --dim N=333 --check --rtol 0 --atol 0 --threads 2
// RUN: lathe-run %s picks --random --dim N=33 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s bits --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s bits --random --dim N=259 --check --rtol 0 --atol 0
// RUN: lathe-run %s bits --random --dim N=259 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s append --random --check --rtol 0 --atol 0
// RUN: lathe-run %s append --random --check --rtol 0 --atol 0 --threads 2 --target x86-64-v2
// RUN: lathe-run %s line --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s line --random --dim N=45 --check --rtol 0 --atol 0 --threads 2

func.func @blocks(%x: tensor<?x40xf32> {lathe.dims = #lathe.dims<N>}, %u: tensor<1x9xf32>, %i: tensor<i64>, %j: tensor<i32>)
    -> (tensor<?x33xf32>, tensor<1x40xf32>, tensor<?x40xf32>, tensor<?x40xf32>) {
  %columns = lathe.dynamic_slice %x [%i, %j] size [N, 33] : tensor<?x40xf32>, (tensor<i64>, tensor<i32>)
  %row = lathe.dynamic_slice %x [%i, %j] size [1, 40] : tensor<?x40xf32>, (tensor<i64>, tensor<i32>)
  %replaced = lathe.dynamic_update_slice %x, %u [%i, %j] : tensor<?x40xf32>, tensor<1x9xf32>, (tensor<i64>, tensor<i32>)
  %wide = lathe.dynamic_update_slice %x, %columns [%j, %i] : tensor<?x40xf32>, tensor<?x33xf32>, (tensor<i32>, tensor<i64>)
  return %columns, %row, %replaced, %wide : tensor<?x33xf32>, tensor<1x40xf32>, tensor<?x40xf32>, tensor<?x40xf32>
}

// Rows of a table: vectors along the slices, threads share the columns.
func.func @rows(%t: tensor<8x600xf32>, %i: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %u: tensor<?x600xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<8x600xf32>, tensor<8x600xf32>, tensor<8x600xf32>, tensor<8x600xf32>) {
  %set = lathe.scatter set %t, %i, %u axis 0 : tensor<8x600xf32>, tensor<?xi32>, tensor<?x600xf32>
  %mul = lathe.scatter mul %t, %i, %u axis 0 : tensor<8x600xf32>, tensor<?xi32>, tensor<?x600xf32>
  %max = lathe.scatter max %t, %i, %u axis 0 : tensor<8x600xf32>, tensor<?xi32>, tensor<?x600xf32>
  %min = lathe.scatter min %t, %i, %u axis 0 : tensor<8x600xf32>, tensor<?xi32>, tensor<?x600xf32>
  return %set, %mul, %max, %min : tensor<8x600xf32>, tensor<8x600xf32>, tensor<8x600xf32>, tensor<8x600xf32>
}

func.func @sums(%t: tensor<8x600xf32>, %i: tensor<?xi32> {lathe.dims = #lathe.dims<N>}, %u: tensor<?x600xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<8x600xf32> {
  %add = lathe.scatter add %t, %i, %u axis 0 : tensor<8x600xf32>, tensor<?xi32>, tensor<?x600xf32>
  return %add : tensor<8x600xf32>
}

// One place a row, several slices a row, places of a line.
func.func @picks(%x: tensor<?x7xf64> {lathe.dims = #lathe.dims<N>}, %i: tensor<?xi64> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x7x3xi32> {lathe.dims = #lathe.dims<N>},
                 %j: tensor<2x4xi32>, %u: tensor<?x2x4x3xi32> {lathe.dims = #lathe.dims<N>}, %line: tensor<9xi1>, %b: tensor<?xi1> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x7xf64>, tensor<?x7x3xi32>, tensor<?x7x3xi32>, tensor<9xi1>) {
  %values = lathe.gather %x, %i axis 1 batch 1 : tensor<?x7xf64>, tensor<?xi64>
  %0 = lathe.scatter mul %x, %i, %values axis 1 batch 1 : tensor<?x7xf64>, tensor<?xi64>, tensor<?xf64>
  %1 = lathe.scatter min %y, %j, %u axis 1 : tensor<?x7x3xi32>, tensor<2x4xi32>, tensor<?x2x4x3xi32>
  %2 = lathe.scatter set %y, %j, %u axis 1 : tensor<?x7x3xi32>, tensor<2x4xi32>, tensor<?x2x4x3xi32>
  %3 = lathe.scatter set %line, %i, %b axis 0 : tensor<9xi1>, tensor<?xi64>, tensor<?xi1>
  return %0, %1, %2, %3 : tensor<?x7xf64>, tensor<?x7x3xi32>, tensor<?x7x3xi32>, tensor<9xi1>
}

func.func @bits(%n: tensor<5x?xi32> {lathe.dims = #lathe.dims<N>}, %x: tensor<5x?xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<5xi32>, tensor<?xi32>, tensor<i32>, tensor<5xi1>, tensor<?xi1>, tensor<5xi32>, tensor<?xi32>) {
  %anded = lathe.reduce and %n dims [1] : tensor<5x?xi32>
  %ored = lathe.reduce or %n dims [0] : tensor<5x?xi32>
  %xored = lathe.reduce xor %n dims [0, 1] : tensor<5x?xi32>
  %zero = lathe.constant dense<0.9> : tensor<f32>
  %less = lathe.compare lt %x, %zero : tensor<5x?xf32>, tensor<f32>
  %all = lathe.reduce and %less dims [1] : tensor<5x?xi1>
  %odd = lathe.reduce xor %less dims [0] : tensor<5x?xi1>
  %rows = lathe.argmin %x dim 1 : tensor<5x?xf32>
  %columns = lathe.argmin %x dim 0 : tensor<5x?xf32>
  return %anded, %ored, %xored, %all, %odd, %rows, %columns
    : tensor<5xi32>, tensor<?xi32>, tensor<i32>, tensor<5xi1>, tensor<?xi1>, tensor<5xi32>, tensor<?xi32>
}

// State is updated where it is: only the new rows are written.
lathe.variable @cache : tensor<300x70xf32> init #lathe.uniform<-1.0, 1.0>
lathe.variable @counts : tensor<300xi64> init #lathe.zeros
func.func @append(%rows: tensor<5x70xf32>, %i: tensor<i32>, %j: tensor<i64>, %places: tensor<9xi32>, %one: tensor<9xi64>) -> (tensor<300x70xf32>, tensor<300xi64>) {
  %old = lathe.read @cache : tensor<300x70xf32>
  %cache = lathe.dynamic_update_slice %old, %rows [%i, %j] : tensor<300x70xf32>, tensor<5x70xf32>, (tensor<i32>, tensor<i64>)
  lathe.write @cache, %cache : tensor<300x70xf32>
  %seen = lathe.read @counts : tensor<300xi64>
  %counts = lathe.scatter add %seen, %places, %one axis 0 : tensor<300xi64>, tensor<9xi32>, tensor<9xi64>
  lathe.write @counts, %counts : tensor<300xi64>
  %shown = lathe.neg %cache : tensor<300x70xf32>
  %total = lathe.neg %counts : tensor<300xi64>
  return %shown, %total : tensor<300x70xf32>, tensor<300xi64>
}

func.func @line(%x: tensor<?xf64> {lathe.dims = #lathe.dims<N>}, %m: tensor<?x?xi1> {lathe.dims = #lathe.dims<N, N>}, %s: tensor<f32>, %i: tensor<i32>)
    -> (tensor<?xf64>, tensor<?x?xi1>, tensor<f32>) {
  %one = lathe.constant dense<7.0> : tensor<1xf64>
  %0 = lathe.dynamic_update_slice %x, %one [%i] : tensor<?xf64>, tensor<1xf64>, (tensor<i32>)
  %no = lathe.constant dense<false> : tensor<1x1xi1>
  %1 = lathe.dynamic_update_slice %m, %no [%i, %i] : tensor<?x?xi1>, tensor<1x1xi1>, (tensor<i32>, tensor<i32>)
  %2 = lathe.neg %s : tensor<f32>
  %3 = lathe.dynamic_update_slice %s, %2 [] : tensor<f32>, tensor<f32>, ()
  return %0, %1, %3 : tensor<?xf64>, tensor<?x?xi1>, tensor<f32>
}
