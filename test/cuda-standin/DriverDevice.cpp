// Entry points about devices, contexts and errors.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Driver.h"

#include <dlfcn.h>

namespace standin {

Limits limitsOf(u32 arch) {
  constexpr u32 kilo = 1024;
  if (arch < 80)
    return {arch == 70 ? 96 * kilo : 64 * kilo, arch == 70 ? 96 * kilo : 64 * kilo, 0, arch == 75 ? 1024u : 2048u, 40};
  if (arch == 86 || arch == 89 || arch >= 120)
    return {99 * kilo, 100 * kilo, kilo, 1536, arch == 86 ? 84u : arch == 89 ? 128u : 170u};
  if (arch < 90)
    return {163 * kilo, 164 * kilo, kilo, 2048, 108};
  return {227 * kilo, 228 * kilo, kilo, 2048, arch == 90 ? 132u : 148u};
}

namespace {
struct ErrorName {
  int code;
  const char *name, *text;
};
constexpr ErrorName errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
    {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "dependency created on uncaptured work in another stream"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "attempt to terminate a thread-local capture sequence from another thread"},
    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
     "the graph update was not performed because it included changes which violated constraints"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorName *findError(int code) {
  for (const ErrorName &error : errors)
    if (error.code == code)
      return &error;
  return nullptr;
}

Device &deviceAt(int index) {
  Driver &driver = Driver::get();
  if (index < 0 || static_cast<size_t>(index) >= driver.devices.size())
    throw Fault{invalidDevice, ""};
  return *driver.devices[static_cast<size_t>(index)];
}

/// CUdevice_attribute values that are the same for all architectures.
constexpr std::pair<int, int> fixedAttributes[] = {
    {1, 1024},        {2, 1024},   {3, 1024},
    {4, 64},                                      // threads of a block: all, x, y, z
    {5, 2147483647},  {6, 65535},  {7, 65535},    // blocks of a grid
    {8, 48 * 1024},   {9, 65536},  {10, 32},      // shared memory of a block, constant memory, warp size
    {11, 2147483647}, {12, 65536}, {13, 1755000}, // pitch, registers of a block, clock in kHz
    {14, 512},        {15, 1},     {19, 1},
    {31, 1},                                               // texture alignment, overlap, mapped host memory, concurrent kernels
    {36, 2619000},    {37, 5120},  {38, 50 * 1024 * 1024}, // memory clock and bus width, L2
    {40, 3},          {41, 1},     {78, 1},
    {79, 1}, // copy engines, unified addressing, priorities, L1
    {80, 1},          {82, 65536}, {95, 1},
    {115, 1}, // L1, registers of a processor, cooperative launch, memory pools
};

int attribute(const Device &device, int which) {
  const Limits limits = limitsOf(device.arch);
  for (const auto &[known, value] : fixedAttributes)
    if (known == which)
      return value;
  switch (which) {
  case 16:
    return Driver::get().resident ? 1 : static_cast<int>(limits.processors);
  case 34: // PCI bus
    return static_cast<int>(device.index) + 1;
  case 39:
    return static_cast<int>(limits.threadsPerProcessor);
  case 75:
    return static_cast<int>(device.arch / 10);
  case 76:
    return static_cast<int>(device.arch % 10);
  case 81:
    return static_cast<int>(limits.sharedPerProcessor);
  case 97:
    return static_cast<int>(limits.sharedOptIn);
  case 106: // blocks of a processor
    return device.arch >= 90 ? 32 : 16;
  case 111:
    return static_cast<int>(limits.reserved);
  case 120: // cluster launch
  case 127: // tensor maps
    return device.arch >= 90;
  default:
    return 0;
  }
}

Context &contextOf(void *handle) {
  if (!handle || !Driver::get().contexts.count(handle))
    throw Fault{invalidContext, ""};
  return *static_cast<Context *>(handle);
}

/// The streams of a context that goes away.
void dropContext(Driver &driver, Context &context) {
  driver.drainContext(context);
  for (auto at = driver.streams.begin(); at != driver.streams.end();)
    at = (*at)->context == &context ? driver.streams.erase(at) : std::next(at);
  driver.contexts.erase(&context);
  driver.log("context destroyed; %llu launches, %llu lane instructions so far",
             static_cast<unsigned long long>(driver.launches), static_cast<unsigned long long>(driver.instructions));
}
} // namespace

STANDIN_API cuInit(unsigned flags) {
  return enter("cuInit", false, [&]() -> int {
    Driver &driver = Driver::get();
    if (flags)
      return invalidValue;
    if (driver.devices.empty())
      return noDevice;
    driver.initialized = true;
    return success;
  });
}
STANDIN_API cuDriverGetVersion(int *version) {
  return enter("cuDriverGetVersion", false, [&]() -> int {
    if (!version)
      return invalidValue;
    *version = Driver::get().driverVersion;
    return success;
  });
}
STANDIN_API cuDeviceGetCount(int *count) {
  return enter("cuDeviceGetCount", true, [&]() -> int {
    if (!count)
      return invalidValue;
    *count = static_cast<int>(Driver::get().devices.size());
    return success;
  });
}
STANDIN_API cuDeviceGet(int *device, int ordinal) {
  return enter("cuDeviceGet", true, [&]() -> int {
    if (!device)
      return invalidValue;
    deviceAt(ordinal);
    *device = ordinal;
    return success;
  });
}
STANDIN_API cuDeviceGetName(char *name, int length, int device) {
  return enter("cuDeviceGetName", true, [&]() -> int {
    if (!name || length <= 0)
      return invalidValue;
    snprintf(name, static_cast<size_t>(length), "Lathe stand-in sm_%u", deviceAt(device).arch);
    return success;
  });
}
STANDIN_API cuDeviceGetAttribute(int *value, int which, int device) {
  return enter("cuDeviceGetAttribute", true, [&]() -> int {
    if (!value || which <= 0 || which > 200)
      return invalidValue;
    *value = attribute(deviceAt(device), which);
    return success;
  });
}
STANDIN_API cuDeviceTotalMem_v2(size_t *bytes, int device) {
  return enter("cuDeviceTotalMem", true, [&]() -> int {
    if (!bytes)
      return invalidValue;
    *bytes = deviceAt(device).arena->total();
    return success;
  });
}
STANDIN_API cuDeviceGetUuid_v2(void *uuid, int device) {
  return enter("cuDeviceGetUuid", true, [&]() -> int {
    if (!uuid)
      return invalidValue;
    memcpy(uuid, "Lathe stand-in ", 16);
    static_cast<char *>(uuid)[15] = static_cast<char>(deviceAt(device).index);
    return success;
  });
}
STANDIN_API cuDeviceGetUuid(void *uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }
STANDIN_API cuDeviceCanAccessPeer(int *can, int device, int peer) {
  return enter("cuDeviceCanAccessPeer", true, [&]() -> int {
    if (!can)
      return invalidValue;
    *can = &deviceAt(device) != &deviceAt(peer);
    return success;
  });
}

STANDIN_API cuDevicePrimaryCtxRetain(void **context, int index) {
  return enter("cuDevicePrimaryCtxRetain", true, [&]() -> int {
    if (!context)
      return invalidValue;
    Device &device = deviceAt(index);
    if (!device.primary) {
      device.primary = std::make_unique<Context>();
      device.primary->device = &device;
      device.primary->isPrimary = true;
      Driver::get().contexts.insert(device.primary.get());
    }
    ++device.retained;
    *context = device.primary.get();
    return success;
  });
}
STANDIN_API cuDevicePrimaryCtxReset_v2(int index) {
  return enter("cuDevicePrimaryCtxReset", true, [&]() -> int {
    Device &device = deviceAt(index);
    if (device.primary) {
      dropContext(Driver::get(), *device.primary);
      device.primary.reset();
    }
    device.retained = 0;
    return success;
  });
}
STANDIN_API cuDevicePrimaryCtxRelease_v2(int index) {
  return enter("cuDevicePrimaryCtxRelease", true, [&]() -> int {
    Device &device = deviceAt(index);
    if (!device.retained)
      return invalidContext;
    if (--device.retained == 0)
      return cuDevicePrimaryCtxReset_v2(index);
    return success;
  });
}
STANDIN_API cuCtxCreate_v2(void **context, unsigned, int index) {
  return enter("cuCtxCreate", true, [&]() -> int {
    if (!context)
      return invalidValue;
    auto *made = new Context;
    made->device = &deviceAt(index);
    Driver::get().contexts.insert(made);
    contextStack().push_back(made);
    *context = made;
    return success;
  });
}
STANDIN_API cuCtxCreate_v4(void **context, void *, unsigned flags, int index) { return cuCtxCreate_v2(context, flags, index); }
STANDIN_API cuCtxDestroy_v2(void *handle) {
  return enter("cuCtxDestroy", true, [&]() -> int {
    Context &context = contextOf(handle);
    if (context.isPrimary)
      return invalidContext;
    dropContext(Driver::get(), context);
    if (auto &stack = contextStack(); !stack.empty() && stack.back() == &context)
      stack.pop_back();
    delete &context;
    return success;
  });
}
STANDIN_API cuCtxSetCurrent(void *handle) {
  return enter("cuCtxSetCurrent", true, [&]() -> int {
    auto &stack = contextStack();
    if (!stack.empty())
      stack.pop_back();
    if (handle)
      stack.push_back(&contextOf(handle));
    return success;
  });
}
STANDIN_API cuCtxGetCurrent(void **context) {
  return enter("cuCtxGetCurrent", true, [&]() -> int {
    if (!context)
      return invalidValue;
    *context = contextStack().empty() ? nullptr : contextStack().back();
    return success;
  });
}
STANDIN_API cuCtxGetDevice(int *device) {
  return enter("cuCtxGetDevice", true, [&]() -> int {
    if (!device)
      return invalidValue;
    *device = static_cast<int>(Driver::get().currentEvenIfLost().device->index);
    return success;
  });
}
STANDIN_API cuCtxPushCurrent_v2(void *handle) {
  return enter("cuCtxPushCurrent", true, [&]() -> int {
    contextStack().push_back(&contextOf(handle));
    return success;
  });
}
STANDIN_API cuCtxPopCurrent_v2(void **context) {
  return enter("cuCtxPopCurrent", true, [&]() -> int {
    auto &stack = contextStack();
    if (stack.empty())
      return invalidContext;
    if (context)
      *context = stack.back();
    stack.pop_back();
    return success;
  });
}
STANDIN_API cuCtxSynchronize() {
  return enter("cuCtxSynchronize", true, [&]() -> int {
    Driver &driver = Driver::get();
    Context &context = driver.current();
    driver.refuseCapture();
    driver.drainContext(context);
    return context.sticky;
  });
}
STANDIN_API cuCtxEnablePeerAccess(void *handle, unsigned flags) {
  return enter("cuCtxEnablePeerAccess", true, [&]() -> int {
    Context &own = Driver::get().current(), &peer = contextOf(handle);
    if (flags)
      return invalidValue;
    if (peer.device == own.device)
      return invalidDevice;
    return own.peers.insert(peer.device->index).second ? success : peerAlreadyEnabled;
  });
}
STANDIN_API cuProfilerStart() {
  return enter("cuProfilerStart", true, [] { return int(success); });
}
STANDIN_API cuProfilerStop() {
  return enter("cuProfilerStop", true, [] { return int(success); });
}

STANDIN_API cuGetErrorName(int code, const char **name) {
  const ErrorName *found = findError(code);
  if (name)
    *name = found ? found->name : nullptr;
  return found && name ? success : invalidValue;
}
STANDIN_API cuGetErrorString(int code, const char **text) {
  const ErrorName *found = findError(code);
  if (text)
    *text = found ? found->text : nullptr;
  return found && text ? success : invalidValue;
}

/// Names without a version mean the newest that there is, as with the driver.
STANDIN_API cuGetProcAddress_v2(const char *name, void **address, int, u64, int *status) {
  if (!name || !address)
    return invalidValue;
  static void *self = [] {
    Dl_info info;
    return dladdr(reinterpret_cast<void *>(&cuInit), &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  }();
  *address = nullptr;
  for (const char *suffix : {"_v4", "_v3", "_v2", ""})
    if (!*address && self)
      *address = dlsym(self, (std::string(name) + suffix).c_str());
  if (status)
    *status = *address ? 0 : 1;
  return *address ? success : notFound;
}

} // namespace standin
