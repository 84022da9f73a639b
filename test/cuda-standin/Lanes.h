// Loops over a warp's lanes, of which operations are made.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Lower.h"

namespace standin {

template <class T>
const T *in(const Warp &warp, Slot slot) {
  return reinterpret_cast<const T *>(warp.base[slot >> 31] + (slot & ~constantBit));
}
template <class T>
T *out(Warp &warp, Slot slot) {
  return reinterpret_cast<T *>(warp.base[0] + slot);
}

/// Stores what `value(lane)` gives in the lanes of the mask. All lanes are computed, which the compiler makes vectors of:
/// `value` must be harmless for lanes that hold anything at all.
template <class T, class F>
inline void eachLane(Warp &warp, Slot slot, F value) {
  T *to = out<T>(warp, slot);
  T made[warpSize];
  for (u32 lane = 0; lane < warpSize; ++lane)
    made[lane] = value(lane);
  if (warp.mask == allLanes) {
    memcpy(to, made, sizeof made);
    return;
  }
  for (u32 lane = 0; lane < warpSize; ++lane)
    to[lane] = warp.mask >> lane & 1 ? made[lane] : to[lane];
}

template <class T, auto F>
void unary(Warp &warp, const Inst &inst) {
  const T *a = in<T>(warp, inst.op[1]);
  eachLane<T>(warp, inst.op[0], [&](u32 lane) { return static_cast<T>(F(a[lane])); });
}
template <class T, auto F>
void binary(Warp &warp, const Inst &inst) {
  const T *a = in<T>(warp, inst.op[1]), *b = in<T>(warp, inst.op[2]);
  eachLane<T>(warp, inst.op[0], [&](u32 lane) { return static_cast<T>(F(a[lane], b[lane])); });
}
template <class T, auto F>
void ternary(Warp &warp, const Inst &inst) {
  const T *a = in<T>(warp, inst.op[1]), *b = in<T>(warp, inst.op[2]), *c = in<T>(warp, inst.op[3]);
  eachLane<T>(warp, inst.op[0], [&](u32 lane) { return static_cast<T>(F(a[lane], b[lane], c[lane])); });
}
/// Results of one type from operands of another.
template <class R, class A, auto F>
void unaryTo(Warp &warp, const Inst &inst) {
  const A *a = in<A>(warp, inst.op[1]);
  eachLane<R>(warp, inst.op[0], [&](u32 lane) { return static_cast<R>(F(a[lane])); });
}
template <class R, class A, class B, auto F>
void binaryTo(Warp &warp, const Inst &inst) {
  const A *a = in<A>(warp, inst.op[1]);
  const B *b = in<B>(warp, inst.op[2]);
  eachLane<R>(warp, inst.op[0], [&](u32 lane) { return static_cast<R>(F(a[lane], b[lane])); });
}
template <class T, auto F>
void compare(Warp &warp, const Inst &inst) {
  const T *a = in<T>(warp, inst.op[1]), *b = in<T>(warp, inst.op[2]);
  u32 bits = 0;
  for (u32 lane = 0; lane < warpSize; ++lane)
    bits |= static_cast<u32>(F(a[lane], b[lane])) << lane;
  u32 &to = *out<u32>(warp, inst.op[0]);
  to = (to & ~warp.mask) | (bits & warp.mask);
}

inline u32 readPredicate(const Warp &warp, Slot slot) { return *in<u32>(warp, slot); }
inline void writePredicate(Warp &warp, Slot slot, u32 bits) {
  u32 &to = *out<u32>(warp, slot);
  to = (to & ~warp.mask) | (bits & warp.mask);
}

/// A lane of a register of `bytes` bytes, as bits.
inline u64 readLane(const Warp &warp, Slot slot, u32 bytes, u32 lane) {
  switch (bytes) {
  case 2:
    return in<u16>(warp, slot)[lane];
  case 4:
    return in<u32>(warp, slot)[lane];
  default:
    return in<u64>(warp, slot)[lane];
  }
}
inline void writeLane(Warp &warp, Slot slot, u32 bytes, u32 lane, u64 value) {
  switch (bytes) {
  case 2:
    out<u16>(warp, slot)[lane] = static_cast<u16>(value);
    return;
  case 4:
    out<u32>(warp, slot)[lane] = static_cast<u32>(value);
    return;
  default:
    out<u64>(warp, slot)[lane] = value;
  }
}

inline u32 firstLane(u32 lanes) { return static_cast<u32>(std::countr_zero(lanes)); }

/// Picks the instance of a template for one of the integer types of 16 to 64 bits.
#define STANDIN_BY_INTEGER(type, RUN)                                                                                          \
  ((type).kind == 's' ? ((type).bits == 16   ? RUN(s16)                                                                        \
                         : (type).bits == 32 ? RUN(s32)                                                                        \
                                             : RUN(s64))                                                                       \
                      : ((type).bits == 16   ? RUN(u16)                                                                        \
                         : (type).bits == 32 ? RUN(u32)                                                                        \
                                             : RUN(u64)))
#define STANDIN_BY_BITS(type, RUN) ((type).bits == 16 ? RUN(u16) : (type).bits == 32 ? RUN(u32) : RUN(u64))

} // namespace standin
