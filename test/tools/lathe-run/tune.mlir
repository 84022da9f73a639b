// --tune finds a faster schedule than one product a tile, which a file gives, and lathec takes what it writes. No schedule
// changes a bit of a result: the tuner itself compares all of them.
// RUN: lathec %s --target x86-64-v3 --explain --emit=none 2>&1 | sed -n 's/.*schedule\] \(kernel_dot[^ ]*\) .*/\1 #lathe.schedule<"x86-64-v3" contraction {rows = 1, vectors = 1, lanes = 8, block_depth = 0, block_tiles = 1}>/p' > %t.slow
// RUN: lathe-run %s --target x86-64-v3 --random --schedule=%t.slow --tune=2 --tune-output=%t.schedules | FileCheck %s
// RUN: FileCheck --check-prefix=FILE %s < %t.schedules
// RUN: lathec %s --target x86-64-v3 --schedule=%t.schedules --explain --emit=none 2>&1 | FileCheck --check-prefix=TAKEN %s
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir && lathe-run %s --random --tune=0.01 && ls tune.schedules

// CHECK: line [[@LINE+9]] lathe.dot_general: {{.*}} to {{.*}} us
// CHECK: all kernels: {{.*}} to {{.*}} us after {{[1-9][0-9]*}} rounds
// FILE: // line [[@LINE+7]] lathe.dot_general: {{.*}} us; other schedules take this part of the time:
// FILE-NEXT: // 0.{{[0-9]+}} #lathe.schedule<"x86-64-v3"
// FILE: {{^}}kernel_dot_general_{{[0-9a-f]+}} #lathe.schedule<"x86-64-v3" contraction {
// TAKEN: kernel_dot_general_{{[0-9a-f]+}} for x86-64-v3, by the user: contraction {

func.func @f(%x: tensor<96x256xf32>, %w: tensor<256x256xf32>) -> tensor<96x256xf32> {
  // with an epilogue
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<96x256xf32>, tensor<256x256xf32>
  %1 = lathe.tanh %0 : tensor<96x256xf32>
  return %1 : tensor<96x256xf32>
}

// RUN: not lathe-run %s --random --tune=1 --check 2>&1 | FileCheck --check-prefix=WAYS %s
// WAYS: lathe-run: error: --tune cannot be combined with another way to run the graph
// RUN: not lathe-run %s --random --tune-output=%t.x 2>&1 | FileCheck --check-prefix=ALONE %s
// ALONE: lathe-run: error: --tune-output needs --tune
// RUN: not lathe-run %s --random --tune=1 --target x86-64-v2,x86-64-v3 2>&1 | FileCheck --check-prefix=TARGETS %s
// TARGETS: lathe-run: error: --tune measures one CPU target; 'x86-64-v2,x86-64-v3' names others
// RUN: not lathe-run %s --random --tune=1 --tune-output=%t.missing/x 2>&1 | FileCheck --check-prefix=PLACE %s
// PLACE: lathe-run: error: --tune-output: cannot write
