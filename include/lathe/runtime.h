/* The thin runtime of Lathe, and the binary interface between it, generated objects and applications.
 *
 * Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A generated header includes nothing of this file when its object was made with --threads=off; otherwise the types below
 * are all that both sides agree on. Pure C99, silent as C++17. Sizes are in bytes, dimensions in elements.
 */
#ifndef LATHE_RUNTIME_H
#define LATHE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LATHE_ABI_VERSION /* generated headers carry the same block, so that either may come first */
#define LATHE_ABI_VERSION 9

/* The status of an entry. Every status but LATHE_OK leaves the state region unchanged, except LATHE_ERROR_DEVICE and a device
 * that runs out of memory while kernels already write. */
typedef enum lathe_status {
  LATHE_OK = 0,
  LATHE_ERROR_NULL_ARGUMENT = 1,       /* a pointer that must be given is NULL; actual is 0 */
  LATHE_ERROR_MISALIGNED = 2,          /* expected: the alignment; actual: the address modulo it */
  LATHE_ERROR_DIMENSION = 3,           /* a named dimension is out of bounds; expected: the bound it breaks; actual: its value.
                                          Where `other` is "extent", an extent of `op` would be negative, `actual`; where it is
                                          "bytes", `argument` would be larger than `expected` */
  LATHE_ERROR_WORKSPACE_TOO_SMALL = 4, /* expected: bytes needed; actual: bytes given */
  LATHE_ERROR_OVERLAP = 5,             /* a buffer that is written overlaps the one named in `other` */
  LATHE_ERROR_CPU_TOO_OLD = 6,         /* expected: x86-64 level needed; actual: level of this CPU; or other: AMX, and why */
  LATHE_ERROR_OUT_OF_MEMORY = 7,       /* runtime only; other: NULL, or the device's driver's name for it */
  LATHE_ERROR_IO = 8,                  /* runtime only: a file could not be read or written */
  LATHE_ERROR_FORMAT = 9,              /* a file, or the weights that an entry is given, does not hold what it should */
  LATHE_ERROR_ABI = 10,                /* runtime and object disagree on LATHE_ABI_VERSION */
  LATHE_ERROR_EXTERN = 11, /* a function of the application's, named in `argument`, failed; it may return statuses of
                              its own from 100 on, which are reported alike; actual: what it returned */
  LATHE_ERROR_BOUND = 12,  /* a loop exceeds its bound; expected: the bound; actual: the least number of steps that it needs */
  LATHE_ERROR_ASSERT = 13, /* a lathe.assert fails at element `index`; other: its text */
  LATHE_ERROR_NOT_FINITE = 14,   /* with lathec --check=finite: `op` produces `other`, "a NaN" or "an infinity", at `index` */
  LATHE_ERROR_OUT_OF_RANGE = 15, /* with lathec --check=bounds: the index `actual` of `op`, at `index`, is out of bounds;
                                    expected: the first index past the valid ones, which start at 0 */
  LATHE_ERROR_NO_DEVICE = 16, /* there is no such device, no driver for it, or no code in the object that it runs; other: which
                                 of these; expected and actual: versions or numbers of devices where these are the reason */
  LATHE_ERROR_DEVICE = 17,    /* the device's driver reports a failure; other: its name for it; actual: its number. Or a kernel
                                 is beyond what devices run; expected: the limit */
  LATHE_ERROR_COMM = 18       /* the ranks of a job do not come together; other: the reason, such as "timed out"; argument: the
                                 axis; actual: the rank that is the reason, or -1. lathe/ranks.h lists the reasons */
} lathe_status;

typedef struct lathe_context lathe_context;

/* Filled by whoever returns a status other than LATHE_OK. Strings are constants of the object, or of the runtime. */
typedef struct lathe_error {
  lathe_status status;
  int32_t line, column; /* in `file`; 0 when unknown */
  const char *file;     /* base name of the graph */
  const char *function; /* entry */
  const char *op;       /* op that declared what is wrong, e.g. "func.func" or "lathe.variable" */
  const char *argument; /* field of the args struct */
  const char *other;    /* second argument where there is one, else NULL */
  int64_t expected, actual;
  uint32_t rank;    /* of `index`; 0 where there is none */
  int64_t index[8]; /* of the element that is wrong, its first eight dimensions */
  const char *node; /* of a model's own graph: the name of the node at `line`; else NULL */
} lathe_error;
#endif /* LATHE_ABI_VERSION */

