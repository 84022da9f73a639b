/* Reading and writing .npy files.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _XOPEN_SOURCE 700
#include "check.h"

#include <glob.h>
#include <signal.h>
#include <sys/resource.h>

static const char path[] = "npy-test.npy";

/* A file of the given version and header text, followed by 48 bytes that count from 0. */
static void write_npy(int version, const char *header) {
  unsigned char bytes[1024] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  const size_t length = strlen(header), prefix = version == 1 ? 10 : 12;
  bytes[6] = (unsigned char)version;
  bytes[8] = (unsigned char)(length & 0xFF);
  bytes[9] = (unsigned char)(length >> 8);
  memcpy(bytes + prefix, header, length);
  for (int i = 0; i < 48; ++i)
    bytes[prefix + length + (size_t)i] = (unsigned char)i;
  write_file(path, bytes, prefix + length + 48);
}

static void expect_refusal(const char *header, const char *message) {
  lathe_array array = {.rank = 77};
  lathe_error error = {0};
  write_npy(1, header);
  CHECK_EQUAL(lathe_npy_read(path, &array, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, message);
  CHECK(error.file && strcmp(error.file, path) == 0);
  CHECK_EQUAL(array.rank, 77); /* untouched */
  CHECK_EQUAL(lathe_npy_read(path, &array, NULL), LATHE_ERROR_FORMAT);
}

static void test_round_trips(void) {
  for (int type = LATHE_I1; type <= LATHE_F64; ++type) {
    if (type == LATHE_BF16)
      continue;
    for (uint32_t rank = 0; rank <= 8; ++rank) {
      unsigned char data[6 * 8];
      lathe_array array = {(lathe_dtype)type, rank, {1, 1, 1, 1, 1, 1, 1, 1}, data, lathe_dtype_size((lathe_dtype)type)}, back;
      for (size_t i = 0; i < sizeof data; ++i)
        data[i] = type == LATHE_I1 ? i % 2 : (unsigned char)(i * 37);
      if (rank >= 2) {
        array.extents[0] = 2;
        array.extents[rank - 1] = 3;
        array.size *= 6;
      }
      CHECK_EQUAL(lathe_npy_write(path, &array, NULL), LATHE_OK);
      CHECK_EQUAL(lathe_npy_read(path, &back, NULL), LATHE_OK);
      CHECK(back.dtype == array.dtype && back.rank == rank && back.size == array.size);
      CHECK(memcmp(back.extents, array.extents, rank * sizeof(int64_t)) == 0 && memcmp(back.data, data, back.size) == 0);
      CHECK_EQUAL((uintptr_t)back.data % 64, 0);
      lathe_array_release(&back);
      CHECK(back.data == NULL);
    }
  }
}

static void test_empty(void) {
  lathe_array array = {LATHE_F32, 3, {4, 0, INT64_MAX}, NULL, 0}, back;
  CHECK_EQUAL(lathe_npy_write(path, &array, NULL), LATHE_OK);
  CHECK_EQUAL(lathe_npy_read(path, &back, NULL), LATHE_OK);
  CHECK(back.rank == 3 && back.size == 0 && back.extents[2] == INT64_MAX && back.data);
  lathe_array_release(&back);
  FILE *file = fopen(path, "wb");
  static const char header[] = "{'descr': '<f4', 'fortran_order': True, 'shape': (4294967296, 4294967296, 0)}";
  const unsigned char prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof header - 1, 0};
  CHECK(file && fwrite(prefix, 1, sizeof prefix, file) == sizeof prefix);
  CHECK(file && fwrite(header, 1, sizeof header - 1, file) == sizeof header - 1 && fclose(file) == 0);
  CHECK_EQUAL(lathe_npy_read(path, &back, NULL), LATHE_OK);
  CHECK(back.rank == 3 && back.size == 0 && back.extents[1] == 4294967296);
  lathe_array_release(&back);
}

static void test_versions(void) {
  for (int version = 1; version <= 3; ++version) {
    lathe_array array;
    write_npy(version, "{\"shape\":( 3 ,4L),'fortran_order' : False,'descr':'<i4'}");
    CHECK_EQUAL(lathe_npy_read(path, &array, NULL), LATHE_OK);
    CHECK(array.dtype == LATHE_I32 && array.rank == 2 && array.extents[0] == 3 && array.extents[1] == 4);
    CHECK_EQUAL(((int32_t *)array.data)[1], 0x07060504);
    lathe_array_release(&array);
  }
  lathe_array array;
  lathe_error error;
  write_npy(4, "{'descr': '<i4', 'fortran_order': False, 'shape': (12,)}");
  CHECK_EQUAL(lathe_npy_read(path, &array, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "version");
}

static void test_fortran_order(void) {
  lathe_array array;
  write_npy(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 8), }\n");
  CHECK_EQUAL(lathe_npy_read(path, &array, NULL), LATHE_OK);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 8; ++k)
        CHECK_EQUAL(((unsigned char *)array.data)[(i * 3 + j) * 8 + k], i + 2 * j + 6 * k);
  lathe_array_release(&array);
}

