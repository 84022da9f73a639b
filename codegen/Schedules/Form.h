// Forms of code: the ways in which kernels are computed on a kind of machine. Each form says which kernels it takes, chooses
// and verifies a schedule's parameters, and emits code by them.
#ifndef LATHE_CODEGEN_SCHEDULES_FORM_H
#define LATHE_CODEGEN_SCHEDULES_FORM_H

#include "codegen/Schedules/Parameters.h"

namespace lathe {

/// A form of a kind of machine. `Machine` names the types of it:
///
///     struct Machine {
///       static constexpr llvm::StringLiteral name = "a CPU"; // as diagnostics call it
///       static constexpr llvm::StringLiteral schedulePass = ...; // that chooses schedules
///       static constexpr MachineKind kind = ...;
///       using Target = ...; // what code is for
///       using Place = ...;  // where code goes
///       using Code = ...;   // what callers need to know of a kernel's code
///       static std::string nameOf(const Target &target); // as schedules name it
///     };
template <typename Machine>
class MachineForm {
public:
  using Target = typename Machine::Target;
  using Place = typename Machine::Place;
  using Code = typename Machine::Code;

  explicit MachineForm(llvm::StringLiteral name) : name(name) {}
  virtual ~MachineForm() = default;

  const llvm::StringLiteral name;

  /// True for ops of a kind that this form can compute as they are. Its kernels keep them; all other ops become nests.
  virtual bool isHero(mlir::Operation *op) const { return false; }
  /// True if the form has code for this hero. What stands in front of it in its kernel is nests by now.
  virtual bool canCompute(mlir::Operation *hero, const Target &target) const { return true; }
  /// Returns the op of the kernel that the form computes as it is, or null.
  mlir::Operation *heroOf(KernelOp kernel) const {
    for (mlir::Operation &op : kernel.getBody().front())
      if (isHero(&op))
        return &op;
    return nullptr;
  }
  /// True if the form computes this kernel of nests and heroes. The first form of the list that takes a kernel gets it; the
  /// last one takes every kernel of nests.
  virtual bool takes(KernelOp kernel, const Target &target) const { return heroOf(kernel); }

  /// Chooses the parameters for a kernel that the form takes; failure with a diagnostic where it has no code after all.
  virtual mlir::FailureOr<mlir::DictionaryAttr> choose(KernelOp kernel, const Target &target) const = 0;
  /// Refuses, with a diagnostic, parameters that the emitter cannot obey, or that would change the order of a sum: that follows
  /// only from the kernel's types and positions.
  virtual mlir::LogicalResult verify(KernelOp kernel, ScheduleAttr schedule, const Target &target) const = 0;
  /// Emits the kernel's function by a schedule that `verify` accepts.
  virtual mlir::FailureOr<Code> emit(KernelOp kernel, ScheduleAttr schedule, const Place &place) const = 0;
};

/// A form whose parameters are a struct.
template <typename Machine, typename Parameters>
class ParameterForm : public MachineForm<Machine> {
public:
  using typename MachineForm<Machine>::Target;
  using typename MachineForm<Machine>::Place;
  using typename MachineForm<Machine>::Code;
  using MachineForm<Machine>::MachineForm;

  mlir::FailureOr<mlir::DictionaryAttr> choose(KernelOp kernel, const Target &target) const final {
    mlir::FailureOr<Parameters> chosen = chooseFor(kernel, target);
    if (failed(chosen))
      return mlir::failure();
    return writeParameters(kernel.getContext(), *chosen);
  }
  mlir::LogicalResult verify(KernelOp kernel, ScheduleAttr schedule, const Target &target) const final {
    mlir::FailureOr<Parameters> read = readParameters<Parameters>(kernel.getLoc(), schedule);
    return failed(read) ? mlir::failure() : check(kernel, *read, target);
  }
  mlir::FailureOr<Code> emit(KernelOp kernel, ScheduleAttr schedule, const Place &place) const final {
    mlir::FailureOr<Parameters> read = readParameters<Parameters>(kernel.getLoc(), schedule);
    if (failed(read))
      return mlir::failure();
    return emitBy(kernel, *read, place);
  }

protected:
  virtual mlir::FailureOr<Parameters> chooseFor(KernelOp kernel, const Target &target) const = 0;
  /// Checks what the ranges of single parameters do not tell.
  virtual mlir::LogicalResult check(KernelOp kernel, const Parameters &, const Target &) const { return mlir::success(); }
  virtual mlir::FailureOr<Code> emitBy(KernelOp kernel, const Parameters &, const Place &place) const = 0;
};

/// The parameters of a form that has none.
struct NoParameters {
  template <typename Visitor>
  void visit(Visitor &) {}
};

} // namespace lathe

#endif
