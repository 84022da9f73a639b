/* Contexts on CUDA devices, with a driver that runs nothing before somebody waits.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _POSIX_C_SOURCE 200809L
#include "cuda_entry.h"

#include <unistd.h>

static void twice(void *closure, int64_t slot, int64_t begin, int64_t end) {
  CHECK_EQUAL(slot, 0);
  for (float *at = (float *)closure + begin; at < (float *)closure + end; ++at)
    *at *= 2;
}

static void test_context(void) {
  CHECK_EQUAL(lathe_cuda_device_count(NULL), 2);
  lathe_context *context = make(1);
  CHECK_EQUAL(context->abi_version, LATHE_ABI_VERSION);
  CHECK_EQUAL(context->cpu_level, lathe_cpu_level());
  CHECK_EQUAL(lathe_context_threads(context), 1);
  CHECK(context->device && context->print == lathe_print && !context->profile && context->device_arguments == 0);
  float values[3] = {1, 2, 3};
  context->parallel_for(context, twice, values, 3, 1, 1);
  CHECK(values[2] == 6);
  destroy(context);

  lathe_error error = {0};
  CHECK(!lathe_context_create_cuda(2, &error));
  CHECK_EQUAL(error.status, LATHE_ERROR_NO_DEVICE);
  CHECK_MESSAGE(&error, "lathe_context_create_cuda: no CUDA device has this number: device 2 of 2; call entries "
                        "without a device to run on the CPU");
  CHECK(!lathe_context_create_cuda_on_stream(-1, NULL, &error));
  CHECK_MESSAGE(&error, "device -1 of 2");
  CHECK(!lathe_context_create_cuda(7, NULL));
}

static void test_memory(void) {
  lathe_context *context = make(0);
  lathe_error error = {0};
  const float from[ELEMENTS] = {1, 2, 3, 4};
  float to[ELEMENTS] = {0};
  float *memory = lathe_context_alloc(context, BYTES);
  CHECK(memory && memory[0] == 0 && memory[3] == 0); /* the fake's memory is the host's */
  CHECK_EQUAL(lathe_context_upload(context, memory, from, BYTES, &error), LATHE_OK);
  CHECK_EQUAL(memory[3], 4);
  CHECK_EQUAL(lathe_context_download(context, to, memory, BYTES, &error), LATHE_OK);
  CHECK_EQUAL(to[2], 3);
  CHECK_EQUAL(lathe_context_upload(context, memory, NULL, 0, &error), LATHE_OK);
  CHECK_EQUAL(lathe_context_download(context, NULL, memory, 0, &error), LATHE_OK);
  lathe_context_free(context, memory);
  void *none = lathe_context_alloc(context, 0);
  CHECK(none != NULL);
  lathe_context_free(context, none);
  lathe_context_free(context, NULL);
  destroy(context);
}

/* A call costs two launches until its graph is there. Another place, another key; others push it out, the last of them stay. */
static void test_graphs(void) {
  enum { KEPT = 32, OTHERS = KEPT + 1 }; /* CUDA_GRAPHS */
  lathe_context *context = make(0);
  void *workspace = lathe_context_alloc(context, WORKSPACE), *others[OTHERS];
  const int launches = fake_count("cuLaunchKernel"), graphs = fake_count("cuGraphLaunch"),
            loads = fake_count("cuModuleLoadDataEx");
  for (int call = 0; call < 5; ++call) {
    check_entry(context, workspace, (float)call);
    CHECK_EQUAL(fake_count("cuLaunchKernel") - launches, call == 0 ? 2 : 4); /* the second are recorded ones */
    CHECK_EQUAL(fake_count("cuGraphLaunch") - graphs, call);
  }
  CHECK_EQUAL(fake_count("cuModuleLoadDataEx") - loads, 1);

  const int recorded = fake_count("cuGraphInstantiateWithFlags"), freed = fake_count("cuGraphExecDestroy");
  for (int i = 0; i < OTHERS; ++i) {
    others[i] = lathe_context_alloc(context, WORKSPACE);
    for (int call = 0; call < 3; ++call)
      check_entry(context, others[i], 5);
  }
  CHECK_EQUAL(fake_count("cuGraphInstantiateWithFlags") - recorded, OTHERS);
  CHECK_EQUAL(fake_count("cuGraphExecDestroy") - freed, 2);
  for (int i = 1; i < OTHERS; ++i)
    check_entry(context, others[i], 6);
  CHECK_EQUAL(fake_count("cuGraphInstantiateWithFlags") - recorded, OTHERS);
  check_entry(context, others[0], 7);
  check_entry(context, others[0], 7);
  CHECK_EQUAL(fake_count("cuGraphInstantiateWithFlags") - recorded, OTHERS + 1);
  for (int i = 0; i < OTHERS; ++i)
    lathe_context_free(context, others[i]);
  lathe_context_free(context, workspace);
  destroy(context);
}

