// Rows that the registers of their threads hold are read once, whatever the passes over them; longer ones, those of named length, and
// some rows that share a warp where one may be missing go through memory. Where there are more blocks than run at once, or may be,
// those that do share the rows.
// RUN: lathec %s --target=cuda:sm_90 --ptxas=none --emit=none --explain 2>&1 | FileCheck --check-prefix=FORM %s
// RUN: lathec %s --target=cuda:sm_90 --entry=whole --emit=ptx -o - | FileCheck --check-prefix=WHOLE %s
// RUN: lathec %s --target=cuda:sm_90 --entry=in_place --emit=ptx -o - | FileCheck --check-prefix=PLACE %s
// RUN: sh -c 'for f in whole ragged odd tiny several missing long labels argmax halves in_place; do %cuda lathe-run %s $f --random --target=cuda:sm_90 --check --rtol 1e-5 --atol 1e-6 || exit 1; done'
// RUN: sh -c 'for n in 1 5 300; do lathe-run %s named --random --dim N=$n --interpret --save=%t.named > /dev/null && %cuda lathe-run %s named --random --input x=@%t.named/in-x.npy --target=cuda:sm_90 --check --rtol 1e-5 --atol 1e-6 || exit 1; done'
// RUN: sh -c 'for m in 1 3 4 9 50; do for f in counted crowded; do lathe-run %s $f --random --dim M=$m --interpret --save=%t.$f > /dev/null && %cuda env LATHE_STANDIN_RESIDENT=2 lathe-run %s $f --random --input x=@%t.$f/in-x.npy --target=cuda:sm_90 --check --rtol 1e-5 --atol 1e-6 || exit 1; done; done'
// RUN: %cuda env LATHE_STANDIN_RESIDENT=100 lathe-run %s many --random --target=cuda:sm_90 --check --rtol 1e-5
// RUN: lathec %s --target=cuda:sm_90 --entry=counted --emit=ptx -o - | FileCheck --check-prefix=STAYS %s
// RUN: lathec %s --target=cuda:sm_90 --entry=crowded --emit=ptx -o - | FileCheck --check-prefix=STAYS %s
// RUN: lathec %s --target=cuda:sm_90 --entry=many --emit=ptx -o - | FileCheck --check-prefix=STAYS %s

// One read and one write of each element; reductions of warps between.
// WHOLE-NOT: %nctaid.x
// WHOLE-COUNT-2: ld.global.v4.b32
// WHOLE-NOT: ld.global
// WHOLE: shfl.sync
// WHOLE-NOT: ld.global
// WHOLE-COUNT-2: st.global.v4.b32
// WHOLE-NOT: {{ld|st}}.global
// FORM: @whole: {{.*}}rows
// FORM: 32 threads for each row, which they keep in 2 steps
func.func @whole(%x: tensor<6x256xf32>) -> tensor<6x256xf32> {
  %r = lathe.std.softmax %x : tensor<6x256xf32>
  return %r : tensor<6x256xf32>
}

// The last step has vectors for some of the threads only.
// FORM: 128 threads for each row, which they keep in 3 steps
func.func @ragged(%x: tensor<3x1204xf32>, %s: tensor<1204xf32>, %b: tensor<1204xf32>) -> tensor<3x1204xf32> {
  %r = lathe.std.layer_norm %x scale %s bias %b : tensor<3x1204xf32>, tensor<1204xf32>, tensor<1204xf32>
  return %r : tensor<3x1204xf32>
}

// No vectors: 333 is odd.
// FORM: 128 threads for each row, which they keep in 3 steps
func.func @odd(%x: tensor<7x333xf32>) -> tensor<7x333xf32> {
  %r = lathe.std.log_softmax %x : tensor<7x333xf32>
  return %r : tensor<7x333xf32>
}

// Eight rows share a warp, 32 a block: 64 rows are whole blocks.
// FORM: 4 threads for each row, which they keep in 1 steps
func.func @tiny(%x: tensor<64x12xf32>) -> tensor<64x12xf32> {
  %r = lathe.std.softmax %x : tensor<64x12xf32>
  return %r : tensor<64x12xf32>
}

// Two rows in four warps: those without one leave.
// FORM: 32 threads for each row, which they keep in 1 steps
func.func @several(%x: tensor<2x128xf32>) -> tensor<2x128xf32> {
  %r = lathe.std.softmax %x : tensor<2x128xf32>
  return %r : tensor<2x128xf32>
}

