// Sizes that multiply many names leave 63 bits where the verifier tries large ones; no memory could hold these.
// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-plan --lathe-verify-plan | FileCheck %s

// CHECK: lathe.workspace = #lathe.dim<64 * ceil_div(A * B * C * D * E * F, 16) + 64 * ceil_div(A * C * D * E * F, 16)>
func.func @f(%a: tensor<?x?x?x?x?x?xf32> {lathe.dims = #lathe.dims<A, B, C, D, E, F>}) -> tensor<?x?x?x?x?x?xf32> {
  %b = lathe.transpose %a [1, 0, 2, 3, 4, 5] : tensor<?x?x?x?x?x?xf32>
  %e = lathe.reduce sum %b dims [0] : tensor<?x?x?x?x?x?xf32>
  %g = lathe.broadcast %e dims [1, 2, 3, 4, 5] to [B, A, C, D, E, F] : tensor<?x?x?x?x?xf32>
  %h = lathe.add %b, %g : tensor<?x?x?x?x?x?xf32>
  %i = lathe.reduce sum %h dims [0] : tensor<?x?x?x?x?x?xf32>
  %j = lathe.broadcast %i dims [1, 2, 3, 4, 5] to [B, A, C, D, E, F] : tensor<?x?x?x?x?xf32>
  %d = lathe.mul %h, %j : tensor<?x?x?x?x?x?xf32>
  return %d : tensor<?x?x?x?x?x?xf32>
}