/* Data and result on the device, in the places where the host's were: nothing is copied, and no graph is mixed up. */
static void test_device_arguments(void) {
  lathe_context *context = make(0);
  float *workspace = lathe_context_alloc(context, WORKSPACE);
  const float data[ELEMENTS] = {1, 2, 3, 4};
  lathe_error error = {0};
  for (int call = 0; call < 3; ++call)
    check_entry(context, workspace, 1);
  lathe_context_upload(context, workspace, data, BYTES, &error);
  const int in = fake_count("cuMemcpyHtoDAsync_v2"), out = fake_count("cuMemcpyDtoHAsync_v2"),
            graphs = fake_count("cuGraphLaunch");
  context->device_arguments = 3;
  for (int call = 0; call < 3; ++call) {
    memset(workspace + ELEMENTS, 0, BYTES);
    CHECK_EQUAL(run_entry(&(entry_args){workspace, workspace + ELEMENTS, workspace, context, &error}), LATHE_OK);
    CHECK_EQUAL(workspace[ELEMENTS + 3], 45);
    CHECK_EQUAL(fake_count("cuGraphLaunch") - graphs, call);
  }
  CHECK_EQUAL(fake_count("cuMemcpyHtoDAsync_v2"), in);
  CHECK_EQUAL(fake_count("cuMemcpyDtoHAsync_v2"), out);

  /* Bit 63 stands for all arguments from there on. */
  context->device_arguments = UINT64_C(1) << 63;
  const lathe_device_api *device = context->device;
  device->attach(context, &entry_code);
  CHECK(device->output(context, 62, workspace + 1, workspace, 4) == workspace);
  CHECK(device->output(context, 63, workspace + 1, workspace, 4) == workspace + 1);
  CHECK(device->output(context, 900, workspace + 1, workspace, 4) == workspace + 1);
  device->result(context, 63, workspace + 1, workspace, 4); /* made elsewhere: copied on the device */
  CHECK_EQUAL(device->finish(context, "entry", &error), LATHE_OK);
  CHECK(workspace[1] == 1);
  context->device_arguments = 0;
  lathe_context_free(context, workspace);
  destroy(context);
}

static void test_asynchronous(void) {
  lathe_context *context = make(0);
  lathe_context_set_asynchronous(context, 1);
  void *workspace = lathe_context_alloc(context, WORKSPACE);
  lathe_error error = {0};
  float data[ELEMENTS] = {1, 2, 3, 4}, result[ELEMENTS] = {0};
  for (int call = 0; call < 4; ++call) {
    memset(result, 0, sizeof result);
    CHECK_EQUAL(run_entry(&(entry_args){data, result, workspace, context, &error}), LATHE_OK);
    CHECK(result[0] == 0 || call == 0); /* the first uploads the table, and waits before */
    CHECK(fake->pending > 0);
    CHECK_EQUAL(lathe_context_synchronize(context, &error), LATHE_OK);
    CHECK_EQUAL(result[3], 45);
    CHECK_EQUAL(fake->pending, 0);
  }
  lathe_context_set_asynchronous(context, 0);
  check_entry(context, workspace, 3);
  lathe_context_free(context, workspace);

  lathe_context *cpu = lathe_context_create(1);
  lathe_context_set_asynchronous(cpu, 1);
  CHECK_EQUAL(lathe_context_synchronize(cpu, &error), LATHE_OK);
  CHECK_EQUAL(lathe_context_synchronize(NULL, NULL), LATHE_OK);
  lathe_context_destroy(cpu);
  destroy(context);
}

/* Each once by address and size; the table grows. */
static void test_constants(void) {
  enum { COUNT = 300 };
  static const int32_t values[COUNT];
  lathe_context *context = make(0);
  const lathe_device_api *device = context->device;
  const void *places[COUNT];
  for (int turn = 0; turn < 2; ++turn) {
    const int uploads = fake_count("cuMemcpyHtoDAsync_v2");
    device->attach(context, &entry_code);
    for (int i = 0; i < COUNT; ++i) {
      const void *place = device->constant(context, values + i, sizeof values[i]);
      CHECK(place && (turn == 0 || place == places[i]));
      places[i] = place;
    }
    CHECK(device->constant(context, values, sizeof values) != places[0]);
    CHECK(device->constant(context, values, 0) != NULL);
    CHECK_EQUAL(fake_count("cuMemcpyHtoDAsync_v2") - uploads, turn == 0 ? COUNT + 1 : 0);
    CHECK_EQUAL(device->finish(context, "entry", NULL), LATHE_OK);
  }
  destroy(context);
}

