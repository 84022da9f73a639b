// The ops that fusion and kernel lowering make: kernels, which are regions of ops, and the loop nests inside them.
#ifndef LATHE_KERNEL_OPS_TD
#define LATHE_KERNEL_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Lathe_KernelOp : Lathe_Op<"kernel", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Ops that become one piece of code, whose intermediate values are never in memory";
  let description = [{
    Fusion makes it. The block arguments are the operands, the yielded values the results. From the schedule stage on, `schedules`
    has the schedule of each target.

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
  let summary = "Scratch memory of a kernel, which is one of its results so that it is planned like the others; its contents are "
                "unspecified";
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Lathe_StripsOp : Lathe_Op<"strips", [Lathe_OwnKernel, IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects,
                                          ParentOneOf<["KernelOp"]>]> {
  let summary = "Kernels that compute their results strip by strip: a few rows of all of them at a time"
                ", with the values between them in scratch memory";
  let description = [{
    `extents` are the leading dimensions of all results: outer ones, then the rows. The region computes `height` consecutive rows
    for one index of the outer dimensions; the last strip may have fewer. `rows` names the number of rows of a strip, and occurs in
    no other type of the kernel. `places` has a list for each input: its leading dimensions are the dimensions of `extents` with
    these numbers. The region receives the rest of the input, at the indices of the strip. If the rows are in the list, they stay
    as the first dimension of this value. lathe-cut-strips makes the op.

    Constraints: (C1) the numbers of a list ascend, and the input's leading dimensions are these extents; (C2) block arguments have
    the types that follow; (C3) each result has the extents in front of the dimensions of the yielded value, which begin with the
    rows; (C4) the region consists of kernels; (C5) `height` is positive.
  }];
  let arguments = (ins Variadic<Lathe_Tensor>:$inputs, Lathe_ShapeAttr:$extents, ArrayAttr:$places, StrAttr:$rows,
                       I64Attr:$height);
  let results = (outs Variadic<Lathe_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the dimensions of `extents` that the leading dimensions of an input are.
    ::llvm::ArrayRef<int64_t> getPlacesOf(unsigned input);
  }];
}

def Lathe_CheckKind : Lathe_Kind<"CheckKind", "a check of lathec --check", [
    I32EnumAttrCase<"Finite", 0, "finite">, I32EnumAttrCase<"Inside", 1, "inside">]>;
def Lathe_CheckKindAttr : Lathe_KindAttr<Lathe_CheckKind, "check_kind">;

def Lathe_CheckOp : Lathe_Op<"check", [MemoryEffects<[MemWrite]>, Lathe_OwnKernel]> {
  let summary = "Ends the entry with a status if an op produces a NaN or an infinity, or accesses a tensor out of bounds";
  let description = [{
    lathec --check makes it, after the op that `subject` names, with that op's location. `finite %y from(%a, %b)` fails if an
    element of the value is a NaN although no element of its sources is, or an infinity although all elements of its sources are
    finite. `inside %i below [N]` fails if an element is not in [0, N).

    Constraints: (C1) `finite` has a value of floats and no `below`; (C2) `inside` has a value of i32 or i64, one dimension in
    `below`, and no sources.
  }];
  let arguments = (ins Lathe_CheckKindAttr:$kind, Lathe_Tensor:$value, Variadic<Lathe_FloatTensor>:$sources, StrAttr:$subject,
                       OptionalAttr<Lathe_ShapeAttr>:$below);
  let assemblyFormat = [{
    $kind $value (`from` `(` $sources^ `)`)? (`below` custom<Shape>($below)^)? `of` $subject attr-dict
    `:` type($value) (`,` type($sources)^)?
  }];
  let hasVerifier = 1;
}

def Lathe_NestReduction : Lathe_Kind<"NestReduction", "how a nest combines values along its reduction dimensions", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Sum", 1, "sum">, I32EnumAttrCase<"Product", 2, "product">,
    I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Min", 4, "min">, I32EnumAttrCase<"Argmax", 5, "argmax">,
    I32EnumAttrCase<"Argmin", 6, "argmin">, I32EnumAttrCase<"And", 7, "and">, I32EnumAttrCase<"Or", 8, "or">,
    I32EnumAttrCase<"Xor", 9, "xor">]>;
def Lathe_NestReductionAttr : Lathe_KindAttr<Lathe_NestReduction, "nest_reduction">;

def Lathe_AccessAttr : Lathe_Attr<"Access", "access"> {
  let summary = "The element of an operand that a point of a nest reads";
  let description = [{
    `map` maps the nest's dimensions, and the named dimensions in the nest's `symbols`, to the operand's indices. If `guard` is
    false, nothing is read and the value is `fill`.
  }];
  let parameters = (ins "::mlir::AffineMapAttr":$map, "::mlir::IntegerSetAttr":$guard, "::mlir::TypedAttr":$fill);
  let assemblyFormat = "`<` $map `where` $guard `else` $fill `>`";
}

def Lathe_NestOp : Lathe_Op<"nest", [SingleBlock, Pure]> {
  let summary = "A tensor defined point by point: one scalar region in a loop nest";
  let description = [{
    `extents` are the sizes of the parallel dimensions, which are the result's, then those of the reduction dimensions. For each
    point, the region receives the scalar of each input that the input's access selects, and yields a scalar. Along reduction
    dimensions the scalars are combined by `reduction`, starting with its neutral value, in ascending order of the dimensions; sums
    of floats are computed in blocks of that order (docs/sum-accuracy.md). argmax and argmin return the index along their only
    reduction dimension. The region may read captured tensors of the kernel at computed indices by lathe.element, and the indices
    of its own point by lathe.index.

    Constraints: (C1) there is one access for each input, whose map has an index for each of the input's dimensions; (C2) the
    result's shape is the leading extents; (C3) there are reduction dimensions if and only if `reduction` is not none.
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
  let summary = "The index of the current point along one dimension of the nest";
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
  let summary = "The element of a tensor at computed indices; zero if they are out of bounds. With `inside` they must not be";
  let arguments = (ins Lathe_Tensor:$tensor, Variadic<I64>:$indices, UnitAttr:$inside);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$tensor `[` $indices `]` (`inside` $inside^)? attr-dict `:` type($tensor) `->` type($result)";
}

def Lathe_ApplyOp : Lathe_Op<"apply", [Pure, SameOperandsAndResultType, ParentOneOf<["NestOp"]>]> {
  let summary = "An elementary function of scalars: an elementwise op's, or a random word";
  let description = [{
    `threefry` and `threefry_second` are words of threefry2x32, of a key's words, a counter and a stream. Constraints: (C1) others
    are elementary elementwise ops with as many operands; (C2) for integers pow; (C3) only polygamma has an order.
  }];
  let arguments = (ins StrAttr:$function, Variadic<AnyType>:$arguments, OptionalAttr<I64Attr>:$order);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$function `(` $arguments `)` (`order` $order^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Lathe_CollectiveWaitOp : Lathe_ValueOp<"collective_wait", [Lathe_OwnKernel, Lathe_MovesElementsTrait, Lathe_ReplacesParts]> {
  let summary = "The result of a collective that was started before, once it is complete";
  let description = [{
    `lathe-overlap` marks a collective with `lathe.starts`: its kernel begins the exchange, and the result counts from this op on. The
    collective's operand is an operand here too, so that its memory stays as it is until then.
  }];
  let arguments = (ins Lathe_Tensor:$started, Lathe_Tensor:$operand);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$started `,` $operand attr-dict `:` type($started) `,` type($operand)";
}

#endif