/* ---- What generated objects tell about themselves ---- */

#define LATHE_INFO_MAGIC 0x3145485441LL /* "ATHE1" */
#define LATHE_ABSENT UINT32_MAX         /* offset of a field that an args struct does not have */

typedef enum lathe_dtype {
  LATHE_I1 = 1, /* stored as one byte, 0 or 1 */
  LATHE_I8 = 2,
  LATHE_I16 = 3,
  LATHE_I32 = 4,
  LATHE_I64 = 5,
  LATHE_U8 = 6,
  LATHE_U16 = 7,
  LATHE_U32 = 8,
  LATHE_U64 = 9,
  LATHE_F16 = 10,
  LATHE_BF16 = 11,
  LATHE_F32 = 12,
  LATHE_F64 = 13
} lathe_dtype;

typedef struct lathe_dimension_info {
  const char *name;
  int64_t minimum, maximum, multiple_of; /* inclusive bounds */
  uint32_t offset;                       /* of its int64_t in the args struct */
} lathe_dimension_info;

typedef struct lathe_argument_info {
  const char *name;      /* as in the header */
  const char *type_text; /* "f32[N][16]" */
  lathe_dtype dtype;
  uint32_t rank;
  uint32_t is_output;    /* 0: read only, 1: written */
  uint32_t offset;       /* of its pointer in the args struct */
  int32_t line;          /* of its declaration in the graph */
  const int32_t *counts; /* of a result with sizes that data decides: for each dimension the argument, one of type i64, that
                          * says how much of it counts, -1 where all does; else NULL */
} lathe_argument_info;

/* Says that an axis divides a dimension of a variable evenly: the rank with index i has block i. */
typedef struct lathe_split_info {
  const char *axis;
  uint32_t dimension, reserved;
} lathe_split_info;

/* The whole of a variable of which each rank has a part. First the dimensions in `splits` are divided. Then, if flat_axis is
 * not NULL, the elements of that block, in row-major order and followed by zeros up to a multiple of the axis' size, are
 * divided evenly over that axis. */
typedef struct lathe_whole_info {
  const char *type_text;
  const int64_t *extents;
  uint32_t rank, split_count;
  const lathe_split_info *splits; /* each axis and each dimension at most once */
  const char *flat_axis;          /* none of the splits' axes; or NULL */
} lathe_whole_info;

typedef struct lathe_state_info {
  const char *name; /* the variable's name in the graph, e.g. "conv1.w" */
  const char *type_text;
  lathe_dtype dtype;
  uint32_t rank;
  const int64_t *extents;
  uint64_t offset, size; /* in the state region */
  int32_t line;
  const lathe_whole_info *whole; /* NULL: each rank has the whole variable, all with the same value */
} lathe_state_info;

/* One call of a kernel in an entry: a row of a profile. */
typedef struct lathe_kernel_info {
  const char *name;  /* symbol of the kernel's code */
  const char *op;    /* its hero op, e.g. "lathe.conv"; "copy for func.return" of a copy */
  const char *fused; /* the other ops in it, separated by spaces */
  const char *node;  /* where `file` is a model, the name of its node; else NULL */
  const char *file;  /* base name of the graph, or of a model that it calls */
  int32_t line;      /* of the hero op in that */
} lathe_kernel_info;

/* The parts of a training step that `lathec --shard` split. An argument of a part is the step's argument of the same name. An
 * argument of the update with the name of an output of the gradients is that output, averaged over all examples. */
typedef struct lathe_shard_info {
  uint32_t gradients, update; /* its parts: functions of the module, by number */
  uint32_t dimension;         /* the step's, by number: the batch, which is the first dimension of each input that has it */
  uint32_t variable_count;
  const uint32_t *variables; /* those that the update writes and the gradients read, by number */
} lathe_shard_info;

