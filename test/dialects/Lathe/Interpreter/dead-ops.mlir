// An op whose result nobody reads may ask for elements that are not there: compiled code does not have it, and the interpreter
// passes over it, with the ops that read it.
// RUN: %npy %t.npy "<f4" 0
// RUN: lathe-run %s --interpret --input x=@%t.npy | FileCheck %s
// RUN: lathe-run %s --input x=@%t.npy | FileCheck %s
// CHECK: y: f32[0] empty
func.func @f(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> (tensor<?xf32> {lathe.name = "y"}) {
  %first = lathe.slice %x from [0] to [1] : tensor<?xf32>
  %unread = lathe.neg %first : tensor<1xf32>
  %y = lathe.neg %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
