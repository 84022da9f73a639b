// RUN: lathe-opt %s --lathe-import --canonicalize --cse | FileCheck %s
// RUN: lathe-run %s wide --random --dim N=100 --check --rtol 1e-6
// RUN: lathe-run %s special | FileCheck %s --check-prefix=SPECIAL
// Powers by small numbers are products and quotients; other powers, and powers of halves that would be rounded twice, stay.

// CHECK-LABEL: func.func @wide
// CHECK: %[[SQUARE:.*]] = lathe.mul %[[X:.*]], %[[X]]
// CHECK: %[[CUBE:.*]] = lathe.mul %[[SQUARE]], %[[X]]
// CHECK: %[[FOURTH:.*]] = lathe.mul %[[SQUARE]], %[[SQUARE]]
// CHECK: %[[INVERSE:.*]] = lathe.div %{{.*}}, %[[X]]
// CHECK: %[[TWICE:.*]] = lathe.mul %[[INVERSE]], %[[INVERSE]]
// CHECK: %[[HALF:.*]] = lathe.pow
// CHECK: return %[[X]], %[[SQUARE]], %[[CUBE]], %[[FOURTH]], %[[INVERSE]], %[[TWICE]], %[[HALF]]
func.func @wide(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %one = lathe.constant dense<1.0> : tensor<f32>
  %two = lathe.constant dense<2.0> : tensor<f32>
  %three = lathe.constant dense<3.0> : tensor<f32>
  %four = lathe.constant dense<4.0> : tensor<f32>
  %minus = lathe.constant dense<-1.0> : tensor<f32>
  %minus2 = lathe.constant dense<-2.0> : tensor<f32>
  %half = lathe.constant dense<0.5> : tensor<f32>
  %a = lathe.pow %x, %one : tensor<?xf32>, tensor<f32>
  %b = lathe.pow %x, %two : tensor<?xf32>, tensor<f32>
  %c = lathe.pow %x, %three : tensor<?xf32>, tensor<f32>
  %d = lathe.pow %x, %four : tensor<?xf32>, tensor<f32>
  %e = lathe.pow %x, %minus : tensor<?xf32>, tensor<f32>
  %f = lathe.pow %x, %minus2 : tensor<?xf32>, tensor<f32>
  %s = lathe.mul %x, %x : tensor<?xf32>
  %g = lathe.pow %s, %half : tensor<?xf32>, tensor<f32>
  return %a, %b, %c, %d, %e, %f, %g : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @halves
// CHECK: lathe.mul
// CHECK: lathe.pow
// CHECK: return
func.func @halves(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  %two = lathe.constant dense<2.0> : tensor<4xf16>
  %three = lathe.constant dense<3.0> : tensor<4xf16>
  %a = lathe.pow %x, %two : tensor<4xf16>
  %b = lathe.pow %x, %three : tensor<4xf16>
  return %a, %b : tensor<4xf16>, tensor<4xf16>
}

// C's pow of zeros, infinities, NaN, and of what overflows on the way.
// SPECIAL: inverse: f32[6] {{.*}}: inf -inf 0 -0 nan 1e-30
// SPECIAL: squared: f32[6] {{.*}}: inf inf 0 0 nan 0
func.func @special() -> (tensor<6xf32> {lathe.name = "inverse"}, tensor<6xf32> {lathe.name = "squared"}) {
  %x = lathe.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e30]> : tensor<6xf32>
  %minus = lathe.constant dense<-1.0> : tensor<6xf32>
  %minus2 = lathe.constant dense<-2.0> : tensor<6xf32>
  %a = lathe.pow %x, %minus : tensor<6xf32>
  %b = lathe.pow %x, %minus2 : tensor<6xf32>
  return %a, %b : tensor<6xf32>, tensor<6xf32>
}