static void test_read_and_scratch(void) {
  lathe_context *context = make(0);
  const lathe_device_api *device = context->device;
  float *memory = lathe_context_alloc(context, BYTES), back[ELEMENTS] = {0};
  device->attach(context, &entry_code);
  float *three = device->scratch(context, 3, BYTES);
  CHECK(three && device->scratch(context, 0, 0) && device->scratch(context, 3, 4) == (void *)three);
  three[1] = 7;
  device->write(context, memory, three, BYTES);
  three[1] = 8; /* what was to be written has been taken */
  device->copy(context, memory + 2, memory + 1, 4);
  device->read(context, back, memory, BYTES);
  CHECK(back[1] == 7 && back[2] == 7);
  device->clear(context, memory, 8);
  device->read(context, back, memory, BYTES);
  CHECK(back[1] == 0 && back[2] == 7);
  CHECK(device->scratch(context, 3, 1 << 20) != NULL);
  CHECK(device->scratch(context, 4, UINT64_MAX) == NULL);
  CHECK_EQUAL(device->finish(context, "entry", NULL), LATHE_ERROR_OUT_OF_MEMORY);
  lathe_context_free(context, memory);
  destroy(context);
}

static char profile_log[64];

static void log_profile(lathe_context *context, const lathe_kernel_info *row, int32_t begin) {
  (void)context;
  CHECK_EQUAL(fake->pending, 0);
  CHECK_EQUAL(fake->depth, 0);
  char text[16];
  snprintf(text, sizeof text, "%d%s", (int)row->line, begin ? "(" : ")");
  strncat(profile_log, text, sizeof profile_log - strlen(profile_log) - 1);
}

static void test_profile(void) {
  lathe_context *context = make(0);
  void *workspace = lathe_context_alloc(context, WORKSPACE);
  context->profile = log_profile;
  const int graphs = fake_count("cuGraphLaunch");
  for (int call = 0; call < 3; ++call) {
    profile_log[0] = '\0';
    check_entry(context, workspace, 1);
    CHECK(strcmp(profile_log, "3(3)4(4)") == 0);
  }
  CHECK_EQUAL(fake_count("cuGraphLaunch"), graphs);
  lathe_context_free(context, workspace);
  destroy(context);
}

/* A call between begin and end, which the rules forbid, runs after the earlier calls. */
static void test_unruly(void) {
  lathe_context *context = make(0);
  const lathe_device_api *device = context->device;
  float *memory = lathe_context_alloc(context, BYTES);
  const float one = 1;
  for (int call = 0; call < 3; ++call) {
    float back = 0;
    const uint64_t words[] = {(uintptr_t)memory, (uintptr_t)memory};
    device->attach(context, &entry_code);
    device->write(context, memory, &one, sizeof one);
    if (!device->begin(context, words, sizeof words)) {
      device->launch(context, &entry_rows[0], 0, 1, words);
      device->read(context, &back, memory, sizeof back);
      CHECK(back == 2);
      device->launch(context, &entry_rows[0], 0, 1, words);
    }
    device->end(context);
    device->launch(context, &entry_rows[0], 0, 0, words);
    device->read(context, &back, memory, sizeof back);
    CHECK(back == 3);
    CHECK_EQUAL(device->finish(context, "entry", NULL), LATHE_OK);
  }
  for (int call = 0; call < 3; ++call) { /* without an end */
    const uint64_t words[] = {(uintptr_t)(memory + 1), (uintptr_t)memory};
    memory[0] = (float)call;
    device->attach(context, &entry_code);
    if (!device->begin(context, words, sizeof words))
      device->launch(context, &entry_rows[0], 0, 1, words);
    CHECK_EQUAL(device->finish(context, "entry", NULL), LATHE_OK);
    CHECK_EQUAL(memory[1], call + 1);
  }
  lathe_context_free(context, memory);
  destroy(context);
}

