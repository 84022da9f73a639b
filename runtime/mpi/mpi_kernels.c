/* Kernels that reduce the values of several ranks on a CUDA device, in the order of lathe_reduce: PTX for sm_80 and later, one
 * module for each element type and reduction, so that a context compiles only those that it uses.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A thread reduces one element over all ranks. It loads the elements in the order of the ranks and keeps the roots of the trees
 * that are complete on a stack, the largest at the bottom: after k ranks, these are the powers of two whose sum is k. An
 * element is combined with as many of them as k ends in one bits. The rest is combined from the top at the end, which gives the
 * sum of the first 2^k values, the largest power of two below their number, plus that of the others, divided in the same way.
 *
 * Words of the parameter: the output, this rank's values, the others' values, the bytes between two of those, the number of
 * ranks, this rank's index, and the number of elements.
 */
#include "mpi_comm.h"

enum { KERNEL_WORDS = 7, KERNEL_THREADS = 256 };

/* %d0 to %d6 are the words, %d7 is the offset of the element, %d8 the rank, %d9 the top of the stack, and %d11 its bottom; %x
 * is the element. 31 entries hold the trees of INT32_MAX ranks. */
#define KERNEL(type, size, load, combine, store)                                                                               \
  ".version 7.0\n.target sm_80\n.address_size 64\n"                                                                            \
  ".visible .entry lathe_ranks_reduce(.param .align 8 .b8 words[56]) {\n"                                                      \
  ".local .align 8 .b8 stack[256];\n"                                                                                          \
  ".reg .pred %p, %q<4>;\n.reg .b64 %d<13>;\n.reg .b32 %r<3>;\n.reg .b16 %h;\n"                                                \
  ".reg ." type " %x, %left, %sum;\n"                                                                                          \
  "ld.param.u64 %d0, [words];\nld.param.u64 %d1, [words+8];\nld.param.u64 %d2, [words+16];\n"                                  \
  "ld.param.u64 %d3, [words+24];\nld.param.u64 %d4, [words+32];\nld.param.u64 %d5, [words+40];\n"                              \
  "ld.param.u64 %d6, [words+48];\n"                                                                                            \
  "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\n"                                                                             \
  "mul.wide.u32 %d7, %r0, 256;\ncvt.u64.u32 %d8, %r1;\nadd.u64 %d7, %d7, %d8;\n"                                               \
  "setp.ge.u64 %p, %d7, %d6;\n@%p ret;\n"                                                                                      \
  "mul.lo.u64 %d7, %d7, " size ";\nmov.u64 %d8, 0;\nmov.u64 %d9, stack;\nmov.u64 %d11, stack;\n"                               \
  "NEXT:\n"                                                                                                                    \
  "mad.lo.u64 %d10, %d8, %d3, %d2;\nsetp.eq.u64 %p, %d8, %d5;\nselp.b64 %d10, %d1, %d10, %p;\nadd.u64 %d10, %d10, %d7;\n" load \
  "mov.u64 %d12, %d8;\n"                                                                                                       \
  "COMPLETE:\n"                                                                                                                \
  "and.b64 %d10, %d12, 1;\nsetp.eq.u64 %p, %d10, 0;\n@%p bra PUSH;\n"                                                          \
  "sub.u64 %d9, %d9, 8;\nld.local." type " %left, [%d9];\n" combine "shr.u64 %d12, %d12, 1;\nbra COMPLETE;\n"                  \
  "PUSH:\n"                                                                                                                    \
  "st.local." type " [%d9], %x;\nadd.u64 %d9, %d9, 8;\n"                                                                       \
  "add.u64 %d8, %d8, 1;\nsetp.lt.u64 %p, %d8, %d4;\n@%p bra NEXT;\n"                                                           \
  "sub.u64 %d9, %d9, 8;\n"                                                                                                     \
  "REST:\n"                                                                                                                    \
  "setp.eq.u64 %p, %d9, %d11;\n@%p bra STORE;\n"                                                                               \
  "sub.u64 %d9, %d9, 8;\nld.local." type " %left, [%d9];\n" combine "bra REST;\n"                                              \
  "STORE:\n"                                                                                                                   \
  "add.u64 %d10, %d0, %d7;\n" store "ret;\n}\n"

/* ---- Loads and stores: memory's type and the register's ---- */

#define INTEGER(memory, type, size, combine)                                                                                   \
  KERNEL(type, size, "ld.global." memory " %x, [%d10];\n", combine, "st.global." memory " [%d10], %x;\n")
#define HALF(combine)                                                                                                          \
  KERNEL("f32", "2", "ld.global.b16 %h, [%d10];\ncvt.f32.f16 %x, %h;\n", combine,                                              \
         "cvt.rn.f16.f32 %h, %x;\nst.global.b16 [%d10], %h;\n")
#define BRAIN(combine)                                                                                                         \
  KERNEL("f32", "2", "ld.global.u16 %r2, [%d10];\nshl.b32 %r2, %r2, 16;\nmov.b32 %x, %r2;\n", combine,                         \
         "cvt.rn.bf16.f32 %h, %x;\nst.global.b16 [%d10], %h;\n")
