/* Real code on a real device, or on the stand-in for one. Without either there is nothing to see.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "check.h"

enum { COUNT = 1000, THREADS = 128, BLOCKS = (COUNT + THREADS - 1) / THREADS, SHARED = 64 << 10 };

/* double: words[1][i] = 2 * words[0][i] for i < words[2]. total: words[1][block] = the sum of its threads' elements, by dynamic
 * shared memory. stray: writes to no place. */
static const char ptx[] = ".version 7.8\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".extern .shared .align 16 .b8 pool[];\n"
                          ".visible .entry double(.param .align 8 .b8 words[24]) {\n"
                          "  .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %d<8>; .reg .f32 %f<3>;\n"
                          "  ld.param.u64 %d0, [words];\n"
                          "  ld.param.u64 %d1, [words+8];\n"
                          "  ld.param.u64 %d2, [words+16];\n"
                          "  mov.u32 %r0, %ctaid.x;\n"
                          "  mov.u32 %r1, %ntid.x;\n"
                          "  mov.u32 %r2, %tid.x;\n"
                          "  mad.lo.s32 %r3, %r0, %r1, %r2;\n"
                          "  cvt.u64.u32 %d3, %r3;\n"
                          "  setp.ge.u64 %p0, %d3, %d2;\n"
                          "  @%p0 bra done;\n"
                          "  shl.b64 %d4, %d3, 2;\n"
                          "  add.s64 %d5, %d0, %d4;\n"
                          "  ld.global.f32 %f0, [%d5];\n"
                          "  add.f32 %f1, %f0, %f0;\n"
                          "  add.s64 %d6, %d1, %d4;\n"
                          "  st.global.f32 [%d6], %f1;\n"
                          "done:\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry total(.param .align 8 .b8 words[16]) {\n"
                          "  .reg .pred %p<2>; .reg .b32 %r<10>; .reg .b64 %d<8>; .reg .f32 %f<4>;\n"
                          "  ld.param.u64 %d0, [words];\n"
                          "  ld.param.u64 %d1, [words+8];\n"
                          "  mov.u32 %r0, %ctaid.x;\n"
                          "  mov.u32 %r1, %ntid.x;\n"
                          "  mov.u32 %r2, %tid.x;\n"
                          "  mad.lo.s32 %r3, %r0, %r1, %r2;\n"
                          "  mul.wide.u32 %d2, %r3, 4;\n"
                          "  add.s64 %d3, %d0, %d2;\n"
                          "  ld.global.f32 %f0, [%d3];\n"
                          "  mov.u32 %r4, pool;\n"
                          "  shl.b32 %r5, %r2, 2;\n"
                          "  add.s32 %r6, %r4, %r5;\n"
                          "  st.shared.f32 [%r6+61440], %f0;\n"
                          "  bar.sync 0;\n"
                          "  setp.ne.u32 %p0, %r2, 0;\n"
                          "  @%p0 bra done;\n"
                          "  mov.f32 %f1, 0f00000000;\n"
                          "  mov.u32 %r7, 0;\n"
                          "more:\n"
                          "  ld.shared.f32 %f2, [%r4+61440];\n"
                          "  add.f32 %f1, %f1, %f2;\n"
                          "  add.s32 %r4, %r4, 4;\n"
                          "  add.s32 %r7, %r7, 1;\n"
                          "  setp.lt.u32 %p1, %r7, %r1;\n"
                          "  @%p1 bra more;\n"
                          "  mul.wide.u32 %d4, %r0, 4;\n"
                          "  add.s64 %d5, %d1, %d4;\n"
                          "  st.global.f32 [%d5], %f1;\n"
                          "done:\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry stray(.param .align 8 .b8 words[8]) {\n"
                          "  .reg .b32 %r<2>; .reg .b64 %d<2>;\n"
                          "  ld.param.u64 %d0, [words];\n"
                          "  mov.u32 %r0, 1;\n"
                          "  st.global.u32 [%d0], %r0;\n"
                          "  ret;\n"
                          "}\n";

static const lathe_device_kernel kernels[] = {{.name = "double", .words = 3, .threads = THREADS},
                                              {.name = "total", .words = 2, .threads = THREADS, .shared_bytes = SHARED},
                                              {.name = "stray", .words = 1, .threads = 1}};
