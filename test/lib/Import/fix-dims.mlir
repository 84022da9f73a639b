// RUN: lathec %s --dim N=8 --emit=mlir --emit-stage=import -o - | FileCheck %s
// RUN: lathe-opt %s --lathe-infer-dims --lathe-fix-dims=sizes=N=8 | FileCheck %s
// RUN: sh -c 'lathec %s --dim N=12 --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: sh -c 'lathec %s --dim Q=8 --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NONE

// BOUNDS: fix-dims.mlir:[[# @LINE + 1]]:1: error: dimension 'N' cannot be 12: expected 8 to 64, a multiple of 8
lathe.dim @N, 8 to 64, multiple of 8

// CHECK: func.func @f(%{{.*}}: tensor<8x?xf32, #lathe.dims<M>>
// NONE: fix-dims.mlir:[[# @LINE + 1]]:1: error: there is no dimension 'Q'; there are N, M
func.func @f(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}) -> (tensor<?x?xf32> {lathe.name = "y"}) {
  return %x : tensor<?x?xf32>
}
