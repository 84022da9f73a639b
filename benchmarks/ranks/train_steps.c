/* Runs and times the training steps of one rank: Lathe's side of benchmarks/ranks/train.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * usage: mpirun -n RANKS steps INPUTS COMMANDS            the ranks of an MPI job
 *        steps INPUTS COMMANDS RANK RANKS [STATE]         one process with its share of the batch, without a communicator
 * INPUTS has a file NAME.npy for each input of the step: the batches of some steps, or a number for each. STATE receives the
 * initial state. Each rank reads commands from COMMANDS.RANK; rank 0 answers with lines of JSON: first with the losses of the
 * first steps and the size of the state, to "step N" with the nanoseconds of N steps, to "detail N" with the mean milliseconds
 * of a step's kernels, by op, and of its collectives, to "exchanges N" with the milliseconds of only a step's collectives, one
 * after the other, N times after a barrier each. Compile with INFO, the name of the object's function PREFIX_info, and TRAIN,
 * the name of the step.
 */
#include "lathe/mpi.h"
#include "lathe/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
const lathe_module_info *INFO(void);

enum { INPUTS = 4, MOST = 4000, OPS = 64, EXCHANGES = 1024 };
static const double TIMEOUT = 300;
static lathe_error error;

static void check(lathe_status status) {
  if (status == LATHE_OK)
    return;
  lathe_error_print(&error);
  exit(1);
}

