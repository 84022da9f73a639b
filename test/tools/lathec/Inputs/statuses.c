/* Calls an entry with one thing wrong at a time. */
#include "g.h"
#include <stdio.h>
#include <string.h>

static float x[64 * 8], y[64 * 8];
static union {
  char bytes[4096];
  double align;
} memory;

static void call(const char *what, g_f_args args) {
  lathe_error error;
  lathe_status status;
  memset(&error, 0, sizeof error);
  args.error = &error;
  status = g_f(&args);
  printf("%s %d", what, (int)status);
  if (status != LATHE_OK) {
    printf(" %s", error.argument);
    if (error.other && status == LATHE_ERROR_OVERLAP)
      printf(" and %s", error.other);
    else
      printf(" expected %lld actual %lld", (long long)error.expected, (long long)error.actual);
    if (error.line == 0 || strcmp(error.file, "g.mlir") != 0 || strcmp(error.function, "f") != 0)
      printf(" without its place");
  }
  printf("\n");
}

int main(void) {
  char *workspace = memory.bytes + (64 - (size_t)memory.bytes % 64) % 64;
  g_f_args good, args;
  memset(&good, 0, sizeof good);
  good.N = 4;
  good.x = x;
  good.y = y;
  good.workspace = workspace;
  good.workspace_size = 1024;
  call("fine", good);
  args = good, args.x = NULL, call("null input", args);
  args = good, args.x = (const float *)(const void *)((const char *)x + 1), call("misaligned input", args);
  args = good, args.N = 0, call("N of 0", args);
  args = good, args.N = -1, call("N of -1", args);
  args = good, args.N = INT64_MAX, call("N of INT64_MAX", args);
  args = good, args.N = 3, call("N of 3", args);
  args = good, args.workspace_size = 0, call("no workspace", args);
  args = good, args.workspace = workspace + 4, call("misaligned workspace", args);
  args = good, args.y = x + 8, call("overlap", args);
  printf("null args %d\n", (int)g_f(NULL));
  printf("sizes %llu %llu\n", (unsigned long long)g_f_workspace_size(4), (unsigned long long)g_f_workspace_size(5));
  return 0;
}
