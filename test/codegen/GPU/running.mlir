// The forms of running results: compiled code against the interpreter at lengths around those of a warp, of a block's tile and of a
// part; twins.py runs these lines on a GPU. Sums of few whole numbers are exact in any order.
// RUN: lathe-run %s warps --random --dim N=1 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s warps --random --dim N=5 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s named --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %s named --random --dim N=31 --check --rtol 0 --atol 0
// RUN: lathe-run %s named --random --dim N=32 --check --rtol 0 --atol 0
// RUN: lathe-run %s named --random --dim N=33 --check --rtol 0 --atol 0
// RUN: lathe-run %s named --random --dim N=1025 --check --rtol 0 --atol 0
// RUN: lathe-run %s parts --random --check --rtol 0 --atol 0
// RUN: lathe-run %s few --random --check --rtol 0 --atol 0
// RUN: lathe-run %s order --random --dim N=1 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s order --random --dim N=31 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s order --random --dim N=33 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s order --random --dim N=1025 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s special --input p=0 --check --rtol 1e-6 --atol 0
// RUN: lathe-run %s lines --random --dim N=1 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s lines --random --dim N=77 --check --rtol 1e-5 --atol 1e-5
// RUN: lathec %s --target=cuda:sm_90 --emit=none --explain 2>&1 | FileCheck %s
// RUN: lathec %s --target=cuda:sm_90 --entry warps --entry order --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: lathec %s --target=cuda:sm_90 --entry parts --emit=ptx -o - | FileCheck %s --check-prefix=PARTS

