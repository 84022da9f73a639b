// RUN: lathec %s --axis=model=2 --shard-variable='*.w:1@model' --emit=mlir --emit-stage=autodiff -o - | FileCheck %s
// RUN: sh -c 'lathec %s --axis=model=2 --shard-variable="*.u:1@model" --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sh -c 'lathec %s --axis=model=2 --shard-variable="*.w:2@model" --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: sh -c 'lathec %s --axis=model=2 --axis=row=2 --shard-variable="*.w:1@model" --shard-variable="*.w:1@row" --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: sh -c 'lathec %s --shard-variable="*.w:1@model" --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=AXIS
// RUN: sh -c 'lathec %s --axis=model=2 --shard-variable="*.w:model" --emit=none; test $? = 2' 2>&1 | FileCheck %s --check-prefix=FORM
// Patterns of names say the same as lathe.shard on the variables.
// NONE: no variable matches '*.u'; there are @a.w, @b.w, @c
// RANGE: cannot divide variable @a.w: dimension 2 is out of range for 'tensor<4x6xf32>'
// TWICE: cannot divide variable @a.w: dimension 1 is divided over 'model' and over 'row'; a dimension has one axis
// AXIS: --shard-variable: a part of a variable needs a known number of ranks; add --axis=model=RANKS
// FORM: --shard-variable: expected PATTERN:DIM@AXIS, such as *.ffn.w:1@model, got '*.w:model'
// CHECK: lathe.variable @a.w : tensor<4x3xf32>
// CHECK: lathe.variable @b.w : tensor<4x4xf32>
// CHECK: lathe.variable @c : tensor<4xf32>
lathe.variable @a.w : tensor<4x6xf32> init #lathe.zeros
lathe.variable @b.w : tensor<4x8xf32> init #lathe.zeros
lathe.variable @c : tensor<4xf32> init #lathe.zeros
func.func @f(%x: tensor<4xf32>) -> tensor<6xf32> {
  %a = lathe.read @a.w : tensor<4x6xf32>
  %y = lathe.dot_general %x, %a contract [0] x [0] : tensor<4xf32>, tensor<4x6xf32>
  return %y : tensor<6xf32>
}
