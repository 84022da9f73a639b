// cuTensorMapEncodeTiled.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Driver.h"
#include "TensorMap.h"

namespace standin {

namespace {
constexpr u8 elementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

/// The constraints that the driver's documentation lists; what is wrong goes to stderr.
const char *fault(const TensorMap &map, int interleave, int swizzle, const u64 *dims, const u64 *strides) {
  if (map.address % 16)
    return "the address is not aligned to 16 bytes";
  if (interleave)
    return "interleaved layouts are not known";
  if (swizzle < 0 || swizzle > 3)
    return "this swizzle is not known";
  u64 least = dims[0] * map.elementBytes;
  for (u32 i = 0; i < map.rank; ++i) {
    if (!dims[i] || dims[i] > u64(1) << 31) // above 2^32 before CUDA 13.5
      return "a dimension is 0 or above 2^31";
    if (!map.box[i] || map.box[i] > 256)
      return "a box dimension is 0 or above 256";
    if (!map.strides[i] || map.strides[i] > 8)
      return "an element stride is 0 or above 8";
    if (i + 1u == map.rank)
      break;
    if (strides[i] % 16 || strides[i] >= u64(1) << 40)
      return "a stride is not a multiple of 16 bytes, or too large";
    if (strides[i] < least)
      return "a stride is smaller than what it spans";
    least = strides[i] * dims[i + 1];
  }
  const u32 inner = map.box[0] * map.elementBytes;
  if (inner % 16)
    return "the box's inner dimension is not a multiple of 16 bytes";
  if (swizzle && inner > 16u << swizzle)
    return "the box's inner dimension is wider than the swizzle";
  return nullptr;
}
} // namespace

STANDIN_API cuTensorMapEncodeTiled(void *result, int kind, u32 rank, void *address, const u64 *dims, const u64 *strides,
                                   const u32 *box, const u32 *elementStrides, int interleave, int swizzle, int promotion,
                                   int fill) {
  return enter("cuTensorMapEncodeTiled", true, [&]() -> int {
    if (Driver::get().current().device->arch < 90)
      return notSupported;
    if (!result || reinterpret_cast<u64>(result) % 64 || !address || !dims || !box || !elementStrides || rank < 1 || rank > 5 ||
        (rank > 1 && !strides) || kind < 0 || kind > 12 || promotion < 0 || promotion > 3 || fill < 0 || fill > 1 ||
        (fill == 1 && kind < 6))
      return invalidValue;
    TensorMap map{};
    map.magic = tensorMapMagic;
    map.elementBytes = elementBytes[kind];
    map.kind = static_cast<u8>(kind);
    map.rank = static_cast<u8>(rank);
    map.swizzle = static_cast<u8>(swizzle);
    map.fillsNan = fill == 1;
    map.address = reinterpret_cast<u64>(address);
    for (u32 i = 0; i < rank; ++i) {
      map.dims[i] = static_cast<u32>(dims[i]);
      map.box[i] = static_cast<u16>(std::min(box[i], 0xffffu));
      map.strides[i] = static_cast<u8>(std::min(elementStrides[i], 255u));
      if (i + 1 < rank)
        map.byteStrides[i] = strides[i];
    }
    map.strides[0] =
        1; // "the first element of this array is ignored"; only interleaved layouts, not known here, have steps there
    if (const char *why = fault(map, interleave, swizzle, dims, strides)) {
      fprintf(stderr, "standin: cuTensorMapEncodeTiled: %s\n", why);
      return invalidValue;
    }
    memset(result, 0, 128);
    memcpy(result, &map, sizeof map);
    return success;
  });
}

} // namespace standin
