// Ops that make or move elements, and those whose shapes are data.
#ifndef STABLEHLO_SHAPE_TD
#define STABLEHLO_SHAPE_TD

include "dialects/StableHLO/StableHLO.td"

defvar Typed = " attr-dict `:` functional-type(operands, results)";

def StableHLO_ConstantOp : StableHLO_Op<"constant", [Pure]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyType:$output);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_IotaOp : StableHLO_Op<"iota"> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs AnyType:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}
def StableHLO_BroadcastOp : StableHLO_Op<"broadcast"> {
  let arguments = (ins AnyType:$operand, List:$broadcast_sizes);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `,` `sizes` `=` $broadcast_sizes", Typed);
}
def StableHLO_BroadcastInDimOp : StableHLO_Op<"broadcast_in_dim"> {
  let arguments = (ins AnyType:$operand, List:$broadcast_dimensions);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `,` `dims` `=` $broadcast_dimensions", Typed);
}
def StableHLO_ReshapeOp : StableHLO_Op<"reshape"> {
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("operands", Typed);
}
def StableHLO_BitcastConvertOp : StableHLO_Op<"bitcast_convert"> {
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("operands", Typed);
}
def StableHLO_TransposeOp : StableHLO_Op<"transpose"> {
  let arguments = (ins AnyType:$operand, List:$permutation);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `,` `dims` `=` $permutation", Typed);
}
def StableHLO_ReverseOp : StableHLO_Op<"reverse"> {
  let arguments = (ins AnyType:$operand, List:$dimensions);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:` custom<EqualTypes>(type($operand), type($result))
  }];
}
def StableHLO_SliceOp : StableHLO_Op<"slice"> {
  let arguments = (ins AnyType:$operand, List:$start_indices, List:$limit_indices, List:$strides);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand custom<SliceRanges>($start_indices, $limit_indices, $strides)", Typed);
}
def StableHLO_PadOp : StableHLO_Op<"pad"> {
  let arguments = (ins AnyType:$operand, AnyType:$padding_value, List:$edge_padding_low, List:$edge_padding_high,
                       List:$interior_padding);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat([{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding
  }], Typed);
}
def StableHLO_ConcatenateOp : StableHLO_Op<"concatenate"> {
  let arguments = (ins Variadic<AnyType>:$inputs, I64Attr:$dimension);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("custom<OperandsBefore>($inputs) `dim` `=` $dimension", Typed);
}
def StableHLO_DynamicSliceOp : StableHLO_Op<"dynamic_slice"> {
  let arguments = (ins AnyType:$operand, Variadic<AnyType>:$start_indices, List:$slice_sizes);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `,` custom<OperandsBefore>($start_indices) `sizes` `=` $slice_sizes", Typed);
}
def StableHLO_DynamicUpdateSliceOp : StableHLO_Op<"dynamic_update_slice"> {
  let arguments = (ins AnyType:$operand, AnyType:$update, Variadic<AnyType>:$start_indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("operands", Typed);
}
def StableHLO_GatherOp : StableHLO_Op<"gather"> {
  let arguments = (ins AnyType:$operand, AnyType:$start_indices, Numbers:$dimension_numbers, List:$slice_sizes,
                       OptionalAttr<BoolAttr>:$indices_are_sorted);
  let results = (outs AnyType:$result);
}
def StableHLO_ScatterOp : StableHLO_Op<"scatter", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyType>:$inputs, AnyType:$scatter_indices, Variadic<AnyType>:$updates,
                       Numbers:$scatter_dimension_numbers, OptionalAttr<BoolAttr>:$indices_are_sorted,
                       OptionalAttr<BoolAttr>:$unique_indices);
  let regions = (region AnyRegion:$update_computation);
  let results = (outs Variadic<AnyType>:$outputs);
}
def StableHLO_TorchIndexSelectOp : StableHLO_Op<"torch_index_select"> {
  let arguments = (ins AnyType:$operand, AnyType:$index, I64Attr:$dim, I64Attr:$batch_dims);
  let results = (outs AnyType:$result);
}

// ---- Shapes that are data

def StableHLO_GetDimensionSizeOp : StableHLO_Op<"get_dimension_size"> {
  let arguments = (ins AnyType:$operand, I64Attr:$dimension);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `,` `dim` `=` $dimension", Typed);
}
def StableHLO_SetDimensionSizeOp : StableHLO_Op<"set_dimension_size"> {
  let arguments = (ins AnyType:$operand, AnyType:$size, I64Attr:$dimension);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `,` $size `,` `dim` `=` $dimension", Typed);
}
def StableHLO_DynamicIotaOp : StableHLO_Op<"dynamic_iota"> {
  let arguments = (ins AnyType:$output_shape, I64Attr:$iota_dimension);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$output_shape `,` `dim` `=` $iota_dimension", Typed);
}
def StableHLO_DynamicReshapeOp : StableHLO_Op<"dynamic_reshape"> {
  let arguments = (ins AnyType:$operand, AnyType:$output_shape);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("operands", Typed);
}
def StableHLO_DynamicBroadcastInDimOp : StableHLO_Op<"dynamic_broadcast_in_dim"> {
  let arguments = (ins AnyType:$operand, AnyType:$output_dimensions, List:$broadcast_dimensions,
                       OptionalAttr<List>:$known_expanding_dimensions, OptionalAttr<List>:$known_nonexpanding_dimensions);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions", Typed);
}
def StableHLO_DynamicPadOp : StableHLO_Op<"dynamic_pad"> {
  let arguments = (ins AnyType:$operand, AnyType:$padding_value, AnyType:$edge_padding_low, AnyType:$edge_padding_high,
                       AnyType:$interior_padding);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("operands", Typed);
}
def StableHLO_RealDynamicSliceOp : StableHLO_Op<"real_dynamic_slice"> {
  let arguments = (ins AnyType:$operand, AnyType:$start_indices, AnyType:$limit_indices, AnyType:$strides);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("operands", Typed);
}
def StableHLO_DynamicGatherOp : StableHLO_Op<"dynamic_gather"> {
  let arguments = (ins AnyType:$operand, AnyType:$start_indices, AnyType:$slice_sizes, Numbers:$dimension_numbers,
                       OptionalAttr<BoolAttr>:$indices_are_sorted);
  let results = (outs AnyType:$result);
}

#endif
