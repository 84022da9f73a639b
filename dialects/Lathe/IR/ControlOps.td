// Branches and loops.
//
// In the text, regions may use any value from outside. The parser turns each into an operand of `consts` and a block argument, and
// the printer reverses this, so that passes only see isolated regions. Block arguments come in groups: consts, carries, then the
// slices that a step of a scan reads. A compiled branch or loop is plain control flow over memory that is planned once.
#ifndef LATHE_CONTROL_OPS_TD
#define LATHE_CONTROL_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Lathe_Truth : 0DTensorOf<[I1]>;

class Lathe_ControlOp<string mnemonic, list<Trait> traits = []>
    : Lathe_Op<mnemonic, !listconcat([IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects,
                                      Lathe_ControlOpInterface], traits)> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;
}

def Lathe_IfOp : Lathe_ControlOp<"if"> {
  let summary = "The values that one of two branches yields";
  let description = [{
    Only the branch that the predicate selects is run. `-> T` or `-> (T, U)` are the types of the values that both yield.

    Constraints: (C1) the arguments of both branches are `consts`; (C2) both branches end in a lathe.yield of the results' types.
  }];
  let arguments = (ins Lathe_Truth:$predicate, Variadic<Lathe_Tensor>:$consts);
  let results = (outs Variadic<Lathe_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$taken, SizedRegion<1>:$otherwise);
  // Both regions get a block with its arguments and no op.
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$outputs, "::mlir::Value":$predicate, "::mlir::ValueRange":$consts)>];
  let extraClassDeclaration = "unsigned getNumLeadingOperands() { return 1; }";
}

def Lathe_ScanOp : Lathe_ControlOp<"scan", [AttrSizedOperandSegments]> {
  let summary = "A loop along a dimension: each step updates the carries, reads a slice of each of xs and may collect values";
  let description = [{
    `carry(%h = %h0 : T)` names a value that each step passes to the next one, and its initial value. `over(%x = %xs : U)` names the
    slice of `%xs` along `dim` that the step reads. The values that the steps collect are stacked along `dim`. The results are the
    carries after the last step, then the stacks. The trip count is the extent of `xs` along `dim`; without `xs`, `trip N` gives it.

    With `length %t : tensor<i32>`, only the steps with indices below min(max(length, 0), trip) run. The other steps leave the carry
    unchanged, and their slices of the stacks are zero. `reverse` runs the same steps from the last to the first. `checkpoint sqrt`
    or `checkpoint every 16` selects the values that a reverse derivative keeps; without it, it keeps all that it needs. Import
    moves `dim` to the front.

    Constraints: (C1) the body's arguments are the consts, the carries and the slices of `xs`; (C2) the body ends in a lathe.yield
    of the carries' types, then the collected values' types; the stacks' types follow from the latter; (C3) `dim` is a dimension of
    each of `xs` and of each stack; (C4) all of `xs` have one extent along `dim`, and `trip` equals it if it is given, too; (C5)
    without `xs` there is a `trip` of one dimension; (C6) `checkpoint every` has a positive number.
  }];
  let arguments = (ins Optional<Lathe_IndexScalar>:$length, Variadic<Lathe_Tensor>:$consts, Variadic<Lathe_Tensor>:$carry,
                       Variadic<Lathe_Tensor>:$xs, OptionalAttr<Lathe_ShapeAttr>:$trip,
                       DefaultValuedAttr<I64Attr, "0">:$dim, UnitAttr:$reverse, OptionalAttr<I64Attr>:$checkpoint);
  let results = (outs Variadic<Lathe_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  // The results' types follow from those of the carries and of the collected values. The body gets a block with its arguments and
  // no op. `trip` may be null if there are xs; `dim` is 0.
  let builders = [OpBuilder<(ins "::mlir::Value":$length, "::mlir::ValueRange":$consts, "::mlir::ValueRange":$carry,
                                 "::mlir::ValueRange":$xs, "::lathe::ShapeAttr":$trip, "::mlir::TypeRange":$collected,
                                 CArg<"bool", "false">:$reverse, CArg<"::mlir::IntegerAttr", "{}">:$checkpoint)>];
  let extraClassDeclaration = [{
    /// Returns the number of steps without a `length`; unknown as long as the types have no names.
    ::lathe::Dim getSteps();
    unsigned getNumLeadingOperands() { return getLength() ? 1 : 0; }
    bool isLoop() { return true; }
    unsigned getNumCollected() { return getNumResults() - getCarry().size(); }
    ::mlir::ResultRange getStacks() { return getResults().drop_front(getCarry().size()); }
    ::mlir::Block::BlockArgListType getConstArguments();
    ::mlir::Block::BlockArgListType getSliceArguments();
  }];
}

def Lathe_WhileOp : Lathe_ControlOp<"while", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A loop that runs as long as a condition holds";
  let description = [{
    The condition is evaluated on the current carries before each step. The results are the first carries for which it is false.
    `carry(%v = %v0 : T)` names a carry in both regions, and its initial value. With `bound 1000` the condition must be false after
    at most 1000 steps; otherwise the entry returns LATHE_ERROR_BOUND, with this op's line.

    Constraints: (C1) the arguments of both regions are the consts and the carries; (C2) the first region ends in
    lathe.condition, the second in a lathe.yield of the carries' types, which are also the results'; (C3) there is a carry; (C4)
    `bound` is positive; (C5) `checkpoint every` has a positive number.
  }];
  let arguments = (ins Variadic<Lathe_Tensor>:$consts, Variadic<Lathe_Tensor>:$carry, OptionalAttr<I64Attr>:$bound,
                       OptionalAttr<I64Attr>:$checkpoint);
  let results = (outs Variadic<Lathe_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  // The results' types are the carries'. Both regions get a block with its arguments and no op.
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$consts, "::mlir::ValueRange":$carry,
                                 CArg<"::mlir::IntegerAttr", "{}">:$bound, CArg<"::mlir::IntegerAttr", "{}">:$checkpoint)>];
  let extraClassDeclaration = "bool isLoop() { return true; }";
}

