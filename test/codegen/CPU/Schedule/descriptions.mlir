// What the cost models know of a CPU: of a level the numbers of VectorTarget, of a model those of its maker's guide, and the dot
// products that LLVM knows of.
// RUN: lathec %s --target x86-64-v3 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=V3
// RUN: lathec %s --target x86-64-v4 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=V4
// RUN: lathec %s --target x86_64-linux-gnu:znver4 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=ZEN4
// RUN: lathec %s --target x86_64-linux-gnu:znver5 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=ZEN5
// RUN: lathec %s --target x86_64-linux-gnu:haswell --explain --emit=none 2>&1 | FileCheck %s --check-prefix=HASWELL
// RUN: lathec %s --target aarch64-linux-gnu:neoverse-v2 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=V2
// RUN: lathec %s --target aarch64-linux-gnu --explain --emit=none 2>&1 | FileCheck %s --check-prefix=ARM
// RUN: lathec %s --target aarch64-linux-gnu:generic:+dotprod --explain --emit=none 2>&1 | FileCheck %s --check-prefix=DOTS

// V3: [schedule] x86-64-v3: 16 registers of 32 bytes, 2 multiply-adds a cycle with a latency of 4, 2 loads a cycle, caches of 32 and 1024 KB, 32 bytes a cycle from the second, dot products: none
// V4: [schedule] x86-64-v4: 32 registers of 64 bytes, {{.*}} dot products: none
// ZEN4: znver4: 32 registers of 64 bytes, 2 multiply-adds a cycle with a latency of 4, 2 loads a cycle, caches of 32 and 1024 KB, 32 bytes a cycle from the second, dot products: i8 and bf16
// ZEN5: znver5: 32 registers of 64 bytes, 2 multiply-adds a cycle with a latency of 4, 2 loads a cycle, caches of 48 and 1024 KB, 64 bytes a cycle from the second, dot products: i8 and bf16
// HASWELL: haswell: 16 registers of 32 bytes, 2 multiply-adds a cycle with a latency of 5, 2 loads a cycle, caches of 32 and 256 KB, 32 bytes a cycle from the second, dot products: none
// V2: neoverse-v2: 32 registers of 16 bytes, 4 multiply-adds a cycle with a latency of 4, 3 loads a cycle, caches of 64 and 1024 KB, 32 bytes a cycle from the second, dot products: i8 and bf16
// ARM: generic: 32 registers of 16 bytes, {{.*}} dot products: none
// DOTS: generic: 32 registers of 16 bytes, {{.*}} dot products: i8
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lathe.neg %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
