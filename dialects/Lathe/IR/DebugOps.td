// Ops that say something about a run and give no value.
//
// They stay where they are: nothing removes, joins or hoists them, and they come in the order of the graph. A derivative keeps
// those of its function, once, whatever it computes again; a batch reports its elements in their order.
#ifndef LATHE_DEBUG_OPS_TD
#define LATHE_DEBUG_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

class Lathe_DebugOp<string mnemonic> : Lathe_Op<mnemonic, [MemoryEffects<[MemWrite]>, Lathe_OwnKernel]> {
  let hasVerifier = 1;
}

def Lathe_AssertOp : Lathe_DebugOp<"assert"> {
  let summary = "Ends the entry with a status where an element is false";
  let description = [{
    `lathe.assert %p, "each row sums to 1" : tensor<?xi1>`. Where all elements hold, nothing happens. Else the entry returns
    LATHE_ERROR_ASSERT, and its error record has the text, this op's line, and the index of the first element in row-major order
    that does not hold. `lathe.vmap` puts the batch in front of the index; elements of a batch that a branch or loop leaves out
    hold.

    Constraints: (C1) not in the condition of a lathe.while, which may be asked more often than the loop has steps.
  }];
  let arguments = (ins Lathe_BoolTensor:$predicate, StrAttr:$text);
  let assemblyFormat = "$predicate `,` $text attr-dict `:` type($predicate)";
  let hasCanonicalizeMethod = 1;
}

def Lathe_PrintOp : Lathe_DebugOp<"print"> {
  let summary = "Prints a value while the entry runs";
  let description = [{
    `lathe.print %loss "loss" : tensor<f32>` hands the value to the context's `print` hook, that of `lathe_context_create` writes
    a line with the op's place to stderr; without a context nothing is printed. With `where %mask : T, tensor<?xi1>` the mask's
    dimensions are the first of the value's, and only the parts are printed of which its element holds; one of rank 0 decides for
    the whole value. `lathe.vmap` prints the batch as one tensor.

    Constraints: (C1) not in the condition of a lathe.while, which may be asked more often than the loop has steps; (C2) the
    mask's dimensions are the first of the value's.
  }];
  let arguments = (ins Lathe_Tensor:$value, OptionalAttr<StrAttr>:$text, Optional<Lathe_BoolTensor>:$mask);
  let assemblyFormat = "$value ($text^)? (`where` $mask^)? attr-dict `:` type($value) (`,` type($mask)^)?";
}

#endif
