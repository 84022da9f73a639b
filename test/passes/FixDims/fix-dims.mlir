// RUN: lathec %s --dim N=8 --emit=mlir --emit-stage=import -o - | FileCheck %s
// RUN: lathe-opt %s --lathe-infer-dims --lathe-fix-dims=sizes=N=8 | FileCheck %s
// RUN: sh -c 'lathec %s --dim N=12 --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: sh -c 'lathec %s --dim Q=8 --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NONE

// A dimension that is written by another; its bounds are those of the other.
// RUN: lathec %s --dim N=4*k --emit=mlir --emit-stage=import -o - | FileCheck %s --check-prefix=FORMULA
// RUN: lathec %s --dim 'M = 2 * N - 8' --emit=mlir --emit-stage=import -o - | FileCheck %s --check-prefix=OTHER
// RUN: lathec %s --dim N=4*k --dim k=8 --emit=mlir --emit-stage=import -o - | FileCheck %s --check-prefix=BOTH
// RUN: lathec %s --dim M=N --dim N=8*j --emit=mlir --emit-stage=import -o - 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: sh -c 'lathec %s --dim M=N --dim N=2*M --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=CYCLE
// RUN: sh -c 'lathec %s --dim M=N-9 --dim N=8 --emit=none; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: sh -c 'lathec %s --dim N=4*k+1 --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NOMULTIPLE
// RUN: sh -c 'lathec %s --dim Q=4*k --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sh -c 'lathec %s --dim "N=4*k)" --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=WRONG
// FORMULA: lathe.dim @k, 2 to 16, multiple of 2
// FORMULA: tensor<?x?xf32, #lathe.dims<4 * k, M>>
// OTHER: tensor<?x?xf32, #lathe.dims<N, 2 * N - 8>>
// BOTH: tensor<32x?xf32, #lathe.dims<M>>
// CHAIN: tensor<?x?xf32, #lathe.dims<8 * j, 8 * j>>
// CYCLE: --dim: 'M' is expressed by itself
// NEGATIVE: fix-dims.mlir:[[# @LINE + 12]]:14: error: an extent of this argument, N - 9, is -1 with the sizes of --dim; expected at least 0
// NOMULTIPLE: fix-dims.mlir:[[# @LINE + 7]]:1: error: dimension 'N' has bounds here, so it cannot be 4 * k + 1; expected a multiple of a dimension without bounds, such as 32*h
// WRONG: --dim: '4*k)' is neither a size from 0 to 2147483647 nor an expression of dimensions such as 32*h, in 'N=4*k)'

// RUN: sh -c 'lathec %s --dim O=7 --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=ANY
// ANY: fix-dims.mlir:[[# @LINE + 1]]:1: error: dimension 'O' cannot be 7: expected 2 to 6{{$}}
lathe.dim @O, 2 to 6
// BOUNDS: fix-dims.mlir:[[# @LINE + 1]]:1: error: dimension 'N' cannot be 12: expected 8 to 64, a multiple of 8
lathe.dim @N, 8 to 64, multiple of 8

// CHECK: func.func @f(%{{.*}}: tensor<8x?xf32, #lathe.dims<M>>
// NONE: fix-dims.mlir:[[# @LINE + 1]]:1: error: there is no dimension 'Q'; there are N, M
func.func @f(%x: tensor<?x?xf32> {lathe.dims = #lathe.dims<N, M>}) -> (tensor<?x?xf32> {lathe.name = "y"}) {
  return %x : tensor<?x?xf32>
}
