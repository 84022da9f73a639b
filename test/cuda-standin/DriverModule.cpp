// Entry points about modules, functions and launches.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Driver.h"

#include <algorithm>

namespace standin {

namespace {
constexpr u32 defaultShared = 48 * 1024;
constexpr int infoBuffer = 3, infoSize = 4, errorBuffer = 5, errorSize = 6; // CUjit_option

/// Writes a log where the options ask for it; the size's value becomes the bytes used.
void writeLog(unsigned count, const int *options, void **values, const std::string &text, int buffer, int size) {
  char *to = nullptr;
  size_t room = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == buffer)
      to = static_cast<char *>(values[i]);
    if (options[i] == size)
      room = reinterpret_cast<size_t>(values[i]);
  }
  if (!to || !room)
    return;
  const size_t used = std::min(room - 1, text.size());
  memcpy(to, text.data(), used);
  to[used] = 0;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == size)
      values[i] = reinterpret_cast<void *>(used + (text.empty() ? 0 : 1));
}

/// The PTX version that a driver knows: 13.0 brought 9.0, 12.x 8.x with the same number in 12.5 and 12.6, 11.x 7.x.
u32 newestPtx(int driver) {
  const u32 major = static_cast<u32>(driver / 1000), minor = static_cast<u32>(driver % 1000 / 10);
  return major >= 13 ? 90 + minor : major == 12 ? 80 + (minor >= 6 ? minor - 1 : minor) : 70 + minor;
}

int refusal(const Source &source, const Device &device) {
  if (source.versionMajor * 10 + source.versionMinor > newestPtx(Driver::get().driverVersion))
    return 222; // unsupported PTX version
  if (source.target > device.arch || (source.targetSuffix == 'a' && source.target != device.arch))
    return noBinaryForGpu;
  if (source.targetSuffix == 'f' && source.target / 10 != device.arch / 10)
    return noBinaryForGpu;
  return success;
}

int loadData(void **result, const void *image, unsigned count, const int *options, void **values) {
  Driver &driver = Driver::get();
  Context &context = driver.current();
  driver.refuseCapture();
  if (!result || !image || (count && (!options || !values)))
    return invalidValue;
  const u32 magic = loadBytes<u32>(image);
  if (magic == 0x464c457f || magic == 0xba55ed50 || magic == 0x466243b1)
    return noBinaryForGpu;
  const char *text = static_cast<const char *>(image);
  if (!strstr(text, ".version"))
    return invalidImage;
  try {
    auto made = std::make_unique<LoadedModule>();
    made->context = &context;
    if (const int code = refusal(parsePtx(text), *context.device))
      return code;
    made->module = loadModule(text, *context.device->arena);
    driver.log("module of %zu kernels", made->module->kernels.size());
    writeLog(count, options, values, "", infoBuffer, infoSize);
    writeLog(count, options, values, "", errorBuffer, errorSize);
    *result = made.release();
    driver.handles.insert(*result);
    return success;
  } catch (const SyntaxError &error) {
    const std::string message = "PTX line " + std::to_string(error.line) + ": " + error.what;
    writeLog(count, options, values, message, errorBuffer, errorSize);
    throw Fault{invalidPtx, message};
  }
}

const std::string &nameOf(const FunctionHandle &function) { return function.kernel->name; }

[[noreturn]] void refuse(Code code, const FunctionHandle &function, const std::string &why) {
  throw Fault{code, "launch of " + nameOf(function) + ": " + why};
}