static void test_booleans(void) {
  lathe_array array;
  write_npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (48,)}");
  CHECK_EQUAL(lathe_npy_read(path, &array, NULL), LATHE_OK);
  CHECK_EQUAL(((unsigned char *)array.data)[0], 0);
  CHECK_EQUAL(((unsigned char *)array.data)[47], 1);
  lathe_array_release(&array);
}

static void test_refusals(void) {
  expect_refusal("{'descr': '>f4', 'fortran_order': False, 'shape': (12,)}", "big-endian");
  expect_refusal("{'descr': '<c8', 'fortran_order': False, 'shape': (6,)}", "element type");
  expect_refusal("{'descr': '<f4x', 'fortran_order': False, 'shape': (6,)}", "element type");
  expect_refusal("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}", "element type");
  expect_refusal("{'descr': '!f4', 'fortran_order': False, 'shape': (6,)}", "byte order");
  expect_refusal("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (6,)}", "fortran_order");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (13,)}", "expected 52, got 48");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (11,)}", "extra bytes after the data");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (12)}", "tuple");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (-12,)}", "dimension");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (12,}", "dimension");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,12)}", "8 dimensions");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", "64 bits");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "64 bits");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}", "64 bits");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (2305843009213693952,)}", "64 bits");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}", "truncated");
  expect_refusal("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (12,)}", "twice");
  expect_refusal("{'descr': '<f4', 'shape': (12,)}", "lacks");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (12,), 'x': 1}", "other than");
  expect_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (12,)} x", "continues after its dictionary");
  expect_refusal("", "dictionary");
}

static void test_absurd_lengths(void) {
  static const unsigned char long_header[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0xFF, 0xFF, 0xFF, 0xFF};
  lathe_array array;
  lathe_error error;
  write_file(path, long_header, sizeof long_header);
  CHECK_EQUAL(lathe_npy_read(path, &array, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "header length: it is too large");
  write_file(path, "PK\3\4 and more", 13);
  CHECK_EQUAL(lathe_npy_read(path, &array, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "not an .npy file");
}

static void test_wrong_arrays(void) {
  float data[4] = {0};
  lathe_error error;
  const lathe_array good = {LATHE_F32, 1, {4}, data, sizeof data};
  lathe_array array = good;
  array.dtype = LATHE_BF16;
  CHECK_EQUAL(lathe_npy_write(path, &array, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "bf16");
  array = good;
  array.size = 12;
  CHECK_EQUAL(lathe_npy_write(path, &array, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, "expected 16, got 12");
  array = good;
  array.extents[0] = -4;
  CHECK_EQUAL(lathe_npy_write(path, &array, &error), LATHE_ERROR_FORMAT);
  array = good;
  array.rank = 9;
  CHECK_EQUAL(lathe_npy_write(path, &array, &error), LATHE_ERROR_FORMAT);
  array = good;
  array.data = NULL;
  CHECK_EQUAL(lathe_npy_write(path, &array, &error), LATHE_ERROR_FORMAT);
}

static void test_paths(void) {
  lathe_array array;
  lathe_error error;
  CHECK_EQUAL(lathe_npy_read("no-such-file.npy", &array, &error), LATHE_ERROR_IO);
  CHECK_MESSAGE(&error, "no-such-file.npy: error: lathe_npy_read: cannot open the file: No such file");
  CHECK_EQUAL(lathe_npy_read(".", &array, &error), LATHE_ERROR_IO);
  float data[1] = {0};
  const lathe_array one = {LATHE_F32, 0, {0}, data, sizeof data};
  CHECK_EQUAL(lathe_npy_write("no-such-folder/a.npy", &one, &error), LATHE_ERROR_IO);
  CHECK_MESSAGE(&error, "cannot create the file");
  CHECK_EQUAL(lathe_npy_write("/dev/null", &one, &error), LATHE_OK);
  CHECK_EQUAL(lathe_npy_write("/dev/full", &one, &error), LATHE_ERROR_IO);
  CHECK_MESSAGE(&error, "No space left");
}

/* The old file stays, and nothing else, when the disk is full. */
static void test_full_disk(void) {
  static const char data[8192] = {0};
  const lathe_array array = {LATHE_I8, 1, {sizeof data}, (void *)data, sizeof data};
  lathe_error error;
  struct rlimit old, small;
  write_file(path, "old", 3);
  CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &old), 0);
  small = (struct rlimit){1000, old.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
  CHECK_EQUAL(lathe_npy_write(path, &array, &error), LATHE_ERROR_IO);
  CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &old), 0);
  CHECK_MESSAGE(&error, "npy-test.npy: error: lathe_npy_write: cannot write the file");
  size_t size;
  unsigned char *bytes = read_file(path, &size);
  CHECK(size == 3 && memcmp(bytes, "old", 3) == 0);
  free(bytes);
  glob_t found;
  CHECK_EQUAL(glob("npy-test.npy.*", 0, NULL, &found), GLOB_NOMATCH);
  globfree(&found);
}

int main(void) {
  test_round_trips();
  test_empty();
  test_versions();
  test_fortran_order();
  test_booleans();
  test_refusals();
  test_absurd_lengths();
  test_wrong_arrays();
  test_paths();
  test_full_disk();
  remove(path);
  return check_result();
}
