/* Calls an entry whose function succeeds, and fails with statuses of both kinds. */
#include "extern.h"
#ifndef NO_RUNTIME
#include "lathe/runtime.h"
#endif
#include <stdio.h>
#include <string.h>

/* Adds the number of calls to each element; refuses a first one below 0. */
lathe_status judge(const float *in0, const int64_t in0_shape[1], const int64_t *in1, float *out0, const int64_t out0_shape[1]) {
  if (in0_shape[0] != out0_shape[0])
    return LATHE_ERROR_EXTERN;
  for (int64_t i = 0; i < in0_shape[0]; ++i)
    out0[i] = in0[i] + (float)*in1;
  return in0[0] == -1 ? LATHE_ERROR_EXTERN : in0[0] < 0 ? (lathe_status)107 : LATHE_OK;
}

static _Alignas(64) char state[EXTERN_STATE_SIZE], workspace[1024];

static void call(float first) {
  float x[5] = {first, 2, 4, 6, 8}, z[5] = {0};
  lathe_error error;
  memset(&error, 0, sizeof error);
  extern_step_args args = {
      .N = 5, .x = x, .z = z, .state = state, .workspace = workspace, .workspace_size = sizeof workspace, .error = &error};
  const lathe_status status = extern_step(&args);
  printf("status %d, calls %d", (int)status, (int)*extern_state_calls(state));
  if (status == LATHE_OK)
    printf(": %g %g\n", (double)z[0], (double)z[4]);
  else
    printf(": %d, %s, %s, %s, %s:%d, %d\n", (int)error.status, error.function, error.op, error.argument, error.file,
           (int)error.line, (int)error.actual);
#ifndef NO_RUNTIME
  if (status != LATHE_OK) {
    char text[256];
    lathe_error_format(&error, text, sizeof text);
    puts(text);
  }
#endif
}

int main(void) {
  call(1);
  call(-2);
  call(-4);
  call(3);
  return 0;
}
