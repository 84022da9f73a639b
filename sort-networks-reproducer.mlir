// lathec 0.1.0 test/codegen/CPU/sort-networks.mlir --target=cuda:sm_90 --emit=ptx -o /tmp/gpu/a.ptx
// Lines of a known length, which a network sorts: compiled against interpreted, exact, on every level; and lines with negative zeros
// and NaN, which stay in their order.
// RUN: lathe-run %s floats --random --check --rtol 0 --atol 0
// RUN: lathe-run %s floats --random --target x86-64-v3 --check --rtol 0 --atol 0
// RUN: lathe-run %s floats --random --target x86-64-v2 --check --rtol 0 --atol 0
// RUN: lathe-run %s floats --random -O 0 --check --rtol 0 --atol 0
// RUN: lathe-run %s ints --random --check --rtol 0 --atol 0
// RUN: lathe-run %s ints --random --target x86-64-v3 --check --rtol 0 --atol 0
// RUN: lathe-run %s ints --random --target x86-64-v2 --check --rtol 0 --atol 0
// RUN: lathe-run %s ints --random -O 0 --check --rtol 0 --atol 0
// RUN: lathe-run %s special --interpret --output r=@%t.interpreted.npy --output d=@%t.interpreted2.npy
// RUN: lathe-run %s special --output r=@%t.compiled.npy --output d=@%t.compiled2.npy
// RUN: cmp %t.interpreted.npy %t.compiled.npy && cmp %t.interpreted2.npy %t.compiled2.npy

