// Matrix products in every form that has tiles, and those that have not, against the interpreter.
// RUN: lathe-run %s products --random --dim N=1 --dim M=1 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s products --random --dim N=7 --dim M=13 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s products --random --dim N=130 --dim M=70 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s products --random --dim N=37 --dim M=32 --check --rtol 1e-5 --atol 1e-5 --target x86-64-v3
// RUN: lathe-run %s products --random --dim N=37 --dim M=33 --check --rtol 1e-5 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s products --random --dim N=9 --dim M=5 --check --rtol 1e-5 --atol 1e-5 -O 0
// RUN: lathe-run %s batches --random --dim N=1 --dim M=9 --check --rtol 1e-12 --atol 1e-12
// RUN: lathe-run %s batches --random --dim N=19 --dim M=6 --check --rtol 1e-12 --atol 1e-12
// RUN: lathe-run %s batches --random --dim N=19 --dim M=6 --check --rtol 1e-12 --atol 1e-12 --target x86-64-v2

lathe.dim @N, 1 to 4096
lathe.dim @M, 1 to 4096

func.func @products(%a: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}, %b: tensor<?x100xf32> {lathe.dims = #lathe.dims<M>},
                    %c: tensor<64x?xf32> {lathe.dims = #lathe.dims<M>}, %d: tensor<?x7x9xf32> {lathe.dims = #lathe.dims<N>},
                    %e: tensor<7x9x6x33xf32>, %v: tensor<?xf32> {lathe.dims = #lathe.dims<M>})
    -> (tensor<?x100xf32>, tensor<100x100xf32>, tensor<?x64xf32>, tensor<?x6x33xf32>, tensor<100xf32>, tensor<?xf32>, tensor<?x?xf32>) {
  // With an epilogue, and a result of its own beside it.
  %nn = lathe.dot_general %a, %b contract [1] x [0] : tensor<?x?xf32>, tensor<?x100xf32>
  %tanh = lathe.tanh %nn : tensor<?x100xf32>
  %tn = lathe.dot_general %b, %b contract [0] x [0] : tensor<?x100xf32>, tensor<?x100xf32>
  %nt = lathe.dot_general %a, %c contract [1] x [1] : tensor<?x?xf32>, tensor<64x?xf32>
  %two = lathe.dot_general %d, %e contract [1, 2] x [0, 1] : tensor<?x7x9xf32>, tensor<7x9x6x33xf32>
  %row = lathe.dot_general %v, %b contract [0] x [0] : tensor<?xf32>, tensor<?x100xf32>
  %column = lathe.dot_general %a, %v contract [1] x [0] : tensor<?x?xf32>, tensor<?xf32>
  // Named columns.
  %named = lathe.dot_general %d, %d contract [1, 2] x [1, 2] : tensor<?x7x9xf32>, tensor<?x7x9xf32>
  return %tanh, %tn, %nt, %two, %row, %column, %named
      : tensor<?x100xf32>, tensor<100x100xf32>, tensor<?x64xf32>, tensor<?x6x33xf32>, tensor<100xf32>, tensor<?xf32>, tensor<?x?xf32>
}

func.func @batches(%a: tensor<3x?x5x?xf64> {lathe.dims = #lathe.dims<N, M>}, %b: tensor<3x?x?xf64> {lathe.dims = #lathe.dims<M, N>},
                   %c: tensor<?x3x8xf64> {lathe.dims = #lathe.dims<M>})
    -> (tensor<3x?x5x?xf64>, tensor<3x?x5x8xf64>, tensor<3x?x5x5xf64>, tensor<3x0x8xf64>) {
  %inner = lathe.dot_general %a, %b contract [3] x [1] batch [0] x [0] : tensor<3x?x5x?xf64>, tensor<3x?x?xf64>
  %outside = lathe.dot_general %a, %c contract [3] x [0] batch [0] x [1] : tensor<3x?x5x?xf64>, tensor<?x3x8xf64>
  %self = lathe.dot_general %a, %a contract [3] x [3] batch [0, 1] x [0, 1] : tensor<3x?x5x?xf64>, tensor<3x?x5x?xf64>
  %empty = lathe.constant dense<0.0> : tensor<3x0x4xf64>
  %weights = lathe.constant dense<2.0> : tensor<4x8xf64>
  %none = lathe.dot_general %empty, %weights contract [2] x [0] : tensor<3x0x4xf64>, tensor<4x8xf64>
  return %inner, %outside, %self, %none : tensor<3x?x5x?xf64>, tensor<3x?x5x8xf64>, tensor<3x?x5x5xf64>, tensor<3x0x8xf64>
}
