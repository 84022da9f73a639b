// Compares products with their definition, bit for bit, and with f64: expect CONSTANTS RESULTS [tiles], of what graph.py wrote
// and of what `lathe-run --save` did. The operands are rounded to bf16, to nearest with ties to even. A sum starts from 0. Each
// pair of products adds the upper product and then the lower one with a single rounding each; numbers below 2^-126 are zeros of
// their sign everywhere. A last product of its own is paired with zeros.
//
// With `tiles`, the order is that of AMX: the lower products of 16 pairs are added up from 0, and so are the upper ones; their
// total is added to the sum.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

static float rounded(float x) {
  uint32_t bits;
  if (isnan(x))
    return x;
  memcpy(&bits, &x, 4);
  bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000;
  memcpy(&x, &bits, 4);
  return x;
}

static float *read(const char *folder, const char *prefix, const char *name, size_t *count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%s.npy", folder, prefix, name);
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  unsigned char start[10];
  if (fread(start, 1, 10, file) != 10)
    exit(2);
  fseek(file, 0, SEEK_END);
  long header = 10 + start[8] + 256 * start[9];
  *count = (size_t)(ftell(file) - header) / 4;
  fseek(file, header, SEEK_SET);
  float *data = malloc(*count * 4 + 4);
  if (fread(data, 4, *count, file) != *count)
    exit(2);
  fclose(file);
  return data;
}

static float addPair(float sum, const float *x, const float *y, size_t pitch, int isWhole) {
  float upper = isWhole ? fmaf(flushed(rounded(x[1])), flushed(rounded(y[pitch])), flushed(sum)) : flushed(sum);
  return flushed(fmaf(flushed(rounded(x[0])), flushed(rounded(y[0])), flushed(upper)));
}

static float product(float x, float y, float sum) { return flushed(fmaf(flushed(rounded(x)), flushed(rounded(y)), sum)); }

/// Adds 16 pairs, or the `count` products that are left.
static float addBlock(float sum, const float *x, const float *y, size_t pitch, size_t count) {
  float lower = 0, upper = 0;
  for (size_t i = 0; i < count && i < 32; i += 2) {
    lower = product(x[i], y[i * pitch], lower);
    if (i + 1 < count)
      upper = product(x[i + 1], y[(i + 1) * pitch], upper);
  }
  return flushed(sum + flushed(lower + upper));
}

/// Returns the sum of a row of x by a column of y.
static float sumOf(const float *x, const float *y, size_t pitch, size_t depth, int ofTiles) {
  float sum = 0;
  for (size_t i = 0; ofTiles && i < depth; i += 32)
    sum = addBlock(sum, x + i, y + i * pitch, pitch, depth - i);
  for (size_t i = 0; !ofTiles && i < depth; i += 2)
    sum = addPair(sum, x + i, y + i * pitch, pitch, i + 1 < depth);
  return sum;
}

/// Returns the number of elements of a product that are wrong.
static size_t compare(const float *x, const float *w, const float *y, size_t rows, size_t depth, size_t columns, int isRounded,
                      int ofTiles) {
  size_t wrong = 0;
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column) {
      const float *left = x + row * depth, *right = w + column;
      float sum = sumOf(left, right, columns, depth, ofTiles), result = y[row * columns + column];
      double exact = 0, sizes = 0;
      for (size_t i = 0; i < depth; ++i) {
        double product = (double)flushed(rounded(left[i])) * flushed(rounded(right[i * columns]));
        exact += product;
        sizes += fabs(product);
      }
      if (isRounded) {
        float whole = sum;
        exact += (double)rounded(whole) - whole;
        sum = rounded(whole);
      }
      int isEqual = memcmp(&sum, &result, 4) == 0 || (isnan(sum) && isnan(result));
      // Each step rounds once, by at most 2^-24 of a number that all products together bound, or flushes.
      double bound = (double)(depth + 2) * (0x1p-24 * 1.01 * sizes + 3 * 0x1p-126);
      int isNear = !isfinite(exact) || sizes > 0x1p125 || fabs(exact - result) <= bound;
      wrong += !isEqual || !isNear;
    }
  return wrong;
}

int main(int argc, char **argv) {
  char path[4096], lhs[64], rhs[64], result[64];
  int isRounded;
  size_t depth, columns, wrong = 0, products = 0;
  if (argc != 3 && argc != 4)
    return 2;
  snprintf(path, sizeof path, "%s/cases", argv[1]);
  FILE *cases = fopen(path, "r");
  if (!cases)
    return 2;
  while (fscanf(cases, "%63s %63s %63s %zu %zu %d", lhs, rhs, result, &depth, &columns, &isRounded) == 6) {
    size_t ofX = 0, ofW = 0, ofY = 0;
    float *x = read(argv[2], "in-", lhs, &ofX), *w = read(argv[2], "in-", rhs, &ofW);
    x = x ? x : read(argv[2], "out-", lhs, &ofX);
    w = w ? w : read(argv[1], "in-", rhs, &ofW);
    float *y = read(argv[2], "out-", result, &ofY);
    if (!x || !w || !y || ofW != depth * columns || ofX / depth != ofY / columns || ofY == 0) {
      printf("%s: the operands or results are missing\n", result);
      return 1;
    }
    size_t off = compare(x, w, y, ofX / depth, depth, columns, isRounded, argc == 4);
    if (off)
      printf("%s: %zu of %zu elements are wrong\n", result, off, ofY);
    wrong += off;
    ++products;
    free(x), free(w), free(y);
  }
  fclose(cases);
  printf("%zu products, %zu wrong elements\n", products, wrong);
  return wrong != 0;
}