void checkShape(const LaunchRequest &request, const Limits &limits) {
  const FunctionHandle &function = *request.function;
  const Kernel &kernel = *function.kernel;
  const u64 threads = u64(request.threads[0]) * request.threads[1] * request.threads[2];
  u64 most = 1;
  for (u32 i = 0; i < 3; ++i) {
    if (!request.grid[i] || !request.threads[i])
      refuse(invalidValue, function, "an extent is 0");
    if (kernel.requiredThreads[0] && request.threads[i] != kernel.requiredThreads[i])
      refuse(invalidValue, function, "blocks are not what .reqntid says");
    most *= kernel.maxThreads[0] ? kernel.maxThreads[i] : 1;
    if (request.grid[i] % request.cluster[i])
      refuse(static_cast<Code>(912), function, "the grid is not made of whole clusters");
  }
  if (threads > 1024 || request.threads[2] > 64)
    refuse(invalidValue, function, std::to_string(threads) + " threads in a block, more than 1024 or 64 in z");
  if (request.grid[1] > 65535 || request.grid[2] > 65535 || request.grid[0] > 2147483647u)
    refuse(invalidValue, function, "the grid is too large");
  if (kernel.maxThreads[0] && threads > most)
    refuse(launchOutOfResources, function, std::to_string(threads) + " threads, more than .maxntid says");
  if (u64(request.cluster[0]) * request.cluster[1] * request.cluster[2] > 16)
    refuse(static_cast<Code>(912), function, "a cluster of more than 16 blocks");
  const u64 shared = kernel.staticShared + request.dynamicShared;
  const u64 allowed = std::max<u64>(defaultShared, kernel.staticShared + static_cast<u64>(kernel.maxDynamicShared));
  if (kernel.staticShared > defaultShared || shared > std::min<u64>(allowed, limits.sharedOptIn))
    refuse(invalidValue, function,
           std::to_string(kernel.staticShared) + " bytes of static and " + std::to_string(request.dynamicShared) +
               " of dynamic shared memory, more than " + std::to_string(std::min<u64>(allowed, limits.sharedOptIn)));
}

std::vector<u8> gatherParameters(const LaunchRequest &request) {
  const Kernel &kernel = *request.function->kernel;
  std::vector<u8> bytes(kernel.paramBytes);
  if (request.parameters) {
    for (size_t i = 0; i < kernel.parameters.size(); ++i)
      memcpy(bytes.data() + kernel.parameters[i].place, request.parameters[i], kernel.parameters[i].size);
    return bytes;
  }
  const u8 *buffer = nullptr;
  size_t size = 0;
  for (void **extra = request.extra; extra && *extra; extra += 2) {
    if (*extra == reinterpret_cast<void *>(1))
      buffer = static_cast<const u8 *>(extra[1]);
    else if (*extra == reinterpret_cast<void *>(2))
      size = *static_cast<size_t *>(extra[1]);
  }
  if (!kernel.parameters.empty() && (!buffer || size < kernel.paramBytes))
    refuse(invalidValue, *request.function, "its parameters are missing");
  if (buffer)
    memcpy(bytes.data(), buffer, bytes.size());
  return bytes;
}

/// Memory of others that a kernel may use: pinned host memory and peers'.
u8 *foreignBytes(const Context &context, u64 address, u64 size) {
  Driver &driver = Driver::get();
  Device *device = driver.deviceOf(address);
  u64 start, length;
  if (!device)
    return driver.hostRange(address, size);
  if (!context.peers.count(device->index) || !device->arena->find(address, start, length) || address - start + size > length)
    return nullptr;
  return device->arena->bytesAt(address);
}

void execute(Launch &launch, Context &context) {
  Driver &driver = Driver::get();
  const u64 warps = u64(launch.grid[0]) * launch.grid[1] * launch.grid[2] * launch.warpsPerBlock;
  launch.firstId = driver.nextWarpId; // global cells know launches by their warps' numbers
  driver.nextWarpId += static_cast<u32>(warps);
  launch.hostBytes = [&context](u64 address, u64 size) { return foreignBytes(context, address, size); };
  launch.instructions = launch.laneInstructions = launch.events = 0;
  launch.syncObjects.clear();
  launch.run();
  ++driver.launches;
  driver.instructions += launch.laneInstructions;
  driver.log("ran %s: %llu warp instructions, %llu lane instructions", launch.kernel->name.c_str(),
             static_cast<unsigned long long>(launch.instructions), static_cast<unsigned long long>(launch.laneInstructions));
}

FunctionHandle &functionOf(void *handle) { return Driver::get().live<FunctionHandle>(handle); }
} // namespace