func.func @floats(%xf32_65: tensor<3x65xf32>, %xf32_100: tensor<3x100xf32>, %xf32_128: tensor<3x128xf32>, %xf32_129: tensor<3x129xf32>, %xf32_257: tensor<3x257xf32>, %xf32_1000: tensor<3x1000xf32>, %xf32_2048: tensor<3x2048xf32>, %xf64_65: tensor<3x65xf64>, %xf64_100: tensor<3x100xf64>, %xf64_128: tensor<3x128xf64>, %xf64_129: tensor<3x129xf64>, %xf64_257: tensor<3x257xf64>, %xf64_1000: tensor<3x1000xf64>, %xf64_2048: tensor<3x2048xf64>)
    -> (tensor<3x65xf32>, tensor<3x65xi32>, tensor<3x100xf32>, tensor<3x100xi32>, tensor<3x128xf32>, tensor<3x128xi32>, tensor<3x129xf32>, tensor<3x129xi32>, tensor<3x257xf32>, tensor<3x257xi32>, tensor<3x1000xf32>, tensor<3x1000xi32>, tensor<3x2048xf32>, tensor<3x2048xi32>, tensor<3x65xf64>, tensor<3x65xi32>, tensor<3x100xf64>, tensor<3x100xi32>, tensor<3x128xf64>, tensor<3x128xi32>, tensor<3x129xf64>, tensor<3x129xi32>, tensor<3x257xf64>, tensor<3x257xi32>, tensor<3x1000xf64>, tensor<3x1000xi32>, tensor<3x2048xf64>, tensor<3x2048xi32>) {
  %mf32_65 = lathe.constant dense<1000.0> : tensor<f32>
  %yf32_65 = lathe.mul %xf32_65, %mf32_65 : tensor<3x65xf32>, tensor<f32>
  %zf32_65 = lathe.add %yf32_65, %mf32_65 : tensor<3x65xf32>, tensor<f32>
  %sf32_65 = lathe.sort %zf32_65 dim 1 : tensor<3x65xf32>
  %af32_65 = lathe.argsort %zf32_65 dim 1 descending : tensor<3x65xf32>
  %mf32_100 = lathe.constant dense<1000.0> : tensor<f32>
  %yf32_100 = lathe.mul %xf32_100, %mf32_100 : tensor<3x100xf32>, tensor<f32>
  %zf32_100 = lathe.add %yf32_100, %mf32_100 : tensor<3x100xf32>, tensor<f32>
  %sf32_100 = lathe.sort %zf32_100 dim 1 descending : tensor<3x100xf32>
  %af32_100 = lathe.argsort %zf32_100 dim 1 : tensor<3x100xf32>
  %mf32_128 = lathe.constant dense<1000.0> : tensor<f32>
  %yf32_128 = lathe.mul %xf32_128, %mf32_128 : tensor<3x128xf32>, tensor<f32>
  %zf32_128 = lathe.add %yf32_128, %mf32_128 : tensor<3x128xf32>, tensor<f32>
  %sf32_128 = lathe.sort %zf32_128 dim 1 : tensor<3x128xf32>
  %af32_128 = lathe.argsort %zf32_128 dim 1 descending : tensor<3x128xf32>
  %mf32_129 = lathe.constant dense<1000.0> : tensor<f32>
  %yf32_129 = lathe.mul %xf32_129, %mf32_129 : tensor<3x129xf32>, tensor<f32>
  %zf32_129 = lathe.add %yf32_129, %mf32_129 : tensor<3x129xf32>, tensor<f32>
  %sf32_129 = lathe.sort %zf32_129 dim 1 : tensor<3x129xf32>
  %af32_129 = lathe.argsort %zf32_129 dim 1 : tensor<3x129xf32>
  %mf32_257 = lathe.constant dense<1000.0> : tensor<f32>
  %yf32_257 = lathe.mul %xf32_257, %mf32_257 : tensor<3x257xf32>, tensor<f32>
  %zf32_257 = lathe.add %yf32_257, %mf32_257 : tensor<3x257xf32>, tensor<f32>
  %sf32_257 = lathe.sort %zf32_257 dim 1 : tensor<3x257xf32>
  %af32_257 = lathe.argsort %zf32_257 dim 1 descending : tensor<3x257xf32>
  %mf32_1000 = lathe.constant dense<1000.0> : tensor<f32>
  %yf32_1000 = lathe.mul %xf32_1000, %mf32_1000 : tensor<3x1000xf32>, tensor<f32>
  %zf32_1000 = lathe.add %yf32_1000, %mf32_1000 : tensor<3x1000xf32>, tensor<f32>
  %sf32_1000 = lathe.sort %zf32_1000 dim 1 descending : tensor<3x1000xf32>
  %af32_1000 = lathe.argsort %zf32_1000 dim 1 : tensor<3x1000xf32>
  %mf32_2048 = lathe.constant dense<1000.0> : tensor<f32>
  %yf32_2048 = lathe.mul %xf32_2048, %mf32_2048 : tensor<3x2048xf32>, tensor<f32>
  %zf32_2048 = lathe.add %yf32_2048, %mf32_2048 : tensor<3x2048xf32>, tensor<f32>
  %sf32_2048 = lathe.sort %zf32_2048 dim 1 : tensor<3x2048xf32>
  %af32_2048 = lathe.argsort %zf32_2048 dim 1 descending : tensor<3x2048xf32>
  %mf64_65 = lathe.constant dense<1000.0> : tensor<f64>
  %yf64_65 = lathe.mul %xf64_65, %mf64_65 : tensor<3x65xf64>, tensor<f64>
  %zf64_65 = lathe.add %yf64_65, %mf64_65 : tensor<3x65xf64>, tensor<f64>
  %sf64_65 = lathe.sort %zf64_65 dim 1 : tensor<3x65xf64>
  %af64_65 = lathe.argsort %zf64_65 dim 1 descending : tensor<3x65xf64>
  %mf64_100 = lathe.constant dense<1000.0> : tensor<f64>
  %yf64_100 = lathe.mul %xf64_100, %mf64_100 : tensor<3x100xf64>, tensor<f64>
  %zf64_100 = lathe.add %yf64_100, %mf64_100 : tensor<3x100xf64>, tensor<f64>
  %sf64_100 = lathe.sort %zf64_100 dim 1 descending : tensor<3x100xf64>
  %af64_100 = lathe.argsort %zf64_100 dim 1 : tensor<3x100xf64>
  %mf64_128 = lathe.constant dense<1000.0> : tensor<f64>
  %yf64_128 = lathe.mul %xf64_128, %mf64_128 : tensor<3x128xf64>, tensor<f64>
  %zf64_128 = lathe.add %yf64_128, %mf64_128 : tensor<3x128xf64>, tensor<f64>
  %sf64_128 = lathe.sort %zf64_128 dim 1 : tensor<3x128xf64>
  %af64_128 = lathe.argsort %zf64_128 dim 1 descending : tensor<3x128xf64>
  %mf64_129 = lathe.constant dense<1000.0> : tensor<f64>
  %yf64_129 = lathe.mul %xf64_129, %mf64_129 : tensor<3x129xf64>, tensor<f64>
  %zf64_129 = lathe.add %yf64_129, %mf64_129 : tensor<3x129xf64>, tensor<f64>
  %sf64_129 = lathe.sort %zf64_129 dim 1 : tensor<3x129xf64>
  %af64_129 = lathe.argsort %zf64_129 dim 1 : tensor<3x129xf64>
  %mf64_257 = lathe.constant dense<1000.0> : tensor<f64>
  %yf64_257 = lathe.mul %xf64_257, %mf64_257 : tensor<3x257xf64>, tensor<f64>
  %zf64_257 = lathe.add %yf64_257, %mf64_257 : tensor<3x257xf64>, tensor<f64>
  %sf64_257 = lathe.sort %zf64_257 dim 1 : tensor<3x257xf64>
  %af64_257 = lathe.argsort %zf64_257 dim 1 descending : tensor<3x257xf64>
  %mf64_1000 = lathe.constant dense<1000.0> : tensor<f64>
  %yf64_1000 = lathe.mul %xf64_1000, %mf64_1000 : tensor<3x1000xf64>, tensor<f64>
  %zf64_1000 = lathe.add %yf64_1000, %mf64_1000 : tensor<3x1000xf64>, tensor<f64>
  %sf64_1000 = lathe.sort %zf64_1000 dim 1 descending : tensor<3x1000xf64>
  %af64_1000 = lathe.argsort %zf64_1000 dim 1 : tensor<3x1000xf64>
  %mf64_2048 = lathe.constant dense<1000.0> : tensor<f64>
  %yf64_2048 = lathe.mul %xf64_2048, %mf64_2048 : tensor<3x2048xf64>, tensor<f64>
  %zf64_2048 = lathe.add %yf64_2048, %mf64_2048 : tensor<3x2048xf64>, tensor<f64>
  %sf64_2048 = lathe.sort %zf64_2048 dim 1 : tensor<3x2048xf64>
  %af64_2048 = lathe.argsort %zf64_2048 dim 1 descending : tensor<3x2048xf64>
  return %sf32_65, %af32_65, %sf32_100, %af32_100, %sf32_128, %af32_128, %sf32_129, %af32_129, %sf32_257, %af32_257, %sf32_1000, %af32_1000, %sf32_2048, %af32_2048, %sf64_65, %af64_65, %sf64_100, %af64_100, %sf64_128, %af64_128, %sf64_129, %af64_129, %sf64_257, %af64_257, %sf64_1000, %af64_1000, %sf64_2048, %af64_2048
      : tensor<3x65xf32>, tensor<3x65xi32>, tensor<3x100xf32>, tensor<3x100xi32>, tensor<3x128xf32>, tensor<3x128xi32>, tensor<3x129xf32>, tensor<3x129xi32>, tensor<3x257xf32>, tensor<3x257xi32>, tensor<3x1000xf32>, tensor<3x1000xi32>, tensor<3x2048xf32>, tensor<3x2048xi32>, tensor<3x65xf64>, tensor<3x65xi32>, tensor<3x100xf64>, tensor<3x100xi32>, tensor<3x128xf64>, tensor<3x128xi32>, tensor<3x129xf64>, tensor<3x129xi32>, tensor<3x257xf64>, tensor<3x257xi32>, tensor<3x1000xf64>, tensor<3x1000xi32>, tensor<3x2048xf64>, tensor<3x2048xi32>
}

