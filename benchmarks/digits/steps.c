/* Trains the digits net for some steps on fixed batches and times step and prediction: one side of a comparison with peers.
 * usage: steps IMAGES.npy LABELS.npy OUT_DIR THREADS [STEPS]
 * Writes OUT_DIR/initial.safetensors and OUT_DIR/losses.npy, then times slices on request: each line "step N" or "predict N" on
 * standard input is answered by the fastest and the median of a slice of runs at batch N, in milliseconds. */
#include "digits.h"
#include <lathe/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 32, PIXELS = 256, LARGEST = 64 };

/* Small, because Adam divides gradients by their own size: at 1e-3, rounding grows a thousandfold every seven steps, and after
 * 20 JAX in f32 is 3 % away from JAX in f64. At 1e-4 the 20 losses tell right from wrong. */
static const float RATE = 1e-4f;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void check(lathe_status status, const lathe_error *error) {
  if (status != LATHE_OK) {
    lathe_error_print(error);
    exit(1);
  }
}

typedef struct runner {
  lathe_error error;
  lathe_context *context;
  const float *images;
  const int32_t *labels;
  void *state, *workspace;
  size_t workspace_size;
  float learning_rate, loss, probability[LARGEST * 10];
} runner;

static void step(runner *r, int64_t n, int64_t first) {
  digits_train_step_args args = {.N = n,
                                 .image = r->images + first * PIXELS,
                                 .label = r->labels + first,
                                 .learning_rate = &r->learning_rate,
                                 .loss = &r->loss,
                                 .state = r->state,
                                 .workspace = r->workspace,
                                 .workspace_size = r->workspace_size,
                                 .context = r->context,
                                 .error = &r->error};
  check(digits_train_step(&args), &r->error);
}

static void predict(runner *r, int64_t n) {
  digits_predict_args args = {.N = n,
                              .image = r->images,
                              .probability = r->probability,
                              .state = r->state,
                              .workspace = r->workspace,
                              .workspace_size = r->workspace_size,
                              .context = r->context,
                              .error = &r->error};
  check(digits_predict(&args), &r->error);
}

static void slice(runner *r, int training, int64_t n) {
  enum { MOST = 4000 };
  static double times[MOST];
  int count = 0;
  for (double begin = now(); count < 5 || (now() - begin < 0.3 && count < MOST); ++count) {
    double start = now();
    if (training)
      step(r, n, 0);
    else
      predict(r, n);
    times[count] = now() - start;
  }
  qsort(times, (size_t)count, sizeof *times, compare);
  printf("%.5f %.5f\n", times[0] * 1e3, times[count / 2] * 1e3);
  fflush(stdout);
}

int main(int argc, char **argv) {
  lathe_array images, labels, losses = {.dtype = LATHE_F32, .rank = 1};
  static float values[1000];
  static runner r;
  char path[4096], what[16];
  long long n;
  int steps = argc > 5 ? atoi(argv[5]) : 20;
  if (argc < 5 || steps < 0 || steps > 1000)
    return 2;
  check(lathe_npy_read(argv[1], &images, &r.error), &r.error);
  check(lathe_npy_read(argv[2], &labels, &r.error), &r.error);
  r.images = images.data, r.labels = labels.data, r.learning_rate = RATE;
  r.context = lathe_context_create(atoi(argv[4]));
  r.state = lathe_alloc(DIGITS_STATE_SIZE);
  r.workspace_size = digits_train_step_workspace_size(LARGEST);
  if (digits_init_workspace_size() > r.workspace_size)
    r.workspace_size = digits_init_workspace_size();
  r.workspace = lathe_alloc(r.workspace_size);
  int64_t seed = 7;
  digits_init_args init = {
      .seed = &seed, .state = r.state, .workspace = r.workspace, .workspace_size = r.workspace_size, .error = &r.error};
  check(digits_init(&init), &r.error);
  snprintf(path, sizeof path, "%s/initial.safetensors", argv[3]);
  check(lathe_state_save(path, digits_info(), r.state, &r.error), &r.error);
  for (int i = 0; i < steps; ++i) {
    step(&r, BATCH, (int64_t)i * BATCH);
    values[i] = r.loss;
  }
  losses.extents[0] = steps, losses.data = values, losses.size = (size_t)steps * sizeof *values;
  snprintf(path, sizeof path, "%s/losses.npy", argv[3]);
  check(lathe_npy_write(path, &losses, &r.error), &r.error);
  printf("ready\n");
  fflush(stdout);
  while (scanf("%15s %lld", what, &n) == 2 && n >= 1 && n <= LARGEST)
    slice(&r, strcmp(what, "step") == 0, n);
  lathe_context_destroy(r.context);
  return 0;
}
