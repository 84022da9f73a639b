/* The functions that orbit.mlir names. orbit.h declares them, so that the compiler sees whether they fit.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "orbit.h"
#include <math.h>

/* E - e sin(E) = M for each mean anomaly M, by Newton's steps. */
lathe_status kepler(const double *mean, const int64_t mean_shape[1], const double *eccentricity, double *anomaly,
                    const int64_t anomaly_shape[1]) {
  const double e = *eccentricity;
  (void)anomaly_shape;
  if (!(e >= 0 && e < 1))
    return LATHE_ERROR_EXTERN; /* no ellipse */
  for (int64_t i = 0; i < mean_shape[0]; ++i) {
    double E = mean[i] + e * sin(mean[i]);
    for (int step = 0; step < 50; ++step) {
      const double move = (E - e * sin(E) - mean[i]) / (1 - e * cos(E));
      E -= move;
      if (fabs(move) <= 1e-15 * fabs(E))
        break;
    }
    anomaly[i] = E;
  }
  return LATHE_OK;
}

/* dE/dM = 1 / (1 - e cos(E)) and dE/de = sin(E) / (1 - e cos(E)): operands, results, cotangents of the results, then what is
 * written, the cotangents of the operands. */
lathe_status kepler_gradient(const double *mean, const int64_t mean_shape[1], const double *eccentricity, const double *anomaly,
                             const int64_t anomaly_shape[1], const double *by_anomaly, const int64_t by_anomaly_shape[1],
                             double *by_mean, const int64_t by_mean_shape[1], double *by_eccentricity) {
  double sum = 0;
  (void)mean;
  (void)anomaly_shape;
  (void)by_anomaly_shape;
  (void)by_mean_shape;
  for (int64_t i = 0; i < mean_shape[0]; ++i) {
    by_mean[i] = by_anomaly[i] / (1 - *eccentricity * cos(anomaly[i]));
    sum += by_mean[i] * sin(anomaly[i]);
  }
  *by_eccentricity = sum;
  return LATHE_OK;
}
