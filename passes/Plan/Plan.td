// Every value between kernels gets its memory.
include "mlir/Pass/PassBase.td"

def PlanPass : Pass<"lathe-plan", "::mlir::func::FuncOp"> {
  let summary = "Give every value between kernels its memory";
  let description = [{
    A value gets an output, a variable that it overwrites, or an offset in one arena. The arena's size is a formula in the named
    dimensions. A value that a region yields is computed in the buffer of its op's result, and a carry begins in the buffer
    of its loop, or with two buffers in memory that nothing writes.

    The result of a kernel with `lathe.cold` gets an offset in a second arena, the cold workspace.

    A kernel that only cuts a contiguous part, at a multiple of 64 bytes, from a value that keeps its memory for long enough becomes
    a slice between kernels, which is a view. A kernel that only concatenates contiguous parts becomes a concatenation between
    kernels: the parts' kernels write into its buffer. Other parts are copied there. This is done where it enlarges no largest live
    set.

    Requires a body of kernels, constants, reshapes, branches and loops, as `lathe-fuse` makes it.

    Guarantees that every kernel, concatenation, branch and loop has its buffers (`lathe.buffers`), and that `lathe-verify-plan` holds.
  }];
  let statistics = [Statistic<"buffers", "buffers", "offsets in arenas">];
}

def VerifyPlanPass : Pass<"lathe-verify-plan", "::mlir::func::FuncOp"> {
  let summary = "Prove that no two live buffers overlap";
  let description = [{
    Proves from the attributes of a plan, without knowing how it was made, that no two live buffers overlap, that all of them
    lie in the arena, that a variable is written only after its last read, that the parts of a concatenation are written where it
    has them, and that views are contiguous. Buffers of the cold workspace are proved apart like those of the arena, and only kernels with
    `lathe.cold` write there.

    Requires a planned function.

    Guarantees that nothing changes. Refuses a plan that it cannot prove.
  }];
  let statistics = [Statistic<"verified", "buffers", "buffers of arenas that were proved apart">];
}
