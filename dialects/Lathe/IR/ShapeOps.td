// Shape ops: they move elements without changing them.
#ifndef LATHE_SHAPE_OPS_TD
#define LATHE_SHAPE_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_ConstantOp : Lathe_Op<"constant", [Pure, ConstantLike, InferTypeOpAdaptor]> {
  let summary = "A constant tensor";
  let description = [{
    `lathe.constant dense<[1.0, 2.0]> : tensor<2xf32>`.

    Constraints: (C1) the type is static; (C2) the elements are dense, in the text or in a resource of the type's size.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Lathe_BroadcastOp : Lathe_NamingOp<"broadcast", [Lathe_MovesElementsTrait]> {
  let summary = "The operand, repeated along new dimensions and dimensions of extent 1";
  let description = [{
    Dimension i of the operand becomes dimension `dims[i]` of the result. `lathe.broadcast %x dims [1] to [N, 16] : tensor<16xf32>`.

    Constraints: (C1) `dims` has one entry for each operand dimension; (C2) `dims` ascends within the result's rank; (C3) each
    operand dimension equals its result dimension or is statically 1.
  }];
  let arguments = (ins Lathe_Tensor:$operand, DenseI64ArrayAttr:$dims, Lathe_ShapeAttr:$shape);
  let results = (outs Lathe_Tensor:$result);
  let hasFolder = 1;
}

def Lathe_ReshapeOp : Lathe_ValueOp<"reshape", [Lathe_MovesElementsTrait, Lathe_ReadsOnce]> {
  let summary = "The same elements in row-major order under another shape";
  let description = [{
    `lathe.reshape %x to [N, 16 * 16] : tensor<?x16x16xf32>`. If the numbers of elements are equal
    only for some sizes, the op needs `checked`: `lathe.reshape %x checked to [floor_div(N, 2), 2] : tensor<?xf32>` makes the entry
    check that N is even. `checked each` checks each dimension separately; the rank must stay the same. Import inserts such reshapes
    if an op needs two sizes to be equal and one of them is a quotient, a maximum or a minimum.

    Constraints: (C1) operand and result have the same number of elements, as expressions of the named dimensions; with
    `checked`, for some sizes of the names; (C2) `each` needs `checked` and equal ranks.
  }];
  let arguments = (ins Lathe_Tensor:$operand, Lathe_ShapeAttr:$shape, UnitAttr:$checked, UnitAttr:$each);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$operand (`checked` $checked^)? (`each` $each^)? `to` custom<Shape>($shape) attr-dict `:` type($operand)";
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::lathe::ShapeAttr":$shape), [{
    build($_builder, $_state, operand, shape, /*checked=*/false, /*each=*/false);
  }]>];
}

