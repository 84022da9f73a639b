// The kernels of a module's entries as code for GPUs: PTX text, and tables that describe it to the runtime.
#ifndef LATHE_CODEGEN_EMIT_DEVICECODE_H
#define LATHE_CODEGEN_EMIT_DEVICECODE_H

#include "codegen/Emit/EntryEmitter.h"
#include "codegen/Emit/Targets.h"
#include "codegen/GPU/Form.h"

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
  unsigned table; // the index of its kernel table
};

/// All GPU code of an object. Calls of a kernel are the same for all images.
struct DeviceCode {
  KernelSymbols kernels; // their `number` is the index in the tables
  std::vector<std::vector<DeviceKernel>> tables;
  std::vector<DeviceImage> images;
};

/// Emits the kernels of the exported functions: one PTX image per target, and a cubin if ptxas is available. Appends the
/// requested `text` of the kernels to `into`. Returns nullopt with a diagnostic on failure.
std::optional<DeviceCode> emitDeviceCode(mlir::ModuleOp module, const ModuleSignature &signature, const Targets &targets,
                                         unsigned optLevel, KernelText text, std::string &into);

/// Refuses, with a diagnostic, kernels with more inputs and results than a launch can pass.
mlir::LogicalResult checkDeviceKernels(mlir::ModuleOp module);

/// Emits the constant lathe_device_code of an object.
llvm::GlobalVariable *emitDeviceTables(EmitContext &emit, const DeviceCode &code);

} // namespace lathe

#endif
