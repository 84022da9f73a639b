// A call of one launch is not recorded: a graph of one starts no sooner. One of several is, and what cuts a reduction in two is one.
// RUN: lathec %s --target=cuda:sm_90 --entry=one --emit=llvm -o - | FileCheck %s --check-prefix=ONE
// RUN: lathec %s --target=cuda:sm_90 --entry=two --emit=llvm -o - | FileCheck %s --check-prefix=TWO
// RUN: lathec %s --target=cuda:sm_90 --entry=parts --emit=llvm -o - | FileCheck %s --check-prefix=TWO
// RUN: rm -f %t.log && env LATHE_STANDIN_LOG=%t.log %cuda lathe-run %s one --random --target=cuda:sm_90 --benchmark=0.01 > %t.times
// RUN: FileCheck --check-prefix=PLAIN --implicit-check-not=graph %s < %t.log
// RUN: rm -f %t.log && env LATHE_STANDIN_LOG=%t.log %cuda lathe-run %s two --random --target=cuda:sm_90 --benchmark=0.01 > %t.times
// RUN: FileCheck --check-prefix=GRAPH %s < %t.log
// RUN: %cuda lathe-run %s one --random --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s two --random --target=cuda:sm_90 --check --rtol 1e-5
// RUN: %cuda lathe-run %s parts --random --target=cuda:sm_90 --check --rtol 1e-5

// ONE: define internal i32 @recording_one.device
// ONE-NOT: finished
// ONE: call void {{.*}}@recording_one.kernels
// ONE-NOT: finished
// ONE: define i32 @recording_one(
// TWO: define internal i32 @recording_{{two|parts}}.device
// TWO: br i1 {{.*}} label %finished
// TWO-COUNT-2: call void {{.*}}.kernels
// TWO: finished:
func.func @one(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = lathe.exp %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// PLAIN-COUNT-3: launch
// GRAPH: graph launch
func.func @two(%x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = lathe.reduce sum %x dims [0] : tensor<64x64xf32>
  %1 = lathe.reduce max %x dims [1] : tensor<64x64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

func.func @parts(%x: tensor<100000xf32>) -> tensor<f32> {
  %0 = lathe.reduce sum %x dims [0] : tensor<100000xf32>
  return %0 : tensor<f32>
}
