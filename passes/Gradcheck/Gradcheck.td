// The functions that a check of derivatives runs.
include "mlir/Pass/PassBase.td"

def GradcheckSubjectsPass : Pass<"lathe-gradcheck-subjects", "::mlir::ModuleOp"> {
  let summary = "Choose the functions whose derivatives are checked";
  let description = [{
    Leaves only the subject and @init public. The subject is the named function; if the function contains `lathe.minimize`, it
    is instead the loss of each, as a function of the same arguments.

    Requires an imported graph. It must run before state is lowered, and `lathe-inline` must follow it.

    Guarantees that exactly the subjects have the mark that `lathe-gradcheck-entries` reads. Refuses a name that no public
    function has.
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"", "The function to check; the first public one if empty">
  ];
  let statistics = [Statistic<"subjects", "subjects", "functions whose derivatives are checked">];
}

def GradcheckEntriesPass : Pass<"lathe-gradcheck-entries", "::mlir::ModuleOp"> {
  let summary = "Make entries for values, gradients and tangents";
  let description = [{
    Adds public functions that return the values of each subject, its gradients by all inputs and its tangents, so that
    `lathe-run --gradcheck` can compare them with differences. The subject becomes private.

    Requires lowered state. It must run before derivatives are expanded.

    Guarantees the entries that passes/Gradcheck/Gradcheck.h describes. Refuses a subject that has nothing to differentiate, or
    nothing to differentiate by.
  }];
  let statistics = [Statistic<"made", "entries", "entries that were added">];
}
