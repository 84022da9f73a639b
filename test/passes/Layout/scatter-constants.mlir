// RUN: lathe-opt %s --lathe-import --lathe-layout | FileCheck %s
// RUN: lathe-run %s turned --random --dim N=5 --check --rtol 0 --atol 0
// RUN: lathe-run %s zeros --check | FileCheck %s --check-prefix=ZEROS
// RUN: lathe-run %s stays --random --check --rtol 0 --atol 0
// Updates at places that are constants, one each at most: each place looks its update up. Index 7 is dropped, as -1 is, and
// place 3 has none.

// CHECK-LABEL: @turned(
// CHECK-DAG: lathe.constant dense<[2, 0, 4, -1, 3]> : tensor<5xi32>
// CHECK-NOT: lathe.scatter
// CHECK: lathe.gather
// CHECK: lathe.add
// CHECK: return
func.func @turned(%u: tensor<2x6x?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<2x5x?xf32>, tensor<2x5x?xf32>) {
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %at = lathe.constant dense<[1, 7, 0, 4, 2, -1]> : tensor<6xi64>
  %zeros = lathe.broadcast %zero dims [] to [2, 5, N] : tensor<f32>
  %sum = lathe.scatter add %zeros, %at, %u axis 1 : tensor<2x5x?xf32>, tensor<6xi64>, tensor<2x6x?xf32>
  %set = lathe.scatter set %zeros, %at, %u axis 1 : tensor<2x5x?xf32>, tensor<6xi64>, tensor<2x6x?xf32>
  return %sum, %set : tensor<2x5x?xf32>, tensor<2x5x?xf32>
}

// A zero plus a negative one is positive; one that is set stays negative.
// ZEROS: sum: f32[3] {{.*}}: 0 2 0
// ZEROS: set: f32[3] {{.*}}: 0 2 -0
func.func @zeros() -> (tensor<3xf32> {lathe.name = "sum"}, tensor<3xf32> {lathe.name = "set"}) {
  %zeros = lathe.constant dense<0.0> : tensor<3xf32>
  %u = lathe.constant dense<[-0.0, 2.0]> : tensor<2xf32>
  %at = lathe.constant dense<[2, 1]> : tensor<2xi32>
  %sum = lathe.scatter add %zeros, %at, %u axis 0 : tensor<3xf32>, tensor<2xi32>, tensor<2xf32>
  %set = lathe.scatter set %zeros, %at, %u axis 0 : tensor<3xf32>, tensor<2xi32>, tensor<2xf32>
  return %sum, %set : tensor<3xf32>, tensor<3xf32>
}

// Two updates for a place, factors, what is in memory, and negative zeros.
// CHECK-LABEL: @stays(
// CHECK-COUNT-4: lathe.scatter
// CHECK: return
func.func @stays(%x: tensor<3xf32>, %u: tensor<2xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %zeros = lathe.constant dense<0.0> : tensor<3xf32>
  %negative = lathe.constant dense<-0.0> : tensor<3xf32>
  %at = lathe.constant dense<[2, 1]> : tensor<2xi32>
  %twice = lathe.constant dense<[2, 2]> : tensor<2xi32>
  %a = lathe.scatter add %zeros, %twice, %u axis 0 : tensor<3xf32>, tensor<2xi32>, tensor<2xf32>
  %b = lathe.scatter mul %zeros, %at, %u axis 0 : tensor<3xf32>, tensor<2xi32>, tensor<2xf32>
  %c = lathe.scatter add %x, %at, %u axis 0 : tensor<3xf32>, tensor<2xi32>, tensor<2xf32>
  %d = lathe.scatter set %negative, %at, %u axis 0 : tensor<3xf32>, tensor<2xi32>, tensor<2xf32>
  return %a, %b, %c, %d : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