static void test_switches(void) {
  static const char *const switches[][2] = {{"LATHE_CUDA_GRAPHS", "0"}, {"LATHE_CUDA_SYNC", "1"}};
  for (int i = 0; i < 2; ++i) {
    setenv(switches[i][0], switches[i][1], 1);
    lathe_context *context = make(0);
    void *workspace = lathe_context_alloc(context, WORKSPACE);
    const int graphs = fake_count("cuGraphLaunch"), waits = fake_count("cuStreamSynchronize");
    for (int call = 0; call < 3; ++call)
      check_entry(context, workspace, 1);
    CHECK_EQUAL(fake_count("cuGraphLaunch"), graphs);
    CHECK_EQUAL(fake_count("cuStreamSynchronize") - waits, i == 0 ? 3 + 1 : 3 * 4 + 1);
    lathe_context_free(context, workspace);
    destroy(context);
    unsetenv(switches[i][0]);
  }
}

static void check_image(int capability, const char *image) {
  fake->capability = capability;
  lathe_context *context = make(0);
  lathe_error error = {0};
  context->device->attach(context, &entry_code);
  const lathe_status status = context->device->finish(context, "entry", &error);
  CHECK_EQUAL(status, image ? LATHE_OK : LATHE_ERROR_NO_DEVICE);
  if (image)
    CHECK(strcmp(fake->image, image) == 0);
  else
    CHECK_MESSAGE(&error, "entry: the object has no code for this device: its code needs compute capability 7.0");
  destroy(context);
  fake->capability = 90;
}

static void test_images(void) {
  check_image(90, "ptx90a");
  check_image(80, "cubin80");
  check_image(89, "cubin80");
  check_image(75, "ptx70");
  check_image(103, "ptx90");
  check_image(121, "ptx90");
  check_image(61, NULL);
  for (int i = 0; i < 4; ++i) { /* 200, as drivers say of what a later ptxas made */
    fake->refuse_cubins = (const int[]){209, 222, 200, 0}[i];
    check_image(86, i < 3 ? "ptx70" : "cubin80");
  }
}

/* LATHE_CUDA_LOG=1 tells which image is loaded and what the driver's compiler says. */
static void test_log(void) {
  setenv("LATHE_CUDA_LOG", "1", 1);
  lathe_context *context = make(0);
  unsetenv("LATHE_CUDA_LOG");
  fflush(stderr);
  const int saved = dup(STDERR_FILENO);
  CHECK(freopen("log.txt", "w", stderr) != NULL);
  context->device->attach(context, &entry_code);
  CHECK_EQUAL(context->device->finish(context, "entry", NULL), LATHE_OK);
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  size_t size;
  unsigned char *log = read_file("log.txt", &size);
  log[size] = '\0';
  CHECK(strcmp((char *)log, "lathe: PTX for capability 90a on a device of 90: loaded\nptxas says hello\n") == 0);
  free(log);
  destroy(context);
}

/* The image that is loaded has its own kernels: here one with a map, whose sizes come with the call, and which no more blocks
 * run of than the device has processors. The same map is made once. */
static void test_maps(void) {
  lathe_context *context = make(0);
  const lathe_device_api *device = context->device;
  const lathe_device_map map = {.word = 1,
                                .dtype = LATHE_BF16,
                                .rank = 2,
                                .swizzle = 128,
                                .offset = 16,
                                .extents = {64, 2},
                                .extent_words = {UINT32_MAX, 2},
                                .box = {64, 128},
                                .steps = {1, 2},
                                .strides = {2, 128}};
  const lathe_device_kernel plain[] = {{.name = "add_one", .words = 3, .threads = 32}};
  const lathe_device_kernel mapped[] = {
      {.name = "tell_map", .words = 3, .threads = 32, .is_persistent = 1, .map_count = 1, .maps = &map}};
  const lathe_device_image images[] = {{0, 80, 0, 0, 6, "ptx80", plain}, {0, 90, 1, 0, 7, "ptx90a", mapped}};
  const lathe_device_code code = {LATHE_ABI_VERSION, 2, 1, 0, images};
  float *memory = lathe_context_alloc(context, BYTES * 2);
  const int before = fake_count("cuTensorMapEncodeTiled");
  for (int call = 0; call < 3; ++call) {
    const int64_t rows = call == 2 ? 0 : 5, blocks = call == 1 ? 2 : 8;
    const uint64_t words[] = {(uintptr_t)memory, (uintptr_t)memory, (uint64_t)rows};
    device->attach(context, &code);
    device->launch(context, &entry_rows[0], 0, blocks, words);
    CHECK_EQUAL(device->finish(context, "entry", NULL), LATHE_OK);
    CHECK_EQUAL(memory[0], 9);
    CHECK_EQUAL(memory[1], rows ? 10 : 1);
    CHECK_EQUAL(memory[2], 128);
    CHECK_EQUAL(memory[3], 642);                 /* 64 wide, every second row */
    CHECK_EQUAL(memory[4], blocks == 8 ? 6 : 2); /* two on each of three processors */
  }
  CHECK_EQUAL(fake_count("cuTensorMapEncodeTiled") - before, 2);
  lathe_context_free(context, memory);
  destroy(context);
}

