// The forms of CPU code. A form or family of forms has its own folder with the kernels that it takes, its schedule and its
// emitter; codegen/CPU/Forms.cpp lists them.
#ifndef LATHE_CODEGEN_CPU_FORM_H
#define LATHE_CODEGEN_CPU_FORM_H

#include "codegen/CPU/Tuning.h"
#include "codegen/Points/VectorTarget.h"
#include "codegen/Schedules/Form.h"
#include "codegen/Schedules/KernelStructure.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lathe::cpu {

/// A kernel's code, as its callers need to know it: `void name(void *closure, i64 slot, i64 begin, i64 end)`.
/// The closure is an array of 8-byte words: pointers of the inputs, of the outputs, then the values of `symbols`.
struct KernelCode {
  mlir::LLVM::LLVMFuncOp function;
  llvm::SmallVector<std::string> symbols;
  /// The parallel loop runs over ceil(extent / unit) independent work items.
  Dim extent = Dim(1);
  int64_t unit = 1;
  /// The total of scalar operations, which decides whether to use threads, and how many: one for each `threadWork`.
  Dim work = Dim(1);
  int64_t threadWork = tuning::kThreadElements;
  /// The most threads, if the kernel has scratch memory for each.
  std::optional<int64_t> mostThreads = std::nullopt;
  /// True if the code uses the tile registers of AMX, which the system grants to a process on demand.
  bool usesTiles = false;
};

/// An empty function to fill, and its target.
struct FunctionPlace {
  mlir::LLVM::LLVMFuncOp function;
  const VectorTarget &target;
  mlir::OpBuilder &builder;
};

struct Machine {
  static constexpr llvm::StringLiteral name = "a CPU";
  static constexpr llvm::StringLiteral schedulePass = "lathe-schedule-cpu";
  static constexpr MachineKind kind = MachineKind::CPU;
  using Target = VectorTarget;
  using Place = FunctionPlace;
  using Code = KernelCode;
  /// Returns the name of a target in schedules and options.
  static std::string nameOf(const Target &target) { return target.name(); }
};

using Form = MachineForm<Machine>;

/// A form whose parameters are a struct.
template <typename Parameters>
class FormOf : public ParameterForm<Machine, Parameters> {
public:
  using ParameterForm<Machine, Parameters>::ParameterForm;
};

} // namespace lathe::cpu

#endif
