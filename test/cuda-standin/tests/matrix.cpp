// Tensor-core operations and asynchronous copies compared with the same computed here, and their checks.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

using namespace test;

namespace {

uint16_t halfOf(float value) {
  const _Float16 narrow = static_cast<_Float16>(value);
  uint16_t bits;
  memcpy(&bits, &narrow, 2);
  return bits;
}
float floatOf(uint16_t bits) {
  _Float16 narrow;
  memcpy(&narrow, &bits, 2);
  return static_cast<float>(narrow);
}

/// The first 24 bits: tensor cores cut off the others.
float towardsZero(double value) {
  int exponent;
  std::frexp(value, &exponent);
  return static_cast<float>(std::ldexp(std::trunc(std::ldexp(value, 24 - exponent)), exponent - 24));
}

std::vector<uint16_t> randomHalves(size_t count) {
  std::vector<uint16_t> made(count);
  for (auto &value : made)
    value = halfOf(randomFloat());
  return made;
}

const char *shared = ".shared .align 1024 .b8 s[49152];\n";
const char *three = ".param .u64 a, .param .u64 b, .param .u64 c";
const std::string load =
    "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nld.param.u64 %d3, [c];\ncvta.to.global.u64 %d1, %d1;\n"
    "cvta.to.global.u64 %d2, %d2;\ncvta.to.global.u64 %d3, %d3;\nmov.u32 %r1, %tid.x;\nmov.u32 %r50, s;\n";
/// C of one mma, 16 by 8 floats, to row-major global memory.
const std::string storeC =
    "shr.u32 %r20, %r1, 2;\nand.b32 %r21, %r1, 3;\nshl.b32 %r22, %r20, 3;\nshl.b32 %r23, %r21, 1;\nadd.u32 %r22, %r22, %r23;\n"
    "mul.wide.u32 %d4, %r22, 4;\nadd.s64 %d4, %d3, %d4;\nst.global.v2.f32 [%d4], {%f1, %f2};\nst.global.v2.f32 [%d4+256], "
    "{%f3, %f4};\n";

/// A (16x16, row-major) and B (16x8, row-major) come by cp.async into shared memory, by ldmatrix into fragments.
const std::string copyAB = "shl.b32 %r2, %r1, 4;\nadd.u32 %r3, %r50, %r2;\nmul.wide.u32 %d4, %r1, 16;\nadd.s64 %d5, %d1, "
                           "%d4;\nadd.s64 %d6, %d2, %d4;\n"
                           "cp.async.cg.shared.global [%r3], [%d5], 16;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 "
                           "cp.async.ca.shared.global [%r3+512], [%d6], 16;\n"
                           "cp.async.commit_group;\n";
const std::string multiply =
    "and.b32 %r4, %r1, 15;\nshl.b32 %r4, %r4, 5;\nshr.u32 %r5, %r1, 4;\nshl.b32 %r5, %r5, 4;\nadd.u32 %r4, %r4, %r5;\n"
    "add.u32 %r4, %r4, %r50;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r4];\n"
    "and.b32 %r6, %r1, 15;\nshl.b32 %r6, %r6, 4;\nadd.u32 %r6, %r6, %r50;\n"
    "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r6+512];\n"
    "mov.f32 %f1, 0f00000000;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\n"
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13}, {%r14, %r15}, "
    "{%f1, %f2, %f3, %f4};\n" +
    storeC;

