/* A caller to look into with gdb: it stops in ask, before and after its call. */
#include "tensors.h"

static void ask(tensors_scale_args *args) { (void)args; }

int main(void) {
  int16_t v[] = {-1, 300};
  tensors_twice_args twice = {.lambda = 2, .v = v};
  (void)twice;
  static _Alignas(64) char state[TENSORS_STATE_SIZE], workspace[4096];
  float x[] = {1, 2, 3, 4, 5.5f, 6}, y[6] = {0};
  double by = 0.1;
  uint16_t half[] = {0x3f80, 0xc020}; /* 1 and -2.5 */
  int64_t seed = 0;
  tensors_init_args init = {.seed = &seed, .state = state, .workspace = workspace, .workspace_size = sizeof workspace};
  if (tensors_init(&init) != LATHE_OK)
    return 1;
  tensors_scale_args args = {.N = 2,
                             .x = x,
                             .by = &by,
                             .half = half,
                             .y = y,
                             .state = state,
                             .workspace = workspace,
                             .workspace_size = sizeof workspace};
  ask(&args);
  lathe_status status = tensors_scale(&args);
  ask(&args);
  return status;
}
