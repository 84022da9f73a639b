/* An object of several levels on machines that have them, and on those that do not, which contexts simulate. */
#include "lathe/runtime.h"
#include "lines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5 };
static float x[N * 9 * 9 * 4], w[3 * 3 * 4 * 16], v[16 * 8], results[3][N * 8];
static lathe_error error;

typedef lathe_status entry(lines_layer_args *args);

static void call(const char *what, entry *function, lathe_context *context, uint32_t level, float *result) {
  const size_t size = lines_layer_workspace_size(N);
  void *workspace = aligned_alloc(64, (size + 63) / 64 * 64);
  lines_layer_args args = {.N = N,
                           .x = x,
                           .w = w,
                           .v = v,
                           .p = result,
                           .workspace = workspace,
                           .workspace_size = size,
                           .context = context,
                           .error = &error};
  if (context)
    context->cpu_level = level;
  const lathe_status status = function(&args);
  printf("%s: %s", what, lathe_status_name(status));
  if (status != LATHE_OK)
    printf(" in line %d of %s, expected %d, got %d", (int)error.line, error.file, (int)error.expected, (int)error.actual);
  printf("\n");
  free(workspace);
}

static void same(const char *what, const float *a, const float *b) {
  printf("%s: %s\n", what, memcmp(a, b, sizeof results[0]) == 0 ? "the same" : "another");
}

int main(void) {
  lathe_context *context = lathe_context_create(1);
  for (size_t i = 0; i < sizeof x / sizeof *x; ++i)
    x[i] = (float)(i % 37) / 37 - 0.4f;
  for (size_t i = 0; i < sizeof w / sizeof *w; ++i)
    w[i] = (float)(i % 29) / 29 - 0.5f;
  for (size_t i = 0; i < sizeof v / sizeof *v; ++i)
    v[i] = (float)(i % 23) / 23 - 0.6f;
  call("level 2", lines_layer, context, 2, results[0]);
  call("entry of level 2", lines_layer_x86_64_v2, context, 3, results[1]);
  same("level 2 is", results[0], results[1]);
  call("level 3", lines_layer, context, 3, results[0]);
  same("level 3 is", results[0], results[1]);
  call("entry of level 3", lines_layer_x86_64_v3, NULL, 0, results[2]);
  same("level 3 is", results[0], results[2]);
  call("level 1", lines_layer, context, 1, results[0]);
  call("entry of level 3 at level 2", lines_layer_x86_64_v3, context, 2, results[0]);
  printf("no args: %s\n", lathe_status_name(lines_layer(NULL)));
  printf("%s\n", lines_info()->target);
  lathe_context_destroy(context);
  return 0;
}
