/* Finds what a pendulum and a rod are made of from noisy measurements of their movement.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The equations, their solvers, the gradients through these and the optimiser are pendulum.mlir and rod.mlir, compiled.
 * usage: physics DATA_DIR OUT_DIR [--steps N]
 */
#include "app.h"
#include "pendulum.h"
#include "rod.h"

#include <math.h>

static const double INTERVAL = 0.05, STEP = 0.0002;
static const char *data, *out;
static int64_t steps;

/* What noise carries each unknown, given what it does per unit of it. The noise's size is taken from the misfit, of which the
 * fit has explained away as much as there are unknowns. */
static void report(const char *what, const char *file, const double *unknown, double *errors, int count, double misfit,
                   int64_t measurements, double taken) {
  const double noise = sqrt(misfit * (double)measurements / (double)(measurements - count));
  double table[8];
  printf("%s: %lld steps in %.2f s; noise %.4f; unknown", what, (long long)steps, taken, noise);
  for (int i = 0; i < count; ++i) {
    printf(" %.4f +- %.4f", unknown[i], errors[i] * noise);
    table[2 * i] = unknown[i];
    table[2 * i + 1] = errors[i] * noise;
  }
  puts("");
  store(out, file, LATHE_F64, table, (int64_t[4]){count, 2});
}

#define REGIONS .state = state, .workspace = workspace, .workspace_size = size, .error = &error
static const int64_t seed = 0;

static void pendulum(void) {
  lathe_array measured = load(data, "angles.npy", LATHE_F64, 1);
  const int64_t times = measured.extents[0];
  size_t size = pendulum_fit_workspace_size(times);
  if (size < pendulum_errors_workspace_size(times))
    size = pendulum_errors_workspace_size(times);
  void *state = allocate(PENDULUM_STATE_SIZE), *workspace = allocate(size);
  double rate, misfit, errors[4], *angles = allocate((size_t)times * sizeof *angles);

  check(pendulum_init(&(pendulum_init_args){.seed = &seed, REGIONS}));
  pendulum_fit_args fit = {.T = times, .measured = measured.data, .h = &INTERVAL, .rate = &rate, .misfit = &misfit, REGIONS};
  const double start = seconds();
  for (int64_t t = 0; t < steps; ++t) {
    rate = cosine_rate(0.05, t, steps);
    check(pendulum_fit(&fit));
  }
  const double taken = seconds() - start;
  check(pendulum_errors(
      &(pendulum_errors_args){.T = times, .measured = measured.data, .h = &INTERVAL, .errors = errors, REGIONS}));
  check(
      pendulum_swing(&(pendulum_swing_args){.T = times, .measured = measured.data, .h = &INTERVAL, .angles = angles, REGIONS}));
  report("pendulum", "pendulum.npy", pendulum_state_unknown(state), errors, 4, misfit, times, taken);
  store(out, "swing.npy", LATHE_F64, angles, (int64_t[4]){times});
  lathe_array_release(&measured);
  void *regions[] = {state, workspace, angles};
  for (int i = 0; i < 3; ++i)
    lathe_free(regions[i]);
}

static void rod(void) {
  lathe_array measured = load(data, "thermometers.npy", LATHE_F64, 2), material = load(data, "material.npy", LATHE_I32, 1);
  lathe_array begin = load(data, "start.npy", LATHE_F64, 1), places = load(data, "places.npy", LATHE_I32, 1);
  require(measured.extents[0] == 100 && measured.extents[1] == 5 && material.extents[0] == 40 && begin.extents[0] == 40 &&
              places.extents[0] == 5,
          "the rod has 40 cells and 5 thermometers, read 100 times");
  size_t size = ROD_FIT_WORKSPACE_SIZE;
  if (size < ROD_ERRORS_WORKSPACE_SIZE)
    size = ROD_ERRORS_WORKSPACE_SIZE;
  void *state = allocate(ROD_STATE_SIZE), *workspace = allocate(size);
  double rate, misfit, errors[3], *temperatures = allocate(100 * 40 * sizeof *temperatures);

#define ROD .measured = measured.data, .material = material.data, .start = begin.data, .h = &STEP, REGIONS
  check(rod_init(&(rod_init_args){.seed = &seed, REGIONS}));
  rod_fit_args fit = {.places = places.data, .rate = &rate, .misfit = &misfit, ROD};
  const double start = seconds();
  for (int64_t t = 0; t < steps; ++t) {
    rate = cosine_rate(0.05, t, steps);
    check(rod_fit(&fit));
  }
  const double taken = seconds() - start;
  check(rod_errors(&(rod_errors_args){.places = places.data, .errors = errors, ROD}));
  check(rod_temperatures(&(rod_temperatures_args){.temperatures = temperatures, ROD}));
  report("rod", "rod.npy", rod_state_unknown(state), errors, 3, misfit, 500, taken);
  store(out, "temperatures.npy", LATHE_F64, temperatures, (int64_t[4]){100, 40});
  lathe_array arrays[] = {measured, material, begin, places};
  for (int i = 0; i < 4; ++i)
    lathe_array_release(&arrays[i]);
  void *regions[] = {state, workspace, temperatures};
  for (int i = 0; i < 3; ++i)
    lathe_free(regions[i]);
}

int main(int count, char **words) {
  check_words(count, words, "usage: physics DATA_DIR OUT_DIR [--steps N]");
  data = words[1];
  out = words[2];
  steps = option(words, "--steps", 600);
  require(steps > 0, "there is nothing to do");
  pendulum();
  rod();
  return 0;
}
