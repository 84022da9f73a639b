/* State regions as safetensors files.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "check.h"
#include "module.h"

static const char path[] = "safetensors-test.safetensors";

/* Loading must fail, say so, and leave the state alone. `data` bytes follow the header. */
static void expect_refusal(const lathe_module_info *module, const char *header, size_t data, const char *message) {
  unsigned char bytes[1024] = {0}, state[STATE_SIZE], before[STATE_SIZE];
  const uint64_t length = strlen(header);
  memcpy(bytes, &length, 8);
  memcpy(bytes + 8, header, length);
  write_file(path, bytes, 8 + length + data);
  memset(before, 0xA5, sizeof before);
  memcpy(state, before, sizeof state);
  lathe_error error = {0};
  CHECK_EQUAL(lathe_state_load(path, module, state, &error), LATHE_ERROR_FORMAT);
  CHECK_MESSAGE(&error, message);
  CHECK_MESSAGE(&error, path);
  CHECK(memcmp(state, before, sizeof state) == 0);
}

static void fill(unsigned char *state) {
  for (int i = 0; i < STATE_SIZE; ++i)
    state[i] = (unsigned char)(i * 7 + 1);
  memcpy(state + 64, "\1\0\1\1\0", 5);
}

static void test_round_trip(void) {
  unsigned char state[STATE_SIZE], back[STATE_SIZE];
  lathe_error error = {0};
  fill(state);
  CHECK_EQUAL(lathe_state_save(path, &test_module, state, &error), LATHE_OK);
  memset(back, 0xA5, sizeof back);
  CHECK_EQUAL(lathe_state_load(path, &test_module, back, &error), LATHE_OK);
  for (uint32_t i = 0; i < test_module.state_count; ++i)
    CHECK(memcmp(state + test_state[i].offset, back + test_state[i].offset, test_state[i].size) == 0);
  CHECK_EQUAL(back[24], 0xA5); /* between variables */
  size_t size;
  unsigned char *bytes = read_file(path, &size);
  uint64_t header;
  memcpy(&header, bytes, 8);
  CHECK_EQUAL(header % 8, 0);
  CHECK_EQUAL(size, 8 + header + 24 + 5 + 8 + 10);
  const char begin[] = "{\"conv1.w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},\"mask\"";
  CHECK(memcmp(bytes + 8, begin, sizeof begin - 1) == 0);
  free(bytes);
}

/* One i1 variable and one f32: what follows varies their file. */
static const int64_t two[] = {2}, three[] = {3};
static const lathe_state_info small_state[] = {{"a", "f32[2]", LATHE_F32, 1, two, 0, 8, 1, NULL},
                                               {"b", "i1[3]", LATHE_I1, 1, three, 64, 3, 2, NULL}};
static const lathe_module_info small = {.magic = LATHE_INFO_MAGIC,
                                        .abi_version = LATHE_ABI_VERSION,
                                        .state_count = 2,
                                        .state_size = STATE_SIZE,
                                        .state = small_state};

#define A "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"
#define B "\"b\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[8,11]}"

static void test_foreign_order(void) {
  static const char header[] = " { \"__metadata__\" : {\"x\":\"\\ud83d\\ude00\"} , \"\\u0062\":{\"shape\":[ 3 ],"
                               "\"data_offsets\":[0,3],\"dtype\":\"BOOL\"},\n\"a\":{\"dtype\":\"F32\",\"shape\":[2],"
                               "\"data_offsets\":[3,11]}}   ";
  unsigned char bytes[512] = {0}, state[STATE_SIZE] = {0};
  const uint64_t length = sizeof header - 1;
  memcpy(bytes, &length, 8);
  memcpy(bytes + 8, header, length);
  memcpy(bytes + 8 + length, "\0\2\1abcdefgh", 11);
  write_file(path, bytes, 8 + length + 11);
  CHECK_EQUAL(lathe_state_load(path, &small, state, NULL), LATHE_OK);
  CHECK(memcmp(state, "abcdefgh", 8) == 0 && memcmp(state + 64, "\0\1\1", 3) == 0);
}

static void test_mismatches(void) {
  expect_refusal(&small, "{" A "}", 8, "the file has no tensor for 1 of the variables: 'b'");
  expect_refusal(&small, "{" A "," B ",\"c\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[11,11]}}", 11, "no variable");
  expect_refusal(&small, "{" A "," A "}", 16, "a: the file has two tensors");
  expect_refusal(&small, "{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,8]}," B "}", 11,
                 "a: the tensor's type is not F32");
  expect_refusal(&small, "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}," B "}", 11, "expected 2, got 3");
  expect_refusal(&small, "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]}," B "}", 11, "too many dimensions");
  expect_refusal(&small, "{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}," B "}", 11, "too few dimensions");
  expect_refusal(&small, "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}," B "}", 11,
                 "data_offsets do not fit");
  expect_refusal(&small, "{" A ",\"b\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[5,8]}}", 11, "hole or overlap");
  expect_refusal(&small, "{" A ",\"b\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[9,12]}}", 12, "hole or overlap");
  expect_refusal(&small, "{" A "," B "}", 12, "extra bytes after the data");
  expect_refusal(&small, "{" A "," B "}", 10, "truncated");
}

