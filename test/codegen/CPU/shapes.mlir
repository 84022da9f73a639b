// Compiled code against the interpreter: shape ops, gather and scatter, random bits. All exact.
// RUN: lathe-run %s moves --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s moves --random --dim N=7 --check --rtol 0 --atol 0
// RUN: lathe-run %s moves --random --dim N=33 --check --rtol 0 --atol 0 --target x86-64-v3
// RUN: lathe-run %s moves --random --dim N=33 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s moves --random --dim N=7 --check --rtol 0 --atol 0 -O 0
// RUN: lathe-run %s picks --random --dim N=7 --check --rtol 0 --atol 0
// RUN: lathe-run %s picks --random --dim N=32 --check --rtol 0 --atol 0 --target x86-64-v2
// RUN: lathe-run %s bits --input seed=12345678901 --check --rtol 0 --atol 0

func.func @moves(%x: tensor<?x6x5xf32> {lathe.dims = #lathe.dims<N>}, %fill: tensor<f32>)
    -> (tensor<6x?x5xf32>, tensor<?x30xf32>, tensor<?x3x2xf32>, tensor<?x9x9xf32>, tensor<?x4x3xf32>, tensor<?x12x5xf32>,
        tensor<?x6x5xf32>, tensor<?x6x5xi32>, tensor<i64>, tensor<5x6x?xf32>) {
  %transposed = lathe.transpose %x [1, 0, 2] : tensor<?x6x5xf32>
  %flat = lathe.reshape %x to [N, 30] : tensor<?x6x5xf32>
  %slice = lathe.slice %x from [0, 1, 0] to [N, 6, 4] step [1, 2, 2] : tensor<?x6x5xf32>
  %padded = lathe.pad %x, %fill low [0, 2, 0] high [0, 1, 0] interior [0, 0, 1] : tensor<?x6x5xf32>, tensor<f32>
  %cut = lathe.pad %x, %fill low [0, -1, -1] high [0, -1, -1] : tensor<?x6x5xf32>, tensor<f32>
  %both = lathe.concatenate %x, %x dim 1 : tensor<?x6x5xf32>, tensor<?x6x5xf32>
  %reversed = lathe.reverse %x dims [0, 2] : tensor<?x6x5xf32>
  %iota = lathe.iota dim 0 to [N, 6, 5] : i32
  %size = lathe.dim_size %x dim 0 : tensor<?x6x5xf32>
  %turned = lathe.transpose %x [2, 1, 0] : tensor<?x6x5xf32>
  return %transposed, %flat, %slice, %padded, %cut, %both, %reversed, %iota, %size, %turned
      : tensor<6x?x5xf32>, tensor<?x30xf32>, tensor<?x3x2xf32>, tensor<?x9x9xf32>, tensor<?x4x3xf32>, tensor<?x12x5xf32>,
        tensor<?x6x5xf32>, tensor<?x6x5xi32>, tensor<i64>, tensor<5x6x?xf32>
}

func.func @picks(%table: tensor<8x5xf32>, %rows: tensor<?xi32> {lathe.dims = #lathe.dims<N>},
                 %matrix: tensor<?x7xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x5xf32>, tensor<?xf32>, tensor<8x5xf32>, tensor<?x7xf32>) {
  %embedded = lathe.gather %table, %rows axis 0 : tensor<8x5xf32>, tensor<?xi32>
  %each = lathe.gather %matrix, %rows axis 1 batch 1 : tensor<?x7xf32>, tensor<?xi32>
  %counts = lathe.round %embedded : tensor<?x5xf32>
  %sum = lathe.scatter add %table, %rows, %counts axis 0 : tensor<8x5xf32>, tensor<?xi32>, tensor<?x5xf32>
  %spread = lathe.scatter add %matrix, %rows, %each axis 1 batch 1 : tensor<?x7xf32>, tensor<?xi32>, tensor<?xf32>
  return %embedded, %each, %sum, %spread : tensor<?x5xf32>, tensor<?xf32>, tensor<8x5xf32>, tensor<?x7xf32>
}

func.func @bits(%seed: tensor<i64>) -> tensor<5x37xi32> {
  %bits = lathe.random_bits %seed stream 7 to [5, 37] : i32
  return %bits : tensor<5x37xi32>
}
