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

// The extent is nothing but a quotient that is subtracted: a buffer of 8 bytes for each place, 64 bytes for n = 9.
// CHECK-LABEL: func.func @only
// CHECK-SAME: lathe.workspace = #lathe.dim<-64 * floor_div(2 * floor_div(n + 1, 3) - 1 * n, 32)>
func.func @only(%x: tensor<?xf64> {lathe.dims = #lathe.dims<n>}) -> tensor<?xf64> {
  %part = lathe.slice %x from [0] to [-1 * floor_div(2 * floor_div(n + 1, 3) - n, 4)] : tensor<?xf64>
  %first = lathe.cumulative product %part dim 0 : tensor<?xf64>
  %second = lathe.cumulative sum %first dim 0 : tensor<?xf64>
  return %second : tensor<?xf64>
}
