// Tensor maps: what cuTensorMapEncodeTiled makes of its arguments, in a form of the stand-in's own.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Types.h"

namespace standin {

struct TensorMap { // fits the 128 bytes of a CUtensorMap
  u32 magic;
  u8 elementBytes, rank, swizzle, kind; // swizzle: 0 none, 1 to 3 for 32 to 128 bytes; kind: the CUtensorMapDataType
  u64 address;
  u32 dims[5];
  u16 box[5];
  u8 strides[5]; // of elements traversed
  u8 fillsNan;
  u64 byteStrides[4];
};
static_assert(sizeof(TensorMap) <= 128);
constexpr u32 tensorMapMagic = 0x4d54534c;

/// Moves 16-byte units among rows as the swizzle modes do: address bits 4 to 6 change by bits 7 to 9.
inline u32 swizzled(u32 offset, u32 mode) {
  const u32 mask = mode == 0 ? 0 : (1u << mode) - 1;
  return offset ^ ((offset >> 7 & mask) << 4);
}

} // namespace standin
