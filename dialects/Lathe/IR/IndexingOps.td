// Ops whose indices are data, and random bits.
#ifndef LATHE_INDEXING_OPS_TD
#define LATHE_INDEXING_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_DynamicSliceOp : Lathe_ValueOp<"dynamic_slice", [Lathe_MovesElementsTrait]> {
  let summary = "The block of a given size at data-dependent start indices";
  let description = [{
    `lathe.dynamic_slice %x [%i, %j] size [1, 4] : tensor<?x16xf32>, (tensor<i64>, tensor<i64>)`. Each start is clamped to
    [0, extent - size], so that the block is inside the operand.

    Constraints: (C1) there is one start for each dimension; (C2) there is one size for each dimension; (C3) no size is larger than
    its dimension; for named sizes the entry checks it.
  }];
  let arguments = (ins Lathe_Tensor:$operand, Variadic<Lathe_IndexScalar>:$starts, Lathe_ShapeAttr:$sizes);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = [{
    $operand `[` $starts `]` `size` custom<Shape>($sizes) attr-dict `:` type($operand) `,` custom<TypeList>(type($starts))
  }];
  let hasFolder = 1;
}

def Lathe_DynamicUpdateSliceOp : Lathe_ValueOp<"dynamic_update_slice", [Lathe_OwnKernel, Lathe_MovesElementsTrait,
                                                                         Lathe_ReplacesParts]> {
  let summary = "The operand with the block at data-dependent start indices replaced by `update`";
  let description = [{
    `lathe.dynamic_update_slice %x, %u [%i, %j] : tensor<?x16xf32>, tensor<1x4xf32>, (tensor<i64>, tensor<i64>)`. Starts are
    clamped as in dynamic_slice.

    Constraints: (C1) there is one start for each dimension; (C2) update has the operand's element type and rank; (C3) no extent of
    update is larger than the operand's; for named sizes the entry checks it.
  }];
  let arguments = (ins Lathe_Tensor:$operand, Lathe_Tensor:$update, Variadic<Lathe_IndexScalar>:$starts);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $update `[` $starts `]` attr-dict `:` type($operand) `,` type($update) `,` custom<TypeList>(type($starts))
  }];
  let hasFolder = 1;
}

def Lathe_GatherOp : Lathe_ValueOp<"gather", [Lathe_MovesElementsTrait]> {
  let summary = "Slices of a table, selected by indices along one dimension";
  let description = [{
    The first `batch` dimensions of table and indices are shared. The result has the table's shape with dimension `axis` replaced
    by the dimensions of indices after the batch ones. An index outside [0, extent) selects
    zeros. `lathe.gather %table, %indices axis 1 batch 1 : tensor<?x10xf32>, tensor<?xi32>` selects one element of each row.

    Constraints: (C1) batch <= axis < rank of table; (C2) batch <= rank of indices; (C3) the batch dimensions agree.
  }];
  let arguments = (ins Lathe_Tensor:$table, Lathe_IndexTensor:$indices, I64Attr:$axis, DefaultValuedOptionalAttr<I64Attr, "0">:$batch);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$table `,` $indices `axis` $axis (`batch` $batch^)? attr-dict `:` type($table) `,` type($indices)";
  let hasFolder = 1;
}

def Lathe_ScatterOp : Lathe_ValueOp<"scatter", [Lathe_OwnKernel, Lathe_ReplacesParts]> {
  let summary = "A tensor with updates combined into slices, selected by indices along one dimension";
  let description = [{
    Updates has the shape of a gather of `into` by the indices. Each of its slices is combined with the slice that its index
    selects, in row-major order of the indices for any number of threads. Kinds: set (the last of equal indices wins), add
    (on a CPU, the sum of an element's updates has the error of a sum of 32 terms, docs/sum-accuracy.md), mul, max, min (NaN
    propagates). An update whose index is outside [0, extent) is dropped.
    `lathe.scatter add %into, %indices, %updates axis 1 batch 1 : tensor<?x10xf32>, tensor<?xi32>, tensor<?xf32>`.

    Derivatives: for set, an update that another one overwrites has a derivative of 0. For max and min, a tie shares the cotangent
    equally. For mul, the derivative by a factor is the product of the others, also if there are zeros; the second derivative is
    correct only if no factor is zero.

    Constraints: (C1) batch <= axis < rank of into; (C2) batch <= rank of indices; (C3) the batch dimensions agree; (C4) updates
    has gather's result type; (C5) i1 can only be set.
  }];
  let arguments = (ins Lathe_ScatterKindAttr:$kind, Lathe_Tensor:$into, Lathe_IndexTensor:$indices, Lathe_Tensor:$updates,
                       I64Attr:$axis, DefaultValuedOptionalAttr<I64Attr, "0">:$batch);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = [{
    $kind $into `,` $indices `,` $updates `axis` $axis (`batch` $batch^)? attr-dict
    `:` type($into) `,` type($indices) `,` type($updates)
  }];
}

def Lathe_RandomBitsOp : Lathe_NamingOp<"random_bits"> {
  let summary = "Random bits that depend only on seed, stream and index";
  let description = [{
    Element i in row-major order is the first word of threefry2x32 (Salmon et al. 2011, 20 rounds) with the halves of the seed, low
    then high, as the key and (i modulo 2^32, stream) as the counter. For i64, the first word is the low half and the second word
    the high half. The numbers are the same on every target, in any order of evaluation. `lathe.random_bits %seed stream 3 to
    [4, 16] : i32`; i64 elements may be used as seeds.

    Constraints: (C1) the element type is i32 or i64; (C2) stream fits 32 bits.
  }];
  let arguments = (ins Lathe_Scalar64:$seed, I64Attr:$stream, Lathe_ShapeAttr:$shape, TypeAttr:$element);
  let results = (outs RankedTensorOf<[I32, I64]>:$result);
}

#endif
