// Ops whose places are data, and random numbers.
#ifndef LATHE_INDEXING_OPS_TD
#define LATHE_INDEXING_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

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
}

def Lathe_ScatterOp : Lathe_ValueOp<"scatter"> {
  let summary = "A tensor with updates combined into the slices picked by index along one dimension";
  let description = [{
    The transpose of gather: updates has the shape that gather of `into` by indices has. Updates of equal index combine in
    row-major order; an index outside [0, extent) is dropped.
    `lathe.scatter add %into, %indices, %updates axis 1 batch 1 : tensor<?x10xf32>, tensor<?xi32>, tensor<?xf32>`.

    Constraints: those of gather for into and indices, and (C4) updates has gather's result type.
  }];
  let arguments = (ins Lathe_ScatterKindAttr:$kind, Lathe_NumberTensor:$into, Lathe_IndexTensor:$indices,
                       Lathe_NumberTensor:$updates, I64Attr:$axis, DefaultValuedOptionalAttr<I64Attr, "0">:$batch);
  let results = (outs Lathe_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $into `,` $indices `,` $updates `axis` $axis (`batch` $batch^)? attr-dict
    `:` type($into) `,` type($indices) `,` type($updates)
  }];
}

def Lathe_RandomBitsOp : Lathe_NamingOp<"random_bits"> {
  let summary = "Random bits that depend on seed, stream and place alone";
  let description = [{
    Element i in row-major order is the first word of threefry2x32 (Salmon et al. 2011, 20 rounds) under the seed's low and high
    half as key, of the counter (i modulo 2^32, stream). The same numbers on every target, in any order.
    `lathe.random_bits %seed stream 3 to [4, 16] : i32`.

    Constraints: (C1) the element type is i32; (C2) stream fits 32 bits.
  }];
  let arguments = (ins Lathe_Scalar64:$seed, I64Attr:$stream, Lathe_ShapeAttr:$shape, TypeAttr:$element);
  let results = (outs RankedTensorOf<[I32]>:$result);
}

#endif
