// The kernels of a module's entries as code for GPUs: PTX text, and tables that tell the runtime of it.
#ifndef LATHE_CODEGEN_EMIT_DEVICECODE_H
#define LATHE_CODEGEN_EMIT_DEVICECODE_H

#include "codegen/Emit/EntryEmitter.h"
#include "codegen/Emit/Targets.h"
#include "codegen/GPU/KernelEmitter.h"

namespace lathe {

/// A function of an image, as the runtime launches it.
struct DeviceKernel {
  std::string name;
  unsigned words, threads, sharedBytes = 0;
  bool isPersistent = false;
  llvm::SmallVector<gpu::TensorMap> maps = {};
};

/// The kernels for one architecture.
struct DeviceImage {
  gpu::Target target;
  bool isCubin;
  std::string data;
  unsigned table; // of its kernels
};

/// All that an object has for GPUs. Calls of a kernel are the same whatever image serves them.
struct DeviceCode {
  KernelSymbols kernels; // their `number` is that in the tables
  std::vector<std::vector<DeviceKernel>> tables;
  std::vector<DeviceImage> images;
};

/// Emits the kernels of the exported functions, one image of PTX a target and one of ptxas' where there is that. `text` of the
/// kernels, when asked for, goes behind what `into` holds. Nothing with a diagnostic on failure.
std::optional<DeviceCode> emitDeviceCode(mlir::ModuleOp module, const ModuleSignature &signature,
                                         llvm::ArrayRef<gpu::Target> targets, const DeviceOptions &options, KernelText text,
                                         std::string &into);

/// Refuses, with a diagnostic, kernels that have more inputs and results than a launch can hand over.
mlir::LogicalResult checkDeviceKernels(mlir::ModuleOp module);

/// The constant lathe_device_code of an object.
llvm::GlobalVariable *emitDeviceTables(EmitContext &emit, const DeviceCode &code);

} // namespace lathe

#endif
