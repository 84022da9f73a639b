// The products whose operands are rounded to bf16, and those that stay as they are.
// RUN: split-file %s %t
// RUN: lathe-opt %t/rounded.mlir --lathe-round-products | FileCheck %t/rounded.mlir
// RUN: lathe-opt %t/others.mlir --lathe-round-products | FileCheck %t/others.mlir --implicit-check-not=bf16

// Only under --math=fast, with optimisation and fusion, and for CPUs with the instructions.
// RUN: lathec %t/rounded.mlir --math=fast --target=x86_64-linux-gnu:znver4 --emit=none --explain 2>&1 | FileCheck %t/rounded.mlir --check-prefix=EXPLAIN
// RUN: lathec %t/rounded.mlir --math=fast --target=x86_64-linux-gnu:sapphirerapids --emit=none --explain 2>&1 | FileCheck %t/rounded.mlir --check-prefix=EXPLAIN
// RUN: lathec %t/rounded.mlir --math=fast --target=x86_64-linux-gnu:skylake-avx512:+avx512bf16 --emit=none --explain 2>&1 | FileCheck %t/rounded.mlir --check-prefix=EXPLAIN
// RUN: lathec %t/rounded.mlir --math=fast --target=x86-64-v4-bf16 --emit=none --explain 2>&1 | FileCheck %t/rounded.mlir --check-prefix=EXPLAIN
// RUN: lathec %t/rounded.mlir --target=x86_64-linux-gnu:znver4 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='rounded to bf16'
// RUN: lathec %t/rounded.mlir --math=fast -O0 --target=x86_64-linux-gnu:znver4 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='rounded to bf16'
// RUN: lathec %t/rounded.mlir --math=fast --target=x86-64-v2,x86-64-v3,x86-64-v4 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='rounded to bf16'
// RUN: lathec %t/rounded.mlir --math=fast --target=x86-64-v4,x86-64-v4-bf16 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='rounded to bf16'
// RUN: lathec %t/rounded.mlir --math=fast --target=x86_64-linux-gnu:znver3 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='rounded to bf16'
// RUN: lathec %t/rounded.mlir --math=fast --target=aarch64-linux-gnu:neoverse-v2 --emit=none --explain 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='rounded to bf16'
// NONE: remark

//--- rounded.mlir
// EXPLAIN: rounded.mlir:{{[0-9:]+}} remark: [layout] --math=fast: the operands of the product are rounded to bf16, and products are added in pairs

// Two products read one rounded operand.
// CHECK-LABEL: @shared(
// CHECK-SAME: %[[X:.*]]: tensor<64x96xf32>, %[[V:.*]]: tensor<96x64xf32>, %[[W:.*]]: tensor<96x72xf32>
// CHECK-DAG: %[[XH:.*]] = lathe.convert %[[X]] to bf16
// CHECK-DAG: %[[VH:.*]] = lathe.convert %[[V]] to bf16
// CHECK-DAG: %[[WH:.*]] = lathe.convert %[[W]] to bf16
// CHECK: %[[X0:.*]] = lathe.convert %[[XH]] to f32
// CHECK: %[[V0:.*]] = lathe.convert %[[VH]] to f32
// CHECK: lathe.dot_general %[[X0]], %[[V0]] {{.*}} {lathe.bf16_pairs}
// CHECK: %[[X1:.*]] = lathe.convert %[[XH]] to f32
// CHECK: lathe.dot_general %[[X1]], {{.*}} {lathe.bf16_pairs}
func.func @shared(%x: tensor<64x96xf32>, %v: tensor<96x64xf32>, %w: tensor<96x72xf32>) -> (tensor<64x64xf32>, tensor<64x72xf32>) {
  %0 = lathe.dot_general %x, %v contract [1] x [0] : tensor<64x96xf32>, tensor<96x64xf32>
  %1 = lathe.dot_general %x, %w contract [1] x [0] : tensor<64x96xf32>, tensor<96x72xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x72xf32>
}

// A constant is rounded for any number of rows. What only moves elements moves the rounded ones.
// CHECK-LABEL: @moved(
// CHECK: %[[H:.*]] = lathe.convert %{{.*}} to bf16 : tensor<1x2x3x48xf32>
// CHECK: %[[T:.*]] = lathe.transpose %[[H]] {{.*}} : tensor<1x2x3x48xbf16>
// CHECK: %[[R:.*]] = lathe.reshape %[[T]] to [1, 3, 96] : tensor<1x3x2x48xbf16>
// CHECK: lathe.convert %[[R]] to f32
// CHECK: lathe.dot_general {{.*}} {lathe.bf16_pairs}
func.func @moved(%x: tensor<1x2x3x48xf32>) -> tensor<1x3x64xf32> {
  %w = lathe.constant dense<0.5> : tensor<96x64xf32>
  %0 = lathe.transpose %x [0, 2, 1, 3] : tensor<1x2x3x48xf32>
  %1 = lathe.reshape %0 to [1, 3, 96] : tensor<1x3x2x48xf32>
  %2 = lathe.dot_general %1, %w contract [2] x [0] : tensor<1x3x96xf32>, tensor<96x64xf32>
  return %2 : tensor<1x3x64xf32>
}