typedef struct told {
  char text[128];
} told;

static void tell(void *user, lathe_state_difference what, const char *name) {
  told *all = user;
  const size_t length = strlen(all->text);
  snprintf(all->text + length, sizeof all->text - length, "%c%s ", what == LATHE_STATE_MISSING ? '-' : '+', name);
}

/* Of a trainer's file and a predictor's variables what both have, and of weights alone and a trainer's. */
static void test_differences(void) {
  static const char header[] = "{\"step\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
                               "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]},"
                               "\"a.mean\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[16,16]}}";
  unsigned char bytes[512] = {0}, state[STATE_SIZE], before[STATE_SIZE];
  const uint64_t length = sizeof header - 1;
  memcpy(bytes, &length, 8);
  memcpy(bytes + 8, header, length);
  memcpy(bytes + 8 + length, "01234567abcdefgh", 16);
  write_file(path, bytes, 8 + length + 16);
  memset(before, 0xA5, sizeof before);
  for (unsigned allowed = 0; allowed < 4; ++allowed) {
    lathe_error error = {0};
    told all = {""};
    memcpy(state, before, sizeof state);
    const lathe_status status = lathe_state_load_some(path, &small, state, allowed, tell, &all, &error);
    CHECK_EQUAL(status, allowed == 3 ? LATHE_OK : LATHE_ERROR_FORMAT);
    CHECK(strcmp(all.text, "+step +a.mean -b ") == 0);
    if (!(allowed & LATHE_STATE_MISSING))
      CHECK_MESSAGE(&error, "the file has no tensor for 1 of the variables: 'b'");
    if (!(allowed & LATHE_STATE_LEFT_OVER))
      CHECK_MESSAGE(&error, "the file has 2 tensors that match no variable: 'step', 'a.mean'");
    if (status == LATHE_OK)
      CHECK(memcmp(state, "abcdefgh", 8) == 0 && memcmp(state + 8, before + 8, sizeof state - 8) == 0);
    else
      CHECK(memcmp(state, before, sizeof state) == 0);
  }
  CHECK_EQUAL(lathe_state_load_some(path, &small, state, 3, NULL, NULL, NULL), LATHE_OK);
}

static void test_bad_json(void) {
  static const char *const headers[] = {"",
                                        "{",
                                        "[]",
                                        "{" A "," B,
                                        "{" A "," B "},",
                                        "{" A "," B ",}",
                                        "{" A " " B "}",
                                        "{\"a\":1}",
                                        "{\"a\":{}}",
                                        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8],\"x\":1}," B "}",
                                        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"shape\":[2]}," B "}",
                                        "{\"a\":{\"dtype\":\"F32\",\"shape\":[02],\"data_offsets\":[0,8]}," B "}",
                                        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]}," B "}",
                                        "{\"a\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,8]}," B
                                        "}",
                                        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}," B "}",
                                        "{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}," B "}",
                                        "{\"\\u12",
                                        "{\"\\x\":{}}",
                                        "{\"\\ud83d\":{}}",
                                        "{\"\\udc00\":{}}",
                                        "{\"\\u12g4\":{}}",
                                        "{\"\\",
                                        "{\"a\nb\":{}}",
                                        "{\"__metadata__\":{\"a\":1}," A "," B "}"};
  for (size_t i = 0; i < sizeof headers / sizeof headers[0]; ++i)
    expect_refusal(&small, headers[i], 11, "header: it is not the JSON");
}

static void test_wrong_modules(void) {
  unsigned char state[STATE_SIZE] = {0};
  lathe_error error;
  lathe_module_info module = small;
  module.abi_version = LATHE_ABI_VERSION + 1;
  CHECK_EQUAL(lathe_state_save(path, &module, state, &error), LATHE_ERROR_ABI);
  CHECK_EQUAL(lathe_state_load(path, &module, state, &error), LATHE_ERROR_ABI);
  lathe_state_info variable = {"__metadata__", "f32[2]", LATHE_F32, 1, two, 0, 8, 1, NULL};
  module = small;
  module.state = &variable;
  module.state_count = 1;
  CHECK_EQUAL(lathe_state_save(path, &module, state, &error), LATHE_ERROR_FORMAT);
  variable.name = "a";
  variable.size = 12;
  CHECK_EQUAL(lathe_state_save(path, &module, state, &error), LATHE_ERROR_FORMAT);
  CHECK_EQUAL(lathe_state_save("no-such-folder/a", &small, state, &error), LATHE_ERROR_IO);
  CHECK_EQUAL(lathe_state_load("no-such-file", &small, state, &error), LATHE_ERROR_IO);
  module.state_count = 0;
  CHECK_EQUAL(lathe_state_save(path, &module, state, &error), LATHE_OK);
  CHECK_EQUAL(lathe_state_load(path, &module, state, &error), LATHE_OK);
}

int main(void) {
  test_round_trip();
  test_foreign_order();
  test_mismatches();
  test_differences();
  test_bad_json();
  test_wrong_modules();
  remove(path);
  return check_result();
}
