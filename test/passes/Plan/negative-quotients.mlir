// RUN: lathe-opt %s --lathe-import --lathe-fuse --lathe-plan --lathe-verify-plan | FileCheck %s
// A quotient may be negative: what is subtracted from a size is left out of a buffer's bound only if it never adds. With N = 7 the
// extent here is 13 + 4 * floor_div(-4, 4) * -1.

// CHECK-LABEL: func.func @negative
// CHECK-SAME: lathe.workspace = #lathe.dim<{{.*}}floor_div({{.*}}, 4){{.*}}>
func.func @negative(%x: tensor<?xf64> {lathe.dims = #lathe.dims<40 * N + 8>}) -> tensor<?xf64> {
  %part = lathe.slice %x from [1] to [2 * N - floor_div(N - max(2 * N - 1, 0) + 2, 4) + 2] : tensor<?xf64>
  %first = lathe.cumulative product %part dim 0 : tensor<?xf64>
  %second = lathe.cumulative sum %first dim 0 : tensor<?xf64>
  return %second : tensor<?xf64>
}

// The subtracted size is never negative: two buffers of 16 N bytes.
// CHECK-LABEL: func.func @positive
// CHECK-SAME: lathe.workspace = #lathe.dim<512 * ceil_div(N, 16)>
func.func @positive(%x: tensor<?xf64> {lathe.dims = #lathe.dims<2 * N + 1>}) -> tensor<?xf64> {
  %part = lathe.slice %x from [1] to [2 * N - floor_div(N, 4) + 1] : tensor<?xf64>
  %first = lathe.cumulative product %part dim 0 : tensor<?xf64>
  %second = lathe.cumulative sum %first dim 0 : tensor<?xf64>
  return %second : tensor<?xf64>
}