func.func @ints(%xi32_65: tensor<3x65xi32>, %xi32_100: tensor<3x100xi32>, %xi32_128: tensor<3x128xi32>, %xi32_129: tensor<3x129xi32>, %xi32_257: tensor<3x257xi32>, %xi32_1000: tensor<3x1000xi32>, %xi32_2048: tensor<3x2048xi32>, %xi64_65: tensor<3x65xi64>, %xi64_100: tensor<3x100xi64>, %xi64_128: tensor<3x128xi64>, %xi64_129: tensor<3x129xi64>, %xi64_257: tensor<3x257xi64>, %xi64_1000: tensor<3x1000xi64>, %xi64_2048: tensor<3x2048xi64>, %seed: tensor<i64>)
    -> (tensor<3x65xi32>, tensor<3x65xi32>, tensor<3x100xi32>, tensor<3x100xi32>, tensor<3x128xi32>, tensor<3x128xi32>, tensor<3x129xi32>, tensor<3x129xi32>, tensor<3x257xi32>, tensor<3x257xi32>, tensor<3x1000xi32>, tensor<3x1000xi32>, tensor<3x2048xi32>, tensor<3x2048xi32>, tensor<3x65xi64>, tensor<3x65xi32>, tensor<3x100xi64>, tensor<3x100xi32>, tensor<3x128xi64>, tensor<3x128xi32>, tensor<3x129xi64>, tensor<3x129xi32>, tensor<3x257xi64>, tensor<3x257xi32>, tensor<3x1000xi64>, tensor<3x1000xi32>, tensor<3x2048xi64>, tensor<3x2048xi32>) {
  %mi32_65 = lathe.constant dense<1> : tensor<i32>
  %bi32_65 = lathe.random_bits %seed stream 65 to [3, 65] : i32
  %ci32_65 = lathe.add %xi32_65, %mi32_65 : tensor<3x65xi32>, tensor<i32>
  %ei32_65 = lathe.constant dense<5> : tensor<i32>
  %zi32_65 = lathe.shift_right_arithmetic %bi32_65, %ei32_65 : tensor<3x65xi32>, tensor<i32>
  %si32_65 = lathe.sort %zi32_65 dim 1 : tensor<3x65xi32>
  %ai32_65 = lathe.argsort %ci32_65 dim 1 descending : tensor<3x65xi32>
  %mi32_100 = lathe.constant dense<1> : tensor<i32>
  %bi32_100 = lathe.random_bits %seed stream 100 to [3, 100] : i32
  %ci32_100 = lathe.add %xi32_100, %mi32_100 : tensor<3x100xi32>, tensor<i32>
  %ei32_100 = lathe.constant dense<5> : tensor<i32>
  %zi32_100 = lathe.shift_right_arithmetic %bi32_100, %ei32_100 : tensor<3x100xi32>, tensor<i32>
  %si32_100 = lathe.sort %zi32_100 dim 1 descending : tensor<3x100xi32>
  %ai32_100 = lathe.argsort %ci32_100 dim 1 : tensor<3x100xi32>
  %mi32_128 = lathe.constant dense<1> : tensor<i32>
  %bi32_128 = lathe.random_bits %seed stream 128 to [3, 128] : i32
  %ci32_128 = lathe.add %xi32_128, %mi32_128 : tensor<3x128xi32>, tensor<i32>
  %ei32_128 = lathe.constant dense<5> : tensor<i32>
  %zi32_128 = lathe.shift_right_arithmetic %bi32_128, %ei32_128 : tensor<3x128xi32>, tensor<i32>
  %si32_128 = lathe.sort %zi32_128 dim 1 : tensor<3x128xi32>
  %ai32_128 = lathe.argsort %ci32_128 dim 1 descending : tensor<3x128xi32>
  %mi32_129 = lathe.constant dense<1> : tensor<i32>
  %bi32_129 = lathe.random_bits %seed stream 129 to [3, 129] : i32
  %ci32_129 = lathe.add %xi32_129, %mi32_129 : tensor<3x129xi32>, tensor<i32>
  %ei32_129 = lathe.constant dense<5> : tensor<i32>
  %zi32_129 = lathe.shift_right_arithmetic %bi32_129, %ei32_129 : tensor<3x129xi32>, tensor<i32>
  %si32_129 = lathe.sort %zi32_129 dim 1 : tensor<3x129xi32>
  %ai32_129 = lathe.argsort %ci32_129 dim 1 : tensor<3x129xi32>
  %mi32_257 = lathe.constant dense<1> : tensor<i32>
  %bi32_257 = lathe.random_bits %seed stream 257 to [3, 257] : i32
  %ci32_257 = lathe.add %xi32_257, %mi32_257 : tensor<3x257xi32>, tensor<i32>
  %ei32_257 = lathe.constant dense<5> : tensor<i32>
  %zi32_257 = lathe.shift_right_arithmetic %bi32_257, %ei32_257 : tensor<3x257xi32>, tensor<i32>
  %si32_257 = lathe.sort %zi32_257 dim 1 : tensor<3x257xi32>
  %ai32_257 = lathe.argsort %ci32_257 dim 1 descending : tensor<3x257xi32>
  %mi32_1000 = lathe.constant dense<1> : tensor<i32>
  %bi32_1000 = lathe.random_bits %seed stream 1000 to [3, 1000] : i32
  %ci32_1000 = lathe.add %xi32_1000, %mi32_1000 : tensor<3x1000xi32>, tensor<i32>
  %ei32_1000 = lathe.constant dense<5> : tensor<i32>
  %zi32_1000 = lathe.shift_right_arithmetic %bi32_1000, %ei32_1000 : tensor<3x1000xi32>, tensor<i32>
  %si32_1000 = lathe.sort %zi32_1000 dim 1 descending : tensor<3x1000xi32>
  %ai32_1000 = lathe.argsort %ci32_1000 dim 1 : tensor<3x1000xi32>
  %mi32_2048 = lathe.constant dense<1> : tensor<i32>
  %bi32_2048 = lathe.random_bits %seed stream 2048 to [3, 2048] : i32
  %ci32_2048 = lathe.add %xi32_2048, %mi32_2048 : tensor<3x2048xi32>, tensor<i32>
  %ei32_2048 = lathe.constant dense<5> : tensor<i32>
  %zi32_2048 = lathe.shift_right_arithmetic %bi32_2048, %ei32_2048 : tensor<3x2048xi32>, tensor<i32>
  %si32_2048 = lathe.sort %zi32_2048 dim 1 : tensor<3x2048xi32>
  %ai32_2048 = lathe.argsort %ci32_2048 dim 1 descending : tensor<3x2048xi32>
  %mi64_65 = lathe.constant dense<1> : tensor<i64>
  %bi64_65 = lathe.random_bits %seed stream 65 to [3, 65] : i64
  %ci64_65 = lathe.add %xi64_65, %mi64_65 : tensor<3x65xi64>, tensor<i64>
  %ei64_65 = lathe.constant dense<5> : tensor<i64>
  %zi64_65 = lathe.shift_right_arithmetic %bi64_65, %ei64_65 : tensor<3x65xi64>, tensor<i64>
  %si64_65 = lathe.sort %zi64_65 dim 1 : tensor<3x65xi64>
  %ai64_65 = lathe.argsort %ci64_65 dim 1 descending : tensor<3x65xi64>
  %mi64_100 = lathe.constant dense<1> : tensor<i64>
  %bi64_100 = lathe.random_bits %seed stream 100 to [3, 100] : i64
  %ci64_100 = lathe.add %xi64_100, %mi64_100 : tensor<3x100xi64>, tensor<i64>
  %ei64_100 = lathe.constant dense<5> : tensor<i64>
  %zi64_100 = lathe.shift_right_arithmetic %bi64_100, %ei64_100 : tensor<3x100xi64>, tensor<i64>
  %si64_100 = lathe.sort %zi64_100 dim 1 descending : tensor<3x100xi64>
  %ai64_100 = lathe.argsort %ci64_100 dim 1 : tensor<3x100xi64>
  %mi64_128 = lathe.constant dense<1> : tensor<i64>
  %bi64_128 = lathe.random_bits %seed stream 128 to [3, 128] : i64
  %ci64_128 = lathe.add %xi64_128, %mi64_128 : tensor<3x128xi64>, tensor<i64>
  %ei64_128 = lathe.constant dense<5> : tensor<i64>
  %zi64_128 = lathe.shift_right_arithmetic %bi64_128, %ei64_128 : tensor<3x128xi64>, tensor<i64>
  %si64_128 = lathe.sort %zi64_128 dim 1 : tensor<3x128xi64>
  %ai64_128 = lathe.argsort %ci64_128 dim 1 descending : tensor<3x128xi64>
  %mi64_129 = lathe.constant dense<1> : tensor<i64>
  %bi64_129 = lathe.random_bits %seed stream 129 to [3, 129] : i64
  %ci64_129 = lathe.add %xi64_129, %mi64_129 : tensor<3x129xi64>, tensor<i64>
  %ei64_129 = lathe.constant dense<5> : tensor<i64>
  %zi64_129 = lathe.shift_right_arithmetic %bi64_129, %ei64_129 : tensor<3x129xi64>, tensor<i64>
  %si64_129 = lathe.sort %zi64_129 dim 1 : tensor<3x129xi64>
  %ai64_129 = lathe.argsort %ci64_129 dim 1 : tensor<3x129xi64>
  %mi64_257 = lathe.constant dense<1> : tensor<i64>
  %bi64_257 = lathe.random_bits %seed stream 257 to [3, 257] : i64
  %ci64_257 = lathe.add %xi64_257, %mi64_257 : tensor<3x257xi64>, tensor<i64>
  %ei64_257 = lathe.constant dense<5> : tensor<i64>
  %zi64_257 = lathe.shift_right_arithmetic %bi64_257, %ei64_257 : tensor<3x257xi64>, tensor<i64>
  %si64_257 = lathe.sort %zi64_257 dim 1 : tensor<3x257xi64>
  %ai64_257 = lathe.argsort %ci64_257 dim 1 descending : tensor<3x257xi64>
  %mi64_1000 = lathe.constant dense<1> : tensor<i64>
  %bi64_1000 = lathe.random_bits %seed stream 1000 to [3, 1000] : i64
  %ci64_1000 = lathe.add %xi64_1000, %mi64_1000 : tensor<3x1000xi64>, tensor<i64>
  %ei64_1000 = lathe.constant dense<5> : tensor<i64>
  %zi64_1000 = lathe.shift_right_arithmetic %bi64_1000, %ei64_1000 : tensor<3x1000xi64>, tensor<i64>
  %si64_1000 = lathe.sort %zi64_1000 dim 1 descending : tensor<3x1000xi64>
  %ai64_1000 = lathe.argsort %ci64_1000 dim 1 : tensor<3x1000xi64>
  %mi64_2048 = lathe.constant dense<1> : tensor<i64>
  %bi64_2048 = lathe.random_bits %seed stream 2048 to [3, 2048] : i64
  %ci64_2048 = lathe.add %xi64_2048, %mi64_2048 : tensor<3x2048xi64>, tensor<i64>
  %ei64_2048 = lathe.constant dense<5> : tensor<i64>
  %zi64_2048 = lathe.shift_right_arithmetic %bi64_2048, %ei64_2048 : tensor<3x2048xi64>, tensor<i64>
  %si64_2048 = lathe.sort %zi64_2048 dim 1 : tensor<3x2048xi64>
  %ai64_2048 = lathe.argsort %ci64_2048 dim 1 descending : tensor<3x2048xi64>
  return %si32_65, %ai32_65, %si32_100, %ai32_100, %si32_128, %ai32_128, %si32_129, %ai32_129, %si32_257, %ai32_257, %si32_1000, %ai32_1000, %si32_2048, %ai32_2048, %si64_65, %ai64_65, %si64_100, %ai64_100, %si64_128, %ai64_128, %si64_129, %ai64_129, %si64_257, %ai64_257, %si64_1000, %ai64_1000, %si64_2048, %ai64_2048
      : tensor<3x65xi32>, tensor<3x65xi32>, tensor<3x100xi32>, tensor<3x100xi32>, tensor<3x128xi32>, tensor<3x128xi32>, tensor<3x129xi32>, tensor<3x129xi32>, tensor<3x257xi32>, tensor<3x257xi32>, tensor<3x1000xi32>, tensor<3x1000xi32>, tensor<3x2048xi32>, tensor<3x2048xi32>, tensor<3x65xi64>, tensor<3x65xi32>, tensor<3x100xi64>, tensor<3x100xi32>, tensor<3x128xi64>, tensor<3x128xi32>, tensor<3x129xi64>, tensor<3x129xi32>, tensor<3x257xi64>, tensor<3x257xi32>, tensor<3x1000xi64>, tensor<3x1000xi32>, tensor<3x2048xi64>, tensor<3x2048xi32>
}

