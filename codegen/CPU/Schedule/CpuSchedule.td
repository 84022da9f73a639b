// The schedule stage for CPUs.
include "mlir/Pass/PassBase.td"

class CpuTargetPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  Option target = Option<"targetName", "target", "std::string", "\"host\"", "CPU, as lathec's --target names it">;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def ScheduleCpuPass : CpuTargetPass<"lathe-schedule-cpu"> {
  let summary = "Choose how a CPU computes each kernel";
  let description = [{
    Gives each kernel a schedule for the target, `#lathe.schedule`: the form of its code, and the form's parameters, such as a
    register tile or pieces of parallel work. Kernels of equal structure get equal schedules.

    Requires planned functions.

    Guarantees that each kernel that is compiled has a schedule for the target, and that `lathe-verify-schedules-cpu` holds. Refuses
    schedules of the user's that no code obeys.
  }];
  let options = [target, Option<"overrides", "overrides", "std::string", "", "File of schedules to use instead, by kernel">];
}

def VerifySchedulesCpuPass : CpuTargetPass<"lathe-verify-schedules-cpu"> {
  let summary = "Refuse schedules that no code of a CPU obeys";
  let description = [{
    Lowers a copy of each kernel for the form of its schedule, and lets the form check the parameters. A schedule that would change
    the order of a sum is refused too: that order follows only from types and positions.

    Requires kernels with a schedule for the target.

    Guarantees that nothing changes.
  }];
  let options = [target];
}
