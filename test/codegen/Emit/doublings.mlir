// Where there are more sums than products, a sum of a number with itself is a product by 2, which has the same bits: other units of
// the CPU compute it. The back end sees the 2 in memory only, since it would make a sum of the product again.
// RUN: lathec %s --entry=sums --threads=off --target=x86-64-v4 --emit=asm -o - | FileCheck %s --check-prefix=PRODUCT
// RUN: lathec %s --entry=sums --threads=off --target=x86-64-v3 --emit=asm -o - | FileCheck %s --check-prefix=PRODUCT
// RUN: lathec %s --entry=balanced --threads=off --target=x86-64-v3 --emit=asm -o - | FileCheck %s --check-prefix=SUM
// RUN: lathec %s --entry=sums --threads=off --target=aarch64-linux-gnu --emit=llvm -o - | FileCheck %s --check-prefix=OTHER
// PRODUCT: kernel_
// PRODUCT: vmulp
// PRODUCT: vzeroupper
// SUM: kernel_
// SUM: vaddp{{[sd]}} %[[X:[xyz]mm[0-9]+]], %[[X]], %
// SUM: vzeroupper
// OTHER-NOT: arithmetic.fence
// RUN: lathe-run %s sums --random --save %t.fast --check --rtol 0 --atol 0
// RUN: lathe-run %s sums --random -O 0 --expect y=@%t.fast/out-y.npy --rtol 0 --atol 0
func.func @sums(%a: tensor<1000xf64>, %b: tensor<1000xf64>) -> (tensor<1000xf64> {lathe.name = "y"}) {
  %off = lathe.sub %a, %b : tensor<1000xf64>
  %twice = lathe.add %off, %off : tensor<1000xf64>
  %y = lathe.sub %b, %twice : tensor<1000xf64>
  return %y : tensor<1000xf64>
}
func.func @balanced(%a: tensor<1000xf64>, %b: tensor<1000xf64>) -> tensor<1000xf64> {
  %product = lathe.mul %a, %b : tensor<1000xf64>
  %twice = lathe.add %product, %product : tensor<1000xf64>
  return %twice : tensor<1000xf64>
}
