#include "product.h"
#include <stdio.h>

int main(void) {
  float a = 15, b = 20, c, dc_da, dc_db;
  product_slopes_args args = {.a = &a, .b = &b, .c = &c, .dc_da = &dc_da, .dc_db = &dc_db};
  if (product_slopes(&args) != LATHE_OK)
    return 1;
  printf("c = %g, dc/da = %g, dc/db = %g\n", c, dc_da, dc_db);
  return 0;
}
