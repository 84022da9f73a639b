/* Fits the eccentricity of an orbit of 0.6 from twelve sightings of it.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "orbit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIGHTINGS 12

int main(void) {
  double mean[SIGHTINGS], seen[SIGHTINGS], misfit = 0;
  for (int i = 0; i < SIGHTINGS; ++i) { /* the mean anomaly where the eccentric one is known */
    seen[i] = 0.5 * (i + 1);
    mean[i] = seen[i] - 0.6 * sin(seen[i]);
  }
  const size_t size = orbit_fit_workspace_size(SIGHTINGS);
  void *state = aligned_alloc(64, (ORBIT_STATE_SIZE + 63) / 64 * 64), *workspace = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!state || !workspace)
    return 1;
  *orbit_state_eccentricity(state) = 0.1;

  lathe_error error;
  orbit_fit_args args = {.N = SIGHTINGS,
                         .mean = mean,
                         .seen = seen,
                         .misfit = &misfit,
                         .state = state,
                         .workspace = workspace,
                         .workspace_size = size,
                         .error = &error};
  for (int step = 0; step < 200; ++step)
    if (orbit_fit(&args) != LATHE_OK) {
      fprintf(stderr, "%s:%d: %s returned %d\n", error.file, (int)error.line, error.argument, (int)error.actual);
      return 1;
    }
  printf("eccentricity %.6f, misfit %.1e\n", *orbit_state_eccentricity(state), misfit);
  free(workspace);
  free(state);
  return 0;
}
