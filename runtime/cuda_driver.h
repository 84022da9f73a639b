/* The functions and types of the CUDA driver that the runtime uses, declared here so that no CUDA header is needed. If one is
 * installed, test/runtime/cuda_header.cpp compares it with these tables.
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
typedef int cu_flag;                 /* an enumeration of the driver */

/* A CUtensorMap. The header of CUDA 12 aligns it to 64 bytes, that of CUDA 13 to 128. */
enum { CUDA_MAP_BYTES = 128, CUDA_MAP_ALIGNMENT = 128 };

/* X(name, the header's name, value) */
#define LATHE_CUDA_CONSTANTS(X)                                                                                                \
  X(CU_SUCCESS, CUDA_SUCCESS, 0)                                                                                               \
  X(CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY, 2)                                                                             \
  X(CU_DEINITIALIZED, CUDA_ERROR_DEINITIALIZED, 4)                                                                             \
  X(CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE, 100)                                                                                   \
  X(CU_INVALID_IMAGE, CUDA_ERROR_INVALID_IMAGE, 200)                                                                           \
  X(CU_NO_BINARY_FOR_GPU, CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                                                   \
  X(CU_ECC_UNCORRECTABLE, CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                                                   \
  X(CU_NVLINK_UNCORRECTABLE, CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                                                             \
  X(CU_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)                                                       \
  X(CU_CONTAINED, CUDA_ERROR_CONTAINED, 226)                                                                                   \
  X(CU_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                                                       \
  X(CU_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                                                         \
  X(CU_CONTEXT_IS_DESTROYED, CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                                                             \
  X(CU_ASSERT, CUDA_ERROR_ASSERT, 710)                                                                                         \
  X(CU_HARDWARE_STACK_ERROR, CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                                                             \
  X(CU_ILLEGAL_INSTRUCTION, CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                                               \
  X(CU_MISALIGNED_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                                                 \
  X(CU_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                                                           \
  X(CU_INVALID_PC, CUDA_ERROR_INVALID_PC, 718)                                                                                 \
  X(CU_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED, 719)                                                                           \
  X(CU_TENSOR_MEMORY_LEAK, CUDA_ERROR_TENSOR_MEMORY_LEAK, 721)                                                                 \
  X(CU_MPS_CLIENT_TERMINATED, CUDA_ERROR_MPS_CLIENT_TERMINATED, 810)                                                           \
  X(CU_EXTERNAL_DEVICE, CUDA_ERROR_EXTERNAL_DEVICE, 911)                                                                       \
  X(CU_UNKNOWN, CUDA_ERROR_UNKNOWN, 999)                                                                                       \
  X(CU_PROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                                               \
  X(CU_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                                     \
  X(CU_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                                     \
  X(CU_STREAM_CONCURRENT, CU_STREAM_NON_BLOCKING, 1)                                                                           \
  X(CU_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)                                                           \
  X(CU_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED, 2)                                                                     \
  X(CU_DYNAMIC_SHARED_BYTES, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)                                               \
  X(CU_JIT_INFO, CU_JIT_INFO_LOG_BUFFER, 3)                                                                                    \
  X(CU_JIT_INFO_SIZE, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 4)                                                                    \
  X(CU_JIT_ERROR, CU_JIT_ERROR_LOG_BUFFER, 5)                                                                                  \
  X(CU_JIT_ERROR_SIZE, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)                                                                  \
  X(CU_TENSOR_F16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 6)                                                                         \
  X(CU_TENSOR_F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 7)                                                                         \
  X(CU_TENSOR_F64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8)                                                                         \
  X(CU_TENSOR_BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 9)                                                                       \
  X(CU_TENSOR_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, 0)                                                                     \
  X(CU_TENSOR_SWIZZLE_32, CU_TENSOR_MAP_SWIZZLE_32B, 1)                                                                        \
  X(CU_TENSOR_SWIZZLE_64, CU_TENSOR_MAP_SWIZZLE_64B, 2)                                                                        \
  X(CU_TENSOR_SWIZZLE_128, CU_TENSOR_MAP_SWIZZLE_128B, 3)                                                                      \
  X(CU_TENSOR_NOT_INTERLEAVED, CU_TENSOR_MAP_INTERLEAVE_NONE, 0)                                                               \
  X(CU_TENSOR_PROMOTION_256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 3)                                                            \
  X(CU_TENSOR_FILL_ZEROS, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, 0)

enum {
#define LATHE_CUDA_CONSTANT(name, theirs, value) name = (value),
  LATHE_CUDA_CONSTANTS(LATHE_CUDA_CONSTANT)
#undef LATHE_CUDA_CONSTANT
};

/* X(member, symbol, parameters). The symbols' versions are those of CUDA 12.0. */
#define LATHE_CUDA_FUNCTIONS(X)                                                                                                \
  X(driver_version, cuDriverGetVersion, (int *version))                                                                        \
  X(init, cuInit, (unsigned flags))                                                                                            \
  X(error_name, cuGetErrorName, (cu_result result, const char **name))                                                         \
  X(device_count, cuDeviceGetCount, (int *count))                                                                              \
  X(device_get, cuDeviceGet, (cu_device * device, int number))                                                                 \
  X(device_attribute, cuDeviceGetAttribute, (int *value, cu_flag attribute, cu_device device))                                 \
  X(primary_retain, cuDevicePrimaryCtxRetain, (cu_handle * context, cu_device device))                                         \
  X(primary_release, cuDevicePrimaryCtxRelease_v2, (cu_device device))                                                         \
  X(context_push, cuCtxPushCurrent_v2, (cu_handle context))                                                                    \
  X(context_pop, cuCtxPopCurrent_v2, (cu_handle * context))                                                                    \
  X(stream_create, cuStreamCreate, (cu_handle * stream, unsigned flags))                                                       \
  X(stream_destroy, cuStreamDestroy_v2, (cu_handle stream))                                                                    \
  X(stream_synchronize, cuStreamSynchronize, (cu_handle stream))                                                               \
  X(capture_mode, cuThreadExchangeStreamCaptureMode, (cu_flag * mode))                                                         \
  X(capture_begin, cuStreamBeginCapture_v2, (cu_handle stream, cu_flag mode))                                                  \
  X(capture_end, cuStreamEndCapture, (cu_handle stream, cu_handle * graph))                                                    \
  X(graph_instantiate, cuGraphInstantiateWithFlags, (cu_handle * executable, cu_handle graph, unsigned long long flags))       \
  X(graph_destroy, cuGraphDestroy, (cu_handle graph))                                                                          \
  X(graph_launch, cuGraphLaunch, (cu_handle executable, cu_handle stream))                                                     \
  X(graph_free, cuGraphExecDestroy, (cu_handle executable))                                                                    \
  X(module_load, cuModuleLoadDataEx, (cu_handle * module, const void *image, unsigned count, cu_flag *options, void **values)) \
  X(module_unload, cuModuleUnload, (cu_handle module))                                                                         \
  X(module_function, cuModuleGetFunction, (cu_handle * function, cu_handle module, const char *name))                          \
  X(function_set, cuFuncSetAttribute, (cu_handle function, cu_flag attribute, int value))                                      \
  X(resident_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                              \
    (int *blocks, cu_handle function, int threads, size_t shared_bytes))                                                       \
  X(launch, cuLaunchKernel,                                                                                                    \
    (cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,                \
     unsigned block_z, unsigned shared_bytes, cu_handle stream, void **parameters, void **extra))                              \
  X(tensor_map, cuTensorMapEncodeTiled,                                                                                        \
    (void *map, cu_flag type, uint32_t rank, void *address, const uint64_t *extents, const uint64_t *strides,                  \
     const uint32_t *box, const uint32_t *steps, cu_flag interleave, cu_flag swizzle, cu_flag promotion, cu_flag fill))        \
  X(memory_alloc, cuMemAlloc_v2, (cu_pointer * memory, size_t size))                                                           \
  X(memory_free, cuMemFree_v2, (cu_pointer memory))                                                                            \
  X(copy_to_device, cuMemcpyHtoDAsync_v2, (cu_pointer to, const void *from, size_t size, cu_handle stream))                    \
  X(copy_to_host, cuMemcpyDtoHAsync_v2, (void *to, cu_pointer from, size_t size, cu_handle stream))                            \
  X(copy_on_device, cuMemcpyDtoDAsync_v2, (cu_pointer to, cu_pointer from, size_t size, cu_handle stream))                     \
  X(fill, cuMemsetD8Async, (cu_pointer memory, unsigned char value, size_t size, cu_handle stream))

typedef struct lathe_cuda_driver {
#define LATHE_CUDA_MEMBER(member, symbol, parameters) cu_result(*member) parameters;
  LATHE_CUDA_FUNCTIONS(LATHE_CUDA_MEMBER)
#undef LATHE_CUDA_MEMBER
} lathe_cuda_driver;

/* The driver's functions, once lathe_cuda_open has returned LATHE_OK. */
extern lathe_cuda_driver lathe_cuda;

/* Opens the driver, once for each process. Reports a failure in *error (may be NULL) for `function`; later calls report it
 * again. */
lathe_status lathe_cuda_open(const char *function, lathe_error *error);

/* Returns a name such as "CUDA_ERROR_LAUNCH_FAILED": a constant of the driver, which is never unloaded. */
const char *lathe_cuda_error_name(cu_result result);

#pragma GCC visibility pop
#endif /* LATHE_RUNTIME_CUDA_DRIVER_H */
