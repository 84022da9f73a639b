// RUN: lathe-opt %s --split-input-file -verify-diagnostics
// One section for each constraint of a collective, as numbered in CollectiveOps.td.

// all_reduce_c1
func.func @all_reduce_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.all_reduce: axis 'data' has 0 ranks; expected at least 1}}
  %0 = lathe.all_reduce sum %x over data = 0 : tensor<4xf32>
  return
}

// -----

// all_reduce_c2
func.func @all_reduce_c2(%x: tensor<4xi32>) {
  // expected-error @+1 {{lathe.all_reduce: a mean of 'tensor<4xi32>' is not exact; expected floats, or use sum}}
  %0 = lathe.all_reduce mean %x over data = 2 : tensor<4xi32>
  return
}

// -----

// all_reduce_c3
func.func @all_reduce_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.all_reduce: 'my axis' is not a valid name for an axis; expected a C identifier}}
  %0 = lathe.all_reduce sum %x over "my axis" = 2 : tensor<4xf32>
  return
}

// -----

// reduce_scatter_c1
func.func @reduce_scatter_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.reduce_scatter: axis 'data' has -1 ranks; expected at least 1}}
  %0 = lathe.reduce_scatter sum %x dim 0 over data = -1 : tensor<4xf32>
  return
}

// -----

// reduce_scatter_c2
func.func @reduce_scatter_c2(%x: tensor<4xi32>) {
  // expected-error @+1 {{lathe.reduce_scatter: a mean of 'tensor<4xi32>' is not exact; expected floats, or use sum}}
  %0 = lathe.reduce_scatter mean %x dim 0 over data = 2 : tensor<4xi32>
  return
}

// -----

// reduce_scatter_c3
func.func @reduce_scatter_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.reduce_scatter: '2d' is not a valid name for an axis; expected a C identifier}}
  %0 = lathe.reduce_scatter sum %x dim 0 over "2d" = 2 : tensor<4xf32>
  return
}

// -----

// reduce_scatter_c4
func.func @reduce_scatter_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.reduce_scatter: 'dim' is 1, but the operand has rank 1}}
  %0 = lathe.reduce_scatter sum %x dim 1 over data = 2 : tensor<4xf32>
  return
}

// -----

// reduce_scatter_c5
func.func @reduce_scatter_c5(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.reduce_scatter: dimension 0 is 4, which is not a multiple of 3, the size of axis 'data'; pad the operand, or give the axis a size that divides it}}
  %0 = lathe.reduce_scatter sum %x dim 0 over data = 3 : tensor<4xf32>
  return
}

// -----

// reduce_scatter_c5: over an open axis
func.func @reduce_scatter_c5_open(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.reduce_scatter: dimension 0 is 4, which is not a multiple of data, the size of axis 'data'}}
  %0 = lathe.reduce_scatter sum %x dim 0 over data : tensor<4xf32>
  return
}

// -----

// all_gather_c1
func.func @all_gather_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.all_gather: axis 'data' has 0 ranks; expected at least 1}}
  %0 = lathe.all_gather %x dim 0 over data = 0 : tensor<4xf32>
  return
}

// -----

// all_gather_c2
func.func @all_gather_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.all_gather: 'a-b' is not a valid name for an axis; expected a C identifier}}
  %0 = lathe.all_gather %x dim 0 over "a-b" = 2 : tensor<4xf32>
  return
}

// -----

// all_gather_c3
func.func @all_gather_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.all_gather: 'dim' is -1, but the operand has rank 1}}
  %0 = lathe.all_gather %x dim -1 over data = 2 : tensor<4xf32>
  return
}

// -----

// all_gather_c4
func.func @all_gather_c4(%x: tensor<4611686018427387904x0xf32>) {
  // expected-error @+1 {{lathe.all_gather: dimension 0 overflows 63 bits: 4611686018427387904 times 4}}
  %0 = lathe.all_gather %x dim 0 over data = 4 : tensor<4611686018427387904x0xf32>
  return
}

// -----

// all_to_all_c1
func.func @all_to_all_c1(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{lathe.all_to_all: axis 'data' has 0 ranks; expected at least 1}}
  %0 = lathe.all_to_all %x split 0 concat 1 over data = 0 : tensor<4x4xf32>
  return
}

// -----

// all_to_all_c2
func.func @all_to_all_c2(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{lathe.all_to_all: 'a b' is not a valid name for an axis; expected a C identifier}}
  %0 = lathe.all_to_all %x split 0 concat 1 over "a b" = 2 : tensor<4x4xf32>
  return
}

// -----

// all_to_all_c3
func.func @all_to_all_c3(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{lathe.all_to_all: 'concat' is 2, but the operand has rank 2}}
  %0 = lathe.all_to_all %x split 0 concat 2 over data = 2 : tensor<4x4xf32>
  return
}

// -----

// all_to_all_c4
func.func @all_to_all_c4(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{lathe.all_to_all: dimension 0 is 4, which is not a multiple of 3, the size of axis 'data'}}
  %0 = lathe.all_to_all %x split 0 concat 1 over data = 3 : tensor<4x4xf32>
  return
}

// -----

// all_to_all_c5
func.func @all_to_all_c5(%x: tensor<4x4611686018427387904x0xf32>) {
  // expected-error @+1 {{lathe.all_to_all: dimension 1 overflows 63 bits: 4611686018427387904 times 4}}
  %0 = lathe.all_to_all %x split 0 concat 1 over data = 4 : tensor<4x4611686018427387904x0xf32>
  return
}

// -----

// collective_broadcast_c1
func.func @collective_broadcast_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.collective_broadcast: axis 'data' has 0 ranks; expected at least 1}}
  %0 = lathe.collective_broadcast %x from 0 over data = 0 : tensor<4xf32>
  return
}

// -----

// collective_broadcast_c2
func.func @collective_broadcast_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.collective_broadcast: '' is not a valid name for an axis; expected a C identifier}}
  %0 = lathe.collective_broadcast %x from 0 over "" = 2 : tensor<4xf32>
  return
}

// -----

// collective_broadcast_c3
func.func @collective_broadcast_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.collective_broadcast: 'from' is 2, but axis 'data' has 2 ranks}}
  %0 = lathe.collective_broadcast %x from 2 over data = 2 : tensor<4xf32>
  return
}

// -----

// collective_permute_c1
func.func @collective_permute_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.collective_permute: axis 'data' has 0 ranks; expected at least 1}}
  %0 = lathe.collective_permute %x shift 1 over data = 0 : tensor<4xf32>
  return
}

// -----

// collective_permute_c2
func.func @collective_permute_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{lathe.collective_permute: '1' is not a valid name for an axis; expected a C identifier}}
  %0 = lathe.collective_permute %x shift 1 over "1" = 2 : tensor<4xf32>
  return
}

// -----

// axis_index_c1
func.func @axis_index_c1() {
  // expected-error @+2 {{lathe.axis_index: axis 'data' has 0 ranks; expected at least 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = lathe.axis_index over data = 0 : tensor<i64>
  return
}

// -----

// axis_index_c2
func.func @axis_index_c2() {
  // expected-error @+2 {{lathe.axis_index: 'x.y' is not a valid name for an axis; expected a C identifier}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = lathe.axis_index over "x.y" = 2 : tensor<i64>
  return
}
