// Rows that are picked, pads around them, slices and starts that are known when it runs: vectors, as long as neighbours stay
// together and a whole vector is inside or not; else elements.
// RUN: lathec %s --target=cuda:sm_90 --ptxas=none --emit=ptx --explain -o %t.ptx 2>&1 | FileCheck --check-prefix=FORM %s
// RUN: FileCheck --input-file=%t.ptx %s
// RUN: %cuda lathe-run %s rows --random --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s rows --random --input i=99 --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s rows --random --input i=100 --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s rows --random --input i=-1 --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s padded --random --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s narrow --random --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s joined --random --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s part --random --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s odd --random --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s moved --random --input i=7 --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s moved --random --input i=77 --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s anywhere --random --input i=7 --target=cuda:sm_90 --check
// RUN: %cuda lathe-run %s columns --random --input i=3 --target=cuda:sm_90 --check

// An index that is out of bounds picks zeros.
// CHECK-LABEL: .visible .entry kernel_gather
// CHECK: ld.global.b32
// CHECK: selp
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
// FORM: places.mlir:[[#@LINE+2]]:8: remark: [kernels] {{.*}} a thread for each 4 contiguous elements
func.func @rows(%t: tensor<100x64xf32>, %i: tensor<37xi32>) -> tensor<37x64xf32> {
  %0 = lathe.gather %t, %i axis 0 : tensor<100x64xf32>, tensor<37xi32>
  return %0 : tensor<37x64xf32>
}

// CHECK-LABEL: .visible .entry kernel_pad
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
// FORM: places.mlir:[[#@LINE+3]]:8: remark: [kernels] {{.*}} a thread for each 4 contiguous elements
func.func @padded(%x: tensor<5x6x8xf32>) -> tensor<9x8x8xf32> {
  %p = lathe.constant dense<7.0> : tensor<f32>
  %0 = lathe.pad %x, %p low [2, 1, 0] high [2, 1, 0] : tensor<5x6x8xf32>, tensor<f32>
  return %0 : tensor<9x8x8xf32>
}

// FORM: places.mlir:[[#@LINE+3]]:8: remark: [kernels] {{.*}} a thread for each point
func.func @narrow(%x: tensor<5x8xf32>) -> tensor<5x16xf32> {
  %p = lathe.constant dense<7.0> : tensor<f32>
  %0 = lathe.pad %x, %p low [0, 4] high [0, 4] : tensor<5x8xf32>, tensor<f32>
  return %0 : tensor<5x16xf32>
}

// FORM: places.mlir:[[#@LINE+3]]:8: remark: [kernels] {{.*}} a thread for each 4 contiguous elements
func.func @joined(%x: tensor<5x8xf32>, %y: tensor<3x8xf32>, %z: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = lathe.concatenate %x, %y dim 0 : tensor<5x8xf32>, tensor<3x8xf32>
  %1 = lathe.mul %0, %z : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// FORM: places.mlir:[[#@LINE+3]]:8: remark: [kernels] {{.*}} a thread for each 4 contiguous elements
func.func @part(%x: tensor<5x64xf32>, %y: tensor<5x32xf32>) -> tensor<5x32xf32> {
  %0 = lathe.slice %x from [0, 8] to [5, 40] : tensor<5x64xf32>
  %1 = lathe.add %0, %y : tensor<5x32xf32>
  return %1 : tensor<5x32xf32>
}

// No vector begins there.
// FORM: places.mlir:[[#@LINE+3]]:8: remark: [kernels] {{.*}} a thread for each point
func.func @odd(%x: tensor<5x64xf32>, %y: tensor<5x32xf32>) -> tensor<5x32xf32> {
  %0 = lathe.slice %x from [0, 6] to [5, 38] : tensor<5x64xf32>
  %1 = lathe.sub %0, %y : tensor<5x32xf32>
  return %1 : tensor<5x32xf32>
}

// FORM: places.mlir:[[#@LINE+3]]:8: remark: [kernels] {{.*}} a thread for each 4 contiguous elements
func.func @moved(%x: tensor<50x64xf32>, %y: tensor<5x64xf32>, %i: tensor<i32>, %z: tensor<i32>) -> tensor<5x64xf32> {
  %0 = lathe.dynamic_slice %x [%i, %z] size [5, 64] : tensor<50x64xf32>, (tensor<i32>, tensor<i32>)
  %1 = lathe.max %0, %y : tensor<5x64xf32>
  return %1 : tensor<5x64xf32>
}

// FORM: places.mlir:[[#@LINE+3]]:8: remark: [kernels] {{.*}} a thread for each point
func.func @anywhere(%x: tensor<50x64xf32>, %y: tensor<5x32xf32>, %i: tensor<i32>, %z: tensor<i32>) -> tensor<5x32xf32> {
  %0 = lathe.dynamic_slice %x [%z, %i] size [5, 32] : tensor<50x64xf32>, (tensor<i32>, tensor<i32>)
  %1 = lathe.min %0, %y : tensor<5x32xf32>
  return %1 : tensor<5x32xf32>
}

// FORM: places.mlir:[[#@LINE+2]]:8: remark: [kernels] {{.*}} a thread for each point
func.func @columns(%t: tensor<10x64xf32>, %i: tensor<32xi32>) -> tensor<10x32xf32> {
  %0 = lathe.gather %t, %i axis 1 : tensor<10x64xf32>, tensor<32xi32>
  return %0 : tensor<10x32xf32>
}
