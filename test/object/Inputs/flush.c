/* Calls @functions with normal numbers of all exponents, in the mode in which a program starts and with subnormal numbers
 * flushed to zero. The results of both modes must differ by less than the smallest normal number. Prints each function for
 * which this is not so, and each that has other bits in a normal result. */
#include "call.h"
#include <float.h>
#include <math.h>
#include <xmmintrin.h>

const lathe_module_info *INFO(void);

enum { STEP = 4093, FLUSH = 0x8040 /* results and operands */ };

static int is_subnormal(uint32_t bits) { return (bits & 0x7F800000) == 0 && (bits & 0x7FFFFF) != 0; }

/* Fills the only input with every STEP-th bit pattern. */
static void fill_patterns(call *c, int64_t count) {
  uint32_t *x = c->arrays[0];
  for (int64_t i = 0; i < count; ++i)
    x[i] = (uint32_t)(i * STEP);
}

static float as_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static int is_far(uint32_t a, uint32_t b) { return a != b && !(fabsf(as_float(a) - as_float(b)) < FLT_MIN); }

static int compare(const call *normal, const call *flushed, int64_t count) {
  const uint32_t *x = normal->arrays[0];
  int64_t subnormal = 0, zero = 0, far = 0;
  for (uint32_t a = 1; a < normal->function->argument_count; ++a) {
    const uint32_t *y = normal->arrays[a], *z = flushed->arrays[a];
    int64_t other = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (is_subnormal(x[i]))
        continue;
      subnormal += is_subnormal(y[i]);
      zero += is_subnormal(y[i]) && (z[i] & 0x7FFFFFFF) == 0;
      if (y[i] == z[i])
        continue;
      other += !is_subnormal(y[i]);
      if (is_far(y[i], z[i]) && far++ < 10)
        printf("%s of %a: %a, flushed %a\n", normal->function->arguments[a].name, (double)as_float(x[i]),
               (double)as_float(y[i]), (double)as_float(z[i]));
    }
    if (other)
      printf("%s: other bits for %lld normal results\n", normal->function->arguments[a].name, (long long)other);
  }
  printf("apart by a normal number: %lld; subnormal results: %s, of which zero: %s\n", (long long)far,
         subnormal ? "some" : "none", zero ? "some" : "none");
  return far != 0;
}

int main(void) {
  const int64_t count = (int64_t)(UINT32_MAX / STEP);
  const lathe_module_info *module = INFO();
  call calls[2];
  const unsigned before = _mm_getcsr();
  for (int flush = 0; flush < 2; ++flush) {
    prepare(&calls[flush], module, "functions", count, 1, NULL, NULL);
    fill_patterns(&calls[flush], count);
    _mm_setcsr(flush ? before | FLUSH : before & ~(unsigned)FLUSH);
    run(&calls[flush]);
    if (((_mm_getcsr() ^ (flush ? before | FLUSH : before)) & FLUSH) != 0)
      return puts("the entry has changed the mode"), 1;
    _mm_setcsr(before);
  }
  const int failed = compare(&calls[0], &calls[1], count);
  release(&calls[0]);
  release(&calls[1]);
  return failed;
}
