// RUN: lathec %s --target=x86_64-pc-linux-gnu:x86-64-v3 --emit=asm -o - | FileCheck %s --check-prefix=V3
// RUN: lathec %s --target=x86_64-pc-linux-gnu:x86-64-v4 --emit=asm -o - | FileCheck %s --check-prefix=V4
// RUN: lathe-run %s f --random --check --rtol 1e-12 --target x86-64-v2
// RUN: lathe-run %s f --random --check --rtol 1e-12 --target x86-64-v3
// RUN: lathe-run %s f --random --check --rtol 1e-12 --threads 2
// RUN: lathe-run %s fours --random --check --rtol 1e-12
// Rows of three elements are stored in two pieces, of two lanes and of one: a store under a mask takes longer on some CPUs. With
// AVX-512, only rows of four are stored without a mask, in one piece.

// V3: kernel_reduce
// V3-NOT: vmaskmovpd %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, {{[0-9]*}}(
// V3: vmov{{[a-z]*}}{{.*}}%xmm{{[0-9]+}}, {{[0-9-]*}}(
// V3-NOT: vmaskmovpd %ymm{{[0-9]+}}, %ymm{{[0-9]+}}, {{[0-9]*}}(
// V3: vzeroupper
// V4: kernel_reduce
// V4: vmov{{[a-z]*}} %{{[xyz]}}mm{{[0-9]+}}, {{.*}}) {%k
// V4: vzeroupper
// V4: kernel_reduce
// V4-NOT: vmov{{[a-z]*}} %{{[xyz]}}mm{{[0-9]+}}, {{.*}}) {%k
// V4: vzeroupper
func.func @f(%x: tensor<100x3xf64>) -> (tensor<100x3xf64>, tensor<100x3xf64>, tensor<100xf64>) {
  %square = lathe.mul %x, %x : tensor<100x3xf64>
  %sum = lathe.reduce sum %square dims [1] : tensor<100x3xf64>
  %rows = lathe.broadcast %sum dims [0] to [100, 3] : tensor<100xf64>
  %y = lathe.mul %x, %rows : tensor<100x3xf64>
  return %y, %square, %sum : tensor<100x3xf64>, tensor<100x3xf64>, tensor<100xf64>
}
func.func @fours(%x: tensor<100x4xf64>) -> (tensor<100x4xf64>, tensor<100xf64>) {
  %square = lathe.mul %x, %x : tensor<100x4xf64>
  %sum = lathe.reduce sum %square dims [1] : tensor<100x4xf64>
  %rows = lathe.broadcast %sum dims [0] to [100, 4] : tensor<100xf64>
  %y = lathe.mul %x, %rows : tensor<100x4xf64>
  return %y, %sum : tensor<100x4xf64>, tensor<100xf64>
}
