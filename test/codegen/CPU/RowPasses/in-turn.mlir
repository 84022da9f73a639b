// Two rows at a time go through each pass one after the other on x86-64, which overlaps the passes by itself, however many
// registers it has. AArch64 computes both in lockstep.
// RUN: lathec %s --target=x86-64-v3 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=TURN
// RUN: lathec %s --target=x86-64-v4 --explain --emit=none 2>&1 | FileCheck %s --check-prefix=TURN
// RUN: lathec %s --target=aarch64-linux-gnu --explain --emit=none 2>&1 | FileCheck %s --check-prefix=STEP
// TURN: row_passes {in_registers = false, in_turn = true, {{.*}}rows = 2
// STEP: row_passes {in_registers = false, in_turn = false, {{.*}}rows = 2
// RUN: lathe-run %s --random --check --rtol 1e-12 --target x86-64-v3
// RUN: lathe-run %s --random --check --rtol 1e-12
func.func @f(%x: tensor<50x200xf64>) -> tensor<50x200xf64> {
  %most = lathe.reduce max %x dims [1] : tensor<50x200xf64>
  %rows = lathe.broadcast %most dims [0] to [50, 200] : tensor<50xf64>
  %off = lathe.sub %x, %rows : tensor<50x200xf64>
  %powers = lathe.exp %off : tensor<50x200xf64>
  %sum = lathe.reduce sum %powers dims [1] : tensor<50x200xf64>
  %sums = lathe.broadcast %sum dims [0] to [50, 200] : tensor<50xf64>
  %y = lathe.div %powers, %sums : tensor<50x200xf64>
  return %y : tensor<50x200xf64>
}