// Operands of bf16 are not rounded again.
// CHECK-LABEL: @halves(
// CHECK-COUNT-2: lathe.convert %{{.*}} to f32 : tensor<{{.*}}xbf16>
// CHECK-NOT: to bf16
// CHECK: lathe.dot_general {{.*}} {lathe.bf16_pairs}
func.func @halves(%x: tensor<2x96xbf16>, %w: tensor<96x64xbf16>) -> tensor<2x64xf32> {
  %0 = lathe.convert %x to f32 : tensor<2x96xbf16>
  %1 = lathe.convert %w to f32 : tensor<96x64xbf16>
  %2 = lathe.dot_general %0, %1 contract [1] x [0] : tensor<2x96xf32>, tensor<96x64xf32>
  return %2 : tensor<2x64xf32>
}

// Weights of a loop are rounded before it; what its steps compute, in each step.
// CHECK-LABEL: @loop(
// CHECK: %[[W:.*]] = lathe.convert %{{.*}} to bf16 : tensor<96x96xf32>
// CHECK: lathe.scan carry(%[[C:.*]] = %{{.*}} : tensor<1x96xf32>)
// CHECK: %[[H:.*]] = lathe.convert %[[C]] to bf16
// CHECK: %[[L:.*]] = lathe.convert %[[H]] to f32
// CHECK: %[[R:.*]] = lathe.convert %[[W]] to f32
// CHECK: lathe.dot_general %[[L]], %[[R]] {{.*}} {lathe.bf16_pairs}
func.func @loop(%x: tensor<5x1x96xf32>, %h: tensor<1x96xf32>) -> tensor<1x96xf32> {
  %w = lathe.constant dense<0.5> : tensor<96x96xf32>
  %0 = lathe.scan carry(%c = %h : tensor<1x96xf32>) over(%s = %x : tensor<5x1x96xf32>) -> (tensor<1x96xf32>) {
    %1 = lathe.dot_general %c, %w contract [1] x [0] : tensor<1x96xf32>, tensor<96x96xf32>
    %2 = lathe.add %1, %s : tensor<1x96xf32>, tensor<1x96xf32>
    lathe.yield carry(%2 : tensor<1x96xf32>)
  }
  return %0 : tensor<1x96xf32>
}

// A constant whose rows are summed is turned.
// CHECK-LABEL: @classifier(
// CHECK: %[[T:.*]] = lathe.transpose %{{.*}} [1, 0] : tensor<40x96xbf16>
// CHECK: lathe.convert %[[T]] to f32
// CHECK: lathe.dot_general {{.*}} contract [1] x [0] {{.*}}{lathe.bf16_pairs}
func.func @classifier(%x: tensor<1x96xf32>) -> tensor<1x40xf32> {
  %wide = lathe.constant dense<0.5> : tensor<40x96xf32>
  %0 = lathe.dot_general %x, %wide contract [1] x [1] : tensor<1x96xf32>, tensor<40x96xf32>
  return %0 : tensor<1x40xf32>
}

//--- others.mlir
// Constants whose rows are summed stay where the product would not suit: few columns.
// CHECK-LABEL: @turned(
// CHECK-NOT: lathe.transpose
// CHECK: lathe.dot_general {{.*}} contract [1] x [1]
func.func @turned(%x: tensor<1x96xf32>) -> tensor<1x4xf32> {
  %w = lathe.constant dense<0.5> : tensor<4x96xf32>
  %0 = lathe.dot_general %x, %w contract [1] x [1] : tensor<1x96xf32>, tensor<4x96xf32>
  return %0 : tensor<1x4xf32>
}

// Few rows by a matrix that is not a constant, batches, few columns, columns that are not contiguous, long sums, other types.
// CHECK-LABEL: @others(
// CHECK-COUNT-7: lathe.dot_general
func.func @others(%few: tensor<4x96xf32>, %w: tensor<96x64xf32>, %x: tensor<64x96xf32>, %narrow: tensor<96x8xf32>, %b: tensor<8x64x96xf32>,
                  %bw: tensor<8x96x64xf32>, %long: tensor<64x8192xf32>, %lw: tensor<8192x64xf32>, %d: tensor<64x96xf64>, %dw: tensor<96x64xf64>,
                  %h: tensor<64x96xf16>)
    -> (tensor<4x64xf32>, tensor<64x8xf32>, tensor<8x64x64xf32>, tensor<64x64xf32>, tensor<64x64xf64>, tensor<64x64xf32>, tensor<96x96xf32>) {
  %0 = lathe.dot_general %few, %w contract [1] x [0] : tensor<4x96xf32>, tensor<96x64xf32>
  %1 = lathe.dot_general %x, %narrow contract [1] x [0] : tensor<64x96xf32>, tensor<96x8xf32>
  %2 = lathe.dot_general %b, %bw contract [2] x [1] batch [0] x [0] : tensor<8x64x96xf32>, tensor<8x96x64xf32>
  %3 = lathe.dot_general %long, %lw contract [1] x [0] : tensor<64x8192xf32>, tensor<8192x64xf32>
  %4 = lathe.dot_general %d, %dw contract [1] x [0] : tensor<64x96xf64>, tensor<96x64xf64>
  %wide = lathe.convert %h to f32 : tensor<64x96xf16>
  %5 = lathe.dot_general %wide, %w contract [1] x [0] : tensor<64x96xf32>, tensor<96x64xf32>
  %6 = lathe.dot_general %x, %x contract [0] x [0] : tensor<64x96xf32>, tensor<64x96xf32>
  return %0, %1, %2, %3, %4, %5, %6
    : tensor<4x64xf32>, tensor<64x8xf32>, tensor<8x64x64xf32>, tensor<64x64xf32>, tensor<64x64xf64>, tensor<64x64xf32>, tensor<96x96xf32>
}
