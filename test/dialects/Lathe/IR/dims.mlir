// RUN: lathe-opt %s | lathe-opt | FileCheck %s
// Dimensions print in one normal form, whatever way they are written.

// CHECK: attributes {lathe.a = #lathe.dim<2 * N + 3>, lathe.b = #lathe.dim<2 * M + M * N>, lathe.c = #lathe.dim<0>, lathe.d = #lathe.dim<-1 * N + N * N - 1>, lathe.e = #lathe.shape<[N, 16]>, lathe.f = #lathe.dims<N + 1, M>,
// Quotients and roots: whole parts come out of a quotient, one of one is one, and what is known is a number. What is rounded
// down with a remainder and what is rounded up have one form.
// CHECK-SAME: lathe.g = #lathe.dim<2 * N + floor_div(M + 2, 16) + 2>, lathe.h = #lathe.dim<floor_div(N + 1, 6) + 1>,
// CHECK-SAME: lathe.i = #lathe.dim<ceil_sqrt(M * N)>, lathe.j = #lathe.dims<4, 4, 3 * N>,
// CHECK-SAME: lathe.k = #lathe.dim<-1 * ceil_div(ceil_sqrt(N), 3) * floor_div(N, 2)>, lathe.l = #lathe.dim<ceil_div>,
// A strided convolution of 3 places with padding 1; five of them are one quotient.
// CHECK-SAME: lathe.m = #lathe.dims<ceil_div(H, 2), ceil_div(H, 32), floor_div(H, 2)>,
// Extremes are written with max(x, 0): what is above a bound and what is below it add up.
// CHECK-SAME: lathe.n = #lathe.dims<T - 1 * max(T - 100, 0), max(T - 100, 0), T, 5, N + 3>,
// Quotients of extremes are extremes of quotients; -H / 3 rounded up is H / 3 rounded down.
// CHECK-SAME: lathe.o = #lathe.dims<max(floor_div(H, 2) - 2, 0), -1 * floor_div(H, 3)>,
// Halves that add up are one quotient; what is left of a size after its half is the other half; remainders stay as they are.
// CHECK-SAME: lathe.p = #lathe.dims<H, ceil_div(H, 2), floor_div(H + 4, 8), 2 * N * ceil_div(H, 2), H + ceil_div(H, 2), ceil_div(H, 32), H - 2 * floor_div(H, 2), H + W, M - 1 * ceil_div(M, 3), H - 2 * floor_div(H, 2)>,
// A size may divide too; multiples of it are whole, and what is below each multiple is nothing of it.
// CHECK-SAME: lathe.q = #lathe.dims<0, -1, M + floor_div(M, N) + 2, floor_div(M - 1, N) + 1, floor_div(M, 6)>,
// A size that is never negative is its own positive part: 0 or 1 for H > 3, and the distance of H and 3.
// CHECK-SAME: lathe.r = #lathe.dims<max(H - 3, 0) - 1 * max(H - 4, 0), -1 * H + 2 * max(H - 3, 0) + 3>}
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
  lathe.l = #lathe.dim<ceil_div>,
  lathe.m = #lathe.dims<floor_div(H + 2 -3, 2) + 1, ceil_div(ceil_div(ceil_div(ceil_div(ceil_div(H, 2), 2), 2), 2), 2), floor_div(2 * H, 4)>,
  lathe.n = #lathe.dims<min(T, 100), max(T -100, 0), min(100, T) + max(T -100, 0), max(3, 5), max(N + 3, 3)>,
  lathe.o = #lathe.dims<floor_div(max(H -4, 0), 2), ceil_div(-1 * H, 3)>,
  lathe.p = #lathe.dims<ceil_div(H, 2) + floor_div(H, 2), H -1 * floor_div(H, 2), floor_div(H, 4) -1 * floor_div(H, 8), 2 * N * H -2 * N * floor_div(H, 2), 2 * H -1 * floor_div(H, 2), ceil_div(H, 16) -1 * ceil_div(H -16, 32), H -2 * floor_div(H, 2), ceil_div(H + W, 2) + floor_div(H + W, 2), ceil_div(M -1 * ceil_div(M, 3), 2) + floor_div(M -1 * ceil_div(M, 3), 2), 2 * ceil_div(H, 2) -1 * H>,
  lathe.q = #lathe.dims<floor_div(3, 7 * N), floor_div(-3, 7 * N), floor_div(M * N + 2 * N + M, N), ceil_div(M, N), floor_div(M, 2 * 3)>,
  lathe.r = #lathe.dims<max(max(H -3, 0) -1 * max(H -4, 0), 0), max(2 * max(H -3, 0) -1 * H + 3, 0)>
} {}

// A minus stands before any term.
// CHECK: lathe.s = #lathe.dims<M - 1 * N, ceil_div(N, 2), N - 3, N - 2>
module attributes {lathe.s = #lathe.dims<-N + M, N - floor_div(N, 2), -3 + N, N - 4 + 2>} {}

// A broadcast of a number, of equal sizes, and of a size that it already contains is not a formula; its order stays.
// CHECK: lathe.t = #lathe.dims<N, 4, N, N + 2, broadcast(N, M), broadcast(N, 4), broadcast(M, N)>
module attributes {lathe.t = #lathe.dims<broadcast(1, N), broadcast(4, N), broadcast(N, N), broadcast(N + 2, M), broadcast(broadcast(N, M), M), broadcast(N, 4), broadcast(M, N)>} {}

// A quotient whose operand an extreme bounds within one step is a number.
// CHECK: lathe.u = #lathe.dims<0, 1, floor_div(N, 16)>
module attributes {lathe.u = #lathe.dims<floor_div(max(N - 1, 0) - N + 1, 16), ceil_div(max(N - 1, 0) - N + 2, 16), floor_div(N, 16)>} {}
