// --tune measures the kernels of all entries, writes the schedules that are faster, and compiles with them. The bits of results stay.
// RUN: rm -rf %t.dir && mkdir -p %t.dir/later && cd %t.dir
// RUN: lathec %s --target x86-64-v3 --explain --emit=none 2>&1 | sed -n 's/.*schedule\] \(kernel_dot[^ ]*\) .*/\1 #lathe.schedule<"x86-64-v3" contraction {rows = 1, vectors = 1, lanes = 8, block_depth = 0, block_tiles = 1}>/p' > slow
// RUN: lathec %s --target x86-64-v3 --schedule=slow --tune=3 --tune-size=N=96 --tune-output=fast --emit=shared -o g.so 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=FILE %s < fast
// RUN: lathec %s --target x86-64-v3 --schedule=fast --explain --emit=shared -o later/g.so 2>&1 | FileCheck --check-prefix=TAKEN %s
// RUN: cmp g.so later/g.so
// RUN: lathe-run g.so product --random --dim N=7 --save tuned && lathe-run %s product --random --dim N=7 --save plain && diff -r tuned plain
// CHECK: lathec: tuned @product, N=96
// CHECK-NEXT: line [[@LINE+14]] lathe.dot_general: {{.*}} to {{.*}} us
// CHECK-NEXT: all kernels: {{.*}} to {{.*}} us after {{[1-9][0-9]*}} rounds
// CHECK: lathec: tuned @sum, N=96
// CHECK: all kernels:
// FILE: // line [[@LINE+10]] lathe.dot_general: {{.*}} us; other schedules take this part of the time:
// FILE: {{^}}kernel_dot_general_{{[0-9a-f]+}} #lathe.schedule<"x86-64-v3" contraction {
// TAKEN: kernel_dot_general_{{[0-9a-f]+}} for x86-64-v3, by the user: contraction {

// Sizes that versions specialise need no other. The file has a name, and the output is written as without --tune.
// RUN: lathec %s --tune=0.01 --specialize=N=8,16 2>&1 | FileCheck --check-prefix=VERSIONS %s && ls tune.schedules tune.o tune.h
// VERSIONS-DAG: lathec: tuned @product, N=8
// VERSIONS-DAG: lathec: tuned @product, N=16
// VERSIONS-DAG: lathec: tuned @sum, N=8
func.func @product(%x: tensor<?x256xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<256x256xf32>) -> tensor<?x256xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [0] : tensor<?x256xf32>, tensor<256x256xf32>
  %1 = lathe.tanh %0 : tensor<?x256xf32>
  return %1 : tensor<?x256xf32>
}
func.func @sum(%x: tensor<?x1000xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %0 = lathe.reduce sum %x dims [1] : tensor<?x1000xf32>
  return %0 : tensor<?xf32>
}

// RUN: not lathec %s --tune=1 2>&1 | FileCheck --check-prefix=SIZE %s
// SIZE: lathec: error: --tune: measuring @product needs a size of 'N'; add --tune-size=N=32, for example
// RUN: not lathec %s --tune=1 --tune-size=M=3 2>&1 | FileCheck --check-prefix=NAME %s
// NAME: lathec: error: --tune-size: the graph has no dimension 'M'; it has N
// RUN: not lathec %s --tune=1 --tune-size=N=a 2>&1 | FileCheck --check-prefix=NUMBER %s
// NUMBER: lathec: error: --tune-size: expected NAME=SIZE, got 'N=a'
// RUN: not lathec %s --tune-size=N=3 2>&1 | FileCheck --check-prefix=ALONE %s
// ALONE: lathec: error: --tune-output and --tune-size need --tune
// RUN: not lathec %s --tune=1 --tune-size=N=3 --target x86-64-v2,x86-64-v3 2>&1 | FileCheck --check-prefix=TARGETS %s
// TARGETS: lathec: error: --tune measures one CPU target; 'x86-64-v2,x86-64-v3' names others
// RUN: not lathec %s --tune=1 --tune-size=N=3 --tune-output=%s 2>&1 | FileCheck --check-prefix=GRAPH %s
// GRAPH: lathec: error: cannot write '{{.*}}tune.mlir': it is a file that this compilation reads
// RUN: not lathec - --tune=1 < %s 2>&1 | FileCheck --check-prefix=STREAM %s
// STREAM: lathec: error: --tune needs the file of a graph, which it compiles many times
