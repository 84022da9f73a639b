// RUN: lathe-opt %s --lathe-import --lathe-fuse --split-input-file | FileCheck %s

// A column of rows and the reshape that makes a vector of it are read by the kernel that uses them.
// CHECK-LABEL: func.func @columns
// CHECK-COUNT-1: lathe.kernel
// CHECK: lathe.slice
// CHECK: lathe.slice
// CHECK: lathe.mul
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @columns(%x: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}) -> tensor<?xf64> {
  %s = lathe.slice %x from [0, 0] to [N, 1] : tensor<?x11xf64>
  %t = lathe.slice %x from [0, 4] to [N, 5] : tensor<?x11xf64>
  %a = lathe.reshape %s to [N] : tensor<?x1xf64>
  %b = lathe.reshape %t to [N] : tensor<?x1xf64>
  %y = lathe.mul %a, %b : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// Rows of which one kernel alone reads columns are looked up by it.
// CHECK-LABEL: func.func @of_gathered_rows
// CHECK-COUNT-1: lathe.kernel
// CHECK-NEXT: lathe.gather
// CHECK: lathe.mul
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @of_gathered_rows(%table: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}, %at: tensor<?xi32> {lathe.dims = #lathe.dims<P>}) -> tensor<?xf64> {
  %x = lathe.gather %table, %at axis 0 : tensor<?x11xf64>, tensor<?xi32>
  %s = lathe.slice %x from [0, 0] to [P, 1] : tensor<?x11xf64>
  %t = lathe.slice %x from [0, 4] to [P, 5] : tensor<?x11xf64>
  %a = lathe.reshape %s to [P] : tensor<?x1xf64>
  %b = lathe.reshape %t to [P] : tensor<?x1xf64>
  %y = lathe.mul %a, %b : tensor<?xf64>
  return %y : tensor<?xf64>
}

// -----

// A block of the rows, and columns of the block: each is picked where it is read.
// CHECK-LABEL: func.func @of_blocks
// CHECK-COUNT-1: lathe.kernel
// CHECK-NEXT: lathe.gather
// CHECK-NEXT: lathe.slice
// CHECK-NOT: lathe.kernel
// CHECK: return
func.func @of_blocks(%table: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}, %at: tensor<?xi32> {lathe.dims = #lathe.dims<P>}) -> tensor<?x3xf64> {
  %x = lathe.gather %table, %at axis 0 : tensor<?x11xf64>, tensor<?xi32>
  %block = lathe.slice %x from [0, 3] to [P, 9] : tensor<?x11xf64>
  %a = lathe.slice %block from [0, 0] to [P, 3] : tensor<?x6xf64>
  %b = lathe.slice %block from [0, 3] to [P, 6] : tensor<?x6xf64>
  %y = lathe.sub %a, %b : tensor<?x3xf64>
  return %y : tensor<?x3xf64>
}

// -----

// Two kernels read parts of the rows: they stay in memory, or each kernel would fetch the table's rows again.
// CHECK-LABEL: func.func @for_two
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.gather
// CHECK-NEXT: lathe.yield
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.slice
// CHECK: lathe.kernel
// CHECK: lathe.slice
// CHECK: return
func.func @for_two(%table: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}, %at: tensor<?xi32> {lathe.dims = #lathe.dims<P>}) -> (tensor<?x2xf64>, tensor<?x3xf64>) {
  %x = lathe.gather %table, %at axis 0 : tensor<?x11xf64>, tensor<?xi32>
  %s = lathe.slice %x from [0, 0] to [P, 2] : tensor<?x11xf64>
  %t = lathe.slice %x from [0, 4] to [P, 7] : tensor<?x11xf64>
  %a = lathe.neg %s : tensor<?x2xf64>
  %b = lathe.neg %t : tensor<?x3xf64>
  return %a, %b : tensor<?x2xf64>, tensor<?x3xf64>
}

// -----

// Parts that overlap would look up most elements twice.
// CHECK-LABEL: func.func @overlapping
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.gather
// CHECK-NEXT: lathe.yield
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.slice
// CHECK-NEXT: lathe.slice
// CHECK: return
func.func @overlapping(%table: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}, %at: tensor<?xi32> {lathe.dims = #lathe.dims<P>}) -> tensor<?x10xf64> {
  %x = lathe.gather %table, %at axis 0 : tensor<?x11xf64>, tensor<?xi32>
  %s = lathe.slice %x from [0, 0] to [P, 10] : tensor<?x11xf64>
  %t = lathe.slice %x from [0, 1] to [P, 11] : tensor<?x11xf64>
  %y = lathe.sub %t, %s : tensor<?x10xf64>
  return %y : tensor<?x10xf64>
}

// -----

// Rows that are used whole are stored once, whatever else reads a part of them.
// CHECK-LABEL: func.func @whole
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.gather
// CHECK-NEXT: lathe.yield
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.slice
// CHECK: return
func.func @whole(%table: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}, %at: tensor<?xi32> {lathe.dims = #lathe.dims<P>}) -> (tensor<?x11xf64>, tensor<?x2xf64>) {
  %x = lathe.gather %table, %at axis 0 : tensor<?x11xf64>, tensor<?xi32>
  %s = lathe.slice %x from [0, 0] to [P, 2] : tensor<?x11xf64>
  %a = lathe.neg %s : tensor<?x2xf64>
  return %x, %a : tensor<?x11xf64>, tensor<?x2xf64>
}

// -----

// A slice that something else reads, too, is in memory, and the reshape a view of it.
// CHECK-LABEL: func.func @stored
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.slice
// CHECK-NEXT: lathe.yield
// CHECK: lathe.reshape
// CHECK: lathe.kernel
// CHECK-NEXT: lathe.neg
// CHECK: return
func.func @stored(%x: tensor<?x11xf64> {lathe.dims = #lathe.dims<N>}) -> (tensor<?x1xf64>, tensor<?xf64>) {
  %s = lathe.slice %x from [0, 0] to [N, 1] : tensor<?x11xf64>
  %a = lathe.reshape %s to [N] : tensor<?x1xf64>
  %y = lathe.neg %a : tensor<?xf64>
  return %s, %y : tensor<?x1xf64>, tensor<?xf64>
}
