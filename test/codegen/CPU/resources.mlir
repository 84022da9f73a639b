// Constants whose elements are resources of the file, as models' large weights are.
// RUN: lathe-run %s f --input x=2 --check | FileCheck %s
// RUN: lathe-run %s f --input x=2 -O 0 --threads 2 --check | FileCheck %s
// CHECK-DAG: y: f32[4] {{.*}}: 3 4 5 6
// CHECK-DAG: z: f32[4] {{.*}}: 2 0 0 2
// CHECK-DAG: n: i16[2] {{.*}}: 258 -1
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {lathe.name = "y"}, tensor<4xf32> {lathe.name = "z"}, tensor<2xi16> {lathe.name = "n"}) {
  %w = lathe.constant dense_resource<floats> : tensor<4xf32>
  %keep = lathe.constant dense_resource<truths> : tensor<4xi1>
  %n = lathe.constant dense_resource<shorts> : tensor<2xi16>
  %y = lathe.add %x, %w : tensor<4xf32>
  %zero = lathe.constant dense<0.0> : tensor<f32>
  %z = lathe.select %keep, %x, %zero : tensor<4xi1>, tensor<4xf32>, tensor<f32>
  return %y, %z, %n : tensor<4xf32>, tensor<4xf32>, tensor<2xi16>
}

{-#
  dialect_resources: {
    builtin: {
      floats: "0x040000000000803F000000400000404000008040",
      truths: "0x0100000001000001",
      shorts: "0x020000000201FFFF"
    }
  }
#-}
