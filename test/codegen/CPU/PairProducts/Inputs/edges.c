// Calls an entry whose operands end where a page without access begins: a read behind them ends the program.
#define _GNU_SOURCE // for MAP_ANONYMOUS
#include "edges.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROWS = 40, DEPTH = 72, COLUMNS = 80, PAGES = 1 << 16 };

/// Returns `bytes` bytes of ones of bf16 in front of such a page.
static void *atEdge(size_t bytes) {
  unsigned char *memory = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + PAGES / 2, PAGES / 2, PROT_NONE))
    exit(2);
  unsigned char *data = memory + PAGES / 2 - bytes;
  for (size_t i = 0; i < bytes; i += 2)
    data[i] = 0x80, data[i + 1] = 0x3f;
  return data;
}

int main(void) {
  float *y = malloc(ROWS * COLUMNS * sizeof *y);
  edges_main_args args = {.x = atEdge(ROWS * DEPTH * 2), .w = atEdge(DEPTH * COLUMNS * 2), .y = y};
  args.workspace_size = edges_main_workspace_size();
  args.workspace = aligned_alloc(64, (args.workspace_size + 63) / 64 * 64);
  lathe_status status = edges_main(&args);
  size_t wrong = 0;
  for (size_t i = 0; i < ROWS * COLUMNS; ++i)
    wrong += y[i] != DEPTH;
  printf("status %d, %zu wrong elements\n", (int)status, wrong);
  return status != LATHE_OK || wrong;
}
