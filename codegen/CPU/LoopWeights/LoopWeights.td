// Weights of loops.
include "mlir/Pass/PassBase.td"

def PackLoopWeightsPass : Pass<"lathe-pack-loop-weights", "::mlir::ModuleOp"> {
  let summary = "Pack weights once for the products of all steps of a loop";
  let description = [{
    A tile of a product reads a panel of adjacent columns of its right operand. In a row-major matrix each row of a panel is in
    another cache line, and if the matrix is wide, on another page. Constants are stored in panels (`lathe-pack-weights`). Weights
    that are variables or arguments are not, and a loop, such as that of a recurrent cell, reads them again in each step. This pass
    adds kernels before the loop that pack them into panels, `[panels, depth, width]`, whose last panel is filled up with zeros. The
    loop's kernel has these panels as its operand, and brings them into the order of the matrix in front of the product. The form
    `contraction` reads the panels instead.

    The weights are packed before the outermost loop in which they do not change, and once for all kernels that read them in panels
    of one width. If a kernel in front of the loop transposes them, the panels are made of its operand. A kernel in a branch of a loop's body reads the matrix: the branch may be taken rarely.

    Requires a body of kernels, as `lathe-fuse` makes it, and no plan.

    Guarantees that results do not change, and that the width serves the tiles of all targets. Constants, matrices below
    `least-bytes`, and loops with fewer steps than `least-steps` stay as they are, products of one row in loops with an unknown number of steps
    or with fewer than four times as many.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let options = [
    Option<"targetNames", "targets", "std::string", "\"host\"", "CPUs of the object, as lathec's --target names them">,
    Option<"leastBytes", "least-bytes", "int64_t", "16384", "Bytes of the smallest matrix in panels: smaller ones stay in the first-level cache">,
    Option<"leastSteps", "least-steps", "int64_t", "12", "The least number of steps; an unknown one is assumed to be more">
  ];
  let statistics = [Statistic<"packed", "packed", "Number of products that read weights in panels">];
}
