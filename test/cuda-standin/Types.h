// Integer names, the driver's error codes and the exception that carries one.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace standin {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;

constexpr unsigned warpSize = 32;
constexpr u32 allLanes = 0xffffffffu;

/// The values of CUresult.
enum Code : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  invalidContext = 201,
  noBinaryForGpu = 209,
  invalidPtx = 218,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  launchOutOfResources = 701,
  launchTimeout = 702,
  peerAlreadyEnabled = 704,
  illegalInstruction = 715,
  misalignedAddress = 716,
  invalidAddressSpace = 717,
  launchFailed = 719,
  notSupported = 801,
  captureUnsupported = 900,
  captureInvalidated = 901,
  captureUnmatched = 903,
  captureUnjoined = 904,
  captureIsolation = 905,
  captureImplicit = 906,
  capturedEvent = 907,
  captureWrongThread = 908,
  graphUpdateFailure = 910,
  unknownError = 999,
};

/// A failure with the code that the driver returns for it.
struct Fault {
  Code code;
  std::string text;
};

inline std::string hex(u64 value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

inline u64 roundUp(u64 value, u64 alignment) { return (value + alignment - 1) / alignment * alignment; }

template <class T>
T loadBytes(const void *from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void storeBytes(void *to, T value) {
  memcpy(to, &value, sizeof value);
}

} // namespace standin