// Zeros of both signs in turn, one NaN of each sign, and numbers: equal ones keep their order, so the bits tell.
func.func @special() -> (tensor<2x200xf32> {lathe.name = "r"}, tensor<2x200xf64> {lathe.name = "d"}) {
  %i = lathe.iota dim 1 to [2, 200] : f32
  %three = lathe.constant dense<3.0> : tensor<f32>
  %rest = lathe.rem %i, %three : tensor<2x200xf32>, tensor<f32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %signed = lathe.sub %rest, %one : tensor<2x200xf32>, tensor<f32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %zeros = lathe.mul %signed, %zero : tensor<2x200xf32>, tensor<f32>
  %below = lathe.constant dense<150.0> : tensor<f32>
  %small = lathe.compare lt %i, %below : tensor<2x200xf32>, tensor<f32>
  %numbers = lathe.select %small, %zeros, %signed : tensor<2x200xi1>, tensor<2x200xf32>
  %ten = lathe.constant dense<10.0> : tensor<f32>
  %isTen = lathe.compare eq %i, %ten : tensor<2x200xf32>, tensor<f32>
  %nan = lathe.div %zeros, %zeros : tensor<2x200xf32>
  %x = lathe.select %isTen, %nan, %numbers : tensor<2x200xi1>, tensor<2x200xf32>
  %r = lathe.sort %x dim 1 : tensor<2x200xf32>
  %y = lathe.convert %numbers to f64 : tensor<2x200xf32>
  %d = lathe.sort %y dim 1 descending : tensor<2x200xf64>
  return %r, %d : tensor<2x200xf32>, tensor<2x200xf64>
}
