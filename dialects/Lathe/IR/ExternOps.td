// Functions of the application.
//
// A C function may compute what no op expresses. It is called between the kernels, with buffers that the plan assigns.
#ifndef LATHE_EXTERN_OPS_TD
#define LATHE_EXTERN_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"
include "mlir/IR/SymbolInterfaces.td"

def Lathe_ExternOp : Lathe_NamingOp<"extern", [Lathe_OwnKernel, Lathe_MovesElementsTrait,
                                              DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The results of a C function of the application";
  let description = [{
    The generated header declares the function. For each operand and then each result it has a pointer to the elements in row-major
    order, and a pointer to the extents unless the rank is 0. The function returns LATHE_OK, or a status that ends the entry; see
    runtime-abi.md. Its results must depend only on its operands: equal calls may be merged, and a call whose results are not used
    may be removed. `dims [N, 2 * M]` gives the sizes of all `?` of the results, in order.

    `tangent @t` declares a function that computes the tangents of the float results, in order, from the operands, the results and
    the tangents of the float operands. Forward derivatives need it. `gradient [@g]` declares a function that computes the
    cotangents of the float operands from the operands, the results and the cotangents of the float results. Reverse derivatives
    need it. A second function in the list is the gradient of the first, for second derivatives, and so on. `batched @b` declares a
    function that computes a whole batch at once; every operand and result has the batch as its first dimension. Without it,
    `lathe.vmap` calls the function for each element of a batch whose size is a number.

    Constraints: (C1) symbols are C identifiers that Lathe, C and the graph's other symbols do not use; (C2) there is a result, and
    there are at most 16 operands and results; (C3) results are tensors, and `dims` has one entry for each of their `?`; (C4) a
    function with `tangent` or `gradient` has float operands and float results; (C5) all ops that name a C function have the same
    ranks and element types for it.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Lathe_Tensor>:$inputs, TypeArrayAttr:$types, Lathe_ShapeAttr:$dims,
                       OptionalAttr<FlatSymbolRefAttr>:$batched, OptionalAttr<FlatSymbolRefAttr>:$tangent,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$gradient);
  let results = (outs Variadic<Lathe_Tensor>:$results);
}

def Lathe_ExternTangentOp : Lathe_ValueOp<"extern_tangent", [AttrSizedOperandSegments]> {
  let summary = "The tangents of the float results of a lathe.extern, while a derivative is made";
  let description = [{
    Linear in the tangents, one for each float input; its transpose is the function in `gradient`. Forward derivatives replace it
    by the one in `tangent`, so that none is left after autodiff.

    Constraints: (C1) there is a tangent of its type for each float input.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Lathe_Tensor>:$inputs, Variadic<Lathe_Tensor>:$outputs,
                       Variadic<Lathe_FloatTensor>:$tangents, OptionalAttr<FlatSymbolRefAttr>:$tangent,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$gradient);
  let results = (outs Variadic<Lathe_FloatTensor>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `gives` `(` $outputs `)` `along` `(` $tangents `)` (`tangent` $tangent^)? (`gradient` $gradient^)?
    attr-dict `:` custom<TypeList>(type($inputs)) `,` custom<TypeList>(type($outputs)) `,` custom<TypeList>(type($tangents))
  }];
}

#endif
