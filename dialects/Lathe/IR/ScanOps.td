// Running results along a dimension: each place has the result of all elements up to it.
#ifndef LATHE_SCAN_OPS_TD
#define LATHE_SCAN_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_CumulativeOp : Lathe_ValueOp<"cumulative", [Lathe_OwnKernel]> {
  let summary = "At each place the elements of a dimension up to there combined";
  let description = [{
    `lathe.cumulative sum %x dim 1 : tensor<?x16xf32>`; with `reverse` after the dimension, the elements from there on. Kinds:
    sum, product, max, min (a NaN stays), logsumexp (the logarithm of the sum of exponentials, without overflow). An exclusive
    one is that of the operand padded by one neutral element in front and cropped by one behind. The slope of max and min goes to
    the first extremum alone.

    Constraints: (C1) `dim` is a dimension of the operand; (C2) logsumexp takes floats.
  }];
  let arguments = (ins Lathe_CumulativeKindAttr:$kind, Lathe_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$reverse);
  let results = (outs Lathe_NumberTensor:$result);
  let assemblyFormat = "$kind $operand `dim` $dim (`reverse` $reverse^)? attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lathe_LinearRecurrenceOp : Lathe_ValueOp<"linear_recurrence", [Lathe_OwnKernel]> {
  let summary = "y[i] = factor[i] * y[i - 1] + term[i] along a dimension, from y[0] = term[0]";
  let description = [{
    `lathe.linear_recurrence %factor, %term dim 1 : tensor<?x16xf32>`; with `reverse` after the dimension, from its end on. The
    first factor is not used: it may be infinite or NaN. The slopes of all running results are recurrences, and so are its own.

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
