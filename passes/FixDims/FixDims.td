// Named dimensions become numbers, or expressions of others.
include "mlir/Pass/PassBase.td"

def FixDimsPass : Pass<"lathe-fix-dims", "::mlir::ModuleOp"> {
  let summary = "Replace named dimensions by numbers or expressions";
  let description = [{
    Substitutes chosen sizes for names of dimensions in all types and attributes of the module, as `lathec --dim` asks for.
    The bounds that a `lathe.dim` declares move to the name that an expression uses.

    Requires inferred dimensions.

    Guarantees that no type has a replaced name. Refuses a name that no function has, and a size that its `lathe.dim` does
    not allow.
  }];
  let options = [
    ListOption<"sizeOptions", "sizes", "std::string", "Replacements, each NAME=SIZE or NAME=EXPRESSION">
  ];
  let statistics = [Statistic<"fixed", "fixed", "dimensions that became numbers or expressions">];
}