void launchKernel(const LaunchRequest &request) {
  Driver &driver = Driver::get();
  Stream &stream = driver.stream(request.stream);
  FunctionHandle &function = *request.function;
  const Kernel &kernel = *function.kernel;
  if (function.module->context != stream.context)
    throw Fault{invalidHandle, ""};
  const Limits limits = limitsOf(stream.context->device->arch);
  checkShape(request, limits);
  auto launch = std::make_shared<Launch>();
  launch->arena = stream.context->device->arena.get();
  launch->kernel = &kernel;
  std::copy(request.grid, request.grid + 3, launch->grid);
  std::copy(request.threads, request.threads + 3, launch->threads);
  std::copy(request.cluster, request.cluster + 3, launch->clusterDims);
  launch->dynamicShared = request.dynamicShared;
  launch->sharedBytes = static_cast<u32>(kernel.staticShared + request.dynamicShared);
  launch->parameters = gatherParameters(request);
  launch->warpsPerBlock = (request.threads[0] * request.threads[1] * request.threads[2] + warpSize - 1) / warpSize;
  launch->initCheck = driver.initCheck;
  launch->equalWrites = driver.equalWrites;
  launch->shuffle = driver.shuffle ? driver.shuffle + driver.sequence : 0;
  launch->smCount = limits.processors;
  driver.log("launch %s grid %u %u %u block %u %u %u shared %u stream %p", kernel.name.c_str(), request.grid[0],
             request.grid[1], request.grid[2], request.threads[0], request.threads[1], request.threads[2], launch->sharedBytes,
             request.stream);
  driver.enqueue(stream, Operation::Kernel, [launch](Context &context) { execute(*launch, context); });
}

