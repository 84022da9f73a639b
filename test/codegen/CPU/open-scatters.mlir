// Scatters that add whose updates are a multiple of a quotient: the sizes of their memory have formulas that no operand has.
// RUN: lathe-run %s gradient --dim M=0 --random --check | FileCheck %s
// RUN: lathe-run %s gradient --dim M=2 --random --check | FileCheck %s
// RUN: lathe-run %s gradient --dim M=100 --random --check | FileCheck %s
// RUN: lathe-run %s gradient --dim M=1001 --random --check --threads 3 | FileCheck %s
// CHECK: as interpreted

func.func private @picked(%table: tensor<7x32xf32>, %places: tensor<17x?xi64> {lathe.dims = #lathe.dims<floor_div(M, 3)>},
                          %all: tensor<?xi8> {lathe.dims = #lathe.dims<M>}) -> tensor<f32> {
  %picked = lathe.gather %table, %places axis 1 : tensor<7x32xf32>, tensor<17x?xi64>
  %square = lathe.mul %picked, %picked : tensor<7x17x?xf32>
  %sum = lathe.reduce sum %square dims [0, 1, 2] : tensor<7x17x?xf32>
  return %sum : tensor<f32>
}
func.func @gradient(%table: tensor<7x32xf32>, %places: tensor<17x?xi64> {lathe.dims = #lathe.dims<floor_div(M, 3)>},
                    %all: tensor<?xi8> {lathe.dims = #lathe.dims<M>}) -> (tensor<f32>, tensor<7x32xf32>) {
  %sum, %slope = lathe.value_and_grad @picked(%table, %places, %all) wrt [0]
      : (tensor<7x32xf32>, tensor<17x?xi64>, tensor<?xi8>) -> (tensor<f32>, tensor<7x32xf32>)
  return %sum, %slope : tensor<f32>, tensor<7x32xf32>
}
