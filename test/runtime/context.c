/* Contexts, CPU levels, memory, error texts.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

static uint32_t level_with(const char *wish) {
  if (wish)
    setenv("LATHE_CPU", wish, 1);
  else
    unsetenv("LATHE_CPU");
  lathe_context *context = lathe_context_create(1);
  const uint32_t level = context->cpu_level;
  lathe_context_destroy(context);
  return level;
}

static void test_levels(void) {
  const uint32_t level = lathe_cpu_level();
  CHECK(level <= 6);
  CHECK_EQUAL(level_with(NULL), level);
  static const char *const wishes[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-vnni", "x86-64-v4-bf16"};
  for (uint32_t wish = 2; wish <= 6; ++wish)
    CHECK_EQUAL(level_with(wishes[wish - 2]), wish < level ? wish : level);
  static const char *const wrong[] = {"",           "x86-64-v",     "x86-64-v1", "x86-64-v5", "x86-64-v22",
                                      "x86-64-v4-", "x86-64-v4-bf", "v2",        "X86-64-v2", " x86-64-v2"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    CHECK_EQUAL(level_with(wrong[i]), level);
  unsetenv("LATHE_CPU");
}

static void test_contexts(void) {
  for (int threads = 0; threads <= 3; ++threads) {
    lathe_context *context = lathe_context_create(threads);
    CHECK(context && context->parallel_for && !context->profile && !context->user);
    CHECK_EQUAL(context->abi_version, LATHE_ABI_VERSION);
    CHECK(threads == 0 ? lathe_context_threads(context) >= 1 : lathe_context_threads(context) == threads);
    lathe_context_destroy(context);
  }
  CHECK(lathe_context_create(-1) == NULL);
  CHECK_EQUAL(lathe_context_threads(NULL), 1);
  lathe_context_destroy(NULL);
}

static void test_memory(void) {
  static const size_t sizes[] = {0, 1, 64, 1000, (4 << 20) - 1, 4 << 20, (6 << 20) + 5};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    unsigned char *memory = lathe_alloc(sizes[i]);
    CHECK(memory != NULL);
    CHECK_EQUAL((uintptr_t)memory % (sizes[i] >= 4 << 20 ? 2 << 20 : 64), 0);
    size_t wrong = 0;
    for (size_t at = 0; at < sizes[i]; ++at)
      wrong += memory[at] != 0;
    CHECK_EQUAL(wrong, 0);
    memset(memory, 0xFF, sizes[i]);
    lathe_free(memory);
  }
  CHECK(lathe_alloc(SIZE_MAX) == NULL);
  CHECK(lathe_alloc(SIZE_MAX / 2 + 2) == NULL);
  lathe_free(NULL);
}

static void check_text(lathe_error error, const char *expected) {
  char text[512];
  const int length = lathe_error_format(&error, text, sizeof text);
  CHECK_EQUAL(length, strlen(expected));
  if (strcmp(text, expected) != 0) {
    ++check_failures;
    fprintf(stderr, "error text:   %s\ninstead of:   %s\n", text, expected);
  }
}

static lathe_error in_predict(lathe_status status, const char *argument, const char *other, int64_t expected, int64_t actual) {
  return (lathe_error){.status = status,
                       .line = 12,
                       .column = 3,
                       .file = "digits.mlir",
                       .function = "predict",
                       .op = "func.func",
                       .argument = argument,
                       .other = other,
                       .expected = expected,
                       .actual = actual};
}

static void test_error_texts(void) {
  check_text(in_predict(LATHE_ERROR_NULL_ARGUMENT, "image", NULL, 0, 0),
             "digits.mlir:12:3: error: predict: argument 'image' is NULL: expected a pointer");
  check_text(in_predict(LATHE_ERROR_MISALIGNED, "image", NULL, 4, 2),
             "digits.mlir:12:3: error: predict: argument 'image' is misaligned: expected a multiple of 4 bytes, "
             "but the address is off by 2");
  check_text(in_predict(LATHE_ERROR_DIMENSION, "N", NULL, 1, -1),
             "digits.mlir:12:3: error: predict: dimension 'N' is out of bounds: expected at least 1, got -1");
  check_text(in_predict(LATHE_ERROR_DIMENSION, "N", NULL, 64, 65),
             "digits.mlir:12:3: error: predict: dimension 'N' is out of bounds: expected at most 64, got 65");
  check_text(in_predict(LATHE_ERROR_DIMENSION, "N", "multiple_of", 8, 12),
             "digits.mlir:12:3: error: predict: dimension 'N' is out of bounds: expected a multiple of 8, got 12");
  check_text(in_predict(LATHE_ERROR_DIMENSION, "N", "at least", 3, 2),
             "digits.mlir:12:3: error: predict: dimension 'N' is 2; func.func allows at least 3");
  check_text(in_predict(LATHE_ERROR_DIMENSION, "H", "2 * floor_div(H, 2) == H", 7, 6),
             "digits.mlir:12:3: error: predict: func.func needs 2 * floor_div(H, 2) == H; the sizes are 6 and 7");
  check_text(in_predict(LATHE_ERROR_DIMENSION, "H", "H >= W + 2", 9, 8),
             "digits.mlir:12:3: error: predict: func.func needs H >= W + 2; the sizes are 8 and 9");
  check_text(in_predict(LATHE_ERROR_DIMENSION, "image", "bytes", INT64_MAX, -1),
             "digits.mlir:12:3: error: predict: argument 'image' is too large: with these dimensions it exceeds "
             "9223372036854775807 bytes");
  check_text(in_predict(LATHE_ERROR_WORKSPACE_TOO_SMALL, "workspace_size", NULL, 1024, 512),
             "digits.mlir:12:3: error: predict: workspace_size is too small: expected at least 1024 bytes, got 512");
  check_text(in_predict(LATHE_ERROR_OVERLAP, "logits", "image", 0, 0),
             "digits.mlir:12:3: error: predict: argument 'logits' overlaps 'image': expected separate buffers");
  check_text(in_predict(LATHE_ERROR_CPU_TOO_OLD, NULL, NULL, 4, 3),
             "digits.mlir:12:3: error: predict: this code needs a CPU of level x86-64-v4, but this CPU has level x86-64-v3");
  check_text(
      in_predict(LATHE_ERROR_CPU_TOO_OLD, NULL, NULL, 6, 5),
      "digits.mlir:12:3: error: predict: this code needs a CPU of level x86-64-v4-bf16, but this CPU has level x86-64-v4-vnni");
  check_text(in_predict(LATHE_ERROR_ABI, NULL, NULL, 1, 2),
             "digits.mlir:12:3: error: predict: the runtime and the object do not match: expected ABI version 1, got 2");
  check_text((lathe_error){.status = LATHE_ERROR_OUT_OF_MEMORY, .expected = 64},
             "error: out of memory: 64 bytes cannot be allocated");
  check_text((lathe_error){.status = LATHE_ERROR_IO, .file = "a.npy", .op = "open the file", .actual = 2},
             "a.npy: error: cannot open the file: No such file or directory");
  check_text((lathe_error){.status = LATHE_ERROR_FORMAT,
                           .file = "g.mlir",
                           .line = 7,
                           .argument = "shape",
                           .other = "it is odd",
                           .expected = 2,
                           .actual = 3},
             "g.mlir:7: error: shape: it is odd: expected 2, got 3");
  check_text((lathe_error){.status = LATHE_ERROR_NO_DEVICE},
             "error: there is no device; call entries without a device to run on the CPU");
  check_text((lathe_error){.status = LATHE_ERROR_DEVICE},
             "error: the device's driver reports ? (0); set LATHE_CUDA_SYNC=1 in the "
             "environment to find the op");
  check_text((lathe_error){.status = LATHE_ERROR_NULL_ARGUMENT}, "error: argument '?' is NULL: expected a pointer");
}

static void test_cut_text(void) {
  const lathe_error error = in_predict(LATHE_ERROR_NULL_ARGUMENT, "image", NULL, 0, 0);
  char whole[256], cut[256];
  const int length = lathe_error_format(&error, whole, sizeof whole);
  CHECK_EQUAL(lathe_error_format(&error, NULL, 0), length);
  for (size_t size = 1; size <= (size_t)length + 1; ++size) {
    memset(cut, 'x', sizeof cut);
    CHECK_EQUAL(lathe_error_format(&error, cut, size), length);
    CHECK(strlen(cut) == size - 1 && memcmp(cut, whole, size - 1) == 0);
    CHECK_EQUAL(cut[size], 'x');
  }
  CHECK_MESSAGE(NULL, "error");
  CHECK(strcmp(lathe_status_name(LATHE_ERROR_OVERLAP), "LATHE_ERROR_OVERLAP") == 0);
  CHECK(strcmp(lathe_status_name(LATHE_ERROR_NO_DEVICE), "LATHE_ERROR_NO_DEVICE") == 0);
  CHECK(strcmp(lathe_status_name(LATHE_ERROR_DEVICE), "LATHE_ERROR_DEVICE") == 0);
  CHECK(lathe_status_name((lathe_status)99) != NULL);
}

int main(void) {
  test_levels();
  test_contexts();
  test_memory();
  test_error_texts();
  test_cut_text();
  return check_result();
}
