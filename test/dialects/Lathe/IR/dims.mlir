// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// Dimensions print in one normal form, whatever way they are written.

// CHECK: attributes {lathe.a = #lathe.dim<2 * N + 3>, lathe.b = #lathe.dim<2 * M + M * N>, lathe.c = #lathe.dim<0>, lathe.d = #lathe.dim<-1 * N + N * N - 1>, lathe.e = #lathe.shape<[N, 16]>, lathe.f = #lathe.dims<N + 1, M>}
module attributes {
  lathe.a = #lathe.dim<N + 1 + N + 2>,
  lathe.b = #lathe.dim<N * M + M * 2>,
  lathe.c = #lathe.dim<N -1 * N>,
  lathe.d = #lathe.dim<N * N -1 * N -1>,
  lathe.e = #lathe.shape<[N, 2 * 8]>,
  lathe.f = #lathe.dims<N + 1, M>
} {}
