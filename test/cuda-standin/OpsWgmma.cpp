// wgmma: products of a warpgroup, which come when they are waited for.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Async.h"
#include "Floats.h"
#include "TensorMap.h"

#include <algorithm>

namespace standin {

/// One wgmma.mma_async of one warp: a warp's 16 rows of D depend on no other warp.
struct Wgmma {
  const Inst *inst;
  u64 a, b;                   // descriptors
  std::vector<u32> fragments; // A's registers, lane by lane, if A is in them
  bool keeps;                 // D is added to
  u32 stamp, pc;
};

namespace {
constexpr const char *name = "wgmma";

struct Form { // in Inst::kind and kind2
  u32 n, k;
  char a, b, d;
  u32 inputBits, accumulatorBits;
  bool aInRegisters, negateA, negateB, transposeA, transposeB, saturates;
};

Form formOf(const Inst &inst) {
  const u32 k = inst.kind >> 16 & 0xff, flags = inst.kind >> 24;
  return {inst.kind & 0xffff,
          k,
          static_cast<char>(inst.kind2),
          static_cast<char>(inst.kind2 >> 8),
          static_cast<char>(inst.kind2 >> 16),
          256 / k,
          inst.kind2 >> 24,
          (flags & 1) != 0,
          (flags & 2) != 0,
          (flags & 4) != 0,
          (flags & 8) != 0,
          (flags & 16) != 0,
          (flags & 32) != 0};
}

u32 accumulators(const Form &form) { return form.accumulatorBits == 16 ? form.n / 4 : form.n / 2; }

/// PTX ISA, "Matrix Descriptor Format" and "Strides": where an operand's element lies. `outer` counts along M or N, `inner`
/// along K.
u32 offsetOf(u64 descriptor, u32 outer, u32 inner, u32 bytes, bool outerMajor) {
  const u32 start = (descriptor & 0x3fff) << 4, leading = (descriptor >> 16 & 0x3fff) << 4,
            stride = (descriptor >> 32 & 0x3fff) << 4;
  const u32 layout = static_cast<u32>(descriptor >> 62), mode = layout == 0 ? 0 : 4 - layout; // 3: 128 bytes, 2: 64, 1: 32
  const u32 unit = 16 / bytes, row = 16u << mode; // elements of 16 bytes; bytes of a swizzled row
  u32 offset;
  if (!outerMajor) {
    // Rows of M or N, eight to a group. Without swizzle 16 bytes of each row lie together and K goes on by the leading offset.
    offset = outer / 8 * stride + outer % 8 * row;
    offset += mode ? inner * bytes : inner / unit * leading + inner % unit * bytes;
  } else {
    // Rows of K, each a run along M or N.
    const u32 run = row / bytes;
    offset = inner % 8 * row + outer % run * bytes;
    offset += mode ? outer / run * leading + inner / 8 * stride : outer / run * stride + inner / 8 * leading;
  }
  return swizzled(start + offset, mode);
}

/// Calls back with each element of an operand: `outers` of them from `first`, along all of K.
template <class F>
void eachElement(u64 descriptor, u32 first, u32 outers, u32 k, u32 bytes, bool outerMajor, F call) {
  for (u32 outer = first; outer < first + outers; ++outer)
    for (u32 inner = 0; inner < k; ++inner)
      call(outer, inner, offsetOf(descriptor, outer, inner, bytes, outerMajor));
}

void checkDescriptor(Warp &warp, u64 descriptor) {
  if (descriptor >> 49 & 7)
    fail(warp, 0, launchFailed, "a matrix descriptor with a base offset is not known");
}

/// Calls back with each 16 bytes of an operand, which lie together in every layout: along K, or along M or N if those are
/// major.
template <class F>
void eachUnit(u64 descriptor, u32 first, u32 outers, u32 k, u32 bytes, bool outerMajor, F call) {
  const u32 unit = 16 / bytes, outerStep = outerMajor ? unit : 1, innerStep = outerMajor ? 1 : unit;
  for (u32 outer = first; outer < first + outers; outer += outerStep)
    for (u32 inner = 0; inner < k; inner += innerStep)
      call(offsetOf(descriptor, outer, inner, bytes, outerMajor));
}

template <class F>
void eachOperandUnit(Warp &warp, const Form &form, const Wgmma &job, F call) {
  const u32 bytes = form.inputBits / 8;
  if (!form.aInRegisters)
    eachUnit(job.a, warp.index % 4 * 16, 16, form.k, bytes, form.transposeA, call);
  eachUnit(job.b, 0, form.n, form.k, bytes, form.transposeB, call);
}

void readable(Warp &warp, const Form &form, const Wgmma &job) {
  eachOperandUnit(warp, form, job, [&](u32 offset) {
    if (offset + 16 > warp.block->shared.size())
      fail(warp, 0, illegalAddress, "a matrix descriptor leads out of shared memory: offset " + std::to_string(offset));
    readAsync(warp, 0, false, *warp.block, offset, 16, name);
  });
}

double fetch(Warp &warp, u32 offset, char kind, u32 bits) {
  u32 value = 0;
  memcpy(&value, warp.block->shared.data() + offset, bits / 8);
  return matrixElement(kind, bits, value);
}

void loadA(Warp &warp, const Form &form, const Wgmma &job, std::vector<double> &a) {
  if (!form.aInRegisters) {
    const u32 rows = warp.index % 4 * 16;
    eachElement(job.a, rows, 16, form.k, form.inputBits / 8, form.transposeA, [&](u32 row, u32 k, u32 offset) {
      a[(row - rows) * form.k + k] = fetch(warp, offset, form.a, form.inputBits);
    });
    return;
  }
  const u32 each = 32 / form.inputBits; // as in the fragments of mma.m16n8
  for (u32 lane = 0; lane < warpSize; ++lane)
    for (u32 r = 0; r < 4; ++r)
      for (u32 i = 0; i < each; ++i)
        a[(lane / 4 + 8 * (r % 2)) * form.k + r / 2 * 4 * each + lane % 4 * each + i] =
            matrixElement(form.a, form.inputBits, job.fragments[lane * 4 + r] >> (i * form.inputBits % 32));
}

/// PTX ISA, "Accumulator D fragment" of wgmma: pairs of columns, then the same eight rows below, then the next eight columns.
void accumulate(Warp &warp, const Form &form, const Wgmma &job, const std::vector<double> &a, const std::vector<double> &b) {
  const u32 registers = accumulators(form), per = form.accumulatorBits == 16 ? 2 : 1;
  for (u32 lane = 0; lane < warpSize; ++lane)
    for (u32 r = 0; r < registers; ++r) {
      u32 &d = out<u32>(warp, job.inst->list[r])[lane], made = 0;
      for (u32 i = 0; i < per; ++i) {
        const u32 index = r * per + i, row = lane / 4 + 8 * (index / 2 % 2), column = index / 4 * 8 + lane % 4 * 2 + index % 2;
        double sum = 0;
        for (u32 k = 0; k < form.k; ++k)
          sum += a[row * form.k + k] * b[column * form.k + k];
        if (form.d == 's') {
          const s64 whole = static_cast<s64>(sum) + (job.keeps ? static_cast<s32>(d) : 0);
          made = static_cast<u32>(form.saturates ? std::min<s64>(std::max<s64>(whole, INT32_MIN), INT32_MAX) : whole);
          continue;
        }
        if (form.negateA != form.negateB)
          sum = -sum;
        if (per == 2)
          made |= roundTo(half, sum + (job.keeps ? halfToFloat(static_cast<u16>(d >> (16 * i))) : 0.0f)) << (16 * i);
        else
          made = floatToBits(canonical(truncated(sum + (job.keeps ? bitsToFloat(d) : 0.0f))));
      }
      d = made;
    }
}

template <class F>
void eachRegister(const Inst &inst, F call) {
  const Form form = formOf(inst);
  const u32 count = accumulators(form) + (form.aInRegisters ? 4 : 0);
  for (u32 i = 0; i < count; ++i)
    call(inst.list[i]);
}

void compute(Warp &warp, const Wgmma &job) {
  const Form form = formOf(*job.inst);
  const u32 pc = warp.pc;
  warp.pc = job.pc;
  eachOperandUnit(warp, form, job, [&](u32 offset) {
    stillUnwritten(warp, 0, *warp.block, offset, 16, job.stamp, name);
    readAsync(warp, 0, false, *warp.block, offset, 16, name);
    recordProductRead(warp, offset); // until now: who writes next must have heard of the wait
  });
  std::vector<double> a(16 * form.k), b(form.n * form.k);
  loadA(warp, form, job, a);
  eachElement(job.b, 0, form.n, form.k, form.inputBits / 8, form.transposeB,
              [&](u32 column, u32 k, u32 offset) { b[column * form.k + k] = fetch(warp, offset, form.b, form.inputBits); });
  accumulate(warp, form, job, a, b);
  warp.pc = pc;
  eachRegister(*job.inst, [&](Slot slot) {
    if (--warp.pendingRegisters[slot] == 0)
      warp.pendingRegisters.erase(slot);
  });
}

void wholeWarp(Warp &warp) {
  if (warp.mask != allLanes)
    fail(warp, firstLane(warp.mask), launchFailed, "wgmma needs all 32 lanes of a warp");
}

/// list: D, A's registers if it is in them; op[0], op[1]: the descriptors of A and B; op[2]: whether D is added to.
void issue(Warp &warp, const Inst &inst) {
  wholeWarp(warp);
  const Form form = formOf(inst);
  if (warp.touched.empty())
    warp.touched.resize(warp.kernel->registerBytes / 4 + 1);
  eachRegister(inst, [&](Slot slot) {
    if (warp.touched[slot / 4] == warp.wgmmaFences + 1)
      fail(warp, 0, launchFailed, "registers of wgmma were used by other instructions, without wgmma.fence between");
  });
  if (!warp.wgmmaFences)
    fail(warp, 0, launchFailed, "no wgmma.fence before the first wgmma.mma_async");
  auto job = std::make_shared<Wgmma>();
  job->inst = &inst;
  job->a = form.aInRegisters ? 0 : in<u64>(warp, inst.op[0])[0];
  job->b = in<u64>(warp, inst.op[1])[0];
  job->keeps = inst.op[2] == noSlot || ((readPredicate(warp, inst.op[2]) ^ (inst.target ? ~0u : 0)) & 1);
  job->pc = warp.pc;
  if (form.aInRegisters)
    for (u32 lane = 0; lane < warpSize; ++lane)
      for (u32 r = 0; r < 4; ++r)
        job->fragments.push_back(in<u32>(warp, inst.list[accumulators(form) + r])[lane]);
  checkDescriptor(warp, job->a);
  checkDescriptor(warp, job->b);
  readable(warp, form, *job);
  job->stamp = warp.block->now;
  eachRegister(inst, [&](Slot slot) { ++warp.pendingRegisters[slot]; });
  warp.openWgmma.push_back(std::move(job));
}

void fence(Warp &warp, const Inst &) { ++warp.wgmmaFences; }

void commit(Warp &warp, const Inst &) {
  warp.wgmmaGroups.push_back(std::move(warp.openWgmma));
  warp.openWgmma.clear();
}

void wait(Warp &warp, const Inst &inst) {
  wholeWarp(warp);
  for (; warp.wgmmaGroups.size() > inst.kind; warp.wgmmaGroups.erase(warp.wgmmaGroups.begin()))
    for (const auto &job : warp.wgmmaGroups.front())
      compute(warp, *job);
  // Others may overwrite the operands of this warp's products once any of its lanes has signalled them.
  warp.common.noteWarp(asyncWarp(warp), ++warp.block->now);
}

void mmaAsync(Build &build) {
  Inst &inst = build.inst;
  u32 m = 0, n = 0, k = 0;
  for (const auto word : build.statement.words)
    if (sscanf(std::string(word).c_str(), "m%un%uk%u", &m, &n, &k) == 3)
      build.has(word);
  const bool saturates = build.has("satfinite");
  const auto types = build.types();
  if (types.size() != 3)
    build.unknown();
  const Type d = types[0], a = types[1], b = types[2];
  const u32 bits = a.kind == 't' ? 32 : a.bits;
  if (m != 64 || n % 8 || n < 8 || n > 256 || k * bits != 256 || (b.kind == 't' ? 32 : b.bits) != bits ||
      (d.bits != 32 && d.bits != 16))
    build.unknown();
  const bool aInRegisters = build.operand(1).kind == Operand::Vector;
  std::vector<Slot> slots = build.vector(build.operand(0), {'b', 32}, true);
  if (slots.size() != (d.bits == 16 ? n / 4 : n / 2))
    build.fail("'" + std::string(build.statement.text) + "' has an accumulator of the wrong length");
  if (aInRegisters) {
    const auto more = build.vector(build.operand(1), {'b', 32}, false);
    if (more.size() != 4)
      build.fail("a fragment of A has four registers");
    slots.insert(slots.end(), more.begin(), more.end());
  } else {
    inst.op[0] = build.source(1, {'b', 64});
  }
  inst.op[1] = build.source(2, {'b', 64});
  bool negated = false;
  inst.op[2] = build.predicate(build.operand(3), negated);
  inst.target = negated;
  const bool isInteger = d.kind == 's', transposes = bits == 16;
  const size_t wanted = 4 + (isInteger ? 0 : 2) + (transposes ? (aInRegisters ? 1 : 2) : 0);
  build.expect(wanted, wanted);
  u32 flags = aInRegisters | static_cast<u32>(saturates) << 5;
  if (!isInteger)
    flags |= static_cast<u32>(static_cast<s64>(build.immediate(4)) < 0) << 1 |
             static_cast<u32>(static_cast<s64>(build.immediate(5)) < 0) << 2;
  if (transposes && !aInRegisters)
    flags |= static_cast<u32>(build.immediate(6) & 1) << 3 | static_cast<u32>(build.immediate(7) & 1) << 4;
  else if (transposes)
    flags |= static_cast<u32>(build.immediate(6) & 1) << 4;
  inst.kind = n | k << 16 | flags << 24;
  inst.kind2 = static_cast<u32>(a.kind) | static_cast<u32>(b.kind) << 8 | static_cast<u32>(d.kind) << 16 | d.bits << 24;
  inst.listCount = static_cast<u16>(slots.size());
  inst.list = build.lowering.keep(std::move(slots));
  build.emit(issue);
}

void wgmma(Build &build) {
  build.lowering.kernel.usesWgmma = true;
  const Source &source = build.lowering.module.source;
  if (source.target != 90 || source.targetSuffix != 'a')
    build.fail("wgmma needs .target sm_90a");
  if (!build.has("sync") || !build.has("aligned"))
    build.unknown();
  build.inst.flags |= aligned;
  const int what = build.pick({"mma_async", "fence", "commit_group", "wait_group"}, -1);
  if (what == 0)
    return mmaAsync(build);
  if (what == 3)
    build.inst.kind = static_cast<u32>(build.immediate(0));
  if (what < 0)
    build.unknown();
  build.emit(what == 1 ? fence : what == 2 ? commit : wait);
}
} // namespace

/// No instruction may touch registers of unfinished wgmma; uses of the others are noted, for wgmma.fence must separate them
/// from wgmma.
void watchRegisters(Warp &warp, const Inst &inst) {
  if (inst.run == issue || inst.run == fence || inst.run == commit || inst.run == wait)
    return;
  if (warp.touched.empty())
    warp.touched.resize(warp.kernel->registerBytes / 4 + 1);
  const auto use = [&](Slot slot) {
    if (slot == noSlot || (slot & constantBit) || slot / 4 >= warp.touched.size())
      return;
    if (warp.pendingRegisters.count(slot))
      fail(warp, firstLane(warp.mask), launchFailed, "uses a register of a wgmma that has not been waited for");
    warp.touched[slot / 4] = warp.wgmmaFences + 1;
  };
  for (const Slot slot : inst.op)
    use(slot);
  for (u32 i = 0; i < inst.listCount; ++i)
    use(inst.list[i]);
}

void addWgmmaOps(std::map<std::string_view, Builder> &ops) { ops["wgmma"] = wgmma; }

} // namespace standin