#define SINGLE(combine) KERNEL("f32", "4", "ld.global.f32 %x, [%d10];\n", combine, "st.global.f32 [%d10], %x;\n")
#define DOUBLE(combine) KERNEL("f64", "8", "ld.global.f64 %x, [%d10];\n", combine, "st.global.f64 [%d10], %x;\n")

/* ---- Combinations of %left and %x ---- */

#define OPERATION(name) name " %x, %left, %x;\n"
#define ADD(type) OPERATION("add.rn." type)
/* The larger one, as lathe_reduce defines it: a NaN wins, and -0 only if both are. */
#define LARGER(type, zero)                                                                                                     \
  "setp.gt." type " %q0, %left, %x;\nsetp.lt." type " %q1, %left, %x;\nsetp.eq." type " %q2, %left, %x;\n"                     \
  "setp.neu." type " %q3, %left, " zero ";\nand.pred %q2, %q2, %q3;\nadd.rn." type " %sum, %left, %x;\n"                       \
  "selp." type " %sum, %left, %sum, %q2;\nselp." type " %sum, %x, %sum, %q1;\nselp." type " %x, %left, %sum, %q0;\n"
#define SMALLER(type, zero) "neg." type " %left, %left;\nneg." type " %x, %x;\n" LARGER(type, zero) "neg." type " %x, %x;\n"

/* ---- The table ---- */

static const lathe_device_kernel kernels[] = {{"lathe_ranks_reduce", KERNEL_WORDS, KERNEL_THREADS, 0, 0, 0, 0, NULL}};

#define IMAGE(text) {.capability = 80, .size = sizeof(text), .data = text, .kernels = kernels}
#define IMAGES(sum, max, min) {IMAGE(sum), IMAGE(max), IMAGE(min)}
/* Sums of integers wrap, signed or not. Values of 8 and 16 bits are in registers of 32, extended as their type says. */
#define OF_INTEGERS(memory, wrap, type, sign, size)                                                                            \
  IMAGES(INTEGER(memory, type, size, OPERATION("add." wrap)), INTEGER(memory, type, size, OPERATION("max." sign)),             \
         INTEGER(memory, type, size, OPERATION("min." sign)))
#define OF_FLOATS(format, type, zero) IMAGES(format(ADD(type)), format(LARGER(type, zero)), format(SMALLER(type, zero)))

static const lathe_device_image images[][3] = {
    [LATHE_I1] = OF_INTEGERS("u8", "u32", "b32", "u32", "1"), /* its sum is refused before */
    [LATHE_I8] = OF_INTEGERS("s8", "u32", "b32", "s32", "1"),   [LATHE_I16] = OF_INTEGERS("s16", "u32", "b32", "s32", "2"),
    [LATHE_I32] = OF_INTEGERS("s32", "u32", "b32", "s32", "4"), [LATHE_I64] = OF_INTEGERS("s64", "u64", "b64", "s64", "8"),
    [LATHE_U8] = OF_INTEGERS("u8", "u32", "b32", "u32", "1"),   [LATHE_U16] = OF_INTEGERS("u16", "u32", "b32", "u32", "2"),
    [LATHE_U32] = OF_INTEGERS("u32", "u32", "b32", "u32", "4"), [LATHE_U64] = OF_INTEGERS("u64", "u64", "b64", "u64", "8"),
    [LATHE_F16] = OF_FLOATS(HALF, "f32", "0f00000000"),         [LATHE_BF16] = OF_FLOATS(BRAIN, "f32", "0f00000000"),
    [LATHE_F32] = OF_FLOATS(SINGLE, "f32", "0f00000000"),       [LATHE_F64] = OF_FLOATS(DOUBLE, "f64", "0d0000000000000000"),
};

#define CODE(dtype, reduction) {LATHE_ABI_VERSION, 1, 1, 0, &images[dtype][reduction]}
#define CODES(dtype) [dtype] = {CODE(dtype, 0), CODE(dtype, 1), CODE(dtype, 2)}

static const lathe_device_code codes[][3] = {
    CODES(LATHE_I1),   CODES(LATHE_I8),  CODES(LATHE_I16), CODES(LATHE_I32), CODES(LATHE_I64),
    CODES(LATHE_U8),   CODES(LATHE_U16), CODES(LATHE_U32), CODES(LATHE_U64), CODES(LATHE_F16),
    CODES(LATHE_BF16), CODES(LATHE_F32), CODES(LATHE_F64),
};

void lathe_mpi_reduce_on_device(lathe_context *device, const lathe_collective_info *info, mpi_reduction of) {
  const uint64_t words[KERNEL_WORDS] = {
      (uint64_t)(uintptr_t)of.output,
      (uint64_t)(uintptr_t)of.own,
      (uint64_t)(uintptr_t)of.parts,
      of.part_bytes,
      (uint64_t)of.ranks,
      (uint64_t)of.index,
      (uint64_t)of.count,
  };
  const lathe_device_code *entry = device->device->use(device, &codes[info->dtype][info->reduction - LATHE_SUM]);
  const lathe_profile_hook profile = device->profile; /* the entry profiles the whole collective */
  device->profile = NULL;
  device->device->launch(device, info->kernel, 0, (of.count + KERNEL_THREADS - 1) / KERNEL_THREADS, words);
  device->profile = profile;
  if (entry)
    (void)device->device->use(device, entry);
}