STANDIN_API cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  return enter("cuModuleLoadDataEx", true, [&] { return loadData(module, image, count, options, values); });
}
STANDIN_API cuModuleLoadData(void **module, const void *image) {
  return enter("cuModuleLoadData", true, [&] { return loadData(module, image, 0, nullptr, nullptr); });
}
STANDIN_API cuModuleUnload(void *handle) {
  return enter("cuModuleUnload", true, [&]() -> int {
    Driver &driver = Driver::get();
    LoadedModule &module = driver.live<LoadedModule>(handle);
    driver.refuseCapture();
    driver.drainContext(*module.context);
    for (auto at = driver.functions.begin(); at != driver.functions.end();)
      if ((*at)->module == &module) {
        driver.handles.erase(at->get());
        at = driver.functions.erase(at);
      } else {
        ++at;
      }
    unloadModule(*module.module, *module.context->device->arena);
    driver.handles.erase(handle);
    delete &module;
    return success;
  });
}
STANDIN_API cuModuleGetFunction(void **function, void *handle, const char *name) {
  return enter("cuModuleGetFunction", true, [&]() -> int {
    Driver &driver = Driver::get();
    driver.current();
    LoadedModule &module = driver.live<LoadedModule>(handle);
    if (!function || !name)
      return invalidValue;
    for (const auto &known : driver.functions)
      if (known->module == &module && known->kernel->name == name) {
        *function = known.get();
        return success;
      }
    for (const auto &kernel : module.module->kernels)
      if (kernel->name == name) {
        driver.functions.push_back(std::make_unique<FunctionHandle>(FunctionHandle{&module, kernel.get()}));
        *function = driver.functions.back().get();
        driver.handles.insert(*function);
        return success;
      }
    return notFound;
  });
}
STANDIN_API cuModuleGetGlobal_v2(u64 *address, size_t *size, void *handle, const char *name) {
  return enter("cuModuleGetGlobal", true, [&]() -> int {
    LoadedModule &module = Driver::get().live<LoadedModule>(handle);
    const auto found = name ? module.module->globals.find(name) : module.module->globals.end();
    if (found == module.module->globals.end())
      return notFound;
    if (address)
      *address = found->second.first;
    if (size)
      *size = found->second.second;
    return success;
  });
}
STANDIN_API cuFuncSetAttribute(void *handle, int which, int value) {
  return enter("cuFuncSetAttribute", true, [&]() -> int {
    FunctionHandle &function = functionOf(handle);
    const Limits limits = limitsOf(function.module->context->device->arch);
    if (which == 8) { // the most dynamic shared memory
      if (value < 0 || static_cast<u64>(value) + function.kernel->staticShared > limits.sharedOptIn)
        return invalidValue;
      function.kernel->maxDynamicShared = value;
    } else if (which < 8 || which > 14) {
      return invalidValue;
    }
    return success;
  });
}
STANDIN_API cuFuncGetAttribute(int *value, int which, void *handle) {
  return enter("cuFuncGetAttribute", true, [&]() -> int {
    const Kernel &kernel = *functionOf(handle).kernel;
    if (!value)
      return invalidValue;
    const u32 arch = Driver::get().current().device->arch;
    switch (which) {
    case 0:
      *value =
          kernel.maxThreads[0] ? static_cast<int>(kernel.maxThreads[0] * kernel.maxThreads[1] * kernel.maxThreads[2]) : 1024;
      break;
    case 1:
      *value = static_cast<int>(kernel.staticShared);
      break;
    case 2:
      *value = 0;
      break;
    case 3:
      *value = static_cast<int>(kernel.localBytes);
      break;
    case 4:
      *value = static_cast<int>(std::min<size_t>(255, 16 + kernel.registerBytes / 512));
      break; // registers: a guess
    case 5:
    case 6:
      *value = static_cast<int>(arch);
      break;
    case 8:
      *value = static_cast<int>(std::max<s64>(kernel.maxDynamicShared, defaultShared - static_cast<s64>(kernel.staticShared)));
      break;
    default:
      *value = 0;
    }
    return success;
  });
}
STANDIN_API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *handle, int threads, size_t dynamicShared) {
  return enter("cuOccupancyMaxActiveBlocksPerMultiprocessor", true, [&]() -> int {
    const FunctionHandle &function = functionOf(handle);
    const Limits limits = limitsOf(function.module->context->device->arch);
    if (!blocks || threads <= 0 || threads > 1024)
      return invalidValue;
    const u64 shared = function.kernel->staticShared + dynamicShared + limits.reserved;
    const u64 most = Driver::get().resident ? Driver::get().resident : 32;
    const u64 byThreads = limits.threadsPerProcessor / static_cast<u32>(threads);
    *blocks = static_cast<int>(std::min<u64>({byThreads, shared ? limits.sharedPerProcessor / shared : 32, most}));
    return success;
  });
}
STANDIN_API cuLaunchKernel(void *handle, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                           unsigned blockZ, unsigned shared, void *stream, void **parameters, void **extra) {
  return enter("cuLaunchKernel", true, [&]() -> int {
    FunctionHandle &function = functionOf(handle);
    LaunchRequest request{&function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {1, 1, 1}, shared, stream, parameters,
                          extra};
    if (function.kernel->cluster[0])
      std::copy(function.kernel->cluster, function.kernel->cluster + 3, request.cluster);
    launchKernel(request);
    return success;
  });
}

struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    u32 dims[3];
  } value;
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void *stream;
  LaunchAttribute *attributes;
  unsigned count;
};

STANDIN_API cuLaunchKernelEx(const LaunchConfig *config, void *handle, void **parameters, void **extra) {
  return enter("cuLaunchKernelEx", true, [&]() -> int {
    FunctionHandle &function = functionOf(handle);
    if (!config)
      return invalidValue;
    LaunchRequest request{&function, {}, {}, {1, 1, 1}, config->shared, config->stream, parameters, extra};
    std::copy(config->grid, config->grid + 3, request.grid);
    std::copy(config->block, config->block + 3, request.threads);
    if (function.kernel->cluster[0])
      std::copy(function.kernel->cluster, function.kernel->cluster + 3, request.cluster);
    for (unsigned i = 0; i < config->count; ++i) {
      const LaunchAttribute &attribute = config->attributes[i];
      if (attribute.id == 4)
        std::copy(attribute.value.dims, attribute.value.dims + 3, request.cluster);
      else if (attribute.id < 1 || attribute.id > 20)
        return invalidValue;
    }
    if (!request.cluster[0] || !request.cluster[1] || !request.cluster[2])
      return invalidValue;
    launchKernel(request);
    return success;
  });
}

} // namespace standin
