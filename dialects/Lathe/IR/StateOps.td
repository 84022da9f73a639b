// State, and derivatives of whole functions. The state and autodiff stages remove these ops.
//
// A function may define its own derivative, which then applies to all calls, including those in loops and batches.
// `attributes {lathe.tangent = @t}` names a function of the arguments and a tangent of each float argument. It returns the results
// and a tangent of each float result. `attributes {lathe.gradient = [@forward, @backward]}` names two functions: forward returns the
// results, then the residuals; backward takes the residuals and a cotangent of each float result, and returns a cotangent of each
// float argument. Either attribute is enough for both forward and reverse derivatives. A tangent function must be linear in the
// tangents, and is refused if it is not. A backward function that is not linear, such as one that clips cotangents, is refused only
// in forward derivatives. Second derivatives differentiate the named functions; if these call the function, its own derivative
// applies again. Variables are passed as arguments.
#ifndef LATHE_STATE_OPS_TD
#define LATHE_STATE_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"
include "mlir/IR/SymbolInterfaces.td"

def Lathe_VariableOp : Lathe_Op<"variable", [Symbol]> {
  let summary = "A tensor that keeps its value between calls";
  let description = [{
    `lathe.variable @conv1.w : tensor<3x3x1x16xf32> init #lathe.he_normal`. All variables of a module make up its state region.
    Unless the module defines the entry @init(%seed: tensor<i64>), it is made from the initialisers.

    Constraints: (C1) the type is static; (C2) the initialiser is one of zeros, fill, normal, uniform, he_normal, glorot_uniform
    or a dense constant of the variable's type; (C3) random initialisers need a float type, the fan-based ones rank 2 or more.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Lathe_Tensor>:$type, AnyAttr:$initial);
  let assemblyFormat = "$sym_name `:` $type `init` $initial attr-dict";
  let hasVerifier = 1;
}

def Lathe_DimOp : Lathe_Op<"dim", [Symbol]> {
  let summary = "The range of a named dimension";
  let description = [{
    `lathe.dim @N, 1 to 4096, multiple of 8`. A dimension without this op may have any size, including 0.

    Constraints: (C1) 0 <= minimum <= maximum; (C2) multiple_of is at least 1; (C3) a multiple of it is in that range.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$minimum, I64Attr:$maximum, DefaultValuedAttr<I64Attr, "1">:$multiple_of);
  let assemblyFormat = "$sym_name `,` $minimum `to` $maximum (`,` `multiple` `of` $multiple_of^)? attr-dict";
  let hasVerifier = 1;
}

def Lathe_ReadOp : Lathe_Op<"read", [MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a variable";
  let description = "`lathe.read @conv1.w : tensor<3x3x1x16xf32>`. Constraints: (C1) the variable exists; (C2) the type is the variable's.";
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Lathe_WriteOp : Lathe_Op<"write", [MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Gives a variable a new value";
  let description = "`lathe.write @step, %next : tensor<i64>`. Constraints: (C1) the variable exists; (C2) the type is the variable's.";
  let arguments = (ins FlatSymbolRefAttr:$variable, Lathe_Tensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Lathe_MinimizeOp : Lathe_Op<"minimize", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
                                            DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "One step of an optimiser on every variable that a loss reads";
  let description = [{
    Calls the loss, computes its gradient by the variables that it reads and does not write (or those in `wrt`), and updates each of
    them by the optimiser's rule, a composite of the library: sgd, momentum, adam, adamw, rmsprop, adagrad, lion
    ([std.md](std.md#optimisers)). The options are those of the composite, `learning_rate` (default 0.01 for sgd and momentum, 0.001
    for the others), and `clip_norm`: if the global Euclidean norm of all gradients is larger, they are scaled down to it. Slots
    become variables NAME.SLOT, such as NAME.momentum or NAME.mean; an optimiser that counts its steps has one variable for this,
    such as `adam.step`. `sgd<momentum = 0.9>` is `momentum<momentum = 0.9>`. The result is the loss before the step.
    `learning_rate %lr` (a rank 0 tensor) replaces the option.
    `lathe.minimize @loss(%x, %y) with adam<learning_rate = 1.0e-3> : (tensor<?x4xf32>, tensor<?xi32>) -> tensor<f32>`.

    `micro_batches [0, 1]` splits operands 0 and 1 along their first dimension, the number of micro-batches. The loss is called
    for one micro-batch after the other; the other operands are the same for all. The result and the gradients are means over the
    micro-batches, summed up in f32 where they are halves. Only the values of one micro-batch and the sums are live at a time. If
    the loss is a mean over its batch, these are the loss and the gradients of the whole batch. A variable that the loss writes
    (running statistics, for instance) is written once for each micro-batch, in their order.

    `slots = bf16` keeps the slots in bf16, which halves their memory. Each is rounded up or down at random, so that its expected
    value is exact (stochastic rounding, [std.md](std.md#stochastic_round)); the bits depend on the number of the step, which the
    optimiser then counts in any case.

    Constraints: (C1) the loss is a function of the given operand types with one rank 0 float result; (C2) the optimiser is in
    the library and has the options; (C3) `wrt` names float variables; (C4) `micro_batches` are distinct operands of rank 1 or
    more with the same first dimension; the loss takes their slices.
  }];
  let arguments = (ins FlatSymbolRefAttr:$loss, Variadic<Lathe_Tensor>:$inputs, Optional<Lathe_FloatTensor>:$learning_rate,
                       Lathe_OptimizerAttr:$optimizer, OptionalAttr<FlatSymbolRefArrayAttr>:$wrt,
                       OptionalAttr<DenseI64ArrayAttr>:$micro_batches);
  let results = (outs Lathe_FloatTensor:$result);
  let assemblyFormat = [{
    $loss `(` $inputs `)` `with` custom<Optimizer>($optimizer) (`learning_rate` $learning_rate^ `:` type($learning_rate))? (`wrt` $wrt^)?
    (`micro_batches` $micro_batches^)? attr-dict `:` functional-type($inputs, $result)
  }];
  let extraClassDeclaration = [{
    /// True if the loss is called with slices of this operand.
    bool isSplit(unsigned input);
    /// Fails with an error where `micro_batches` are wrong. `fit` compares the first dimensions of two of them.
    ::llvm::LogicalResult checkMicroBatches(::llvm::function_ref<bool(const ::lathe::Dim &, const ::lathe::Dim &)> fit);
    /// Returns the types of the loss's arguments: those of the operands, and of the slices of split ones.
    ::llvm::SmallVector<::mlir::Type> getLossTypes();
  }];
}

class Lathe_DerivativeOp<string mnemonic, list<Trait> traits = []> : Lathe_Op<mnemonic, !listconcat([
    DeclareOpInterfaceMethods<SymbolUserOpInterface>, Lathe_FunctionTransformOpInterface], traits)>;

def Lathe_ValueAndGradOp : Lathe_DerivativeOp<"value_and_grad"> {
  let summary = "A function's results, then the gradient of its first one by some arguments";
  let description = [{
    `lathe.value_and_grad @f(%a, %b) wrt [0, 1] : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)`.

    Constraints: (C1) the callee exists and takes the operands' types; (C2) its first result is a rank 0 float; (C3) `wrt` are
    distinct float arguments; (C4) results are the callee's results, then one for each of `wrt`, of its type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Lathe_Tensor>:$inputs, DenseI64ArrayAttr:$wrt);
  let results = (outs Variadic<Lathe_Tensor>:$results);
  let assemblyFormat = "$callee `(` $inputs `)` `wrt` $wrt attr-dict `:` functional-type($inputs, $results)";
}

def Lathe_JvpOp : Lathe_DerivativeOp<"jvp", [AttrSizedOperandSegments]> {
  let summary = "A function's results, and their derivatives along given tangents";
  let description = [{
    `lathe.jvp @f(%x) tangents(%t) wrt [0] : (tensor<4xf32>), (tensor<4xf32>) -> (tensor<f32>, tensor<f32>)`.

    Constraints: (C1) the callee exists and takes the operands' types; (C2) `wrt` are distinct float arguments, each with a
    tangent of its type; (C3) results are the callee's results, then the tangent of each float one.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Lathe_Tensor>:$inputs, Variadic<Lathe_FloatTensor>:$tangents,
                       DenseI64ArrayAttr:$wrt);
  let results = (outs Variadic<Lathe_Tensor>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `tangents` `(` $tangents `)` `wrt` $wrt attr-dict
    `:` custom<TypeList>(type($inputs)) `,` custom<TypeList>(type($tangents)) `->` custom<TypeList>(type($results))
  }];
}

def Lathe_VjpOp : Lathe_DerivativeOp<"vjp", [AttrSizedOperandSegments]> {
  let summary = "A function's results, and the cotangents of some arguments for given cotangents of its float results";
  let description = [{
    `lathe.vjp @f(%x) cotangents(%c) wrt [0] : (tensor<4xf32>), (tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>)`.

    Constraints: (C1) the callee exists and takes the operands' types; (C2) there is a cotangent of its type for each float
    result; (C3) `wrt` are distinct float arguments; (C4) results are the callee's results, then one for each of `wrt`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Lathe_Tensor>:$inputs, Variadic<Lathe_FloatTensor>:$cotangents,
                       DenseI64ArrayAttr:$wrt);
  let results = (outs Variadic<Lathe_Tensor>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `cotangents` `(` $cotangents `)` `wrt` $wrt attr-dict
    `:` custom<TypeList>(type($inputs)) `,` custom<TypeList>(type($cotangents)) `->` custom<TypeList>(type($results))
  }];
}

def Lathe_CallTangentOp : Lathe_Op<"call_tangent", [Pure, AttrSizedOperandSegments]> {
  let summary = "The tangents of the float results of a call of a function with lathe.gradient, while a derivative is made";
  let description = [{
    Linear in the tangents, one for each float argument of the call; its transpose is a call of the backward function, which it
    names. Forward derivatives replace it by the transpose of that function, so that none is left after autodiff.
  }];
  let arguments = (ins FlatSymbolRefAttr:$backward, Variadic<Lathe_Tensor>:$residuals, Variadic<Lathe_FloatTensor>:$tangents);
  let results = (outs Variadic<Lathe_FloatTensor>:$results);
  let assemblyFormat = [{
    $backward `(` $residuals `)` `along` `(` $tangents `)` attr-dict
    `:` custom<TypeList>(type($residuals)) `,` custom<TypeList>(type($tangents)) `->` custom<TypeList>(type($results))
  }];
}

def Lathe_VmapOp : Lathe_DerivativeOp<"vmap"> {
  let summary = "A function, called for each element of a batch, with its results stacked along a new first dimension";
  let description = [{
    `in` has one entry for each argument: the operand's batch dimension, or `none` for an operand that all elements share. The
    callee sees its arguments without the batch dimension. A result that depends on no batched argument is repeated. Each element
    has the results of a separate call, including random bits of equal seeds; sums of products may be computed in another order.
    `lathe.vmap @f(%x, %w) in [0, none] : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>`.

    Constraints: (C1) the callee exists and takes the operands' types, the batched ones without their batch dimension; (C2) `in`
    has one entry for each argument, `none` or a dimension of the operand; (C3) there is a batched argument, and the batch
    dimensions of all are equal; (C4) results are the callee's, each with the batch as its first dimension.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Lathe_Tensor>:$inputs, DenseI64ArrayAttr:$in_dims);
  let results = (outs Variadic<Lathe_Tensor>:$results);
  let assemblyFormat = "$callee `(` $inputs `)` `in` custom<BatchDims>($in_dims) attr-dict `:` functional-type($inputs, $results)";
  let extraClassDeclaration = [{
    /// The entry of `in` for an operand that all elements share.
    static constexpr int64_t kShared = -1;
    /// Returns the operands' types without their batch dimensions.
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
    /// Returns the size of the batch: that of the first batched operand whose size is known.
    ::lathe::Dim getBatch();
  }];
}

#endif
