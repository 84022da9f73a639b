// Cumulative operations: each result element combines all elements of a dimension up to its index.
#ifndef LATHE_SCAN_OPS_TD
#define LATHE_SCAN_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_CumulativeOp : Lathe_ValueOp<"cumulative", [Lathe_OwnKernel]> {
  let summary = "For each index of a dimension, the elements up to it, combined";
  let description = [{
    `lathe.cumulative sum %x dim 1 : tensor<?x16xf32>`; with `reverse` after the dimension, the elements from the index on are
    combined. Kinds: sum, product, max, min (NaN propagates), logsumexp (the logarithm of the sum of exponentials, without
    overflow). For an exclusive result, pad the operand with one neutral element at the start and drop its last element. The
    derivative of max and min is that of the first extremum.

    Constraints: (C1) `dim` is a dimension of the operand; (C2) logsumexp accepts only floats.
  }];
  let arguments = (ins Lathe_CumulativeKindAttr:$kind, Lathe_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$reverse);
  let results = (outs Lathe_NumberTensor:$result);
  let assemblyFormat = "$kind $operand `dim` $dim (`reverse` $reverse^)? attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lathe_LinearRecurrenceOp : Lathe_ValueOp<"linear_recurrence", [Lathe_OwnKernel]> {
  let summary = "y[i] = factor[i] * y[i - 1] + term[i] along a dimension, from y[0] = term[0]";
  let description = [{
    `lathe.linear_recurrence %factor, %term dim 1 : tensor<?x16xf32>`; with `reverse` after the dimension, it starts at
    the end. The first factor is not used: it may be infinite or NaN. The derivatives of cumulative ops are such recurrences, and so
    are those of this op.

    Constraints: (C1) both operands have one type; (C2) `dim` is a dimension of the operands.
  }];
  let arguments = (ins Lathe_FloatTensor:$factor, Lathe_FloatTensor:$term, I64Attr:$dim, UnitAttr:$reverse);
  let results = (outs Lathe_FloatTensor:$result);
  let hasFolder = 1;
  let assemblyFormat = [{
    $factor `,` $term `dim` $dim (`reverse` $reverse^)? attr-dict `:` custom<Types>(type($factor), type($term))
  }];
}

#endif