void warpProduct() {
  const auto a = randomHalves(256), b = randomHalves(128);
  {
    const Scope scope;
    Buffer<uint16_t> da(a), db(b);
    Buffer<float> dc(128);
    SILENT(kernelText(three, load + copyAB + "cp.async.wait_group 0;\nbar.sync 0;\n" + multiply, "sm_80", shared), {},
           {da, db, dc});
    const auto c = dc.read();
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 8; ++j) {
        double sum = 0;
        for (size_t k = 0; k < 16; ++k)
          sum += double(floatOf(a[i * 16 + k])) * floatOf(b[k * 8 + j]);
        CHECK(c[i * 8 + j] == towardsZero(sum));
      }
    FAULT(kernelText(three, load + copyAB + "bar.sync 0;\n" + multiply, "sm_80", shared), {}, {da, db, dc}, failed,
          "unfinished cp.async");
  }
  {
    const Scope scope;
    Buffer<uint16_t> da(a), db(b);
    Buffer<float> dc(128);
    FAULT(kernelText(three, load + copyAB + "cp.async.wait_group 1;\nbar.sync 0;\n" + multiply, "sm_80", shared), {},
          {da, db, dc}, failed, "unfinished cp.async");
  }
  { // other threads need a barrier after the wait
    const Scope scope;
    Buffer<uint16_t> da(a), db(b);
    Buffer<float> dc(128);
    FAULT(kernelText(three,
                     load + copyAB +
                         "cp.async.wait_all;\nxor.b32 %r7, %r2, 16;\nadd.u32 %r7, %r7, %r50;\nld.shared.b32 %r8, [%r7];\n",
                     "sm_80", shared),
          {}, {da, db, dc}, failed, "race on shared memory");
  }
}

/// An element of `bits` bits of a row of eight words.
double elementOf(const uint32_t *row, size_t k, int bits, bool isBfloat) {
  const uint32_t word = row[k * static_cast<size_t>(bits) / 32] >> (k * static_cast<size_t>(bits) % 32);
  uint32_t wide = isBfloat ? word << 16 : word & 0xffffe000;
  float value;
  memcpy(&value, &wide, 4);
  return bits == 8 ? static_cast<int8_t>(word) : bits == 16 && !isBfloat ? floatOf(static_cast<uint16_t>(word)) : value;
}

/// Fragments loaded straight from memory, where A's and B's rows along K are eight words: all formats lay them out alike.
void otherProducts() {
  const struct {
    const char *name, *zero;
    int bits;
    bool isBfloat;
  } rows[] = {{"m16n8k32.row.col.s32.s8.s8.s32", "0", 8, false},
              {"m16n8k16.row.col.f32.bf16.bf16.f32", "0", 16, true},
              {"m16n8k16.row.col.f32.f16.f16.f32", "0", 16, false},
              {"m16n8k8.row.col.f32.tf32.tf32.f32", "0", 32, false}};
  for (const auto &row : rows) {
    const Scope scope;
    std::vector<uint32_t> a(16 * 8), b(8 * 8);
    for (auto *side : {&a, &b})
      for (auto &word : *side) {
        const float low = randomFloat(), high = randomFloat();
        uint32_t wide;
        memcpy(&wide, &high, 4);
        word = row.bits == 8                    ? random32()
               : row.bits == 32 || row.isBfloat ? wide
                                                : static_cast<uint32_t>(halfOf(high)) << 16 | halfOf(low);
        if (row.isBfloat)
          word = (word & 0xffff0000) | word >> 16;
      }
    Buffer<uint32_t> da(a), db(b), dc(128);
    const char *place =
        "shr.u32 %r20, %r1, 2;\nand.b32 %r21, %r1, 3;\nshl.b32 %r22, %r20, 5;\nshl.b32 %r23, %r21, 2;\nadd.u32 %r22, %r22, "
        "%r23;\n"
        "cvt.u64.u32 %d4, %r22;\nadd.s64 %d5, %d1, %d4;\nadd.s64 %d6, %d2, %d4;\nld.global.b32 %r10, [%d5];\n"
        "ld.global.b32 %r11, [%d5+256];\nld.global.b32 %r12, [%d5+16];\nld.global.b32 %r13, [%d5+272];\n"
        "ld.global.b32 %r14, [%d6];\nld.global.b32 %r15, [%d6+16];\nmov.u32 %r16, 0;\nmov.f32 %f1, 0f00000000;\n"
        "mov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\n";
    const std::string product = std::string("mma.sync.aligned.") + row.name;
    const std::string inputs = "{%r10, %r11, %r12, %r13}, {%r14, %r15}, ";
    const std::string whole = product + " {%r30, %r31, %r32, %r33}, " + inputs +
                              "{%r16, %r16, %r16, %r16};\nmov.b32 %f1, %r30;\n"
                              "mov.b32 %f2, %r31;\nmov.b32 %f3, %r32;\nmov.b32 %f4, %r33;\n";
    const std::string single = product + " {%f1, %f2, %f3, %f4}, " + inputs + "{%f1, %f2, %f3, %f4};\n";
    SILENT(kernelText(three, load + place + (row.bits == 8 ? whole : single) + storeC, "sm_80", shared), {}, {da, db, dc});
    const auto c = dc.read();
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 8; ++j) {
        double sum = 0;
        for (size_t k = 0; k < static_cast<size_t>(256 / row.bits); ++k)
          sum += elementOf(&a[i * 8], k, row.bits, row.isBfloat) * elementOf(&b[j * 8], k, row.bits, row.isBfloat);
        float found;
        memcpy(&found, &c[i * 8 + j], 4);
        CHECK(row.bits == 8 ? static_cast<int32_t>(c[i * 8 + j]) == sum : found == towardsZero(sum));
      }
  }
}

