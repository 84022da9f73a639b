// A result of the row that takes the place of an input is stored when the other results have read that input.
// RUN: lathe-run %s rows --random --dim N=37 --check --rtol 1e-12
// RUN: lathe-run %s rows --random --dim N=1 --check --rtol 1e-12
// RUN: lathe-run %s row --input index=3 --random --check --rtol 1e-12
// RUN: lathec %s --emit=mlir --emit-stage=fusion -o - | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK: lathe.kernel{{.*}} -> (tensor<?xf64, #lathe.dims<N>>, tensor<?xf64, #lathe.dims<N>>) attributes {lathe.rows}
func.func @rows(%x: tensor<?x8xf64> {lathe.dims = #lathe.dims<N>}, %scale: tensor<?xf64> {lathe.dims = #lathe.dims<N>}, %index: tensor<?xi32> {lathe.dims = #lathe.dims<N>})
    -> (tensor<?xf64>, tensor<?xf64>) {
  %dying = lathe.cumulative sum %scale dim 0 : tensor<?xf64>
  %e = lathe.exp %x : tensor<?x8xf64>
  %sum = lathe.reduce sum %e dims [1] : tensor<?x8xf64>
  %picked = lathe.gather %e, %index axis 1 batch 1 : tensor<?x8xf64>, tensor<?xi32>
  %product = lathe.mul %picked, %dying : tensor<?xf64>
  %turned = lathe.reverse %sum dims [0] : tensor<?xf64>
  %back = lathe.reverse %product dims [0] : tensor<?xf64>
  return %turned, %back : tensor<?xf64>, tensor<?xf64>
}

// CHECK-LABEL: func.func @row(
// CHECK: lathe.kernel{{.*}} -> (tensor<f64>, tensor<f64>) attributes {lathe.rows}
func.func @row(%x: tensor<8xf64>, %scale: tensor<5xf64>, %index: tensor<i32>) -> (tensor<1xf64>, tensor<1xf64>) {
  %dying = lathe.reduce product %scale dims [0] : tensor<5xf64>
  %e = lathe.exp %x : tensor<8xf64>
  %sum = lathe.reduce sum %e dims [0] : tensor<8xf64>
  %picked = lathe.gather %e, %index axis 0 : tensor<8xf64>, tensor<i32>
  %product = lathe.mul %picked, %dying : tensor<f64>
  %sums = lathe.broadcast %sum dims [] to [1] : tensor<f64>
  %products = lathe.broadcast %product dims [] to [1] : tensor<f64>
  %turned = lathe.cumulative sum %sums dim 0 : tensor<1xf64>
  %back = lathe.cumulative sum %products dim 0 : tensor<1xf64>
  return %turned, %back : tensor<1xf64>, tensor<1xf64>
}
