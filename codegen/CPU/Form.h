// Forms of code: the ways in which kernels are computed on a CPU. Each has a folder of its own, with what it takes, how it is
// scheduled, and its emitter; codegen/CPU/Forms.cpp lists them.
#ifndef LATHE_CODEGEN_CPU_FORM_H
#define LATHE_CODEGEN_CPU_FORM_H

#include "codegen/Points/VectorTarget.h"
#include "codegen/Schedules/Parameters.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lathe::cpu {

/// A kernel's code, as its callers need to know it: `void name(void *closure, i64 slot, i64 begin, i64 end)`.
/// The closure is an array of 8-byte words: pointers of the inputs, of the outputs, then the values of `symbols`.
struct KernelCode {
  mlir::LLVM::LLVMFuncOp function;
  llvm::SmallVector<std::string> symbols;
  /// The parallel loop runs over ceil(extent / unit) pieces of independent work.
  Dim extent = Dim(1);
  int64_t unit = 1;
  /// Scalar operations in all, for deciding whether threads pay.
  Dim work = Dim(1);
};

/// An empty function, and the target that its code is for.
struct FunctionPlace {
  mlir::LLVM::LLVMFuncOp function;
  const VectorTarget &target;
  mlir::OpBuilder &builder;
};

class Form {
public:
  explicit Form(llvm::StringLiteral name) : name(name) {}
  virtual ~Form() = default;

  const llvm::StringLiteral name;

  /// True for ops of a kind that this form can compute as they are. Its kernels keep them; all other ops become nests.
  virtual bool isHero(mlir::Operation *op) const { return false; }
  /// True if the form has code for this hero. What stands in front of it in its kernel is nests by now.
  virtual bool canCompute(mlir::Operation *hero, const VectorTarget &target) const { return true; }
  /// The op of the kernel that the form computes as it is, or null.
  mlir::Operation *heroOf(KernelOp kernel) const;
  /// True if the form computes this kernel of nests and heroes. The first form of the list that takes a kernel gets it; the
  /// last one takes every kernel of nests.
  virtual bool takes(KernelOp kernel) const { return heroOf(kernel); }

  /// Chooses the parameters for a kernel that the form takes; failure with a diagnostic where it has no code after all.
  virtual mlir::FailureOr<mlir::DictionaryAttr> choose(KernelOp kernel, const VectorTarget &target) const = 0;
  /// Refuses, with a diagnostic, parameters that the emitter cannot obey, or that would change the order of a sum: that follows
  /// only from the kernel's types and positions.
  virtual mlir::LogicalResult verify(KernelOp kernel, ScheduleAttr schedule, const VectorTarget &target) const = 0;
  /// Emits the kernel's function by a schedule that `verify` accepts.
  virtual mlir::FailureOr<KernelCode> emit(KernelOp kernel, ScheduleAttr schedule, const FunctionPlace &place) const = 0;
};

/// A form whose parameters are a struct.
template <typename Parameters>
class FormOf : public Form {
public:
  using Form::Form;

  mlir::FailureOr<mlir::DictionaryAttr> choose(KernelOp kernel, const VectorTarget &target) const final {
    mlir::FailureOr<Parameters> chosen = chooseFor(kernel, target);
    if (failed(chosen))
      return mlir::failure();
    return writeParameters(kernel.getContext(), *chosen);
  }
  mlir::LogicalResult verify(KernelOp kernel, ScheduleAttr schedule, const VectorTarget &target) const final {
    mlir::FailureOr<Parameters> read = readParameters<Parameters>(kernel.getLoc(), schedule);
    return failed(read) ? mlir::failure() : check(kernel, *read, target);
  }
  mlir::FailureOr<KernelCode> emit(KernelOp kernel, ScheduleAttr schedule, const FunctionPlace &place) const final {
    mlir::FailureOr<Parameters> read = readParameters<Parameters>(kernel.getLoc(), schedule);
    if (failed(read))
      return mlir::failure();
    return emitBy(kernel, *read, place);
  }

protected:
  virtual mlir::FailureOr<Parameters> chooseFor(KernelOp kernel, const VectorTarget &target) const = 0;
  /// Checks what the ranges of single parameters do not tell.
  virtual mlir::LogicalResult check(KernelOp kernel, const Parameters &, const VectorTarget &) const { return mlir::success(); }
  virtual mlir::FailureOr<KernelCode> emitBy(KernelOp kernel, const Parameters &, const FunctionPlace &place) const = 0;
};

} // namespace lathe::cpu

#endif
