/* Damaged files: every truncation and every flipped bit is either refused or harmless. Run under sanitizers.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "check.h"
#include "module.h"

static const char path[] = "malformed-test.bin";

typedef lathe_status (*loader)(lathe_error *error);

static lathe_status load_npy(lathe_error *error) {
  lathe_array array = {0};
  const lathe_status status = lathe_npy_read(path, &array, error);
  lathe_array_release(&array);
  return status;
}

static lathe_status load_state(lathe_error *error) {
  unsigned char state[STATE_SIZE] = {0}, before[STATE_SIZE] = {0};
  const lathe_status status = lathe_state_load(path, &test_module, state, error);
  CHECK(status == LATHE_OK || memcmp(state, before, sizeof state) == 0);
  return status;
}

static lathe_status load_bytes(loader load, const unsigned char *bytes, size_t size) {
  lathe_error error = {0};
  write_file(path, bytes, size);
  const lathe_status status = load(&error);
  CHECK_EQUAL(error.status, status);
  if (status != LATHE_OK)
    CHECK_MESSAGE(&error, path);
  return status;
}

static uint32_t random_below(uint32_t *seed, size_t bound) {
  *seed = *seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(*seed >> 8) * bound >> 24);
}

static void damage(loader load, const unsigned char *good, size_t size) {
  unsigned char *bytes = malloc(size);
  CHECK_EQUAL(load_bytes(load, good, size), LATHE_OK);
  for (size_t cut = 0; cut < size; ++cut)
    CHECK(load_bytes(load, good, cut) != LATHE_OK);
  for (size_t at = 0; at < size; ++at)
    for (int bit = 0; bit < 8; ++bit) {
      memcpy(bytes, good, size);
      bytes[at] ^= (unsigned char)(1 << bit);
      load_bytes(load, bytes, size);
    }
  uint32_t seed = 1;
  for (int i = 0; i < 4000; ++i) {
    memcpy(bytes, good, size);
    for (uint32_t changes = 1 + random_below(&seed, 4); changes > 0; --changes)
      bytes[random_below(&seed, size)] =
          random_below(&seed, 2) ? good[random_below(&seed, size)] : (unsigned char)random_below(&seed, 256);
    load_bytes(load, bytes, size);
  }
  free(bytes);
}

static void damage_file(loader load) {
  size_t size;
  unsigned char *good = read_file(path, &size);
  damage(load, good, size);
  free(good);
}

static void test_npy(void) {
  int16_t data[6] = {1, 2, 3, 4, 5, 6};
  const lathe_array array = {LATHE_I16, 2, {2, 3}, data, sizeof data};
  CHECK_EQUAL(lathe_npy_write(path, &array, NULL), LATHE_OK);
  damage_file(load_npy);
  static const char columns[] = "\x93NUMPY\2\0\x3a\0\0\0{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }"
                                "01234567012345670123456701234567";
  damage(load_npy, (const unsigned char *)columns, sizeof columns - 1);
}

static void test_state_files(void) {
  unsigned char state[STATE_SIZE] = {0};
  CHECK_EQUAL(lathe_state_save(path, &test_module, state, NULL), LATHE_OK);
  damage_file(load_state);
}

int main(void) {
  test_npy();
  test_state_files();
  remove(path);
  return check_result();
}
