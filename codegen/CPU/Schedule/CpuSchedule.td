// The schedule stage for CPUs.
include "mlir/Pass/PassBase.td"

class CpuTargetPass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  Option target = Option<"targetName", "target", "std::string", "\"host\"", "CPU, as lathec's --target names it">;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def PackWeightsPass : Pass<"lathe-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Choose the constants that objects store in panels";
  let description = [{
    A tile of a product reads a panel of adjacent columns of its right operand, and one of a convolution such a panel of its filter.
    In a row-major constant each row of a panel is in another cache line, and if the matrix is wide, on another page. This pass chooses the constants that an object stores in
    panels, and sets `lathe.panels` on the kernels that read them: for each operand the width of its panels, or 0. The width
    serves the tiles of all targets, so that the object has one copy for all of them. The graph's constants do not change.

    A constant is stored in panels if a product reads it as its right operand, or a convolution as its filter. If another reader needs row-major order, the object
    has both copies. All additional bytes, padding included, are limited to an eighth of all constants.

    Requires planned functions and no schedules.

    Guarantees that each kernel with `lathe.panels` gets a schedule that reads panels on each of the targets.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"targetNames", "targets", "std::string", "\"host\"", "CPUs of the object, as lathec's --target names them">,
    Option<"leastBytes", "least-bytes", "int64_t", "16384", "Bytes of the smallest constant in panels, if kernels can read it in any order: smaller ones stay in the first-level cache">
  ];
  let statistics = [Statistic<"packed", "packed", "Number of constants in panels">];
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
  let options = [
    target, Option<"overrides", "overrides", "std::string", "", "File of schedules to use instead, by kernel">,
    Option<"printsCandidates", "print-candidates", "bool", "false", "Report the other schedules that each kernel could have, which lathe-run --tune measures">
  ];
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
