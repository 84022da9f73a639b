// Names every dynamic dimension in its type.
include "mlir/Pass/PassBase.td"

def InferDimsPass : Pass<"lathe-infer-dims", "::mlir::ModuleOp"> {
  let summary = "Name every dynamic dimension in its type";
  let description = [{
    Infers all types of the public functions from the `lathe.dims` of their arguments: each `?` becomes a polynomial of the
    arguments' names. A private function is a template. Each list of argument types that calls give it makes one instance,
    the first of them in place.

    Requires that composites are expanded.

    Guarantees that every type is static or names its dimensions. Refuses an op whose operands do not fit, and a declared
    type that differs from the inferred one.
  }];
  let options = [
    Option<"anyEqual", "any-equal", "bool", /*default=*/"false",
           "Accept two differing named sizes where an op needs equal ones; the entry checks them">,
    ListOption<"replaced", "replaced", "std::string",
               "Dimensions that FixDims will replace, as NAME=EXPRESSION: reshapes may rely on it">
  ];
  let statistics = [Statistic<"instanceCount", "instances", "instances of private functions">];
}
