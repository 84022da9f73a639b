// Compiled code against the interpreter: ops over windows. Extrema are exact; sums and products may be fused with others.
// RUN: lathe-run %s image --random --dim N=1 --check --rtol 1e-6 --atol 1e-6
// RUN: lathe-run %s image --random --dim N=5 --check --rtol 1e-6 --atol 1e-6 --threads 2
// RUN: lathe-run %s image --random --dim N=5 --check --rtol 1e-6 --atol 1e-6 --target x86-64-v2
// RUN: lathe-run %s image --random --dim N=5 --check --rtol 1e-6 --atol 1e-6 -O 0
// RUN: lathe-run %s line --random --dim N=1 --check --rtol 1e-6 --atol 1e-6
// RUN: lathe-run %s line --random --dim N=3 --check --rtol 1e-6 --atol 1e-6 --target x86-64-v3
// RUN: lathe-run %s line --random --dim N=3 --check --rtol 1e-6 --atol 1e-6 --target x86-64-v2
// A sum begins at 0, also of a single -0: its bits are those of 0.
// RUN: lathe-run %s zeros --input x=-0.0 --input taps=0 --expect sum=0 --expect picked=0 --expect back=0 --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s zeros --input x=-0.0 --input taps=0 --expect sum=0 --expect picked=0 --expect back=0 --rtol 0 --atol 0
// RUN: lathe-run %s zeros --input x=-0.0 --input taps=0 --expect sum=0 --expect picked=0 --expect back=0 --rtol 0 --atol 0 --interpret

func.func @image(%x: tensor<?x9x8x20xf32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x4x4x20xf32>, tensor<?x9x8x20xf32>, tensor<?x4x4x20xi32>, tensor<?x4x4x20xf32>, tensor<?x9x8x20xf32>, tensor<?x2x3x20xf32>) {
  %max = lathe.reduce_window max %x window [1, 3, 2, 1] stride [1, 2, 2, 1] : tensor<?x9x8x20xf32>
  %mean = lathe.reduce_window sum %x window [1, 3, 3, 1] pad [[0, 0], [1, 1], [1, 1], [0, 0]] : tensor<?x9x8x20xf32>
  %taps = lathe.window_index max %x window [1, 3, 2, 1] stride [1, 2, 2, 1] : tensor<?x9x8x20xf32>
  %picked = lathe.window_gather %x, %taps window [1, 3, 2, 1] stride [1, 2, 2, 1] : tensor<?x9x8x20xf32>, tensor<?x4x4x20xi32>
  %back = lathe.window_scatter %max, %taps to [N, 9, 8, 20] window [1, 3, 2, 1] stride [1, 2, 2, 1] : tensor<?x4x4x20xf32>, tensor<?x4x4x20xi32>
  %cropped = lathe.reduce_window product %x window [1, 2, 2, 1] stride [1, 3, 2, 1] pad [[0, 0], [-2, -1], [1, -2], [0, 0]] dilation [1, 2, 2, 1] : tensor<?x9x8x20xf32>
  return %max, %mean, %taps, %picked, %back, %cropped
    : tensor<?x4x4x20xf32>, tensor<?x9x8x20xf32>, tensor<?x4x4x20xi32>, tensor<?x4x4x20xf32>, tensor<?x9x8x20xf32>, tensor<?x2x3x20xf32>
}

// The window moves along the dimension of the vectors; a named extent; holes; integers.
func.func @line(%x: tensor<?x70xf64> {lathe.dims = #lathe.dims<N>}, %n: tensor<3x40xi32>)
    -> (tensor<?x34xf64>, tensor<?x71xf64>, tensor<?x34xi32>, tensor<?x70xf64>, tensor<3x79xi32>, tensor<3x40xi32>, tensor<?x35xf64>) {
  %min = lathe.reduce_window min %x window [1, 4] stride [1, 2] : tensor<?x70xf64>
  %sum = lathe.reduce_window sum %x window [2, 2] pad [[0, 1], [1, 1]] : tensor<?x70xf64>
  %taps = lathe.window_index min %x window [1, 4] stride [1, 2] : tensor<?x70xf64>
  %back = lathe.window_scatter %min, %taps to [N, 70] window [1, 4] stride [1, 2] : tensor<?x34xf64>, tensor<?x34xi32>
  %holes = lathe.reduce_window max %n window [1, 2] pad [[0, 0], [1, 0]] base_dilation [1, 2] : tensor<3x40xi32>
  %wide = lathe.reduce_window product %n window [1, 3] pad [[0, 0], [2, 2]] dilation [1, 2] : tensor<3x40xi32>
  %strided = lathe.reduce_window sum %x window [1, 1] stride [1, 2] : tensor<?x70xf64>
  return %min, %sum, %taps, %back, %holes, %wide, %strided
    : tensor<?x34xf64>, tensor<?x71xf64>, tensor<?x34xi32>, tensor<?x70xf64>, tensor<3x79xi32>, tensor<3x40xi32>, tensor<?x35xf64>
}

func.func @zeros(%x: tensor<16xf64>, %taps: tensor<16xi32>) -> (tensor<16xi64>, tensor<16xi64>, tensor<16xi64>) {
  %a = lathe.reduce_window sum %x window [1] : tensor<16xf64>
  %b = lathe.window_gather %x, %taps window [1] : tensor<16xf64>, tensor<16xi32>
  %c = lathe.window_scatter %x, %taps to [16] window [1] : tensor<16xf64>, tensor<16xi32>
  %sum = lathe.bitcast %a to i64 : tensor<16xf64>
  %picked = lathe.bitcast %b to i64 : tensor<16xf64>
  %back = lathe.bitcast %c to i64 : tensor<16xf64>
  return %sum, %picked, %back : tensor<16xi64>, tensor<16xi64>, tensor<16xi64>
}
