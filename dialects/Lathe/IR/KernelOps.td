// What fusion and kernel lowering make of a graph: regions that become one loop nest each, and the nests themselves.
#ifndef LATHE_KERNEL_OPS_TD
#define LATHE_KERNEL_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Lathe_KernelOp : Lathe_Op<"kernel", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Ops that become one piece of code: their intermediate values never reach memory";
  let description = [{
    Made by fusion. The block arguments are the operands, the yielded values the results. `schedules` says how each target
    computes it, from the schedule stage on.

    Constraints: (C1) block arguments have the operands' types; (C2) the yielded types are the results'; (C3) no target has two
    schedules.
  }];
  let arguments = (ins Variadic<Lathe_Tensor>:$inputs, OptionalAttr<Lathe_SchedulesAttr>:$schedules);
  let results = (outs Variadic<Lathe_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Lathe_ScratchOp : Lathe_Op<"scratch", [Pure, ParentOneOf<["KernelOp"]>]> {
  let summary = "Memory that a kernel needs besides its results, and has as one of them, so that it is planned like any other"
                "; what is in it means nothing";
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Lathe_CheckKind : Lathe_Kind<"CheckKind", "what lathec --check looks for", [
    I32EnumAttrCase<"Finite", 0, "finite">, I32EnumAttrCase<"Inside", 1, "inside">]>;
def Lathe_CheckKindAttr : Lathe_KindAttr<Lathe_CheckKind, "check_kind">;

def Lathe_CheckOp : Lathe_Op<"check", [MemoryEffects<[MemWrite]>, Lathe_OwnKernel]> {
  let summary = "Ends the entry with a status where an op makes what is not finite, or reads or writes outside of a tensor";
  let description = [{
    Made by lathec --check, behind the op that `subject` names and that is at this op's place. `finite %y from(%a, %b)` fails
    where an element of the value is a NaN though none of those that it was made of is, or an infinity though all of those are
    finite; `inside %i below [N]` where one is not in [0, N).

    Constraints: (C1) `finite` has a value of floats and no `below`; (C2) `inside` has a value of i32 or i64, one dimension in
    `below`, and nothing that it was made of.
  }];
  let arguments = (ins Lathe_CheckKindAttr:$kind, Lathe_Tensor:$value, Variadic<Lathe_FloatTensor>:$sources, StrAttr:$subject,
                       OptionalAttr<Lathe_ShapeAttr>:$below);
  let assemblyFormat = [{
    $kind $value (`from` `(` $sources^ `)`)? (`below` custom<Shape>($below)^)? `of` $subject attr-dict
    `:` type($value) (`,` type($sources)^)?
  }];
  let hasVerifier = 1;
}

def Lathe_NestReduction : Lathe_Kind<"NestReduction", "what a nest does along its reduction dimensions", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Sum", 1, "sum">, I32EnumAttrCase<"Product", 2, "product">,
    I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Min", 4, "min">, I32EnumAttrCase<"Argmax", 5, "argmax">,
    I32EnumAttrCase<"Argmin", 6, "argmin">, I32EnumAttrCase<"And", 7, "and">, I32EnumAttrCase<"Or", 8, "or">,
    I32EnumAttrCase<"Xor", 9, "xor">]>;
def Lathe_NestReductionAttr : Lathe_KindAttr<Lathe_NestReduction, "nest_reduction">;

def Lathe_AccessAttr : Lathe_Attr<"Access", "access"> {
  let summary = "Which element of an operand a point of a nest reads";
  let description = [{
    `map` takes the nest's dimensions, and the named dimensions in `symbols` of the nest, to the operand's indices. Where `guard`
    does not hold, nothing is read and the value is `fill`.
  }];
  let parameters = (ins "::mlir::AffineMapAttr":$map, "::mlir::IntegerSetAttr":$guard, "::mlir::TypedAttr":$fill);
  let assemblyFormat = "`<` $map `where` $guard `else` $fill `>`";
}

def Lathe_NestOp : Lathe_Op<"nest", [SingleBlock, Pure]> {
  let summary = "A tensor defined point by point: one scalar region under named loops";
  let description = [{
    `extents` are the sizes of the parallel dimensions, which are the result's, followed by those of the reduction dimensions.
    For each point the region gets one scalar for each input, read by its access, and yields the scalar of the result; along
    reduction dimensions these combine by `reduction` from its neutral value, in ascending order of the dimensions, sums of floats
    in blocks of that order (docs/sum-accuracy.md). argmax and argmin give the index along their only reduction dimension. The region may read captured tensors of the kernel at computed places through
    lathe.element, and its own place through lathe.index.

    Constraints: (C1) one access an input, whose map has an index for each of its dimensions; (C2) the result's shape is the
    leading extents; (C3) there are reduction dimensions exactly if `reduction` is not none.
  }];
  let arguments = (ins Variadic<Lathe_Tensor>:$inputs, Lathe_ShapeAttr:$extents,
                       TypedArrayAttrBase<Lathe_AccessAttr, "accesses">:$accesses, StrArrayAttr:$symbols,
                       Lathe_NestReductionAttr:$reduction);
  let results = (outs Lathe_Tensor:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $reduction custom<Shape>($extents) `(` $inputs `)` `accesses` $accesses `symbols` $symbols $body attr-dict
    `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
}

def Lathe_IndexOp : Lathe_Op<"index", [Pure, ParentOneOf<["NestOp"]>]> {
  let summary = "The place of the current point along one dimension of the nest";
  let arguments = (ins I64Attr:$dim);
  let results = (outs I64:$result);
  let assemblyFormat = "$dim attr-dict";
}

def Lathe_ExtentOp : Lathe_Op<"extent", [Pure, ParentOneOf<["NestOp"]>]> {
  let summary = "The value of a dimension expression";
  let arguments = (ins Lathe_DimAttr:$dim);
  let results = (outs I64:$result);
  let assemblyFormat = "$dim attr-dict";
}

def Lathe_ElementOp : Lathe_Op<"element", [Pure, ParentOneOf<["NestOp"]>]> {
  let summary = "One element of a tensor at a computed place; zero outside of it, unless it is known to be inside";
  let arguments = (ins Lathe_Tensor:$tensor, Variadic<I64>:$indices, UnitAttr:$inside);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$tensor `[` $indices `]` (`inside` $inside^)? attr-dict `:` type($tensor) `->` type($result)";
}

def Lathe_ApplyOp : Lathe_Op<"apply", [Pure, SameOperandsAndResultType, ParentOneOf<["NestOp"]>]> {
  let summary = "An elementary function of scalars: the elementwise op of that name";
  let description = [{
    Constraints: (C1) `function` names an elementwise op that is an elementary function, of as many operands; (C2) of integers
    it is pow; (C3) polygamma has its order, no other one has.
  }];
  let arguments = (ins StrAttr:$function, Variadic<AnyType>:$arguments, OptionalAttr<I64Attr>:$order);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$function `(` $arguments `)` (`order` $order^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
