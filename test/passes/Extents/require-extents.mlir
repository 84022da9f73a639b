// RUN: lathe-opt %s --lathe-import --lathe-require-extents | FileCheck %s

lathe.dim @M, 4 to 64

// CHECK: #loc = loc("{{.*}}require-extents.mlir":10:8)
// An extent that may be negative is noted once, with the op and its place.
// CHECK: func.func @tail
// CHECK-SAME: lathe.requires = {{\[}}[#lathe.dim<N - 2>, "lathe.slice", #loc]]
func.func @tail(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf32> {
  %y = lathe.slice %x from [2] to [N] : tensor<?xf32>
  %z = lathe.neg %y : tensor<?xf32>
  return %z : tensor<?xf32>
}

// Within M's bounds it cannot be.
// CHECK: func.func @bounded
// CHECK-NOT: lathe.requires
func.func @bounded(%x: tensor<?xf32> {lathe.dims = #lathe.dims<M>}) -> tensor<?xf32> {
  %y = lathe.slice %x from [4] to [M] : tensor<?xf32>
  return %y : tensor<?xf32>
}

// A slice of numbers must not go beyond a named extent.
// CHECK: func.func @head
// CHECK-SAME: lathe.requires = {{\[}}[#lathe.dim<N - 4>, "lathe.slice", #loc{{[0-9]*}}]]
func.func @head(%x: tensor<?xf32> {lathe.dims = #lathe.dims<N>}) -> tensor<2xf32> {
  %y = lathe.slice %x from [2] to [4] : tensor<?xf32>
  return %y : tensor<2xf32>
}
