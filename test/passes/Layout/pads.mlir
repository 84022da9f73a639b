// RUN: lathe-opt %s --lathe-import --lathe-layout | FileCheck %s
// RUN: lathe-run %s parts --input x=@%S/Inputs/parts-zeros.npy --random --check | FileCheck %s --check-prefix=BITS
// RUN: lathe-run %s named --random --dim N=3 --dim M=4 --check --rtol 0 --atol 0
// RUN: lathe-run %s integers --random --check --rtol 0 --atol 0
// RUN: lathe-run %s stays --random --check --rtol 0 --atol 0
// Parts padded with zeros that cover the whole, in any order, lie side by side; the zero that the sum adds to a negative one
// stays. Parts are 3, 1 and 2 columns, so that another order has another type.

// BITS: check: as interpreted
// BITS: t: f32[2][6] {{.*}}: 0 -1 nan
// CHECK-LABEL: @parts(
// CHECK: %[[NEG:.*]] = lathe.neg
// CHECK: %[[FIRST:.*]] = lathe.add %[[NEG]], %{{.*}} : tensor<2x3xf32>
// CHECK: lathe.concatenate %[[FIRST]], %{{.*}}, %{{.*}} dim 1 : tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x2xf32>
// CHECK-NOT: lathe.pad
// CHECK: return
func.func @parts(%x: tensor<2x3xf32>, %y: tensor<2x2xf32>, %z: tensor<2x1xf32>) -> tensor<2x6xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %a = lathe.neg %x : tensor<2x3xf32>
  %b = lathe.abs %y : tensor<2x2xf32>
  %c = lathe.reduce sum %y dims [1] : tensor<2x2xf32>
  %column = lathe.reshape %c to [2, 1] : tensor<2xf32>
  %p = lathe.pad %a, %zero low [0, 0] high [0, 3] interior [0, 0] : tensor<2x3xf32>, tensor<f32>
  %q = lathe.pad %b, %zero low [0, 4] high [0, 0] interior [0, 0] : tensor<2x2xf32>, tensor<f32>
  %r = lathe.pad %column, %zero low [0, 3] high [0, 2] interior [0, 0] : tensor<2x1xf32>, tensor<f32>
  %s = lathe.add %p, %q : tensor<2x6xf32>
  %t = lathe.add %s, %r : tensor<2x6xf32>
  return %t : tensor<2x6xf32>
}

// CHECK-LABEL: @named(
// CHECK: lathe.concatenate {{.*}} dim 1 : tensor<2x?xf32, #lathe.dims<N>>, tensor<2x?xf32, #lathe.dims<M>>
// CHECK: return
func.func @named(%x: tensor<2x?xf32> {lathe.dims = #lathe.dims<N>}, %y: tensor<2x?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<2x?xf32> {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %a = lathe.neg %x : tensor<2x?xf32>
  %b = lathe.abs %y : tensor<2x?xf32>
  %p = lathe.pad %a, %zero low [0, 0] high [0, M] interior [0, 0] : tensor<2x?xf32>, tensor<f32>
  %q = lathe.pad %b, %zero low [0, N] high [0, 0] interior [0, 0] : tensor<2x?xf32>, tensor<f32>
  %s = lathe.add %p, %q : tensor<2x?xf32>
  return %s : tensor<2x?xf32>
}

// Integers have one zero. A concatenation of concatenations is one.
// CHECK-LABEL: @integers(
// CHECK-NOT: lathe.add
// CHECK: lathe.concatenate {{.*}} dim 0 : tensor<2xi32>, tensor<3xi32>, tensor<2xi32>
// CHECK-NOT: lathe.concatenate
// CHECK: return
func.func @integers(%x: tensor<2xi32>, %y: tensor<3xi32>) -> tensor<7xi32> {
  %zero = lathe.constant dense<0> : tensor<i32>
  %a = lathe.neg %x : tensor<2xi32>
  %b = lathe.neg %y : tensor<3xi32>
  %p = lathe.pad %a, %zero low [0] high [3] interior [0] : tensor<2xi32>, tensor<i32>
  %q = lathe.pad %b, %zero low [2] high [0] interior [0] : tensor<3xi32>, tensor<i32>
  %s = lathe.add %p, %q : tensor<5xi32>
  %t = lathe.concatenate %s, %a dim 0 : tensor<5xi32>, tensor<2xi32>
  return %t : tensor<7xi32>
}

// Parts that overlap, leave something out, are padded with ones or between elements, are in memory, or are needed by themselves.
// CHECK-LABEL: @stays(
// CHECK-NOT: lathe.concatenate
// CHECK: return
func.func @stays(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<5xf32>, tensor<7xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %one = lathe.constant dense<1.0> : tensor<f32>
  %a = lathe.neg %x : tensor<3xf32>
  %b = lathe.abs %y : tensor<3xf32>
  %p0 = lathe.pad %a, %zero low [0] high [2] interior [0] : tensor<3xf32>, tensor<f32>
  %q0 = lathe.pad %b, %zero low [2] high [0] interior [0] : tensor<3xf32>, tensor<f32>
  %overlap = lathe.add %p0, %q0 : tensor<5xf32>
  %p1 = lathe.pad %a, %zero low [0] high [4] interior [0] : tensor<3xf32>, tensor<f32>
  %q1 = lathe.pad %b, %zero low [3] high [1] interior [0] : tensor<3xf32>, tensor<f32>
  %gap = lathe.add %p1, %q1 : tensor<7xf32>
  %p2 = lathe.pad %a, %one low [0] high [3] interior [0] : tensor<3xf32>, tensor<f32>
  %q2 = lathe.pad %b, %zero low [3] high [0] interior [0] : tensor<3xf32>, tensor<f32>
  %ones = lathe.add %p2, %q2 : tensor<6xf32>
  %p3 = lathe.pad %a, %zero low [0] high [1] interior [1] : tensor<3xf32>, tensor<f32>
  %q3 = lathe.pad %b, %zero low [1] high [0] interior [1] : tensor<3xf32>, tensor<f32>
  %between = lathe.add %p3, %q3 : tensor<6xf32>
  %p4 = lathe.pad %x, %zero low [0] high [3] interior [0] : tensor<3xf32>, tensor<f32>
  %q4 = lathe.pad %y, %zero low [3] high [0] interior [0] : tensor<3xf32>, tensor<f32>
  %memory = lathe.add %p4, %q4 : tensor<6xf32>
  %p5 = lathe.pad %a, %zero low [0] high [3] interior [0] : tensor<3xf32>, tensor<f32>
  %q5 = lathe.pad %b, %zero low [3] high [0] interior [0] : tensor<3xf32>, tensor<f32>
  %needed = lathe.add %p5, %q5 : tensor<6xf32>
  return %overlap, %gap, %ones, %between, %memory, %p5, %needed : tensor<5xf32>, tensor<7xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
