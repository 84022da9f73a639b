// Factors in all sections of a panel's table, against the interpreter, bit for bit: sums of products with 255 that just fit in 16 bits or
// just do not, alone or over two groups; groups without a block of four; one row, some rows and many; a zero point, levels and threads.
// RUN: %python %S/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --explain --emit=none --target=x86-64-v3 2>&1 | FileCheck %s
// CHECK-DAG: byte_product {block_rows = 1, lanes = 8, method = mixed, rows = 1, vectors = 2}
// CHECK-DAG: byte_product {block_rows = 3, lanes = 8, method = mixed, rows = {{.}}, vectors = 2}
// CHECK-DAG: byte_product {block_rows = 5{{.}}, lanes = 8, method = mixed, rows = 4, vectors = 2}
// RUN: lathe-run %t.mlir main --random --dim M=1 --check --rtol 0 --atol 0
// RUN: lathe-run %t.mlir main --random --dim M=7 --check --rtol 0 --atol 0 --target=x86-64-v3 --threads 2
// RUN: lathe-run %t.mlir main --random --dim M=7 --check --rtol 0 --atol 0 --target=x86-64-v2,x86-64-v3,x86-64-v4

func.func @main(%x: tensor<1x799xui8>, %y: tensor<3x799xui8>, %z: tensor<?x799xui8> {lathe.dims = #lathe.dims<M>}, %zero: tensor<ui8>)
    -> (tensor<1x48xi32>, tensor<3x48xi32>, tensor<?x48xi32>, tensor<?x48xi32>, tensor<1x48xi32>) {
  %w = lathe.constant dense<edge> : tensor<799x48xi8>
  %v = lathe.constant dense<bell> : tensor<799x48xi8>
  %most = lathe.constant dense<255> : tensor<ui8>
  %x255 = lathe.max %x, %most : tensor<1x799xui8>, tensor<ui8>
  %y255 = lathe.max %y, %most : tensor<3x799xui8>, tensor<ui8>
  %z255 = lathe.max %z, %most : tensor<?x799xui8>, tensor<ui8>
  %x32 = lathe.convert %x255 to i32 : tensor<1x799xui8>
  %y32 = lathe.convert %y255 to i32 : tensor<3x799xui8>
  %z32 = lathe.convert %z255 to i32 : tensor<?x799xui8>
  %zero32 = lathe.convert %zero to i32 : tensor<ui8>
  %centred = lathe.sub %z32, %zero32 : tensor<?x799xi32>, tensor<i32>
  %w32 = lathe.convert %w to i32 : tensor<799x48xi8>
  %v32 = lathe.convert %v to i32 : tensor<799x48xi8>
  %0 = lathe.dot_general %x32, %w32 contract [1] x [0] : tensor<1x799xi32>, tensor<799x48xi32>
  %1 = lathe.dot_general %y32, %w32 contract [1] x [0] : tensor<3x799xi32>, tensor<799x48xi32>
  %2 = lathe.dot_general %centred, %w32 contract [1] x [0] : tensor<?x799xi32>, tensor<799x48xi32>
  %3 = lathe.dot_general %centred, %v32 contract [1] x [0] : tensor<?x799xi32>, tensor<799x48xi32>
  %4 = lathe.dot_general %x32, %v32 contract [1] x [0] : tensor<1x799xi32>, tensor<799x48xi32>
  return %0, %1, %2, %3, %4 : tensor<1x48xi32>, tensor<3x48xi32>, tensor<?x48xi32>, tensor<?x48xi32>, tensor<1x48xi32>
}