/* Two codes are two modules; graphs of one are not the other's, though the keys are alike. */
static void test_modules(void) {
  lathe_context *context = make(0);
  const lathe_device_api *device = context->device;
  const lathe_device_kernel kernels[] = {{.name = "add_one", .words = 2, .threads = 32}};
  const lathe_device_kernel others[] = {{.name = "add", .words = 3, .threads = 32}};
  const lathe_device_image images[] = {{0, 70, 0, 0, 6, "ptx70", kernels}, {0, 70, 0, 0, 6, "ptx70", others}};
  const lathe_device_code codes[] = {{LATHE_ABI_VERSION, 1, 1, 0, &images[0]}, {LATHE_ABI_VERSION, 1, 1, 0, &images[1]}};
  float *memory = lathe_context_alloc(context, BYTES);
  const uint64_t words[] = {(uintptr_t)memory, (uintptr_t)memory, (uintptr_t)memory};
  const int loads = fake_count("cuModuleLoadDataEx");
  float expected = 0;
  for (int call = 0; call < 12; ++call) {
    const lathe_device_code *code = &codes[call % 2];
    device->attach(context, code);
    if (!device->begin(context, words, sizeof words))
      device->launch(context, &entry_rows[0], 0, 1, words);
    device->end(context);
    CHECK_EQUAL(device->finish(context, "entry", NULL), LATHE_OK);
    expected = call % 2 ? expected + expected : expected + 1;
    CHECK_EQUAL(memory[0], expected);
  }
  CHECK_EQUAL(fake_count("cuModuleLoadDataEx") - loads, 2);
  lathe_context_free(context, memory);
  destroy(context);
}

/* A communicator's use of the device within a call: the stream is drained, other code runs, scratch memory is the device's. */
static void test_communicator(void) {
  lathe_context *context = make(0);
  const lathe_device_api *device = context->device;
  const lathe_device_kernel kernels[] = {{.name = "add", .words = 3, .threads = 32}};
  const lathe_device_image image = {0, 70, 0, 0, 6, "ptx70", kernels};
  const lathe_device_code other = {LATHE_ABI_VERSION, 1, 1, 0, &image};
  float *memory = lathe_context_alloc(context, BYTES), back[ELEMENTS];
  const uint64_t words[] = {(uintptr_t)memory, (uintptr_t)memory, (uintptr_t)memory};
  device->attach(context, &entry_code);
  device->launch(context, &entry_rows[0], 0, 1, words);
  const int waits = fake_count("cuStreamSynchronize"), frees = fake_count("cuMemFree_v2");
  CHECK_EQUAL(device->enter(context), 1);
  CHECK_EQUAL(fake_count("cuStreamSynchronize"), waits + 1);
  CHECK_EQUAL(memory[0], 1);
  float *room = device->scratch(context, 2 | LATHE_SCRATCH_ON_DEVICE, BYTES);
  CHECK(room && room != device->scratch(context, 2, BYTES));
  CHECK(device->scratch(context, 2 | LATHE_SCRATCH_ON_DEVICE, 4) == (void *)room);
  CHECK(device->use(context, &other) == &entry_code);
  device->launch(context, &entry_rows[1], 0, 1, words);
  CHECK(device->use(context, &entry_code) == &other);
  device->launch(context, &entry_rows[0], 0, 1, words);
  device->copy(context, room, memory, BYTES);
  device->leave(context);
  device->read(context, back, room, BYTES);
  CHECK_EQUAL(back[0], 3); /* 0 + 1, twice that, and 1 more */
  CHECK_EQUAL(device->enter(context), 1);
  CHECK(device->scratch(context, 2 | LATHE_SCRATCH_ON_DEVICE, 2 * BYTES) != NULL);
  CHECK_EQUAL(fake_count("cuMemFree_v2"), frees + 1);
  device->leave(context);
  CHECK_EQUAL(device->finish(context, "entry", NULL), LATHE_OK);
  lathe_context_free(context, memory);
  destroy(context);
}

int main(void) {
  load_fake();
  test_context();
  test_memory();
  test_device_arguments();
  test_asynchronous();
  test_constants();
  test_read_and_scratch();
  test_profile();
  test_unruly();
  test_switches();
  test_images();
  test_log();
  test_maps();
  test_modules();
  test_communicator();
  test_graphs();
  return check_result();
}
