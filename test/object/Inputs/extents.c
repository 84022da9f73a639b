/* Calls with sizes that only an op in the middle of the graph, or their product, shows to be wrong. */
#include "extents.h"
#include <lathe/runtime.h>
#include <stdio.h>

static lathe_error error;

static void tail(int64_t n) {
  static const float x[] = {1, 2, 4, 7};
  float sum = 0;
  extents_tail_args args = {.N = n, .x = x, .sum = &sum, .error = &error};
  if (extents_tail(&args) == LATHE_OK)
    fprintf(stderr, "tail of %d: %g\n", (int)n, (double)sum);
  else if (extents_tail_workspace_size(n) == SIZE_MAX)
    lathe_error_print(&error);
}

/* Its result has two elements whatever N is; both must be there. */
static void head(int64_t n) {
  static const float x[] = {1, 2, 4, 7};
  float sum = 0;
  extents_head_args args = {.N = n, .x = x, .sum = &sum, .error = &error};
  if (extents_head(&args) == LATHE_OK)
    fprintf(stderr, "head of %d: %g\n", (int)n, (double)sum);
  else
    lathe_error_print(&error);
}

static void cube(int64_t n) {
  static const float x[] = {7};
  float y[] = {0};
  extents_cube_args args = {.L = n, .M = n, .N = n, .x = x, .y = y, .error = &error};
  if (extents_cube(&args) == LATHE_OK)
    fprintf(stderr, "cube of %d: %g\n", (int)n, (double)y[0]);
  else
    lathe_error_print(&error);
}

/* Its workspace has so many bytes that no number says it; no size that is given is enough. */
static void pairs(int64_t n) {
  static const float x[] = {3};
  static _Alignas(64) char workspace[4096];
  float sum = 0;
  extents_pairs_args args = {.N = n,
                             .x = x,
                             .sum = &sum,
                             .workspace = workspace,
                             .workspace_size = n == 1 ? sizeof workspace : extents_pairs_workspace_size(n),
                             .error = &error};
  if (extents_pairs(&args) == LATHE_OK)
    fprintf(stderr, "pairs of %d: %g\n", (int)n, (double)sum);
  else
    lathe_error_print(&error);
}

/* A skip connection around a stride of 2: only even sizes have a sum. */
static void skip(int64_t h) {
  static const float x[] = {1, 1, 3, 3, 5};
  static _Alignas(64) char workspace[4096];
  float y[5] = {0};
  extents_skip_args args = {
      .H = h, .x = x, .y = y, .workspace = workspace, .workspace_size = sizeof workspace, .error = &error};
  if (extents_skip(&args) == LATHE_OK)
    fprintf(stderr, "skip of %d: %g %g %g %g\n", (int)h, (double)y[0], (double)y[1], (double)y[2], (double)y[3]);
  else if (extents_skip_workspace_size(h) == SIZE_MAX)
    lathe_error_print(&error);
}

/* Takes as many elements of one tensor as another one has. */
static void front(int64_t m) {
  static const float x[] = {1, 1}, y[] = {1, 2, 4};
  float sum = 0;
  extents_front_args args = {.N = 2, .M = m, .x = x, .m = y, .sum = &sum, .error = &error};
  if (extents_front(&args) == LATHE_OK)
    fprintf(stderr, "front of %d: %g\n", (int)m, (double)sum);
  else
    lathe_error_print(&error);
}

/* An empty tensor may have any address, also one inside an output. */
static void empty(void) {
  static const float y[] = {1, 2, 4, 7};
  float z[4] = {0};
  extents_empty_args args = {.x = z + 1, .y = y, .z = z, .error = &error};
  if (extents_empty(&args) == LATHE_OK)
    fprintf(stderr, "empty: %g\n", (double)z[3]);
  else
    lathe_error_print(&error);
}

/* The op is in a function that a step minimises. */
static void step(int64_t n) {
  static const float x[] = {1, 2, 4, 7, 8, 3};
  static _Alignas(64) char state[EXTENTS_STATE_SIZE], workspace[4096];
  float loss = -1;
  extents_step_args args = {.N = n,
                            .x = x,
                            .loss = &loss,
                            .state = state,
                            .workspace = workspace,
                            .workspace_size = sizeof workspace,
                            .error = &error};
  if (extents_step(&args) == LATHE_OK)
    fprintf(stderr, "step of %d: %g\n", (int)n, (double)loss);
  else
    lathe_error_print(&error);
}

int main(void) {
  step(4);
  step(6);
  tail(1);
  tail(2);
  tail(4);
  head(3);
  head(4);
  cube(2147483647);
  cube(1);
  pairs(2147483647);
  pairs(1);
  empty();
  skip(5);
  skip(4);
  front(3);
  front(2);
  return 0;
}
