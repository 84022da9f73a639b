// A version for one size, or more threads, gives the bits of the general code on one: sums keep their order.
// RUN: lathe-run %s data --random --dim N=45 --output made=@%t.x.npy
// RUN: lathe-run %s sums --input x=@%t.x.npy --output rows=@%t.rows.npy --output columns=@%t.columns.npy --output all=@%t.all.npy --output largest=@%t.largest.npy
// RUN: lathe-run %s sums --input x=@%t.x.npy --specialize N=45 --expect rows=@%t.rows.npy --expect columns=@%t.columns.npy --expect all=@%t.all.npy --expect largest=@%t.largest.npy --rtol 0 --atol 0
// RUN: lathe-run %s sums --input x=@%t.x.npy --threads 3 --expect rows=@%t.rows.npy --expect columns=@%t.columns.npy --expect all=@%t.all.npy --expect largest=@%t.largest.npy --rtol 0 --atol 0
// RUN: lathe-run %s products --input x=@%t.x.npy --output self=@%t.self.npy --output gram=@%t.gram.npy
// RUN: lathe-run %s products --input x=@%t.x.npy --specialize N=45 --expect self=@%t.self.npy --expect gram=@%t.gram.npy --rtol 0 --atol 0
// RUN: lathe-run %s products --input x=@%t.x.npy --threads 3 --expect self=@%t.self.npy --expect gram=@%t.gram.npy --rtol 0 --atol 0
// RUN: lathe-run %s lines --input x=@%t.x.npy --output sums_of_rows=@%t.sums_of_rows.npy --output sums_of_columns=@%t.sums_of_columns.npy --output pooled=@%t.pooled.npy --output order=@%t.order.npy --output factor=@%t.factor.npy --output solved=@%t.solved.npy --output scattered=@%t.scattered.npy
// RUN: lathe-run %s lines --input x=@%t.x.npy --specialize N=45 --expect sums_of_rows=@%t.sums_of_rows.npy --expect sums_of_columns=@%t.sums_of_columns.npy --expect pooled=@%t.pooled.npy --expect order=@%t.order.npy --expect factor=@%t.factor.npy --expect solved=@%t.solved.npy --expect scattered=@%t.scattered.npy --rtol 0 --atol 0
// RUN: lathe-run %s lines --input x=@%t.x.npy --threads 3 --expect sums_of_rows=@%t.sums_of_rows.npy --expect sums_of_columns=@%t.sums_of_columns.npy --expect pooled=@%t.pooled.npy --expect order=@%t.order.npy --expect factor=@%t.factor.npy --expect solved=@%t.solved.npy --expect scattered=@%t.scattered.npy --rtol 0 --atol 0
// RUN: lathe-run %s data --random --dim N=1 --output made=@%t.x1.npy
// RUN: lathe-run %s products --input x=@%t.x1.npy --output self=@%t.self1.npy --output gram=@%t.gram1.npy
// RUN: lathe-run %s products --input x=@%t.x1.npy --specialize N=1 --expect self=@%t.self1.npy --expect gram=@%t.gram1.npy --rtol 0 --atol 0
// RUN: lathe-run %s lines --input x=@%t.x1.npy --output sums_of_rows=@%t.sums_of_rows1.npy --output sums_of_columns=@%t.sums_of_columns1.npy --output pooled=@%t.pooled1.npy --output order=@%t.order1.npy --output factor=@%t.factor1.npy --output solved=@%t.solved1.npy --output scattered=@%t.scattered1.npy
// RUN: lathe-run %s lines --input x=@%t.x1.npy --specialize N=1 --expect sums_of_rows=@%t.sums_of_rows1.npy --expect sums_of_columns=@%t.sums_of_columns1.npy --expect pooled=@%t.pooled1.npy --expect order=@%t.order1.npy --expect factor=@%t.factor1.npy --expect solved=@%t.solved1.npy --expect scattered=@%t.scattered1.npy --rtol 0 --atol 0
// RUN: lathe-run %s units_data --random --dim N=1 --output columns=@%t.a.npy --output blocks=@%t.b.npy --output image=@%t.c.npy
// RUN: lathe-run %s units --input a=@%t.a.npy --input b=@%t.b.npy --input c=@%t.c.npy --output products=@%t.products.npy --output means=@%t.means.npy --output rows=@%t.rows1.npy
// RUN: lathe-run %s units --input a=@%t.a.npy --input b=@%t.b.npy --input c=@%t.c.npy --specialize N=1 --expect products=@%t.products.npy --expect means=@%t.means.npy --expect rows=@%t.rows1.npy --rtol 0 --atol 0

lathe.dim @N, 1 to 4096

