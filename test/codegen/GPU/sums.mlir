// Reductions: by 16 bytes where neighbours are reduced, several reads under way, and parts for other blocks where there are few
// results, which a warp combines if they are many.
// RUN: lathec %s --target=cuda:sm_90 --ptxas=none --emit=ptx --explain -o %t.ptx 2>&1 | FileCheck --check-prefix=FORM %s
// RUN: FileCheck --input-file=%t.ptx %s
// RUN: sh -c 'for f in rows uneven columns all extremes; do %cuda lathe-run %s $f --random --target=cuda:sm_90 --check --rtol 1e-4 --atol 1e-4 || exit 1; done'
// RUN: sh -c 'for n in 1 9 900; do lathe-run %s least --random --dim N=$n --interpret --save=%t.least > /dev/null && %cuda lathe-run %s least --random --input x=@%t.least/in-x.npy --input u=@%t.least/in-u.npy --target=cuda:sm_90 --check --rtol 1e-5 || exit 1; done'
// RUN: sh -c 'for n in 1 100; do lathe-run %s named --random --dim N=$n --interpret --save=%t.named > /dev/null && %cuda lathe-run %s named --random --input x=@%t.named/in-x.npy --target=cuda:sm_90 --check --rtol 1e-5 --atol 1e-5 || exit 1; done'
// RUN: sh -c 'for n in 1 70; do lathe-run %s counted --random --dim N=$n --interpret --save=%t.counted > /dev/null && %cuda env LATHE_STANDIN_RESIDENT=3 lathe-run %s counted --random --input x=@%t.counted/in-x.npy --target=cuda:sm_90 --check --rtol 1e-5 --atol 1e-5 || exit 1; done'
// RUN: lathec %s --target=cuda:sm_90 --entry=counted --emit=ptx -o - | FileCheck --check-prefix=STAYS %s

// CHECK-LABEL: .visible .entry kernel_reduce
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: shfl.sync
// CHECK: ret;
// FORM: kernel_reduce{{.*}} 256 threads for each result, 4 contiguous elements, 4 at once, blocks
func.func @rows(%x: tensor<300x4096xf32>) -> tensor<300xf32> {
  %r = lathe.reduce sum %x dims [1] : tensor<300x4096xf32>
  return %r : tensor<300xf32>
}

// FORM: kernel_reduce{{.*}} 64 threads for each result, 4 contiguous elements{{.*}}, blocks
func.func @uneven(%x: tensor<200x1100xf32>) -> tensor<200xf32> {
  %r = lathe.reduce sum %x dims [1] : tensor<200x1100xf32>
  return %r : tensor<200xf32>
}

// FORM: kernel_reduce{{.*}} 8 threads for each result, 4 at once in 32 parts
func.func @columns(%x: tensor<2048x70xf32>) -> tensor<70xf32> {
  %r = lathe.reduce sum %x dims [0] : tensor<2048x70xf32>
  return %r : tensor<70xf32>
}

// FORM: kernel_reduce{{.*}} 256 threads for each result{{.*}} in 128 parts
func.func @all(%x: tensor<512x514xf32>) -> tensor<f32> {
  %square = lathe.mul %x, %x : tensor<512x514xf32>
  %r = lathe.reduce sum %square dims [0, 1] : tensor<512x514xf32>
  %root = lathe.sqrt %r : tensor<f32>
  return %root : tensor<f32>
}

// The first of the largest, whoever finds it, and a NaN counts.
func.func @extremes(%x: tensor<40000xi32>, %y: tensor<40000xf32>) -> (tensor<i32>, tensor<f32>) {
  %i = lathe.argmax %x dim 0 : tensor<40000xi32>
  %m = lathe.reduce max %y dims [0] : tensor<40000xf32>
  return %i, %m : tensor<i32>, tensor<f32>
}

// Parts without an element, with something else in the memory behind them.
func.func @least(%x: tensor<?x4xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<f32>, %u: tensor<?x1xf32> {lathe.dims = #lathe.dims<N>}, %i: tensor<i64>)
    -> (tensor<f32>, tensor<f32>, tensor<?x4xf32>) {
  %r = lathe.reduce min %x dims [0, 1] : tensor<?x4xf32>
  %s = lathe.sinh %r : tensor<f32>
  %c = lathe.copysign %y, %r : tensor<f32>, tensor<f32>
  %w = lathe.dynamic_update_slice %x, %u [%i, %i] : tensor<?x4xf32>, tensor<?x1xf32>, (tensor<i64>, tensor<i64>)
  return %s, %c, %w : tensor<f32>, tensor<f32>, tensor<?x4xf32>
}

// FORM: kernel_reduce{{.*}} 64 threads for each result in 32 parts, blocks
func.func @named(%x: tensor<3x?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<3xf32> {
  %r = lathe.reduce sum %x dims [1] : tensor<3x?xf32>
  return %r : tensor<3xf32>
}

// The blocks that run at once divide the rows.
// STAYS: %nctaid.x
// STAYS: shfl.sync
// STAYS: bra
// FORM: kernel_reduce{{.*}} 64 threads for each result, 4 contiguous elements{{.*}}, blocks
func.func @counted(%x: tensor<?x1100xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %r = lathe.reduce sum %x dims [1] : tensor<?x1100xf32>
  return %r : tensor<?xf32>
}