// A warp along a line: four neighbours a thread, in both directions; functions of many operations have one.
// PTX-LABEL: .visible .entry kernel_cumulative_
// PTX: ld.global.v4.b32
// PTX: shfl.sync.up.b32 {{.*}}, 1, 0, -1;
// PTX: shfl.sync.up.b32 {{.*}}, 16, 0, -1;
// PTX: shfl.sync.idx.b32 {{.*}}, 31, 31, -1;
// PTX: st.global.v4.b32
// PTX: ret;
// CHECK: [[#@LINE+5]]:{{.*}} for sm_90: 32 threads for each line,
// CHECK: [[#@LINE+6]]:{{.*}} for sm_90: 32 threads for each line,
// CHECK: [[#@LINE+7]]:{{.*}} for sm_90: 256 threads for each line,
func.func @warps(%x: tensor<?x132xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x33xf64> {lathe.dims = #lathe.dims<N>}, %z: tensor<?x1025xf32> {lathe.dims = #lathe.dims<N>}, %h: tensor<?x31xf16> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?x132xf32>, tensor<?x132xf32>, tensor<?x132xf32>, tensor<?x33xf64>, tensor<?x1025xf32>, tensor<?x31xf16>) {
  %0 = lathe.cumulative sum %x dim 1 : tensor<?x132xf32>
  %1 = lathe.cumulative sum %x dim 1 reverse : tensor<?x132xf32>
  %2 = lathe.cumulative logsumexp %x dim 1 reverse : tensor<?x132xf32>
  %3 = lathe.cumulative min %y dim 1 : tensor<?x33xf64>
  %4 = lathe.cumulative sum %z dim 1 : tensor<?x1025xf32>
  %5 = lathe.cumulative max %h dim 1 : tensor<?x31xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<?x132xf32>, tensor<?x132xf32>, tensor<?x132xf32>, tensor<?x33xf64>, tensor<?x1025xf32>, tensor<?x31xf16>
}

// Lines of a named length, few enough to be divided, and more of them.
// CHECK: [[#@LINE+4]]:{{.*}} for sm_90: 256 threads for each line in 32 parts,
// CHECK: [[#@LINE+4]]:{{.*}} for sm_90: 256 threads for each line,
func.func @named(%n: tensor<?xi64> {lathe.dims = #lathe.dims<N>}, %m: tensor<70x?xi32> {lathe.dims = #lathe.dims<N>}, %b: tensor<70x?xi8> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xi64>, tensor<70x?xi32>, tensor<70x?xi8>) {
  %0 = lathe.cumulative sum %n dim 0 reverse : tensor<?xi64>
  %1 = lathe.cumulative max %m dim 1 : tensor<70x?xi32>
  %2 = lathe.cumulative sum %b dim 1 : tensor<70x?xi8>
  return %0, %1, %2 : tensor<?xi64>, tensor<70x?xi32>, tensor<70x?xi8>
}

// A few long lines: blocks combine parts, others go along them behind what comes before.
// PARTS-LABEL: .visible .entry kernel_cumulative_
// PARTS-NOT: st.global.v4
// PARTS: ret;
// PARTS-LABEL: .visible .entry kernel_cumulative_{{.*}}_results
// PARTS: st.global.v4
// CHECK: [[#@LINE+3]]:{{.*}} for sm_90: 256 threads for each line in 2 parts,
// CHECK: [[#@LINE+3]]:{{.*}} for sm_90: 256 threads for each line in 3 parts,
func.func @parts(%x: tensor<2x16388xi32>, %y: tensor<30000xi64>) -> (tensor<2x16388xi32>, tensor<30000xi64>) {
  %0 = lathe.cumulative sum %x dim 1 : tensor<2x16388xi32>
  %1 = lathe.cumulative sum %y dim 0 reverse : tensor<30000xi64>
  return %0, %1 : tensor<2x16388xi32>, tensor<30000xi64>
}

// Lines that are not neighbours in memory, but few.
// CHECK: [[#@LINE+2]]:{{.*}} for sm_90: 256 threads for each line,
func.func @few(%x: tensor<3x2001x4xi32>) -> tensor<3x2001x4xi32> {
  %0 = lathe.cumulative sum %x dim 1 reverse : tensor<3x2001x4xi32>
  return %0 : tensor<3x2001x4xi32>
}

// If the order must be kept, a warp has as many lines as leave enough warps, through shared memory.
// PTX-LABEL: .visible .entry kernel_linear_recurrence_
// PTX: ld.global.b32
// PTX: st.shared.b32
// PTX: bar.warp.sync
// PTX: ld.shared.b32
// PTX: fma.rn.f32
// PTX: bar.warp.sync
// PTX: st.global.b32
// CHECK: [[#@LINE+6]]:{{.*}} for sm_90: a warp for each line, in order,
// CHECK: [[#@LINE+6]]:{{.*}} for sm_90: a warp for each 8 lines, in order,
// CHECK: [[#@LINE+6]]:{{.*}} for sm_90: a warp for each 8 lines, in order,
// CHECK: [[#@LINE+6]]:{{.*}} for sm_90: a warp for each 32 lines, in order,
func.func @order(%a: tensor<7x?xf32> {lathe.dims = #lathe.dims<N>}, %b: tensor<7x?xf32> {lathe.dims = #lathe.dims<N>}, %x: tensor<?x40xf64> {lathe.dims = #lathe.dims<N>}, %c: tensor<17000x3xf32>)
    -> (tensor<7x?xf32>, tensor<?x40xf64>, tensor<?x40xf64>, tensor<17000x3xf32>) {
  %0 = lathe.linear_recurrence %a, %b dim 1 : tensor<7x?xf32>, tensor<7x?xf32>
  %1 = lathe.linear_recurrence %x, %x dim 1 reverse : tensor<?x40xf64>, tensor<?x40xf64>
  %2 = lathe.cumulative product %x dim 1 : tensor<?x40xf64>
  %3 = lathe.linear_recurrence %c, %c dim 1 reverse : tensor<17000x3xf32>, tensor<17000x3xf32>
  return %0, %1, %2, %3 : tensor<7x?xf32>, tensor<?x40xf64>, tensor<?x40xf64>, tensor<17000x3xf32>
}

// Neither an infinity nor a NaN reaches what comes before it, and a factor that overflows behind a zero makes none.
func.func @special(%p: tensor<f32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5xf32>, tensor<5xf32>) {
  %a = lathe.constant dense<[1.0, 2.0, 0x7F800000, 3.0, 0xFF800000, 1.0]> : tensor<6xf32>
  %b = lathe.constant dense<[1.0, 0x7FC00000, 2.0, 0x7F800000, 0xFF800000, 1.0]> : tensor<6xf32>
  %c = lathe.constant dense<[0.0, 1.0e30, 1.0e30, -1.0e30, 1.0e30]> : tensor<5xf32>
  %x = lathe.add %a, %p : tensor<6xf32>, tensor<f32>
  %y = lathe.add %b, %p : tensor<6xf32>, tensor<f32>
  %z = lathe.add %c, %p : tensor<5xf32>, tensor<f32>
  %0 = lathe.cumulative sum %x dim 0 : tensor<6xf32>
  %1 = lathe.cumulative sum %x dim 0 reverse : tensor<6xf32>
  %2 = lathe.cumulative max %y dim 0 reverse : tensor<6xf32>
  %3 = lathe.cumulative logsumexp %x dim 0 : tensor<6xf32>
  %4 = lathe.linear_recurrence %z, %z dim 0 : tensor<5xf32>, tensor<5xf32>
  %5 = lathe.cumulative product %z dim 0 : tensor<5xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5xf32>, tensor<5xf32>
}

// CHECK: [[#@LINE+4]]:{{.*}} for sm_90: a thread for each line,
// CHECK: [[#@LINE+4]]:{{.*}} for sm_90: a thread for each line,
// CHECK: [[#@LINE+4]]:{{.*}} for sm_90: a thread for each line,
func.func @lines(%x: tensor<?x19x33xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<?x19x33xf32> {lathe.dims = #lathe.dims<N>}, %z: tensor<200x5x5xf64>) -> (tensor<?x19x33xf32>, tensor<?x19x33xf32>, tensor<200x5x5xf64>) {
  %0 = lathe.cumulative sum %x dim 1 : tensor<?x19x33xf32>
  %1 = lathe.linear_recurrence %x, %y dim 1 reverse : tensor<?x19x33xf32>, tensor<?x19x33xf32>
  %2 = lathe.cumulative logsumexp %z dim 0 : tensor<200x5x5xf64>
  return %0, %1, %2 : tensor<?x19x33xf32>, tensor<?x19x33xf32>, tensor<200x5x5xf64>
}
