// A version packs its buffers by its own sizes, and may need more memory for them than the general one: the entry asks for as
// much as any of them needs.
// RUN: lathe-run %s main --specialize M=7 --input x=random --dim M=7 --check
// RUN: lathec %s --specialize=M=7,1 -o %t.o
// RUN: lathec %s --specialize=M=7 --emit=header -o %t.h

func.func private @ordered(%x: tensor<35x?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<f32> {
  %sorted = lathe.sort %x dim 0 : tensor<35x?xf32>
  %sum = lathe.reduce sum %sorted dims [0, 1] : tensor<35x?xf32>
  return %sum : tensor<f32>
}
func.func @main(%x: tensor<35x?xf32> {lathe.dims = #lathe.dims<M>}) -> (tensor<f32>, tensor<35x?xf32>) {
  %sum, %slope = lathe.value_and_grad @ordered(%x) wrt [0] : (tensor<35x?xf32>) -> (tensor<f32>, tensor<35x?xf32>)
  return %sum, %slope : tensor<f32>, tensor<35x?xf32>
}
