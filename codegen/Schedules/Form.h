// Forms of code: the ways to compute kernels on a kind of machine. A form decides which kernels it takes, chooses and verifies
// the parameters of their schedules, and emits their code.
#ifndef LATHE_CODEGEN_SCHEDULES_FORM_H
#define LATHE_CODEGEN_SCHEDULES_FORM_H

#include "codegen/Schedules/Candidates.h"
#include "codegen/Schedules/Parameters.h"

namespace lathe {

/// The base of the forms of a kind of machine. `Machine` describes it:
///
///     struct Machine {
///       static constexpr llvm::StringLiteral name = "a CPU";     // in diagnostics
///       static constexpr llvm::StringLiteral schedulePass = ...; // the pass that chooses schedules
///       static constexpr MachineKind kind = ...;
///       using Target = ...; // the target of code
///       using Place = ...;  // where to emit code
///       using Code = ...;   // the description of emitted code
///       static std::string nameOf(const Target &target); // the target's name in schedules
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

  /// True if the form can compute this kind of op directly. Its kernels keep such ops, while all others become nests.
  virtual bool isHero(mlir::Operation *op) const { return false; }
  /// True if the form has code for this hero. The ops in front of it in its kernel are nests already.
  virtual bool canCompute(mlir::Operation *hero, const Target &target) const { return true; }
  /// Returns the kernel's op that the form computes directly, or null.
  mlir::Operation *heroOf(KernelOp kernel) const {
    for (mlir::Operation &op : kernel.getBody().front())
      if (isHero(&op))
        return &op;
    return nullptr;
  }
  /// True if the form computes this kernel of nests and heroes. The first form of the list that takes a kernel computes it; the
  /// last form takes every kernel of nests.
  virtual bool takes(KernelOp kernel, const Target &target) const { return heroOf(kernel); }

  /// True if the form can read constants in panels (codegen/Schedules/Panels.h).
  virtual bool readsPanels() const { return false; }

  /// True if the form's code leaves out what kernels may skip (dialects/Lathe/IR/SkippedKeys.h). All kernels of a strip must.
  virtual bool skipsKeys() const { return false; }

  /// Chooses the parameters for a kernel that the form takes. Fails with a diagnostic if the form has no code for it after all.
  virtual mlir::FailureOr<mlir::DictionaryAttr> choose(KernelOp kernel, const Target &target) const = 0;
  /// Refuses, with a diagnostic, parameters that the emitter cannot obey or that would change the order of a sum. That order
  /// depends only on the kernel's types and positions.
  virtual mlir::LogicalResult verify(KernelOp kernel, ScheduleAttr schedule, const Target &target) const = 0;
  /// Returns the parameters near those of a schedule that `verify` accepts: what a tuner tries instead. They need not all be
  /// valid.
  virtual llvm::SmallVector<mlir::DictionaryAttr> candidates(ScheduleAttr schedule) const = 0;
  /// Returns what a schedule that `verify` accepts means for this kernel, as one line for --explain; empty if the parameters
  /// say it all.
  virtual std::string describe(KernelOp kernel, ScheduleAttr schedule) const = 0;
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
  llvm::SmallVector<mlir::DictionaryAttr> candidates(ScheduleAttr schedule) const final {
    mlir::FailureOr<Parameters> read = readParameters<Parameters>(mlir::UnknownLoc::get(schedule.getContext()), schedule);
    if (failed(read))
      return {};
    return changesOf(schedule.getParameters(), *read);
  }
  std::string describe(KernelOp kernel, ScheduleAttr schedule) const final {
    mlir::FailureOr<Parameters> read = readParameters<Parameters>(kernel.getLoc(), schedule);
    return failed(read) ? "" : describeBy(kernel, *read);
  }
  mlir::FailureOr<Code> emit(KernelOp kernel, ScheduleAttr schedule, const Place &place) const final {
    mlir::FailureOr<Parameters> read = readParameters<Parameters>(kernel.getLoc(), schedule);
    if (failed(read))
      return mlir::failure();
    return emitBy(kernel, *read, place);
  }

protected:
  virtual mlir::FailureOr<Parameters> chooseFor(KernelOp kernel, const Target &target) const = 0;
  /// Checks constraints beyond the ranges of the individual parameters.
  virtual mlir::LogicalResult check(KernelOp kernel, const Parameters &, const Target &) const { return mlir::success(); }
  virtual std::string describeBy(KernelOp kernel, const Parameters &) const { return {}; }
  virtual mlir::FailureOr<Code> emitBy(KernelOp kernel, const Parameters &, const Place &place) const = 0;
};

/// The parameters of a form that has none.
struct NoParameters {
  template <typename Visitor>
  void visit(Visitor &) {}
};

} // namespace lathe

#endif