void doubleProduct() {
  const Scope scope;
  std::vector<double> a(32), b(32);
  for (size_t i = 0; i < 32; ++i) {
    a[i] = randomFloat();
    b[i] = randomFloat();
  }
  Buffer<double> da(a), db(b), dc(64);
  SILENT(kernelText(three,
                    load + "mul.wide.u32 %d4, %r1, 8;\nadd.s64 %d5, %d1, %d4;\nadd.s64 %d6, %d2, %d4;\nld.global.f64 %g1, "
                           "[%d5];\nld.global.f64 %g2, [%d6];\n"
                           "mov.f64 %g3, 0d0000000000000000;\nmma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g4, %g5}, "
                           "{%g1}, {%g2}, {%g3, %g3};\n"
                           "mul.wide.u32 %d4, %r1, 16;\nadd.s64 %d5, %d3, %d4;\nst.global.v2.f64 [%d5], {%g4, %g5};\n",
                    "sm_80", shared),
         {}, {da, db, dc});
  const auto c = dc.read();
  for (size_t i = 0; i < 8; ++i)
    for (size_t j = 0; j < 8; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 4; ++k)
        sum = std::fma(a[i * 4 + k], b[j * 4 + k], sum);
      CHECK(c[i * 8 + j] == sum);
    }
}

/// stmatrix is ldmatrix turned round, transposed or not.
void matrixMoves() {
  for (const char *transposed : {"", ".trans"}) {
    const Scope scope;
    const auto from = randomHalves(256);
    Buffer<uint16_t> a(from), c(256);
    const std::string suffix = std::string(transposed) + ".shared.b16";
    SILENT(
        kernelText(
            three,
            load +
                "shl.b32 %r2, %r1, 4;\nadd.u32 %r3, %r50, %r2;\nmul.wide.u32 %d4, %r1, 16;\nadd.s64 %d5, %d1, %d4;\nadd.s64 "
                "%d6, %d3, %d4;\n"
                "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%d5];\nst.shared.v4.b32 [%r3], {%r10, %r11, %r12, "
                "%r13};\nbar.warp.sync 0xffffffff;\n"
                "ldmatrix.sync.aligned.m8n8.x4" +
                suffix +
                " {%r20, %r21, %r22, %r23}, [%r3];\n"
                "stmatrix.sync.aligned.m8n8.x4" +
                suffix +
                " [%r3+1024], {%r20, %r21, %r22, %r23};\nbar.warp.sync 0xffffffff;\n"
                "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r3+1024];\nst.global.v4.b32 [%d6], {%r10, %r11, %r12, %r13};\n",
            "sm_90", shared),
        {}, {a, a, c});
    CHECK(c.read() == from);
  }
}

