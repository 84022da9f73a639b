// Functions get clones for chosen sizes.
include "mlir/Pass/PassBase.td"

def SpecializePass : Pass<"lathe-specialize", "::mlir::ModuleOp"> {
  let summary = "Clone functions for chosen sizes of named dimensions";
  let description = [{
    Adds a private clone of each public function for each chosen size, or each combination of sizes of several dimensions, so
    that the kernels of the clone know them. The entry picks the version that fits; the function itself is the general one.

    Requires inferred dimensions, and no call left.

    Guarantees that a clone is static in the chosen dimensions. Refuses more than 16 versions of a function, and sizes that a
    `lathe.dim` does not allow.
  }];
  let options = [
    ListOption<"sizeOptions", "sizes", "std::string", "Sizes to clone for, each NAME=SIZE[:SIZE...]">
  ];
  let statistics = [Statistic<"clones", "clones", "specialized versions">];
}
