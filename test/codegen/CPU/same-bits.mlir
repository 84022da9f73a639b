// A version for one size, or more threads, gives the bits of the general code on one: sums keep their order.
// RUN: lathe-run %s data --random --dim N=45 --output made=@%t.x.npy
// RUN: lathe-run %s sums --input x=@%t.x.npy --output rows=@%t.rows.npy --output columns=@%t.columns.npy --output all=@%t.all.npy --output largest=@%t.largest.npy
// RUN: lathe-run %s sums --input x=@%t.x.npy --specialize N=45 --expect rows=@%t.rows.npy --expect columns=@%t.columns.npy --expect all=@%t.all.npy --expect largest=@%t.largest.npy --rtol 0 --atol 0
// RUN: lathe-run %s sums --input x=@%t.x.npy --threads 3 --expect rows=@%t.rows.npy --expect columns=@%t.columns.npy --expect all=@%t.all.npy --expect largest=@%t.largest.npy --rtol 0 --atol 0
// RUN: lathe-run %s products --input x=@%t.x.npy --output self=@%t.self.npy --output gram=@%t.gram.npy
// RUN: lathe-run %s products --input x=@%t.x.npy --specialize N=45 --expect self=@%t.self.npy --expect gram=@%t.gram.npy --rtol 0 --atol 0
// RUN: lathe-run %s products --input x=@%t.x.npy --threads 3 --expect self=@%t.self.npy --expect gram=@%t.gram.npy --rtol 0 --atol 0
// RUN: lathe-run %s data --random --dim N=1 --output made=@%t.x1.npy
// RUN: lathe-run %s products --input x=@%t.x1.npy --output self=@%t.self1.npy --output gram=@%t.gram1.npy
// RUN: lathe-run %s products --input x=@%t.x1.npy --specialize N=1 --expect self=@%t.self1.npy --expect gram=@%t.gram1.npy --rtol 0 --atol 0

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

// Rows, depth and columns of a size that is known in one version alone.
func.func @products(%x: tensor<?x2000xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x?xf32>, tensor<2000x2000xf32>) {
  %self = lathe.dot_general %x, %x contract [1] x [1] : tensor<?x2000xf32>, tensor<?x2000xf32>
  %gram = lathe.dot_general %x, %x contract [0] x [0] : tensor<?x2000xf32>, tensor<?x2000xf32>
  return %self, %gram : tensor<?x?xf32>, tensor<2000x2000xf32>
}
