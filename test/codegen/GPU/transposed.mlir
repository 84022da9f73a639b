// Where inputs have their neighbours along another dimension than results a block turns a tile in shared memory: both sides are read
// and written by whole lines.
// RUN: lathec %s --target=cuda:sm_90 --ptxas=none --emit=ptx --explain -o %t.ptx 2>&1 | FileCheck --check-prefix=FORM %s
// RUN: FileCheck --input-file=%t.ptx %s
// RUN: sh -c 'for f in turned uneven inner flags doubles narrow; do %cuda lathe-run %s $f --random --target=cuda:sm_90 --check || exit 1; done'
// RUN: sh -c 'for n in 1 3; do lathe-run %s batch --random --dim N=$n --interpret --save=%t.batch > /dev/null && %cuda lathe-run %s batch --random --input x=@%t.batch/in-x.npy --target=cuda:sm_90 --check || exit 1; done'

// CHECK-LABEL: .visible .entry kernel_transpose
// CHECK-COUNT-4: st.shared.b32
// CHECK: bar.sync 0;
// CHECK-COUNT-4: st.global.b32
// CHECK-NOT: {{ld|st}}.global
// CHECK: ret;
// FORM: kernel_transpose{{.*}} tiles of 32 x 32 that are read along one dimension
func.func @turned(%x: tensor<64x96xf32>) -> tensor<96x64xf32> {
  %r = lathe.transpose %x [1, 0] : tensor<64x96xf32>
  return %r : tensor<96x64xf32>
}

// FORM: kernel_transpose{{.*}} tiles of 32 x 32 that are read along one dimension
func.func @uneven(%x: tensor<33x47xi16>) -> tensor<47x33xi16> {
  %r = lathe.transpose %x [1, 0] : tensor<33x47xi16>
  return %r : tensor<47x33xi16>
}

// FORM: kernel_transpose{{.*}} tiles of 32 x 32 that are read along one dimension
func.func @inner(%x: tensor<5x20x3x17xbf16>) -> tensor<17x3x5x20xbf16> {
  %r = lathe.transpose %x [3, 2, 0, 1] : tensor<5x20x3x17xbf16>
  return %r : tensor<17x3x5x20xbf16>
}

func.func @flags(%x: tensor<40x40xi1>) -> tensor<40x40xi1> {
  %r = lathe.transpose %x [1, 0] : tensor<40x40xi1>
  return %r : tensor<40x40xi1>
}

func.func @doubles(%x: tensor<20x31x65xf64>) -> tensor<65x31x20xf64> {
  %r = lathe.transpose %x [2, 1, 0] : tensor<20x31x65xf64>
  return %r : tensor<65x31x20xf64>
}

// Too narrow for tiles.
// FORM: kernel_transpose{{.*}} a thread for each
func.func @narrow(%x: tensor<7x40xf32>) -> tensor<40x7xf32> {
  %r = lathe.transpose %x [1, 0] : tensor<7x40xf32>
  return %r : tensor<40x7xf32>
}

// FORM: kernel_transpose{{.*}} tiles of 32 x 32 that are read along one dimension
func.func @batch(%x: tensor<?x40x36xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x36x40xf32> {
  %r = lathe.transpose %x [0, 2, 1] : tensor<?x40x36xf32>
  return %r : tensor<?x36x40xf32>
}
