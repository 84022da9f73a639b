// Products of f32 as tf32 on sm_90a, where --math=fast allows it and the depth of both operands lies inside: wgmma reads the words as
// they are. What is not finite is made once more.
// RUN: lathec %s --target=cuda:sm_90a --math=fast --emit=ptx -o - | FileCheck %s
// RUN: lathec %s --target=cuda:sm_90a --math=fast --emit=ptx -o /dev/null --explain 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: lathec %s --target=cuda:sm_90a --emit=ptx -o /dev/null --explain 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: %cuda lathe-run %s whole --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 4e-2
// RUN: %cuda lathe-run %s edges --target=cuda:sm_90a --math=fast --random --check --rtol 4e-3 --atol 2e-2
// RUN: %cuda lathe-run %s rows --target=cuda:sm_90a --math=fast --random --dim N=77 --check --rtol 4e-3 --atol 2e-2
// RUN: %cuda lathe-run %s turned --target=cuda:sm_90a --math=fast --random --check --rtol 2e-3 --atol 2e-2
// RUN: %cuda lathe-run %s beyond --target=cuda:sm_90a --math=fast --input x=-1 --input y=2 --check
// RUN: %cuda lathe-run %s beyond --target=cuda:sm_90a --math=fast --input x=1e38 --input y=1e38 --check
// RUN: %cuda lathe-run %s small_nan --target=cuda:sm_90a --math=fast --input x=2139095041 --input y=2 --check
// EXACT-NOT: warp groups

// CHECK-LABEL: .visible .entry kernel_dot_general_
// CHECK: .reqntid 384
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {{.*}}, lhs, rhs, 1, 1, 1;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: vote.sync.any
// CHECK: cp.async.bulk.tensor.2d
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 128 x 128 by warp groups, blocks of 384 threads
func.func @whole(%x: tensor<256x640xf32>, %y: tensor<256x640xf32>) -> tensor<256x256xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [1] : tensor<256x640xf32>, tensor<256x640xf32>
  return %0 : tensor<256x256xf32>
}

func.func @edges(%x: tensor<3x200x76xf32>, %y: tensor<3x1300x76xf32>) -> tensor<3x200x1300xf32> {
  %0 = lathe.dot_general %x, %y contract [2] x [2] batch [0] x [0] : tensor<3x200x76xf32>, tensor<3x1300x76xf32>
  return %0 : tensor<3x200x1300xf32>
}

// What follows is done with the sums.
func.func @rows(%x: tensor<?x128xf32> {lathe.dims = #lathe.dims<N>}, %w: tensor<192x128xf32>, %b: tensor<192xf32>) -> tensor<?x192xf32> {
  %0 = lathe.dot_general %x, %w contract [1] x [1] : tensor<?x128xf32>, tensor<192x128xf32>
  %1 = lathe.broadcast %b dims [1] to [N, 192] : tensor<192xf32>
  %2 = lathe.add %0, %1 : tensor<?x192xf32>
  return %2 : tensor<?x192xf32>
}

// Nothing turns words whose columns are neighbours.
// EXPLAIN: [[#@LINE+2]]:8: remark: [kernels] kernel_dot_general_{{.*}} for sm_90a: tiles of 64 x 64 on tensor cores
func.func @turned(%x: tensor<256x640xf32>, %y: tensor<640x256xf32>) -> tensor<256x256xf32> {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<256x640xf32>, tensor<640x256xf32>
  return %0 : tensor<256x256xf32>
}

func.func @beyond(%x: tensor<128x640xf32>, %y: tensor<256x640xf32>) -> (tensor<128x256xf32>, tensor<128x640xf32>) {
  %0 = lathe.sqrt %x : tensor<128x640xf32>
  %1 = lathe.dot_general %0, %y contract [1] x [1] : tensor<128x640xf32>, tensor<256x640xf32>
  return %1, %0 : tensor<128x256xf32>, tensor<128x640xf32>
}

// A NaN whose first 11 bits are those of infinity: 0x7F800001.
func.func @small_nan(%x: tensor<128x640xi32>, %y: tensor<256x640xf32>) -> (tensor<128x256xf32>, tensor<128x640xf32>) {
  %0 = lathe.bitcast %x to f32 : tensor<128x640xi32>
  %1 = lathe.dot_general %0, %y contract [1] x [1] : tensor<128x640xf32>, tensor<256x640xf32>
  return %1, %0 : tensor<128x256xf32>, tensor<128x640xf32>
}
