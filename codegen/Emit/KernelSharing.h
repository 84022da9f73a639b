// Emits each different kernel of a module's entries once.
#ifndef LATHE_CODEGEN_EMIT_KERNELSHARING_H
#define LATHE_CODEGEN_EMIT_KERNELSHARING_H

#include "codegen/Emit/EntryEmitter.h"
#include "codegen/Emit/Targets.h"
#include "codegen/Schedules/KernelStructure.h"

namespace lathe {

class KernelSharing {
public:
  KernelSharing(mlir::ModuleOp module, const ModuleSignature &signature)
      : module(module), signature(signature), kernelModule(mlir::ModuleOp::create(module.getLoc())) {}
  virtual ~KernelSharing() = default;

  /// The code of all kernels of the exported functions and their versions.
  KernelSymbols kernels;

  /// Fills `kernels`; emits a diagnostic on failure.
  mlir::LogicalResult emitKernels();
  unsigned callCount() const { return calls; }
  unsigned distinctCount() const { return known.size(); }

protected:
  virtual MachineKind machine() const = 0;
  /// Returns the target whose schedules the kernels use.
  virtual std::string targetName() const = 0;
  /// Emits the first kernel of a structure under this name.
  virtual mlir::FailureOr<KernelSymbol> emitDistinct(KernelOp kernel, const std::string &name) = 0;

  /// Lowers the emitted kernels to the LLVM dialect and attaches their lines in the graph. Appends the requested text to
  /// `into`. Fails with a diagnostic.
  mlir::LogicalResult lowerKernels(KernelText text, std::string &into, mlir::LLVM::DIEmissionKind lines);

  mlir::ModuleOp module;
  const ModuleSignature &signature;
  mlir::OwningOpRef<mlir::ModuleOp> kernelModule; // the emitted kernels

private:
  bool isExported(mlir::func::FuncOp function) const;
  mlir::LogicalResult emitKernel(KernelOp kernel);
  std::string schedulesOf(KernelOp kernel) const;

  std::map<std::string, KernelSymbol> known; // by structure and schedule
  std::set<std::string> names;               // names of their code
  unsigned calls = 0;
};

} // namespace lathe

#endif
