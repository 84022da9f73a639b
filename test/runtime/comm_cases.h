/* What each rank of a job does to test its communicator, whatever transports the values: it makes the values of all ranks,
 * calls each collective with its own, and compares the result with a plain computation from all of them.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * With `case_device`, the values are in the memory of its device. They are queued on its stream and not there yet when the
 * collective starts, and so are zeros that an earlier kernel could write where the result will be.
 */
#ifndef LATHE_TEST_RUNTIME_COMM_CASES_H
#define LATHE_TEST_RUNTIME_COMM_CASES_H

#include "comm_values.h"

static const lathe_kernel_info case_kernel = {"k0", "lathe.all_reduce", "", NULL, "graph.mlir", 12};

/* The ranks of the group, in the order of their indices. */
static inline int members_of(const lathe_comm *comm, const char *axis, int *own, int64_t *ranks) {
  int64_t stride = 1;
  for (uint32_t i = comm->axis_count; i-- > 0; stride *= comm->axes[i].size)
    if (strcmp(comm->axes[i].name, axis) == 0) {
      *own = (int)comm->axes[i].index;
      for (int64_t k = 0; k < comm->axes[i].size; ++k)
        ranks[k] = comm->rank + (k - *own) * stride;
      return (int)comm->axes[i].size;
    }
  return 0;
}

static lathe_context *case_device; /* NULL: the host */
static int case_is_short;          /* on all ranks: fewer counts, since a simulated device is slow */

typedef struct test_case {
  lathe_collective_info info;
  int64_t count;
  uint64_t seed;
  int special, in_place;
  int own, size;
  int64_t ranks[MOST_RANKS];
  char *input, *output;
  void *source, *from, *to; /* on the device: from which `from` is copied; the buffers of the collective */
} test_case;

static inline int64_t input_count(const test_case *c) {
  return c->info.kind == LATHE_REDUCE_SCATTER || c->info.kind == LATHE_ALL_TO_ALL ? c->count * c->size : c->count;
}

static inline int64_t output_count(const test_case *c) {
  return c->info.kind == LATHE_ALL_GATHER || c->info.kind == LATHE_ALL_TO_ALL ? c->count * c->size : c->count;
}

static inline element value_of(const test_case *c, int member, int64_t i) {
  return make_element(c->info.dtype, c->seed, c->ranks[member], i, c->special);
}

/* Sentinels after the output notice a write past its end. */
enum { SENTINEL = 8 };

/* Puts a case's values on the device, after the collective's buffers have had others. */
static inline void queue_on_device(test_case *c) {
  const size_t input = (size_t)input_count(c) * lathe_dtype_size(c->info.dtype),
               output = (size_t)output_count(c) * lathe_dtype_size(c->info.dtype);
  c->source = lathe_context_alloc(case_device, input + SENTINEL);
  c->from = lathe_context_alloc(case_device, input + SENTINEL);
  c->to = c->in_place ? c->from : lathe_context_alloc(case_device, output + SENTINEL);
  CHECK_EQUAL(lathe_context_upload(case_device, c->source, c->input, input, NULL), LATHE_OK);
  CHECK_EQUAL(lathe_context_upload(case_device, c->to, c->output, output + SENTINEL, NULL), LATHE_OK);
  case_device->device->clear(case_device, c->from, input);
  case_device->device->clear(case_device, c->to, output);
  case_device->device->copy(case_device, c->from, c->source, input);
}

static inline void take_from_device(test_case *c) {
  const size_t output = (size_t)output_count(c) * lathe_dtype_size(c->info.dtype);
  CHECK_EQUAL(lathe_context_download(case_device, c->output, c->to, output + SENTINEL, NULL), LATHE_OK);
  lathe_context_free(case_device, c->source);
  lathe_context_free(case_device, c->from);
  if (!c->in_place)
    lathe_context_free(case_device, c->to);
}

static inline void case_begin(test_case *c, const lathe_comm *comm) {
  const size_t size = lathe_dtype_size(c->info.dtype);
  c->size = members_of(comm, c->info.axis, &c->own, c->ranks);
  c->input = malloc((size_t)input_count(c) * size + SENTINEL);
  c->output = c->in_place ? c->input : malloc((size_t)output_count(c) * size + SENTINEL);
  memset(c->output, 0xA5, (size_t)output_count(c) * size + SENTINEL);
  for (int64_t i = 0; i < input_count(c); ++i) {
    const element e = value_of(c, c->own, i);
    memcpy(c->input + (size_t)i * size, &e, size);
  }
  if (case_device)
    queue_on_device(c);
}

