// Slices that are views of their operands' memory.
// RUN: lathe-opt %s --lathe-import --lathe-lower-state --canonicalize --lathe-fuse --lathe-plan --lathe-verify-plan | FileCheck %s

// A part of an argument, with unit dimensions in front and a reshape behind.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME: lathe.workspace = #lathe.dim<0>
// CHECK-NEXT: %[[PART:.*]] = lathe.slice %arg0
// CHECK-NEXT: %[[MATRIX:.*]] = lathe.reshape %[[PART]]
// CHECK-NEXT: lathe.kernel({{.*}} = %[[MATRIX]]
func.func @argument(%x: tensor<1x4x64x64xf32>, %v: tensor<64xf32>) -> tensor<64xf32> {
  %a = lathe.slice %x from [0, 1, 0, 0] to [1, 2, 64, 64] : tensor<1x4x64x64xf32>
  %b = lathe.reshape %a to [64, 64] : tensor<1x1x64x64xf32>
  %c = lathe.dot_general %b, %v contract [1] x [0] : tensor<64x64xf32>, tensor<64xf32>
  return %c : tensor<64xf32>
}

// Copied: columns, every other row, what begins at 16 bytes, or at an unknown place, and results.
// CHECK-LABEL: func.func @copied(
// CHECK-NOT: lathe.slice %arg{{[012]}} from
// CHECK: return
func.func @copied(%x: tensor<8x64xf32>, %y: tensor<?xf32> {lathe.dims = #lathe.dims<N + 16>}, %m: tensor<64x64xf32>)
    -> (tensor<8xf32>, tensor<4x64xf32>, tensor<12xf32>, tensor<16xf32>, tensor<8x64xf32>) {
  %column = lathe.slice %x from [0, 0] to [8, 8] : tensor<8x64xf32>
  %row = lathe.slice %x from [0, 0] to [8, 64] step [2, 1] : tensor<8x64xf32>
  %short = lathe.slice %y from [4] to [16] : tensor<?xf32>
  %late = lathe.slice %y from [N] to [N + 16] : tensor<?xf32>
  %result = lathe.slice %m from [0, 0] to [8, 64] : tensor<64x64xf32>
  %0 = lathe.cumulative sum %column dim 0 : tensor<8x8xf32>
  %1 = lathe.reduce sum %0 dims [1] : tensor<8x8xf32>
  %2 = lathe.dot_general %row, %m contract [1] x [0] : tensor<4x64xf32>, tensor<64x64xf32>
  %3 = lathe.cumulative sum %short dim 0 : tensor<12xf32>
  %4 = lathe.cumulative sum %late dim 0 : tensor<16xf32>
  return %1, %2, %3, %4, %result : tensor<8xf32>, tensor<4x64xf32>, tensor<12xf32>, tensor<16xf32>, tensor<8x64xf32>
}

// A variable's part that is read before the new value is written, and one that is read after that.
lathe.variable @v : tensor<64xf32> init #lathe.zeros
// CHECK-LABEL: func.func @before(
// CHECK-NEXT: lathe.slice
// CHECK-NOT: lathe.slice
// CHECK: lathe.buffers = [#lathe.buffer<result 1 at <0>>]
// CHECK: return
func.func @before(%x: tensor<64xf32>) -> tensor<32xf32> {
  %old = lathe.read @v : tensor<64xf32>
  %part = lathe.slice %old from [32] to [64] : tensor<64xf32>
  %sums = lathe.cumulative sum %part dim 0 : tensor<32xf32>
  %new = lathe.add %old, %x : tensor<64xf32>
  lathe.write @v, %new : tensor<64xf32>
  return %sums : tensor<32xf32>
}
// CHECK-LABEL: func.func @after(
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.slice
// CHECK: lathe.buffers = [#lathe.buffer<result 1 at <0>>]
// CHECK-NEXT: lathe.add
func.func @after(%x: tensor<64xf32>) -> tensor<32xf32> {
  %old = lathe.read @v : tensor<64xf32>
  %part = lathe.slice %old from [32] to [64] : tensor<64xf32>
  %new = lathe.add %old, %x : tensor<64xf32>
  lathe.write @v, %new : tensor<64xf32>
  %sums = lathe.cumulative sum %part dim 0 : tensor<32xf32>
  return %sums : tensor<32xf32>
}

// The value outlives its first part. The second part would keep it longer.
// CHECK-LABEL: func.func @lives(
// CHECK: %[[ALL:.*]] = lathe.kernel
// CHECK: lathe.slice %[[ALL]] from [0]
// CHECK: lathe.kernel(%[[ARGUMENT:.*]] = %[[ALL]]
// CHECK-NEXT: lathe.slice %[[ARGUMENT]] from [16]
func.func @lives(%x: tensor<64xf32>) -> (tensor<16xf32>, tensor<48xf32>) {
  %all = lathe.cumulative sum %x dim 0 : tensor<64xf32>
  %first = lathe.slice %all from [0] to [16] : tensor<64xf32>
  %low = lathe.cumulative sum %first dim 0 : tensor<16xf32>
  %second = lathe.slice %all from [16] to [64] : tensor<64xf32>
  %high = lathe.cumulative sum %second dim 0 : tensor<48xf32>
  return %low, %high : tensor<16xf32>, tensor<48xf32>
}

// In a loop, of a step's row; a carry changes.
// CHECK-LABEL: func.func @loop(
// CHECK: lathe.scan
// CHECK: lathe.slice %arg{{.*}} from [1, 0]
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.slice
// CHECK: lathe.yield carry
func.func @loop(%w: tensor<2x16x16xf32>, %xs: tensor<?x2x16xf32> {lathe.dims = #lathe.dims<N>}, %h0: tensor<2x16xf32>) -> tensor<2x16xf32> {
  %h = lathe.scan carry(%h = %h0 : tensor<2x16xf32>) over(%x = %xs : tensor<?x2x16xf32>) -> tensor<2x16xf32> {
    %part = lathe.slice %w from [1, 0, 0] to [2, 16, 16] : tensor<2x16x16xf32>
    %m = lathe.reshape %part to [16, 16] : tensor<1x16x16xf32>
    %row = lathe.slice %x from [1, 0] to [2, 16] : tensor<2x16xf32>
    %old = lathe.slice %h from [0, 0] to [1, 16] : tensor<2x16xf32>
    %a = lathe.dot_general %row, %m contract [1] x [0] : tensor<1x16xf32>, tensor<16x16xf32>
    %b = lathe.dot_general %old, %m contract [1] x [0] : tensor<1x16xf32>, tensor<16x16xf32>
    %c = lathe.add %a, %b : tensor<1x16xf32>
    %d = lathe.reshape %c to [16] : tensor<1x16xf32>
    %e = lathe.broadcast %d dims [1] to [2, 16] : tensor<16xf32>
    %next = lathe.add %h, %e : tensor<2x16xf32>
    lathe.yield carry(%next : tensor<2x16xf32>)
  }
  return %h : tensor<2x16xf32>
}
