// The schedule stage for GPUs.
include "mlir/Pass/PassBase.td"

class GpuTargetPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  Option target = Option<"targetName", "target", "std::string", "\"cuda:sm_80\"", "GPU, as lathec's --target names it">;
  Option fast = Option<"fast", "fast", "bool", "false", "Choose as --math=fast does">;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def ScheduleGpuPass : GpuTargetPass<"lathe-schedule-gpu"> {
  let summary = "Choose how a GPU computes each kernel";
  let description = [{
    Gives each kernel a schedule for the target, `#lathe.schedule`: the form of its code, and the form's parameters, such as the
    tile of a block or the threads that share a row. Also sets the attributes on which the code depends besides the kernel's ops:
    `lathe.unaligned` for buffers that may not be aligned, `lathe.in_place` for a result in the buffer of an operand, and
    `lathe.predicates` for the number of bytes that tell whether the kernel runs.

    Requires planned functions.

    Guarantees that each compiled kernel has a schedule for the target, and that `lathe-verify-schedules-gpu` holds. Refuses a user's
    schedules that no code can follow.
  }];
  let options = [target, fast, Option<"overrides", "overrides", "std::string", "", "File of schedules to use instead, by kernel">];
}

def VerifySchedulesGpuPass : GpuTargetPass<"lathe-verify-schedules-gpu"> {
  let summary = "Refuse schedules that GPU code cannot follow";
  let description = [{
    Lowers a copy of each kernel for the form of its schedule, and lets the form check the parameters. Also refuses a schedule that
    would change the order of a sum, which depends only on types and positions.

    Requires kernels with a schedule for the target.

    Guarantees that nothing changes.
  }];
  let options = [target, fast];
}
