/* The functions of the CUDA driver that the runtime uses, with their types, declared here: no CUDA header is needed.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef LATHE_RUNTIME_CUDA_DRIVER_H
#define LATHE_RUNTIME_CUDA_DRIVER_H

#include "internal.h"

#pragma GCC visibility push(hidden)

typedef int cu_result;
typedef int cu_device;
typedef uint64_t cu_pointer;         /* an address on the device */
typedef struct cu_object *cu_handle; /* a context, stream, module, function, graph */
typedef int cu_flag;                 /* an enumeration of the driver's */

enum {
  CU_SUCCESS = 0,
  CU_OUT_OF_MEMORY = 2,
  CU_DEINITIALIZED = 4,
  CU_NO_DEVICE = 100,
  CU_NO_BINARY_FOR_GPU = 209,
  CU_ECC_UNCORRECTABLE = 214,
  CU_NVLINK_UNCORRECTABLE = 220,
  CU_UNSUPPORTED_PTX_VERSION = 222,
  CU_CONTAINED = 226,
  CU_ILLEGAL_ADDRESS = 700,
  CU_LAUNCH_TIMEOUT = 702,
  CU_CONTEXT_IS_DESTROYED = 709,
  CU_ASSERT = 710,
  CU_HARDWARE_STACK_ERROR = 714,
  CU_LAUNCH_FAILED = 719, /* and all between */
  CU_TENSOR_MEMORY_LEAK = 721,
  CU_UNKNOWN = 999
};

enum { CU_PROCESSORS = 16, CU_CAPABILITY_MAJOR = 75, CU_CAPABILITY_MINOR = 76 }; /* CUdevice_attribute */
enum { CU_STREAM_NON_BLOCKING = 1 };                                             /* CUstream_flags */
enum { CU_CAPTURE_THREAD_LOCAL = 1 };                                            /* CUstreamCaptureMode */
enum { CU_DYNAMIC_SHARED_BYTES = 8 };                                            /* CUfunction_attribute */
enum { CU_JIT_INFO = 3, CU_JIT_INFO_SIZE, CU_JIT_ERROR, CU_JIT_ERROR_SIZE };     /* CUjit_option */

enum { CU_TENSOR_F16 = 6, CU_TENSOR_F32 = 7, CU_TENSOR_F64 = 8, CU_TENSOR_BF16 = 9 }; /* CUtensorMapDataType */
enum { CU_TENSOR_SWIZZLE_NONE, CU_TENSOR_SWIZZLE_32, CU_TENSOR_SWIZZLE_64, CU_TENSOR_SWIZZLE_128 };
enum { CU_TENSOR_NOT_INTERLEAVED = 0, CU_TENSOR_PROMOTION_256 = 3, CU_TENSOR_FILL_ZEROS = 0 };

/* X(member, symbol, parameters). The symbols' versions are those of CUDA 12.0. */
#define LATHE_CUDA_FUNCTIONS(X)                                                                                                \
  X(driver_version, "cuDriverGetVersion", (int *version))                                                                      \
  X(init, "cuInit", (unsigned flags))                                                                                          \
  X(error_name, "cuGetErrorName", (cu_result result, const char **name))                                                       \
  X(device_count, "cuDeviceGetCount", (int *count))                                                                            \
  X(device_get, "cuDeviceGet", (cu_device * device, int number))                                                               \
  X(device_attribute, "cuDeviceGetAttribute", (int *value, cu_flag attribute, cu_device device))                               \
  X(primary_retain, "cuDevicePrimaryCtxRetain", (cu_handle * context, cu_device device))                                       \
  X(primary_release, "cuDevicePrimaryCtxRelease_v2", (cu_device device))                                                       \
  X(context_push, "cuCtxPushCurrent_v2", (cu_handle context))                                                                  \
  X(context_pop, "cuCtxPopCurrent_v2", (cu_handle * context))                                                                  \
  X(stream_create, "cuStreamCreate", (cu_handle * stream, unsigned flags))                                                     \
  X(stream_destroy, "cuStreamDestroy_v2", (cu_handle stream))                                                                  \
  X(stream_synchronize, "cuStreamSynchronize", (cu_handle stream))                                                             \
  X(capture_begin, "cuStreamBeginCapture_v2", (cu_handle stream, cu_flag mode))                                                \
  X(capture_end, "cuStreamEndCapture", (cu_handle stream, cu_handle * graph))                                                  \
  X(graph_instantiate, "cuGraphInstantiateWithFlags", (cu_handle * executable, cu_handle graph, unsigned long long flags))     \
  X(graph_destroy, "cuGraphDestroy", (cu_handle graph))                                                                        \
  X(graph_launch, "cuGraphLaunch", (cu_handle executable, cu_handle stream))                                                   \
  X(graph_free, "cuGraphExecDestroy", (cu_handle executable))                                                                  \
  X(module_load, "cuModuleLoadDataEx",                                                                                         \
    (cu_handle * module, const void *image, unsigned count, cu_flag *options, void **values))                                  \
  X(module_unload, "cuModuleUnload", (cu_handle module))                                                                       \
  X(module_function, "cuModuleGetFunction", (cu_handle * function, cu_handle module, const char *name))                        \
  X(function_set, "cuFuncSetAttribute", (cu_handle function, cu_flag attribute, int value))                                    \
  X(resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                            \
    (int *blocks, cu_handle function, int threads, size_t shared_bytes))                                                       \
  X(launch, "cuLaunchKernel",                                                                                                  \
    (cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,                \
     unsigned block_z, unsigned shared_bytes, cu_handle stream, void **parameters, void **extra))                              \
  X(tensor_map, "cuTensorMapEncodeTiled",                                                                                      \
    (void *map, cu_flag type, uint32_t rank, void *address, const uint64_t *extents, const uint64_t *strides,                  \
     const uint32_t *box, const uint32_t *steps, cu_flag interleave, cu_flag swizzle, cu_flag promotion, cu_flag fill))        \
  X(memory_alloc, "cuMemAlloc_v2", (cu_pointer * memory, size_t size))                                                         \
  X(memory_free, "cuMemFree_v2", (cu_pointer memory))                                                                          \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2", (cu_pointer to, const void *from, size_t size, cu_handle stream))                  \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void *to, cu_pointer from, size_t size, cu_handle stream))                          \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2", (cu_pointer to, cu_pointer from, size_t size, cu_handle stream))                   \
  X(fill, "cuMemsetD8Async", (cu_pointer memory, unsigned char value, size_t size, cu_handle stream))

typedef struct lathe_cuda_driver {
#define LATHE_CUDA_MEMBER(member, symbol, parameters) cu_result(*member) parameters;
  LATHE_CUDA_FUNCTIONS(LATHE_CUDA_MEMBER)
#undef LATHE_CUDA_MEMBER
} lathe_cuda_driver;

/* The driver's functions, once lathe_cuda_open has returned LATHE_OK. */
extern lathe_cuda_driver lathe_cuda;

/* Opens the driver, once a process. A failure is told in *error (may be NULL) as `function`'s; later calls tell it again. */
lathe_status lathe_cuda_open(const char *function, lathe_error *error);

/* "CUDA_ERROR_LAUNCH_FAILED"; the driver's constant, which is never unloaded. */
const char *lathe_cuda_error_name(cu_result result);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_CUDA_DRIVER_H */
