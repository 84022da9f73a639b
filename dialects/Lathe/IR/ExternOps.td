// Functions of your own.
//
// What no op says, a C function may: it is called in its place among the kernels, with the buffers that the plan gives it.
#ifndef LATHE_EXTERN_OPS_TD
#define LATHE_EXTERN_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"
include "mlir/IR/SymbolInterfaces.td"

def Lathe_ExternOp : Lathe_NamingOp<"extern", [Lathe_OwnKernel, Lathe_MovesElementsTrait,
                                              DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "What a C function of the application's writes";
  let description = [{
    The generated header declares the function, from the operands and the results in order: for each a pointer to its elements,
    row-major, and one to its extents unless its rank is 0. It returns LATHE_OK, or a status that ends the entry; see
    runtime-abi.md. It must be a function of its operands: equal calls may become one, one whose results nobody reads none.
    `dims [N, 2 * M]` says what the results' `?` are, all of them in order.

    `tangent @t` declares the function that gives the tangents of the float results, in order, from the operands, the results and
    the tangents of the float operands; forward derivatives need it. `gradient [@g]` gives the cotangents of the float operands
    from the operands, the results and the cotangents of the float results; reverse derivatives need it. A second function in
    the list is the gradient of the first, for second derivatives, and so on. `batched @b` gives the results of a whole batch at
    once, every operand and result with the batch as its first dimension; without it `lathe.vmap` calls the function for each
    element of a batch whose size is a number.

    Constraints: (C1) symbols are C names, none of which Lathe, C or another symbol of the graph has; (C2) there is a result, and
    there are no more than 16 operands and results; (C3) results are tensors, and `dims` has one entry for each of their `?`; (C4) a
    function with `tangent` or `gradient` has float operands and float results; (C5) a C function has one signature in all the
    places that name it: equal ranks and element types.
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
    by the one in `tangent`, so that none is left behind autodiff.

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
