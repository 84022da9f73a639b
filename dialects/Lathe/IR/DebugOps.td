// Ops that report about a run and have no results.
//
// No pass removes, merges or hoists them, and they run in the graph's order. A derivative runs those of its function once, even if
// it computes values again. A batch reports its elements in order.
#ifndef LATHE_DEBUG_OPS_TD
#define LATHE_DEBUG_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

class Lathe_DebugOp<string mnemonic> : Lathe_Op<mnemonic, [MemoryEffects<[MemWrite]>, Lathe_OwnKernel]> {
  let hasVerifier = 1;
}

def Lathe_AssertOp : Lathe_DebugOp<"assert"> {
  let summary = "Ends the entry with a status if an element is false";
  let description = [{
    `lathe.assert %p, "each row sums to 1" : tensor<?xi1>`. If all elements are true, it does nothing. Otherwise the entry returns
    LATHE_ERROR_ASSERT, and its error record has the text, this op's line, and the index of the first false element in row-major
    order. `lathe.vmap` prepends the batch to the index; batch elements for which a branch or loop does not run this op count as
    true.

    Constraints: (C1) not in the condition of a lathe.while, which may be evaluated more often than the loop has steps.
  }];
  let arguments = (ins Lathe_BoolTensor:$predicate, StrAttr:$text);
  let assemblyFormat = "$predicate `,` $text attr-dict `:` type($predicate)";
  let hasCanonicalizeMethod = 1;
}

def Lathe_PrintOp : Lathe_DebugOp<"print"> {
  let summary = "Prints a value while the entry runs";
  let description = [{
    `lathe.print %loss "loss" : tensor<f32>` passes the value to the context's `print` hook. The hook of `lathe_context_create`
    writes a line with the op's location to stderr; without a context nothing is printed. With `where %mask : T, tensor<?xi1>`, the
    mask's dimensions are the first ones of the value, and only the parts whose mask element is true are printed. A mask of rank 0
    applies to the whole value. `lathe.vmap` prints the batch as one tensor.

    Constraints: (C1) not in the condition of a lathe.while, which may be evaluated more often than the loop has steps; (C2) the
    mask's dimensions are the first ones of the value.
  }];
  let arguments = (ins Lathe_Tensor:$value, OptionalAttr<StrAttr>:$text, Optional<Lathe_BoolTensor>:$mask);
  let assemblyFormat = "$value ($text^)? (`where` $mask^)? attr-dict `:` type($value) (`,` type($mask)^)?";
}

#endif
