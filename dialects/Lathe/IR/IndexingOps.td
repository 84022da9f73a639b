// Ops whose places are data, and random numbers.
#ifndef LATHE_INDEXING_OPS_TD
#define LATHE_INDEXING_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_DynamicSliceOp : Lathe_ValueOp<"dynamic_slice", [Lathe_MovesElementsTrait]> {
  let summary = "The block of the given size that starts at places which are data";
  let description = [{
    `lathe.dynamic_slice %x [%i, %j] size [1, 4] : tensor<?x16xf32>, (tensor<i64>, tensor<i64>)`. A start that would leave the
    operand is moved inside: each is clamped to [0, extent - size].

    Constraints: (C1) there is one start a dimension; (C2) there is one size a dimension; (C3) no size is larger than its
    dimension: sizes for which a named one would be are refused when they are known.
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
  let summary = "The operand with a block, which starts at places that are data, replaced by `update`";
  let description = [{
    `lathe.dynamic_update_slice %x, %u [%i, %j] : tensor<?x16xf32>, tensor<1x4xf32>, (tensor<i64>, tensor<i64>)`. Starts are
    clamped as dynamic_slice clamps them.

    Constraints: (C1) there is one start a dimension; (C2) update has the operand's element type and rank; (C3) no extent of
    update is larger than the operand's: sizes for which a named one would be are refused when they are known.
  }];
  let arguments = (ins Lathe_Tensor:$operand, Lathe_Tensor:$update, Variadic<Lathe_IndexScalar>:$starts);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $update `[` $starts `]` attr-dict `:` type($operand) `,` type($update) `,` custom<TypeList>(type($starts))
  }];
  let hasFolder = 1;
}

def Lathe_GatherOp : Lathe_ValueOp<"gather", [Lathe_MovesElementsTrait]> {
  let summary = "Slices of a table picked by index along one dimension";
  let description = [{
    The first `batch` dimensions of table and indices are shared. The result has the table's shape with dimension `axis` replaced
    by the dimensions of indices after the batch ones. An index outside [0, extent) gives zeros.
    `lathe.gather %table, %indices axis 1 batch 1 : tensor<?x10xf32>, tensor<?xi32>` picks one element a row.

    Constraints: (C1) batch <= axis < rank of table; (C2) batch <= rank of indices; (C3) the batch dimensions agree.
  }];
  let arguments = (ins Lathe_Tensor:$table, Lathe_IndexTensor:$indices, I64Attr:$axis, DefaultValuedOptionalAttr<I64Attr, "0">:$batch);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$table `,` $indices `axis` $axis (`batch` $batch^)? attr-dict `:` type($table) `,` type($indices)";
  let hasFolder = 1;
}

def Lathe_ScatterOp : Lathe_ValueOp<"scatter", [Lathe_OwnKernel, Lathe_ReplacesParts]> {
  let summary = "A tensor with updates combined into the slices picked by index along one dimension";
  let description = [{
    Updates has the shape that gather of `into` by indices has; each of its slices is combined with the one that its index picks,
    in row-major order of the indices, whatever the number of threads. Kinds: set (of equal indices the last one stays), add
    (the sum of an element's updates has the error of one of 32 terms on a CPU, docs/sum-accuracy.md), mul, max, min (a NaN
    stays). An index outside [0, extent) is dropped.
    `lathe.scatter add %into, %indices, %updates axis 1 batch 1 : tensor<?x10xf32>, tensor<?xi32>, tensor<?xf32>`.

    Derivatives: of set, an update that another one overwrites has none; of max and min, a tie shares the cotangent equally; of
    mul, a factor's slope is the product of the others, zeros among them or not, but of second order it is that of the product
    only where no factor is zero.

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
    Element i in row-major order is the first word of threefry2x32 (Salmon et al. 2011, 20 rounds) under the seed's low and high
    half as key, of the counter (i modulo 2^32, stream); of i64 the first word is the low half, the second one the high half. The
    same numbers on every target, in any order. `lathe.random_bits %seed stream 3 to [4, 16] : i32`; of i64 they may serve as seeds.

    Constraints: (C1) the element type is i32 or i64; (C2) stream fits 32 bits.
  }];
  let arguments = (ins Lathe_Scalar64:$seed, I64Attr:$stream, Lathe_ShapeAttr:$shape, TypeAttr:$element);
  let results = (outs RankedTensorOf<[I32, I64]>:$result);
}

#endif
