// lathec 0.1.0 test/codegen/CPU/linear-algebra.mlir --target=cuda:sm_90 --emit=ptx -o /tmp/gpu/a.ptx
// Compiled code against the interpreter: triangular systems of every form and Cholesky factors; whole blocks of rows, and rests.
// RUN: lathe-run %s forms --random --dim N=1 --check --rtol 1e-8 --atol 1e-8
// RUN: lathe-run %s forms --random --dim N=3 --check --rtol 1e-8 --atol 1e-8 --threads 2
// RUN: lathe-run %s forms --random --dim N=3 --check --rtol 1e-8 --atol 1e-8 --target x86-64-v2
// RUN: lathe-run %s forms --random --dim N=3 --check --rtol 1e-8 --atol 1e-8 -O 0
// RUN: lathe-run %s factor --random --dim N=1 --check --rtol 1e-3 --atol 1e-4
// RUN: lathe-run %s factor --random --dim N=4 --check --rtol 1e-3 --atol 1e-4
// RUN: lathe-run %s factor --random --dim N=75 --check --rtol 1e-3 --atol 1e-4 --threads 2
// RUN: lathe-run %s factor --random --dim N=75 --check --rtol 1e-3 --atol 1e-4 --target x86-64-v2
// RUN: lathe-run %s factor --random --dim N=75 --check --rtol 1e-3 --atol 1e-4 --target x86-64-v3

// Diagonals far from zero keep the systems well conditioned.
func.func @forms(%r: tensor<?x11x11xf64> {lathe.dims = #lathe.dims<N>}, %b: tensor<?x11x37xf64> {lathe.dims = #lathe.dims<N>}, %c: tensor<?x5x11xf64> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x11x37xf64>, tensor<?x11x37xf64>, tensor<?x11x37xf64>, tensor<?x11x37xf64>, tensor<?x5x11xf64>, tensor<?x5x11xf64>, tensor<?x5x11xf64>, tensor<?x5x11xf64>) {
  %row = lathe.iota dim 0 to [11, 11] : i32
  %column = lathe.iota dim 1 to [11, 11] : i32
  %on = lathe.compare eq %row, %column : tensor<11x11xi32>
  %one = lathe.convert %on to f64 : tensor<11x11xi1>
  %four = lathe.constant dense<4.0> : tensor<f64>
  %diagonal = lathe.mul %one, %four : tensor<11x11xf64>, tensor<f64>
  %tenth = lathe.constant dense<0.1> : tensor<f64>
  %small = lathe.mul %r, %tenth : tensor<?x11x11xf64>, tensor<f64>
  %a = lathe.add %small, %diagonal : tensor<?x11x11xf64>, tensor<11x11xf64>
  %0 = lathe.triangular_solve %a, %b : tensor<?x11x11xf64>, tensor<?x11x37xf64>
  %1 = lathe.triangular_solve %a, %b transposed unit : tensor<?x11x11xf64>, tensor<?x11x37xf64>
  %2 = lathe.triangular_solve %a, %b upper unit : tensor<?x11x11xf64>, tensor<?x11x37xf64>
  %3 = lathe.triangular_solve %a, %b upper transposed : tensor<?x11x11xf64>, tensor<?x11x37xf64>
  %4 = lathe.triangular_solve %a, %c right unit : tensor<?x11x11xf64>, tensor<?x5x11xf64>
  %5 = lathe.triangular_solve %a, %c right transposed : tensor<?x11x11xf64>, tensor<?x5x11xf64>
  %6 = lathe.triangular_solve %a, %c right upper : tensor<?x11x11xf64>, tensor<?x5x11xf64>
  %7 = lathe.triangular_solve %a, %c right upper transposed unit : tensor<?x11x11xf64>, tensor<?x5x11xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7
    : tensor<?x11x37xf64>, tensor<?x11x37xf64>, tensor<?x11x37xf64>, tensor<?x11x37xf64>, tensor<?x5x11xf64>, tensor<?x5x11xf64>, tensor<?x5x11xf64>, tensor<?x5x11xf64>
}

func.func @factor(%x: tensor<2x?x?xf32> {lathe.dims = #lathe.dims<N, N>}) -> (tensor<2x?x?xf32>, tensor<2x?x?xf32>) {
  %square = lathe.dot_general %x, %x contract [2] x [2] batch [0] x [0] : tensor<2x?x?xf32>
  %row = lathe.iota dim 0 to [N, N] : i32
  %column = lathe.iota dim 1 to [N, N] : i32
  %on = lathe.compare eq %row, %column : tensor<?x?xi32>
  %one = lathe.convert %on to f32 : tensor<?x?xi1>
  %a = lathe.add %square, %one : tensor<2x?x?xf32>, tensor<?x?xf32>
  %l = lathe.cholesky %a : tensor<2x?x?xf32>
  %solved = lathe.triangular_solve %l, %x : tensor<2x?x?xf32>, tensor<2x?x?xf32>
  return %l, %solved : tensor<2x?x?xf32>, tensor<2x?x?xf32>
}
