// Order along a dimension.
//
// A smaller number comes before a larger one, or after it if the order is descending. NaN come last in both orders. Equal numbers,
// such as zeros of both signs, keep their order.
#ifndef LATHE_SORT_OPS_TD
#define LATHE_SORT_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_SortOp : Lathe_ValueOp<"sort", [Lathe_OwnKernel]> {
  let summary = "The elements in order along a dimension";
  let description = [{
    `lathe.sort %x dim 1 descending : tensor<?x16xf32>`; without `descending` the order is ascending. To sort other tensors by a
    key, gather them by the key's argsort.

    Constraints: (C1) `dim` is a dimension of the operand.
  }];
  let arguments = (ins Lathe_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs Lathe_NumberTensor:$result);
  let assemblyFormat = "$operand `dim` $dim (`descending` $descending^)? attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lathe_ArgsortOp : Lathe_ValueOp<"argsort", [Lathe_OwnKernel]> {
  let summary = "The indices that put the elements of a dimension in order";
  let description = [{
    `lathe.argsort %x dim 1 : tensor<?x16xf32>` is a `tensor<?x16xi32>`; `descending` is as in sort. A gather of the operand by the
    indices is sorted: for the last dimension, `lathe.gather %x, %indices axis 1 batch 1 : tensor<?x16xf32>, tensor<?x16xi32>`.

    Constraints: (C1) `dim` is a dimension of the operand.
  }];
  let arguments = (ins Lathe_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$operand `dim` $dim (`descending` $descending^)? attr-dict `:` type($operand)";
}

def Lathe_TopKOp : Lathe_ValueOp<"top_k", [Lathe_OwnKernel]> {
  let summary = "The indices of the `count` largest or smallest elements, in order";
  let description = [{
    `lathe.top_k %x dim 1 count 5 : tensor<?x16xf32>` is a `tensor<?x5xi32>` with the indices of the largest elements in descending
    order, the lower index first for equal elements. With `smallest` after the count, it has those of the smallest elements in
    ascending order. A gather by the indices returns the values. The count may be a size, such as `min(N, 100)`.

    Constraints: (C1) `dim` is a dimension of the operand; (C2) count is not negative; (C3) it is not larger than the dimension; for
    named sizes the entry checks it.
  }];
  let arguments = (ins Lathe_NumberTensor:$operand, I64Attr:$dim, Lathe_ShapeAttr:$count, UnitAttr:$smallest);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$operand `dim` $dim `count` custom<Count>($count) (`smallest` $smallest^)? attr-dict `:` type($operand)";
  let extraClassDeclaration = [{
    ::lathe::Dim getCountDim() { return ::lathe::dimsOf(getCount()).front(); }
  }];
}

#endif