static void require(int condition, const char *message) {
  if (condition)
    return;
  fprintf(stderr, "error: %s\n", message);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ---- What takes the time of a step ---- */

/* A communicator that passes calls on to another one, adds up their time, and keeps the first of them. */
static struct {
  lathe_comm own;
  lathe_comm *other;
  double begin, start, wait;
  int64_t calls, bytes;
  struct {
    const lathe_collective_info *info;
    int64_t count;
  } seen[EXCHANGES];
} watch;

static lathe_status watched_begin(lathe_comm *comm, const lathe_ranks_info *info, const int64_t *sizes, lathe_error *record) {
  (void)comm;
  const double before = now();
  const lathe_status status = watch.other->begin(watch.other, info, sizes, record);
  watch.begin += now() - before;
  return status;
}

static lathe_status watched_start(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info,
                                  const void *input, void *output, int64_t count, lathe_error *record) {
  (void)comm;
  const double before = now();
  const lathe_status status = watch.other->start(watch.other, context, info, input, output, count, record);
  watch.start += now() - before;
  if (watch.calls < EXCHANGES)
    watch.seen[watch.calls].info = info, watch.seen[watch.calls].count = count;
  watch.calls += 1;
  watch.bytes += count * (int64_t)lathe_dtype_size(info->dtype);
  return status;
}

static lathe_status watched_wait(lathe_comm *comm, lathe_context *context, const lathe_collective_info *info,
                                 lathe_error *record) {
  (void)comm;
  const double before = now();
  const lathe_status status = watch.other->wait(watch.other, context, info, record);
  watch.wait += now() - before;
  return status;
}

/* Kernels by their hero op. */
static struct {
  const char *op;
  double time;
  int64_t calls;
} ops[OPS];
static double kernel_begin;

static void measure_kernel(lathe_context *context, const lathe_kernel_info *kernel, int32_t begin) {
  (void)context;
  if (begin) {
    kernel_begin = now();
    return;
  }
  const double taken = now() - kernel_begin;
  int i = 0;
  while (i < OPS - 1 && ops[i].op && strcmp(ops[i].op, kernel->op) != 0)
    ++i;
  ops[i].op = kernel->op;
  ops[i].time += taken;
  ops[i].calls += 1;
}

/* ---- A rank ---- */

typedef struct rank {
  const lathe_module_info *module;
  const lathe_function_info *train;
  lathe_context *context;
  int64_t index, ranks, batch, steps, done; /* batch: of all ranks; steps: that the inputs have; done: so far */
  lathe_array inputs[INPUTS];
  char *args;
  void *state, *workspace;
  uint64_t workspace_size;
  float loss;
} rank;

static const lathe_function_info *find(const lathe_module_info *module, const char *name) {
  for (uint32_t i = 0; i < module->function_count; ++i)
    if (strcmp(module->functions[i].name, name) == 0)
      return &module->functions[i];
  fprintf(stderr, "error: the object has no entry '%s'\n", name);
  exit(1);
}

static void *allocate(uint64_t size) {
  void *memory = lathe_alloc(size ? size : 64);
  require(memory != NULL, "out of memory");
  return memory;
}

#define PUT(args, offset, type, value) (*(type *)(void *)((args) + (offset)) = (value))

static char *arguments_of(rank *self, const lathe_function_info *function) {
  char *args = allocate(function->args_size);
  PUT(args, function->state_offset, void *, self->state);
  PUT(args, function->workspace_offset, void *, self->workspace);
  PUT(args, function->workspace_size_offset, size_t, self->workspace_size);
  PUT(args, function->context_offset, lathe_context *, self->context);
  PUT(args, function->error_offset, lathe_error *, &error);
  return args;
}

static void read_inputs(rank *self, const char *folder) {
  for (uint32_t i = 0; i < self->train->argument_count; ++i) {
    const lathe_argument_info *argument = &self->train->arguments[i];
    if (argument->is_output)
      continue;
    require(i < INPUTS, "the step has too many inputs");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.npy", folder, argument->name);
    lathe_array *array = &self->inputs[i];
    check(lathe_npy_read(path, array, &error));
    require(array->dtype == argument->dtype && array->rank == (argument->rank ? argument->rank + 1 : 1),
            "an input's file has another type");
    self->steps = array->extents[0];
    if (argument->rank)
      self->batch = array->extents[1];
  }
  require(self->batch % self->ranks == 0, "the number of ranks must divide the batch");
}

/* Sets the dimensions in the args struct: the number of ranks is called data, and the other one is the batch of a rank. */
static uint64_t set_dimensions(const rank *self, const lathe_function_info *function, char *args) {
  int64_t sizes[8] = {0};
  require(function->dimension_count <= 8, "the step has too many dimensions");
  for (uint32_t i = 0; i < function->dimension_count; ++i) {
    const lathe_dimension_info *dimension = &function->dimensions[i];
    sizes[i] = strcmp(dimension->name, "data") == 0 ? self->ranks : self->batch / self->ranks;
    if (args)
      PUT(args, dimension->offset, int64_t, sizes[i]);
  }
  return function->workspace_size(sizes);
}

static void prepare(rank *self) {
  const lathe_function_info *init = find(self->module, "init");
  const uint64_t train_size = set_dimensions(self, self->train, NULL), init_size = set_dimensions(self, init, NULL);
  self->workspace_size = train_size > init_size ? train_size : init_size;
  self->workspace = allocate(self->workspace_size);
  self->state = allocate(self->module->state_size);
  static int64_t seed = 7;
  char *args = arguments_of(self, init);
  set_dimensions(self, init, args);
  require(init->argument_count == 1, "@init has one argument, the seed");
  PUT(args, init->arguments[0].offset, const void *, &seed);
  check(init->call(args));
  self->args = arguments_of(self, self->train);
  set_dimensions(self, self->train, self->args);
}

static void step(rank *self) {
  for (uint32_t i = 0; i < self->train->argument_count; ++i) {
    const lathe_argument_info *argument = &self->train->arguments[i];
    if (argument->is_output) {
      require(argument->rank == 0 && argument->dtype == LATHE_F32, "the step's result must be its loss");
      PUT(self->args, argument->offset, void *, &self->loss);
      continue;
    }
    const lathe_array *array = &self->inputs[i];
    const uint64_t bytes = array->size / (uint64_t)self->steps; /* of a step of all ranks */
    const uint64_t skipped = argument->rank ? bytes / (uint64_t)self->ranks * (uint64_t)self->index : 0;
    const char *data = (const char *)array->data + (uint64_t)(self->done % self->steps) * bytes + skipped;
    PUT(self->args, argument->offset, const void *, data);
  }
  check(self->train->call(self->args));
  ++self->done;
}

/* ---- Commands ---- */

static void answer_first(rank *self) {
  if (self->index == 0)
    printf("{\"state_bytes\": %llu, \"losses\": [", (unsigned long long)self->module->state_size);
  for (int64_t i = 0; i < self->steps; ++i) {
    step(self);
    if (self->index == 0)
      printf("%s%.9g", i ? ", " : "", (double)self->loss);
  }
  if (self->index == 0)
    printf("]}\n");
  fflush(stdout);
}

static void answer_times(rank *self, int64_t count) {
  static double times[MOST];
  double least = 1e300;
  for (int64_t i = 0; i < count; ++i) {
    const double begin = now();
    step(self);
    times[i] = now() - begin;
    least = times[i] < least ? times[i] : least;
  }
  if (self->index)
    return;
  printf("{\"runs\": %lld, \"minimum\": %.0f, \"times\": [", (long long)count, least);
  for (int64_t i = 0; i < count; ++i)
    printf("%s%.0f", i ? ", " : "", times[i]);
  printf("]}\n");
  fflush(stdout);
}

/* Puts the communicator of a context behind the one that watches it. Returns it, for `context->comm` afterwards. */
static lathe_comm *watch_context(lathe_context *context) {
  watch.begin = watch.start = watch.wait = 0, watch.calls = watch.bytes = 0;
  lathe_comm *comm = context->comm;
  if (comm) {
    watch.own = *comm, watch.other = comm;
    watch.own.begin = watched_begin, watch.own.start = watched_start, watch.own.wait = watched_wait;
    context->comm = &watch.own;
  }
  return comm;
}

static void answer_detail(rank *self, int64_t count) {
  memset(ops, 0, sizeof ops);
  lathe_comm *comm = watch_context(self->context);
  const double begin = now();
  for (int64_t i = 0; i < count; ++i)
    step(self);
  const double all = now() - begin, unit = 1e-6 / (double)count;
  self->context->profile = measure_kernel;
  for (int64_t i = 0; i < count; ++i)
    step(self);
  self->context->profile = NULL;
  self->context->comm = comm;
  if (self->index)
    return;
  printf("{\"step_ms\": %.4f, ", all * unit);
  /* The communicator has seen both passes. */
  printf("\"begin_ms\": %.4f, \"start_ms\": %.4f, \"wait_ms\": %.4f, \"collectives\": %lld, \"bytes\": %lld, \"ops\": {",
         watch.begin * unit / 2, watch.start * unit / 2, watch.wait * unit / 2, (long long)(watch.calls / 2 / count),
         (long long)(watch.bytes / 2 / count));
  for (int i = 0; i < OPS && ops[i].op; ++i)
    printf("%s\"%s\": [%lld, %.4f]", i ? ", " : "", ops[i].op, (long long)(ops[i].calls / count), ops[i].time * unit);
  printf("}}\n");
  fflush(stdout);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Runs the collectives of a step without its kernels, on values of zeros. */
static double run_exchanges(rank *self, int64_t calls, const void *input, void *output) {
  lathe_comm *comm = self->context->comm;
  int64_t all[64];
  require(comm->size <= 64, "there are too many ranks");
  check(comm->gather(comm, 0, all, &error));
  const double begin = now();
  for (int64_t i = 0; i < calls; ++i) {
    check(comm->start(comm, self->context, watch.seen[i].info, input, output, watch.seen[i].count, &error));
    check(comm->wait(comm, self->context, watch.seen[i].info, &error));
  }
  return now() - begin;
}

static void answer_exchanges(rank *self, int64_t count) {
  static double times[MOST];
  require(self->context->comm != NULL, "the collectives of a step need ranks");
  lathe_comm *comm = watch_context(self->context);
  step(self);
  self->context->comm = comm;
  require(watch.calls <= EXCHANGES, "the step has too many collectives");
  uint64_t largest = 0;
  for (int64_t i = 0; i < watch.calls; ++i) {
    const uint64_t bytes = (uint64_t)watch.seen[i].count * lathe_dtype_size(watch.seen[i].info->dtype) * (uint64_t)comm->size;
    largest = bytes > largest ? bytes : largest;
  }
  void *input = allocate(largest), *output = allocate(largest);
  memset(input, 0, largest), memset(output, 0, largest);
  for (int64_t i = 0; i < count; ++i)
    times[i] = run_exchanges(self, watch.calls, input, output);
  lathe_free(input), lathe_free(output);
  if (self->index)
    return;
  qsort(times, (size_t)count, sizeof *times, by_value);
  printf("{\"collectives\": %lld, \"least_ms\": %.4f, \"median_ms\": %.4f}\n", (long long)watch.calls, times[0] * 1e-6,
         times[count / 2] * 1e-6);
  fflush(stdout);
}

static void serve(rank *self, const char *commands) {
  char path[4096], what[16];
  long long count;
  snprintf(path, sizeof path, "%s.%lld", commands, (long long)self->index);
  FILE *file = fopen(path, "r");
  require(file != NULL, "the file with the commands cannot be opened");
  while (fscanf(file, "%15s %lld", what, &count) == 2 && count >= 1 && count <= MOST) {
    if (strcmp(what, "step") == 0)
      answer_times(self, count);
    else if (strcmp(what, "detail") == 0)
      answer_detail(self, count);
    else if (strcmp(what, "exchanges") == 0)
      answer_exchanges(self, count);
    else
      break;
  }
  fclose(file);
}

int main(int count, char **words) {
  if (count != 3 && count != 5 && count != 6) {
    fprintf(stderr, "usage: steps INPUTS COMMANDS [RANK RANKS [STATE]]\n");
    return 2;
  }
  static rank self;
  self.module = INFO();
  self.train = find(self.module, TEXT(TRAIN));
  self.context = lathe_context_create(1);
  require(self.context != NULL, "no threads");
  if (count == 3) {
    const lathe_axis axes[] = {{"data", 0, 0}};
    check(lathe_comm_create_mpi(NULL, axes, 1, TIMEOUT, &self.context->comm, &error));
    self.index = self.context->comm->rank, self.ranks = self.context->comm->size;
  } else {
    self.index = atoll(words[3]), self.ranks = atoll(words[4]);
  }
  require(self.ranks > 0 && self.index >= 0 && self.index < self.ranks, "there is no such rank");
  read_inputs(&self, words[1]);
  prepare(&self);
  if (count == 6)
    check(lathe_state_save(words[5], self.module, self.state, &error));
  answer_first(&self);
  serve(&self, words[2]);
  lathe_comm_destroy(self.context->comm);
  lathe_context_destroy(self.context);
  return 0;
}