def Lathe_TransposeOp : Lathe_ValueOp<"transpose", [Lathe_MovesElementsTrait, Lathe_ReadsOnce]> {
  let summary = "Dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand.

    Constraints: (C1) `permutation` is a permutation of the operand's dimensions.
  }];
  let arguments = (ins Lathe_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$operand $permutation attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lathe_ReverseOp : Lathe_ValueOp<"reverse", [Lathe_MovesElementsTrait, Lathe_ReadsOnce]> {
  let summary = "The elements in opposite order along some dimensions";
  let description = "Constraints: (C1) `dims` are distinct dimensions of the operand.";
  let arguments = (ins Lathe_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$operand `dims` $dims attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lathe_SliceOp : Lathe_ValueOp<"slice", [Lathe_MovesElementsTrait, Lathe_ReadsOnce]> {
  let summary = "Every steps[i]-th element from starts[i] up to, not including, limits[i]";
  let description = [{
    `lathe.slice %x from [0, 2] to [N, 10] step [1, 2] : tensor<?x16xf32>`. Starts and limits may be sizes, such as `N - 1`; if
    they could be out of bounds of a named dimension, the entry checks its size.

    Constraints: (C1) starts, limits and steps have one entry for each dimension; (C2) 0 <= start <= limit <= extent, as far as this
    is known before names have sizes; (C3) steps are at least 1.
  }];
  let arguments = (ins Lathe_Tensor:$operand, Lathe_ShapeAttr:$starts, Lathe_ShapeAttr:$limits,
                       DenseI64ArrayAttr:$steps);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$operand `from` custom<Shape>($starts) `to` custom<Shape>($limits) custom<Steps>($steps, ref($starts)) attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lathe_PadOp : Lathe_ValueOp<"pad", [Lathe_MovesElementsTrait]> {
  let summary = "The operand with `value` around and between its elements";
  let description = [{
    `low` and `high` elements are added before and after each dimension, or removed if negative, and `interior` elements are added
    between each two. `lathe.pad %x, %zero low [1, 1] high [1, -1] interior [0, 1] : tensor<?x16xf32>, tensor<f32>`. `low` and
    `high` may be sizes, such as `8 * ceil_div(N, 8) - N`, which pads to the next multiple of 8.

    Constraints: (C1) value has rank 0 and the operand's element type; (C2) low, high and interior have one entry for each
    dimension; (C3) interior is not negative; (C4) no extent becomes negative.
  }];
  let arguments = (ins Lathe_Tensor:$operand, Lathe_Tensor:$value, Lathe_ShapeAttr:$low, Lathe_ShapeAttr:$high,
                       DenseI64ArrayAttr:$interior);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $value `low` custom<Shape>($low) `high` custom<Shape>($high) custom<Interior>($interior, ref($low)) attr-dict `:` type($operand) `,` type($value)
  }];
  let hasFolder = 1;
}

def Lathe_ConcatenateOp : Lathe_ValueOp<"concatenate", [Lathe_MovesElementsTrait]> {
  let summary = "The operands one after the other along a dimension";
  let description = [{
    `lathe.concatenate %a, %b dim 1 : tensor<2x3xf32>, tensor<2x4xf32>`.

    Constraints: (C1) there is an operand; (C2) element types and ranks agree; (C3) `dim` is a dimension; (C4) all other
    dimensions agree.
  }];
  let arguments = (ins Variadic<Lathe_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` type($inputs)";
  let hasFolder = 1;
}

def Lathe_IotaOp : Lathe_NamingOp<"iota"> {
  let summary = "Each element is its index along a dimension";
  let description = "`lathe.iota dim 1 to [N, 10] : i32`. Constraints: (C1) `dim` is a dimension of the shape; (C2) the element type is a number.";
  let arguments = (ins I64Attr:$dim, Lathe_ShapeAttr:$shape, TypeAttr:$element);
  let results = (outs Lathe_NumberTensor:$result);
}

def Lathe_DimSizeOp : Lathe_ValueOp<"dim_size"> {
  let summary = "The size of a dimension, as a number";
  let description = "`lathe.dim_size %x dim 0 : tensor<?xf32>` is a `tensor<i64>`. Constraints: (C1) `dim` is a dimension of the operand.";
  let arguments = (ins Lathe_Tensor:$operand, I64Attr:$dim);
  let results = (outs 0DTensorOf<[I64]>:$result);
  let assemblyFormat = "$operand `dim` $dim attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lathe_SetDimSizeOp : Lathe_NamingOp<"set_dim_size", [Lathe_MovesElementsTrait]> {
  let summary = "The first elements of a dimension, whose number is data and gets a name";
  let description = [{
    `lathe.set_dim_size %x dim 0 to %count as n : tensor<12xi64>` is a `tensor<?xi64, #lathe.dims<n>>` of `%count` elements, a rank
    0 i64 that is clamped to [0, 12]. From then on it is like any other named dimension, except that it may be 0. A result of an
    entry with such a dimension is stored with the operand's size. An additional result, called `n` unless the entry returns the
    count under another name, has the number of valid elements (`lathe.counts`). Import replaces data-dependent sizes by the
    operands' sizes, and excludes the invalid elements from sums, extrema, products, sorts and indices.

    Constraints: (C1) `dim` is a dimension of the operand; (C2) the name is not a formula; (C3) no argument and no other
    lathe.set_dim_size has it; (C4) ops that cannot exclude the invalid elements are refused: those that reverse such a dimension,
    slide windows over it, slice it at data-dependent start indices, or scan over it, and calls that pass it to a private function.
  }];
  let arguments = (ins Lathe_Tensor:$operand, Lathe_Scalar64:$size, I64Attr:$dim, StrAttr:$name);
  let results = (outs Lathe_Tensor:$result);
}

#endif