typedef struct lathe_function_info {
  const char *name;   /* in the graph */
  const char *symbol; /* in the object */
  uint32_t dimension_count, argument_count, kernel_count, variant_count;
  const lathe_dimension_info *dimensions;
  const lathe_argument_info *arguments; /* inputs, then outputs */
  const lathe_kernel_info *kernels;
  const char *const *variants; /* "N=32", ..., "general" */
  uint32_t args_size;
  uint32_t state_offset, workspace_offset, workspace_size_offset, context_offset, error_offset, weights_offset,
      weights_size_offset, cold_workspace_offset, cold_workspace_size_offset; /* LATHE_ABSENT: the entry has none */
  lathe_status (*call)(void *args);
  uint64_t (*workspace_size)(const int64_t *dimensions);       /* SIZE_MAX for dimensions out of bounds */
  void (*shapes)(const int64_t *dimensions, int64_t *extents); /* extents of all arguments, one after the other */
  const lathe_shard_info *shard;                               /* NULL: several contexts cannot share it */
  /* With `lathec --offload`, else NULL: the bytes of the second workspace, SIZE_MAX for dimensions out of bounds. */
  uint64_t (*cold_workspace_size)(const int64_t *dimensions);
} lathe_function_info;

typedef struct lathe_module_info {
  uint64_t magic;       /* LATHE_INFO_MAGIC */
  uint32_t abi_version; /* LATHE_ABI_VERSION */
  uint32_t function_count, state_count;
  const char *name;   /* prefix of the C symbols */
  const char *source; /* base name of the graph */
  const char *target; /* e.g. "x86-64-v4" */
  uint64_t state_size;
  uint64_t weights_size; /* of the file beside the object; 0 where there is none */
  const lathe_state_info *state;
  const lathe_function_info *functions;
} lathe_module_info;

/* ---- Contexts ---- */

typedef struct lathe_comm lathe_comm; /* see lathe/ranks.h */

/* A piece of a parallel loop: iterations [begin, end), with a scratch slot that no piece running at the same time has. */
typedef void (*lathe_body)(void *closure, int64_t slot, int64_t begin, int64_t end);

/* Runs body over [0, count) in pieces that start at multiples of grain (>= 1), and returns when all are done. Pieces may run
 * at the same time; what they write never depends on how the loop was cut. `slots` is the largest number of slots: no more
 * threads pay, or have scratch memory. */
typedef void (*lathe_parallel_for)(lathe_context *context, lathe_body body, void *closure, int64_t count, int64_t grain,
                                   int64_t slots);

/* Called before (begin = 1) and after (begin = 0) each kernel, from the calling thread. */
typedef void (*lathe_profile_hook)(lathe_context *context, const lathe_kernel_info *kernel, int32_t begin);

/* A value that a lathe.print of the graph shows. */
typedef struct lathe_print_info {
  const char *text; /* its own, or NULL */
  const char *file; /* base name of the graph */
  int32_t line;
  lathe_dtype dtype;
  uint32_t rank, mask_rank; /* mask_rank: of the mask, whose dimensions are the first of the value's */
} lathe_print_info;

/* Called for each lathe.print that the entry comes to, from the calling thread. `data` is row-major; `mask` is NULL, or says of
 * each part of the value, one byte each, whether it is to be shown. */
typedef void (*lathe_print_hook)(lathe_context *context, const lathe_print_info *info, const int64_t *extents, const void *data,
                                 const uint8_t *mask);

/* ---- Devices, as generated code sees them ---- */

/* A matrix, or matrices, of which a kernel's blocks copy boxes: for every launch it becomes one of the driver's tensor maps. */
typedef struct lathe_device_map {
  uint32_t word;     /* of the parameter: its address, but for `offset` bytes */
  lathe_dtype dtype; /* f16, bf16, f32 or f64 */
  uint32_t rank;     /* 2 to 5; dimensions go from the innermost one */
  uint32_t swizzle;  /* bytes whose 16-byte parts a box has in another order: 0, 32, 64 or 128 */
  uint64_t offset;
  uint64_t extents[5];      /* elements, ... */
  uint32_t extent_words[5]; /* ... times this word of the parameter, unless it is UINT32_MAX */
  uint32_t box[5];          /* elements that it spans, ... */
  uint32_t steps[5];        /* ... of which every so many-th arrives: 1 to 8; of the innermost one all */
  uint32_t reserved;
  uint64_t strides[5]; /* bytes; of the innermost one the element's */
} lathe_device_map;

