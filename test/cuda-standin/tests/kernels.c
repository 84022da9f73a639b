/* Kernels that clang compiles to PTX for the tests.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define KERNEL __attribute__((nvptx_kernel)) void
#define SHARED static __attribute__((address_space(3)))
#define tid() __nvvm_read_ptx_sreg_tid_x()
#define ntid() __nvvm_read_ptx_sreg_ntid_x()
#define ctaid() __nvvm_read_ptx_sreg_ctaid_x()
#define nctaid() __nvvm_read_ptx_sreg_nctaid_x()

SHARED float tile[256];
SHARED float tiles[16][17];

struct shape {
  int rows;
  long columns;
};

KERNEL saxpy(float *restrict y, const float *restrict x, float a, int n) {
  int i = ctaid() * ntid() + tid();
  if (i < n)
    y[i] = a * x[i] + y[i];
}

KERNEL blockSum(float *out, const float *in, int n) {
  float sum = 0;
  for (int i = ctaid() * ntid() + tid(); i < n; i += ntid() * nctaid())
    sum += in[i];
  tile[tid()] = sum;
  __syncthreads();
  for (int step = ntid() / 2; step; step /= 2) {
    if (tid() < step)
      tile[tid()] += tile[tid() + step];
    __syncthreads();
  }
  if (tid() == 0)
    out[ctaid()] = tile[0];
}

KERNEL transpose(float *out, const float *in, struct shape s) {
  int x = tid() % 16, y = tid() / 16;
  int bx = ctaid() % (s.columns / 16), by = ctaid() / (s.columns / 16);
  tiles[y][x] = in[(by * 16 + y) * s.columns + bx * 16 + x];
  __syncthreads();
  out[(bx * 16 + y) * s.rows + by * 16 + x] = tiles[x][y];
}

__attribute__((noinline)) static float polynomial(float x, int degree) {
  float sum = 1;
  for (int i = 0; i < degree; ++i)
    sum = sum * x + i;
  return sum;
}

KERNEL calls(float *out, const float *in, const int *degrees) {
  int i = ctaid() * ntid() + tid();
  float local[8];
  for (int j = 0; j < 8; ++j)
    local[j] = polynomial(in[i] + j, degrees[i]);
  out[i] = local[degrees[i] & 7];
}

KERNEL choose(int *out, const int *in) {
  int i = tid();
  switch (in[i]) {
  case 0:
    out[i] = in[i] * 7;
    break;
  case 1:
    out[i] = in[i] - 100;
    break;
  case 2:
    out[i] = i;
    break;
  case 3:
    out[i] = i * i;
    break;
  case 4:
    out[i] = ~i;
    break;
  case 5:
    out[i] = 1 << i % 31;
    break;
  case 6:
    out[i] = i / 3;
    break;
  default:
    out[i] = -1;
  }
}

KERNEL spin(float *out, int n) {
  float a = tid(), b = 1.0001f, c = 0.5f;
  for (int i = 0; i < n; ++i) {
    a = a * b + c;
    b = b * 0.999f + 0.001f;
    c = c * b + a * 1e-6f;
    a = a - c;
  }
  out[ctaid() * ntid() + tid()] = a + b + c;
}

KERNEL copyLarge(float *out, const float *in, int n) {
  for (int i = ctaid() * ntid() + tid(); i < n; i += ntid() * nctaid())
    out[i] = in[i] * 2;
}
