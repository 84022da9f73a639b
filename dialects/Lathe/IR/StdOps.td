// Uses of the composite library.
#ifndef LATHE_STD_OPS_TD
#define LATHE_STD_OPS_TD

include "dialects/Lathe/IR/LatheDialect.td"
include "mlir/IR/SymbolInterfaces.td"

def Lathe_StdOp : Lathe_Op<"std", [Pure, Lathe_InferTypesWithIsCompatible,
                                 DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A composite of the library: `lathe.std.NAME`";
  let description = [{
    `lathe.std.softmax %x dim 1 : tensor<?x10xf32>`. Operands come first, then operands that may be left out and options, each
    behind its name, in any order: `lathe.std.rms_norm %x scale %s epsilon 1.0e-6 : tensor<?x8xf32>, tensor<8xf32>`. Types are
    those of all operands in order; one is enough where they are equal. A list has commas: `with %a, %b`. [std.md](std.md) lists
    the composites. Import replaces each by a call of a function of plain ops.

    Constraints: (C1) the library has the composite; (C2) operands and options are those that it takes; (C3) its lines take
    them; (C4) a function that an option names exists, and takes and gives what the composite gives and takes.
  }];
  let arguments = (ins StrAttr:$composite, Variadic<Lathe_Tensor>:$operands, StrArrayAttr:$given, DictionaryAttr:$options);
  let results = (outs Variadic<Lathe_Tensor>:$results);
  let hasCustomAssemblyFormat = 1;
}

#endif