/* A function of an image. Its one parameter is an array of 8-byte words, passed by value; behind them, from a multiple of 128
 * bytes on, are 128 bytes for each map. */
typedef struct lathe_device_kernel {
  const char *name;
  uint32_t words;        /* of its parameter */
  uint32_t threads;      /* of a block */
  uint32_t shared_bytes; /* dynamic shared memory of a block */
  uint32_t
      is_persistent; /* its blocks share what is to be done, however many they are: no more are launched than run at once */
  uint32_t map_count, reserved;
  const lathe_device_map *maps;
} lathe_device_kernel;

/* Code for a device: PTX that the driver compiles for its own architecture or a newer one, or a cubin for just one. */
typedef struct lathe_device_image {
  uint32_t is_cubin;
  uint32_t capability; /* major * 10 + minor: 90 */
  uint32_t is_exact;   /* of PTX: for this capability alone (sm_90a) */
  uint32_t reserved;
  uint64_t size; /* PTX: with the zero that ends it */
  const void *data;
  const lathe_device_kernel *kernels; /* in the order that all images have, with as many words */
} lathe_device_image;

/* All that an object has for devices. Constant: a context loads it once and knows it by its address. */
typedef struct lathe_device_code {
  uint32_t abi_version;
  uint32_t image_count, kernel_count, reserved;
  const lathe_device_image *images;
} lathe_device_code;

#define LATHE_SCRATCH_ON_DEVICE 0x80000000u

/* The functions of a device that entries call, in the order of a call. The device keeps the first failure: later functions do
 * nothing, `read` returns zeros, and `finish` reports the failure. All but `read`, `write`, `enter` and `finish` return before
 * the device is done. */
typedef struct lathe_device_api {
  /* Begins a call of an entry: loads the code unless the context has it. */
  void (*attach)(lathe_context *context, const lathe_device_code *code);
  /* Returns where kernels find the bytes of an input: `data` itself if device_arguments says that it is on the device, else
   * `place`, to which they are copied. */
  const void *(*input)(lathe_context *context, uint32_t argument, const void *data, void *place, uint64_t size);
  /* Returns where kernels write the bytes of an output: `data` itself or `place`. */
  void *(*output)(lathe_context *context, uint32_t argument, void *data, void *place, uint64_t size);
  /* A copy, made once a context, of constant bytes of the object or of its weights. */
  const void *(*constant)(lathe_context *context, const void *data, uint64_t size);
  /* The calls until `end` depend only on `key`: the device may have recorded them in an earlier call with the same bytes.
   * Returns 1 if it has; it replays all of them, and the caller continues at `end`. */
  int32_t (*begin)(lathe_context *context, const void *key, uint64_t size);
  /* Runs `blocks` blocks (none: nothing) of a kernel of the attached code with these words; errors and profiles
   * name `row`. */
  void (*launch)(lathe_context *context, const lathe_kernel_info *row, uint32_t kernel, int64_t blocks, const uint64_t *words);
  /* Zero bytes; a copy on the device. */
  void (*clear)(lathe_context *context, void *place, uint64_t size);
  void (*copy)(lathe_context *context, void *to, const void *from, uint64_t size);
  /* To and from the host's memory, after all that came before; both wait. Neither comes between `begin` and `end`. */
  void (*read)(lathe_context *context, void *host, const void *place, uint64_t size);
  void (*write)(lathe_context *context, void *place, const void *host, uint64_t size);
  /* Host memory of the context's, by number: valid until the next request for the same number. NULL: there is none. Numbers
   * with the bit LATHE_SCRATCH_ON_DEVICE are of device memory, which entries do not request. */
  void *(*scratch)(lathe_context *context, uint32_t number, uint64_t size);
  void (*end)(lathe_context *context);
  /* The bytes of an output to where the caller wants them, unless kernels wrote them there. */
  void (*result)(lathe_context *context, uint32_t argument, void *data, const void *place, uint64_t size);
  /* Ends the call: waits, unless the context is asynchronous. The first failure as a status, told in the error record. */
  lathe_status (*finish)(lathe_context *context, const char *function, lathe_error *error);

  /* ---- For communicators that take the device's memory ---- */

  /* Waits for all that came before, and makes the device current for the calling thread until `leave`. Returns 0 if the call
   * has failed, before or now, which `finish` reports: then the device is not current. Scratch on the device needs it. */
  int32_t (*enter)(lathe_context *context);
  void (*leave)(lathe_context *context);
  /* Attaches other code, for `launch`, within a call. Returns the code that was attached, or NULL: the caller attaches it
   * again. A code that cannot be loaded is a failure. */
  const lathe_device_code *(*use)(lathe_context *context, const lathe_device_code *code);
} lathe_device_api;

