// Rows of results that read the same terms are computed a few at a time, with their accumulators side by side: as many as divide
// their number, as registers hold, and as leave work items for threads.
// RUN: lathec %s --entry=f --target=x86-64-v4 --explain --emit=none --dim N=1000 --dim K=100 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: lathec %s --entry=f --target=x86-64-v3 --explain --emit=none --dim N=1000 --dim K=100 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: lathec %s --entry=f --target=x86-64-v4 --explain --emit=none --dim N=1000 --dim K=99 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: lathec %s --entry=f --target=x86-64-v4 --explain --emit=none --dim N=1000 --dim K=12 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: lathec %s --entry=f --target=x86-64-v4 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=ONE
// FOUR: loops {{{.*}}, row_loop = 0, rows = 4, {{.*}}vector_loop = 1
// FOUR: loops {{{.*}}, row_loop = 0, rows = 4, {{.*}}vector_loop = 1
// TWO: loops {{{.*}}, row_loop = 0, rows = 2, {{.*}}vector_loop = 1
// ONE-NOT: rows = {{[24]}}

// The bits are those of the code for any sizes, and of other numbers of threads.
// RUN: lathe-run %s data --random --dim N=1000 --dim K=100 --output p=@%t.p.npy --output c=@%t.c.npy --output w=@%t.w.npy
// RUN: lathe-run %s f --input points=@%t.p.npy --input centres=@%t.c.npy --input weights=@%t.w.npy --output slope=@%t.slope.npy --output most=@%t.most.npy --check --rtol 1e-12
// RUN: lathe-run %s f --input points=@%t.p.npy --input centres=@%t.c.npy --input weights=@%t.w.npy --specialize N=1000 --specialize K=100 --expect slope=@%t.slope.npy --expect most=@%t.most.npy --rtol 0 --atol 0
// RUN: lathe-run %s f --input points=@%t.p.npy --input centres=@%t.c.npy --input weights=@%t.w.npy --specialize K=100 --threads 3 --expect slope=@%t.slope.npy --expect most=@%t.most.npy --rtol 0 --atol 0
// RUN: lathe-run %s f --random --dim N=7 --dim K=32 --specialize K=32 --check --rtol 1e-12
// RUN: lathe-run %s singles --random --check --rtol 1e-5
func.func @data(%points: tensor<?x16xf64> {lathe.dims = #lathe.dims<N>}, %centres: tensor<?x16xf64> {lathe.dims = #lathe.dims<K>},
                %weights: tensor<?x?xf64> {lathe.dims = #lathe.dims<N, K>})
    -> (tensor<?x16xf64> {lathe.name = "p"}, tensor<?x16xf64> {lathe.name = "c"}, tensor<?x?xf64> {lathe.name = "w"}) {
  %p = lathe.neg %points : tensor<?x16xf64>
  %c = lathe.neg %centres : tensor<?x16xf64>
  %w = lathe.neg %weights : tensor<?x?xf64>
  return %p, %c, %w : tensor<?x16xf64>, tensor<?x16xf64>, tensor<?x?xf64>
}
func.func @f(%points: tensor<?x16xf64> {lathe.dims = #lathe.dims<N>}, %centres: tensor<?x16xf64> {lathe.dims = #lathe.dims<K>},
             %weights: tensor<?x?xf64> {lathe.dims = #lathe.dims<N, K>})
    -> (tensor<?x16xf64> {lathe.name = "slope"}, tensor<?x16xf64> {lathe.name = "most"}) {
  %p = lathe.broadcast %points dims [0, 2] to [N, K, 16] : tensor<?x16xf64>
  %c = lathe.broadcast %centres dims [1, 2] to [N, K, 16] : tensor<?x16xf64>
  %w = lathe.broadcast %weights dims [0, 1] to [N, K, 16] : tensor<?x?xf64>
  %off = lathe.sub %p, %c : tensor<?x?x16xf64>
  %twice = lathe.add %off, %off : tensor<?x?x16xf64>
  %terms = lathe.mul %w, %twice : tensor<?x?x16xf64>
  %minus = lathe.neg %terms : tensor<?x?x16xf64>
  %sum = lathe.reduce sum %minus dims [0] : tensor<?x?x16xf64>
  %slope = lathe.div %sum, %centres : tensor<?x16xf64>
  %most = lathe.reduce max %off dims [0] : tensor<?x?x16xf64>
  return %slope, %most : tensor<?x16xf64>, tensor<?x16xf64>
}

// An extreme of f32, which has two accumulators on most CPUs, and columns that the vectors do not divide.
func.func @singles(%x: tensor<50x21xf32>, %y: tensor<64x21xf32>) -> tensor<64x21xf32> {
  %a = lathe.broadcast %x dims [0, 2] to [50, 64, 21] : tensor<50x21xf32>
  %b = lathe.broadcast %y dims [1, 2] to [50, 64, 21] : tensor<64x21xf32>
  %off = lathe.sub %a, %b : tensor<50x64x21xf32>
  %most = lathe.reduce max %off dims [0] : tensor<50x64x21xf32>
  return %most : tensor<64x21xf32>
}
