// Products of few rows have tiles as wide as registers allow; columns that fill no panel, halves and integers, named columns.
// RUN: lathe-run %s main --random --dim M=37 --check --rtol 1e-5 --atol 1e-5
// RUN: lathe-run %s main --random --dim M=16 --check --rtol 1e-5 --atol 1e-5 --target x86-64-v3
// RUN: lathe-run %s main --random --dim M=3 --check --rtol 1e-5 --atol 1e-5 --target x86-64-v2
// RUN: lathe-run %s main --random --dim M=200 --check --rtol 1e-5 --atol 1e-5 --threads 2
// RUN: lathe-run %s main --random --dim M=1 --bisect --rtol 1e-5 --atol 1e-5

func.func @main(%a1: tensor<1x64xf32>, %a2: tensor<2x64xf32>, %a3: tensor<3x64xf32>, %a4: tensor<4x64xf64>, %h: tensor<1x64xf16>,
                %i: tensor<2x64xi32>, %w512: tensor<64x512xf32>, %w100: tensor<64x100xf32>, %w7: tensor<64x7xf32>,
                %d: tensor<64x90xf64>, %wh: tensor<64x48xf16>, %wi: tensor<64x33xi32>, %wm: tensor<64x?xf32> {lathe.dims = #lathe.dims<M>})
    -> (tensor<1x512xf32>, tensor<1x100xf32>, tensor<2x100xf32>, tensor<3x7xf32>, tensor<4x90xf64>, tensor<1x48xf16>, tensor<2x33xi32>, tensor<1x?xf32>, tensor<3x?xf32>) {
  %0 = lathe.dot_general %a1, %w512 contract [1] x [0] : tensor<1x64xf32>, tensor<64x512xf32>
  %1 = lathe.dot_general %a1, %w100 contract [1] x [0] : tensor<1x64xf32>, tensor<64x100xf32>
  %2 = lathe.dot_general %a2, %w100 contract [1] x [0] : tensor<2x64xf32>, tensor<64x100xf32>
  %3 = lathe.dot_general %a3, %w7 contract [1] x [0] : tensor<3x64xf32>, tensor<64x7xf32>
  %4 = lathe.dot_general %a4, %d contract [1] x [0] : tensor<4x64xf64>, tensor<64x90xf64>
  %5 = lathe.dot_general %h, %wh contract [1] x [0] : tensor<1x64xf16>, tensor<64x48xf16>
  %6 = lathe.dot_general %i, %wi contract [1] x [0] : tensor<2x64xi32>, tensor<64x33xi32>
  %7 = lathe.dot_general %a1, %wm contract [1] x [0] : tensor<1x64xf32>, tensor<64x?xf32>
  %8 = lathe.dot_general %a3, %wm contract [1] x [0] : tensor<3x64xf32>, tensor<64x?xf32>
  %9 = lathe.tanh %0 : tensor<1x512xf32>
  return %9, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<1x512xf32>, tensor<1x100xf32>, tensor<2x100xf32>, tensor<3x7xf32>, tensor<4x90xf64>, tensor<1x48xf16>, tensor<2x33xi32>, tensor<1x?xf32>, tensor<3x?xf32>
}
