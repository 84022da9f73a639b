// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// Dimensions print in one normal form, whatever way they are written.

// CHECK: attributes {lathe.a = #lathe.dim<2 * N + 3>, lathe.b = #lathe.dim<2 * M + M * N>, lathe.c = #lathe.dim<0>, lathe.d = #lathe.dim<-1 * N + N * N - 1>, lathe.e = #lathe.shape<[N, 16]>, lathe.f = #lathe.dims<N + 1, M>,
// Quotients and roots, rounded up: whole parts come out of a quotient, one of one is one, and what is known is a number.
// CHECK-SAME: lathe.g = #lathe.dim<2 * N + ceil_div(M + 3, 16) + 1>, lathe.h = #lathe.dim<ceil_div(N + 2, 6)>,
// CHECK-SAME: lathe.i = #lathe.dim<ceil_sqrt(M * N)>, lathe.j = #lathe.dims<4, 4, 3 * N>,
// CHECK-SAME: lathe.k = #lathe.dim<-1 * N * ceil_div(ceil_sqrt(N), 3) + ceil_div(N, 2) * ceil_div(ceil_sqrt(N), 3)>, lathe.l = #lathe.dim<ceil_div>}
module attributes {
  lathe.a = #lathe.dim<N + 1 + N + 2>,
  lathe.b = #lathe.dim<N * M + M * 2>,
  lathe.c = #lathe.dim<N -1 * N>,
  lathe.d = #lathe.dim<N * N -1 * N -1>,
  lathe.e = #lathe.shape<[N, 2 * 8]>,
  lathe.f = #lathe.dims<N + 1, M>,
  lathe.g = #lathe.dim<ceil_div(M + 32 * N + 19, 16)>,
  lathe.h = #lathe.dim<ceil_div(ceil_div(N, 2) + 1, 3)>,
  lathe.i = #lathe.dim<ceil_sqrt(N * M)>,
  lathe.j = #lathe.dims<ceil_div(50, 16), ceil_sqrt(10), ceil_div(6 * N, 2)>,
  lathe.k = #lathe.dim<ceil_div(ceil_sqrt(N), 3) * ceil_div(-1 * N, 2)>,
  lathe.l = #lathe.dim<ceil_div>
} {}
