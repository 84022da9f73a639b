// atom and red.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Access.h"
#include "Floats.h"

namespace standin {

Space memorySpace(Build &build);

namespace {
enum Kind : u32 { Add, Min, Max, And, Or, Xor, Exch, Cas, Inc, Dec };

template <class T>
T integerResult(u32 kind, T old, T b, T c) {
  switch (kind) {
  case Add:
    return static_cast<T>(static_cast<u64>(old) + static_cast<u64>(b));
  case Min:
    return old < b ? old : b;
  case Max:
    return old > b ? old : b;
  case And:
    return old & b;
  case Or:
    return old | b;
  case Xor:
    return old ^ b;
  case Exch:
    return b;
  case Cas:
    return old == b ? c : old;
  case Inc:
    return static_cast<u64>(old) >= static_cast<u64>(b) ? T(0) : old + 1;
  default:
    return old == 0 || static_cast<u64>(old) > static_cast<u64>(b) ? b : old - 1;
  }
}

u16 halfSum(u16 a, u16 b, bool isBfloat) {
  const double sum = isBfloat ? static_cast<double>(bfloatToFloat(a)) + bfloatToFloat(b)
                              : static_cast<double>(halfToFloat(a)) + halfToFloat(b);
  return static_cast<u16>(roundTo(isBfloat ? bfloat : half, sum));
}

/// The value after the operation; kind2 holds the type.
u64 result(const Inst &inst, u64 old, u64 b, u64 c) {
  const char kind = static_cast<char>(inst.kind2 & 0xff);
  const u32 bits = inst.kind2 >> 8 & 0xff;
  const bool packed = inst.kind2 >> 16;
  if ((kind == 'f' || kind == 'h') && inst.kind == Add) {
    if (packed)
      return halfSum(static_cast<u16>(old), static_cast<u16>(b), kind == 'h') |
             static_cast<u32>(halfSum(static_cast<u16>(old >> 16), static_cast<u16>(b >> 16), kind == 'h')) << 16;
    if (bits == 16)
      return halfSum(static_cast<u16>(old), static_cast<u16>(b), kind == 'h');
    if (bits == 32) // atom.add.f32 on global memory flushes subnormals, on shared it does not (PTX ISA, "atom")
      return floatToBits(canonical(bitsToFloat(static_cast<u32>(old)) + bitsToFloat(static_cast<u32>(b))));
    return std::bit_cast<u64>(std::bit_cast<double>(old) + std::bit_cast<double>(b));
  }
  if (bits == 16)
    return integerResult<u16>(inst.kind, static_cast<u16>(old), static_cast<u16>(b), static_cast<u16>(c));
  if (bits == 32)
    return kind == 's' ? static_cast<u32>(
                             integerResult<s32>(inst.kind, static_cast<s32>(old), static_cast<s32>(b), static_cast<s32>(c)))
                       : integerResult<u32>(inst.kind, static_cast<u32>(old), static_cast<u32>(b), static_cast<u32>(c));
  return kind == 's'
             ? static_cast<u64>(integerResult<s64>(inst.kind, static_cast<s64>(old), static_cast<s64>(b), static_cast<s64>(c)))
             : integerResult<u64>(inst.kind, old, b, c);
}

/// list: results, then operands, count of each; op[0] is noSlot for red. op[2]: the operand of cas.
void run(Warp &warp, const Inst &inst) {
  ++warp.launch->events;
  stampWrite(warp);
  const u32 size = inst.size * inst.count;
  const bool hasResult = inst.regSize;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const u64 address = laneAddress(warp, inst, inst.op[4], lane);
    if (address & (size - 1))
      fail(warp, lane, misalignedAddress, "misaligned address " + hex(address) + " of an atomic operation");
    const u64 key = syncKey(warp, lane, inst.space, address);
    releaseAt(warp, 1u << lane, key, inst.flags & releases);
    if (hasResult)
      acquireAt(warp, 1u << lane, key, inst.flags & acquires);
    u8 *bytes = accessMemory(warp, lane, inst.space, address, size, Access::Atomic, inst.flags | strongAccess, nullptr);
    for (u32 i = 0; i < inst.count; ++i) {
      u64 old = 0;
      memcpy(&old, bytes + i * inst.size, inst.size);
      const u64 b = readLane(warp, inst.list[inst.count + i], inst.size, lane);
      const u64 c = inst.op[2] == noSlot ? 0 : readLane(warp, inst.op[2], inst.size, lane);
      const u64 made = result(inst, old, b, c);
      memcpy(bytes + i * inst.size, &made, inst.size);
      if (hasResult)
        writeLane(warp, inst.list[i], inst.size, lane, old);
    }
  }
}

void atomic(Build &build, bool hasResult) {
  Inst &inst = build.inst;
  inst.space = memorySpace(build);
  const int order = build.pick({"acquire", "release", "acq_rel", "relaxed"}, 3);
  inst.flags = static_cast<u16>((order == 0 || order == 2 ? acquires : 0) | (order == 1 || order == 2 ? releases : 0));
  build.ignore({"cta", "cluster", "gpu", "sys", "noftz", "L2::cache_hint"});
  const int kind = build.pick({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"}, -1);
  inst.count = static_cast<u8>(1 << (build.pick({"v2", "v4", "v8"}, -1) + 1));
  const Type type = build.type();
  const bool isFloat = type.kind == 'f' || type.kind == 'h';
  if (kind < 0 || type.bits < 16 || type.bits > 64 || (isFloat && kind != Add))
    build.unknown();
  inst.kind = static_cast<u32>(kind);
  inst.kind2 = static_cast<u32>(type.kind) | type.bits << 8 | type.packed << 16;
  inst.size = static_cast<u8>(type.bytes());
  inst.regSize = hasResult;
  const size_t first = hasResult;
  build.expect(first + (kind == Cas ? 3 : 2), first + (kind == Cas ? 3 : 2) + (kind != Cas));
  std::vector<Slot> slots(inst.count, noSlot);
  if (hasResult)
    slots = build.vector(build.operand(0), type, true);
  const auto operands = build.vector(build.operand(first + 1), type, false);
  slots.insert(slots.end(), operands.begin(), operands.end());
  if (slots.size() != 2u * inst.count)
    build.fail("a vector of the wrong length");
  inst.list = build.lowering.keep(std::move(slots));
  inst.listCount = static_cast<u16>(2 * inst.count);
  if (kind == Cas)
    inst.op[2] = build.source(first + 2, type);
  build.address(build.operand(first), 4);
  build.emit(run);
}

void atom(Build &build) { atomic(build, true); }
void red(Build &build) {
  if (build.has("async"))
    build.unknown();
  atomic(build, false);
}
} // namespace

void addAtomicOps(std::map<std::string_view, Builder> &ops) {
  ops["atom"] = atom;
  ops["red"] = red;
}

} // namespace standin