/* Element i of the result is right. */
static inline int is_right(const test_case *c, int64_t i) {
  const lathe_dtype dtype = c->info.dtype;
  const element got = read_element(dtype, c->output, i);
  element all[MOST_RANKS];
  const int64_t part = c->count ? i / c->count : 0, place = c->count ? i % c->count : 0;
  const int shifted = (int)((c->own - c->info.parameter % c->size + c->size) % c->size);
  switch (c->info.kind) {
  case LATHE_ALL_REDUCE:
  case LATHE_REDUCE_SCATTER:
    for (int m = 0; m < c->size; ++m)
      all[m] = value_of(c, m, c->info.kind == LATHE_ALL_REDUCE ? i : c->own * c->count + i);
    return is_reduction(dtype, c->info.reduction, all, c->size, got);
  case LATHE_ALL_GATHER:
    return is_equal_element(dtype, got, value_of(c, (int)part, place));
  case LATHE_ALL_TO_ALL:
    return is_equal_element(dtype, got, value_of(c, (int)part, c->own * c->count + place));
  case LATHE_BROADCAST:
    return is_equal_element(dtype, got, value_of(c, (int)c->info.parameter, i));
  case LATHE_PERMUTE:
    return is_equal_element(dtype, got, value_of(c, shifted, i));
  }
  return 0;
}

static inline void case_end(test_case *c) {
  int64_t wrong = 0, first = -1;
  if (case_device)
    take_from_device(c);
  for (int64_t i = 0; i < output_count(c); ++i)
    if (!is_right(c, i) && wrong++ == 0)
      first = i;
  const char *after = c->output + (size_t)output_count(c) * lathe_dtype_size(c->info.dtype);
  for (int i = 0; i < SENTINEL; ++i)
    wrong += after[i] != (char)0xA5;
  if (wrong > 0) {
    ++check_failures;
    fprintf(stderr, "kind %d, reduction %d, %s, axis %s of %d, count %d, index %d: %d wrong, the first at %d\n", c->info.kind,
            c->info.reduction, lathe_dtype_name(c->info.dtype), c->info.axis, c->size, (int)c->count, c->own, (int)wrong,
            (int)first);
  }
  if (!c->in_place)
    free(c->output);
  free(c->input);
}

static inline lathe_status start_as(const test_case *c, lathe_comm *comm, const lathe_collective_info *info,
                                    lathe_error *error) {
  return comm->start(comm, case_device, info, case_device ? c->from : c->input, case_device ? c->to : c->output, c->count,
                     error);
}

static inline void start_case(test_case *c, lathe_comm *comm) {
  lathe_error error = {.status = LATHE_OK};
  case_begin(c, comm);
  if (start_as(c, comm, &c->info, &error) != LATHE_OK) {
    ++check_failures;
    lathe_error_print(&error);
  }
}

static inline void wait_case(test_case *c, lathe_comm *comm) {
  lathe_error error = {.status = LATHE_OK};
  if (comm->wait(comm, case_device, &c->info, &error) != LATHE_OK) {
    ++check_failures;
    lathe_error_print(&error);
  }
  case_end(c);
}

static inline void one_case(lathe_comm *comm, lathe_collective kind, lathe_reduction reduction, lathe_dtype dtype,
                            const char *axis, int64_t parameter, int64_t count, int special, int in_place) {
  test_case c = {.info = {kind, reduction, dtype, 0, parameter, axis, "f", &case_kernel},
                 .count = count,
                 .seed = (uint64_t)kind * 31 + (uint64_t)dtype * 7 + (uint64_t)count,
                 .special = special,
                 .in_place = in_place};
  start_case(&c, comm);
  wait_case(&c, comm);
}

