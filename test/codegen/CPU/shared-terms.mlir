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
// RUN: lathe-run %s f --input points=@%t.p.npy --input centres=@%t.c.npy --input weights=@%t.w.npy --output slope=@%t.slope.npy --output most=@%t.most.npy --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s f --input points=@%t.p.npy --input centres=@%t.c.npy --input weights=@%t.w.npy --specialize N=1000 --specialize K=100 --expect slope=@%t.slope.npy --expect most=@%t.most.npy --rtol 0 --atol 0
// RUN: lathe-run %s f --input points=@%t.p.npy --input centres=@%t.c.npy --input weights=@%t.w.npy --specialize K=100 --threads 3 --expect slope=@%t.slope.npy --expect most=@%t.most.npy --rtol 0 --atol 0
// RUN: lathe-run %s f --random --dim N=7 --dim K=32 --specialize K=32 --check --rtol 1e-4 --atol 1e-4
// RUN: lathe-run %s doubles --random --check --rtol 1e-12
// RUN: lathec %s --entry=doubles --target=x86-64-v4 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=DOUBLES
// DOUBLES: loops {{{.*}}, row_loop = 0, rows = 4, {{.*}}vector_loop = 1
// RUN: lathe-run %s singles --random --check --rtol 1e-5
func.func @data(%points: tensor<?x32xf32> {lathe.dims = #lathe.dims<N>}, %centres: tensor<?x32xf32> {lathe.dims = #lathe.dims<K>},
                %weights: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, K>})
    -> (tensor<?x32xf32> {lathe.name = "p"}, tensor<?x32xf32> {lathe.name = "c"}, tensor<?x?xf32> {lathe.name = "w"}) {
  %p = lathe.neg %points : tensor<?x32xf32>
  %c = lathe.neg %centres : tensor<?x32xf32>
  %w = lathe.neg %weights : tensor<?x?xf32>
  return %p, %c, %w : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x?xf32>
}
func.func @f(%points: tensor<?x32xf32> {lathe.dims = #lathe.dims<N>}, %centres: tensor<?x32xf32> {lathe.dims = #lathe.dims<K>},
             %weights: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, K>})
    -> (tensor<?x32xf32> {lathe.name = "slope"}, tensor<?x32xf32> {lathe.name = "most"}) {
  %p = lathe.broadcast %points dims [0, 2] to [N, K, 32] : tensor<?x32xf32>
  %c = lathe.broadcast %centres dims [1, 2] to [N, K, 32] : tensor<?x32xf32>
  %w = lathe.broadcast %weights dims [0, 1] to [N, K, 32] : tensor<?x?xf32>
  %off = lathe.sub %p, %c : tensor<?x?x32xf32>
  %twice = lathe.add %off, %off : tensor<?x?x32xf32>
  %terms = lathe.mul %w, %twice : tensor<?x?x32xf32>
  %minus = lathe.neg %terms : tensor<?x?x32xf32>
  %sum = lathe.reduce sum %minus dims [0] : tensor<?x?x32xf32>
  %slope = lathe.div %sum, %centres : tensor<?x32xf32>
  %most = lathe.reduce max %off dims [0] : tensor<?x?x32xf32>
  return %slope, %most : tensor<?x32xf32>, tensor<?x32xf32>
}

// An extreme of f32, which has two accumulators on most CPUs, and columns that the vectors do not divide.
func.func @singles(%x: tensor<50x21xf32>, %y: tensor<64x21xf32>) -> tensor<64x21xf32> {
  %a = lathe.broadcast %x dims [0, 2] to [50, 64, 21] : tensor<50x21xf32>
  %b = lathe.broadcast %y dims [1, 2] to [50, 64, 21] : tensor<64x21xf32>
  %off = lathe.sub %a, %b : tensor<50x64x21xf32>
  %most = lathe.reduce max %off dims [0] : tensor<50x64x21xf32>
  return %most : tensor<64x21xf32>
}

func.func @doubles(%x: tensor<50x16xf64>, %y: tensor<128x16xf64>) -> tensor<128x16xf64> {
  %a = lathe.broadcast %x dims [0, 2] to [50, 128, 16] : tensor<50x16xf64>
  %b = lathe.broadcast %y dims [1, 2] to [50, 128, 16] : tensor<128x16xf64>
  %off = lathe.sub %a, %b : tensor<50x128x16xf64>
  %square = lathe.mul %off, %a : tensor<50x128x16xf64>
  %sum = lathe.reduce sum %square dims [0] : tensor<50x128x16xf64>
  return %sum : tensor<128x16xf64>
}
