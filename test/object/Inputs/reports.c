/* Runs the entries of reports.mlir on inputs that break an assertion and on ones that do not. */
#include "reports.h"
#ifndef NO_RUNTIME
#include "lathe/runtime.h"
#endif
#include <stdio.h>

static lathe_error error;
static _Alignas(64) char workspace[1 << 16];
static _Alignas(64) float state[16];

static void tell(const char *entry, lathe_status status) {
  printf("%s: status %d", entry, (int)status);
  if (status != LATHE_OK) {
    printf(", %d, %s, %s, %s:%d, '%s' at", (int)error.status, error.function, error.op, error.file, (int)error.line,
           error.other);
    for (uint32_t i = 0; i < error.rank; ++i)
      printf(" %d", (int)error.index[i]);
#ifndef NO_RUNTIME
    char text[200];
    lathe_error_format(&error, text, sizeof text);
    printf("\n%s", text);
#endif
  }
  printf("\n");
  fflush(stdout);
}

#ifdef NO_RUNTIME
#define CALL .workspace = workspace, .workspace_size = sizeof workspace, .error = &error
#else
static lathe_context *context;
#define CALL .workspace = workspace, .workspace_size = sizeof workspace, .error = &error, .context = context

/* The hook of an application's own. */
static void print(lathe_context *own, const lathe_print_info *info, const int64_t *extents, const void *data,
                  const uint8_t *mask) {
  (void)own;
  int64_t count = 1;
  printf("  line %d: %s", (int)info->line, info->text ? info->text : "-");
  for (uint32_t i = 0; i < info->rank; ++i)
    count *= extents[i];
  for (int64_t i = 0; i < count; ++i)
    printf(" %g", ((const float *)data)[i]);
  for (int64_t i = 0; mask && i < extents[0]; ++i)
    printf("%s%d", i ? " " : " of ", mask[i]);
  printf("\n");
}
#endif

int main(void) {
#ifndef NO_RUNTIME
  context = lathe_context_create(2);
  context->print = print;
#endif
  float x[] = {1, 2, 3, 4, -5, 6, 0.5f, 1, 2, 0, 1, 2}, y[12], cost, slope[4], limit = 30;
  reports_straight_args straight = {.N = 4, .x = x, .limit = &limit, .z = y, .state = state, CALL};
  tell("straight", reports_straight(&straight));
  limit = 50;
  tell("straight", reports_straight(&straight));
  printf("z %g %g, count %g\n", y[4], y[6], state[0]);

  limit = 25;
  reports_loops_args loops = {.x = x, .limit = &limit, .y = y, CALL};
  tell("loops", reports_loops(&loops));
  limit = 100;
  tell("loops", reports_loops(&loops));
  float negative[] = {-1, -2, -3, -4};
  loops.x = negative;
  limit = -100;
  tell("loops", reports_loops(&loops));

  float small[] = {1, 0.5f, 2, 1};
  limit = 2000;
  reports_slopes_args slopes = {.x = small, .limit = &limit, .cost = &cost, .slope = slope, CALL};
  tell("slopes", reports_slopes(&slopes));
  printf("slope %g %g\n", slope[0], slope[2]);
  limit = 200;
  tell("slopes", reports_slopes(&slopes));

  limit = 4;
  reports_batch_args batch = {.x = x, .limit = &limit, .y = y, CALL};
  tell("batch", reports_batch(&batch));
  x[4] = 5;
  tell("batch", reports_batch(&batch));
  printf("y %g %g %g %g\n", y[0], y[3], y[6], y[9]);
#ifndef NO_RUNTIME
  context->print = NULL;
  tell("batch", reports_batch(&batch));
  batch.context = NULL;
  tell("batch", reports_batch(&batch));
  batch.error = NULL;
  x[4] = -5;
  printf("no record: %d\n", (int)reports_batch(&batch));
  lathe_context_destroy(context);
#endif
  return 0;
}
