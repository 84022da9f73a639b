// A step of a loop multiplies the bytes of weights that were widened before it, from panels in the object; against the interpreter, bit
// for bit, with several threads and levels.
// RUN: %python %S/Inputs/fill.py %s > %t.mlir
// RUN: lathec %t.mlir --explain --emit=none --target=x86-64-v3 > %t.log 2>&1
// RUN: FileCheck %s --input-file=%t.log
// CHECK: the object stores the weights in panels of 16 columns
// CHECK: byte_product {
// RUN: lathe-run %t.mlir main --random --dim N=1 --check --rtol 0 --atol 0
// RUN: lathe-run %t.mlir main --random --dim N=7 --check --rtol 0 --atol 0 --threads 3
// RUN: lathe-run %t.mlir main --random --dim N=2 --check --rtol 0 --atol 0 --target=x86-64-v2,x86-64-v3,x86-64-v4

func.func @main(%h0: tensor<?x128xui8> {lathe.dims = #lathe.dims<N>}, %z: tensor<ui8>) -> tensor<?x128xui8> {
  %w = lathe.constant dense<any> : tensor<128x128xi8>
  %wide = lathe.convert %w to i32 : tensor<128x128xi8>
  %z32 = lathe.convert %z to i32 : tensor<ui8>
  %h = lathe.scan carry(%h = %h0 : tensor<?x128xui8>) trip 9 -> tensor<?x128xui8> {
    %x = lathe.convert %h to i32 : tensor<?x128xui8>
    %xz = lathe.sub %x, %z32 : tensor<?x128xi32>, tensor<i32>
    %sums = lathe.dot_general %xz, %wide contract [1] x [0] : tensor<?x128xi32>, tensor<128x128xi32>
    %next = lathe.convert %sums to ui8 : tensor<?x128xi32>
    lathe.yield carry(%next : tensor<?x128xui8>)
  }
  return %h : tensor<?x128xui8>
}