/// An mbarrier orders a producer's writes before a consumer's reads, and cp.async can arrive there by itself.
void barriers() {
  const std::string start =
      load +
      "add.u32 %r51, %r50, 40960;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r51], 32;\nbar.sync 0;\n"
      "and.b32 %r2, %r1, 31;\nshl.b32 %r3, %r2, 2;\nadd.u32 %r3, %r50, %r3;\nsetp.ge.u32 %p3, %r1, 32;\n@%p3 bra consumer;\n";
  const std::string produce = "st.shared.b32 [%r3], %r1;\n",
                    copies = "mul.wide.u32 %d4, %r1, 4;\nadd.s64 %d4, %d1, %d4;\ncp.async.ca.shared.global [%r3], [%d4], 4;\n";
  const std::string arrive = "mbarrier.arrive.shared.b64 %d9, [%r51];\n",
                    arriveLater = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r51];\n";
  const std::string wait = "consumer:\nwait:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r51], 0;\n@!%p2 bra wait;\n",
                    read = "ld.shared.b32 %r5, [%r3];\n";
  const Shape twoWarps{{1, 1, 1}, {64, 1, 1}};
  const auto run = [&](const char *words, const std::string &body) {
    const Scope scope;
    Buffer<int> a(std::vector<int>(64));
    if (words)
      FAULT(kernelText(three, start + body, "sm_90", shared), twoWarps, {a, a, a}, failed, words);
    else
      SILENT(kernelText(three, start + body, "sm_90", shared), twoWarps, {a, a, a});
  };
  run(nullptr, produce + arrive + "ret;\n" + wait + read);
  run("shared memory", produce + arrive + "ret;\nconsumer:\n" + read);
  run("race on shared memory",
      arrive + produce + "ret;\n" + wait + "nanosleep.u32 100;\n" + read + "st.shared.b32 [%r3], %r1;\n");
  run(nullptr, copies + arriveLater + "ret;\n" + wait + read);
  run("unfinished cp.async", copies + arrive + "ret;\n" + wait + read);
  run("more in this phase", "mbarrier.arrive.shared.b64 %d9, [%r51], 40;\nconsumer:\n");
  run("holds an mbarrier", "st.shared.b32 [%r51], %r1;\nconsumer:\n");
  run("there is no mbarrier", "consumer:\nmbarrier.arrive.shared.b64 %d9, [%r51+8];\n");
}

/// Tensor maps of A (64 by K) and B (64 by K, both K-major), swizzled by 128 bytes: 64 halves are one row.
struct alignas(64) Map {
  unsigned char bytes[128];
};

Map mapOf(uint64_t address, uint64_t rows, uint64_t columns, uint32_t boxRows, int swizzle) {
  Map map;
  const uint64_t dims[] = {columns, rows}, strides[] = {columns * 2};
  const uint32_t box[] = {64, boxRows}, steps[] = {1, 1};
  CHECK_OK(cuTensorMapEncodeTiled(&map, 6, 2, reinterpret_cast<void *>(address), dims, strides, box, steps, 0, swizzle, 0, 0));
  return map;
}

const char *maps = ".param .align 64 .b8 a[128], .param .align 64 .b8 b[128], .param .u64 c";
const std::string startTma =
    "mov.b64 %d1, a;\ncvta.param.u64 %d1, %d1;\nmov.b64 %d2, b;\ncvta.param.u64 %d2, %d2;\nld.param.u64 %d3, [c];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r50, s;\nadd.u32 %r51, %r50, 40960;\nsetp.eq.u32 %p1, %r1, 0;\n"
    "@%p1 mbarrier.init.shared.b64 [%r51], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\nmov.u32 %r2, 0;\n"
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r51], 16384;\n"
    "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r50], [%d1, {%r2, %r2}], [%r51];\n"
    "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r50+8192], [%d2, {%r2, %r2}], "
    "[%r51];\n";
const std::string waitTma = "wait:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r51], 0;\n@!%p2 bra wait;\n";
/// Descriptors: 128-byte swizzle, eight rows of 128 bytes to a group; K goes on by 32 bytes.
const std::string descriptors =
    "shr.u32 %r3, %r50, 4;\ncvt.u64.u32 %d4, %r3;\nor.b64 %d4, %d4, 0x4000004000010000;\nadd.s64 %d5, %d4, 512;\n";

std::string accumulators(unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", %f" : "%f") + std::to_string(i);
  return text + "}";
}

std::string products(const char *fenceText, const char *waitText) {
  std::string text = fenceText;
  for (int k = 0; k < 4; ++k) {
    const std::string step = std::to_string(2 * k);
    text += "setp.ne.u32 %p3, %r2, " + std::string(k ? "1" : "0") + ";\nadd.s64 %d6, %d4, " + step + ";\nadd.s64 %d7, %d5, " +
            step + ";\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " + accumulators(32) +
            ", %d6, %d7, %p3, 1, 1, 0, 0;\n";
  }
  return text + "wgmma.commit_group.sync.aligned;\n" + waitText;
}

