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
    register tile or the size of work items. Kernels of equal structure get equal schedules.

    Requires planned functions.

    Guarantees that each compiled kernel has a schedule for the target, and that `lathe-verify-schedules-cpu` holds. Refuses a user's
    schedules that no code can follow.
  }];
  let options = [target, Option<"overrides", "overrides", "std::string", "", "File of schedules to use instead, by kernel">];
}

def VerifySchedulesCpuPass : CpuTargetPass<"lathe-verify-schedules-cpu"> {
  let summary = "Refuse schedules that CPU code cannot follow";
  let description = [{
    Lowers a copy of each kernel for the form of its schedule, and lets the form check the parameters. Also refuses a schedule that
    would change the order of a sum, which depends only on types and positions.

    Requires kernels with a schedule for the target.

    Guarantees that nothing changes.
  }];
  let options = [target];
}
