// Order along a dimension.
//
// A number comes before another if it is smaller, or larger where the order descends; NaN come last either way. Equal ones, to
// which zeros of both signs belong, stay in the order in which they are, either way.
#ifndef LATHE_SORT_OPS_TD
#define LATHE_SORT_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_SortOp : Lathe_ValueOp<"sort", [Lathe_OwnKernel]> {
  let summary = "The elements in order along a dimension";
  let description = [{
    `lathe.sort %x dim 1 descending : tensor<?x16xf32>`; ascending without the word. Tensors that shall come along with a key are
    gathered at the key's argsort.

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
    `lathe.argsort %x dim 1 : tensor<?x16xf32>` is a `tensor<?x16xi32>`; `descending` as in sort. Gathered at them, along the
    last dimension `lathe.gather %x, %indices axis 1 batch 1 : tensor<?x16xf32>, tensor<?x16xi32>`, the operand is sorted.

    Constraints: (C1) `dim` is a dimension of the operand.
  }];
  let arguments = (ins Lathe_NumberTensor:$operand, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$operand `dim` $dim (`descending` $descending^)? attr-dict `:` type($operand)";
}

def Lathe_TopKOp : Lathe_ValueOp<"top_k", [Lathe_OwnKernel]> {
  let summary = "The indices of the first so many elements in order, the largest ones or the smallest";
  let description = [{
    `lathe.top_k %x dim 1 count 5 : tensor<?x16xf32>` is a `tensor<?x5xi32>`: of the largest, in descending order, the lower
    index first among equal ones; with `smallest` after the count, of the smallest in ascending order. The values are what gather
    finds there. The count may be a size, such as `min(N, 100)`.

    Constraints: (C1) `dim` is a dimension of the operand; (C2) count is not negative; (C3) it is not larger than the dimension:
    sizes for which a named one would be smaller are refused when they are known.
  }];
  let arguments = (ins Lathe_NumberTensor:$operand, I64Attr:$dim, Lathe_ShapeAttr:$count, UnitAttr:$smallest);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$operand `dim` $dim `count` custom<Count>($count) (`smallest` $smallest^)? attr-dict `:` type($operand)";
  let extraClassDeclaration = [{
    ::lathe::Dim getCountDim() { return ::lathe::dimsOf(getCount()).front(); }
  }];
}

#endif