/// D's fragment to row-major 64 by 64 floats.
std::string storeD() {
  std::string text = "shr.u32 %r20, %r1, 5;\nshl.b32 %r20, %r20, 4;\nand.b32 %r21, %r1, 31;\nshr.u32 %r22, %r21, 2;\nadd.u32 "
                     "%r20, %r20, %r22;\n"
                     "and.b32 %r21, %r1, 3;\nshl.b32 %r21, %r21, 1;\nshl.b32 %r20, %r20, 6;\nadd.u32 %r20, %r20, "
                     "%r21;\nmul.wide.u32 %d8, %r20, 4;\n"
                     "add.s64 %d8, %d3, %d8;\n";
  for (int j = 0; j < 8; ++j)
    for (int half = 0; half < 2; ++half)
      text += "st.global.v2.f32 [%d8+" + std::to_string(j * 32 + half * 2048) + "], {%f" + std::to_string(j * 4 + half * 2) +
              ", %f" + std::to_string(j * 4 + half * 2 + 1) + "};\n";
  return text;
}

struct Case {
  std::vector<uint16_t> a = randomHalves(64 * 64), b = randomHalves(64 * 64);
  Scope scope;
  Buffer<uint16_t> da{a}, db{b};
  Buffer<float> dc{64 * 64};
  Map mapA = mapOf(da.address, 64, 64, 64, 3), mapB = mapOf(db.address, 64, 64, 64, 3);
  Shape shape{{1, 1, 1}, {128, 1, 1}};
  std::vector<void *> arguments() { return {&mapA, &mapB, dc}; }
};

const char *fenceText = "wgmma.fence.sync.aligned;\n", *waitText = "wgmma.wait_group.sync.aligned 0;\n";

void hopper() {
  const auto text = [](const std::string &body) { return kernelText(maps, startTma + body, "sm_90a", shared); };
  const std::string right = waitTma + descriptors + products(fenceText, waitText) + storeD();
  {
    Case test;
    SILENT(text(right), test.shape, test.arguments());
    const auto c = test.dc.read();
    int wrong = 0;
    for (size_t i = 0; i < 64; ++i)
      for (size_t j = 0; j < 64; ++j) {
        double sum = 0;
        for (size_t k = 0; k < 64; ++k)
          sum += double(floatOf(test.a[i * 64 + k])) * floatOf(test.b[j * 64 + k]);
        wrong += std::fabs(c[i * 64 + j] - sum) > 1e-5;
      }
    CHECK(wrong == 0);
    FAULT(text(descriptors + products(fenceText, waitText)), test.shape, test.arguments(), failed, "shared memory");
  }
  const auto bad = [&](const std::string &body, const char *words) {
    Case test;
    FAULT(text(body), test.shape, test.arguments(), failed, words);
  };
  bad(waitTma + descriptors + products("", waitText) + storeD(), "no wgmma.fence");
  bad(waitTma + descriptors + products("wgmma.fence.sync.aligned;\nmov.f32 %f3, 0f00000000;\n", waitText),
      "without wgmma.fence between");
  bad(waitTma + descriptors + products(fenceText, "") + storeD(), "has not been waited for");
  const std::string overwrite = "add.u32 %r4, %r50, %r1;\nst.shared.b8 [%r4], %r1;\n";
  bad(waitTma + descriptors + products(fenceText, "") + "bar.sync 0;\n" + overwrite + waitText, "before wgmma that reads it");
  // Others have come to the barrier, but may still wait for their products, as long as all take here to do it.
  const std::string delay = "mov.u32 %r4, 0;\nlater:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 10000;\n@%p3 bra later;\n";
  bad(waitTma + descriptors + products(fenceText, "") + "bar.sync 0;\n" + waitText + delay + overwrite,
      "data race on shared memory");
  const std::string rewrite = "shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r50, %r4;\nst.shared.b32 [%r4], %r1;\n";
  bad(waitTma + "bar.sync 0;\n" + rewrite + "bar.sync 0;\n" + descriptors + products(fenceText, waitText),
      "without fence.proxy.async");
  Case test;
  SILENT(text(waitTma + "bar.sync 0;\n" + rewrite + "fence.proxy.async.shared::cta;\nbar.sync 0;\n" + descriptors +
              products(fenceText, waitText)),
         test.shape, test.arguments());
}