/* Every kind, type and count along one axis. */
static inline void every_case(lathe_comm *comm, const char *axis, int64_t size, const int64_t *counts, int count_count) {
  for (int dtype = LATHE_I1; dtype <= LATHE_F64; ++dtype)
    for (int k = 0; k < count_count; ++k) {
      const int64_t count = counts[k];
      for (int reduction = dtype == LATHE_I1 ? LATHE_MAX : LATHE_SUM; reduction <= LATHE_MIN; ++reduction) {
        const int special = reduction != LATHE_SUM;
        one_case(comm, LATHE_ALL_REDUCE, (lathe_reduction)reduction, (lathe_dtype)dtype, axis, 0, count, special, 0);
        one_case(comm, LATHE_ALL_REDUCE, (lathe_reduction)reduction, (lathe_dtype)dtype, axis, 0, count, special, 1);
        one_case(comm, LATHE_REDUCE_SCATTER, (lathe_reduction)reduction, (lathe_dtype)dtype, axis, 0, count, special, 0);
      }
      one_case(comm, LATHE_ALL_GATHER, (lathe_reduction)0, (lathe_dtype)dtype, axis, 0, count, 1, 0);
      one_case(comm, LATHE_ALL_TO_ALL, (lathe_reduction)0, (lathe_dtype)dtype, axis, 0, count, 1, 0);
      for (int64_t root = 0; root < size; ++root) {
        one_case(comm, LATHE_BROADCAST, (lathe_reduction)0, (lathe_dtype)dtype, axis, root, count, 1, 0);
        one_case(comm, LATHE_BROADCAST, (lathe_reduction)0, (lathe_dtype)dtype, axis, root, count, 1, 1);
      }
      for (int64_t shift = -1; shift <= size + 1; ++shift)
        one_case(comm, LATHE_PERMUTE, (lathe_reduction)0, (lathe_dtype)dtype, axis, shift, count, 1, 0);
    }
}

/* Many collectives at once, over all axes in turn, waited for from the last to the first, and two of one op. */
enum { MANY = 150 };
static inline void many_at_once(lathe_comm *comm) {
  static const lathe_collective kinds[] = {LATHE_ALL_REDUCE, LATHE_PERMUTE, LATHE_ALL_GATHER, LATHE_REDUCE_SCATTER};
  test_case *cases = calloc(MANY, sizeof *cases);
  for (int i = 0; i < MANY; ++i) {
    const lathe_collective kind = kinds[i % 4];
    const int reduces = kind == LATHE_ALL_REDUCE || kind == LATHE_REDUCE_SCATTER;
    cases[i] = (test_case){.info = {kind, reduces ? LATHE_SUM : (lathe_reduction)0, LATHE_F32, 0, kind == LATHE_PERMUTE,
                                    comm->axes[(uint32_t)i % comm->axis_count].name, "f", &case_kernel},
                           .count = i * 13 % 700,
                           .seed = (uint64_t)i};
    start_case(&cases[i], comm);
  }
  for (int i = MANY; i-- > 0;)
    wait_case(&cases[i], comm);
  lathe_error error;
  test_case first = {.info = cases[0].info, .count = 9, .seed = 1}, second = {.count = 11, .seed = 2};
  second.info = first.info;
  case_begin(&first, comm);
  case_begin(&second, comm);
  CHECK_EQUAL(start_as(&first, comm, &first.info, &error), LATHE_OK);
  CHECK_EQUAL(start_as(&second, comm, &first.info, &error), LATHE_OK);
  CHECK_EQUAL(comm->wait(comm, case_device, &first.info, &error), LATHE_OK);
  case_end(&first);
  CHECK_EQUAL(comm->wait(comm, case_device, &first.info, &error), LATHE_OK);
  case_end(&second);
  free(cases);
}

static inline void test_gather(lathe_comm *comm) {
  int64_t all[MOST_RANKS] = {0};
  lathe_error error;
  for (int round = 0; round < 20; ++round) {
    CHECK_EQUAL(comm->gather(comm, comm->rank * 100 + round, all, &error), LATHE_OK);
    for (int64_t r = 0; r < comm->size; ++r)
      CHECK_EQUAL(all[r], r * 100 + round);
  }
}

