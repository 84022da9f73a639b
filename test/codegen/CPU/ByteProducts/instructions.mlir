// The instructions that multiply bytes, by the target's features. On x86-64, they multiply u8 by i8; on AArch64, i8 by i8.
// Bytes of the other signedness are moved by 128, and their zero points with them.
// RUN: %python %S/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --target x86_64-linux-gnu:znver4 -o %t.o && llvm-objdump -d %t.o | FileCheck %s --check-prefix=ZMM
// RUN: lathec %t.mlir --target x86_64-linux-gnu:haswell:+avxvnni -o %t.o && llvm-objdump -d %t.o | FileCheck %s --check-prefix=YMM
// RUN: lathec %t.mlir --target x86-64-v4 -o %t.o && llvm-objdump -d %t.o | FileCheck %s --check-prefix=V4
// RUN: lathec %t.mlir --target x86-64-v4-vnni -o %t.o && llvm-objdump -d %t.o | FileCheck %s --check-prefix=ZMM
// RUN: lathec %t.mlir --target x86-64-v4-bf16 -o %t.o && llvm-objdump -d %t.o | FileCheck %s --check-prefix=ZMM
// RUN: lathec %t.mlir --target x86-64-v3 -o %t.o && llvm-objdump -d %t.o | FileCheck %s --check-prefix=V3
// RUN: lathec %t.mlir --target x86-64-v2 -o %t.o && llvm-objdump -d %t.o | FileCheck %s --check-prefix=V2
// RUN: lathec %t.mlir --target aarch64-linux-gnu:neoverse-v2 -o %t.o && llvm-objdump -d %t.o | FileCheck %s --check-prefix=SDOT
// RUN: lathec %t.mlir --target aarch64-linux-gnu -o %t.o && llvm-objdump -d %t.o | FileCheck %s --check-prefix=NEON

// ZMM-COUNT-16: vpdpbusd {{.*}}%zmm
// YMM-COUNT-12: vpdpbusd {{.*}}%ymm
// V4-COUNT-8: vpmaddubsw {{.*}}%zmm
// V3-COUNT-12: vpmaddubsw {{.*}}%ymm
// V3: vpaddw {{.*}}%ymm
// V3: vpmaddwd {{.*}}%ymm
// V2-COUNT-8: pmaddwd {{.*}}%xmm
// SDOT-COUNT-24: sdot v{{[0-9]+}}.4s
// NEON: smull
func.func @f(%x: tensor<64x64xi8>) -> tensor<64x64xi32> {
  %w = lathe.constant dense<any> : tensor<64x64xi8>
  %0 = lathe.convert %x to i32 : tensor<64x64xi8>
  %z = lathe.constant dense<3> : tensor<i32>
  %c = lathe.sub %0, %z : tensor<64x64xi32>, tensor<i32>
  %1 = lathe.convert %w to i32 : tensor<64x64xi8>
  %2 = lathe.dot_general %c, %1 contract [1] x [0] : tensor<64x64xi32>, tensor<64x64xi32>
  return %2 : tensor<64x64xi32>
}
