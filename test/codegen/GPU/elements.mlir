// Elementwise kernels: as many blocks as run at once share results of unknown size, or of more blocks than that; where a thread has
// several vectors their reads come before anything is computed.
// RUN: lathec %s --target=cuda:sm_90 --ptxas=none --emit=ptx --explain -o %t.ptx 2>&1 | FileCheck --check-prefix=FORM %s
// RUN: FileCheck --input-file=%t.ptx %s
// RUN: %cuda lathe-run %s large --random --target=cuda:sm_90 --check
// RUN: sh -c 'for n in 1 128 129 300001; do lathe-run %s named --random --dim N=$n --interpret --save=%t.named > /dev/null && %cuda env LATHE_STANDIN_RESIDENT=3 lathe-run %s named --random --input x=@%t.named/in-x.npy --target=cuda:sm_90 --check || exit 1; done'

// CHECK-LABEL: .visible .entry kernel_div
// CHECK-NOT: %nctaid.x
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: {{ld|st}}.global
// CHECK: div.rn.f32
// CHECK-NOT: {{ld|st}}.global
// CHECK-COUNT-4: st.global.v4.b32
// CHECK-NOT: {{ld|st}}.global
// FORM: kernel_div{{.*}} a thread for each 4 contiguous elements, 4 at once
func.func @large(%x: tensor<1028x1024xf32>) -> tensor<1028x1024xf32> {
  %three = lathe.constant dense<3.0> : tensor<f32>
  %r = lathe.div %x, %three : tensor<1028x1024xf32>, tensor<f32>
  return %r : tensor<1028x1024xf32>
}

// CHECK-LABEL: .visible .entry kernel_mul
// CHECK: %nctaid.x
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK: bra
func.func @staying(%x: tensor<8192x1024xf32>) -> tensor<8192x1024xf32> {
  %r = lathe.mul %x, %x : tensor<8192x1024xf32>
  return %r : tensor<8192x1024xf32>
}

// CHECK-LABEL: .visible .entry kernel_sub
// CHECK: %nctaid.x
// CHECK: bra
func.func @named(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<f32>) -> tensor<?xf32> {
  %r = lathe.sub %x, %y : tensor<?xf32>, tensor<f32>
  return %r : tensor<?xf32>
}