/// cp.async writes through the generic proxy: wgmma reads its data after a fence on either side of the barrier.
void copiedOperands() {
  const std::string copy = waitTma + "bar.sync 0;\nshl.b32 %r4, %r1, 4;\nadd.u32 %r4, %r50, %r4;\nmul.wide.u32 %d8, %r1, 16;\n"
                                     "add.s64 %d8, %d3, %d8;\ncp.async.cg.shared.global [%r4], [%d8], 16;\n"
                                     "cp.async.commit_group;\ncp.async.wait_group 0;\n";
  const std::string fence = "fence.proxy.async.shared::cta;\n", barrier = "bar.sync 0;\n",
                    use = descriptors + products(fenceText, waitText);
  const auto text = [&](const std::string &between) {
    return kernelText(maps, startTma + copy + between + use, "sm_90a", shared);
  };
  Case test;
  CHECK_OK(cuMemsetD8_v2(test.dc.address, 0, 64 * 64 * 4));
  SILENT(text(fence + barrier), test.shape, test.arguments());
  SILENT(text(barrier + fence), test.shape, test.arguments());
  FAULT(text(barrier), test.shape, test.arguments(), failed, "without fence.proxy.async");
}

/// A box partly outside comes filled with zeros and goes back clipped.
void tensorBoxes() {
  const std::string body =
      "mov.b64 %d1, a;\ncvta.param.u64 %d1, %d1;\nmov.b64 %d2, b;\ncvta.param.u64 %d2, %d2;\nld.param.u64 %d3, [c];\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r50, s;\nadd.u32 %r51, %r50, 40960;\nsetp.eq.u32 %p1, %r1, 0;\n"
      "@%p1 mbarrier.init.shared.b64 [%r51], 1;\nbar.sync 0;\nmov.u32 %r2, 40;\nmov.u32 %r3, -2;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d9, [%r51], 1024;\n"
      "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r50], [%d1, {%r2, %r3}], [%r51];\n"
      "wait:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r51], 0;\n@!%p2 bra wait;\n";
  const std::string store = "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d2, {%r2, %r3}], [%r50];\n@%p1 "
                            "cp.async.bulk.commit_group;\n";
  const std::string wait = "@%p1 cp.async.bulk.wait_group.read 0;\n";
  const auto from = randomHalves(16 * 64);
  for (int swizzle = 0; swizzle < 4; swizzle += 3) {
    const Scope scope;
    Buffer<uint16_t> a(from), b(std::vector<uint16_t>(16 * 64, 9));
    Map mapA = mapOf(a.address, 16, 64, 8, swizzle), mapB = mapOf(b.address, 16, 64, 8, swizzle);
    uint64_t none = 0;
    SILENT(kernelText(maps, body + store + wait, "sm_90", shared), {}, {&mapA, &mapB, &none});
    const auto result = b.read();
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 64; ++j)
        CHECK(result[i * 64 + j] == (i < 6 && j >= 40 ? from[i * 64 + j] : 9));
    const std::string reuse = "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r50;\nbar.sync 0;\nst.shared.b32 [%r5], %r1;\n";
    SILENT(kernelText(maps, body + store + wait + reuse, "sm_90", shared), {}, {&mapA, &mapB, &none});
    FAULT(kernelText(maps, body + store + reuse, "sm_90", shared), {}, {&mapA, &mapB, &none}, failed,
          "before cp.async.bulk that reads it");
  }
}