// FORM: 4 threads for each row, blocks
func.func @missing(%x: tensor<5x12xf32>) -> tensor<5x12xf32> {
  %r = lathe.std.softmax %x : tensor<5x12xf32>
  return %r : tensor<5x12xf32>
}

// FORM: 512 threads for each row, blocks
func.func @long(%x: tensor<2x40000xf32>) -> tensor<2x40000xf32> {
  %r = lathe.std.softmax %x : tensor<2x40000xf32>
  return %r : tensor<2x40000xf32>
}

// A loss with its gradient: results of rows, and a place that data picks.
// FORM: 256 threads for each row, which they keep in 4 steps
func.func private @loss(%x: tensor<9x1000xf32>, %label: tensor<9xi32>) -> tensor<f32> {
  %r = lathe.std.cross_entropy %x, %label : tensor<9x1000xf32>, tensor<9xi32>
  return %r : tensor<f32>
}
func.func @labels(%x: tensor<9x1000xf32>, %label: tensor<9xi32>) -> (tensor<f32>, tensor<9x1000xf32>) {
  %r, %g = lathe.value_and_grad @loss(%x, %label) wrt [0] : (tensor<9x1000xf32>, tensor<9xi32>) -> (tensor<f32>, tensor<9x1000xf32>)
  return %r, %g : tensor<f32>, tensor<9x1000xf32>
}

// The first of the largest, and what lies behind: of equal ones in different steps too.
func.func @argmax(%x: tensor<5x260xi32>) -> (tensor<5xi32>, tensor<5x260xi32>) {
  %i = lathe.argmax %x dim 1 : tensor<5x260xi32>
  %m = lathe.reduce max %x dims [1] : tensor<5x260xi32>
  %w = lathe.broadcast %m dims [0] to [5, 260] : tensor<5xi32>
  %r = lathe.sub %w, %x : tensor<5x260xi32>
  return %i, %r : tensor<5xi32>, tensor<5x260xi32>
}

// FORM: 32 threads for each row, which they keep in 3 steps
func.func @halves(%x: tensor<5x520xbf16>) -> tensor<5x520xbf16> {
  %r = lathe.std.softmax %x : tensor<5x520xbf16>
  return %r : tensor<5x520xbf16>
}

// FORM: 256 threads for each row, blocks
func.func @named(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<3x?xf32> {
  %r = lathe.std.softmax %x : tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}

// FORM: 32 threads for each row, which they keep in 2 steps
func.func @counted(%x: tensor<?x200xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x200xf32> {
  %r = lathe.std.softmax %x : tensor<?x200xf32>
  return %r : tensor<?x200xf32>
}

// Rows that share a warp, whose number is not known to be one of whole warps: what passes keep is in shared memory, and blocks have
// several turns.
// STAYS: %nctaid.x
// STAYS: bra
// FORM: 4 threads for each row, blocks
func.func @crowded(%x: tensor<?x12xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?x12xf32> {
  %r = lathe.std.softmax %x : tensor<?x12xf32>
  return %r : tensor<?x12xf32>
}

// FORM: 16 threads for each row, which they keep in 1 steps
func.func @many(%x: tensor<16392x64xf32>) -> tensor<16392x64xf32> {
  %r = lathe.std.softmax %x : tensor<16392x64xf32>
  return %r : tensor<16392x64xf32>
}

// Weights take the scores' place. Threads behind the row's end read its last element, before another one writes it.
// PLACE-LABEL: .entry kernel_reduce_
// PLACE: ld.global
// PLACE-NOT: st.global
// PLACE: bar.warp.sync
// PLACE: st.global
func.func @in_place(%a: tensor<64x4xf32>, %b: tensor<4x19xf32>, %c: tensor<19x3xf32>) -> tensor<64x3xf32> {
  %x = lathe.dot_general %a, %b contract [1] x [0] : tensor<64x4xf32>, tensor<4x19xf32>
  %w = lathe.std.softmax %x : tensor<64x19xf32>
  %y = lathe.dot_general %w, %c contract [1] x [0] : tensor<64x19xf32>, tensor<19x3xf32>
  return %y : tensor<64x3xf32>
}
