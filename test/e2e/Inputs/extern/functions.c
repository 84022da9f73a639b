/* The functions that graph.mlir calls; a definition that does not fit its declaration in graph.h does not compile. */
#include "graph.h"

lathe_status cube(const double *x, const int64_t x_shape[1], double *y, const int64_t y_shape[1]) {
  if (x_shape[0] != y_shape[0])
    return LATHE_ERROR_EXTERN;
  for (int64_t i = 0; i < x_shape[0]; ++i)
    y[i] = x[i] * x[i] * x[i];
  return LATHE_OK;
}

lathe_status cube_tangent(const double *x, const int64_t x_shape[1], const double *y, const int64_t y_shape[1],
                          const double *dx, const int64_t dx_shape[1], double *dy, const int64_t dy_shape[1]) {
  (void)y, (void)y_shape, (void)dx_shape, (void)dy_shape;
  for (int64_t i = 0; i < x_shape[0]; ++i)
    dy[i] = 3 * x[i] * x[i] * dx[i];
  return LATHE_OK;
}

lathe_status cube_gradient(const double *x, const int64_t x_shape[1], const double *y, const int64_t y_shape[1],
                           const double *by_y, const int64_t by_y_shape[1], double *by_x, const int64_t by_x_shape[1]) {
  return cube_tangent(x, x_shape, y, y_shape, by_y, by_y_shape, by_x, by_x_shape); /* its Jacobian is symmetric */
}

/* The gradient of cube_gradient: of its three inputs, for the cotangent of what it gives. */
lathe_status cube_second(const double *x, const int64_t x_shape[1], const double *y, const int64_t y_shape[1],
                         const double *by_y, const int64_t by_y_shape[1], const double *by_x, const int64_t by_x_shape[1],
                         const double *c, const int64_t c_shape[1], double *c_x, const int64_t c_x_shape[1], double *c_y,
                         const int64_t c_y_shape[1], double *c_by_y, const int64_t c_by_y_shape[1]) {
  (void)y, (void)y_shape, (void)by_y_shape, (void)by_x, (void)by_x_shape, (void)c_shape, (void)c_x_shape, (void)c_y_shape,
      (void)c_by_y_shape;
  for (int64_t i = 0; i < x_shape[0]; ++i) {
    c_x[i] = 6 * x[i] * by_y[i] * c[i];
    c_y[i] = 0;
    c_by_y[i] = 3 * x[i] * x[i] * c[i];
  }
  return LATHE_OK;
}

/* y[i] = (2 a[i], a[i] b[i]) */
lathe_status pair(const double *a, const int64_t a_shape[1], const double *b, const int64_t b_shape[1], double *y,
                  const int64_t y_shape[2]) {
  if (y_shape[0] != a_shape[0] || y_shape[1] != 2 || b_shape[0] != a_shape[0])
    return LATHE_ERROR_EXTERN;
  for (int64_t i = 0; i < a_shape[0]; ++i) {
    y[2 * i] = 2 * a[i];
    y[2 * i + 1] = a[i] * b[i];
  }
  return LATHE_OK;
}

lathe_status pair_tangent(const double *a, const int64_t a_shape[1], const double *b, const int64_t b_shape[1], const double *y,
                          const int64_t y_shape[2], const double *da, const int64_t da_shape[1], const double *db,
                          const int64_t db_shape[1], double *dy, const int64_t dy_shape[2]) {
  (void)b_shape, (void)y, (void)y_shape, (void)da_shape, (void)db_shape, (void)dy_shape;
  for (int64_t i = 0; i < a_shape[0]; ++i) {
    dy[2 * i] = 2 * da[i];
    dy[2 * i + 1] = da[i] * b[i] + a[i] * db[i];
  }
  return LATHE_OK;
}

lathe_status pair_gradient(const double *a, const int64_t a_shape[1], const double *b, const int64_t b_shape[1],
                           const double *y, const int64_t y_shape[2], const double *c, const int64_t c_shape[2], double *c_a,
                           const int64_t c_a_shape[1], double *c_b, const int64_t c_b_shape[1]) {
  (void)b_shape, (void)y, (void)y_shape, (void)c_shape, (void)c_a_shape, (void)c_b_shape;
  for (int64_t i = 0; i < a_shape[0]; ++i) {
    c_a[i] = 2 * c[2 * i] + b[i] * c[2 * i + 1];
    c_b[i] = a[i] * c[2 * i + 1];
  }
  return LATHE_OK;
}

/* Sums of rows, and how many elements exceed n; the third result is a workspace. */
lathe_status rows(const float *x, const int64_t x_shape[2], const int32_t *n, float *sum, const int64_t sum_shape[1],
                  int64_t *count, const int64_t count_shape[1], float *scratch, const int64_t scratch_shape[1]) {
  if (sum_shape[0] != x_shape[0] || count_shape[0] != x_shape[0] || scratch_shape[0] != x_shape[1])
    return LATHE_ERROR_EXTERN;
  for (int64_t i = 0; i < x_shape[0]; ++i) {
    sum[i] = 0;
    count[i] = 0;
    for (int64_t j = 0; j < x_shape[1]; ++j) {
      scratch[j] = x[i * x_shape[1] + j];
      sum[i] += scratch[j];
      count[i] += scratch[j] > (float)*n;
    }
  }
  return LATHE_OK;
}

lathe_status cube_batch(const double *x, const int64_t x_shape[2], double *y, const int64_t y_shape[2]) {
  const int64_t elements = x_shape[0] * x_shape[1];
  return cube(x, &elements, y, y_shape[0] == x_shape[0] ? &elements : y_shape);
}
