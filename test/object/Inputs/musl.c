/* Prints the results of a call without a context. */
#include "lines.h"
#include <stdio.h>

enum { N = 2 };
static float x[N * 9 * 9 * 4], w[3 * 3 * 4 * 16], v[16 * 8], p[N * 8];
static _Alignas(64) unsigned char workspace[1 << 20];

int main(void) {
  for (int i = 0; i < N * 9 * 9 * 4; ++i)
    x[i] = (float)(i % 37) / 37 - 0.4f;
  for (int i = 0; i < 3 * 3 * 4 * 16; ++i)
    w[i] = (float)(i % 29) / 29 - 0.5f;
  for (int i = 0; i < 16 * 8; ++i)
    v[i] = (float)(i % 23) / 23 - 0.6f;
  lines_layer_args args = {.N = N, .x = x, .w = w, .v = v, .p = p, .workspace = workspace, .workspace_size = sizeof workspace};
  printf("layer: %d\n", (int)lines_layer(&args));
  for (int i = 0; i < N * 8; ++i)
    printf("%.9g\n", (double)p[i]);
  return 0;
}