/* The fields that generated code reads. An application may embed it as the first member of a context of its own. */
struct lathe_context {
  uint32_t abi_version;
  uint32_t cpu_level;              /* x86-64 level, 1 to 6, clamped to what this CPU allows; 0 where that means nothing */
  lathe_parallel_for parallel_for; /* never NULL */
  lathe_profile_hook profile;      /* NULL: no profile */
  lathe_print_hook print;          /* NULL: nothing is printed */
  void *user;                      /* the application's own */
  const lathe_device_api *device;  /* NULL: the CPU */
  uint64_t device_arguments; /* bit i: argument i of the entry, as lathe_function_info counts them, is in the device's memory,
                              * bit 63: all from the 64th on; the others are copied. Only where `device` is given */
  lathe_comm *comm;          /* the other ranks, for entries with collectives; NULL: there are none. The application sets it */
};

/* Makes a context with `threads` threads in all, the caller included (0: one a core). NULL when memory or threads cannot be
 * had. LATHE_CPU=x86-64-v2, -v3, -v4 or -v4-vnni in the environment lowers cpu_level. A context serves one entry call at a
 * time. */
lathe_context *lathe_context_create(int threads);
/* Ends the threads of a context that lathe_context_create made; not while a call runs with it. NULL does nothing. */
void lathe_context_destroy(lathe_context *context);
/* How many threads such a context has, the caller included; 1 for NULL. */
int lathe_context_threads(const lathe_context *context);

/* The hook of contexts that lathe_context_create makes: a line a value to stderr, "graph.mlir:12: loss = 0.5", of a tensor its
 * least, largest and mean element and its first ones. */
void lathe_print(lathe_context *context, const lathe_print_info *info, const int64_t *extents, const void *data,
                 const uint8_t *mask);

/* How many CUDA devices there are; 0 where there is no driver or none, for which *error (may be NULL) tells the reason. */
int lathe_cuda_device_count(lathe_error *error);
/* A context that runs entries on a CUDA device, on a stream of its own or on the application's, a CUstream of the device's
 * primary context. The driver is opened at run time. NULL with the reason in *error (may be NULL). Objects without code for
 * devices run on the calling thread with it. Ended by lathe_context_destroy. */
lathe_context *lathe_context_create_cuda(int device, lathe_error *error);
lathe_context *lathe_context_create_cuda_on_stream(int device, void *stream, lathe_error *error);

/* An asynchronous context's entries return when all is queued: LATHE_OK then says no more than that. Outputs and the state
 * count from lathe_context_synchronize on, which tells what failed since the last one; until then inputs stay as they are. Not
 * for contexts of the CPU, which never are. */
void lathe_context_set_asynchronous(lathe_context *context, int asynchronous);
lathe_status lathe_context_synchronize(lathe_context *context, lathe_error *error);

/* Memory where the context's entries want state and workspace: the device's, zeroed; or lathe_alloc's for a context of the CPU
 * and for NULL. NULL when there is none. */
void *lathe_context_alloc(lathe_context *context, size_t size);
void lathe_context_free(lathe_context *context, void *memory);
/* Copies from the host's memory to such memory, and back; done when they return. */
lathe_status lathe_context_upload(lathe_context *context, void *to, const void *from, size_t size, lathe_error *error);
lathe_status lathe_context_download(lathe_context *context, void *to, const void *from, size_t size, lathe_error *error);

/* ---- Several contexts for one training step ---- */

/* A training step that `lathec --shard=FUNCTION:DIM` split, on `count` contexts, CPUs and devices in any order: each computes
 * the gradients of its part of the batch on a thread of its own, and the first one updates the state with their means. */
typedef struct lathe_shards lathe_shards;