/// A box with traversal strides loads every third row that exists, as many as fit; of the innermost dimension
/// all elements, whatever its step.
void steppedBoxes() {
  const std::string body =
      "mov.b64 %d1, a;\ncvta.param.u64 %d1, %d1;\nmov.b64 %d2, b;\ncvta.param.u64 %d2, %d2;\nld.param.u64 %d3, [c];\n"
      "mov.u32 %r1, %tid.x;\nmov.u32 %r50, s;\nadd.u32 %r51, %r50, 40960;\nsetp.eq.u32 %p1, %r1, 0;\n"
      "@%p1 mbarrier.init.shared.b64 [%r51], 1;\nbar.sync 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, -2;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d9, [%r51], 384;\n"
      "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r50], [%d1, {%r2, %r3}], [%r51];\n"
      "wait:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r51], 0;\n@!%p2 bra wait;\n"
      "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d2, {%r2, %r2}], [%r50];\n"
      "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group.read 0;\n";
  const auto from = randomHalves(3 * 64);
  const Scope scope;
  Buffer<uint16_t> a(from), b(std::vector<uint16_t>(3 * 64, 9));
  Map stepped, mapB = mapOf(b.address, 3, 64, 3, 3);
  const uint64_t dims[] = {64, 3}, strides[] = {128};
  auto encode = [&](uint32_t boxRows, uint32_t step) {
    const uint32_t box[] = {64, boxRows}, steps[] = {5, step};
    return cuTensorMapEncodeTiled(&stepped, 6, 2, reinterpret_cast<void *>(a.address), dims, strides, box, steps, 0, 3, 0, 0);
  };
  CHECK(encode(8, 9) == 1);
  CHECK(encode(257, 2) == 1);
  CHECK_OK(encode(8, 3));
  uint64_t none = 0;
  SILENT(kernelText(maps, body, "sm_90", shared), {}, {&stepped, &mapB, &none});
  const auto result = b.read();
  for (size_t i = 0; i < 3; ++i) // from rows -2, 1 and 4
    for (size_t j = 0; j < 64; ++j)
      CHECK(result[i * 64 + j] == (i == 1 ? from[64 + j] : 0));
}

/// Two blocks of a cluster: each writes into the other's shared memory, one copy goes to both.
void clusters() {
  const std::string body =
      load + "mov.u32 %r2, %cluster_ctarank;\nxor.b32 %r3, %r2, 1;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r5, %r50, %r4;\n"
             "mapa.shared::cluster.u32 %r6, %r5, %r3;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
             "mad.lo.u32 %r7, %r2, 100, %r1;\nst.shared::cluster.b32 [%r6], %r7;\n";
  const std::string after =
      "ld.shared.b32 %r8, [%r5];\nmad.lo.u32 %r9, %r2, 32, %r1;\nmul.wide.u32 %d4, %r9, 4;\nadd.s64 %d4, %d3, %d4;\n"
      "st.global.b32 [%d4], %r8;\n";
  const Scope scope;
  Buffer<int> a(std::vector<int>(64)), c(64);
  const Shape pair{{2, 1, 1}, {32, 1, 1}, 0, 2};
  SILENT(kernelText(three, body + "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n" + after,
                    "sm_90", shared),
         pair, {a, a, c});
  const auto result = c.read();
  for (int i = 0; i < 64; ++i)
    CHECK(result[static_cast<size_t>(i)] == (i < 32 ? 100 + i : i - 32));

  const std::string multicast =
      load +
      "mov.u32 %r2, %cluster_ctarank;\nadd.u32 %r51, %r50, 40960;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 "
      "[%r51], 1;\n"
      "fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nmov.u16 %h1, 3;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d9, [%r51], 128;\nsetp.eq.u32 %p3, %r2, 0;\nand.pred %p3, %p3, %p1;\n"
      "@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r50], [%d1], 128, [%r51], "
      "%h1;\n"
      "wait:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r51], 0;\n@!%p2 bra wait;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r5, %r50, "
      "%r4;\n" +
      after + "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  std::vector<int> from(32);
  for (int i = 0; i < 32; ++i)
    from[static_cast<size_t>(i)] = i * i;
  Buffer<int> source(from);
  SILENT(kernelText(three, multicast, "sm_90", shared), pair, {source, a, c});
  const auto both = c.read();
  for (int i = 0; i < 64; ++i)
    CHECK(both[static_cast<size_t>(i)] == i % 32 * (i % 32));
  const Scope other;
  Buffer<int> source2(from), d(64);
  const std::string never =
      load + "add.u32 %r51, %r50, 40960;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r51], 1;\nbar.sync 0;\n"
             "wait:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r51], 0;\n@!%p2 bra wait;\n";
  FAULT(kernelText(three, never, "sm_90", shared), {}, {source2, a, d}, failed, "deadlock");
}
} // namespace

int main() {
  warpProduct();
  otherProducts();
  doubleProduct();
  matrixMoves();
  barriers();
  tensorBoxes();
  steppedBoxes();
  clusters();
  hopper();
  copiedOperands();
  return report();
}
