// Uses of the composite library.
#ifndef LATHE_STD_OPS_TD
#define LATHE_STD_OPS_TD

include "dialects/Lathe/IR/LatheDialect.td"
include "mlir/IR/SymbolInterfaces.td"

def Lathe_StdOp : Lathe_Op<"std", [Pure, Lathe_InferTypesWithIsCompatible,
                                 DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A composite of the library: `lathe.std.NAME`";
  let description = [{
    `lathe.std.softmax %x dim 1 : tensor<?x10xf32>`. The operands come first. Optional operands and options follow in any order,
    each after its name: `lathe.std.rms_norm %x scale %s epsilon 1.0e-6 : tensor<?x8xf32>, tensor<8xf32>`. Types are those of all
    operands in order; one type is enough if they are equal. A list has commas: `with %a, %b`. [std.md](std.md) lists the
    composites. Import replaces each by a call of a function of plain ops.

    Constraints: (C1) the library has the composite; (C2) the composite has these operands and options; (C3) the ops of its template
    accept them; (C4) a function that an option names exists, and its signature is the one that the composite needs.
  }];
  let arguments = (ins StrAttr:$composite, Variadic<Lathe_Tensor>:$operands, StrArrayAttr:$given, DictionaryAttr:$options);
  let results = (outs Variadic<Lathe_Tensor>:$results);
  let hasCustomAssemblyFormat = 1;
}

#endif