/* The ranks run the same entry; then one has another size, function or object. All of them learn it, and can go on. */
static inline void test_begin(lathe_comm *comm) {
  static const char *const names[] = {"N", "T"};
  const int64_t last = comm->size - 1;
  const int is_other = comm->rank == last;
  const int64_t same[] = {32, 7}, other[] = {32, 8};
  lathe_ranks_info info = {0x1234, "train_step", "graph.mlir", 2, 0, names}, changed = info;
  lathe_error error = {.status = LATHE_OK};
  CHECK_EQUAL(comm->begin(comm, &info, same, &error), LATHE_OK);
  if (comm->size == 1)
    return;
  CHECK_EQUAL(comm->begin(comm, &info, is_other ? other : same, &error), LATHE_ERROR_COMM);
  CHECK_EQUAL(error.actual, last);
  CHECK_MESSAGE(&error, "train_step: dimension 'T' must be equal on all ranks: it is 7 on rank 0 and 8 on rank ");
  changed.function = "predict";
  CHECK_EQUAL(comm->begin(comm, is_other ? &changed : &info, same, &error), LATHE_ERROR_COMM);
  CHECK_EQUAL(error.actual, last);
  CHECK_MESSAGE(&error, "makes another call here");
  changed = info;
  changed.fingerprint = 7;
  CHECK_EQUAL(comm->begin(comm, is_other ? &changed : &info, same, &error), LATHE_ERROR_COMM);
  CHECK_EQUAL(error.actual, last);
  CHECK_MESSAGE(&error, "runs an object of another compilation");
  changed = info;
  changed.dimension_count = 1;
  CHECK_EQUAL(comm->begin(comm, is_other ? &changed : &info, same, &error), LATHE_ERROR_COMM);
  CHECK_EQUAL(comm->begin(comm, &info, same, &error), LATHE_OK);
}

/* Mistakes of a caller's, after which the communicator still works. */
static inline void test_mistakes(lathe_comm *comm) {
  const char *axis = comm->axes[0].name;
  lathe_collective_info info = {LATHE_ALL_REDUCE, LATHE_SUM, LATHE_F32, 0, 0, "depth", "f", &case_kernel};
  float x[MOST_RANKS] = {1}, y[MOST_RANKS];
  lathe_error error = {.status = LATHE_OK};
  CHECK_EQUAL(comm->start(comm, NULL, &info, x, y, 1, &error), LATHE_ERROR_COMM);
  CHECK_MESSAGE(&error, "graph.mlir:12: error: f: lathe.all_reduce: the communicator has no axis 'depth'");
  info.axis = axis;
  CHECK_EQUAL(comm->start(comm, NULL, &info, x, NULL, 1, &error), LATHE_ERROR_NULL_ARGUMENT);
  CHECK_EQUAL(comm->start(comm, NULL, &info, x, y, -1, &error), LATHE_ERROR_DIMENSION);
  CHECK_EQUAL(comm->start(comm, NULL, &info, x, y, INT64_MAX / 2, &error), LATHE_ERROR_DIMENSION);
  CHECK_EQUAL(comm->wait(comm, NULL, &info, &error), LATHE_ERROR_FORMAT);
  info.dtype = LATHE_I1;
  CHECK_EQUAL(comm->start(comm, NULL, &info, x, y, 1, &error), LATHE_ERROR_FORMAT);
  info = (lathe_collective_info){LATHE_BROADCAST, (lathe_reduction)0, LATHE_F32, 0, comm->axes[0].size, axis, "f", NULL};
  CHECK_EQUAL(comm->start(comm, NULL, &info, x, y, 1, &error), LATHE_ERROR_DIMENSION);
  info.kind = (lathe_collective)7;
  CHECK_EQUAL(comm->start(comm, NULL, &info, x, y, 1, &error), LATHE_ERROR_FORMAT);
}

/* All of it, as one rank. */
static inline void test_rank(lathe_comm *comm) {
  const int64_t counts[] = {1203, 5, 0, 64, 1};
  const int count_count = case_is_short ? 3 : 5;
  CHECK_EQUAL(comm->abi_version, LATHE_ABI_VERSION);
  test_gather(comm);
  test_begin(comm);
  test_mistakes(comm);
  for (uint32_t i = 0; i < comm->axis_count; ++i)
    every_case(comm, comm->axes[i].name, comm->axes[i].size, counts, count_count);
  many_at_once(comm);
  test_gather(comm);
}

#endif /* LATHE_TEST_RUNTIME_COMM_CASES_H */