static const lathe_device_image images[] = {{0, 80, 0, 0, sizeof ptx, ptx, kernels}};
static const lathe_device_code code = {LATHE_ABI_VERSION, 1, 3, 0, images};
static const lathe_kernel_info rows[] = {{"double", "lathe.mul", "", NULL, "g.mlir", 3},
                                         {"total", "lathe.reduce", "", NULL, "g.mlir", 4},
                                         {"stray", "lathe.scatter", "", NULL, "g.mlir", 5}};

/* totals[block] = the sum of 2 * data over the elements of a block. */
static lathe_status run(lathe_context *context, const float *data, float *totals, float *workspace, lathe_error *error) {
  const lathe_device_api *device = context->device;
  float *doubled = workspace + COUNT, *place = workspace + 3 * COUNT;
  device->attach(context, &code);
  const void *in = device->input(context, 0, data, workspace, COUNT * sizeof *data);
  void *out = device->output(context, 1, totals, place, BLOCKS * sizeof *totals);
  const uint64_t first[] = {(uintptr_t)in, (uintptr_t)doubled, COUNT}, second[] = {(uintptr_t)doubled, (uintptr_t)out};
  const uint64_t key[] = {first[0], second[1]};
  if (!device->begin(context, key, sizeof key)) {
    device->clear(context, doubled, (size_t)BLOCKS * THREADS * sizeof *data);
    device->launch(context, &rows[0], 0, BLOCKS, first);
    device->launch(context, &rows[1], 1, BLOCKS, second);
  }
  device->end(context);
  device->result(context, 1, totals, out, BLOCKS * sizeof *totals);
  return device->finish(context, "run", error);
}

static void check_calls(lathe_context *context, int asynchronous) {
  float *data = malloc(COUNT * sizeof *data), totals[BLOCKS], *workspace;
  lathe_error error = {0};
  lathe_context_set_asynchronous(context, asynchronous);
  workspace = lathe_context_alloc(context, 4 * COUNT * sizeof *workspace);
  CHECK(workspace != NULL);
  for (int call = 0; call < 5; ++call) {
    for (int i = 0; i < COUNT; ++i)
      data[i] = (float)(i % 7 + call);
    if (run(context, data, totals, workspace, &error) != LATHE_OK)
      lathe_error_print(&error);
    CHECK_EQUAL(lathe_context_synchronize(context, &error), LATHE_OK);
    for (int block = 0; block < BLOCKS; ++block) {
      float expected = 0;
      for (int i = block * THREADS; i < (block + 1) * THREADS && i < COUNT; ++i)
        expected += 2 * data[i];
      CHECK_EQUAL(totals[block], expected);
    }
  }
  CHECK_EQUAL(error.status, LATHE_OK);
  lathe_context_free(context, workspace);
  lathe_context_set_asynchronous(context, 0);
  free(data);
}

/* Last: the device does not come back. */
static void check_stray(lathe_context *context) {
  const uint64_t nowhere[] = {64};
  lathe_error error = {0};
  for (int call = 0; call < 2; ++call) {
    context->device->attach(context, &code);
    context->device->launch(context, &rows[2], 2, 1, nowhere);
    CHECK_EQUAL(context->device->finish(context, "run", &error), LATHE_ERROR_DEVICE);
    CHECK_MESSAGE(&error, "error: run: the device's driver reports CUDA_ERROR_");
  }
  CHECK(!lathe_context_alloc(context, 64));
}

int main(void) {
  lathe_error error = {0};
  const int devices = lathe_cuda_device_count(&error);
  if (devices == 0) {
    lathe_error_print(&error);
    return 77; /* skipped */
  }
  for (int device = 0; device < devices; ++device) {
    for (int turn = 0; turn < 3; ++turn) { /* made and ended more than once, first on the default stream */
      lathe_context *context =
          turn == 0 ? lathe_context_create_cuda_on_stream(device, NULL, &error) : lathe_context_create_cuda(device, &error);
      if (!context)
        lathe_error_print(&error);
      CHECK(context != NULL);
      if (!context)
        continue;
      check_calls(context, 0);
      check_calls(context, 1);
      if (turn == 2 && device == devices - 1)
        check_stray(context);
      lathe_context_destroy(context);
    }
  }
  return check_result();
}
