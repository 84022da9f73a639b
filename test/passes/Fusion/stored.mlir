// RUN: lathec %s --emit=mlir --emit-stage=fusion -o - | FileCheck %s
// RUN: lathe-run %s norm --random --check --rtol 1e-4
// RUN: lathe-run %s norm --random --check --rtol 1e-4 --threads 3 --target x86-64-v2
// RUN: lathe-run %s chain --random --check
// What a few cheap ops make of a value that is in memory in any case is computed in each kernel that reads it.

// The result of the convolution is stored, for a reduction reads it; neither its distances from the mean nor their squares are, nor what the
// convolution's readers compare with 0.
// CHECK-LABEL: func.func @norm
// CHECK: %[[X:.*]] = lathe.kernel({{.*}}) -> tensor<2x6x6x16xf32>
// CHECK: lathe.conv
// CHECK: %[[MEAN:.*]] = lathe.kernel({{.*}} = %[[X]] : {{.*}}) -> tensor<16xf32>
// CHECK: %[[RATE:.*]] = lathe.kernel({{.*}} = %[[X]] : {{.*}} = %[[MEAN]] : {{.*}}) -> tensor<16xf32>
// CHECK: lathe.sub
// CHECK: lathe.mul
// CHECK: lathe.reduce
// CHECK: lathe.kernel({{.*}} = %[[X]] : {{.*}}) -> tensor<2x6x6x16xf32>
// CHECK: lathe.select
// CHECK: lathe.kernel({{.*}} = %[[X]] : {{.*}}) -> tensor<16xf32>
// CHECK: lathe.compare
// CHECK: lathe.reduce
func.func @norm(%x: tensor<2x6x6x3xf32>, %f: tensor<3x3x3x16xf32>, %g: tensor<2x6x6x16xf32>) -> (tensor<2x6x6x16xf32>, tensor<16xf32>) {
  %y = lathe.conv %x, %f stride [1, 1] pad [[1, 1], [1, 1]] : tensor<2x6x6x3xf32>, tensor<3x3x3x16xf32>
  %mean = lathe.std.mean %y dims [0, 1, 2] : tensor<2x6x6x16xf32>
  %m = lathe.broadcast %mean dims [3] to [2, 6, 6, 16] : tensor<16xf32>
  %off = lathe.sub %y, %m : tensor<2x6x6x16xf32>
  %squares = lathe.mul %off, %off : tensor<2x6x6x16xf32>
  %variance = lathe.std.mean %squares dims [0, 1, 2] : tensor<2x6x6x16xf32>
  %rate = lathe.rsqrt %variance : tensor<16xf32>
  %r = lathe.broadcast %rate dims [3] to [2, 6, 6, 16] : tensor<16xf32>
  %scaled = lathe.mul %off, %r : tensor<2x6x6x16xf32>
  %zero = lathe.constant dense<0.0> : tensor<2x6x6x16xf32>
  %negative = lathe.compare le %scaled, %zero : tensor<2x6x6x16xf32>
  %relu = lathe.select %negative, %zero, %scaled : tensor<2x6x6x16xi1>, tensor<2x6x6x16xf32>
  %back = lathe.select %negative, %zero, %g : tensor<2x6x6x16xi1>, tensor<2x6x6x16xf32>
  %sum = lathe.reduce sum %back dims [0, 1, 2] : tensor<2x6x6x16xf32>
  return %relu, %sum : tensor<2x6x6x16xf32>, tensor<16xf32>
}

// A value that is returned is stored, and so are those that a product reads or that two stored values make.
// CHECK-LABEL: func.func @chain
// CHECK: lathe.kernel({{.*}}) -> (tensor<8x16xf32>, tensor<8x16xf32>{{.*}})
func.func @chain(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> (tensor<8x16xf32>, tensor<8x4xf32>, tensor<16xf32>) {
  %kept = lathe.neg %x : tensor<8x16xf32>
  %both = lathe.add %kept, %y : tensor<8x16xf32>
  %p = lathe.dot_general %both, %w contract [1] x [0] : tensor<8x16xf32>, tensor<16x4xf32>
  %sum = lathe.reduce sum %both dims [0] : tensor<8x16xf32>
  return %kept, %p, %sum : tensor<8x16xf32>, tensor<8x4xf32>, tensor<16xf32>
}
