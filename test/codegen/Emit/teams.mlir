// The most threads that share a kernel, and the pieces into which its items are cut: the last arguments of the context's loop are
// items, items of a piece and threads. A kernel names a thread for about 2 us of its operations, at least two of them and at most
// as many as there are pieces, or as its scratch memory is for.
// RUN: lathec %s --emit=llvm --name teams --target x86-64-v3 -o - | FileCheck %s
// RUN: lathe-run %s scattered --random --save %t.scattered
// RUN: lathe-run %s scattered --random --threads 40 --expect r=@%t.scattered/out-r.npy --rtol 0 --atol 0
// RUN: lathe-run %s strips --random --save %t.strips
// RUN: lathe-run %s strips --random --threads 40 --expect y=@%t.strips/out-y.npy --rtol 0 --atol 0

// Elements, 6 x 16384.
// CHECK-LABEL: define internal i32 @teams_elements
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_exp_{{.*}}, i64 24, i64 1, i64 6)
func.func @elements(%x: tensor<98304xf32>) -> tensor<98304xf32> {
  %0 = lathe.exp %x : tensor<98304xf32>
  return %0 : tensor<98304xf32>
}

// CHECK-LABEL: define internal i32 @teams_many
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_exp_{{.*}}, i64 4000, i64 16, i64 256)
func.func @many(%x: tensor<4000x4000xf32>) -> tensor<4000x4000xf32> {
  %0 = lathe.exp %x : tensor<4000x4000xf32>
  return %0 : tensor<4000x4000xf32>
}

// Terms of sums, 32 x 32768, and passes over rows.
// CHECK-LABEL: define internal i32 @teams_terms
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_reduce_{{.*}}, i64 1024, i64 4, i64 32)
func.func @terms(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %0 = lathe.reduce sum %x dims [1] : tensor<1024x1024xf32>
  return %0 : tensor<1024xf32>
}

// CHECK-LABEL: define internal i32 @teams_columns
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_reduce_{{.*}}, i64 {{[0-9]+}}, i64 {{[0-9]+}}, i64 32)
func.func @columns(%x: tensor<1024x1024xf32>) -> tensor<1024xf32> {
  %0 = lathe.reduce sum %x dims [0] : tensor<1024x1024xf32>
  return %0 : tensor<1024xf32>
}

// Multiply-adds: 65536, which two threads share, and 125 x 65536.
// CHECK-LABEL: define internal i32 @teams_products
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_dot_general_{{.*}}, i64 11, i64 1, i64 2)
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_dot_general_{{.*}}, i64 1334, i64 6, i64 125)
func.func @products(%x: tensor<64x64xf32>, %y: tensor<64x16xf32>, %z: tensor<64x2000xf32>)
    -> (tensor<64x16xf32>, tensor<64x2000xf32>) {
  %0 = lathe.dot_general %x, %y contract [1] x [0] : tensor<64x64xf32>, tensor<64x16xf32>
  %1 = lathe.dot_general %x, %z contract [1] x [0] : tensor<64x64xf32>, tensor<64x2000xf32>
  return %0, %1 : tensor<64x16xf32>, tensor<64x2000xf32>
}

// Sizes with names: the entry divides the operations.
// CHECK-LABEL: define internal i32 @teams_named
// CHECK: [[WORK:%.*]] = {{mul|shl}} {{.*}}, 8
// CHECK: [[EACH:%.*]] = lshr i64 {{.*}}, 14
// CHECK: [[LEAST:%.*]] = call i64 @llvm.umax.i64(i64 [[EACH]], i64 2)
// CHECK: [[TEAM:%.*]] = call i64 @llvm.umin.i64(i64 [[LEAST]], i64 256)
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_exp_{{.*}}, i64 {{.*}}, i64 {{.*}}, i64 [[TEAM]])
func.func @named(%x: tensor<?x256xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?x256xf32> {
  %0 = lathe.exp %x : tensor<?x256xf32>
  return %0 : tensor<?x256xf32>
}

// Scratch memory of sums by scatter, and of strips, is for 16 threads.
// CHECK-LABEL: define internal i32 @teams_scattered
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_scatter_{{.*}}, i64 40, i64 1, i64 16)
func.func @scattered(%x: tensor<40x600x30xf32>, %i: tensor<900xi32>, %u: tensor<40x900x30xf32>)
    -> (tensor<40x600x30xf32> {lathe.name = "r"}) {
  %0 = lathe.scatter add %x, %i, %u axis 1 : tensor<40x600x30xf32>, tensor<900xi32>, tensor<40x900x30xf32>
  return %0 : tensor<40x600x30xf32>
}

// CHECK-LABEL: define internal i32 @teams_strips
// CHECK: call void %{{[0-9]+}}(ptr {{.*}} @kernel_strips_{{.*}}, i64 {{[0-9]+}}, i64 {{[0-9]+}}, i64 16)
func.func @strips(%q: tensor<32x256x32xf32>, %k: tensor<32x256x32xf32>, %v: tensor<32x256x32xf32>)
    -> (tensor<32x256x32xf32> {lathe.name = "y"}) {
  %y = lathe.std.attention %q, %k, %v : tensor<32x256x32xf32>, tensor<32x256x32xf32>, tensor<32x256x32xf32>
  return %y : tensor<32x256x32xf32>
}