/* NULL with the reason in *error (may be NULL). Neither contexts nor the object may end before it does, and the contexts run
 * nothing else during a step. The state is zeros at first. */
lathe_shards *lathe_shards_create(const lathe_module_info *module, const char *function, lathe_context *const *contexts,
                                  int count, lathe_error *error);
void lathe_shards_destroy(lathe_shards *shards); /* NULL does nothing */
/* One step, with the function's own args struct: all pointers are the host's; its state, workspace, context and error are not
 * looked at. The failure told is that of the first context that had one, and leaves the state as it was, but for one of a
 * device while the first context updates. */
lathe_status lathe_shards_step(lathe_shards *shards, void *args, lathe_error *error);
/* Copies a state region, of the host's memory, in and out. */
lathe_status lathe_shards_set_state(lathe_shards *shards, const void *state, lathe_error *error);
lathe_status lathe_shards_get_state(lathe_shards *shards, void *state, lathe_error *error);

/* x86-64 level of this CPU and operating system: 1 to 4, 5 with the dot products of bytes beside x86-64-v4 (AVX512_VNNI), 6
 * with those of bf16 too (AVX512_BF16); 0 on other machines. */
uint32_t lathe_cpu_level(void);

/* ---- Errors ---- */

/* "LATHE_OK" and so on; "unknown status" for any other number. */
const char *lathe_status_name(lathe_status status);
/* Writes one line without newline, "digits.mlir:12:3: predict: argument 'image' ...", cut to size. Returns the length that the
 * whole text has, as snprintf does. */
int lathe_error_format(const lathe_error *error, char *text, size_t size);
/* The same line to stderr, with a newline. */
void lathe_error_print(const lathe_error *error);

/* ---- Memory ---- */

/* Zeroed and aligned to 64 bytes (2 MB, with a hint for huge pages, from 4 MB on); NULL when there is none. */
void *lathe_alloc(size_t size);
/* Frees what lathe_alloc gave; NULL does nothing. */
void lathe_free(void *memory);

/* ---- Files ---- */

typedef struct lathe_array {
  lathe_dtype dtype;
  uint32_t rank;
  int64_t extents[8];
  void *data;  /* row-major; from lathe_alloc when a reader made it */
  size_t size; /* bytes of data */
} lathe_array;

size_t lathe_dtype_size(lathe_dtype dtype);      /* bytes an element; 0 for an unknown type */
const char *lathe_dtype_name(lathe_dtype dtype); /* "f32" */
void lathe_array_release(lathe_array *array);    /* frees data */

/* .npy format 1.0 to 3.0, little-endian, C or (converted) Fortran order. Files appear whole or not at all. On failure *error
 * (may be NULL) names the file in `file` and what was expected. */
lathe_status lathe_npy_read(const char *path, lathe_array *array, lathe_error *error);
lathe_status lathe_npy_write(const char *path, const lathe_array *array, lathe_error *error);

/* A state region as a safetensors file, one tensor a variable, by name. Reading checks names, types and shapes, and changes
 * the region only if all fit. */
lathe_status lathe_state_save(const char *path, const lathe_module_info *module, const void *state, lathe_error *error);
lathe_status lathe_state_load(const char *path, const lathe_module_info *module, void *state, lathe_error *error);

/* How a file and the variables of a module may differ, such as a trainer's file and a predictor, or weights alone and a
 * trainer. */
typedef enum lathe_state_difference {
  LATHE_STATE_MISSING = 1,  /* the file has no tensor of a variable's name: the variable keeps its value */
  LATHE_STATE_LEFT_OVER = 2 /* no variable has the name of a tensor: the tensor is skipped */
} lathe_state_difference;
/* The same where the kinds of difference in `allowed`, a sum of the above, are fine. Types and shapes must fit in any case.
 * Calls tell (which may be NULL) for each difference, allowed or not, before the state changes; `name` lives as long as the
 * call. */
lathe_status lathe_state_load_some(const char *path, const lathe_module_info *module, void *state, unsigned allowed,
                                   void (*tell)(void *user, lathe_state_difference what, const char *name), void *user,
                                   lathe_error *error);

#ifdef __cplusplus
}
#endif
#endif /* LATHE_RUNTIME_H */