func.func @data(%x: tensor<?x2000xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x2000xf32> {
  %made = lathe.neg %x : tensor<?x2000xf32>
  return %made : tensor<?x2000xf32>
}

// The sums and what comes before and after them in one kernel.
func.func @sums(%x: tensor<?x2000xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf32>, tensor<2000xf32>, tensor<f32>, tensor<?xf32>) {
  %e = lathe.exp %x : tensor<?x2000xf32>
  %row_sums = lathe.reduce sum %e dims [1] : tensor<?x2000xf32>
  %rows = lathe.log %row_sums : tensor<?xf32>
  %columns = lathe.reduce sum %x dims [0] : tensor<?x2000xf32>
  %all = lathe.reduce sum %x dims [0, 1] : tensor<?x2000xf32>
  %largest = lathe.reduce max %x dims [1] : tensor<?x2000xf32>
  return %rows, %columns, %all, %largest : tensor<?xf32>, tensor<2000xf32>, tensor<f32>, tensor<?xf32>
}

// Rows, depth and columns of a size that only one version knows.
func.func @products(%x: tensor<?x2000xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x?xf32>, tensor<2000x2000xf32>) {
  %self = lathe.dot_general %x, %x contract [1] x [1] : tensor<?x2000xf32>, tensor<?x2000xf32>
  %gram = lathe.dot_general %x, %x contract [0] x [0] : tensor<?x2000xf32>, tensor<?x2000xf32>
  return %self, %gram : tensor<?x?xf32>, tensor<2000x2000xf32>
}

// Running results, windows, orders, factors, updates of equal index.
func.func @lines(%x: tensor<?x2000xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x2000xf32>, tensor<2000x?xf32>, tensor<?x999xf32>, tensor<?x2000xi32>, tensor<?x?xf32>, tensor<?x2000xf32>, tensor<7x2000xf32>) {
  %sums_of_rows = lathe.cumulative sum %x dim 1 : tensor<?x2000xf32>
  %turned = lathe.transpose %x [1, 0] : tensor<?x2000xf32>
  %sums_of_columns = lathe.cumulative sum %turned dim 0 : tensor<2000x?xf32>
  %pooled = lathe.reduce_window sum %x window [1, 4] stride [1, 2] : tensor<?x2000xf32>
  %order = lathe.argsort %x dim 1 : tensor<?x2000xf32>
  %square = lathe.dot_general %x, %x contract [1] x [1] : tensor<?x2000xf32>, tensor<?x2000xf32>
  %row = lathe.iota dim 0 to [N, N] : i32
  %column = lathe.iota dim 1 to [N, N] : i32
  %on = lathe.compare eq %row, %column : tensor<?x?xi32>
  %one = lathe.convert %on to f32 : tensor<?x?xi1>
  %definite = lathe.add %square, %one : tensor<?x?xf32>
  %factor = lathe.cholesky %definite : tensor<?x?xf32>
  %solved = lathe.triangular_solve %factor, %x : tensor<?x?xf32>, tensor<?x2000xf32>
  %seven = lathe.constant dense<7> : tensor<i32>
  %places = lathe.iota dim 0 to [N] : i32
  %few = lathe.rem %places, %seven : tensor<?xi32>, tensor<i32>
  %zeros = lathe.constant dense<0.0> : tensor<7x2000xf32>
  %scattered = lathe.scatter add %zeros, %few, %x axis 0 : tensor<7x2000xf32>, tensor<?xi32>, tensor<?x2000xf32>
  return %sums_of_rows, %sums_of_columns, %pooled, %order, %factor, %solved, %scattered
    : tensor<?x2000xf32>, tensor<2000x?xf32>, tensor<?x999xf32>, tensor<?x2000xi32>, tensor<?x?xf32>, tensor<?x2000xf32>, tensor<7x2000xf32>
}

func.func @units_data(%a: tensor<33x?xf64> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x?x33xf64> {lathe.dims = #lathe.dims<N, N>}, %c: tensor<?x50x?x1xf64> {lathe.dims = #lathe.dims<N, N>})
    -> (tensor<33x?xf64> {lathe.name = "columns"}, tensor<?x?x33xf64> {lathe.name = "blocks"}, tensor<?x50x?x1xf64> {lathe.name = "image"}) {
  %0 = lathe.exp %a : tensor<33x?xf64>
  %1 = lathe.exp %b : tensor<?x?x33xf64>
  %2 = lathe.exp %c : tensor<?x50x?x1xf64>
  return %0, %1, %2 : tensor<33x?xf64>, tensor<?x?x33xf64>, tensor<?x50x?x1xf64>
}

// With N = 1 many more elements are neighbours, and which way a sum goes must not depend on that.
func.func @units(%a: tensor<33x?xf64> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x?x33xf64> {lathe.dims = #lathe.dims<N, N>}, %c: tensor<?x50x?x1xf64> {lathe.dims = #lathe.dims<N, N>})
    -> (tensor<?x?xf64>, tensor<?x1xf64>, tensor<?x33xf64>) {
  %products = lathe.dot_general %a, %b contract [0] x [2] batch [1] x [0] : tensor<33x?xf64>, tensor<?x?x33xf64>
  %means = lathe.reduce sum %c dims [1, 2] : tensor<?x50x?x1xf64>
  %wide = lathe.transpose %a [1, 0] : tensor<33x?xf64>
  %sums = lathe.cumulative sum %wide dim 1 : tensor<?x33xf64>
  %squares = lathe.mul %b, %b : tensor<?x?x33xf64>
  %first = lathe.reduce sum %squares dims [0] : tensor<?x?x33xf64>
  %rows = lathe.add %sums, %first : tensor<?x33xf64>, tensor<?x33xf64>
  return %products, %means, %rows : tensor<?x?xf64>, tensor<?x1xf64>, tensor<?x33xf64>
}
