// Entry points about memory.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Driver.h"

#include <algorithm>

namespace standin {

namespace {
/// One side of a copy: bytes, and for device memory what is known of them.
struct Side {
  u8 *bytes, *state;
};

bool isDevice(u64 address) { return Driver::get().deviceOf(address) != nullptr; }

/// Checks a range when the call is made or, `late`, when the operation executes.
Side side(u64 address, u64 size, bool late) {
  Device *device = Driver::get().deviceOf(address);
  if (!device)
    return {reinterpret_cast<u8 *>(address), nullptr};
  u64 start, length;
  if (!device->arena->find(address, start, length) || address - start + size > length)
    throw Fault{late ? illegalAddress : invalidValue, "a copy or set of " + std::to_string(size) + " bytes at " + hex(address) +
                                                          ": " + device->arena->describe(address, size)};
  return {device->arena->bytesAt(address), device->arena->stateAt(address)};
}

void copyNow(u64 to, u64 from, u64 size, bool late) {
  const Side target = side(to, size, late), source = side(from, size, late);
  memmove(target.bytes, source.bytes, size);
  if (!target.state)
    return;
  if (source.state) { // what is undefined stays so
    memmove(target.state, source.state, size);
    std::replace(target.state, target.state + size, static_cast<u8>(readOnlyByte), static_cast<u8>(definedByte));
  } else {
    memset(target.state, definedByte, size);
  }
}

/// True if the driver accepts the ends of a copy; the result is undefined if they overlap.
bool isCopy(u64 to, u64 from, u64 size) {
  if (!to || !from)
    return false;
  side(to, size, false);
  side(from, size, false);
  if (to < from + size && from < to + size) {
    fprintf(stderr, "standin: a copy of %llu bytes from %s to %s, which overlap\n", (unsigned long long)size, hex(from).c_str(),
            hex(to).c_str());
    return false;
  }
  return true;
}

int copySync(u64 to, u64 from, u64 size) {
  Driver &driver = Driver::get();
  Context &context = driver.current();
  driver.refuseCapture();
  if (!size)
    return success;
  if (!isCopy(to, from, size))
    return invalidValue;
  driver.enqueue(driver.stream(nullptr), Operation::Copy, [=](Context &) { copyNow(to, from, size, true); });
  driver.drain(*context.legacy);
  driver.log("copy %llx <- %llx %llu bytes", (unsigned long long)to, (unsigned long long)from, (unsigned long long)size);
  return context.sticky;
}

int copyAsync(u64 to, u64 from, u64 size, void *handle) {
  Driver &driver = Driver::get();
  Stream &stream = driver.stream(handle);
  if (!size)
    return success;
  if (!isCopy(to, from, size))
    return invalidValue;
  driver.log("copy %llx <- %llx %llu bytes, stream %p", (unsigned long long)to, (unsigned long long)from,
             (unsigned long long)size, handle);
  // The driver may copy pageable memory before it returns, or later.
  driver.enqueue(stream, Operation::Copy, [=](Context &) { copyNow(to, from, size, true); });
  return success;
}

void setNow(u64 to, u32 value, u64 count, u32 width) {
  const Side target = side(to, count * width, true);
  for (u64 i = 0; i < count; ++i)
    memcpy(target.bytes + i * width, &value, width);
  if (target.state)
    memset(target.state, definedByte, count * width);
}

int set(u64 to, u32 value, u64 count, u32 width, void *handle, bool waits) {
  Driver &driver = Driver::get();
  Stream &stream = driver.stream(handle);
  if (waits)
    driver.refuseCapture();
  if (!count)
    return success;
  if (to % width || !isDevice(to))
    return invalidValue;
  side(to, count * width, false);
  driver.log("set %llx %llu elements of %u bytes to %u", (unsigned long long)to, (unsigned long long)count, width, value);
  driver.enqueue(stream, Operation::Set, [=](Context &) { setNow(to, value, count, width); });
  return success;
}

u64 allocate(Context &context, size_t size) {
  u64 address = context.device->arena->allocate(size);
  if (!address) { // frees may be waiting in streams
    Driver::get().drainContext(context);
    address = context.device->arena->allocate(size);
  }
  Driver::get().log("allocate %zu bytes: %llx", size, (unsigned long long)address);
  return address;
}
} // namespace

STANDIN_API cuMemGetInfo_v2(size_t *free, size_t *total) {
  return enter("cuMemGetInfo", true, [&]() -> int {
    const Arena &arena = *Driver::get().current().device->arena;
    if (free)
      *free = arena.freeBytes();
    if (total)
      *total = arena.total();
    return success;
  });
}
STANDIN_API cuMemAlloc_v2(u64 *address, size_t size) {
  return enter("cuMemAlloc", true, [&]() -> int {
    Driver &driver = Driver::get();
    Context &context = driver.current();
    driver.refuseCapture();
    if (!address || !size)
      return invalidValue;
    return (*address = allocate(context, size)) ? success : outOfMemory;
  });
}
STANDIN_API cuMemFree_v2(u64 address) {
  return enter("cuMemFree", true, [&]() -> int {
    Driver &driver = Driver::get();
    Context &context = driver.current();
    driver.refuseCapture();
    if (!address)
      return success;
    driver.drainContext(context);
    if (context.sticky)
      return context.sticky;
    Device *device = driver.deviceOf(address);
    driver.log("free %llx", (unsigned long long)address);
    if (!device || !device->arena->release(address)) {
      fprintf(stderr, "standin: cuMemFree of %s, which begins no live allocation\n", hex(address).c_str());
      return invalidValue;
    }
    return success;
  });
}
STANDIN_API cuMemAllocAsync(u64 *address, size_t size, void *stream) {
  return enter("cuMemAllocAsync", true, [&]() -> int {
    Stream &on = Driver::get().stream(stream);
    if (!address || !size)
      return invalidValue;
    return (*address = allocate(*on.context, size)) ? success : outOfMemory;
  });
}
STANDIN_API cuMemFreeAsync(u64 address, void *stream) {
  return enter("cuMemFreeAsync", true, [&]() -> int {
    Driver &driver = Driver::get();
    Stream &on = driver.stream(stream);
    u64 start, size;
    Device *device = driver.deviceOf(address);
    if (!device || !device->arena->find(address, start, size) || start != address)
      return invalidValue;
    driver.log("free %llx in stream %p", (unsigned long long)address, stream);
    driver.enqueue(on, Operation::Free, [=](Context &) { device->arena->release(address); });
    return success;
  });
}
STANDIN_API cuMemHostAlloc(void **bytes, size_t size, unsigned) {
  return enter("cuMemHostAlloc", true, [&]() -> int {
    Driver::get().current();
    Driver::get().refuseCapture();
    if (!bytes || !size)
      return invalidValue;
    *bytes = aligned_alloc(4096, roundUp(size, 4096));
    if (!*bytes)
      return outOfMemory;
    Driver::get().hostRanges[reinterpret_cast<u64>(*bytes)] = {size, true};
    return success;
  });
}
STANDIN_API cuMemAllocHost_v2(void **bytes, size_t size) { return cuMemHostAlloc(bytes, size, 0); }
STANDIN_API cuMemFreeHost(void *bytes) {
  return enter("cuMemFreeHost", true, [&]() -> int {
    Driver &driver = Driver::get();
    driver.refuseCapture();
    driver.drainContext(driver.current());
    const auto found = driver.hostRanges.find(reinterpret_cast<u64>(bytes));
    if (found == driver.hostRanges.end() || !found->second.owned)
      return invalidValue;
    driver.hostRanges.erase(found);
    free(bytes);
    return success;
  });
}
STANDIN_API cuMemHostRegister_v2(void *bytes, size_t size, unsigned) {
  return enter("cuMemHostRegister", true, [&]() -> int {
    Driver::get().current();
    Driver::get().refuseCapture();
    if (!bytes || !size)
      return invalidValue;
    return Driver::get().hostRanges.emplace(reinterpret_cast<u64>(bytes), HostRange{size, false}).second ? success : 712;
  });
}
STANDIN_API cuMemHostUnregister(void *bytes) {
  return enter("cuMemHostUnregister", true, [&]() -> int {
    Driver &driver = Driver::get();
    driver.refuseCapture();
    driver.drainContext(driver.current());
    const auto found = driver.hostRanges.find(reinterpret_cast<u64>(bytes));
    if (found == driver.hostRanges.end() || found->second.owned)
      return 713; // not registered
    driver.hostRanges.erase(found);
    return success;
  });
}
STANDIN_API cuMemHostGetDevicePointer_v2(u64 *address, void *bytes, unsigned) {
  return enter("cuMemHostGetDevicePointer", true, [&]() -> int {
    if (!address || !Driver::get().hostRange(reinterpret_cast<u64>(bytes), 1))
      return invalidValue;
    *address = reinterpret_cast<u64>(bytes);
    return success;
  });
}

STANDIN_API cuMemcpyHtoD_v2(u64 to, const void *from, size_t size) {
  return enter("cuMemcpyHtoD", true,
               [&] { return isDevice(to) || !size ? copySync(to, reinterpret_cast<u64>(from), size) : invalidValue; });
}
STANDIN_API cuMemcpyDtoH_v2(void *to, u64 from, size_t size) {
  return enter("cuMemcpyDtoH", true,
               [&] { return isDevice(from) || !size ? copySync(reinterpret_cast<u64>(to), from, size) : invalidValue; });
}
STANDIN_API cuMemcpyDtoD_v2(u64 to, u64 from, size_t size) {
  return enter("cuMemcpyDtoD", true,
               [&] { return (isDevice(from) && isDevice(to)) || !size ? copySync(to, from, size) : invalidValue; });
}
STANDIN_API cuMemcpy(u64 to, u64 from, size_t size) {
  return enter("cuMemcpy", true, [&] { return copySync(to, from, size); });
}
STANDIN_API cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t size, void *stream) {
  return enter("cuMemcpyHtoDAsync", true,
               [&] { return isDevice(to) || !size ? copyAsync(to, reinterpret_cast<u64>(from), size, stream) : invalidValue; });
}
STANDIN_API cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t size, void *stream) {
  return enter("cuMemcpyDtoHAsync", true, [&] {
    return isDevice(from) || !size ? copyAsync(reinterpret_cast<u64>(to), from, size, stream) : invalidValue;
  });
}
STANDIN_API cuMemcpyDtoDAsync_v2(u64 to, u64 from, size_t size, void *stream) {
  return enter("cuMemcpyDtoDAsync", true,
               [&] { return (isDevice(from) && isDevice(to)) || !size ? copyAsync(to, from, size, stream) : invalidValue; });
}
STANDIN_API cuMemcpyAsync(u64 to, u64 from, size_t size, void *stream) {
  return enter("cuMemcpyAsync", true, [&] { return copyAsync(to, from, size, stream); });
}
STANDIN_API cuMemcpyPeerAsync(u64 to, void *, u64 from, void *, size_t size, void *stream) {
  return enter("cuMemcpyPeerAsync", true, [&] { return copyAsync(to, from, size, stream); });
}
STANDIN_API cuMemsetD8_v2(u64 to, unsigned char value, size_t count) {
  return enter("cuMemsetD8", true, [&] { return set(to, value, count, 1, nullptr, true); });
}
STANDIN_API cuMemsetD16_v2(u64 to, unsigned short value, size_t count) {
  return enter("cuMemsetD16", true, [&] { return set(to, value, count, 2, nullptr, true); });
}
STANDIN_API cuMemsetD32_v2(u64 to, unsigned value, size_t count) {
  return enter("cuMemsetD32", true, [&] { return set(to, value, count, 4, nullptr, true); });
}
STANDIN_API cuMemsetD8Async(u64 to, unsigned char value, size_t count, void *stream) {
  return enter("cuMemsetD8Async", true, [&] { return set(to, value, count, 1, stream, false); });
}
STANDIN_API cuMemsetD16Async(u64 to, unsigned short value, size_t count, void *stream) {
  return enter("cuMemsetD16Async", true, [&] { return set(to, value, count, 2, stream, false); });
}
STANDIN_API cuMemsetD32Async(u64 to, unsigned value, size_t count, void *stream) {
  return enter("cuMemsetD32Async", true, [&] { return set(to, value, count, 4, stream, false); });
}
/// Returns one of these attributes: context 1, memory type 2, device pointer 3, host pointer 4, device ordinal 9, range start
/// 11, size 12.
STANDIN_API cuPointerGetAttribute(void *data, int which, u64 address) {
  return enter("cuPointerGetAttribute", true, [&]() -> int {
    Driver &driver = Driver::get();
    u64 start = 0, size = 0;
    Device *device = driver.deviceOf(address);
    const bool isHost = driver.hostRange(address, 1);
    if (!data || (device ? !device->arena->find(address, start, size) : !isHost))
      return invalidValue;
    switch (which) {
    case 1:
      storeBytes<void *>(data, &driver.currentEvenIfLost());
      return success;
    case 2:
      storeBytes<u32>(data, device ? 2 : 1);
      return success;
    case 3:
      storeBytes<u64>(data, address);
      return success;
    case 4:
      if (device)
        return invalidValue;
      storeBytes<u64>(data, address);
      return success;
    case 8:
      storeBytes<u32>(data, 0);
      return success; // managed
    case 9:
      storeBytes<int>(data, device ? static_cast<int>(device->index) : 0);
      return success;
    case 11:
      storeBytes<u64>(data, start);
      return success;
    case 12:
      storeBytes<u64>(data, size);
      return success;
    default:
      return invalidValue;
    }
  });
}

} // namespace standin