def Lathe_CheckpointOp : Lathe_ControlOp<"checkpoint"> {
  let summary = "A region whose values a reverse derivative computes again instead of keeping them";
  let description = [{
    `lathe.checkpoint -> T { ... lathe.yield %y : T }` has the results of its ops without the region. A reverse derivative only
    keeps the outer values that the region uses, and computes the others a second time: it needs less memory and more time.

    Constraints: (C1) the region's arguments are `consts`; (C2) it ends in a lathe.yield of the results' types.
  }];
  let arguments = (ins Variadic<Lathe_Tensor>:$consts);
  let results = (outs Variadic<Lathe_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  // The region gets a block with its arguments and no op.
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$outputs, "::mlir::ValueRange":$consts)>];
}

def Lathe_ConditionOp : Lathe_Op<"condition", [Pure, Terminator, ParentOneOf<["WhileOp"]>]> {
  let summary = "Ends the first region of a lathe.while; there is another step if the operand is true";
  let arguments = (ins Lathe_Truth:$go);
  let assemblyFormat = "$go attr-dict `:` type($go)";
}

def Lathe_YieldOp : Lathe_Op<"yield", [Pure, Terminator,
                                       ParentOneOf<["KernelOp", "StripsOp", "NestOp", "IfOp", "ScanOp", "WhileOp",
                                                    "CheckpointOp"]>]> {
  let summary = "Ends a region with the values of the op around it: in a loop `carry(%h : T) collect(%y : U)`, the carries of the "
                "next step and the collected values; otherwise `%a, %b : T, U`";
  let arguments = (ins Variadic<AnyType>:$values);
  let hasCustomAssemblyFormat = 1;
}

#endif
